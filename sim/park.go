package sim

import "retrystorm/server"

// A service that is not blocking gives a worker back while a call waits for
// others: the call is parked.

// park takes the worker of a call in service from it. Who waits for a worker is
// served when the call has asked the others.
func (r *Runner) park(i uint32, p *place, service int) {
	r.stationOf(i, p).Park()
	r.rec.serves(service, r.now, -1)
	r.rec.parks(service, +1)
	r.extras.at(i).call.parked = true
}

// resume lets a parked call have a worker for the service's own work, or wait
// for one.
func (r *Runner) resume(i uint32, c *call, h *hop, p *place) {
	r.unpark(i, h)
	v := server.Call{ID: i, Key: c.key, Retry: c.cause != First}
	if p.curious {
		r.tell(&v, i, c, h)
	}
	if r.stationOf(i, p).Resume(r.now, v) == server.Starts {
		r.rec.serves(int(h.to), r.now, +1)
		r.begin(i, c, h, p)
		return
	}
	c.state = waiting
	r.rec.waits(int(h.to), r.now, +1)
}

// goOut takes a call out of a service, with or without a worker.
func (r *Runner) goOut(i uint32, h *hop, p *place, failed bool) {
	if p.async && r.extras.at(i).call.parked {
		r.unpark(i, h)
		r.stationOf(i, p).LeaveParked(r.now, r.took(i, p), failed)
		return
	}
	r.rec.serves(int(h.to), r.now, -1)
	r.stationOf(i, p).Leave(r.now, r.took(i, p), failed)
}

func (r *Runner) unpark(i uint32, h *hop) {
	r.rec.parks(int(h.to), -1)
	r.extras.at(i).call.parked = false
}
