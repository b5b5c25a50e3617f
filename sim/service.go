package sim

import (
	"time"

	"retrystorm/server"
	"retrystorm/sim/random"
)

// arrive runs when a call, or the read before it, reaches its service.
func (r *Runner) arrive(i uint32, c *call) {
	h := &r.hops[c.hop]
	p := &r.places[h.to]
	if c.state == reading {
		r.read(i, c, h, p)
		return
	}
	p.in++
	r.rec.arrived(int(h.to), c)
	d := p.station.Arrive(r.now, i, uint64(c.origin.group())<<32|uint64(c.client), c.key)
	if r.trace != nil {
		r.traceArrival(c, d)
	}
	switch d.Fate {
	case server.Starts:
		if d.ErrorAfter {
			c.answer = d.Answer
		}
		r.serve(i, c, h, p)
	case server.Waits:
		if d.ErrorAfter {
			c.answer = d.Answer
		}
		c.state = waiting
		r.rec.waits(int(h.to), r.now, +1)
		r.await(i, c, h)
	case server.Answered:
		r.reply(i, c, h, p, d.Answer)
	case server.Lost:
		r.lose(i, c, h, p)
	case server.Crashes:
		r.crash(i, c, int(h.to))
	}
}

// read is the first round trip of an optimistic writer: it fetches the row's
// version and sends the write, whose outcome nobody can change on the way. A
// service that is down fails the read as it would the write.
func (r *Runner) read(i uint32, c *call, h *hop, p *place) {
	r.rec.read(int(h.to), c)
	back := r.leg(h, c, random.NetworkRead, 1)
	if a, down := p.station.Down(); down {
		if a == server.Silent {
			r.forget(i, c, h)
			return
		}
		r.send(i, c, h, a, r.now+back)
		return
	}
	c.version = p.rows.Version(r.row(p, c))
	c.state = sending
	arrival := r.now + back + r.leg(h, c, random.NetworkOut, 0)
	if arrival >= c.work+h.rules.Timeout {
		r.await(i, c, h)
	}
	r.push(kindArrive, arrival, i, c)
}

// row is the row that a request's calls compete for.
func (r *Runner) row(p *place, c *call) uint64 {
	if p.rowCount == 1 {
		return 0
	}
	k := r.rowKey.Child(uint64(c.client), uint64(c.request), uint64(c.hop))
	return random.Uniform(k.Draw(random.Row, 0), p.rowCount)
}

// serve puts a call that has a worker into service.
func (r *Runner) serve(i uint32, c *call, h *hop, p *place) {
	r.rec.serves(int(h.to), r.now, +1)
	if p.lock && !p.rows.Lock(r.row(p, c), i) {
		c.state = locking
		r.await(i, c, h)
		return
	}
	r.work(i, c, h, p)
}

// work starts the service's own work for a call. Its demand belongs to the
// call's key, so it is the same in every variant.
func (r *Runner) work(i uint32, c *call, h *hop, p *place) {
	queued, deadline := c.state != sending, c.work+h.rules.Timeout
	c.state = serving
	demand := p.service.At(c.key.Draw(random.Service, 0))
	var done time.Duration
	c.work, done = p.station.Finish(r.now, demand)
	if r.trace != nil {
		r.traceCall(c, TraceServing)
	}
	if !queued && h.rules.Timeout > 0 && (p.end > p.first || done+r.leg(h, c, random.NetworkBack, 0) > deadline) {
		r.await(i, c, h)
	}
	if done == r.now && !queued {
		// At an arrival its completion is the smallest of what is pending: run it.
		r.done(i)
		return
	}
	r.push(kindDone, done, i, c)
}

// done runs when the service's own work for a call is finished.
func (r *Runner) done(i uint32) {
	c := r.call(i)
	h := &r.hops[c.hop]
	p := &r.places[h.to]
	r.rec.worked(int(h.to), c, r.abandoned(i, c))
	if r.trace != nil {
		r.traceCall(c, TraceServed)
	}
	if p.rows != nil {
		r.commit(c, p)
	}
	if p.end > p.first && c.answer == server.OK {
		r.callOn(i, c, p)
		return
	}
	r.leave(i, c, h, p)
}

// commit decides the race for the call's row.
func (r *Runner) commit(c *call, p *place) {
	row := r.row(p, c)
	if p.lock {
		if next, ok := p.rows.Unlock(row); ok {
			v := r.call(next)
			r.work(next, v, &r.hops[v.hop], p)
		}
		return
	}
	if c.answer == server.OK && !p.rows.Write(row, c.version) {
		c.answer = conflict
	}
	c.tell(p.rows.Version(row))
}

// conflict answers a lost race.
const conflict server.Answer = 409

// badGateway answers for a service that could not get what it needs.
const badGateway server.Answer = 502

// callOn lets the service call the services it needs, holding its worker.
func (r *Runner) callOn(i uint32, c *call, p *place) {
	c.state = calling
	slot := r.slots.take()
	t := r.task(slot)
	t.client, t.request, t.parent, t.key = c.client, c.request, i, c.key
	t.hop, t.origin, t.started, t.state, t.call = uint16(p.first), c.origin, r.now, alive, none
	r.beginStep(slot, t)
}

// called runs when a service's task for a call has ended.
func (r *Runner) called(i uint32, ok bool) {
	c := r.call(i)
	h := &r.hops[c.hop]
	if !ok {
		c.answer = badGateway
	}
	r.leave(i, c, h, &r.places[h.to])
}

// leave answers a call in service and gives its worker to the next one.
func (r *Runner) leave(i uint32, c *call, h *hop, p *place) {
	p.station.Leave()
	r.rec.serves(int(h.to), r.now, -1)
	r.reply(i, c, h, p, c.answer)
	r.serveWaiting(int(h.to))
}

// serveWaiting starts waiting calls while there are workers for them.
func (r *Runner) serveWaiting(service int) {
	p := &r.places[service]
	for {
		i, ok := p.station.Next()
		if !ok {
			return
		}
		r.rec.waits(service, r.now, -1)
		c := r.call(i)
		r.serve(i, c, &r.hops[c.hop], p)
	}
}

// reply answers a call.
func (r *Runner) reply(i uint32, c *call, h *hop, p *place, a server.Answer) {
	if a == server.Silent {
		r.lose(i, c, h, p)
		return
	}
	p.out++
	r.rec.answered(int(h.to), c, a, a == server.OK && r.abandoned(i, c))
	arrival := r.now + r.leg(h, c, random.NetworkBack, 0)
	if !r.foresee(i, c, h, a, arrival) {
		r.send(i, c, h, a, arrival)
	}
}

// send puts an answer on its way. A call that never was inside has no timer yet.
func (r *Runner) send(i uint32, c *call, h *hop, a server.Answer, arrival time.Duration) {
	if (c.state == sending || c.state == reading) && arrival > c.work+h.rules.Timeout {
		r.await(i, c, h)
	}
	c.answer, c.state = a, answering
	r.push(kindAnswer, arrival, i, c)
}

// lose drops a call that gets no answer at all: its caller waits.
func (r *Runner) lose(i uint32, c *call, h *hop, p *place) {
	p.out++
	r.rec.answered(int(h.to), c, server.Silent, false)
	r.forget(i, c, h)
}

// forget ends a call without an answer; while its caller waits for one, the
// slot stays.
func (r *Runner) forget(i uint32, c *call, h *hop) {
	if r.abandoned(i, c) {
		r.drop(i, c)
		return
	}
	r.await(i, c, h)
	c.state = lost
}

// drop frees a call's slot; events about it are stale from here on.
func (r *Runner) drop(i uint32, c *call) {
	c.gen++
	c.state = free
	r.flying--
	if r.task(i).state == idle {
		r.slots.give(i)
	}
}

// abandoned reports whether nobody waits for the call's answer any more.
func (r *Runner) abandoned(i uint32, c *call) bool {
	t := r.task(c.task)
	return t.gen != c.taskGen || t.call != i
}

// late records an answer that nobody waits for.
func (r *Runner) late(c *call) {
	r.rec.late(c)
	if r.trace != nil {
		r.traceCall(c, TraceLate)
	}
}

// crash kills a station: what is inside is lost, with a reset for each caller.
// The order in which the slots are walked does not matter, because the order
// of the resets is decided by their keys.
func (r *Runner) crash(i uint32, c *call, service int) {
	p := &r.places[service]
	r.rec.crashed(service, r.now, p.station.Usable())
	if r.trace != nil {
		r.traceStation(service)
	}
	if p.rows != nil {
		p.rows.Release()
	}
	r.reply(i, c, &r.hops[c.hop], p, server.Reset)
	for j := range r.slots.used {
		v := r.call(j)
		h := &r.hops[v.hop]
		if int(h.to) != service {
			continue
		}
		switch v.state {
		case calling:
			r.abandonTaskOf(j)
			fallthrough
		case waiting, serving, locking:
			v.gen++ // its completion will not come
			r.reply(j, v, h, p, server.Reset)
		case free, reading, sending, answering, lost:
		}
	}
	r.scheduleChange(service)
}

// abandonTaskOf ends the task that a lost call had started; the calls it had
// made go on without it.
func (r *Runner) abandonTaskOf(i uint32) {
	for s := range r.slots.used {
		t := r.task(s)
		if t.state != idle && t.parent == i {
			r.release(s, t)
			return
		}
	}
}
