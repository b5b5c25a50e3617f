package scenarios

import (
	"errors"

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
		steps, err := r.steps(svc.caller(), harmless[i])
		if err != nil {
			return nil, err
		}
		m.Services = append(m.Services, sim.Service{Name: svc.Name, Spec: svc.Spec, Expired: svc.Expired, Steps: steps})
	}
	for _, group := range s.AllGroups() {
		steps, err := r.steps(group.caller(), group.Idempotent)
		if err != nil {
			return nil, err
		}
		processes := group.Count
		if group.Processes != nil {
			processes = *group.Processes
		}
		m.Groups = append(m.Groups, sim.Group{
			Name: group.Name, Count: group.Count, Processes: processes, Requests: group.requests(),
			Arrival: group.Arrival, Steps: steps,
		})
	}
	return m, nil
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

// caller is a group or service that calls others.
type caller struct {
	path    string
	calls   Steps
	policy  *PolicyRef
	network random.Dist
}

func (g *NamedGroup) caller() caller { return caller{g.path(), g.Calls, g.Policy, g.Network} }

func (s *Service) caller() caller {
	return caller{"services." + s.Name, s.Calls, s.Policy, s.Network}
}

// callers lists who calls others: the groups, then the services.
func (s *Scenario) callers() []caller {
	var out []caller
	for _, g := range s.AllGroups() {
		out = append(out, g.caller())
	}
	for i := range s.Services {
		out = append(out, s.Services[i].caller())
	}
	return out
}

// policyOf is what is written for a step, its own or its caller's, and where.
func (c *caller) policyOf(step *Step) (*PolicyRef, string) {
	if step.Policy != nil {
		return step.Policy, join(c.path, "calls."+step.address()+".policy")
	}
	return c.policy, join(c.path, "policy")
}

func (c *caller) networkOf(step *Step) random.Dist {
	if step.Network != nil {
		return *step.Network
	}
	return c.network
}

// graph knows the services and policies of a scenario by name.
type graph struct {
	scenario *Scenario
	services map[string]int
	policies map[string]*strategies.Policy
}

func newGraph(s *Scenario) *graph {
	g := &graph{scenario: s, services: map[string]int{}, policies: map[string]*strategies.Policy{}}
	for i := range s.Services {
		g.services[s.Services[i].Name] = i
	}
	for i := range s.Policies {
		g.policies[s.Policies[i].Name] = &s.Policies[i].Policy
	}
	return g
}

// target is the index of the target service, or -1.
func (g *graph) target() int {
	if name := g.scenario.Target; name != "" {
		if i, ok := g.services[name]; ok {
			return i
		}
		return -1
	}
	if leaves := g.leaves(); len(leaves) == 1 {
		return leaves[0]
	}
	return -1
}

// leaves lists the services that call nobody.
func (g *graph) leaves() []int {
	var out []int
	for i := range g.scenario.Services {
		if len(g.scenario.Services[i].Calls) == 0 {
			out = append(out, i)
		}
	}
	return out
}

// reach marks the services that calls get to.
func (g *graph) reach(calls Steps, reached []bool) {
	for i := range calls {
		if to, ok := g.services[calls[i].To]; ok && !reached[to] {
			reached[to] = true
			g.reach(g.scenario.Services[to].Calls, reached)
		}
	}
}

// idempotent says of every service whether all requests that get there may be
// done twice.
func (g *graph) idempotent() []bool {
	out := make([]bool, len(g.scenario.Services))
	for i := range out {
		out[i] = true
	}
	for _, group := range g.scenario.AllGroups() {
		if group.Idempotent {
			continue
		}
		reached := make([]bool, len(out))
		g.reach(group.Calls, reached)
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

func (r *resolver) steps(c caller, idempotent bool) ([]sim.Step, error) {
	var out []sim.Step
	for i := range c.calls {
		step := &c.calls[i]
		to, ok := r.services[step.To]
		if !ok {
			return nil, errors.New(c.path + ".calls: there is no service " + step.To)
		}
		layers, err := r.layers(c, step)
		if err != nil {
			return nil, err
		}
		s := sim.Step{Name: step.address(), To: to, Idempotent: idempotent, Network: c.networkOf(step)}
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

// address is the step's name in paths.
func (s *Step) address() string {
	if s.Name != "" {
		return s.Name
	}
	return s.To
}
