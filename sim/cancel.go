package sim

import (
	"retrystorm/server"
	"retrystorm/sim/random"
)

// cancel lets a service know that the caller of a call has left, if the policy
// does that. The message takes as long as the call took to get there, so that
// it never overtakes it.
func (r *Runner) cancel(i uint32, c *call, h *hop) {
	if h.rules.CancelQueued && c.state != answering {
		r.push(kindCancel, r.now+r.leg(h, c, random.NetworkOut, 0), i, c)
	}
}

// cancelled runs when the message reaches the service. A service whose calls
// compete for rows finishes what it has begun.
func (r *Runner) cancelled(i uint32) {
	c := r.call(i)
	h := &r.hops[c.hop]
	p := &r.places[h.to]
	switch c.state {
	case waiting:
		if !r.stationOf(i, p).Remove(i) {
			return
		}
		r.rec.waits(int(h.to), r.now, -1)
		r.removed(i, c, h, p)
	case serving, calling, refusing:
		if !h.rules.CancelRunning || p.rows != nil {
			return
		}
		if c.state == calling {
			if !p.async {
				r.rec.calls(int(h.to), r.now, -1)
			}
			r.abandonTaskOf(i)
		} else {
			c.work = min(c.work, r.now-r.extras.at(i).call.began)
			r.rec.worked(c, true)
		}
		k := r.replicaOf(i, p)
		r.goOut(i, h, p, true)
		r.removed(i, c, h, p)
		r.serveWaiting(int(h.to), k)
	default:
	}
}

// removed ends a call that its service lets go of without an answer.
func (r *Runner) removed(i uint32, c *call, h *hop, p *place) {
	if r.trace != nil {
		r.traceCall(c, TraceCancelled)
	}
	if p.inbox != nil {
		r.settle(i, c, p, false)
	}
	p.out++
	r.rec.answered(int(h.to), r.now, c, server.Silent, false)
	r.drop(i, c)
}
