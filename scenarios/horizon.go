package scenarios

import "time"

// slowRecovery is how long a system that does recover takes to do so after
// calls have piled up during a pause: when every caller times out after T and
// retries R times at once, a pause of length D leaves
// lambda (D + (D-T)+ + ... + (D-RT)+) - mu T calls too many, and the service
// works them off at the rate mu - lambda (1+R). It is the fluid limit of one
// service behind one hop; elsewhere, and where the retries outweigh the
// capacity, it is not known.
func (v *validator) slowRecovery() (time.Duration, bool) {
	s := v.scenario
	a := &s.Clients.Arrival
	if a.Kind != "poisson" && a.Kind != "constant" || len(s.Clients.Calls) != 1 {
		return 0, false
	}
	step := &s.Clients.Calls[0]
	service := &s.Services[v.graph.services[step.To]]
	policy, _ := v.graph.policy(step, v.callers()[0].policy)
	capacity, limited := service.Capacity()
	const many = 1000 // attempts: nobody means that many, and they are counted one by one
	if !limited || policy.Timeout <= 0 || policy.MaxAttempts < 1 || policy.MaxAttempts > many || len(service.Calls) > 0 {
		return 0, false
	}
	load := a.Rate
	if a.Per == "client" {
		load *= float64(s.Clients.Count)
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
