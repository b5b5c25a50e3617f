package sim

import (
	"time"

	"retrystorm/server"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// extra is what a slot needs beside itself in a model that has more than the
// basics: limits that callers share, layers, hedges, cancellation, waits that
// answers ask for.
type extra struct {
	task taskExtra
	call callExtra
}

// lineage is what the work that is done for a request inherits, from caller to
// service.
type lineage struct {
	run   uint8         // how often the request has been made before: resent, redriven, run again
	cause Cause         // why the work is done at all: that of the nearest call above that is no first attempt
	begun time.Duration // when the request was started
	// limit is the deadline that the call it is done for carried; 0: none.
	limit time.Duration
	again Cause // why the run is made; First for the first
	// path names the hops that lead to whoever does the work, without attempts; 0
	// for the client.
	path random.Key
}

type taskExtra struct {
	lineage
	errand
	opens           Cause  // why the first attempts of a task without a parent are made
	member, process uint32 // which client of its group it belongs to, and which process

	// Of the present step, where its hop is gated.
	open    bool               // it has begun and not ended
	began   time.Duration      // when
	cost    int64              // of the last retry that the budget granted
	had     int64              // retries that the budget granted
	most    int64              // how many it may grant
	last    strategies.Outcome // of the attempt before
	failed  time.Duration      // when the first attempt did, where dead letters are written
	version uint32             // of the row, as the caller knows it
	granted bool               // the budget has granted the next attempt
	counted bool               // the budget knows of the present attempt
	permit  uint32             // the breaker's, for the whole step
	permits bool               // permit is held
	copies  uint8              // of the present attempt so far
	planned uint32             // hedges planned so far; tells stale events
	sibling uint32             // the next branch of the fork that it is one of; none

	// Of the present step, replicas, counted from 1; 0: none.
	avoid    uint32 // what its first attempt must not go to
	failedAt uint32 // where the attempt before failed
}

type callExtra struct {
	lineage
	sent     time.Duration // when
	arrived  time.Duration // at its service
	began    time.Duration // when its service began
	deadline time.Duration // when its caller gives it up; 0: never
	asked    time.Duration // the wait that its answer asks for, if hinted
	askedAt  time.Duration // when the answer was given
	next     uint32        // the next copy in flight; none
	child    uint32        // the task that is done for it; none
	permit   uint32        // the breaker's
	permits  bool          // permit is held
	limited  bool          // it has a place in the limiter
	inLine   bool          // it waits for one
	granted  bool          // the budget counts it as a retry that is not over
	missing  int32         // branches that must still succeed
	running  int32         // branches at work
	prepared bool          // the steps before the service's own work are done
	parked   bool          // it waits for others, and has no worker
	hinted   bool
	dated    bool              // what is asked is a time, not a duration
	unsent   bool              // it ends without having been sent
	final    strategies.GiveUp // why it was never sent, and nothing follows it

	// Of a service with several, replicas, counted from 1; 0: none.
	replica uint32 // where it is, once it has arrived
	avoid   uint32 // where it must not go
	// At a service where it is counted what is done.
	doing    bool          // its work has begun and not ended
	promised server.Answer // what it is answered if all goes well
	key      random.Key    // that it carries, for an inbox
}

// extras are the extras of the slots, by the same index.
type extras struct {
	pages []*[pageSize]extra
	used  int
}

func (e *extras) at(i uint32) *extra { return &e.pages[i>>pageBits][i&pageMask] }

// grow makes room for the extra of a slot.
func (e *extras) grow(i uint32) {
	if int(i>>pageBits) == len(e.pages) {
		e.pages = append(e.pages, new([pageSize]extra))
	}
	e.used = max(e.used, int(i)+1)
}

func (e *extras) reset() {
	for i := 0; i < e.used; i += pageSize {
		clear(e.pages[i>>pageBits][:min(pageSize, e.used-i)])
	}
	e.used = 0
}

// take gives a free slot.
func (r *Runner) take() uint32 {
	i := r.slots.take()
	if r.rich {
		r.extras.grow(i)
	}
	return i
}

// belong notes which client and process a group's new task belongs to, and
// where it comes from.
func (r *Runner) belong(slot uint32, t *task, line lineage, e errand) {
	g := &r.groups[t.origin.group()]
	x := &r.extras.at(slot).task
	x.lineage, x.errand, x.opens = line, e, line.cause
	x.again, x.begun = line.cause, t.started
	x.member = r.member(t.origin.group(), t.client)
	x.process = uint32(uint64(x.member) * g.processes / g.clients)
}
