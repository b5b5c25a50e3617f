package scenarios

import (
	"time"

	"retrystorm/strategies"
)

// slowRecovery is how long a system that does recover takes to do so after
// calls have piled up during a pause: when every caller times out after T and
// retries R times at once, a pause of length D leaves
// lambda (D + (D-T)+ + ... + (D-RT)+) - mu T calls too many, and the service
// works them off at the rate mu - lambda (1+R). It is the fluid limit of one
// service behind one hop; elsewhere, and where the retries outweigh the
// capacity, it is not known.
func (v *validator) slowRecovery() (time.Duration, bool) {
	s := v.scenario
	groups := s.AllGroups()
	if len(groups) != 1 || len(groups[0].Calls) != 1 || len(groups[0].Classes) > 0 || groups[0].Cost != 1 {
		return 0, false
	}
	group := &groups[0]
	a, step := &group.Arrival, &group.Calls[0]
	service := v.graph.service(v.graph.places[step.To])
	if service == nil || len(step.Parallel) > 0 || step.Share < 1 || service.Replicas > 1 {
		return 0, false
	}
	layers, _ := v.graph.layers(group.caller(), step)
	if a.Kind != "poisson" && a.Kind != "constant" || len(layers) != 1 || !plainRetries(layers[0].Policy) {
		return 0, false
	}
	policy := layers[0].Policy
	capacity, limited := service.Capacity()
	const many = 1000 // attempts: nobody means that many, and they are counted one by one
	if !limited || policy.Timeout <= 0 || policy.MaxAttempts < 1 || policy.MaxAttempts > many || len(service.Calls) > 0 {
		return 0, false
	}
	load := a.Rate
	if a.Per == "client" {
		load *= float64(group.Count)
	}
	spare := capacity - float64(load*float64(policy.MaxAttempts))
	if spare <= 0 {
		return 0, false
	}
	longest := 0.0
	for _, f := range service.Faults {
		if f.Kind != "pause" {
			continue
		}
		backlog := -float64(capacity * policy.Timeout.Seconds())
		for k := int64(0); k < policy.MaxAttempts && f.For > time.Duration(k)*policy.Timeout; k++ {
			backlog += float64(load * (f.For - time.Duration(k)*policy.Timeout).Seconds())
		}
		longest = max(longest, backlog/spare)
	}
	return time.Duration(min(longest, 1e9) * 1e9), longest > 0
}

// plainRetries says whether nothing but the number of attempts limits or
// multiplies calls.
func plainRetries(p *strategies.Policy) bool {
	return p.Budget == nil && p.Breaker == nil && p.Hedge == nil && p.Limiter == nil &&
		p.Deadline == 0 && p.SlowerThan == 0 && p.FasterThan == 0 && p.Cancel != "queued" && p.Cancel != "running"
}
