package lint

import (
	"cmp"
	"slices"

	"retrystorm/scenarios"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// view is one point, with what the checks ask for.
type view struct {
	scenario *scenarios.Scenario
	model    *sim.Model
	places   scenarios.Places
	hops     []hop
	groups   []group
	order    []int       // services and queues, callers before those they call
	nominal  []float64   // by service: mean seconds of a call when all is well and nobody waits
	failing  [][]failure // by service
	report   func(subject string, f Finding)
}

// hop is a step of a caller.
type hop struct {
	from     string  // the caller's name
	path     string  // where the caller stands
	policies string  // where its policy stands, if not there
	caller   int     // index of the calling service or queue; -1: a group
	group    int     // index of the calling group; -1: a service
	share    float64 // of the caller's requests or calls that it is made for
	cost     float64 // of a group's requests
	ignored  bool    // its failure is
	*sim.Step
	layers []layer // the outermost first
}

// layer is a policy of a hop.
type layer struct {
	*sim.Policy
	path  string
	rules strategies.Rules // of calls as they are made here
}

// field is the path of a field of the policy.
func (l *layer) field(name string) string { return l.path + "." + name }

// group is a group of clients and its load.
type group struct {
	*sim.Group
	path  string
	rate  float64   // requests per second; 0 when there is no steady rate
	total float64   // requests in the whole run; +Inf when not known
	base  []float64 // by service: calls of one request when all is well
	worth []float64 // the same, each counting for what it costs
	calls []reached // by service: the worst case of one request
	// sustained is the same when only what load causes fails.
	sustained []reached
}

// newView resolves the point and finds its way through it.
func newView(s *scenarios.Scenario, places scenarios.Places) (*view, error) {
	m, err := s.Model()
	if err != nil {
		return nil, err
	}
	v := &view{scenario: s, model: m, places: places}
	for i, g := range s.AllGroups() {
		path := groupPath(g.Name)
		v.groups = append(v.groups, group{Group: &m.Groups[i], path: path})
		h := hop{from: g.Name, path: path, caller: -1, group: i, share: 1, cost: costOf(g.Cost)}
		if len(g.Classes) > 0 {
			v.classHops(h, &m.Groups[i], &g)
			continue
		}
		v.addHops(h, m.Groups[i].Steps, g.Calls)
	}
	for i := range s.Services {
		name := s.Services[i].Name
		v.addHops(hop{from: name, path: "services." + name, caller: i, group: -1, share: 1}, m.Services[i].Steps, s.Services[i].Calls)
	}
	for i := range s.Queues {
		at := len(s.Services) + i
		name := s.Queues[i].Name
		v.addHops(hop{from: name, path: "queues." + name, caller: at, group: -1, share: 1}, m.Services[at].Steps, scenarios.Steps{{To: s.Queues[i].To}})
	}
	v.sort()
	v.nominal = make([]float64, len(m.Services))
	for k := len(v.order) - 1; k >= 0; k-- {
		i := v.order[k]
		if !v.isQueue(i) {
			v.nominal[i] = m.Services[i].Spec.ServiceTime.MeanSeconds() + v.steps(m.Services[i].Steps)
		}
	}
	v.causes()
	for i := range v.groups {
		v.measure(&v.groups[i])
	}
	return v, nil
}

func (v *view) addHops(h hop, steps []sim.Step, written scenarios.Steps) {
	var calls []*scenarios.Step
	for step := range written.Calls() {
		calls = append(calls, step)
	}
	of := h.share
	taken(steps, 1, false, func(step *sim.Step, share float64, ignored bool) {
		h.Step, h.layers, h.share, h.ignored = step, nil, float64(of*share), ignored
		place := cmp.Or(h.policies, h.path) + ".policy"
		if calls[0].Policy != nil {
			place = h.path + ".calls." + step.Name + ".policy"
		}
		if calls = calls[1:]; h.share == 0 {
			return
		}
		for _, p := range step.Policies {
			l := layer{Policy: p, path: place, rules: p.Policy.Compile()}
			if p.Name != "" {
				l.path = "policies." + p.Name
			}
			if !h.Idempotent {
				l.rules = l.rules.NotIdempotent(p.Policy)
			}
			h.layers = append(h.layers, l)
		}
		v.hops = append(v.hops, h)
	})
}

// sort puts the services and queues that are reached in order. The path has no
// circles, but for messages that make messages.
func (v *view) sort() {
	seen := make([]bool, len(v.model.Services))
	var visit func(to int)
	visit = func(to int) {
		if seen[to] {
			return
		}
		seen[to] = true
		for _, step := range slices.Backward(slices.Collect(sim.Calls(v.model.Services[to].Steps))) {
			visit(step.To)
		}
		v.order = append([]int{to}, v.order...)
	}
	for i := range slices.Backward(v.hops) {
		if h := &v.hops[i]; h.group >= 0 {
			visit(h.To)
		}
	}
}

// service is what a hop calls.
func (v *view) service(h *hop) *sim.Service { return &v.model.Services[h.To] }

// roundTrip is the mean time of a call in seconds, when all is well.
func (v *view) roundTrip(step *sim.Step) float64 {
	return v.nominal[step.To] + float64(2*step.Network.MeanSeconds())
}

// measure finds the load of a group.
func (v *view) measure(g *group) {
	g.rate, g.total = v.load(g)
	g.base, g.worth = make([]float64, len(v.model.Services)), make([]float64, len(v.model.Services))
	for i := range v.hops {
		if h := &v.hops[i]; h.group >= 0 && v.groups[h.group].Group == g.Group {
			g.base[h.To] += h.share
			g.worth[h.To] += float64(h.share * h.cost)
		}
	}
	for _, i := range v.order {
		for k := range v.hops {
			if h := &v.hops[k]; h.caller == i {
				g.base[h.To] += float64(g.base[i] * h.share)
				g.worth[h.To] += float64(g.worth[i] * h.share)
			}
		}
	}
}

// load is the mean rate of a group, and how many requests it makes in a run.
func (v *view) load(g *group) (rate, total float64) {
	a := &g.Arrival
	process := a.Process(g.Count)
	end := process.Until(v.model.Until)
	seconds := (end - a.At).Seconds()
	total = float64(g.Count) * limit(g.Requests)
	switch a.Kind {
	case "burst":
		return 0, total
	case "closed":
		cycle := a.Think.MeanSeconds()
		for i := range g.Classes {
			if c := &g.Classes[i]; c.Steps != nil {
				cycle += float64(c.Share * v.steps(c.Steps))
			} else {
				cycle += float64(c.Share * v.steps(g.Steps))
			}
		}
		if len(g.Classes) == 0 {
			cycle += v.steps(g.Steps)
		}
		if cycle <= 0 || seconds <= 0 {
			return 0, total
		}
		rate = float64(g.Count) / cycle
		return rate, min(total, float64(rate*seconds)+float64(g.Count))
	case "trace":
		n := float64(len(a.Times))
		if seconds <= 0 {
			return 0, n
		}
		return n / seconds, n
	}
	n := process.Integral(a.At, end)
	if seconds <= 0 {
		return 0, 0
	}
	return n / seconds, min(total, n)
}

func limit(n int64) float64 {
	if n == random.Unlimited {
		return inf
	}
	return float64(n)
}

// offered is the rate of calls to a service when nothing is retried, by the
// groups that have a rate.
func (v *view) offered(service int) float64 {
	rate := 0.0
	for i := range v.groups {
		rate += float64(v.groups[i].rate * v.groups[i].base[service])
	}
	return rate
}

// asked is the same in calls of cost 1.
func (v *view) asked(service int) float64 {
	rate := 0.0
	for i := range v.groups {
		rate += float64(v.groups[i].rate * v.groups[i].worth[service])
	}
	return rate
}

// runs is how often a hop runs when nothing is retried: per second, and in the
// whole run.
func (v *view) runs(h *hop) (rate, total float64) {
	if h.group >= 0 {
		return float64(v.groups[h.group].rate * h.share), float64(v.groups[h.group].total * h.share)
	}
	for i := range v.groups {
		g := &v.groups[i]
		if g.base[h.caller] > 0 {
			rate += float64(g.rate * g.base[h.caller] * h.share)
			total += float64(g.total * g.base[h.caller] * h.share)
		}
	}
	return rate, total
}

// everybody is the holder of what all callers share.
const everybody = "all callers together"

// holder is who has a state of its own under a policy.
type holder struct {
	n     float64 // how many there are
	what  string  // of one of them, such as "process"
	rate  float64 // runs per second of each
	total float64 // runs of each in the whole run
}

// holders says who shares the state of a policy at a hop, given its scope and
// what it is keyed by.
func (v *view) holders(h *hop, l *layer, scope, keyed string) holder {
	out := holder{n: 1, what: "process"}
	switch {
	case scope == "all":
		out.what = everybody
	case h.group >= 0 && scope == "client":
		out.n, out.what = float64(v.groups[h.group].Count), "client"
	case h.group >= 0:
		out.n = float64(v.groups[h.group].Processes)
	}
	for i := range v.hops {
		o := &v.hops[i]
		mine := scope == "all" || o.caller == h.caller && o.group == h.group
		if !mine || keyed != "policy" && o.To != h.To || !o.has(l.Policy) {
			continue
		}
		rate, total := v.runs(o)
		out.rate += rate
		out.total += total
	}
	out.rate /= out.n
	out.total /= out.n
	return out
}

func (h *hop) has(p *sim.Policy) bool {
	for i := range h.layers {
		if h.layers[i].Policy == p {
			return true
		}
	}
	return false
}

// starts says why the callers of a hop may fail at one moment whatever makes
// them fail: because they start together; or "".
func (v *view) starts(h *hop) string {
	if h.group < 0 {
		return ""
	}
	g := &v.groups[h.group]
	a := &g.Arrival
	if g.Count > 1 && (a.Kind == "burst" && a.Spread == 0 || a.Kind == "every" && a.Phase == "aligned" && a.Jitter == 0) {
		return "the clients start together"
	}
	return ""
}

// alone says whether a hop has one caller with one request at a time.
func (v *view) alone(h *hop) bool {
	if h.group < 0 {
		return false
	}
	g := &v.groups[h.group]
	return g.Count == 1 && (g.Arrival.Kind == "burst" || g.Arrival.Kind == "closed" || g.Arrival.Kind == "every")
}

// together says why callers of a hop may fail at one moment in this way, or "".
func (v *view) together(h *hop, f *failure) string {
	switch why := v.starts(h); {
	case v.alone(h):
		return ""
	case why != "":
		return why
	case f.together:
		return f.why
	}
	return ""
}
