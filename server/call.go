package server

import (
	"time"

	"retrystorm/sim/random"
)

// Call is what a station has to know of a call that arrives.
type Call struct {
	// ID is its number. Numbers of calls inside differ, and should be small:
	// some queues keep something for every number up to the largest.
	ID     uint32
	Client uint64
	// Key names its draws; Request those that all calls of a request over this
	// hop share, asked for if the spec Shares.
	Key, Request random.Key
	// Retry says that it is not a first try; nor is a hedge.
	Retry bool
	// Deadline is when its caller stops waiting; 0: never, or nobody knows.
	Deadline time.Duration
}

// Taken is a call that leaves the queue because its turn has come.
type Taken struct {
	Call uint32
	// Dropped says that it waited too long: it gets Answer instead of a worker
	// (Silent: nothing comes back).
	Dropped bool
	Answer  Answer
	Asked   Hint
}
