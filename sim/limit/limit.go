package limit

import "time"

type kind uint8

const (
	fixed kind = iota
	aimd
	gradient
)

// Constants of the limits that adapt; see the package comment.
const (
	cut       = 0.9 // aimd
	tolerance = 1.5 // gradient, from here on
	steepest  = 0.5
	queued    = 4
	smoothing = 0.2
	warmup    = 10
	newShare  = 2.0 / 601
	drift     = 0.95
)

// Rules are a Spec compiled: read only, shared by all its states.
type Rules struct {
	kind            kind
	start, min, max float64
}

// State is what one holder of a limit remembers. Reset makes it ready.
type State struct {
	limit    float64
	inFlight int64
	average  float64 // gradient: of the times in nanoseconds
	samples  int64   // gradient: how many are in the average, up to warmup
}

// Compile makes the rules of a valid Spec. It panics when Validate would find
// something to say.
func (s Spec) Compile() Rules {
	s.Validate(func(field, problem string) { panic("limit: " + field + " " + problem) })
	r := Rules{start: float64(s.Limit), min: float64(s.Min), max: float64(s.Max)}
	switch s.Kind {
	case "aimd":
		r.kind = aimd
	case "gradient":
		r.kind = gradient
	}
	return r
}

// Reset makes the state as new.
func (r *Rules) Reset(s *State) { *s = State{limit: r.start} }

// Limit is how much may be in flight now.
func (r *Rules) Limit(s *State) int64 { return int64(s.limit) }

// InFlight is how much is in flight.
func (r *Rules) InFlight(s *State) int64 { return s.inFlight }

// Acquire lets one more in, if there is room.
func (r *Rules) Acquire(s *State) bool {
	if s.inFlight >= int64(s.limit) {
		return false
	}
	s.inFlight++
	return true
}

// Leave: one that was in flight has ended in a way that says nothing about
// the limit.
func (r *Rules) Leave(s *State) { s.inFlight-- }

// Release: one that was in flight has ended, after the time it took; dropped
// says that there was too much for the other end.
func (r *Rules) Release(s *State, _, took time.Duration, dropped bool) {
	switch r.kind {
	case aimd:
		r.additive(s, dropped)
	case gradient:
		r.follow(s, took, dropped)
	}
	s.inFlight--
}

func (r *Rules) additive(s *State, dropped bool) {
	switch {
	case dropped:
		s.limit = max(float64(s.limit*cut), r.min)
	case s.halfUsed():
		s.limit = min(s.limit+1/s.limit, r.max)
	}
}

func (s *State) halfUsed() bool { return 2*float64(s.inFlight) >= s.limit }

func (r *Rules) follow(s *State, took time.Duration, dropped bool) {
	slope := float64(steepest)
	if !dropped {
		now := float64(max(took, 1))
		s.add(now)
		if !s.halfUsed() {
			return
		}
		slope = max(steepest, min(1, float64(tolerance*s.average/now)))
	}
	next := float64(s.limit*slope) + queued
	next = float64(s.limit*(1-smoothing)) + float64(next*smoothing)
	s.limit = max(r.min, min(r.max, next))
}

// add takes a time into the long average.
func (s *State) add(now float64) {
	if s.samples < warmup {
		s.samples++
		s.average += (now - s.average) / float64(s.samples)
	} else {
		s.average = float64(s.average*(1-newShare)) + float64(now*newShare)
	}
	if s.average > 2*now {
		s.average *= drift
	}
}
