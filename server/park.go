package server

import "time"

// A call that waits for others without its worker is parked: it is inside, and
// in the way of nobody but those whom limits on the calls inside turn away.

// Park takes the worker of a call in service from it. Afterwards Next may have
// calls to start.
func (s *Station) Park() {
	if s.inService--; s.inService < 0 {
		panic("server: a call is parked that is not in service")
	}
	s.parked++
}

// Resume gives a parked call a worker again (Starts), or lets it wait for one
// like a call that has just come, but past the limit of the queue (Waits).
func (s *Station) Resume(now time.Duration, c Call) Fate {
	s.unpark()
	if s.inService < s.usable {
		s.inService++
		return Starts
	}
	s.join(now, c)
	return Waits
}

// LeaveParked is Leave for a call that is parked.
func (s *Station) LeaveParked(now, took time.Duration, dropped bool) {
	s.unpark()
	if s.limiter.active {
		s.limiter.release(now, took, dropped)
	}
}

func (s *Station) unpark() {
	if s.parked--; s.parked < 0 {
		panic("server: a call is parked no more that was not")
	}
}

// Parked is how many calls are inside without waiting for a worker or having one.
func (s *Station) Parked() int64 { return s.parked }
