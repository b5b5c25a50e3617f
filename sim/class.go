package sim

import (
	"cmp"
	"math"
	"time"

	"retrystorm/sim/random"
)

// class is a Class, compiled.
type class struct {
	upTo  float64 // its share, and those of the classes before it
	cost  float64 // the group's included
	first int     // its steps begin at hops[first]
}

// compileClasses makes the classes of the groups. Their steps come after all
// others, so that what is drawn for those stays as it is without them.
func (r *Runner) compileClasses(m *Model, share *sharing) {
	r.entries = m.entries()
	entry := len(m.Groups)
	for i := range m.Groups {
		g, c := &m.Groups[i], &r.groups[i]
		c.cost, c.entry = cmp.Or(g.Cost, 1), entry
		r.costs = r.costs || c.cost != 1
		share.caller, share.clients, share.processes = i, int(g.Count), int(c.processes)
		total := 0.0
		for k := range g.Classes {
			v := &g.Classes[k]
			total += v.Share
			x := class{upTo: total, cost: float64(c.cost * cmp.Or(v.Cost, 1)), first: c.first}
			r.costs = r.costs || x.cost != 1
			if len(v.Steps) > 0 {
				x.first = int(r.compileSteps(m, v.entry(g), v.Steps, share))
			}
			c.classes = append(c.classes, x)
		}
		// Shares are rounded; the last class that has one ends at 1.
		for k := len(c.classes) - 1; k >= 0; k-- {
			c.classes[k].upTo = 1
			if g.Classes[k].Share > 0 {
				break
			}
		}
		entry += len(g.Classes)
	}
}

// entry is the name of a class in a Record.
func (c *Class) entry(g *Group) string { return g.Name + "/" + c.Name }

// entries are the names of Record.Groups.
func (m *Model) entries() []string {
	var names []string
	for i := range m.Groups {
		names = append(names, m.Groups[i].Name)
	}
	for i := range m.Groups {
		g := &m.Groups[i]
		for k := range g.Classes {
			names = append(names, g.Classes[k].entry(g))
		}
	}
	return names
}

// classOf is which class of its group a request is of. It is drawn under the key
// of the request's first run, so that it is the same whenever it is asked for.
func (g *group) classOf(client, request uint32) int {
	u := random.Unit(g.rootKey(client, request).Draw(random.Class, 0))
	for i := range g.classes {
		if u < g.classes[i].upTo {
			return i
		}
	}
	return len(g.classes) - 1
}

// firstHop is where a request's path begins.
func (g *group) firstHop(client, request uint32) uint16 {
	if g.classes == nil {
		return uint16(g.first)
	}
	return uint16(g.classes[g.classOf(client, request)].first)
}

// classEntry is where a request's class is in Record.Groups; -1: it has none.
func (r *Runner) classEntry(t *task) int {
	g := &r.groups[t.origin.group()]
	if g.classes == nil {
		return -1
	}
	return g.entry + g.classOf(t.client, t.request)
}

// costly is a service time of a call, by what its request costs.
func (r *Runner) costly(c *call, d time.Duration) time.Duration {
	if !r.costs {
		return d
	}
	g := &r.groups[c.origin.group()]
	cost := g.cost
	if g.classes != nil {
		cost = g.classes[g.classOf(c.client, c.request)].cost
	}
	if cost == 1 {
		return d
	}
	return time.Duration(min(math.Round(float64(float64(d)*cost)), longestWork))
}

// longestWork is as much work as there can be.
const longestWork = float64(Never / 4)
