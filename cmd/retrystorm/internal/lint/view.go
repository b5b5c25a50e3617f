package lint

import (
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
	order    []int       // services, callers before those they call
	nominal  []float64   // by service: mean seconds of a call when all is well and nobody waits
	failing  [][]failure // by service
	report   func(subject string, f Finding)
}

// hop is a step of a caller.
type hop struct {
	from   string // the caller's name
	path   string // where the caller stands
	caller int    // index of the calling service; -1: a group
	group  int    // index of the calling group; -1: a service
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
		path := "groups." + g.Name
		if g.Name == "clients" {
			path = "clients"
		}
		v.groups = append(v.groups, group{Group: &m.Groups[i], path: path})
		v.addHops(hop{from: g.Name, path: path, caller: -1, group: i}, m.Groups[i].Steps, g.Calls)
	}
	for i := range s.Services {
		name := s.Services[i].Name
		v.addHops(hop{from: name, path: "services." + name, caller: i, group: -1}, m.Services[i].Steps, s.Services[i].Calls)
	}
	v.sort()
	v.nominal = make([]float64, len(m.Services))
	for k := len(v.order) - 1; k >= 0; k-- {
		i := v.order[k]
		v.nominal[i] = m.Services[i].Spec.ServiceTime.MeanSeconds()
		for _, step := range m.Services[i].Steps {
			v.nominal[i] += v.roundTrip(&step)
		}
	}
	v.causes()
	for i := range v.groups {
		v.measure(&v.groups[i])
	}
	return v, nil
}

func (v *view) addHops(h hop, steps []sim.Step, written scenarios.Steps) {
	for i := range steps {
		h.Step, h.layers = &steps[i], nil
		place := h.path + ".policy"
		if written[i].Policy != nil {
			place = h.path + ".calls." + steps[i].Name + ".policy"
		}
		for _, p := range steps[i].Policies {
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
	}
}

// sort puts the services that are reached in order. The path has no circles.
func (v *view) sort() {
	seen := make([]bool, len(v.model.Services))
	var visit func(steps []sim.Step)
	visit = func(steps []sim.Step) {
		for i := range steps {
			to := steps[i].To
			if seen[to] {
				continue
			}
			seen[to] = true
			visit(v.model.Services[to].Steps)
			v.order = append([]int{to}, v.order...)
		}
	}
	for i := range v.groups {
		visit(v.groups[i].Steps)
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
	g.base = make([]float64, len(v.model.Services))
	for i := range g.Steps {
		g.base[g.Steps[i].To]++
	}
	for _, i := range v.order {
		for k := range v.model.Services[i].Steps {
			g.base[v.model.Services[i].Steps[k].To] += g.base[i]
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
		for i := range g.Steps {
			cycle += v.roundTrip(&g.Steps[i])
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

// runs is how often a hop runs when nothing is retried: per second, and in the
// whole run.
func (v *view) runs(h *hop) (rate, total float64) {
	if h.group >= 0 {
		return v.groups[h.group].rate, v.groups[h.group].total
	}
	for i := range v.groups {
		g := &v.groups[i]
		if g.base[h.caller] > 0 {
			rate += float64(g.rate * g.base[h.caller])
			total += float64(g.total * g.base[h.caller])
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
