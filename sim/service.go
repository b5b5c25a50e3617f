package sim

import (
	"cmp"
	"slices"
	"time"

	"retrystorm/server"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// arrive runs when a call, or the read before it, reaches its service.
func (r *Runner) arrive(i uint32, c *call) {
	h := &r.hops[c.hop]
	p := &r.places[h.to]
	if p.queue != nil {
		r.store(i, c, h, p.queue)
		return
	}
	if c.state == reading {
		r.read(i, c, h, p)
		return
	}
	p.in++
	r.rec.arrived(int(h.to), r.now, c)
	s := p.station
	if p.stations != nil {
		s = r.balance(i, c, p)
	}
	var d server.Decision
	if p.refuses && r.refusedAtOnce(i, c, p) {
		r.expired(c, int(h.to))
		d = server.Decision{Fate: server.Answered, Answer: gatewayTimeout}
	} else {
		v := server.Call{ID: i, Key: c.key, Retry: c.cause != First}
		if p.curious {
			r.tell(&v, i, c, h)
		}
		d = s.Arrive(r.now, v)
	}
	if r.rich {
		r.extras.at(i).call.arrived, r.extras.at(i).call.promised = r.now, d.Answer
		r.ask(i, h, d.Answer, d.Asked)
	}
	if r.trace != nil {
		r.traceArrival(i, c, d)
	}
	if h.poison != nil && (d.Fate == server.Starts || d.Fate == server.Waits) && r.poisoned(c, h) {
		d.ErrorAfter, d.Answer = true, h.poison.Answer
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
		r.await(i, c)
	case server.Answered:
		r.reply(i, c, h, p, d.Answer)
	case server.Lost:
		r.lose(i, c, p)
	case server.Crashes:
		r.crash(i, c, int(h.to))
	}
}

// tell tells a curious station who calls, and until when.
func (r *Runner) tell(v *server.Call, i uint32, c *call, h *hop) {
	v.Client, v.Request, v.Deadline = r.clientOf(c), r.requestKey(c), r.knownDeadline(i, c, h)
}

// read is the first round trip of an optimistic writer: it fetches the row's
// version and sends the write, whose outcome nobody can change on the way. A
// service that is down fails the read as it would the write.
func (r *Runner) read(i uint32, c *call, h *hop, p *place) {
	r.rec.read(int(h.to), c)
	back := r.leg(h, c, random.NetworkRead, 1)
	if a, down := p.station.Down(); down {
		if a == server.Silent {
			r.forget(i, c)
			return
		}
		r.send(i, c, h, a, r.now+back)
		return
	}
	c.version = p.rows.Version(r.rowOf(p, c))
	c.state = sending
	arrival := r.now + back + r.leg(h, c, random.NetworkOut, 0)
	if arrival >= r.dueAt(i, c) {
		r.await(i, c)
	}
	r.push(kindArrive, arrival, i, c)
}

// clientOf tells callers apart.
func (r *Runner) clientOf(c *call) uint64 {
	g := c.origin.group()
	return uint64(g)<<32 | uint64(r.member(g, c.client))
}

// member is which client of its group a request belongs to: it is the client,
// unless clients only divide the arrivals of one process among them. Evenly
// spaced arrivals go round; others are dealt at random, so that each client has
// a process of the same kind.
func (r *Runner) member(group int, client uint32) uint32 {
	g := &r.groups[group]
	switch {
	case !g.process.Open():
		return client
	case g.clients == 1:
		return 0
	case g.arrival == random.Constant || g.arrival == random.Trace:
		return uint32(uint64(client) % g.clients)
	default:
		return uint32(random.Uniform(g.key.Draw(random.Member, uint64(client)), g.clients))
	}
}

// requestKey names what all calls of a request over one hop have in common.
func (r *Runner) requestKey(c *call) random.Key {
	return r.groups[c.origin.group()].rootKey(c.client, c.request).Child(uint64(r.hops[c.hop].name), 0, 0)
}

// rootKey is the key of a request when it is made for the first time.
func (g *group) rootKey(client, request uint32) random.Key {
	return g.key.Child(uint64(client), uint64(request), 1)
}

// knownDeadline is when a call's caller leaves; 0: never, or it already has. A
// service that is told goes by that.
func (r *Runner) knownDeadline(i uint32, c *call, h *hop) time.Duration {
	if h.rules.Propagate {
		if at := r.extras.at(i).call.limit; at > r.now {
			return at
		}
		return 0
	}
	switch {
	case r.abandoned(i, c):
		return 0
	case h.gated:
		return r.extras.at(i).call.deadline
	}
	if at := r.dueAt(i, c); at < strategies.Longest {
		return at
	}
	return 0
}

// ask notes the wait that an answer asks for, if its caller reads it.
func (r *Runner) ask(i uint32, h *hop, a server.Answer, hint server.Hint) {
	x := &r.extras.at(i).call
	if x.hinted = false; !hint.Set {
		return
	}
	form := strategies.AskedSeconds
	switch hint.Form {
	case server.FormDate:
		form = strategies.AskedDate
	case server.FormMillis:
		form = strategies.AskedMillis
	case server.FormSeconds:
	}
	if h.rules.Reads(outcome(a), form) {
		x.hinted, x.asked, x.askedAt, x.dated = true, hint.Wait, r.now, hint.Form == server.FormDate
	}
}

func (r *Runner) rowOf(p *place, c *call) uint64 {
	return r.row(p, c.client, c.request, &r.hops[c.hop])
}

// row is the row that a request's calls on a hop compete for.
func (r *Runner) row(p *place, client, request uint32, h *hop) uint64 {
	if p.rowCount == 1 {
		return 0
	}
	k := r.rowKey.Child(uint64(client), uint64(request), uint64(h.name))
	return random.Uniform(k.Draw(random.Row, 0), p.rowCount)
}

// serve puts a call that has a worker into service, unless an inbox answers it.
func (r *Runner) serve(i uint32, c *call, h *hop, p *place) {
	if p.refuses && r.tooLate(i, c, p) {
		r.refuse(i, c, h, p)
		return
	}
	if p.inbox != nil && !r.begins(i, c, h, p) {
		return
	}
	r.rec.serves(int(h.to), r.now, +1)
	if p.before != noHop && !r.extras.at(i).call.prepared {
		if c.state == sending {
			r.await(i, c)
		}
		r.callOn(i, c, p, p.before)
		return
	}
	r.begin(i, c, h, p)
}

// begin begins with the service's own work for a call, once it has the row.
func (r *Runner) begin(i uint32, c *call, h *hop, p *place) {
	if p.lock && !p.rows.Lock(r.rowOf(p, c), i) {
		c.state = locking
		r.await(i, c)
		return
	}
	r.work(i, c, h, p)
}

// work starts the service's own work for a call. Its demand belongs to the
// key of the call, or of the request, so it is the same in every variant.
func (r *Runner) work(i uint32, c *call, h *hop, p *place) {
	queued := c.state != sending
	c.state = serving
	if r.rich {
		r.extras.at(i).call.began = r.now
	}
	key := c.key
	if p.redraws {
		key = r.requestKey(c)
	}
	demand := r.costly(c, p.service.At(key.Draw(random.Service, 0)))
	var done time.Duration
	c.work, done = r.stationOf(i, p).Finish(r.now, demand)
	if r.trace != nil {
		r.traceCall(c, TraceServing)
	}
	if !queued && h.expires && (p.after != noHop || done+r.leg(h, c, random.NetworkBack, 0) > r.dueAt(i, c)) {
		r.await(i, c)
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
	r.rec.worked(c, r.abandoned(i, c))
	if c.state == refusing {
		r.letGo(i, c, h, p)
		return
	}
	if r.trace != nil {
		r.traceCall(c, TraceServed)
	}
	if p.rows != nil {
		r.commit(c, p)
	}
	if p.after != noHop && c.answer == server.OK {
		r.callOn(i, c, p, p.after)
		return
	}
	r.letGo(i, c, h, p)
}

// took is how long a call has been inside, where the service asks for it.
func (r *Runner) took(i uint32, p *place) time.Duration {
	if !p.timed {
		return 0
	}
	return r.now - r.extras.at(i).call.arrived
}

// commit decides the race for the call's row.
func (r *Runner) commit(c *call, p *place) {
	row := r.rowOf(p, c)
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

// callOn lets the service call the services it needs, from a step on, holding
// its worker if it is blocking.
func (r *Runner) callOn(i uint32, c *call, p *place, first int32) {
	c.state = calling
	service := int(r.hops[c.hop].to)
	k := r.replicaOf(i, p)
	if p.async {
		r.park(i, p, service)
	} else {
		r.rec.calls(service, r.now, +1)
	}
	slot := r.take()
	if r.rich {
		r.extras.at(i).call.child = slot
		x := &r.extras.at(slot).task
		*x = taskExtra{planned: x.planned, lineage: r.extras.at(i).call.lineage} // hedges of the last owner may be pending
		x.path = r.below(x.path, c.hop)
	}
	t := r.task(slot)
	t.client, t.request, t.parent, t.key = c.client, c.request, i, c.key
	t.hop, t.origin, t.started, t.state, t.call = uint16(first), c.origin, r.now, alive, none
	r.beginStep(slot, t)
	if p.async {
		r.serveWaiting(service, k)
	}
}

// called runs when the task that is done for a call has ended: a service's, or
// an inner layer's.
func (r *Runner) called(i uint32, out strategies.Outcome) {
	c := r.call(i)
	if c.state == layered {
		c.answer, c.state = answerFor(out), answering
		x := &r.extras.at(i).call
		x.replica = r.extras.at(x.child).task.failedAt
		r.push(kindAnswer, r.now, i, c)
		return
	}
	if c.state == forking {
		r.joined(i, c, out)
		return
	}
	h := &r.hops[c.hop]
	p := &r.places[h.to]
	if !p.async {
		r.rec.calls(int(h.to), r.now, -1)
	}
	switch {
	case out != strategies.OK:
		if p.inbox != nil {
			r.settle(i, c, p, false) // even where a fault would have answered the same after the work
		}
		c.answer = badGateway
	case p.before != noHop && !r.extras.at(i).call.prepared:
		r.extras.at(i).call.prepared = true
		if p.async {
			r.resume(i, c, h, p)
		} else {
			r.begin(i, c, h, p)
		}
		return
	}
	r.letGo(i, c, h, p)
}

// letGo answers a call in service and gives its worker to the next one.
func (r *Runner) letGo(i uint32, c *call, h *hop, p *place) {
	if p.inbox != nil {
		r.settle(i, c, p, c.answer == r.extras.at(i).call.promised && c.state != refusing)
	}
	k := r.replicaOf(i, p)
	r.goOut(i, h, p, c.answer != server.OK)
	r.reply(i, c, h, p, c.answer)
	r.serveWaiting(int(h.to), k)
}

// serveWaiting starts calls that wait for a replica of a service while there are
// workers for them. What such a call does at once may free the next worker: that
// one is given by the same loop.
func (r *Runner) serveWaiting(service, k int) {
	p := &r.places[service]
	s := &p.replicas[k]
	if s.starting {
		return
	}
	s.starting = true
	for {
		taken, ok := s.Next(r.now)
		if !ok {
			s.starting = false
			return
		}
		i := taken.Call
		r.rec.waits(service, r.now, -1)
		c := r.call(i)
		h := &r.hops[c.hop]
		switch {
		case taken.Dropped:
			if r.rich {
				r.ask(i, h, taken.Answer, taken.Asked)
			}
			r.reply(i, c, h, p, taken.Answer)
		case p.drop && r.abandoned(i, c):
			r.expired(c, service)
			s.Leave(r.now, r.took(i, p), true)
			r.lose(i, c, p)
		default:
			r.serve(i, c, h, p)
		}
	}
}

// reply answers a call.
func (r *Runner) reply(i uint32, c *call, h *hop, p *place, a server.Answer) {
	if a == server.Silent {
		r.lose(i, c, p)
		return
	}
	if p.inbox != nil {
		r.settle(i, c, p, false)
	}
	p.out++
	r.rec.answered(int(h.to), r.now, c, a, a == server.OK && r.abandoned(i, c))
	arrival := r.now + r.leg(h, c, random.NetworkBack, 0)
	if !r.foresee(i, c, h, a, arrival) {
		r.send(i, c, h, a, arrival)
	}
}

// send puts an answer on its way. A call that never was inside has no timer yet.
func (r *Runner) send(i uint32, c *call, h *hop, a server.Answer, arrival time.Duration) {
	if (c.state == sending || c.state == reading) && arrival > r.dueAt(i, c) {
		r.await(i, c)
	}
	c.answer, c.state = a, answering
	r.push(kindAnswer, arrival, i, c)
}

// lose drops a call that gets no answer at all: its caller waits.
func (r *Runner) lose(i uint32, c *call, p *place) {
	if p.inbox != nil {
		r.settle(i, c, p, false)
	}
	p.out++
	r.rec.answered(int(r.hops[c.hop].to), r.now, c, server.Silent, false)
	r.forget(i, c)
}

// forget ends a call without an answer; while its caller waits for one, the
// slot stays.
func (r *Runner) forget(i uint32, c *call) {
	if r.abandoned(i, c) {
		r.drop(i, c)
		return
	}
	r.await(i, c)
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
	return t.gen != c.taskGen || t.call != i && !c.listed
}

// late records an answer that nobody waits for.
func (r *Runner) late(c *call) {
	r.rec.late(c)
	if r.trace != nil {
		r.traceCall(c, TraceLate)
	}
}

// crash kills a station: what is inside is lost, with a reset for each caller.
// First the tasks of lost calls are ended, in the order of the calls' keys: that
// may give places in limiters to others.
func (r *Runner) crash(i uint32, c *call, service int) {
	p := &r.places[service]
	k := r.replicaOf(i, p)
	r.findDead(service, k)
	r.crashed(service)
	p.count(k)
	r.rec.usable(service, r.now, p.usable)
	if r.trace != nil {
		r.traceStation(service, k)
	}
	if p.rows != nil {
		p.rows.Release()
	}
	r.reply(i, c, &r.hops[c.hop], p, server.Reset)
	r.abandonTasks(service)
	for _, j := range r.dead {
		v := r.call(j)
		v.gen++ // its completion will not come
		if r.rich {
			r.extras.at(j).call.hinted = false
		}
		r.reply(j, v, &r.hops[v.hop], p, server.Reset)
	}
	r.scheduleChange(service, k)
}

// crashed empties the books of the calls that are dead.
func (r *Runner) crashed(service int) {
	var waits, serves, parks, calls int64
	for _, j := range r.dead {
		switch state := r.call(j).state; {
		case state == waiting:
			waits++
		case state == calling && r.places[service].async:
			parks++
		case state == calling:
			calls++
			serves++
		default:
			serves++
		}
	}
	r.rec.crashed(service, r.now, waits, serves, parks, calls)
}

// findDead lists the calls inside a replica that has crashed.
func (r *Runner) findDead(service, replica int) {
	r.dead = r.dead[:0]
	p := &r.places[service]
	for j := range r.slots.used {
		v := r.call(j)
		switch v.state {
		case waiting, serving, locking, calling, refusing:
			if int(r.hops[v.hop].to) == service && r.replicaOf(j, p) == replica {
				r.dead = append(r.dead, j)
			}
		case free, held, reading, sending, answering, lost, layered, forking:
		}
	}
	slices.SortFunc(r.dead, func(a, b uint32) int {
		x, y := r.call(a), r.call(b)
		return cmp.Or(cmp.Compare(x.client, y.client), cmp.Compare(x.key, y.key))
	})
}

// abandonTasks ends the tasks of the calls that are dead; the calls they had made
// go on without them.
func (r *Runner) abandonTasks(service int) {
	if r.rich {
		for _, j := range r.dead {
			if r.call(j).state == calling {
				r.abandonTaskOf(j)
			}
		}
		return
	}
	// Calls do not know their tasks, and nobody has what these give back.
	for s := range r.slots.used {
		t := r.task(s)
		if t.state == idle || t.parent == none {
			continue
		}
		if c := r.call(t.parent); c.state == calling && int(r.hops[c.hop].to) == service {
			r.release(s, t)
		}
	}
}

// abandonTaskOf ends the task that is done for a call in a rich model.
func (r *Runner) abandonTaskOf(i uint32) {
	s := r.extras.at(i).call.child
	r.release(s, r.task(s))
}
