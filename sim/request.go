package sim

import (
	"math"
	"time"

	"retrystorm/server"
	"retrystorm/sim/event"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// openGroup schedules the first requests of a group. It is false when the run is to
// stop.
func (r *Runner) openGroup(i int, opt *Options) bool {
	g := &r.groups[i]
	switch {
	case g.process.Open():
		r.scheduleArrival(i, 0)
	case g.arrival == random.Burst && r.model.Groups[i].Arrival.Spread == 0:
		// Everybody starts at once: one event stands for all of them.
		r.scheduleStart(i, none, g.process.Start(0, 0))
	default:
		for c := range uint32(r.model.Groups[i].Count) {
			if c%stopEvery == 0 {
				if stopped(opt) {
					return false
				}
				if r.fewer = r.fewer || tooMany(r.ahead, opt); r.fewer {
					break
				}
			}
			k := g.key.Child(uint64(c), 0, 0)
			r.scheduleStart(i, c, g.process.Start(int64(c), k.Draw(random.Start, 0)))
		}
	}
	return true
}

// scheduleArrival schedules the next request of an open process.
func (r *Runner) scheduleArrival(i int, prev time.Duration) {
	g := &r.groups[i]
	if g.tempo != nil {
		r.pace(i, prev)
		return
	}
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
	if r.groups[i].starts != nil && client != none {
		r.groups[i].starts[client] = at
	}
	key := eventKey(kindStart, client, r.groups[i].key)
	r.set.Push(event.Event{At: at, Key: key, Ref: client, Gen: uint32(i)})
}

// start runs when a client starts a request. It is false when the run is to stop.
func (r *Runner) start(i int, client uint32, opt *Options) bool {
	g := &r.groups[i]
	if g.stale(client, r.now) || g.starts != nil && !g.expected(client, r.now) {
		return true
	}
	r.ahead--
	switch {
	case g.process.Open():
		r.newRequest(i, client, 0)
		g.next++
		r.scheduleArrival(i, r.now)
	case client == none:
		for c := range uint32(r.model.Groups[i].Count) {
			if c%stopEvery == 0 {
				if stopped(opt) {
					return false
				}
				if r.fewer = r.fewer || tooMany(r.alive, opt); r.fewer {
					break
				}
			}
			r.newRequest(i, c, r.count(g, c))
		}
	case g.arrival == random.Every:
		n := r.count(g, client)
		r.newRequest(i, client, n)
		r.scheduleTick(i, client, n+1)
	default:
		r.newRequest(i, client, r.count(g, client))
	}
	return true
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

// newRequest starts a request, for the first time unless its client runs again.
func (r *Runner) newRequest(i int, client, request uint32) {
	line, e := lineage{}, errand{}
	if r.groups[i].best != nil {
		line, e = r.repeated(i, client, request)
	}
	if e.kind == ownRequest {
		r.numberRequest(i, client, request)
	}
	r.request(i, client, request, line, e)
}

// request starts a request: its task begins with the group's first step.
func (r *Runner) request(i int, client, request uint32, line lineage, e errand) {
	slot := r.take()
	t := r.task(slot)
	t.client, t.request, t.parent = client, request, none
	t.key = r.groups[i].key.Child(uint64(client), uint64(request), 1+uint64(line.run))
	t.hop, t.origin = r.groups[i].firstHop(client, request), newOrigin(i, r.now >= r.model.Warmup)
	t.started, t.state, t.call = r.now, alive, none
	if e.kind == ownRequest {
		r.alive++
		r.rec.requestStarted(r, t)
	}
	if r.trace != nil {
		r.traceTask(t, TraceStarted)
	}
	if r.rich {
		r.belong(slot, t, line, e)
	}
	r.beginStep(slot, t)
}

// beginStep sends the first attempt of the task's present step.
func (r *Runner) beginStep(slot uint32, t *task) {
	t.attempt, t.memory = 0, 0
	h := &r.hops[t.hop]
	if h.skip > 0 && r.skips(t, h) {
		r.rec.stepSkipped(t)
		r.goOn(slot, t)
		return
	}
	if h.branches != nil {
		r.fork(slot, t, h)
		return
	}
	r.rec.stepBegun(t)
	cause := First
	if r.rich || t.parent != none {
		cause = r.starter(slot, t)
	}
	if r.rich {
		r.inheritAvoid(slot, t)
	}
	if h.gated {
		r.openStep(slot, h)
	}
	if r.overdue(slot, t, h, r.now) {
		r.rec.withheld(r.now, t.hop, t.origin, strategies.DeadlineExceeded)
		r.rec.gaveUp(t)
		if r.trace != nil {
			r.traceGaveUp(t, strategies.DeadlineExceeded)
		}
		if h.dead != nil {
			r.writeOff(slot, t, h, strategies.Timeout, strategies.DeadlineExceeded, false)
		}
		r.stepFailed(slot, t, strategies.Timeout)
		return
	}
	version := uint32(0)
	if p := &r.places[h.to]; p.rows != nil && !p.optimistic && !p.lock && h.inner == 0 {
		// A writer that does not read knows the version of when it began.
		version = p.rows.Version(r.row(p, t.client, t.request, h))
	}
	r.attempt(slot, t, h, r.now, 0, version, cause)
}

// attempt sends the next attempt after a wait from now on, or from later on,
// with the version of the row that the caller knows. Unless the hop is gated nothing that
// happens in between can change it, so no event is needed for the sending: the
// next one is the arrival.
func (r *Runner) attempt(slot uint32, t *task, h *hop, from, wait time.Duration, version uint32, cause Cause) {
	t.attempt++
	at := from + wait
	i, c := r.newCall(slot, t, h, 0, at, cause)
	c.version, c.waited = version, wait > 0
	t.call = i
	if h.gated {
		r.extras.at(slot).task.version = version
		r.hold(i, t, c, h, at)
		return
	}
	if at < r.model.Until {
		r.rec.sent(c)
	}
	leg := r.outward(c, h)
	arrival := at + r.leg(h, c, leg, 0)
	if h.expires {
		t.deadline = r.giveUpAt(t, h, at)
		if h.rules.Propagate {
			r.propagate(slot, t, i)
		}
		if t.deadline != 0 && arrival >= t.deadline {
			r.arm(slot, t, c)
		}
	}
	r.push(kindArrive, arrival, i, c)
}

// giveUpAt is when the caller stops waiting for an attempt sent at a time.
func (r *Runner) giveUpAt(t *task, h *hop, sent time.Duration) time.Duration {
	at := strategies.Longest
	if h.rules.Timeout > 0 {
		at = sent + h.rules.Timeout
	}
	if h.rules.Deadline < math.MaxInt64 {
		at = min(at, t.started+h.rules.Deadline)
	}
	return at
}

// newCall makes a copy of the task's present attempt, to be sent at a time.
func (r *Runner) newCall(slot uint32, t *task, h *hop, copy uint8, at time.Duration, cause Cause) (uint32, *call) {
	i := r.takeCall(slot)
	c := r.call(i)
	c.key = t.key.Child(uint64(h.name), uint64(t.attempt), uint64(copy))
	c.task, c.taskGen = slot, t.gen
	c.client, c.request, c.hop, c.origin = t.client, t.request, t.hop, t.origin
	c.attempt = uint16(min(t.attempt, math.MaxUint16))
	c.answer, c.state, c.work, c.version = server.OK, sending, at, 0
	c.cause, c.copy, c.waited, c.listed = cause, copy, false, false
	if r.rich {
		x := &r.extras.at(i).call
		*x = callExtra{next: none, child: none, lineage: r.extras.at(slot).task.lineage}
		if cause != First {
			x.cause = cause
		}
		if d := h.rules.Deadline; d < math.MaxInt64 {
			x.deadline = t.started + d
		}
		x.given(h)
		tx := &r.extras.at(slot).task
		r.avoids(x, t, tx, h)
		if tx.granted {
			tx.granted, x.granted = false, true
		}
	}
	return i, c
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
func (r *Runner) await(i uint32, c *call) {
	if t := r.task(c.task); t.deadline != 0 && t.state == alive && !r.abandoned(i, c) {
		r.arm(c.task, t, c)
	}
}

// dueAt is when the caller of a call stops waiting for it; Longest: never, or
// it already has.
func (r *Runner) dueAt(i uint32, c *call) time.Duration {
	if t := r.task(c.task); t.deadline != 0 && !r.abandoned(i, c) {
		return t.deadline
	}
	return strategies.Longest
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
	if r.hops[t.hop].gated {
		r.gatedTimeout(slot, t)
		return
	}
	c := r.call(t.call)
	if r.trace != nil {
		r.traceCall(c, TraceTimedOut)
	}
	version := c.version
	var f facts
	if r.rich {
		f.replica = r.triedAt(t.call)
	}
	r.leave(t)
	r.failed(slot, t, strategies.Timeout, version, f)
}

// answer runs when an answer reaches the caller's side of the hop.
func (r *Runner) answer(i uint32) {
	c := r.call(i)
	t := r.task(c.task)
	switch {
	case t.gen != c.taskGen:
		r.late(c)
		r.drop(i, c)
	case t.call == i || c.listed:
		if r.trace != nil && c.answer != rejected {
			r.traceCall(c, TraceAnswer)
		}
		h := &r.hops[c.hop]
		if h.gated {
			r.gatedAnswer(i, c, c.task, t, h)
			return
		}
		t.call = none
		slot, out, version := c.task, outcome(c.answer), c.told()
		var f facts
		if r.rich {
			f = r.facts(&r.extras.at(i).call, r.now)
		}
		r.drop(i, c)
		if out == strategies.OK {
			r.stepDone(slot, t)
		} else {
			r.failed(slot, t, out, version, f)
		}
	case c.answer == server.OK && c.hop == t.hop && r.hops[t.hop].rules.AcceptLate:
		if r.trace != nil {
			r.traceCall(c, TraceLateAccepted)
		}
		slot, h := c.task, &r.hops[t.hop]
		r.leave(t)
		r.drop(i, c)
		if h.gated {
			r.attemptEnded(slot, t, h, strategies.OK)
		}
		r.stepDone(slot, t)
	default:
		r.late(c)
		r.drop(i, c)
	}
}

// leave stops waiting for what is in flight: an attempt that is not sent yet is
// taken back, one that is on its way goes on without its caller.
func (r *Runner) leave(t *task) {
	i := t.call
	if i == none {
		return
	}
	c := r.call(i)
	h := &r.hops[c.hop]
	if h.gated {
		r.leaveGated(t)
		return
	}
	t.call = none
	switch {
	case c.state == lost:
		r.drop(i, c)
	case (c.state == sending || c.state == reading) && r.unsent(c):
		if c.work < r.model.Until {
			r.rec.unsent(c)
		}
		r.drop(i, c)
	default:
		r.cancel(i, c, h)
	}
}

// unsent reports whether a call is still to be sent: without a wait it was sent
// at once, and after one it is sent when the timeouts of the instant are over
// and before calls arrive in it.
func (r *Runner) unsent(c *call) bool {
	return c.work > r.now || c.work == r.now && c.waited && r.sent != r.now
}

// facts is what is known about a failed attempt beside its outcome.
type facts struct {
	took   time.Duration
	asked  time.Duration // the wait that the answer asks for, if hinted
	hinted bool
	unsent bool              // it was not sent
	final  strategies.GiveUp // and that is the end

	replica uint32 // where it was
}

// facts are the facts when the answer to a call arrives.
func (r *Runner) facts(x *callExtra, at time.Duration) facts {
	if x.unsent {
		return facts{unsent: true, final: x.final}
	}
	f := facts{took: at - x.sent, asked: x.asked, hinted: x.hinted, replica: x.replica}
	if x.dated && f.asked < server.Never {
		f.asked = max(0, f.asked-(at-x.askedAt))
	}
	return f
}

// failed decides what the caller does about a failed attempt.
func (r *Runner) failed(slot uint32, t *task, out strategies.Outcome, version uint32, f facts) {
	t.deadline, t.state = 0, alive
	h := &r.hops[t.hop]
	if h.dead != nil && t.attempt == 1 {
		r.extras.at(slot).task.failed = r.now
	}
	if h.gated {
		r.attemptEnded(slot, t, h, out)
		r.extras.at(slot).task.planned++ // no more hedges of this attempt
	}
	if r.rich {
		r.extras.at(slot).task.failedAt = f.replica
	}
	var d strategies.Decision
	if f.final != strategies.Retry {
		d.Why = f.final
	} else {
		d = r.decide(t, h, out, r.now, &f)
		if d.Why == strategies.Retry && r.overdue(slot, t, h, r.now+d.Wait) {
			d.Why = strategies.DeadlineExceeded
		}
		if d.Why == strategies.Retry && h.budget != nil {
			d.Why = r.askBudget(slot, h, out)
		}
		if d.Why > strategies.AttemptsExhausted || d.Why != strategies.Retry && !f.unsent {
			r.rec.withheld(r.now, t.hop, t.origin, d.Why) // what was not sent counts already
		}
	}
	if !f.unsent {
		r.rec.copyFailed(t, out)
	}
	if d.Why == strategies.Retry {
		if h.gated {
			r.extras.at(slot).task.last = out
		}
		if r.trace != nil {
			r.traceRetry(t, d.Wait)
		}
		t.memory = d.Memory
		r.attempt(slot, t, h, r.now, d.Wait, version, causeOf(out))
		return
	}
	r.rec.gaveUp(t)
	if r.trace != nil {
		r.traceGaveUp(t, d.Why)
	}
	if h.dead != nil {
		r.writeOff(slot, t, h, out, d.Why, f.unsent)
	}
	r.stepFailed(slot, t, out)
}

// askBudget asks for a retry before its wait; one that is asked for after the
// wait is granted for now.
func (r *Runner) askBudget(slot uint32, h *hop, out strategies.Outcome) strategies.GiveUp {
	if h.budget.rules.AfterWait() {
		return strategies.Retry
	}
	if !r.takeRetry(slot, h, out) {
		return strategies.BudgetEmpty
	}
	r.extras.at(slot).task.granted = true
	return strategies.Retry
}

// decide asks the policy about an attempt that fails at the given time.
func (r *Runner) decide(t *task, h *hop, out strategies.Outcome, at time.Duration, f *facts) strategies.Decision {
	index := uint64(h.name)<<32 | uint64(t.attempt)
	fail := &r.failure // of the runner, so that it is not made anew each time
	fail.Outcome = out
	fail.Attempt = int64(t.attempt)
	fail.Elapsed = at - t.started
	fail.Took = f.took
	fail.Memory = t.memory
	if fail.Hinted = f.hinted; f.hinted {
		fail.Asked, fail.AskedDraw = f.asked, t.key.Draw(random.AskedJitter, index)
	}
	return h.rules.Next(fail, t.key.Draw(random.Backoff, index))
}

// causeOf is why the retry after an outcome is made.
func causeOf(out strategies.Outcome) Cause {
	if int(out) < len(causes) {
		return causes[out]
	}
	return AfterStatus
}

// causes are the causes of retries after outcomes that are not a status.
var causes = [...]Cause{
	strategies.Refused:  AfterRefused,
	strategies.Reset:    AfterReset,
	strategies.Timeout:  AfterTimeout,
	strategies.Rejected: AfterRejected,
}

// foresee lets a client retry before the answer that makes it do so arrives:
// when nothing can happen to it on the way, what it will do then is known, and
// the answer needs no event. It reports whether that is so.
func (r *Runner) foresee(i uint32, c *call, h *hop, a server.Answer, arrival time.Duration) bool {
	if a == server.OK || h.gated || h.dead != nil || r.reruns || h.rules.AcceptLate || arrival >= r.model.Until || r.trace != nil || r.abandoned(i, c) {
		return false
	}
	slot := c.task
	t := r.task(slot)
	if t.parent != none || t.deadline != 0 && arrival > t.deadline {
		return false // a crash may end it, or it times out before
	}
	out, version := outcome(a), c.told()
	var f facts
	if r.rich {
		f = r.facts(&r.extras.at(i).call, arrival)
	}
	d := r.decide(t, h, out, arrival, &f)
	if d.Why != strategies.Retry {
		return false
	}
	r.drop(i, c)
	t.deadline, t.state, t.memory = 0, alive, d.Memory
	if r.rich {
		r.extras.at(slot).task.failedAt = f.replica
	}
	r.rec.copyFailed(t, out)
	r.attempt(slot, t, h, arrival, d.Wait, version, causeOf(out))
	return true
}

// stepDone goes on after a step that has succeeded.
func (r *Runner) stepDone(slot uint32, t *task) {
	t.deadline, t.state = 0, alive
	r.rec.stepDone(t)
	r.goOn(slot, t)
}

// stepFailed goes on after a step that nobody needs, or ends the task in failure.
func (r *Runner) stepFailed(slot uint32, t *task, out strategies.Outcome) {
	h := &r.hops[t.hop]
	if !h.optional || r.alone(slot) {
		r.end(slot, t, out)
		return
	}
	t.deadline, t.state = 0, alive
	if h.gated {
		r.closeStep(slot, h, out)
	}
	r.goOn(slot, t)
}

// goOn goes on with the next step, or ends the task in success.
func (r *Runner) goOn(slot uint32, t *task) {
	h := &r.hops[t.hop]
	if h.next > 0 && !r.alone(slot) {
		if h.gated {
			r.closeStep(slot, h, strategies.OK)
		}
		t.hop = uint16(h.next)
		r.beginStep(slot, t)
		return
	}
	r.end(slot, t, strategies.OK)
}

// end ends a task: a request is over, or a service has what it needs to answer.
func (r *Runner) end(slot uint32, t *task, out strategies.Outcome) {
	parent := t.parent
	if h := &r.hops[t.hop]; h.gated {
		r.closeStep(slot, h, out)
	}
	if parent == none {
		if r.rich && r.extras.at(slot).task.kind != ownRequest {
			r.errandEnded(slot, t, out)
			return
		}
		r.requestEnded(slot, t, out == strategies.OK)
	}
	if parent != none && r.call(parent).state == forking {
		r.unlinkBranch(parent, slot)
	}
	r.release(slot, t)
	if parent != none {
		r.called(parent, out)
	}
}

// release gives a task's slot back; its pending timer stays with the slot.
func (r *Runner) release(slot uint32, t *task) {
	h := &r.hops[t.hop]
	r.leave(t)
	if h.gated {
		r.attemptEnded(slot, t, h, unknown)
		r.closeStep(slot, h, unknown)
	}
	t.gen++
	t.state, t.parent, t.deadline = idle, none, 0
	if r.call(slot).state == free {
		r.slots.give(slot)
	}
}

// requestEnded records the end of a request and lets its client go on.
func (r *Runner) requestEnded(slot uint32, t *task, ok bool) {
	r.alive--
	r.rec.requestEnded(r, t, ok)
	r.over(slot, t, ok)
	r.clientGoesOn(t.origin.group(), t.client)
}

// over tells those who want to know of it how a request has ended.
func (r *Runner) over(slot uint32, t *task, ok bool) {
	if r.trace != nil {
		if ok {
			r.traceTask(t, TraceSucceeded)
		} else {
			r.traceTask(t, TraceFailed)
		}
	}
	if r.resends && !ok {
		r.failures = append(r.failures, again{t.client, t.request, uint64(r.extras.at(slot).task.run), t.origin.group()})
	}
}

// clientGoesOn lets a client start its next request, if it has another.
func (r *Runner) clientGoesOn(group int, client uint32) {
	g := &r.groups[group]
	if g.made == nil || g.arrival == random.Every {
		return
	}
	if n := g.made[client]; g.limit == random.Unlimited || int64(n) < g.limit {
		think := g.process.Think(g.key.Child(uint64(client), uint64(n), 0).Draw(random.Think, 0))
		r.scheduleStart(group, client, r.now+think)
	}
}

// outcome is what the caller makes of an answer: both have the same numbers.
func outcome(a server.Answer) strategies.Outcome { return strategies.Outcome(a) }

// answerFor is the answer that an outcome stands for.
func answerFor(out strategies.Outcome) server.Answer { return server.Answer(out) }

// rejected is the answer to an attempt that was not sent.
const rejected = server.Answer(strategies.Rejected)

// That the numbers are the same, or this does not compile.
const _ = uint(0 -
	(strategies.OK ^ strategies.Outcome(server.OK)) -
	(strategies.Refused ^ strategies.Outcome(server.Refused)) -
	(strategies.Reset ^ strategies.Outcome(server.Reset)) -
	(strategies.Timeout ^ strategies.Outcome(server.Silent)))
