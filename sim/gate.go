package sim

import (
	"math"
	"time"

	"retrystorm/sim/event"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// A gated hop is one whose attempts have to ask what callers share before they
// are sent, or are not calls at all but the work of an inner layer. Its
// attempts have an event for being sent, and always a timer.

// openStep begins a step on a gated hop.
func (r *Runner) openStep(slot uint32, h *hop) {
	x := &r.extras.at(slot).task
	x.open, x.began = true, r.now
	x.cost, x.had, x.copies, x.permits = 0, 0, 0, false
	x.last, x.granted, x.counted = strategies.OK, false, false
	if b := h.budget; b != nil {
		b.begin(slot)
		x.most = b.rules.Started(b.at(h.base.budget, slot, x), r.now)
	}
	if g := h.hedge; g != nil {
		g.rules.Started(g.at(h.base.hedge, slot, x))
	}
}

// closeStep ends a step on a gated hop.
func (r *Runner) closeStep(slot uint32, h *hop, out strategies.Outcome) {
	x := &r.extras.at(slot).task
	if !x.open {
		return
	}
	x.open = false
	x.planned++
	if b := h.budget; b != nil {
		again := out == unknown || h.rules.Retryable(out)
		b.rules.Finished(b.at(h.base.budget, slot, x), r.now, out == strategies.OK, x.had > 0, x.cost, again)
	}
	if x.permits {
		x.permits = false
		b := h.breaker
		if s := b.at(h.base.breaker, slot, x); out == unknown {
			b.rules.Cancel(s, x.permit)
		} else {
			b.rules.Record(s, r.now, x.permit, out, r.now-x.began)
		}
	}
}

// hold keeps a new attempt until it is sent.
func (r *Runner) hold(i uint32, t *task, c *call, h *hop, at time.Duration) {
	c.state = held
	if at > r.now {
		r.aim(c.task, t)
		r.push(kindSend, at, i, c)
		return
	}
	r.launch(i, c)
}

// due runs when the time has come for an attempt that was held.
func (r *Runner) due(i uint32, c *call) {
	if c.state != held {
		return
	}
	h := &r.hops[c.hop]
	if !r.extras.at(i).call.inLine {
		r.launch(i, c)
		return
	}
	if l := r.lineOf(c.task, h); l.again == r.now {
		l.again = 0
		r.serveLine(h, l)
	}
}

// launch asks for an attempt whose time has come: first the budget that is
// asked after the wait, then the breaker, then the limiter.
func (r *Runner) launch(i uint32, c *call) {
	slot := c.task
	t, h := r.task(slot), &r.hops[c.hop]
	x, tx := &r.extras.at(i).call, &r.extras.at(slot).task
	retry := t.attempt > 1
	if b := h.budget; b != nil && retry && b.rules.AfterWait() {
		if !r.takeRetry(slot, h, tx.last) {
			r.reject(i, c, strategies.BudgetEmpty, true)
			return
		}
		x.granted = true
	}
	if b := h.breaker; b != nil {
		state := b.at(h.base.breaker, slot, tx)
		switch {
		case h.wraps == wrapsRequest:
			if !retry {
				if tx.permit, tx.permits = b.rules.Allow(state, r.now); !tx.permits {
					r.reject(i, c, strategies.BreakerOpen, true)
					return
				}
			}
		case h.wraps == wrapsRetries && !retry:
			x.permit, x.permits = b.rules.Observe(state, r.now), true
		default:
			if x.permit, x.permits = b.rules.Allow(state, r.now); !x.permits {
				r.reject(i, c, strategies.BreakerOpen, h.wraps == wrapsRetries)
				return
			}
		}
	}
	if h.limiter != nil {
		r.enter(i, c, h)
		return
	}
	r.transmit(i, c, h)
}

// reject keeps an attempt from being sent. Its caller learns of it at once, by
// an event, so that a caller that is rejected for ever is found to be stuck.
func (r *Runner) reject(i uint32, c *call, why strategies.GiveUp, final bool) {
	r.rec.withheld(r.now, c.hop, c.origin, why)
	if r.trace != nil {
		r.traceWithheld(c, why)
	}
	x := &r.extras.at(i).call
	x.unsent = true
	if final {
		x.final = why
	}
	r.giveBack(i, c, unknown)
	c.answer, c.state = rejected, answering
	r.push(kindAnswer, r.now, i, c)
}

// takeRetry asks the budget for a retry after an outcome.
func (r *Runner) takeRetry(slot uint32, h *hop, out strategies.Outcome) bool {
	x := &r.extras.at(slot).task
	if x.had >= x.most {
		return false
	}
	b := h.budget
	cost, ok := b.rules.Take(b.at(h.base.budget, slot, x), r.now, out)
	if ok {
		x.cost = cost
		x.had++
	}
	return ok
}

// transmit sends an attempt, or begins the inner layer's work for it.
func (r *Runner) transmit(i uint32, c *call, h *hop) {
	slot := c.task
	t, x := r.task(slot), &r.extras.at(i).call
	c.work, x.sent = r.now, r.now
	r.rec.sent(c)
	if b := h.budget; b != nil && c.copy == 0 {
		tx := &r.extras.at(slot).task
		b.rules.Sent(b.at(h.base.budget, slot, tx), r.now, t.attempt > 1)
		x.granted, tx.counted = false, true
	}
	if d := h.rules.Timeout; d > 0 && (x.deadline == 0 || r.now+d < x.deadline) {
		x.deadline = r.now + d
	}
	x.carry(h, x.deadline)
	r.aim(slot, t)
	if g := h.hedge; g != nil {
		if c.copy == 0 {
			r.extras.at(slot).task.copies = 0
		}
		r.planHedge(slot, c, h)
	}
	if h.inner > 0 {
		r.callLayer(i, c, h)
		return
	}
	leg := r.outward(c, h)
	r.push(kindArrive, r.now+r.leg(h, c, leg, 0), i, c)
}

// aim sets a task's deadline to the first one among its copies in flight, and
// its timer.
func (r *Runner) aim(slot uint32, t *task) {
	t.deadline = 0
	for i := t.call; i != none; {
		x := &r.extras.at(i).call
		if x.deadline != 0 && (t.deadline == 0 || x.deadline < t.deadline) {
			t.deadline = x.deadline
		}
		i = x.next
	}
	if t.deadline == 0 {
		t.state = alive
		return
	}
	r.arm(slot, t, r.call(t.call))
}

// link puts another copy in flight, behind all others.
func (r *Runner) link(t *task, i uint32, c *call) {
	if t.call == none {
		t.call = i
		return
	}
	last := &r.extras.at(t.call).call
	for last.next != none {
		last = &r.extras.at(last.next).call
	}
	last.next = i
	c.listed = true
}

// unlink takes a copy out of those in flight.
func (r *Runner) unlink(t *task, i uint32) {
	next := r.extras.at(i).call.next
	if t.call == i {
		if t.call = next; next != none {
			r.call(next).listed = false
		}
		return
	}
	for j := t.call; j != none; {
		x := &r.extras.at(j).call
		if x.next == i {
			x.next = next
			break
		}
		j = x.next
	}
	r.call(i).listed = false
}

// unknown stands for the outcome of what has ended without one, of which
// nothing is learnt.
const unknown strategies.Outcome = math.MaxUint16

// attemptEnded tells the budget that an attempt, with all its copies, is over.
func (r *Runner) attemptEnded(slot uint32, t *task, h *hop, out strategies.Outcome) {
	b, x := h.budget, &r.extras.at(slot).task
	if b == nil || !x.counted {
		return
	}
	x.counted = false
	s, retry := b.at(h.base.budget, slot, x), t.attempt > 1
	switch out {
	case strategies.OK:
		b.rules.Succeeded(s, r.now, retry)
	case unknown:
		b.rules.Canceled(s, r.now, retry)
	default:
		b.rules.Failed(s, r.now, retry, out, h.rules.Retryable(out))
	}
}

// giveBack ends what a copy holds: its places in the limiter and the breaker,
// and what the budget granted if it was not sent.
func (r *Runner) giveBack(i uint32, c *call, out strategies.Outcome) {
	slot, h := c.task, &r.hops[c.hop]
	x, tx := &r.extras.at(i).call, &r.extras.at(slot).task
	sent := c.state != held
	took := r.now - x.sent
	if x.granted {
		x.granted = false
		h.budget.rules.Dropped(h.budget.at(h.base.budget, slot, tx), r.now)
	}
	if x.permits {
		x.permits = false
		s := h.breaker.at(h.base.breaker, slot, tx)
		if sent && out != unknown {
			h.breaker.rules.Record(s, r.now, x.permit, out, took)
		} else {
			h.breaker.rules.Cancel(s, x.permit)
		}
	}
	if x.limited {
		x.limited = false
		l := r.lineOf(slot, h)
		if sent && out != unknown {
			h.limiter.rules.Release(&l.state, r.now, out, took)
		} else {
			h.limiter.rules.Cancel(&l.state)
		}
		r.serveLine(h, l)
	}
	if x.inLine {
		x.inLine = false
		r.serveLine(h, r.lineOf(slot, h))
	}
}

// gatedAnswer runs when an answer reaches a caller that waits for it.
func (r *Runner) gatedAnswer(i uint32, c *call, slot uint32, t *task, h *hop) {
	x, tx := &r.extras.at(i).call, &r.extras.at(slot).task
	out, f := outcome(c.answer), r.facts(x, r.now)
	if f.unsent && f.final != strategies.Retry && tx.last != strategies.OK {
		out = tx.last // a retry that was not made changes nothing
	}
	tx.version = c.told()
	winner := c.copy
	r.giveBack(i, c, out)
	r.unlink(t, i)
	r.drop(i, c)
	if out == strategies.OK {
		if g := h.hedge; g != nil {
			if took, ok := r.firstTook(t, winner, f.took); ok {
				g.rules.Answered(g.at(h.base.hedge, slot, tx), took)
			}
		}
		r.leaveGated(t)
		r.attemptEnded(slot, t, h, strategies.OK)
		r.stepDone(slot, t)
		return
	}
	r.copyFailed(slot, t, h, out, f)
}

// firstTook is how long the first copy of an attempt took, or has taken when
// another wins: times of winners alone would be too short to hedge by. It is not
// known if the first has failed.
func (r *Runner) firstTook(t *task, winner uint8, took time.Duration) (time.Duration, bool) {
	if winner == 0 {
		return took, true
	}
	for i := t.call; i != none; {
		x := &r.extras.at(i).call
		if c := r.call(i); c.copy == 0 {
			return r.now - x.sent, true
		}
		i = x.next
	}
	return 0, false
}

// copyFailed goes on after one copy of an attempt has failed: with the others
// in flight, or with what follows the attempt.
func (r *Runner) copyFailed(slot uint32, t *task, h *hop, out strategies.Outcome, f facts) {
	if g := h.hedge; g != nil && !f.unsent && g.rules.OnFailureSend() {
		r.sendHedge(slot, t, h)
	}
	if t.call == none {
		r.failed(slot, t, out, r.extras.at(slot).task.version, f)
		return
	}
	if !f.unsent {
		r.rec.copyFailed(t, out)
	}
	r.aim(slot, t)
}

// gatedTimeout runs when the first deadline of an attempt's copies has come.
func (r *Runner) gatedTimeout(slot uint32, t *task) {
	h := &r.hops[t.hop]
	for i := t.call; i != none; {
		c, x := r.call(i), &r.extras.at(i).call
		next := x.next
		if x.deadline == 0 || x.deadline > r.now {
			i = next
			continue
		}
		f := facts{took: r.now - x.sent, replica: r.triedAt(i)}
		if c.state == held {
			f = facts{unsent: true, final: strategies.DeadlineExceeded}
			r.rec.withheld(r.now, c.hop, c.origin, f.final)
			if r.trace != nil {
				r.traceWithheld(c, f.final)
			}
		} else if r.trace != nil {
			r.traceCall(c, TraceTimedOut)
		}
		r.discard(t, i, c, h, strategies.Timeout)
		last := t.call == none
		r.copyFailed(slot, t, h, strategies.Timeout, f)
		if last {
			return
		}
		i = next
	}
}

// leaveGated stops waiting for everything in flight.
func (r *Runner) leaveGated(t *task) {
	for i := t.call; i != none; i = t.call {
		c := r.call(i)
		r.discard(t, i, c, &r.hops[c.hop], unknown)
	}
}

// discard stops waiting for a copy. What it holds is given back from the inside
// out, so that no line is served for somebody who is about to leave.
func (r *Runner) discard(t *task, i uint32, c *call, h *hop, out strategies.Outcome) {
	if c.state == layered {
		child := r.extras.at(i).call.child
		r.release(child, r.task(child))
		c.state = lost
	}
	if c.state == forking {
		r.leaveBranches(i)
		c.state = lost
	}
	r.giveBack(i, c, out)
	r.unlink(t, i)
	if c.state == held || c.state == lost || c.state == answering && (c.answer == rejected || h.inner > 0) {
		r.drop(i, c)
		return
	}
	r.cancel(i, c, h)
}

// callLayer begins the inner layer's work for an attempt of the outer one.
func (r *Runner) callLayer(i uint32, c *call, h *hop) {
	c.state = layered
	slot := r.take()
	r.extras.at(i).call.child = slot
	t := r.task(slot)
	t.client, t.request, t.parent, t.key = c.client, c.request, i, c.key
	if c.attempt == 1 && c.copy == 0 {
		// A layer that is not retried leaves the draws as they are without it.
		t.key = r.task(c.task).key
	}
	t.hop, t.origin, t.started, t.state, t.call = uint16(h.inner), c.origin, r.now, alive, none
	outer, x := &r.extras.at(c.task).task, &r.extras.at(slot).task
	x.member, x.process = outer.member, outer.process
	x.lineage = r.extras.at(i).call.lineage
	r.beginStep(slot, t)
}

// line is a limiter and the attempts that wait for it, the oldest first.
type line struct {
	state strategies.LimiterState
	queue []waiter // from head on
	head  int
	again time.Duration // when the first asks again, if it is not asked before; 0: never
}

type waiter struct{ call, gen uint32 }

func clearLine(rules *strategies.LimiterRules, l *line) {
	rules.Reset(&l.state)
	l.queue, l.head, l.again = l.queue[:0], 0, 0
}

func lineRests(rules *strategies.LimiterRules, l *line) bool {
	return l.head == len(l.queue) && rules.Idle(&l.state)
}

func (r *Runner) lineOf(slot uint32, h *hop) *line {
	return h.limiter.at(h.base.limiter, slot, &r.extras.at(slot).task)
}

// enter asks the limiter for a place.
func (r *Runner) enter(i uint32, c *call, h *hop) {
	l, x := r.lineOf(c.task, h), &r.extras.at(i).call
	first := l.head == len(l.queue)
	wait := strategies.Longest
	if first {
		wait, x.limited = h.limiter.rules.Acquire(&l.state, r.now)
	}
	switch {
	case x.limited:
		r.transmit(i, c, h)
	case h.limiter.rules.FailsWhenFull():
		r.reject(i, c, strategies.LimiterFull, false)
	default:
		x.inLine = true
		l.queue = append(l.queue, waiter{i, c.gen})
		if first {
			r.askAgain(l, i, c, wait)
		}
		r.aim(c.task, r.task(c.task))
	}
}

// askAgain lets the first in line ask again after a wait.
func (r *Runner) askAgain(l *line, i uint32, c *call, wait time.Duration) {
	if at := r.now + wait; wait < strategies.Longest && at != l.again {
		l.again = at
		r.push(kindSend, at, i, c)
	}
}

// serveLine lets attempts go while the limiter has places for them.
func (r *Runner) serveLine(h *hop, l *line) {
	for l.head < len(l.queue) {
		w := l.queue[l.head]
		c, x := r.call(w.call), &r.extras.at(w.call).call
		here := c.gen == w.gen && x.inLine
		if here && (x.deadline == 0 || x.deadline > r.now) {
			wait, ok := h.limiter.rules.Acquire(&l.state, r.now)
			if !ok {
				r.askAgain(l, w.call, c, wait)
				return
			}
			x.limited = true
		}
		l.advance()
		if here {
			x.inLine = false
		}
		if here && x.limited {
			r.transmit(w.call, c, &r.hops[c.hop])
		}
	}
}

// advance takes the first out of the line.
func (l *line) advance() {
	l.again = 0
	if l.head++; 2*l.head >= len(l.queue) {
		n := copy(l.queue, l.queue[l.head:])
		l.queue, l.head = l.queue[:n], 0
	}
}

// planHedge schedules the next copy of an attempt that has just been sent.
func (r *Runner) planHedge(slot uint32, c *call, h *hop) {
	g, x := h.hedge, &r.extras.at(slot).task
	x.planned++
	if int64(x.copies) >= g.rules.Max() {
		return
	}
	delay, ok := g.rules.Delay(g.at(h.base.hedge, slot, x))
	if !ok {
		return
	}
	key := eventKey(kindHedge, c.client, c.key)
	r.set.Push(event.Event{At: r.now + delay, Key: key, Ref: slot, Gen: x.planned})
}

// hedge runs when it is time for another copy.
func (r *Runner) hedge(slot, plan uint32) {
	t := r.task(slot)
	if t.state == idle || t.call == none || r.extras.at(slot).task.planned != plan {
		return
	}
	r.sendHedge(slot, t, &r.hops[t.hop])
}

// sendHedge sends another copy of the present attempt, if one is left and
// nobody objects: its budget, the breaker, the limiter. It never stands in line.
func (r *Runner) sendHedge(slot uint32, t *task, h *hop) {
	g, x := h.hedge, &r.extras.at(slot).task
	if int64(x.copies) >= g.rules.Max() || r.overdue(slot, t, h, r.now) {
		return
	}
	x.planned++
	if !g.rules.Take(g.at(h.base.hedge, slot, x)) {
		r.rec.withheld(r.now, t.hop, t.origin, strategies.HedgesSpent)
		return
	}
	var permit uint32
	permits := false
	if b := h.breaker; b != nil && h.wraps == wrapsAttempts {
		if permit, permits = b.rules.Allow(b.at(h.base.breaker, slot, x), r.now); !permits {
			r.rec.withheld(r.now, t.hop, t.origin, strategies.BreakerOpen)
			return
		}
	}
	limited := false
	if h.limiter != nil {
		l := r.lineOf(slot, h)
		if l.head == len(l.queue) {
			_, limited = h.limiter.rules.Acquire(&l.state, r.now)
		}
		if !limited {
			if permits {
				h.breaker.rules.Cancel(h.breaker.at(h.base.breaker, slot, x), permit)
			}
			r.rec.withheld(r.now, t.hop, t.origin, strategies.LimiterFull)
			return
		}
	}
	x.copies++
	i, c := r.newCall(slot, t, h, x.copies, r.now, Hedged)
	c.version = x.version
	v := &r.extras.at(i).call
	v.permit, v.permits, v.limited = permit, permits, limited
	r.link(t, i, c)
	r.transmit(i, c, h)
}

// outward is what the delay of an attempt's first message is drawn for.
func (r *Runner) outward(c *call, h *hop) random.Purpose {
	if r.places[h.to].optimistic {
		c.state = reading
		return random.NetworkRead
	}
	c.state = sending
	return random.NetworkOut
}
