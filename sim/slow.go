package sim

import (
	"math"
	"time"

	"retrystorm/server"
	"retrystorm/strategies"
)

// SlowRecovery is how long a model that does recover may take to do so after a
// disturbance in [from, to): on average, and at most.
//
// A service that stands still for D while callers time out after T and retry R
// times at once is left with lambda (D + (D-T)+ + ... + (D-RT)+) - mu T calls
// too many, and works them off at the rate mu - lambda (1+R). Waits between
// attempts and disturbances that let some calls through make it shorter. A
// budget of r makes 1+r of 1+R, and groups that cease to ask count as long as
// they do.
//
// It is the fluid limit of one service behind one hop. It is not known (not ok)
// elsewhere, nor where retries outweigh the capacity: then nothing is worked
// off, and what is late stays late.
func (m *Model) SlowRecovery(from, to time.Duration) (mean, most time.Duration, ok bool) {
	service := m.onlyService()
	if service == nil {
		return 0, 0, false
	}
	capacity, _ := service.Spec.Capacity()
	d := (to - from).Seconds()
	backlog, patience := 0.0, math.Inf(1)
	var all, stay load
	// Those that ask to the end stay, the others leave: the last of them at end.
	last, end := time.Duration(0), to
	for i := range m.Groups {
		last = max(last, m.Groups[i].leaves(m.Until))
	}
	for i := range m.Groups {
		f, ok := m.Groups[i].flow()
		if !ok {
			return 0, 0, false
		}
		backlog += f.backlog(d)
		patience = min(patience, f.timeout)
		switch leaves := m.Groups[i].leaves(m.Until); {
		case leaves == last:
			all.add(&f)
			stay.add(&f)
		case leaves > to:
			all.add(&f)
			end = max(end, leaves)
			backlog += f.trail()
		}
	}
	spare := capacity - stay.rate
	if spare <= 0 {
		return 0, 0, false
	}
	late := (end - to).Seconds()
	backlog = max(0, backlog+float64(late*(all.rate-capacity))) - float64(capacity*patience)
	if backlog <= 0 {
		return end - to, end - to, true
	}
	// A random walk takes as long as its mean says, give or take: four standard
	// deviations are enough where service times vary no more than exponential ones.
	// Who asks then is answered by the end of the timeout.
	wait := late + backlog/spare
	deviation := math.Sqrt(float64(backlog*(stay.variance+capacity)) / float64(spare*float64(spare*spare)))
	return duration(wait), duration(wait + patience + float64(4*deviation)), true
}

// onlyService is the service that all groups call, if there is just one, which
// calls nobody, and nothing but its workers limits it.
func (m *Model) onlyService() *Service {
	if len(m.Services) != 1 {
		return nil
	}
	s := &m.Services[0]
	mean := s.Spec.ServiceTime.MeanSeconds()
	if s.Spec.Workers == server.Unlimited || mean <= 0 || len(s.Steps) > 0 || s.Backlog != nil || s.Spec.Count() > 1 || s.Inbox.On() ||
		s.Spec.RateLimit != nil || s.Spec.Contention != nil || s.Spec.Crash != nil || s.Spec.Limiter != nil || s.Spec.Slowdown > 0 {
		return nil
	}
	return s
}

// leaves is when a group asks no more.
func (g *Group) leaves(until time.Duration) time.Duration {
	if g.Arrival.For <= 0 || g.Arrival.For > until-g.Arrival.At {
		return until
	}
	return g.Arrival.At + g.Arrival.For
}

// flow is what a group asks of a service that answers everything too late.
type flow struct {
	rate, timeout float64
	retries       int64   // per request
	ratio, floor  float64 // a budget's: retries per request, and per second; ratio < 0: none
	window        float64 // that the floor can be spent at once of
}

// flow is not ok where more than the number of attempts and a budget decides
// how many calls a group makes.
func (g *Group) flow() (f flow, ok bool) {
	a := &g.Arrival
	if a.Kind != "poisson" && a.Kind != "constant" || a.Rate <= 0 || g.Requests != server.Unlimited || len(g.Steps) != 1 ||
		len(g.Steps[0].Policies) != 1 || len(g.Steps[0].Parallel) > 0 || g.Steps[0].Skip > 0 || len(g.Classes) > 0 || g.Cost != 0 && g.Cost != 1 {
		return f, false
	}
	p := g.Steps[0].Policies[0]
	if p.Timeout <= 0 || p.MaxAttempts < 1 || !plainRetries(&p.Policy) {
		return f, false
	}
	f = flow{rate: a.Rate, timeout: p.Timeout.Seconds(), retries: p.MaxAttempts - 1, ratio: -1}
	if a.Per == "client" {
		f.rate *= float64(g.Count)
	}
	if b := p.Budget; b != nil {
		states := 1.0
		switch b.Scope {
		case "client":
			states = float64(g.Count)
		case "process":
			states = float64(max(g.Processes, 1))
		}
		f.ratio, f.floor, f.window = b.Ratio, float64(states*b.FloorRate()), b.Window.Seconds()
	}
	return f, true
}

// plainRetries says whether nothing but the number of attempts and a budget
// over time limits or multiplies calls.
func plainRetries(p *strategies.Policy) bool {
	if b := p.Budget; b != nil && (b.Kind != "ratio" && b.Kind != "window" || b.Scope == "request") {
		return false
	}
	return p.Breaker == nil && p.Hedge == nil && p.Limiter == nil &&
		p.Deadline == 0 && p.SlowerThan == 0 && p.FasterThan == 0 && p.Cancel != "queued" && p.Cancel != "running"
}

// backlog is how many calls are made in the first d seconds, retries included.
func (f *flow) backlog(d float64) float64 {
	// (d-T) + (d-2T) + ... as far as it is positive.
	n := max(0, min(float64(f.retries), math.Ceil(d/f.timeout)-1))
	again := float64(f.rate * (float64(n*d) - float64(f.timeout*n*(n+1)/2)))
	if f.ratio >= 0 {
		again = min(again, float64(f.ratio*f.rate*d)+float64(f.floor*(d+f.window)))
	}
	return float64(f.rate*d) + again
}

// trail is how many retries are still to come when a group leaves.
func (f *flow) trail() float64 {
	return float64(f.rate * f.timeout * float64(f.retries) * float64(f.retries+1) / 2)
}

// load is what flows add up to when everything is late: calls per second, and
// the variance of their number.
type load struct{ rate, variance float64 }

func (l *load) add(f *flow) {
	calls := float64(1 + f.retries)
	if f.ratio >= 0 {
		calls = min(calls, 1+f.ratio+f.floor/f.rate)
	}
	l.rate += float64(f.rate * calls)
	l.variance += float64(f.rate * calls * calls)
}

// duration rounds what is too long to 30 years.
func duration(seconds float64) time.Duration { return time.Duration(min(seconds, 1e9) * 1e9) }
