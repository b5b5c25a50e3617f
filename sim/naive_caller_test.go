package sim_test

import (
	"cmp"
	"slices"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// The caller's side of the naive model. Every hop is treated alike, whatever
// its policy asks for, and what callers share is found in maps. The shared
// state machines are the real ones, which have oracles of their own; who tells
// them what, and when, is written here from the rules.

// layer is one policy of a step.
type layer struct {
	step   sim.Step
	policy *sim.Policy
	rules  strategies.Rules
	index  int    // of its hop
	name   uint64 // what its draws are named after: the step, and how far out it is
	inner  *layer // nil: its attempts are calls
	// branches are steps that begin at once; then it is no hop.
	branches []*layer
	caller   int // number of the group or service

	budget  *strategies.BudgetRules
	breaker *strategies.BreakerRules
	limiter *strategies.LimiterRules
	hedge   *strategies.HedgeRules
}

// compileSteps makes the outermost layers of steps, and names the hops.
func (n *naive) compileSteps(caller int, from string, steps []sim.Step) (outer []*layer) {
	for _, st := range steps {
		if len(st.Parallel) > 0 {
			l := &layer{step: st, name: n.steps}
			n.steps++
			l.branches = n.compileSteps(caller, from, st.Parallel)
			outer = append(outer, l)
			continue
		}
		policies := st.Policies
		if len(policies) == 0 {
			policies = under(strategies.Policy{MaxAttempts: 1, RetryOn: []string{"any"}})
		}
		var last *layer
		for i, p := range policies {
			l := &layer{
				step: st, policy: p, rules: p.Compile(), index: len(n.rec.Hops), caller: caller,
				name: n.steps + uint64(len(policies)-1-i)*65536,
			}
			if !st.Idempotent {
				l.rules = l.rules.NotIdempotent(p.Policy)
			}
			if p.Budget != nil {
				l.budget = new(p.Budget.Compile())
			}
			if p.Breaker != nil {
				l.breaker = new(p.Breaker.Compile())
			}
			if p.Limiter != nil {
				l.limiter = new(p.Limiter.Compile())
			}
			if p.Hedge != nil {
				l.hedge = new(p.Hedge.Compile())
			}
			if last == nil {
				outer = append(outer, l)
			} else {
				last.inner = l
			}
			last = l
			st.Skip, st.Optional = 0, false // of the outermost only
			n.rec.Hops = append(n.rec.Hops, sim.HopRecord{
				From: from, To: n.m.Services[st.To].Name, Policy: p.Name, Layer: i, Inner: i == len(policies)-1,
			})
		}
		n.steps++
	}
	return outer
}

// caller is a request, a service that calls others to serve a call, or the work
// of an inner layer for one attempt of the outer one.
type caller struct {
	group           int
	client, request uint32
	member, process uint64 // of the group or service that calls
	counted         bool
	class           int           // from 1
	limit           time.Duration // the deadline that it was given; 0: none
	started         time.Duration
	key             random.Key
	layers          []*layer // one for each step
	step            int
	cause           sim.Cause // of a first attempt
	gone            bool
	avoid           *site // what its first attempts must not go to
	after           func(strategies.Outcome)
	history         *history  // of a request
	kids            []*caller // at work on several steps at once
	parent          *attempt  // that it is for

	// Of the present step.
	open            bool
	began           time.Duration
	number          int64              // of the attempt
	last            strategies.Outcome // of the attempt before
	failedAt        *site              // where that failed
	memory          uint64
	version         uint32
	had, cost, most int64
	granted         bool
	told            bool       // the budget knows of the attempt
	flight          []*attempt // its copies, in the order they were made
	timer           *happening
	hedge           *happening
	copies          int64
	permit          *uint32
}

func (c *caller) layer() *layer { return c.layers[c.step] }

// attempt is one copy of an attempt.
type attempt struct {
	by       *caller
	layer    *layer
	number   int64
	copy     int64
	cause    sim.Cause
	key      random.Key
	deadline time.Duration
	event    *happening // its sending, or its end if that needs no answer
	line     *line      // in which it stands
	permit   *uint32
	limited  bool
	granted  bool
	inner    *caller
	run      *caller // inner, though it may have ended
	avoid    *site
	at       *site
	unsent   bool
	final    strategies.GiveUp

	carried time.Duration // the deadline that it carries
	refused bool          // a worker refuses it

	sent    bool
	sentAt  time.Duration
	lost    bool
	replied bool
	version uint32 // that it writes with; then that its answer tells
	answer  server.Answer

	hinted, dated  bool
	asked, askedAt time.Duration

	// At the service.
	id             uint32
	arrived, began time.Duration
	work           time.Duration
	left           time.Duration // work, when paused or since it runs
	since          time.Duration
	done           *happening // pending while it is worked on
	working        bool
	children       *caller
	prepared       bool  // what comes before the service's own work is done
	doing          *work // that has begun
	promised       server.Answer
}

func (a *attempt) awaited() bool { return !a.by.gone && slices.Contains(a.by.flight, a) }

// nothing is the outcome of what has none.
const nothing strategies.Outcome = 9999

func (n *naive) hopOf(c *caller, l *layer) *sim.HopRecord {
	if !c.counted {
		return &sim.HopRecord{} // counts nowhere
	}
	return &n.rec.Hops[l.index]
}

// shared says whose a state is.
type shared struct {
	policy *sim.Policy
	target int
	all    bool
	caller int
	client uint64
	one    *caller
}

func (n *naive) share(c *caller, l *layer, scope, keyed string) shared {
	s := shared{policy: l.policy, target: l.step.To}
	if keyed == "policy" {
		s.target = -1
	}
	switch scope {
	case "all":
		s.all = true
	case "request":
		s.one = c
	case "client":
		s.caller, s.client = l.caller, c.member
	default:
		s.caller, s.client = l.caller, c.process
	}
	return s
}

func (n *naive) budget(c *caller, l *layer) *strategies.BudgetState {
	k := n.share(c, l, l.policy.Budget.Scope, l.policy.Budget.Keyed)
	if n.budgets[k] == nil {
		n.budgets[k] = new(strategies.BudgetState)
		l.budget.Reset(n.budgets[k])
	}
	return n.budgets[k]
}

func (n *naive) breaker(c *caller, l *layer) *strategies.BreakerState {
	k := n.share(c, l, l.policy.Breaker.Scope, l.policy.Breaker.Keyed)
	if n.breakers[k] == nil {
		n.breakers[k] = new(strategies.BreakerState)
		l.breaker.Reset(n.breakers[k])
	}
	return n.breakers[k]
}

func (n *naive) hedges(c *caller, l *layer) *strategies.HedgeState {
	k := n.share(c, l, l.policy.Hedge.Scope, l.policy.Hedge.Keyed)
	if n.hedged[k] == nil {
		n.hedged[k] = new(strategies.HedgeState)
		l.hedge.Reset(n.hedged[k])
	}
	return n.hedged[k]
}

// line is a limiter and who waits for it.
type line struct {
	rules   *strategies.LimiterRules
	state   strategies.LimiterState
	waiting []*attempt
	again   *happening
}

func (n *naive) line(c *caller, l *layer) *line {
	k := n.share(c, l, l.policy.Limiter.Scope, l.policy.Limiter.Keyed)
	if n.lines[k] == nil {
		n.lines[k] = &line{rules: l.limiter}
		l.limiter.Reset(&n.lines[k].state)
	}
	return n.lines[k]
}

func (n *naive) beginStep(c *caller) {
	l := c.layer()
	if l.step.Skip > 0 && n.skips(c, l) {
		if l.branches == nil {
			n.hopOf(c, l).Skipped++
		}
		n.goOn(c)
		return
	}
	if l.branches != nil {
		n.fork(c, l)
		return
	}
	n.hopOf(c, l).Requests++
	c.open, c.began, c.number, c.memory, c.last = true, n.now, 0, 0, strategies.OK
	c.had, c.cost, c.granted, c.told, c.permit, c.failedAt = 0, 0, false, false, nil, nil
	if l.budget != nil {
		delete(n.budgets, shared{policy: l.policy, target: l.step.To, one: c})
		delete(n.budgets, shared{policy: l.policy, target: -1, one: c})
		c.most = l.budget.Started(n.budget(c, l), n.now)
	}
	if l.hedge != nil {
		l.hedge.Started(n.hedges(c, l))
	}
	if s := n.sites[l.step.To]; s.spec.Contention != nil {
		c.version = s.versions[n.row(s, c, l)]
	}
	if n.now >= n.cutOff(c, l) {
		n.withhold(c, l, strategies.DeadlineExceeded)
		n.hopOf(c, l).GaveUp++
		n.stepFailed(c, strategies.Timeout)
		return
	}
	n.try(c, 0)
}

// cutOff is the deadline of the request.
func (n *naive) cutOff(c *caller, l *layer) time.Duration {
	at := forever
	if d := l.policy.Deadline; d > 0 {
		at = c.started + d
	}
	if l.policy.Propagate {
		at = min(at, c.given())
	}
	return at
}

// row is what a caller's calls of a step compete for.
func (n *naive) row(s *site, c *caller, l *layer) uint64 {
	k := n.rowKey.Child(uint64(c.client), uint64(c.request), l.name)
	return random.Uniform(k.Draw(random.Row, 0), uint64(s.spec.Contention.Rows))
}

// copyOf makes a copy of the present attempt.
func (n *naive) copyOf(c *caller, copy int64, cause sim.Cause) *attempt {
	l := c.layer()
	a := &attempt{
		by: c, layer: l, number: c.number, copy: copy, version: c.version, avoid: c.avoids(), cause: cause, deadline: n.cutOff(c, l),
		key: c.key.Child(l.name, uint64(c.number), uint64(copy)), id: n.ids,
	}
	n.ids++
	c.flight = append(c.flight, a)
	n.calls++
	return a
}

// try makes the next attempt, now or after a wait.
func (n *naive) try(c *caller, wait time.Duration) {
	c.number++
	cause := c.cause
	if c.last != strategies.OK {
		cause = causeAfter(c.last)
	}
	a := n.copyOf(c, 0, cause)
	a.granted, c.granted = c.granted, false
	if wait == 0 {
		n.launch(a)
		return
	}
	a.event = n.at(n.now+wait, onSend, c.client, a.key, func() { n.launch(a) })
	n.aim(c)
}

// launch asks whoever has to be asked, and sends the attempt.
func (n *naive) launch(a *attempt) {
	c, l := a.by, a.layer
	a.event = nil
	retry := a.number > 1
	if l.budget != nil && retry && l.budget.AfterWait() {
		if !n.take(c, c.last) {
			n.reject(a, strategies.BudgetEmpty, true)
			return
		}
		a.granted = true
	}
	if l.breaker != nil {
		s := n.breaker(c, l)
		switch wraps := l.policy.Breaker.Wraps; {
		case wraps == "request" && !retry:
			permit, ok := l.breaker.Allow(s, n.now)
			if !ok {
				n.reject(a, strategies.BreakerOpen, true)
				return
			}
			c.permit = &permit
		case wraps == "request":
		case wraps == "retries" && !retry:
			a.permit = new(l.breaker.Observe(s, n.now))
		default:
			permit, ok := l.breaker.Allow(s, n.now)
			if !ok {
				n.reject(a, strategies.BreakerOpen, wraps == "retries")
				return
			}
			a.permit = &permit
		}
	}
	if l.limiter != nil {
		n.enter(a)
		return
	}
	n.send(a)
}

// take asks the budget for a retry.
func (n *naive) take(c *caller, out strategies.Outcome) bool {
	l := c.layer()
	if c.had == c.most {
		return false
	}
	cost, ok := l.budget.Take(n.budget(c, l), n.now, out)
	if ok {
		c.had, c.cost = c.had+1, cost
	}
	return ok
}

func (n *naive) reject(a *attempt, why strategies.GiveUp, final bool) {
	n.withhold(a.by, a.layer, why)
	n.giveBack(a, nothing)
	a.unsent = true
	if final {
		a.final = why
	}
	a.event = n.at(n.now, onAnswer, a.by.client, a.key, func() {
		n.calls--
		out := strategies.Rejected
		if final && a.by.last != strategies.OK {
			out = a.by.last
		}
		n.ended(a, out)
	})
}

// enter asks the limiter.
func (n *naive) enter(a *attempt) {
	l := n.line(a.by, a.layer)
	wait, ok := strategies.Longest, false
	first := len(l.waiting) == 0
	if first {
		wait, ok = l.rules.Acquire(&l.state, n.now)
	}
	a.limited = ok
	switch {
	case ok:
		n.send(a)
		return
	case a.layer.policy.Limiter.WhenFull == "fail":
		n.reject(a, strategies.LimiterFull, false)
		return
	default:
		a.line = l
		l.waiting = append(l.waiting, a)
		if first {
			n.askAgain(l, wait)
		}
	}
	n.aim(a.by)
}

func (n *naive) askAgain(l *line, wait time.Duration) {
	n.cancel(l.again)
	if l.again = nil; wait < strategies.Longest {
		a := l.waiting[0]
		l.again = n.at(n.now+wait, onSend, a.by.client, a.key, func() { l.again = nil; n.serveLine(l) })
	}
}

func (n *naive) serveLine(l *line) {
	for len(l.waiting) > 0 {
		a := l.waiting[0]
		ok := a.deadline > n.now
		if ok {
			var wait time.Duration
			if wait, ok = l.rules.Acquire(&l.state, n.now); !ok {
				n.askAgain(l, wait)
				return
			}
		}
		l.waiting = l.waiting[1:]
		n.cancel(l.again)
		a.line, l.again = nil, nil
		if ok {
			a.limited = true
			n.send(a)
		}
	}
	n.cancel(l.again)
	l.again = nil
}

// send sends a copy, or lets the inner layer begin.
func (n *naive) send(a *attempt) {
	c, l := a.by, a.layer
	a.event, a.sent, a.sentAt = nil, true, n.now
	n.hopOf(c, l).Calls++
	n.hopOf(c, l).Causes[a.cause]++
	if l.budget != nil && a.copy == 0 {
		l.budget.Sent(n.budget(c, l), n.now, a.number > 1)
		a.granted, c.told = false, true
	}
	if t := l.policy.Timeout; t > 0 {
		a.deadline = min(a.deadline, n.now+t)
	}
	a.carried = a.knows()
	n.aim(c)
	if a.copy == 0 {
		c.copies = 0
	}
	n.planHedge(c, a)
	if l.inner != nil {
		k := &caller{
			group: c.group, client: c.client, request: c.request, member: c.member, process: c.process,
			counted: c.counted, started: n.now, key: innerKey(a), layers: []*layer{l.inner}, cause: a.cause, parent: a,
			class: c.class,
		}
		if a.carried < forever {
			k.limit = a.carried
		}
		a.inner, a.run, k.avoid = k, k, a.avoid
		k.after = func(out strategies.Outcome) {
			a.inner = nil
			a.event = n.at(n.now, onAnswer, c.client, a.key, func() { n.calls--; n.ended(a, out) })
		}
		n.beginStep(k)
		return
	}
	net := l.step.Network.Sampler()
	s := n.sites[l.step.To]
	write := func() {
		n.at(n.now+net.At(a.key.Draw(random.NetworkOut, 0)), onArrive, c.client, a.key, func() { n.arrive(s, a) })
	}
	if k := s.spec.Contention; k == nil || k.Kind != "optimistic" {
		write()
		return
	}
	// Read first. The answer to the read comes to whoever runs the attempt, and
	// has no other effect than the write.
	n.at(n.now+net.At(a.key.Draw(random.NetworkRead, 0)), onArrive, c.client, a.key, func() {
		n.count(a, func() { s.rec.Reads++ })
		back := n.now + net.At(a.key.Draw(random.NetworkRead, 1))
		switch down := s.down(n.now); down {
		case server.OK:
			a.version = s.versions[n.row(s, c, l)]
			n.at(back, onAnswer, c.client, a.key, write)
		case server.Silent:
			n.lost(a)
		default:
			a.answer, a.replied = down, true
			n.at(back, onAnswer, c.client, a.key, func() { n.answer(a) })
		}
	})
}

// aim sets the caller's timer to the first deadline of its copies.
func (n *naive) aim(c *caller) {
	n.cancel(c.timer)
	c.timer = nil
	first := forever
	for _, a := range c.flight {
		first = min(first, a.deadline)
	}
	if first < forever {
		c.timer = n.at(first, onTimeout, c.client, c.flight[0].key, func() { c.timer = nil; n.timeouts(c) })
	}
}

func (n *naive) timeouts(c *caller) {
	for _, a := range slices.Clone(c.flight) {
		if a.deadline > n.now {
			continue
		}
		if !a.sent {
			a.unsent, a.final = true, strategies.DeadlineExceeded
			n.withhold(c, a.layer, a.final)
		}
		tried := a.tried()
		n.discard(a, strategies.Timeout)
		a.at, a.run = tried, nil
		last := len(c.flight) == 0
		n.copyFailed(c, a, strategies.Timeout)
		if last {
			return
		}
	}
	n.aim(c)
}

// planHedge schedules the next copy after one has been sent.
func (n *naive) planHedge(c *caller, a *attempt) {
	l := a.layer
	if l.hedge == nil {
		return
	}
	n.cancel(c.hedge)
	c.hedge = nil
	if c.copies >= l.policy.Hedge.Max {
		return
	}
	if delay, ok := l.hedge.Delay(n.hedges(c, l)); ok {
		c.hedge = n.at(n.now+delay, onHedge, c.client, a.key, func() { n.sendHedge(c) })
	}
}

func (n *naive) sendHedge(c *caller) {
	l := c.layer()
	if c.copies >= l.policy.Hedge.Max || n.now >= n.cutOff(c, l) {
		return
	}
	n.cancel(c.hedge)
	c.hedge = nil
	if !l.hedge.Take(n.hedges(c, l)) {
		n.withhold(c, l, strategies.HedgesSpent)
		return
	}
	var permit *uint32
	if l.breaker != nil && l.policy.Breaker.Wraps != "request" && l.policy.Breaker.Wraps != "retries" {
		p, ok := l.breaker.Allow(n.breaker(c, l), n.now)
		if !ok {
			n.withhold(c, l, strategies.BreakerOpen)
			return
		}
		permit = &p
	}
	limited := false
	if l.limiter != nil {
		if line := n.line(c, l); len(line.waiting) == 0 {
			_, limited = line.rules.Acquire(&line.state, n.now)
		}
		if !limited {
			if permit != nil {
				l.breaker.Cancel(n.breaker(c, l), *permit)
			}
			n.withhold(c, l, strategies.LimiterFull)
			return
		}
	}
	c.copies++
	a := n.copyOf(c, c.copies, sim.Hedged)
	a.permit, a.limited = permit, limited
	n.send(a)
}

// giveBack gives back what a copy holds.
func (n *naive) giveBack(a *attempt, out strategies.Outcome) {
	c, l := a.by, a.layer
	learnt := a.sent && out != nothing
	if a.granted {
		a.granted = false
		l.budget.Dropped(n.budget(c, l), n.now)
	}
	if p := a.permit; p != nil {
		a.permit = nil
		if learnt {
			l.breaker.Record(n.breaker(c, l), n.now, *p, out, n.now-a.sentAt)
		} else {
			l.breaker.Cancel(n.breaker(c, l), *p)
		}
	}
	if a.limited {
		a.limited = false
		line := n.line(c, l)
		if learnt {
			l.limiter.Release(&line.state, n.now, out, n.now-a.sentAt)
		} else {
			l.limiter.Cancel(&line.state)
		}
		n.serveLine(line)
	}
	if line := a.line; line != nil {
		a.line = nil
		line.waiting = slices.DeleteFunc(line.waiting, func(b *attempt) bool { return a == b })
		n.serveLine(line)
	}
}

// discard stops waiting for a copy.
func (n *naive) discard(a *attempt, out strategies.Outcome) {
	if k := a.inner; k != nil {
		a.inner = nil
		n.abandon(k)
	}
	n.giveBack(a, out)
	n.unlink(a)
	n.cancel(a.event)
	a.event = nil
	switch {
	case !a.sent, a.lost, a.layer.inner != nil:
		n.calls--
	case a.replied, a.layer.policy.Cancel == "" || a.layer.policy.Cancel == "never":
	default:
		net := a.layer.step.Network.Sampler()
		n.at(n.now+net.At(a.key.Draw(random.NetworkOut, 0)), onCancel, a.by.client, a.key, func() {
			n.cancelled(cmp.Or(a.at, n.sites[a.layer.step.To]), a)
		})
	}
}

func (n *naive) unlink(a *attempt) {
	a.by.flight = slices.DeleteFunc(a.by.flight, func(b *attempt) bool { return a == b })
}

// leave stops waiting for all copies.
func (n *naive) leave(c *caller) {
	for len(c.flight) > 0 {
		n.discard(c.flight[0], nothing)
	}
	n.aim(c)
	n.cancel(c.hedge)
	c.hedge = nil
}

// abandon ends a caller from outside.
func (n *naive) abandon(c *caller) {
	c.gone = true
	n.leaveKids(c)
	n.leave(c)
	n.attemptEnded(c, nothing)
	n.close(c, nothing)
}

func (n *naive) attemptEnded(c *caller, out strategies.Outcome) {
	if !c.told {
		return
	}
	c.told = false
	l := c.layer()
	s, retry := n.budget(c, l), c.number > 1
	switch out {
	case strategies.OK:
		l.budget.Succeeded(s, n.now, retry)
	case nothing:
		l.budget.Canceled(s, n.now, retry)
	default:
		l.budget.Failed(s, n.now, retry, out, l.rules.Retryable(out))
	}
}

// close ends a step.
func (n *naive) close(c *caller, out strategies.Outcome) {
	if !c.open {
		return
	}
	c.open = false
	l := c.layer()
	if l.budget != nil {
		l.budget.Finished(n.budget(c, l), n.now, out == strategies.OK, c.had > 0, c.cost, out == nothing || l.rules.Retryable(out))
	}
	if p := c.permit; p != nil {
		c.permit = nil
		if out == nothing {
			l.breaker.Cancel(n.breaker(c, l), *p)
		} else {
			l.breaker.Record(n.breaker(c, l), n.now, *p, out, n.now-c.began)
		}
	}
}

// answer runs when an answer reaches the caller's side.
func (n *naive) answer(a *attempt) {
	n.calls--
	c := a.by
	switch {
	case a.awaited():
		n.ended(a, strategies.Outcome(a.answer)) // the numbers are the same
	case a.answer == server.OK && a.layer.policy.LateAnswers == "accept" && !c.gone && c.layer() == a.layer:
		n.leave(c)
		n.attemptEnded(c, strategies.OK)
		n.stepDone(c)
	default:
		n.count(a, func() { n.rec.Hops[a.layer.index].Late++ })
	}
}

// ended runs when a copy that is awaited has ended.
func (n *naive) ended(a *attempt, out strategies.Outcome) {
	c, l := a.by, a.layer
	c.version = a.version
	n.giveBack(a, out)
	n.unlink(a)
	if out != strategies.OK {
		n.copyFailed(c, a, out)
		return
	}
	if l.hedge != nil {
		// The first copy's time, or how long it has been out.
		for _, f := range append([]*attempt{a}, c.flight...) {
			if f.copy == 0 {
				l.hedge.Answered(n.hedges(c, l), n.now-f.sentAt)
			}
		}
	}
	n.leave(c)
	n.attemptEnded(c, strategies.OK)
	n.stepDone(c)
}

func (n *naive) stepDone(c *caller) {
	n.hopOf(c, c.layer()).Succeeded++
	n.goOn(c)
}

// causeAfter says why an attempt after an outcome is made.
func causeAfter(o strategies.Outcome) sim.Cause {
	switch o {
	case strategies.Timeout:
		return sim.AfterTimeout
	case strategies.Refused:
		return sim.AfterRefused
	case strategies.Reset:
		return sim.AfterReset
	case strategies.Rejected:
		return sim.AfterRejected
	default:
		return sim.AfterStatus
	}
}

func (n *naive) copyFailed(c *caller, a *attempt, out strategies.Outcome) {
	l := a.layer
	if h := l.policy.Hedge; h != nil && !a.unsent && h.OnFailure == "send" {
		n.sendHedge(c)
	}
	hop := n.hopOf(c, l)
	switch {
	case a.unsent, out == strategies.Rejected:
	case out == strategies.Timeout:
		hop.Timeouts++
	case out == strategies.Refused:
		hop.Refused++
	case out == strategies.Reset:
		hop.Reset++
	default:
		hop.Status++
	}
	if len(c.flight) > 0 {
		n.aim(c)
		return
	}
	n.aim(c)
	n.cancel(c.hedge)
	c.hedge = nil
	n.attemptEnded(c, out)
	c.failedAt = a.tried()
	if a.final != strategies.Retry {
		hop.GaveUp++
		n.stepFailed(c, out)
		return
	}
	d := n.decide(c, a, out)
	if d.Why == strategies.Retry && n.now+d.Wait >= n.cutOff(c, l) {
		d.Why = strategies.DeadlineExceeded
	}
	if d.Why == strategies.Retry && l.budget != nil && !l.budget.AfterWait() {
		if c.granted = n.take(c, out); !c.granted {
			d.Why = strategies.BudgetEmpty
		}
	}
	if d.Why == strategies.Retry {
		c.memory, c.last = d.Memory, out
		n.try(c, d.Wait)
		return
	}
	if usedUp := d.Why == strategies.NotRetryable || d.Why == strategies.AttemptsExhausted; !usedUp || !a.unsent {
		n.withhold(c, l, d.Why) // else the attempt itself counts as withheld
	}
	hop.GaveUp++
	n.stepFailed(c, out)
}

// innerKey names the draws of an attempt's inner layer: those of the first are
// the same as without the layer.
func innerKey(a *attempt) random.Key {
	if a.number == 1 && a.copy == 0 {
		return a.by.key
	}
	return a.key
}

// decide asks the policy after the attempt's last copy has failed.
func (n *naive) decide(c *caller, a *attempt, out strategies.Outcome) strategies.Decision {
	index := a.layer.name<<32 + uint64(c.number)
	f := strategies.Failure{
		Outcome: out, Attempt: c.number, Elapsed: n.now - c.started, Memory: c.memory,
		AskedDraw: c.key.Draw(random.AskedJitter, index),
	}
	if a.sent {
		f.Took = n.now - a.sentAt
	}
	if a.hinted && out == strategies.Outcome(a.answer) {
		f.Hinted, f.Asked = true, a.asked
		if a.dated && a.asked != server.Never {
			f.Asked = max(0, a.askedAt+a.asked-n.now)
		}
	}
	return a.layer.rules.Next(&f, c.key.Draw(random.Backoff, index))
}

func (n *naive) end(c *caller, out strategies.Outcome) {
	n.close(c, out)
	c.gone = true
	c.after(out)
}
