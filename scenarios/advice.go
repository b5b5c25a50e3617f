package scenarios

import (
	"fmt"
	"time"

	"retrystorm/server"
	"retrystorm/sim/random"
)

// recoveryTime is how long after a trigger arrivals must go on for recovery to
// be judged.
const recoveryTime = 10 * time.Second

// advise notes what can be run but probably is not meant.
func (v *validator) advise() {
	v.used()
	v.horizon()
	v.arrivals()
	for i := range v.scenario.Services {
		v.serviceAdvice(&v.scenario.Services[i])
	}
	for i := range v.scenario.Policies {
		p := &v.scenario.Policies[i]
		v.policyAdvice("policies."+p.Name, p)
	}
	for _, c := range v.callers() {
		if c.policy != nil && c.policy.Inline != nil {
			v.policyAdvice(join(c.path, "policy"), c.policy.Inline)
		}
		for i := range c.calls {
			step := &c.calls[i]
			if step.Policy != nil && step.Policy.Inline != nil {
				v.policyAdvice(join(c.path, "calls."+step.address()+".policy"), step.Policy.Inline)
			}
			v.silence(c, step)
		}
	}
}

// idle notes a setting without effect; it is shown if that holds at every point.
func (v *validator) idle(path, message string) {
	at := locate(v.root, path)
	v.notes.add(Problem{File: at.file, Line: at.line, Col: at.col, Path: path, Value: written(v.root, path), Message: message, Warning: true})
}

// idleIf notes a field that was written although something makes it useless.
func (v *validator) idleIf(useless bool, path, message string) {
	if useless && find(v.root, path) != nil {
		v.idle(path, message)
	}
}

func (v *validator) policyAdvice(path string, p *Policy) {
	once := p.MaxAttempts == 1
	v.idleIf(once && p.Backoff.Kind != "none", join(path, "backoff"), "has no effect: max_attempts is 1, so nothing is retried")
	v.idleIf(once, join(path, "retry_on"), "has no effect: max_attempts is 1, so nothing is retried")
	v.idleIf(once, join(path, "max_elapsed"), "has no effect: max_attempts is 1, so nothing is retried")
	v.idleIf(p.Timeout >= v.scenario.Until, join(path, "timeout"), "has no effect: not shorter than the run")
	v.idleIf(p.MaxElapsed >= v.scenario.Until, join(path, "max_elapsed"), "has no effect: not shorter than the run")
	v.idleIf(p.Timeout == 0 && p.LateAnswers == "accept", join(path, "late_answers"), "has no effect: without a timeout no answer is late")
}

func (v *validator) serviceAdvice(s *Service) {
	path := "services." + s.Name
	unlimited := s.Workers == server.Unlimited
	v.idleIf(unlimited, join(path, "queue"), "has no effect: workers are unlimited, so nobody waits")
	v.idleIf(s.Workers == 1 && s.Slowdown > 0, join(path, "slowdown"), "has no effect: one worker never has company")
	v.idleIf(len(s.Calls) == 0, join(path, "policy"), "has no effect: the service calls nobody")
	v.idleIf(len(s.Calls) == 0, join(path, "network"), "has no effect: the service calls nobody")
	v.idleIf(len(s.Calls) == 0, join(path, "blocking"), "has no effect: the service calls nobody")
	if s.Crash != nil {
		v.idleIf(unlimited && s.Crash.Ramp > 0, join(path, "crash.ramp"), "has no effect: workers are unlimited")
	}
	for _, f := range s.Faults {
		path := join(path, "faults."+f.Name)
		v.idleIf(f.At >= v.scenario.Until, path, "has no effect: it begins when the run is over")
		v.idleIf(unlimited && f.Ramp > 0, join(path, "ramp"), "has no effect: workers are unlimited")
		v.idleIf(f.For == 0 && f.Ramp > 0, join(path, "ramp"), "has no effect: the fault never ends")
		v.idleIf(unlimited && f.Kind == "capacity", path, "has no effect: workers are unlimited")
		v.idleIf(f.Kind == "capacity" && f.Share == 1, path, "has no effect: all workers are left")
	}
}

// silence warns of answers that never come where nobody stops waiting.
func (v *validator) silence(c caller, step *Step) {
	p, _ := v.graph.policy(step, c.policy)
	if p.Timeout > 0 {
		return
	}
	s := &v.scenario.Services[v.graph.services[step.To]]
	path := "services." + s.Name
	warn := func(silent bool, field string) {
		if silent {
			at := locate(v.root, join(path, field))
			v.add(Problem{
				File: at.file, Line: at.line, Col: at.col, Path: join(path, field), Value: server.Silent.String(), Warning: true,
				Message: "whoever is not answered waits for ever: there is no timeout in " + v.policyPath(c, step),
			})
		}
	}
	for _, f := range s.Faults {
		warn(f.Answer == server.Silent && (f.Kind == "down" || f.Kind == "errors"), "faults."+f.Name+".answer")
	}
	warn(s.Queue.Full == server.Silent && s.Queue.Limit != server.Unlimited, "queue.full")
	warn(s.RateLimit != nil && s.RateLimit.Answer == server.Silent, "rate_limit.answer")
}

// used notes services and policies that nobody refers to.
func (v *validator) used() {
	reached := make([]bool, len(v.scenario.Services))
	policies := map[string]bool{}
	refer := func(ref *PolicyRef) {
		if ref != nil {
			policies[ref.Name] = true
			if ref.Inline != nil {
				policies[ref.Inline.Extends] = true
			}
		}
	}
	var follow func(calls Steps)
	follow = func(calls Steps) {
		for i := range calls {
			if to := v.graph.services[calls[i].To]; !reached[to] {
				reached[to] = true
				follow(v.scenario.Services[to].Calls)
			}
		}
	}
	follow(v.scenario.Clients.Calls)
	for _, c := range v.callers() {
		refer(c.policy)
		for i := range c.calls {
			refer(c.calls[i].Policy)
		}
	}
	for i := range v.scenario.Policies {
		policies[v.scenario.Policies[i].Extends] = true
	}
	for i := range reached {
		v.idleIf(!reached[i], "services."+v.scenario.Services[i].Name, "no call ever gets here")
	}
	for i := range v.scenario.Policies {
		name := v.scenario.Policies[i].Name
		v.idleIf(!policies[name], "policies."+name, "nobody has this policy")
	}
}

// horizon notes a run that ends too soon after its trigger to judge recovery.
func (v *validator) horizon() {
	s := v.scenario
	last := s.lastArrival()
	end, path := s.triggerEnd()
	if s.Clients.Arrival.Kind == "burst" || path == "" || end >= s.Until {
		return
	}
	if last < after(end, recoveryTime) {
		v.idle("until", "recovery cannot be judged: requests go on for less than "+formatDuration(recoveryTime)+" after the end of "+path+" at "+formatDuration(end))
		return
	}
	if need, ok := v.slowRecovery(); ok && last < after(end, need+recoveryTime) {
		v.idle("until", "a slow recovery may look like none: it may take "+formatDuration(need.Round(time.Second))+" after the end of "+path+" at "+formatDuration(end))
	}
}

// manyRequests are so many that simulating them takes minutes.
const manyRequests = 1e9

// arrivals notes a run without requests, and one with too many to wait for.
func (v *validator) arrivals() {
	s := v.scenario
	a := &s.Clients.Arrival
	at := "clients.arrival.at"
	if a.Kind == "trace" && len(a.Times) > 0 && after(a.At, a.Times[0]) >= s.Until {
		v.idle("clients.arrival", "has no effect: it begins when the run is over")
	}
	v.idleIf(a.At >= s.Until, at, "no request is ever started: they begin when the run is over")
	seconds := (s.lastArrival() - a.At).Seconds()
	n := 0.0
	switch {
	case a.Kind == "poisson" || a.Kind == "constant":
		n = a.Rate * seconds
		if a.Per == "client" {
			n *= float64(s.Clients.Count)
		}
	case a.Kind == "every":
		n = seconds / a.Every.Seconds() * float64(s.Clients.Count)
	}
	if s.Clients.Requests != nil && *s.Clients.Requests != random.Unlimited {
		n = min(n, float64(*s.Clients.Requests)*float64(s.Clients.Count))
	}
	if n >= manyRequests {
		v.idle("clients.arrival", fmt.Sprintf("about %.0e requests in each run, of which some millions are simulated per second", n))
	}
}

// lastArrival is about when the last request starts.
func (s *Scenario) lastArrival() time.Duration {
	a := &s.Clients.Arrival
	last := s.Until
	if a.For > 0 {
		last = min(last, after(a.At, a.For))
	}
	if a.Kind == "trace" && len(a.Times) > 0 {
		last = min(last, a.Times[len(a.Times)-1])
	}
	return last
}

// triggerEnd is when the last disturbance ends, and the path of that one.
func (s *Scenario) triggerEnd() (end time.Duration, path string) {
	take := func(to time.Duration, by string) {
		if path == "" || to > end {
			end, path = to, by
		}
	}
	for i := range s.Services {
		for _, f := range s.Services[i].Faults {
			by := "services." + s.Services[i].Name + ".faults." + f.Name
			switch {
			case f.At >= s.Until:
			case f.For == 0:
				take(ever, by)
			default:
				take(after(after(f.At, f.For), f.Ramp), by)
			}
		}
	}
	if _, to, ok := s.Clients.Arrival.Spikes(s.Until); ok {
		take(to, "the spike of clients.arrival")
	}
	if s.Trigger != nil {
		take(after(s.Trigger.At, s.Trigger.For), "trigger")
	}
	return end, path
}
