package event

import "time"

// Event is something that will happen at a virtual time. It is a small value
// without pointers: a set of millions of them gives the garbage collector
// nothing to scan.
type Event struct {
	At  time.Duration // virtual time since the start of the run, never negative
	Key uint64        // order among simultaneous events
	Ref uint32        // payload, not part of the order
	Gen uint32        // payload, not part of the order
}

// Before reports whether e happens before o: the earlier first, at the same
// instant the smaller key.
func (e Event) Before(o Event) bool {
	return e.At < o.At || e.At == o.At && e.Key < o.Key
}
