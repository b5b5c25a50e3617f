package scenarios

import (
	"fmt"
	"time"

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
	for i := range v.scenario.Queues {
		v.queueAdvice(&v.scenario.Queues[i])
	}
	dead := v.deadLetters()
	for i := range v.scenario.Actions {
		v.actionAdvice(&v.scenario.Actions[i], dead)
	}
	v.eachPolicy(v.policyAdvice)
	v.eachPolicy(v.defect)
	v.eachPolicy(v.otherWaits)
	for _, c := range v.scenario.callers() {
		for step := range c.calls.Calls() {
			v.silence(c, step)
		}
	}
	v.asked()
	v.shared()
	v.abandoned()
	v.multiplied()
	v.deadlines()
	v.oneReplica()
	v.keeping()
}

// idle notes a setting without effect; it is shown if that holds at every point.
func (v *validator) idle(path, message string) {
	at := locate(v.root, path)
	v.notes.add(Problem{File: at.file, Line: at.line, Col: at.col, Path: path, Value: written(v.root, path), Message: message, Warning: true})
}

// warn notes something that is worth knowing even if it holds at one point only.
func (v *validator) warn(path, message string) {
	at := locate(v.root, path)
	v.add(Problem{File: at.file, Line: at.line, Col: at.col, Path: path, Value: written(v.root, path), Message: message, Warning: true})
}

// idleIf notes a field that was written although something makes it useless.
func (v *validator) idleIf(useless bool, path, message string) {
	if n := find(v.root, path); useless && n != nil && !n.preset {
		v.idle(path, message)
	}
}

// used notes services and policies that nobody refers to.
func (v *validator) used() {
	reached := make([]bool, v.graph.count())
	policies := map[string]bool{}
	refer := func(ref *PolicyRef) {
		if ref != nil {
			for _, name := range ref.names() {
				policies[name] = true
			}
			if ref.Inline != nil {
				policies[ref.Inline.Extends] = true
			}
		}
	}
	for _, g := range v.scenario.AllGroups() {
		v.graph.reachOf(&g, reached)
	}
	for _, c := range v.scenario.callers() {
		refer(c.policy)
		for step := range c.calls.Calls() {
			refer(step.Policy)
		}
	}
	for i := range v.scenario.Policies {
		policies[v.scenario.Policies[i].Extends] = true
	}
	for i := range v.scenario.Services {
		v.idleIf(!reached[i], "services."+v.scenario.Services[i].Name, "no call ever gets here")
	}
	fed := v.fed()
	for i := range v.scenario.Queues {
		name := v.scenario.Queues[i].Name
		v.idleIf(!fed[name], "queues."+name, "no message ever gets here")
	}
	for i := range v.scenario.Policies {
		name := v.scenario.Policies[i].Name
		v.idleIf(!policies[name], "policies."+name, "nobody has this policy")
	}
}

// horizon notes a run that ends too soon after its trigger to judge recovery.
func (v *validator) horizon() {
	s := v.scenario
	last, goesOn := s.lastArrival()
	end, path := s.triggerEnd()
	if !goesOn || path == "" || end >= s.Until {
		return
	}
	if last < after(end, recoveryTime) {
		v.idle("until", "recovery cannot be judged: requests go on for less than "+FormatDuration(recoveryTime)+" after the end of "+path+" at "+FormatDuration(end))
		return
	}
	if mean, most, ok := v.slowRecovery(); ok && last < after(end, most+recoveryTime) {
		v.idle("until", "a slow recovery may look like none: it takes about "+FormatDuration(mean.Round(time.Second))+", and may take "+FormatDuration(most.Round(time.Second))+" after the end of "+path+" at "+FormatDuration(end))
	}
}

// manyRequests are so many that simulating them takes minutes.
const manyRequests = 1e9

// arrivals notes a group without requests, and one with too many to wait for.
func (v *validator) arrivals() {
	s := v.scenario
	for _, g := range s.AllGroups() {
		a, path := &g.Arrival, join(g.path(), "arrival")
		if a.Kind == "trace" && len(a.Times) > 0 && after(a.At, a.Times[0]) >= s.Until {
			v.idle(path, "has no effect: it begins when the run is over")
		}
		v.idleIf(a.At >= s.Until, join(path, "at"), "no request is ever started: they begin when the run is over")
		seconds := (g.lastArrival(s.Until) - a.At).Seconds()
		n := 0.0
		switch {
		case a.Kind == "poisson" || a.Kind == "constant":
			n = a.Rate * seconds
			if a.Per == "client" {
				n *= float64(g.Count)
			}
		case a.Kind == "every":
			n = seconds / a.Every.Seconds() * float64(g.Count)
		}
		if g.Requests != nil && *g.Requests != random.Unlimited {
			n = min(n, float64(*g.Requests)*float64(g.Count))
		}
		if n >= manyRequests {
			v.idle(path, fmt.Sprintf("about %.0e requests in each run, of which some millions are simulated per second", n))
		}
	}
}

// lastArrival is about when the last request starts; not ok when all come in bursts.
func (s *Scenario) lastArrival() (last time.Duration, ok bool) {
	for _, g := range s.AllGroups() {
		if g.Arrival.Kind != "burst" {
			last, ok = max(last, g.lastArrival(s.Until)), true
		}
	}
	return last, ok
}

func (g *Group) lastArrival(until time.Duration) time.Duration {
	a := &g.Arrival
	last := until
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
				last := f.At
				if f.Every > 0 {
					last += (s.Until - 1 - f.At) / f.Every * f.Every
				}
				take(after(after(last, f.For), f.Ramp), by)
			}
		}
	}
	for _, g := range s.AllGroups() {
		if _, to, ok := g.Arrival.Spikes(s.Until); ok {
			take(to, "the spike of "+join(g.path(), "arrival"))
		}
	}
	if s.Trigger != nil {
		take(after(s.Trigger.At, s.Trigger.For), "trigger")
	}
	return end, path
}
