package scenarios

import "retrystorm/strategies"

// Notes about deadlines that travel: those that nobody carries, and those that
// nobody looks at.

// deadlines notes services that refuse what is too late when no call says when
// that is, and policies that pass on a deadline in vain.
func (v *validator) deadlines() {
	g := v.graph
	carried, called := make([]bool, g.count()), make([]bool, g.count())
	for _, group := range v.scenario.AllGroups() {
		g.reachOf(&group, called)
	}
	for again := true; again; {
		again = false
		v.eachHop(func(from int, c caller, step *Step, layers []layer) {
			to := g.places[step.To]
			if !carried[to] && passesOn(layers) && g.service(to) != nil && (from >= 0 && carried[from] || hasLimit(layers)) {
				carried[to], again = true, true
			}
		})
	}
	for i := range v.scenario.Services {
		s := &v.scenario.Services[i]
		v.idleIf(s.Expired.Kind == "refuse" && called[i] && !carried[i], "services."+s.Name+".expired",
			"never refuses: no call to it carries a deadline; see propagate in policies")
	}
	useful, given := map[*strategies.Policy]bool{}, map[*strategies.Policy]bool{}
	v.eachHop(func(from int, c caller, step *Step, layers []layer) {
		to := g.places[step.To]
		own := from >= 0 && carried[from]
		for _, l := range layers {
			given[l.Policy] = given[l.Policy] || own || hasLimit(layers)
			useful[l.Policy] = useful[l.Policy] || own || hasLimit(layers) && v.heeds(to)
		}
	})
	v.eachPolicy(func(path string, p *Policy) {
		message := "has no effect: nobody who is called under this policy refuses what is too late, or passes the deadline on"
		if !given[&p.Policy] {
			message = "has no effect: there is no deadline to carry, as neither a timeout nor a deadline holds here"
		}
		v.idleIf(p.Propagate && !useful[&p.Policy], join(path, "propagate"), message)
	})
}

// heeds says whether a service does anything about a deadline that it is given.
func (v *validator) heeds(place int) bool {
	s := v.graph.service(place)
	return s != nil && (s.Expired.Kind == "refuse" || passesOn(v.graph.layersOf(s.caller())))
}

func passesOn(layers []layer) bool {
	for _, l := range layers {
		if l.Propagate {
			return true
		}
	}
	return false
}

func hasLimit(layers []layer) bool {
	for _, l := range layers {
		if l.Timeout > 0 || l.Deadline > 0 {
			return true
		}
	}
	return false
}

// eachHop visits the calls of all callers, with the place of those that are one,
// else -1.
func (v *validator) eachHop(visit func(from int, c caller, step *Step, layers []layer)) {
	hops := func(from int, c caller) {
		for step := range c.calls.Calls() {
			layers, _ := v.graph.layers(c, step)
			visit(from, c, step, layers)
		}
	}
	for _, g := range v.scenario.AllGroups() {
		for _, c := range g.callers() {
			hops(-1, c)
		}
	}
	for i := range v.graph.count() {
		hops(i, v.graph.caller(i))
	}
}

// oneReplica notes policies that avoid a replica where there is no other.
func (v *validator) oneReplica() {
	several := map[*strategies.Policy]bool{}
	v.eachHop(func(_ int, _ caller, step *Step, layers []layer) {
		s := v.graph.service(v.graph.places[step.To])
		for _, l := range layers {
			several[l.Policy] = several[l.Policy] || s != nil && s.Replicas > 1
		}
	})
	v.eachPolicy(func(path string, p *Policy) {
		v.idleIf(p.AvoidFailed && p.MaxAttempts == 1, join(path, "avoid_failed"), "has no effect: max_attempts is 1, so nothing is retried")
		v.idleIf(p.AvoidFailed && p.MaxAttempts != 1 && !several[&p.Policy], join(path, "avoid_failed"), "has no effect: no service that is called under this policy has several replicas")
	})
}
