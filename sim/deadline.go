package sim

import (
	"math"
	"time"

	"retrystorm/server"
	"retrystorm/strategies"
)

// A deadline that travels with calls is when whoever made the call gives it up,
// for whatever reason: the request's deadline, the attempt's timeout, or the
// deadline that the caller was given itself. Who is given one knows it on all
// hops; those that propagate keep to it, and their calls carry the next one.

// earliest is the earlier of two times; 0 is never.
func earliest(a, b time.Duration) time.Duration {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// overdue reports whether it is too late for the task to send anything at a time.
func (r *Runner) overdue(slot uint32, t *task, h *hop, at time.Duration) bool {
	if at-t.started >= h.rules.Deadline {
		return true
	}
	if !h.rules.Propagate {
		return false
	}
	limit := r.extras.at(slot).task.limit
	return limit != 0 && limit <= at
}

// given is the deadline that a new call begins with, beside that of the request:
// what its task was given. An inner layer is in the same caller and is told what
// the outer one knows; a service is told nothing by a hop that does not propagate.
func (x *callExtra) given(h *hop) {
	switch {
	case h.rules.Propagate:
		x.deadline = earliest(x.deadline, x.limit)
	case h.inner == 0:
		x.limit = 0
	}
}

// carry is the deadline that a call carries from when it is sent: it is given up
// then.
func (x *callExtra) carry(h *hop, deadline time.Duration) {
	if h.rules.Propagate || h.inner > 0 {
		x.limit = earliest(x.limit, deadline)
	}
}

// propagate lets an attempt that asks nobody carry its deadline. It is sent for
// sure, so that is known now.
func (r *Runner) propagate(slot uint32, t *task, i uint32) {
	if t.deadline == strategies.Longest {
		t.deadline = 0
	}
	x := &r.extras.at(i).call
	t.deadline = earliest(t.deadline, r.extras.at(slot).task.limit)
	x.limit = t.deadline
}

// gatewayTimeout answers a call that cannot be served in time.
const gatewayTimeout server.Answer = 504

// tooLate reports whether a service refuses a call: if it began now it would be
// done after the deadline that the call carries, on average.
func (r *Runner) tooLate(i uint32, c *call, p *place) bool {
	if !p.refuses {
		return false
	}
	limit := r.extras.at(i).call.limit
	return limit != 0 && limit < r.now+r.costly(c, p.mean)
}

// refusedAtOnce reports whether a call is refused when it arrives. A service that
// is down refuses nobody for being late, and one that takes its time does it when
// the call's turn comes.
func (r *Runner) refusedAtOnce(i uint32, c *call, p *place) bool {
	if p.refusing > 0 || !r.tooLate(i, c, p) {
		return false
	}
	_, down := r.stationOf(i, p).Down()
	return !down
}

// expired counts a call that is not served because it is too late for it.
func (r *Runner) expired(c *call, service int) {
	if c.origin.counted() {
		r.rec.Services[service].Expired++
	}
	if r.trace != nil {
		r.traceCall(c, TraceExpired)
	}
}

// refuse answers a call whose turn has come too late: at once, or after the time
// that takes a worker.
func (r *Runner) refuse(i uint32, c *call, h *hop, p *place) {
	x := &r.extras.at(i).call
	x.began, x.hinted = r.now, false
	c.answer = gatewayTimeout
	r.expired(c, int(h.to))
	if p.refusing == 0 {
		r.stationOf(i, p).Leave(r.now, r.took(i, p), true)
		r.reply(i, c, h, p, gatewayTimeout)
		return
	}
	r.rec.serves(int(h.to), r.now, +1)
	r.await(i, c)
	c.state = refusing
	var done time.Duration
	c.work, done = r.stationOf(i, p).Finish(r.now, p.refusing)
	r.push(kindDone, done, i, c)
}

// meanService is the nominal service time.
func meanService(v *server.Spec) time.Duration {
	return time.Duration(math.Round(float64(v.ServiceTime.MeanSeconds() * 1e9)))
}
