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
// What overload adds is not in it: only a simulation knows that.
func expense(m *sim.Model) int64 {
	x := estimator{m: m, calls: make([]float64, len(m.Services))}
	total := 1.0
	for i := range m.Groups {
		g := &m.Groups[i]
		requests := expected(g, m)
		total += float64(requests * x.steps(g.Steps))
		total += float64(x.affected(g, requests) * x.retries(g.Steps))
	}
	return int64(min(total, 1e15))
}

type estimator struct {
	m     *sim.Model
	calls []float64 // that one call to a service leads to, itself among them
}

// steps are the calls that a list of steps leads to if nothing fails.
func (x *estimator) steps(steps []sim.Step) float64 {
	n := 0.0
	for i := range steps {
		to := steps[i].To
		if x.calls[to] == 0 {
			x.calls[to] = 1 + x.steps(x.m.Services[to].Steps)
		}
		n += x.calls[to]
	}
	return n
}

// broken is for how long a service, or one that it needs, has a fault.
func (x *estimator) broken(service int) time.Duration {
	var d time.Duration
	for _, f := range x.m.Services[service].Spec.Spans(x.m.Until) {
		d += min(f.To, x.m.Until) - f.From
	}
	for i := range x.m.Services[service].Steps {
		d = max(d, x.broken(x.m.Services[service].Steps[i].To))
	}
	return d
}

// affected is how many requests of a group meet a fault: all that come at once,
// else those that come while it lasts.
func (x *estimator) affected(g *sim.Group, requests float64) float64 {
	if g.Arrival.Kind == "burst" || g.Arrival.Kind == "closed" {
		return min(requests, float64(g.Count))
	}
	var longest time.Duration
	for i := range g.Steps {
		longest = max(longest, x.broken(g.Steps[i].To))
	}
	return float64(requests * (longest.Seconds() / x.m.Until.Seconds()))
}

// retries are the calls that one request makes more when its steps meet a fault.
func (x *estimator) retries(steps []sim.Step) float64 {
	n := 0.0
	for i := range steps {
		s := &steps[i]
		if d := x.broken(s.To); d > 0 {
			n += float64(attempts(s, d) * x.calls[s.To])
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
