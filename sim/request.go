package sim

import (
	"math"
	"time"

	"retrystorm/server"
	"retrystorm/sim/event"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// openGroup schedules the first requests of a group.
func (r *Runner) openGroup(i int) {
	g := &r.groups[i]
	switch {
	case g.process.Open():
		r.scheduleArrival(i, 0)
	case g.arrival == random.Burst && r.model.Groups[i].Arrival.Spread == 0:
		// Everybody starts at once: one event stands for all of them.
		r.scheduleStart(i, none, g.process.Start(0, 0))
	default:
		for c := range uint32(r.model.Groups[i].Count) {
			k := g.key.Child(uint64(c), 0, 0)
			r.scheduleStart(i, c, g.process.Start(int64(c), k.Draw(random.Start, 0)))
		}
	}
}

// scheduleArrival schedules the next request of an open process.
func (r *Runner) scheduleArrival(i int, prev time.Duration) {
	g := &r.groups[i]
	at, ok := g.process.Next(g.next, prev, g.key.Draw(random.Start, uint64(g.next)))
	if ok {
		r.scheduleStart(i, uint32(g.next), at)
	}
}

// scheduleStart schedules the start of a client's next request.
func (r *Runner) scheduleStart(i int, client uint32, at time.Duration) {
	if end := r.groups[i].end; at >= end {
		r.beyond = r.beyond || end == r.model.Until
		return
	}
	r.ahead++
	key := eventKey(kindStart, client, r.groups[i].key)
	r.set.Push(event.Event{At: at, Key: key, Ref: client, Gen: uint32(i)})
}

// start runs when a client starts a request.
func (r *Runner) start(i int, client uint32) {
	r.ahead--
	g := &r.groups[i]
	switch {
	case g.process.Open():
		r.newRequest(i, client, 0)
		g.next++
		r.scheduleArrival(i, r.now)
	case client == none:
		for c := range uint32(r.model.Groups[i].Count) {
			r.newRequest(i, c, r.count(g, c))
		}
	case g.arrival == random.Every:
		n := r.count(g, client)
		r.newRequest(i, client, n)
		r.scheduleTick(i, client, n+1)
	default:
		r.newRequest(i, client, r.count(g, client))
	}
}

// count numbers a client's requests from 0.
func (r *Runner) count(g *group, client uint32) uint32 {
	if g.made == nil {
		return 0
	}
	g.made[client]++
	return g.made[client] - 1
}

// scheduleTick schedules tick n of a client that starts requests by its own clock.
func (r *Runner) scheduleTick(i int, client, n uint32) {
	g := &r.groups[i]
	if g.limit != random.Unlimited && int64(n) >= g.limit {
		return
	}
	k := g.key.Child(uint64(client), 0, 0)
	r.scheduleStart(i, client, g.process.Tick(int64(n), k.Draw(random.Start, 0), k.Draw(random.Jitter, uint64(n))))
}

// newRequest starts a request: its task begins with the group's first step.
func (r *Runner) newRequest(i int, client, request uint32) {
	slot := r.slots.take()
	t := r.task(slot)
	t.client, t.request, t.parent = client, request, none
	t.key = r.groups[i].key.Child(uint64(client), uint64(request), 1)
	t.hop, t.origin = uint16(r.groups[i].first), newOrigin(i, r.now >= r.model.Warmup)
	t.started, t.state, t.call = r.now, alive, none
	r.alive++
	r.rec.requestStarted(r, t)
	if r.trace != nil {
		r.traceTask(t, TraceStarted)
	}
	r.beginStep(slot, t)
}

// beginStep sends the first attempt of the task's present step.
func (r *Runner) beginStep(slot uint32, t *task) {
	t.attempt, t.prev = 0, 0
	r.rec.stepBegun(t)
	r.attempt(slot, t, r.now, 0)
}

// attempt sends the next attempt at the given time, now or later, with the
// version of the row that the caller knows. Nothing that happens in between can
// change it, so no event is needed for the sending: the next one is the arrival.
func (r *Runner) attempt(slot uint32, t *task, at time.Duration, version uint32) {
	h := &r.hops[t.hop]
	t.attempt++
	i := r.takeCall(slot)
	c := r.call(i)
	c.key = t.key.Child(uint64(t.hop), uint64(t.attempt), 0)
	c.task, c.taskGen = slot, t.gen
	c.client, c.request, c.hop, c.origin = t.client, t.request, t.hop, t.origin
	c.attempt = uint16(min(t.attempt, math.MaxUint16))
	c.answer, c.state, c.work, c.version = server.OK, sending, at, version
	t.call = i
	if at < r.model.Until {
		r.rec.sent(c)
	}
	leg := random.NetworkOut
	switch p := &r.places[h.to]; {
	case p.optimistic:
		c.state, leg = reading, random.NetworkRead
	case p.rows != nil && !p.lock && t.attempt == 1:
		// A writer that does not read knows the version of when it began.
		c.version = p.rows.Version(r.row(p, c))
	}
	arrival := at + r.leg(h, c, leg, 0)
	if h.rules.Timeout > 0 {
		t.deadline = at + h.rules.Timeout
		if arrival >= t.deadline {
			r.arm(slot, t, c)
		}
	}
	r.push(kindArrive, arrival, i, c)
}

// leg is the delay of one message of a call.
func (r *Runner) leg(h *hop, c *call, p random.Purpose, index uint64) time.Duration {
	if h.still {
		return 0
	}
	return h.net.At(c.key.Draw(p, index))
}

// await sees to it that the caller of a call stops waiting at its deadline. It
// is asked for when the answer will not, or may not, come in time; most
// attempts are answered in time and never need a timer.
func (r *Runner) await(i uint32, c *call, h *hop) {
	if h.rules.Timeout > 0 && !r.abandoned(i, c) {
		if t := r.task(c.task); t.state == alive {
			r.arm(c.task, t, c)
		}
	}
}

// arm sets the timer of a task to its deadline. A slot owns at most one pending
// timer: one that pops before the deadline is set again then.
func (r *Runner) arm(slot uint32, t *task, c *call) {
	t.state = armed
	if t.timer == 0 || t.timer >= t.deadline {
		r.pushTimer(slot, t, c)
	}
}

func (r *Runner) pushTimer(slot uint32, t *task, c *call) {
	t.timer = t.deadline
	t.timerGen++
	key := eventKey(kindTimeout, c.client, c.key)
	r.set.Push(event.Event{At: t.deadline, Key: key, Ref: slot, Gen: t.timerGen})
}

// timer runs when a slot's timer pops.
func (r *Runner) timer(slot, gen uint32) {
	t := r.task(slot)
	if gen != t.timerGen {
		return
	}
	t.timer = 0
	switch {
	case t.state != armed:
	case t.deadline > r.now:
		r.pushTimer(slot, t, r.call(t.call))
	default:
		r.timeout(slot, t)
	}
}

// timeout gives up on the attempt in flight. The call goes on without its
// caller: the service may still serve it, for nobody.
func (r *Runner) timeout(slot uint32, t *task) {
	c := r.call(t.call)
	if r.trace != nil {
		r.traceCall(c, TraceTimedOut)
	}
	version := c.version
	r.unsend(t)
	r.failed(slot, t, strategies.Timeout, version)
}

// answer runs when an answer reaches the caller's side of the hop.
func (r *Runner) answer(i uint32) {
	c := r.call(i)
	t := r.task(c.task)
	switch {
	case t.gen != c.taskGen:
		r.late(c)
		r.drop(i, c)
	case t.call == i:
		if r.trace != nil {
			r.traceCall(c, TraceAnswer)
		}
		t.call = none
		slot, out, version := c.task, outcome(c.answer), c.told()
		r.drop(i, c)
		if out == strategies.OK {
			r.stepDone(slot, t)
		} else {
			r.failed(slot, t, out, version)
		}
	case c.answer == server.OK && c.hop == t.hop && r.hops[t.hop].rules.AcceptLate:
		if r.trace != nil {
			r.traceCall(c, TraceLateAccepted)
		}
		r.unsend(t)
		slot := c.task
		r.drop(i, c)
		r.stepDone(slot, t)
	default:
		r.late(c)
		r.drop(i, c)
	}
}

// unsend takes back the task's next attempt if it is not sent yet; one that is
// on its way goes on without its caller.
func (r *Runner) unsend(t *task) {
	i := t.call
	if i == none {
		return
	}
	t.call = none
	switch c := r.call(i); {
	case c.state == lost:
		r.drop(i, c)
	case (c.state == sending || c.state == reading) && r.unsent(t, c):
		if c.work < r.model.Until {
			r.rec.unsent(c)
		}
		r.drop(i, c)
	}
}

// unsent reports whether a call is still to be sent: without a wait it was sent
// at once, and after one it is sent when the timeouts of the instant are over
// and before calls arrive in it.
func (r *Runner) unsent(t *task, c *call) bool {
	return c.work > r.now || c.work == r.now && t.prev > 0 && r.arrived != r.now
}

// failed decides what the caller does about a failed attempt.
func (r *Runner) failed(slot uint32, t *task, out strategies.Outcome, version uint32) {
	t.deadline, t.state = 0, alive
	wait, stop := r.decide(t, out, r.now)
	r.rec.failed(t, out, stop != strategies.Retry)
	if stop == strategies.Retry {
		if r.trace != nil {
			r.traceRetry(t, wait)
		}
		t.prev = wait
		r.attempt(slot, t, r.now+wait, version)
		return
	}
	if r.trace != nil {
		r.traceGaveUp(t, stop)
	}
	r.end(slot, t, false)
}

// decide asks the policy about an attempt that fails at the given time.
func (r *Runner) decide(t *task, out strategies.Outcome, at time.Duration) (time.Duration, strategies.GiveUp) {
	return r.hops[t.hop].rules.Next(strategies.Failure{
		Outcome: out,
		Attempt: int64(t.attempt),
		Elapsed: at - t.started,
		Waited:  t.prev,
	}, t.key.Draw(random.Backoff, uint64(t.hop)<<32|uint64(t.attempt)))
}

// foresee lets a client retry before the answer that makes it do so arrives:
// when nothing can happen to it on the way, what it will do then is known, and
// the answer needs no event. It reports whether that is so.
func (r *Runner) foresee(i uint32, c *call, h *hop, a server.Answer, arrival time.Duration) bool {
	if a == server.OK || h.rules.AcceptLate || arrival >= r.model.Until || r.trace != nil || r.abandoned(i, c) {
		return false
	}
	slot := c.task
	t := r.task(slot)
	if t.parent != none || t.deadline != 0 && arrival > t.deadline {
		return false // a crash may end it, or it times out before
	}
	out, version := outcome(a), c.told()
	wait, stop := r.decide(t, out, arrival)
	if stop != strategies.Retry {
		return false
	}
	r.drop(i, c)
	t.deadline, t.state, t.prev = 0, alive, wait
	r.rec.failed(t, out, false)
	r.attempt(slot, t, arrival+wait, version)
	return true
}

// stepDone goes on with the next step, or ends the task in success.
func (r *Runner) stepDone(slot uint32, t *task) {
	t.deadline, t.state = 0, alive
	r.rec.stepDone(t)
	if !r.hops[t.hop].last {
		t.hop++
		r.beginStep(slot, t)
		return
	}
	r.end(slot, t, true)
}

// end ends a task: a request is over, or a service has what it needs to answer.
func (r *Runner) end(slot uint32, t *task, ok bool) {
	parent := t.parent
	if parent == none {
		r.requestEnded(t, ok)
	}
	r.release(slot, t)
	if parent != none {
		r.called(parent, ok)
	}
}

// release gives a task's slot back; its pending timer stays with the slot.
func (r *Runner) release(slot uint32, t *task) {
	r.unsend(t)
	t.gen++
	t.state, t.parent, t.deadline = idle, none, 0
	if r.call(slot).state == free {
		r.slots.give(slot)
	}
}

// requestEnded records the end of a request and lets its client go on.
func (r *Runner) requestEnded(t *task, ok bool) {
	r.alive--
	r.rec.requestEnded(r, t, ok)
	if r.trace != nil {
		if ok {
			r.traceTask(t, TraceSucceeded)
		} else {
			r.traceTask(t, TraceFailed)
		}
	}
	g := &r.groups[t.origin.group()]
	if g.made == nil || g.arrival == random.Every {
		return
	}
	if n := g.made[t.client]; g.limit == random.Unlimited || int64(n) < g.limit {
		think := g.process.Think(g.key.Child(uint64(t.client), uint64(n), 0).Draw(random.Think, 0))
		r.scheduleStart(t.origin.group(), t.client, r.now+think)
	}
}

// outcome is what the caller makes of an answer.
func outcome(a server.Answer) strategies.Outcome {
	switch a {
	case server.OK:
		return strategies.OK
	case server.Refused:
		return strategies.Refused
	case server.Reset:
		return strategies.Reset
	case server.Silent:
		return strategies.Timeout
	default:
		return strategies.Outcome(a)
	}
}
