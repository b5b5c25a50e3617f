package sim_test

import (
	"slices"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// Call graphs in the naive model: steps that are left out, steps that nobody
// needs, several at once, and a service's own work between them.

// skips says whether a request does without a step.
func (n *naive) skips(c *caller, l *layer) bool {
	root := n.groups[c.group].Child(uint64(c.client), uint64(c.request), 1)
	return random.Unit(root.Child(l.name, 0, 0).Draw(random.Share, 0)) < l.step.Skip
}

// fork begins several steps at once.
func (n *naive) fork(c *caller, l *layer) {
	missing, running, decided := l.step.Need, len(l.branches), false
	for _, b := range l.branches {
		k := &caller{
			group: c.group, client: c.client, request: c.request, member: c.member, process: c.process,
			counted: c.counted, started: c.started, key: c.key, layers: []*layer{b}, cause: c.cause,
			class: c.class, limit: c.limit, parent: c.parent,
		}
		k.after = func(out strategies.Outcome) {
			c.kids = slices.DeleteFunc(c.kids, func(o *caller) bool { return o == k })
			if running--; out == strategies.OK {
				missing--
			}
			if missing > 0 && missing <= running {
				return
			}
			decided = true
			n.leaveKids(c)
			if missing > 0 {
				n.stepFailed(c, out)
			} else {
				n.goOn(c)
			}
		}
		c.kids = append(c.kids, k)
	}
	for _, k := range slices.Clone(c.kids) {
		if !decided {
			n.beginStep(k)
		}
	}
}

func (n *naive) leaveKids(c *caller) {
	for len(c.kids) > 0 {
		k := c.kids[0]
		c.kids = c.kids[1:]
		n.abandon(k)
	}
}

func (n *naive) stepFailed(c *caller, out strategies.Outcome) {
	if !c.layer().step.Optional {
		n.end(c, out)
		return
	}
	n.close(c, out)
	n.goOn(c)
}

func (n *naive) goOn(c *caller) {
	if c.step+1 == len(c.layers) {
		n.end(c, strategies.OK)
		return
	}
	n.close(c, strategies.OK)
	c.step++
	n.beginStep(c)
}

// callOthers lets a service go through steps for a call.
func (n *naive) callOthers(s *site, a *attempt, layers []*layer, then func()) {
	c := &caller{
		group: a.by.group, client: a.by.client, request: a.by.request, counted: a.by.counted,
		started: n.now, key: a.key, layers: layers, class: a.by.class, parent: a,
	}
	if a.carried < forever {
		c.limit = a.carried
	}
	a.children = c
	if s.async {
		n.park(s, a)
	} else {
		s.calling++
		set(&s.callLog, n.now, s.calling)
	}
	c.after = func(out strategies.Outcome) {
		n.called(s, a)
		if out != strategies.OK {
			a.answer = 502
			n.settle(a, false)
			n.leaves(s, a)
			return
		}
		then()
	}
	n.beginStep(c)
	if s.async {
		n.next(s)
	}
}

// called runs when a service has stopped waiting for others.
func (n *naive) called(s *site, a *attempt) {
	a.children = nil
	if !s.async {
		s.calling--
		set(&s.callLog, n.now, s.calling)
	}
}

// park takes a call's worker from it.
func (n *naive) park(s *site, a *attempt) {
	s.inside = slices.DeleteFunc(s.inside, func(b *attempt) bool { return a == b })
	set(&s.inLog, n.now, int64(len(s.inside)))
	s.parked = append(s.parked, a)
	if s.station != nil {
		s.station.Park()
	}
}

func (n *naive) unpark(s *site, a *attempt) {
	s.parked = slices.DeleteFunc(s.parked, func(b *attempt) bool { return a == b })
}

// backToWork lets a call that has what it needs have a worker again.
func (n *naive) backToWork(s *site, a *attempt) {
	a.prepared = true
	if !s.async {
		n.lockAndWork(s, a)
		return
	}
	n.unpark(s, a)
	free := s.usable(n.now) == server.Unlimited || int64(len(s.inside)) < s.usable(n.now)
	if s.station != nil {
		free = s.station.Resume(n.now, n.visit(a)) == server.Starts
	}
	if free {
		s.inside = append(s.inside, a)
		set(&s.inLog, n.now, int64(len(s.inside)))
		n.lockAndWork(s, a)
		return
	}
	s.queue = append(s.queue, a)
	set(&s.waitLog, n.now, int64(len(s.queue)))
}

// split splits steps by the service's own work.
func split(steps []sim.Step) (before, after []sim.Step) {
	for i := range steps {
		if steps[i].Work {
			return steps[:i], steps[i+1:]
		}
	}
	return nil, steps
}

// at is the level at an instant, after all that happened in it.
func levelAt(log []level, at time.Duration) (n int64) {
	for _, l := range log {
		if l.at <= at {
			n = l.n
		}
	}
	return n
}

// blocked is how long all workers waited for others.
func (v *site) blocked(from, to time.Duration) (sum time.Duration) {
	var edges []time.Duration
	for _, l := range slices.Concat(v.callLog, v.usableLog) {
		edges = append(edges, max(from, min(to, l.at)))
	}
	edges = append(edges, from, to)
	slices.Sort(edges)
	for i := 1; i < len(edges); i++ {
		calling, usable := levelAt(v.callLog, edges[i-1]), levelAt(v.usableLog, edges[i-1])
		if edges[i-1] >= from && usable > 0 && calling >= usable {
			sum += edges[i] - edges[i-1]
		}
	}
	return sum
}
