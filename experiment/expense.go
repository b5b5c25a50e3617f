package experiment

import (
	"time"

	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// expense is about how many calls a run of a model makes, by arithmetic: what
// shards share out, so it must be the same on every machine and cost nothing.
// Each request makes its calls; those that meet a fault retry until it is over.
// A message is delivered once, and if it is poisoned as often as it can be; what
// operators send again is what meets a fault, or has been done by then. What
// overload adds is not in it: only a simulation knows that.
func expense(m *sim.Model) int64 {
	x := estimator{m: m, calls: make([]float64, len(m.Services)), faults: make([]time.Duration, len(m.Services))}
	for i := range x.faults {
		x.faults[i] = unknown
	}
	total := 1.0
	for i := range m.Groups {
		g := &m.Groups[i]
		requests := expected(g, m)
		again := x.again(i, requests)
		for _, kind := range kindsOf(g) {
			total += float64(float64(kind.share*(requests+again)) * x.steps(kind.steps))
			total += float64(float64(kind.share*x.affected(g, requests)) * x.retries(kind.steps))
		}
	}
	return int64(min(total, 1e15))
}

type estimator struct {
	m      *sim.Model
	calls  []float64       // that one call to a service leads to, itself among them
	faults []time.Duration // how long each is broken; unknown
}

const unknown = time.Duration(-1)

// requestKind is what some of the requests of a group do.
type requestKind struct {
	share float64
	steps []sim.Step
}

// kindsOf are the classes of a group, or all of it.
func kindsOf(g *sim.Group) []requestKind {
	var out []requestKind
	for i := range g.Classes {
		k := requestKind{g.Classes[i].Share, g.Classes[i].Steps}
		if k.steps == nil {
			k.steps = g.Steps
		}
		out = append(out, k)
	}
	if out == nil {
		out = []requestKind{{1, g.Steps}}
	}
	return out
}

// steps are the calls that a list of steps leads to if nothing fails. Where a
// message makes another one, in a circle, that is one round.
func (x *estimator) steps(steps []sim.Step) float64 {
	n := 0.0
	for i := range steps {
		s := &steps[i]
		made := 0.0
		switch {
		case s.Work:
			continue
		case len(s.Parallel) > 0:
			made = x.steps(s.Parallel)
		default:
			made = x.below(s.To)
		}
		n += float64((1 - s.Skip) * made)
	}
	return n
}

// below is what one call to a service or queue leads to.
func (x *estimator) below(to int) float64 {
	if x.calls[to] == 0 {
		x.calls[to] = 1
		v := &x.m.Services[to]
		x.calls[to] = 1 + float64(x.deliveries(v)*x.steps(v.Steps))
	}
	return x.calls[to]
}

// deliveries is how often a message is delivered, on average; 1 for a service.
func (x *estimator) deliveries(v *sim.Service) float64 {
	b := v.Backlog
	if b == nil || b.Poison.Share == 0 || b.Visibility <= 0 {
		return 1
	}
	most := 1 + min(b.Retention, x.m.Until).Seconds()/b.Visibility.Seconds()
	if b.MaxReceives != random.Unlimited {
		most = min(most, float64(b.MaxReceives))
	}
	return 1 + float64(b.Poison.Share*(most-1))
}

// again is how many requests of a group operators make again.
func (x *estimator) again(group int, requests float64) float64 {
	n := 0.0
	for i := range x.m.Actions {
		a := &x.m.Actions[i]
		switch {
		case a.Kind == sim.Redrive, a.Kind == sim.Resend && (a.Group < 0 || a.Group == group):
			n += x.affected(&x.m.Groups[group], requests)
		case a.Kind == sim.Rerun && (a.Group < 0 || a.Group == group):
			n += float64(requests * (a.At.Seconds() / x.m.Until.Seconds()))
		}
	}
	return n
}

// broken is for how long a service, or one that it needs, has a fault.
func (x *estimator) broken(service int) time.Duration {
	if x.faults[service] != unknown {
		return x.faults[service]
	}
	var d time.Duration
	for _, f := range x.m.Services[service].Spec.Spans(x.m.Until) {
		d += min(f.To, x.m.Until) - f.From
	}
	x.faults[service] = d
	for step := range sim.Calls(x.m.Services[service].Steps) {
		d = max(d, x.broken(step.To))
	}
	x.faults[service] = d
	return d
}

// affected is how many requests of a group meet a fault: all that come at once,
// else those that come while it lasts.
func (x *estimator) affected(g *sim.Group, requests float64) float64 {
	if g.Arrival.Kind == "burst" || g.Arrival.Kind == "closed" {
		return min(requests, float64(g.Count))
	}
	var longest time.Duration
	for _, kind := range kindsOf(g) {
		for step := range sim.Calls(kind.steps) {
			longest = max(longest, x.broken(step.To))
		}
	}
	return float64(requests * (longest.Seconds() / x.m.Until.Seconds()))
}

// retries are the calls that one request makes more when its steps meet a fault.
func (x *estimator) retries(steps []sim.Step) float64 {
	n := 0.0
	for s := range sim.Calls(steps) {
		if d := x.broken(s.To); d > 0 && x.m.Services[s.To].Backlog == nil {
			n += float64(attempts(s, d) * x.below(s.To))
		}
	}
	return n
}

// mostAttempts is how many are counted one by one.
const mostAttempts = 10_000

// attempts is how often a step is tried again within a time in which everything
// fails, at the median of each wait.
func attempts(s *sim.Step, within time.Duration) float64 {
	layers := 1.0
	trip := 2*time.Duration(s.Network.MeanSeconds()*1e9) + time.Millisecond
	for _, p := range s.Policies {
		most := 0.0
		for _, o := range []strategies.Outcome{strategies.Refused, strategies.Timeout, 503} {
			took := trip
			if o == strategies.Timeout {
				took += p.Timeout
			}
			most = max(most, again(p.Compile(), o, took, within))
		}
		layers *= 1 + most
	}
	return layers - 1
}

// again is how many retries there are of an outcome that takes some time.
func again(rules strategies.Rules, o strategies.Outcome, took, within time.Duration) float64 {
	f := strategies.Failure{Outcome: o, Attempt: 1, Elapsed: took, Took: took}
	for ; f.Attempt < mostAttempts; f.Attempt++ {
		d := rules.Next(&f, 1<<63)
		if d.Why != strategies.Retry || f.Elapsed+d.Wait >= within {
			return float64(f.Attempt - 1)
		}
		f.Memory = d.Memory
		f.Elapsed += d.Wait + took
	}
	return float64(mostAttempts) * (within.Seconds() / f.Elapsed.Seconds())
}

// expected is about how many requests a group makes. Clients without an end
// count as one a second.
func expected(g *sim.Group, m *sim.Model) float64 {
	process := g.Arrival.Process(g.Count)
	n := process.Integral(0, m.Until)
	switch process.Kind() {
	case random.Closed:
		n = float64(float64(g.Count) * m.Until.Seconds())
	case random.Burst:
		n = float64(g.Count)
		if g.Requests != random.Unlimited {
			n *= float64(g.Requests)
		}
		return n
	}
	if g.Requests != random.Unlimited {
		n = min(n, float64(float64(g.Count)*float64(g.Requests)))
	}
	return n
}
