package lint

import (
	"fmt"
	"slices"
	"strings"

	"retrystorm/sim"
	"retrystorm/strategies"
)

// tooMany calls for one request are a problem.
const tooMany = 10

// reached is what one request of a group comes to at a service when everything
// fails.
type reached struct {
	calls, average  Count    // of the service
	inside, passing Count    // how often it works, and on average, when what it calls fails
	chain           []factor // the way with most calls
	below           []factor // the same for what it calls
	longest, widest float64  // calls on these ways
	assumed         bool     // nothing in the scenario makes its calls fail
}

// amplify follows the requests of a group, and has a row for each hop. Overload
// leaves out what else makes calls fail.
func (v *view) amplify(g *group, overload bool) (calls []reached, rows []Row) {
	calls = make([]reached, len(v.model.Services))
	for i := range v.hops {
		if h := &v.hops[i]; h.group >= 0 && v.groups[h.group].Group == g.Group {
			rows = append(rows, v.follow(calls, h, &reached{inside: exactly(1), passing: exactly(1), widest: 1}, overload))
		}
	}
	for _, s := range v.order {
		for i := range v.hops {
			if h := &v.hops[i]; h.caller == s && calls[s].inside.N > 0 {
				rows = append(rows, v.follow(calls, h, &calls[s], overload))
			}
		}
	}
	for i := range rows {
		rows[i].Group = g.Name
	}
	return calls, rows
}

// follow takes a request over one hop.
func (v *view) follow(all []reached, h *hop, from *reached, overload bool) Row {
	ways, through := v.failures(h), v.fromBelow(h)
	if overload {
		ways, through = ofOverload(ways), ofOverload(through)
	}
	if v.isQueue(h.To) { // the message is stored
		ways, through = nil, nil
	}
	here, below := v.worst(h, ways), v.worst(h, through)
	here.made(h, v.again(h, overload))
	below.made(h, v.again(h, overload))
	to := &all[h.To]
	to.assumed = to.assumed || v.assumed(h)
	calls, average := from.inside.times(here.calls), from.passing.times(here.average)
	to.calls, to.average = to.calls.plus(calls), to.average.plus(average)
	to.inside, to.passing = to.inside.plus(from.inside.times(below.calls)), to.passing.plus(from.passing.times(below.average))
	chain := append(slices.Clone(from.below), here.factors...)
	if n := from.widest * here.calls.N; to.chain == nil || n > to.longest {
		to.longest, to.chain = n, chain
	}
	if n := from.widest * below.calls.N; to.below == nil || n > to.widest {
		to.widest, to.below = n, append(slices.Clone(from.below), below.factors...)
	}
	step := h.Name
	if step == v.service(h).Name {
		step = ""
	}
	return Row{
		From: h.from, To: v.service(h).Name, Step: step, Policy: h.policy(),
		Attempts: here.attempts, Calls: calls, Average: average, How: how(chain, calls, average),
		Assumed: v.assumed(h),
	}
}

// policy names the policies of a hop.
func (h *hop) policy() string {
	var names []string
	for i := range h.layers {
		name := h.layers[i].Name
		if name == "" {
			name = "in place"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, " > ")
}

// product writes the factors that are not 1, such as 4 x 4 x (1 + 2).
func product(chain []factor) string {
	var parts []string
	for i := range chain {
		f := &chain[i]
		if f.attempts.N != 1 {
			parts = append(parts, f.attempts.String())
		}
		if f.hedges > 0 {
			parts = append(parts, fmt.Sprintf("(1 + %d)", f.hedges))
		}
	}
	return strings.Join(parts, " x ")
}

// how explains a number of calls in a few words.
func how(chain []factor, calls, average Count) string {
	var parts []string
	if p := product(chain); strings.ContainsAny(p, "x(") {
		if severalWays(chain, calls) {
			p += " on the way with most"
		}
		parts = append(parts, p)
	}
	for i := range chain {
		if chain[i].why != "" && !slices.Contains(parts, chain[i].why) {
			parts = append(parts, chain[i].why)
		}
	}
	if average.N < calls.N {
		parts = append(parts, "on average at most "+number(average.N)+budgets(chain))
	}
	return strings.Join(parts, "; ")
}

// severalWays says whether there are more calls than those of the longest chain.
func severalWays(chain []factor, calls Count) bool {
	const digits = 1e-9 // lost in the sum
	one := exactly(1)
	for i := range chain {
		one = one.times(chain[i].calls())
	}
	return one.N < float64(calls.N*(1-digits))
}

// budgets says by which budgets an average is bounded.
func budgets(chain []factor) string {
	var parts []string
	for i := range chain {
		if b := chain[i].budget; b != "" && !slices.Contains(parts, b) {
			parts = append(parts, b)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

// amplification finds services that get too many calls for one request.
func (v *view) amplification() {
	for i := range v.groups {
		g := &v.groups[i]
		for _, s := range v.order {
			r := &g.calls[s]
			if min(r.calls.N, r.average.N) < tooMany || v.worseBelow(g, s) {
				continue
			}
			top := largest(r.chain)
			if top == nil { // many steps, each without a retry
				continue
			}
			f := Finding{Check: Amplification, Severity: Problem, Path: top.limits()}
			f.Message, f.Fix = v.tooManyCalls(g, s, r)
			subject := g.Name + " " + v.model.Services[s].Name
			if r.assumed {
				subject += " assumed"
			}
			v.report(subject, f)
		}
	}
}

// worseBelow says whether a service calls one that gets as many calls.
func (v *view) worseBelow(g *group, s int) bool {
	for step := range sim.Calls(v.model.Services[s].Steps) {
		below := &g.calls[step.To]
		if below.calls.N >= g.calls[s].calls.N && below.average.N >= tooMany {
			return true
		}
	}
	return false
}

// largest is the layer with most attempts, of equals the one closest to the
// service.
func largest(chain []factor) *factor {
	var best *factor
	for i := range chain {
		if f := &chain[i]; f.repeats() && (best == nil || f.calls().N >= best.calls().N) {
			best = f
		}
	}
	return best
}

// limits is the field that says how many attempts, or deliveries, there are.
func (f *factor) limits() string {
	l := f.layer
	switch {
	case l == nil:
		return f.hop.path + ".max_receives"
	case l.MaxAttempts == strategies.Unlimited || l.MaxAttempts > 1:
		return l.field("max_attempts")
	}
	return l.field("hedge")
}

func (v *view) tooManyCalls(g *group, s int, r *reached) (message, fix string) {
	name := v.model.Services[s].Name
	var repeating []*factor
	for i := range r.chain {
		if r.chain[i].repeats() {
			repeating = append(repeating, &r.chain[i])
		}
	}
	last := repeating[len(repeating)-1]
	when := "when everything fails"
	if r.assumed {
		when = "nothing makes " + name + " fail here, but if something did, in any way that is retried"
	}
	switch {
	case r.calls.unlimited():
		message = fmt.Sprintf("%s, there is no limit to the calls to %s for one request of %s", when, name, g.Name)
		fix = "a number of attempts, a deadline, or a budget"
	default:
		message = fmt.Sprintf("%s, one request of %s becomes %s calls to %s", when, g.Name, r.calls, name)
		fix = "fewer attempts, or a budget"
	}
	if why := how(r.chain, r.calls, r.average); why != "" {
		message += ": " + why
	}
	switch {
	case largest(r.chain).layer == nil:
		fix = "fewer deliveries, and a dead_letter queue for what is left"
	case len(repeating) > 1 && severalWays(r.chain, r.calls):
		fix = "retry in one place; or a budget"
	case len(repeating) > 1:
		fix = fmt.Sprintf("retry in one place: only from %s to %s it is %s; or a budget", last.hop.from, v.service(last.hop).Name, last.calls())
	}
	return message, fix
}
