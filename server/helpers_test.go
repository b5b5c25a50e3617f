package server

import (
	"time"

	"retrystorm/sim/limit"
	"retrystorm/sim/random"
)

const (
	ms  = time.Millisecond
	sec = time.Second
)

// service is a spec with the defaults of the language, changed by edits.
func service(edits ...func(*Spec)) Spec {
	s := Spec{Workers: Unlimited, Queue: Queue{Limit: Unlimited, Order: "fifo", Full: says(503)}}
	for _, edit := range edits {
		edit(&s)
	}
	return s
}

// says is an answer that asks for nothing.
func says(a Answer) Reply { return Reply{Answer: a} }

func workers(n int64) func(*Spec)     { return func(s *Spec) { s.Workers = n } }
func waiting(q Queue) func(*Spec)     { return func(s *Spec) { s.Queue = q } }
func limited(l RateLimit) func(*Spec) { return func(s *Spec) { s.RateLimit = &l } }
func shedding(h Shed) func(*Spec)     { return func(s *Spec) { s.Shed = &h } }
func limiting(l limit.Spec) func(*Spec) {
	return func(s *Spec) { s.Limiter = &Limiter{l, says(503)} }
}
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
		d = s.Arrive(now, Call{ID: uint32(i), Key: random.Root(1, uint64(i))})
	}
	return d
}
