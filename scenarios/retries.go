package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// Notes about retries: those that never come, and those that multiply.

// retryAdvice notes what keeps a policy with several attempts from retrying, or
// from waiting.
func (v *validator) retryAdvice(path string, p *Policy) {
	field := func(name string) string { return join(path, name) }
	const nothing = "nothing is ever retried: "
	v.idleIf(p.Timeout > 0 && p.SlowerThan >= p.Timeout, field("slower_than"),
		nothing+"no attempt takes longer than its timeout of "+FormatDuration(p.Timeout))
	v.idleIf(p.Deadline > 0 && p.SlowerThan >= p.Deadline, field("slower_than"),
		nothing+"the request is over by then, after a deadline of "+FormatDuration(p.Deadline))
	v.idleIf(neverAllows(p.Budget), field("budget"), "no retry is ever allowed: neither the ratio nor the floor lets one through; for that, max_attempts: 1 is enough")
	v.idleIf(noBase(&p.Backoff), field("backoff.base"), "retries at once: every wait is 0s")
	for i := range p.BackoffOn {
		o := &p.BackoffOn[i]
		v.idleIf(noBase(&o.Backoff), field("backoff_on."+o.Outcome+".base"), "retries at once: every wait is 0s")
		v.idleIf(apart([]string{o.Outcome}, p.RetryOn), field("backoff_on."+o.Outcome), "has no effect: "+o.Outcome+" is not in retry_on")
	}
}

// noBase says whether all waits are a multiple of a base of 0.
func noBase(b *strategies.Backoff) bool {
	switch b.Kind {
	case "none", "schedule", "additive-jitter", "custom":
		return false
	}
	return b.Base == 0
}

// apart says whether no outcome is in both lists.
func apart(a, b []string) bool {
	x, err := strategies.ParseOutcomes(a)
	y, errToo := strategies.ParseOutcomes(b)
	if err != nil || errToo != nil {
		return false
	}
	for i := range x {
		if x[i]&y[i] != 0 {
			return false
		}
	}
	return true
}

// neverAllows says whether a budget refuses every retry.
func neverAllows(b *strategies.Budget) bool {
	if b == nil || b.Ratio > 0 {
		return false
	}
	switch b.Kind {
	case "ratio", "window", "concurrent":
		return b.Floor == strategies.Floor{Set: true}
	}
	return b.Kind == "failures"
}

// breakerAdvice notes settings of a breaker that it cannot come to.
func (v *validator) breakerAdvice(path string, p *Policy) {
	b, field := p.Breaker, func(name string) string { return join(path, "breaker."+name) }
	v.idleIf(b.SlowCall == 0, field("slow_calls"), "has no effect: without slow_call no call is slow")
	limit, name := p.Timeout, "timeout"
	if b.Wraps == "request" {
		limit, name = p.Deadline, "deadline"
	}
	v.idleIf(limit > 0 && b.SlowCall >= limit, field("slow_call"), "has no effect: no call takes longer than its "+name+" of "+FormatDuration(limit))
	if b.Kind == "count" && b.MinCalls != nil && *b.MinCalls > b.Size {
		v.idleIf(true, field("min_calls"), fmt.Sprintf("more than it ever knows: size (%d) is taken", b.Size))
	}
}

// otherWaits notes waits by outcome that a library keeps when only its backoff
// is replaced.
func (v *validator) otherWaits(path string, p *Policy) {
	own, others := find(v.root, join(path, "backoff")), find(v.root, join(path, "backoff_on"))
	if own == nil || own.preset || !own.whole || others == nil || !others.preset || len(others.fields) == 0 || p.MaxAttempts == 1 {
		return
	}
	if p.Extends != "" && find(v.root, "policies."+p.Extends+".backoff") == own {
		return // said of the other policy
	}
	v.warn(join(path, "backoff"), "after "+list(names(others))+" the library's own wait still holds; backoff_on: {} removes it")
}

// givesUp says whether callers under a policy may leave before the answer.
func givesUp(p *strategies.Policy) bool {
	return p.Timeout > 0 || p.Deadline > 0 || p.Hedge != nil
}

// abandoned notes services that drop the work of callers who have left, when
// none ever does.
func (v *validator) abandoned() {
	services := v.scenario.Services
	left, called := make([]bool, v.graph.count()), make([]bool, v.graph.count())
	for _, g := range v.scenario.AllGroups() {
		v.graph.reachOf(&g, called)
	}
	for _, c := range v.scenario.callers() {
		c.calls.each(func(step *Step) bool {
			v.graph.reach(step.Parallel, left) // once it is known what they come to
			layers, _ := v.graph.layers(c, step)
			if slices.ContainsFunc(layers, func(l layer) bool { return givesUp(l.Policy) }) {
				v.graph.reach(Steps{*step}, left)
			}
			return true
		})
	}
	for i := range services {
		if services[i].Crash != nil { // callers die
			v.graph.reach(services[i].Calls, left)
		}
	}
	for i := range services {
		s := &services[i]
		v.idleIf(s.Expired.Kind == "drop" && called[i] && !left[i], "services."+s.Name+".expired",
			"has no effect: no caller ever leaves, as no policy above has a timeout, a deadline or hedges")
	}
}

// manyCalls for one request are more than anybody means.
const manyCalls = 1e6

// multiplied notes policies whose attempts multiply, by layers and along the
// call path, to very many. Attempts without a number count as one: something
// else is to stop them.
func (v *validator) multiplied() {
	below := map[int]float64{}
	var worst func(c caller, step *Step) float64
	worst = func(c caller, step *Step) float64 {
		product := 1.0
		layers, _ := v.graph.layers(c, step)
		for _, l := range layers {
			if l.MaxAttempts != random.Unlimited {
				product *= float64(l.MaxAttempts)
			}
		}
		to := v.graph.places[step.To]
		if v.graph.queue(to) != nil {
			return product // what becomes of the message is a matter of its own
		}
		if _, known := below[to]; !known {
			below[to] = 1
			most, next := 1.0, v.graph.caller(to)
			for step := range next.calls.Calls() {
				most = max(most, worst(next, step))
			}
			below[to] = most
		}
		return product * below[to]
	}
	for _, c := range v.scenario.callers() {
		if strings.HasPrefix(c.path, "services.") {
			continue
		}
		for step := range c.calls.Calls() {
			if n := worst(c, step); n > manyCalls {
				_, path := c.policyOf(step)
				v.warn(path, fmt.Sprintf("up to %.0e calls for one request, when all of them fail: the attempts of layers and of hops multiply", n))
			}
		}
	}
}
