package strategies

import (
	"time"

	"retrystorm/sim/limit"
)

type limiterKind uint8

const (
	limitFlight limiterKind = iota // concurrency, aimd, gradient
	limitRate
	limitAdaptive
)

// LimiterRules are a Limiter compiled: read only, shared by all its states.
type LimiterRules struct {
	kind   limiterKind
	fails  bool
	flight limit.Rules
	bucket limit.Bucket
}

// LimiterState is what callers who share a limiter have in flight, or have sent.
// Reset makes it ready.
type LimiterState struct {
	flight   limit.State
	level    limit.Level
	adaptive adaptive
}

// Compile makes the rules of a valid Limiter. It panics when Validate would
// find something to say.
func (l Limiter) Compile() LimiterRules {
	l.Validate(invalid)
	r := LimiterRules{fails: l.WhenFull == "fail"}
	switch l.Kind {
	case "rate":
		r.kind = limitRate
		r.bucket = limit.NewBucket(l.Rate, l.Burst)
	case "aws-adaptive":
		r.kind = limitAdaptive
	default:
		r.kind = limitFlight
		r.flight = l.flight().Compile()
	}
	return r
}

// flight is the limit on what is in flight.
func (l Limiter) flight() limit.Spec {
	return limit.Spec{Kind: l.Kind, Limit: l.Limit, Min: l.Min, Max: l.Max}
}

// Reset makes the state as new at time 0.
func (r *LimiterRules) Reset(s *LimiterState) {
	*s = LimiterState{}
	if r.kind == limitFlight {
		r.flight.Reset(&s.flight)
	}
}

// FailsWhenFull says what an attempt does that may not go: it fails, or else it
// waits in line.
func (r *LimiterRules) FailsWhenFull() bool { return r.fails }

// Acquire asks whether an attempt may go now. If not, one that does not fail then
// asks again: after the wait, or when another is released if that is Longest.
func (r *LimiterRules) Acquire(s *LimiterState, now time.Duration) (wait time.Duration, ok bool) {
	switch r.kind {
	case limitRate:
		if r.bucket.Take(&s.level, now) {
			return 0, true
		}
		return r.bucket.Wait(&s.level, now), false
	case limitAdaptive:
		return s.adaptive.acquire(now)
	default:
		if r.flight.Acquire(&s.flight) {
			return 0, true
		}
		return Longest, false
	}
}

// Release: an attempt that went has ended, after the time it took.
func (r *LimiterRules) Release(s *LimiterState, now time.Duration, o Outcome, took time.Duration) {
	switch r.kind {
	case limitFlight:
		switch o {
		case Timeout, Refused, 429, 503:
			r.flight.Release(&s.flight, now, took, true)
		case OK:
			r.flight.Release(&s.flight, now, took, false)
		default: // neither too much nor well done
			r.flight.Leave(&s.flight)
		}
	case limitAdaptive:
		s.adaptive.answered(now, o == 429)
	}
}

// Cancel: an attempt that went was given up without a result, or before it was
// sent.
func (r *LimiterRules) Cancel(s *LimiterState) {
	if r.kind == limitFlight {
		r.flight.Leave(&s.flight)
	}
}
