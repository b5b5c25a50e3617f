package server

import (
	"time"

	"retrystorm/sim/limit"
)

// limiter bounds the calls inside.
type limiter struct {
	active bool
	rules  limit.Rules
	state  limit.State
	reply  reply
}

func newLimiter(spec Limiter) limiter {
	return limiter{active: true, rules: spec.Compile(), reply: newReply(spec.Answer, 503)}
}

// reset is for a service that starts anew, and its limit with it.
func (l *limiter) reset() { l.rules.Reset(&l.state) }

// release: a call that was inside ends.
func (l *limiter) release(now, took time.Duration, dropped bool) {
	l.rules.Release(&l.state, now, took, dropped)
}

// drop: a call that was to be inside gets no service, which a limit that adapts
// takes for too much load.
func (l *limiter) drop(now time.Duration) { l.release(now, 0, true) }
