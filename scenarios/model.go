package scenarios

import (
	"errors"

	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// Model is the scenario ready to run: names resolved to indexes, every step
// with the policy and network that hold there.
func (s *Scenario) Model() (*sim.Model, error) {
	g := newGraph(s)
	m := &sim.Model{
		Until: s.Until, Window: s.Window, Warmup: s.Warmup, SLO: s.SLO,
		Trigger: s.Trigger, Target: g.target(),
	}
	if m.Target < 0 {
		return nil, errors.New("target: no service to report on")
	}
	for _, svc := range s.Services {
		steps, err := g.steps(svc.Calls, svc.Policy, svc.Network)
		if err != nil {
			return nil, err
		}
		m.Services = append(m.Services, sim.Service{Name: svc.Name, Spec: svc.Spec, Steps: steps})
	}
	steps, err := g.steps(s.Clients.Calls, s.Clients.Policy, s.Clients.Network)
	if err != nil {
		return nil, err
	}
	m.Groups = []sim.Group{{
		Name: "clients", Count: s.Clients.Count, Requests: s.Clients.requests(),
		Arrival: s.Clients.Arrival, Steps: steps,
	}}
	return m, nil
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

// graph knows the services and policies of a scenario by name.
type graph struct {
	scenario *Scenario
	services map[string]int
	policies map[string]*strategies.Policy
	single   strategies.Policy // one attempt
}

func newGraph(s *Scenario) *graph {
	g := &graph{scenario: s, services: map[string]int{}, policies: map[string]*strategies.Policy{}}
	for i := range s.Services {
		g.services[s.Services[i].Name] = i
	}
	for i := range s.Policies {
		g.policies[s.Policies[i].Name] = &s.Policies[i].Policy
	}
	g.single = strategies.Policy{
		MaxAttempts: 1, RetryOn: []string{"transient"}, LateAnswers: "ignore",
		Backoff: strategies.Backoff{Kind: "none"},
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

// steps resolves the steps of a caller.
func (g *graph) steps(calls Steps, policy *PolicyRef, network random.Dist) ([]sim.Step, error) {
	var out []sim.Step
	for i := range calls {
		step := &calls[i]
		to, ok := g.services[step.To]
		if !ok {
			return nil, errors.New("calls: there is no service " + step.To)
		}
		p, ok := g.policy(step, policy)
		if !ok {
			return nil, errors.New("calls: the policy of the step to " + step.To + " does not exist")
		}
		net := network
		if step.Network != nil {
			net = *step.Network
		}
		out = append(out, sim.Step{Name: step.address(), To: to, Policy: *p, Network: net})
	}
	return out, nil
}

// policy is what holds on a step: its own, else its caller's, else one attempt.
func (g *graph) policy(step *Step, callers *PolicyRef) (*strategies.Policy, bool) {
	ref := step.Policy
	if ref == nil {
		ref = callers
	}
	switch {
	case ref == nil:
		return &g.single, true
	case ref.Inline != nil:
		return &ref.Inline.Policy, true
	}
	p, ok := g.policies[ref.Name]
	return p, ok
}

// address is the step's name in paths.
func (s *Step) address() string {
	if s.Name != "" {
		return s.Name
	}
	return s.To
}
