package server

import (
	"time"

	"retrystorm/sim/random"
)

const (
	ms  = time.Millisecond
	sec = time.Second
)

// service is a spec with the defaults of the language, changed by edits.
func service(edits ...func(*Spec)) Spec {
	s := Spec{Workers: Unlimited, Queue: Queue{Limit: Unlimited, Order: "fifo", Full: 503}}
	for _, edit := range edits {
		edit(&s)
	}
	return s
}

func workers(n int64) func(*Spec)        { return func(s *Spec) { s.Workers = n } }
func waiting(q Queue) func(*Spec)        { return func(s *Spec) { s.Queue = q } }
func limited(l RateLimit) func(*Spec)    { return func(s *Spec) { s.RateLimit = &l } }
func crashing(c Crash) func(*Spec)       { return func(s *Spec) { s.Crash = &c } }
func faulty(faults ...Fault) func(*Spec) { return func(s *Spec) { s.Faults = faults } }

// goTo applies all changes up to now, as an engine does.
func goTo(s *Station, now time.Duration) {
	for {
		at, ok := s.NextChange()
		if !ok || at > now {
			return
		}
		s.Change(at)
	}
}

// fill lets n calls arrive and returns the last decision.
func fill(s *Station, now time.Duration, n int) (d Decision) {
	for i := range n {
		d = s.Arrive(now, uint32(i), 0, random.Root(1, uint64(i)))
	}
	return d
}
