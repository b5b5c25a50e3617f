package scenarios

import (
	"math"
	"strconv"

	"retrystorm/sim"
)

// callers are those who make the calls of a group: itself, unless every class
// has something of its own, and the classes that have.
func (g *NamedGroup) callers() []caller {
	var out []caller
	plain := len(g.Classes) == 0
	for i := range g.Classes {
		if c, own := g.classCaller(i); own {
			out = append(out, c)
		} else {
			plain = true
		}
	}
	if plain {
		out = append([]caller{g.caller()}, out...)
	}
	return out
}

// classCaller is a class as one who calls others, and whether it calls others
// than its group, or in another way.
func (g *NamedGroup) classCaller(i int) (c caller, own bool) {
	k := &g.Classes[i]
	c = g.caller()
	c.callsAt, c.policyAt, c.networkAt, c.path = c.path, c.path, c.path, join(c.path, "classes."+k.Name)
	if len(k.Calls) > 0 {
		c.calls, c.callsAt = k.Calls, ""
	}
	if k.Policy != nil {
		c.policy, c.policyAt = k.Policy, ""
	}
	return c, len(k.Calls) > 0 || k.Policy != nil
}

// classes are the classes of a group; those without steps have the group's.
func (r *resolver) classes(g *NamedGroup) ([]sim.Class, error) {
	var out []sim.Class
	for i := range g.Classes {
		k := &g.Classes[i]
		class := sim.Class{Name: k.Name, Share: k.Share, Cost: k.Cost}
		if c, own := g.classCaller(i); own {
			var err error
			if class.Steps, err = r.steps(c, c.calls, g.Idempotent); err != nil {
				return nil, err
			}
		}
		out = append(out, class)
	}
	return out, nil
}

// classesCall says whether a group is written with classes that all have calls of
// their own.
func classesCall(n *node) bool {
	classes := n.value("classes")
	if classes == nil || len(classes.fields) == 0 {
		return false
	}
	for _, e := range classes.fields {
		if e.val.value("calls") == nil {
			return false
		}
	}
	return true
}

const maxCost = 1e9

// costs checks the costs of a group and its classes, and what share each is.
func (v *validator) costs(g *NamedGroup) {
	cost := func(path string, x float64) {
		if !(0 < x && x <= maxCost) {
			v.bad(join(path, "cost"), "too small or too large; what costs no service time has a service of its own", "above 0 and at most 1e9")
		}
	}
	cost(g.path(), g.Cost)
	if len(g.Classes) == 0 {
		return
	}
	sum := 0.0
	for i := range g.Classes {
		k := &g.Classes[i]
		path := join(g.path(), "classes."+k.Name)
		cost(path, k.Cost)
		v.idleIf(k.Share == 0, path, "no request is of this class: its share is 0%")
		sum += k.Share
	}
	if path := join(g.path(), "classes"); math.Abs(sum-1) > 1e-9 {
		v.bad(path, "the shares of the classes add up to "+strconv.FormatFloat(100*sum, 'g', 6, 64)+"%", "shares that add up to 100%")
	}
}
