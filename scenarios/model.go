package scenarios

import (
	"cmp"
	"errors"
	"slices"

	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// Model is the scenario ready to run: names resolved to indexes, every step
// with the policies and network that hold there. A warm-up that is to be found
// is none yet.
func (s *Scenario) Model() (*sim.Model, error) {
	g := newGraph(s)
	m := &sim.Model{
		Until: s.Until, Window: s.Window, Warmup: s.Warmup.Until, SLO: s.SLO,
		Trigger: s.Trigger, Target: g.target(),
	}
	if m.Target < 0 {
		return nil, errors.New("target: no service to report on")
	}
	r := &resolver{g, map[*strategies.Policy]*sim.Policy{}}
	harmless := g.idempotent()
	for i := range s.Services {
		svc := &s.Services[i]
		c := svc.caller()
		steps, err := r.steps(c, c.calls, harmless[i])
		if err != nil {
			return nil, err
		}
		m.Services = append(m.Services, sim.Service{
			Name: svc.Name, Spec: svc.Spec, Expired: svc.Expired, Async: !svc.Blocking,
			Effects: slices.Contains(s.Counted, svc.Name), Inbox: svc.Inbox, Steps: steps,
		})
	}
	for i := range s.Queues {
		q := &s.Queues[i]
		c := q.caller()
		steps, err := r.steps(c, c.calls, harmless[len(s.Services)+i])
		if err != nil {
			return nil, err
		}
		m.Services = append(m.Services, sim.Service{Name: q.Name, Spec: storing(), Steps: steps, Backlog: &q.Backlog})
	}
	for _, group := range s.AllGroups() {
		c := group.caller()
		steps, err := r.steps(c, c.calls, group.Idempotent)
		if err != nil {
			return nil, err
		}
		classes, err := r.classes(&group)
		if err != nil {
			return nil, err
		}
		processes := group.Count
		if group.Processes != nil {
			processes = *group.Processes
		}
		m.Groups = append(m.Groups, sim.Group{
			Name: group.Name, Count: group.Count, Processes: processes, Requests: group.requests(),
			Arrival: group.Arrival, Cost: group.Cost, Classes: classes, Steps: steps,
		})
	}
	var err error
	m.Actions, err = r.actions()
	return m, err
}

// AllGroups lists the groups of clients: the one called clients, if there is
// one, then the others in file order.
func (s *Scenario) AllGroups() []NamedGroup {
	var out []NamedGroup
	if s.Clients != nil {
		out = append(out, NamedGroup{"clients", *s.Clients})
	}
	return append(out, s.Groups...)
}

// path is where a group stands in the file.
func (g *NamedGroup) path() string {
	if g.Name == "clients" {
		return "clients"
	}
	return "groups." + g.Name
}

// requests is how many each client makes.
func (g *Group) requests() int64 {
	switch {
	case g.Requests != nil:
		return *g.Requests
	case g.Arrival.Kind == "burst":
		return 1
	}
	return random.Unlimited
}

// TargetName is the service whose load is reported first.
func (s *Scenario) TargetName() string {
	if i := newGraph(s).target(); i >= 0 {
		return s.Services[i].Name
	}
	return ""
}

// caller is who calls others: a group, a class of one, a service or a queue.
type caller struct {
	path    string
	calls   Steps
	policy  *PolicyRef
	network random.Dist
	// Where they are written: those of a class may be its group's.
	callsAt, policyAt, networkAt string
	queue                        bool // its only call is not written as a step
}

func (g *NamedGroup) caller() caller {
	return caller{path: g.path(), calls: g.Calls, policy: g.Policy, network: g.Network}
}

func (s *Service) caller() caller {
	return caller{path: "services." + s.Name, calls: s.Calls, policy: s.Policy, network: s.Network}
}

// callers lists who calls others: the groups, their classes, then the services
// and the queues.
func (s *Scenario) callers() []caller {
	var out []caller
	for _, g := range s.AllGroups() {
		out = append(out, g.callers()...)
	}
	for i := range s.Services {
		out = append(out, s.Services[i].caller())
	}
	for i := range s.Queues {
		out = append(out, s.Queues[i].caller())
	}
	return out
}

// step is the path of one of the caller's steps.
func (c *caller) step(step *Step) string {
	if c.queue {
		return c.path
	}
	return join(cmp.Or(c.callsAt, c.path), "calls."+step.address())
}

// policyOf is what is written for a step, its own or its caller's, and where.
func (c *caller) policyOf(step *Step) (*PolicyRef, string) {
	if step.Policy != nil {
		return step.Policy, join(c.step(step), "policy")
	}
	return c.policy, c.policyField()
}

func (c *caller) networkOf(step *Step) random.Dist {
	if step.Network != nil {
		return *step.Network
	}
	return c.network
}

// graph knows the services, queues and policies of a scenario by name.
type graph struct {
	scenario *Scenario
	places   map[string]int // services, and after them queues
	policies map[string]*strategies.Policy
}

func newGraph(s *Scenario) *graph {
	g := &graph{scenario: s, places: map[string]int{}, policies: map[string]*strategies.Policy{}}
	for i := range s.Queues {
		g.places[s.Queues[i].Name] = len(s.Services) + i
	}
	for i := range s.Services {
		g.places[s.Services[i].Name] = i
	}
	for i := range s.Policies {
		g.policies[s.Policies[i].Name] = &s.Policies[i].Policy
	}
	return g
}

// count is how many services and queues there are.
func (g *graph) count() int { return len(g.scenario.Services) + len(g.scenario.Queues) }

// service is a place that is one, or nil.
func (g *graph) service(place int) *Service {
	if place < len(g.scenario.Services) {
		return &g.scenario.Services[place]
	}
	return nil
}

// queue is a place that is one, or nil.
func (g *graph) queue(place int) *Queue {
	if i := place - len(g.scenario.Services); i >= 0 {
		return &g.scenario.Queues[i]
	}
	return nil
}

// caller is a place as one who calls others.
func (g *graph) caller(place int) caller {
	if s := g.service(place); s != nil {
		return s.caller()
	}
	return g.queue(place).caller()
}

// target is the index of the target service, or -1.
func (g *graph) target() int {
	if name := g.scenario.Target; name != "" {
		if i, ok := g.places[name]; ok && g.service(i) != nil {
			return i
		}
		return -1
	}
	if leaves := g.leaves(); len(leaves) == 1 {
		return leaves[0]
	}
	return -1
}

// leaves lists the services that call no other, by way of a queue neither.
func (g *graph) leaves() []int {
	var out []int
	services := len(g.scenario.Services)
	for i := range services {
		reached := make([]bool, g.count())
		g.reach(g.scenario.Services[i].Calls, reached)
		if !slices.Contains(reached[:services], true) {
			out = append(out, i)
		}
	}
	return out
}

// reach marks the services and queues that calls get to.
func (g *graph) reach(calls Steps, reached []bool) {
	for step := range calls.Calls() {
		if to, ok := g.places[step.To]; ok && !reached[to] {
			reached[to] = true
			g.reach(g.caller(to).calls, reached)
		}
	}
}

// reachOf marks what the requests of a group get to.
func (g *graph) reachOf(group *NamedGroup, reached []bool) {
	for _, c := range group.callers() {
		g.reach(c.calls, reached)
	}
}

// idempotent says of every service and queue whether all requests that get there
// may be done twice.
func (g *graph) idempotent() []bool {
	out := make([]bool, g.count())
	for i := range out {
		out[i] = true
	}
	for _, group := range g.scenario.AllGroups() {
		if group.Idempotent {
			continue
		}
		reached := make([]bool, len(out))
		g.reachOf(&group, reached)
		for i, r := range reached {
			out[i] = out[i] && !r
		}
	}
	return out
}

// layer is one policy of a step, and where it is written.
type layer struct {
	*strategies.Policy
	name string // empty when it is written in place
	path string
}

// layers lists the policies of a step, the outermost first; none: one attempt.
func (g *graph) layers(c caller, step *Step) ([]layer, error) {
	ref, path := c.policyOf(step)
	switch {
	case ref == nil:
		return nil, nil
	case ref.Inline != nil:
		return []layer{{&ref.Inline.Policy, "", path}}, nil
	}
	var out []layer
	for _, name := range ref.names() {
		p, ok := g.policies[name]
		if !ok {
			return nil, errors.New(path + ": there is no policy " + name)
		}
		out = append(out, layer{p, name, "policies." + name})
	}
	return out, nil
}

// layersOf lists the policies of all steps of a caller.
func (g *graph) layersOf(c caller) []layer {
	var out []layer
	for step := range c.calls.Calls() {
		layers, _ := g.layers(c, step)
		out = append(out, layers...)
	}
	return out
}

// names lists the policies that are referred to by name.
func (r *PolicyRef) names() []string {
	switch {
	case r.Layers != nil:
		return r.Layers
	case r.Inline != nil:
		return nil
	}
	return []string{r.Name}
}

// resolver makes the steps of callers. Steps under one policy get the same
// pointer: they share its state.
type resolver struct {
	*graph
	shared map[*strategies.Policy]*sim.Policy
}

// steps makes the steps of a caller, or some of them.
func (r *resolver) steps(c caller, calls Steps, idempotent bool) ([]sim.Step, error) {
	var out []sim.Step
	for i := range calls {
		step := &calls[i]
		s := sim.Step{Name: step.address(), Skip: 1 - step.Share, Optional: step.Optional, Idempotent: idempotent}
		switch {
		case step.Work:
			out = append(out, sim.Step{Work: true})
			continue
		case len(step.Parallel) > 0:
			var err error
			if s.Parallel, err = r.steps(c, step.Parallel, idempotent); err != nil {
				return nil, err
			}
			s.Need = step.Need.of(len(s.Parallel))
			out = append(out, s)
			continue
		}
		to, ok := r.places[step.To]
		if !ok {
			return nil, errors.New(c.path + ".calls: there is no service or queue " + step.To)
		}
		layers, err := r.layers(c, step)
		if err != nil {
			return nil, err
		}
		s.To, s.Network = to, c.networkOf(step)
		for _, l := range layers {
			if r.shared[l.Policy] == nil {
				r.shared[l.Policy] = &sim.Policy{Name: l.name, Policy: *l.Policy}
			}
			s.Policies = append(s.Policies, r.shared[l.Policy])
		}
		out = append(out, s)
	}
	return out, nil
}

// policyField is the path of the policy of steps that name none.
func (c *caller) policyField() string { return join(cmp.Or(c.policyAt, c.path), "policy") }

// networkField is the path of the network delay of steps that name none.
func (c *caller) networkField() string { return join(cmp.Or(c.networkAt, c.path), "network") }

// name is that of a place.
func (g *graph) name(place int) string {
	if q := g.queue(place); q != nil {
		return q.Name
	}
	return g.service(place).Name
}
