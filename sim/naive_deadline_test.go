package sim_test

import (
	"math"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
)

// Deadlines that travel, services that refuse, and classes, in the naive model.

// knows is the deadline that an inner layer or a service is told of by an
// attempt that is given up at its deadline; forever: none.
func (a *attempt) knows() time.Duration {
	switch {
	case a.layer.inner != nil: // the same caller: it knows all that the outer layer does
		return min(a.deadline, a.by.given())
	case a.layer.policy.Propagate:
		return a.deadline
	default:
		return forever
	}
}

// given is the deadline that a caller was given.
func (c *caller) given() time.Duration {
	if c.limit == 0 {
		return forever
	}
	return c.limit
}

// tooLate reports whether a service that refuses does so if it is asked now.
func (n *naive) tooLate(s *site, a *attempt) bool {
	v := n.m.Services[s.index]
	if v.Expired.Kind != "refuse" || a.carried == forever {
		return false
	}
	mean := v.Spec.ServiceTime.MeanSeconds()
	nominal := times(time.Duration(math.Round(mean*1e9)), n.cost(a.by))
	return n.now+nominal > a.carried
}

// turnedAway reports whether an attempt is refused at once when it arrives, and
// does it.
func (n *naive) turnedAway(s *site, a *attempt) bool {
	if n.m.Services[s.index].Expired.Time > 0 || s.down(n.now) != server.OK || !n.tooLate(s, a) {
		return false
	}
	n.expired(s, a)
	n.reply(s, a, 504)
	return true
}

// refuses decides about an attempt whose turn has come. It says whether the
// attempt is done with; else, if it is refused, a worker does it.
func (n *naive) refuses(s *site, a *attempt) bool {
	if !n.tooLate(s, a) {
		return false
	}
	n.expired(s, a)
	a.hinted = false
	if n.m.Services[s.index].Expired.Time > 0 {
		a.refused, a.answer = true, 504
		return false
	}
	if s.station != nil {
		s.station.Leave(n.now, n.now-a.arrived, true)
	}
	n.reply(s, a, 504)
	return true
}

func (n *naive) expired(s *site, a *attempt) { n.count(a, func() { s.rec.Expired++ }) }

// classOf is the number of a request's class, from 1; 0: there are none.
func (n *naive) classOf(group int, client, request uint32) int {
	u := random.Unit(n.groups[group].Child(uint64(client), uint64(request), 1).Draw(random.Class, 0))
	classes := n.m.Groups[group].Classes
	before := 0.0
	for i, c := range classes {
		if before += c.Share; u < before || i == len(classes)-1 {
			return i + 1
		}
	}
	return 0
}

// cost is what the service times of a request are multiplied by.
func (n *naive) cost(c *caller) float64 {
	g := n.m.Groups[c.group]
	cost := 1.0
	if g.Cost > 0 {
		cost = g.Cost
	}
	if c.class > 0 && g.Classes[c.class-1].Cost > 0 {
		cost *= g.Classes[c.class-1].Cost
	}
	return cost
}

func times(d time.Duration, factor float64) time.Duration {
	return time.Duration(math.Round(float64(d) * factor))
}

// compileClasses makes the paths of classes, each group's own first.
func (n *naive) compileClasses(paths [][]*layer) (all [][][]*layer) {
	for i, g := range n.m.Groups {
		all = append(all, [][]*layer{paths[i]})
		for _, c := range g.Classes {
			path := paths[i]
			if len(c.Steps) > 0 {
				path = n.compileSteps(i, g.Name+"/"+c.Name, c.Steps)
			}
			all[i] = append(all[i], path)
		}
	}
	return all
}

// classBooks counts the requests of classes like those of groups.
func (n *naive) classBooks() {
	for i, g := range n.m.Groups {
		for k, c := range g.Classes {
			x := n.fates(n.requests, func(h *history) bool { return h.counted && h.group == i && h.class == k+1 })
			x.Name = g.Name + "/" + c.Name
			n.rec.Groups = append(n.rec.Groups, x)
		}
	}
}

// late draws what has to do with deadlines and classes into a model.
func (d *drawing) late(m *sim.Model) {
	t := d.T
	for _, p := range d.policies {
		if p.Propagate = often(t, "propagate", 2); p.Propagate && often(t, "given", 2) && p.Deadline == 0 {
			p.Deadline = pick(t, "deadline given", 30*ms, 100*ms, 300*ms)
		}
	}
	for i := range m.Services {
		if often(t, "refuse", 2) {
			m.Services[i].Expired = sim.Expired{Kind: "refuse", Time: pick(t, "refusing", 0, 0, ms, 10*ms)}
		}
	}
	for i := range m.Groups {
		g := &m.Groups[i]
		g.Cost = pick(t, "cost", 0, 1, 0.5, 1.7)
		if !often(t, "classes", 2) {
			continue
		}
		shares := pick(t, "shares", []float64{0.5, 0.5}, []float64{0.1, 0.2, 0.7}, []float64{1}, []float64{0.3, 0.7, 0})
		for k, share := range shares {
			c := sim.Class{Name: string(rune('a' + k)), Share: share, Cost: pick(t, "class cost", 0, 1, 3, 0.333)}
			if often(t, "own steps", 2) {
				c.Steps = d.steps(0, len(m.Services))
			}
			g.Classes = append(g.Classes, c)
		}
	}
}
