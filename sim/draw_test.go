package sim_test

import (
	"fmt"
	"slices"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"

	"pgregory.net/rapid"
)

// drawModel draws a small valid model. Times are few and coarse, so that many
// events fall on one instant, and whatever could repeat without taking time is
// kept finite.
func drawModel(t *rapid.T) *sim.Model {
	m := &sim.Model{
		Until:  pick(t, "until", 500*ms, s, 2*s, 3*s+1, 5*s),
		Window: pick(t, "window", ms, 10*ms, 100*ms, 300*ms, s),
		Warmup: pick(t, "warmup", 0, 0, 0, 100*ms, s),
		SLO:    pick(t, "slo", 0, 100*ms, s),
	}
	d := &drawing{T: t, rich: rapid.IntRange(0, 2).Draw(t, "rich") > 0}
	services := rapid.IntRange(1, 4).Draw(t, "services")
	m.Target = services - 1
	for i := range services {
		v := sim.Service{Name: fmt.Sprintf("service %d", i), Spec: drawSpec(t)}
		if d.rich {
			if often(t, "drop", 3) {
				v.Expired.Kind = "drop"
			}
			if often(t, "protected", 2) {
				d.protect(&v.Spec)
			}
		}
		d.replicas(&v.Spec)
		if i+1 < services && often(t, "nested", 3) {
			v.Steps = d.steps(i+1, services)
			v.Async = d.rich && often(t, "async", 3)
			if d.rich && often(t, "work between", 3) {
				v.Steps = slices.Insert(v.Steps, rapid.IntRange(0, len(v.Steps)).Draw(t, "work at"), sim.Step{Work: true})
			}
		}
		m.Services = append(m.Services, v)
	}
	for i := range rapid.IntRange(1, 2).Draw(t, "groups") {
		g := drawGroup(t)
		if d.rich {
			d.few(&g)
		}
		g.Name, g.Steps = fmt.Sprintf("group %d", i), d.steps(0, services)
		m.Groups = append(m.Groups, g)
	}
	d.actions(m)
	if often(t, "trigger", 5) {
		m.Trigger = &sim.Trigger{At: pick(t, "trigger at", 0, 200*ms, s), For: pick(t, "trigger for", 0, 500*ms)}
	}
	if often(t, "late", 2) {
		d.late(m)
	}
	for range pick(t, "slices", 0, 0, 1, 3) {
		from := pick(t, "from", 0, 100*ms, 250*ms, s)
		m.Slices = append(m.Slices, sim.Slice{From: from, To: pick(t, "to", m.Until, from+100*ms, from+ms, from+777*ms)})
	}
	return m
}

func pick[T any](t *rapid.T, name string, values ...T) T {
	return rapid.SampledFrom(values).Draw(t, name)
}

// often is true once in so many times; shrinking goes to false.
func often(t *rapid.T, name string, in int) bool {
	return rapid.IntRange(0, in-1).Draw(t, name) == in-1
}

func drawGroup(t *rapid.T) sim.Group {
	g := sim.Group{Count: rapid.Int64Range(1, 30).Draw(t, "clients"), Requests: rapid.Int64Range(1, 3).Draw(t, "requests")}
	a := &g.Arrival
	a.Kind = pick(t, "arrival", "burst", "poisson", "constant", "closed", "every", "profile", "trace")
	a.At = pick(t, "at", 0, 0, 0, 100*ms, s)
	if a.Kind != "burst" {
		a.For = pick(t, "for", 0, 300*ms, 2*s)
	}
	switch a.Kind {
	case "burst":
		a.Spread = pick(t, "spread", 0, 1, 100*ms, s)
	case "poisson", "constant":
		a.Rate, a.Per = pick(t, "rate", 1.0, 7, 20, 50), "all"
	case "closed":
		a.Think = drawDist(t, "think", 10*ms, 100*ms)
		if a.Think.Kind == "constant" && often(t, "for ever", 2) {
			g.Requests = random.Unlimited
		}
	case "every":
		a.Every, a.Phase = pick(t, "period", 100*ms, 500*ms, s), pick(t, "phase", "aligned", "random")
		a.Jitter = pick(t, "jitter", 0.0, 0.5, 1)
		if often(t, "for ever", 2) {
			g.Requests = random.Unlimited
		}
	case "profile":
		a.Points = []random.Point{
			{At: 0, Rate: pick(t, "first rate", 1.0, 10)},
			{At: pick(t, "corner", 0, 500*ms), Rate: pick(t, "second rate", 0.0, 5, 40)},
			{At: s, Rate: pick(t, "last rate", 0.0, 5)},
		}
	case "trace":
		at := time.Duration(0)
		for range rapid.IntRange(1, 20).Draw(t, "trace") {
			at += pick(t, "gap", 0, 10*ms, 100*ms)
			a.Times = append(a.Times, at)
		}
	}
	return g
}

// drawDist draws a distribution of a few of the durations.
func drawDist(t *rapid.T, name string, d ...time.Duration) random.Dist {
	mean := rapid.SampledFrom(d).Draw(t, name)
	switch pick(t, name+" kind", "constant", "constant", "constant", "exponential", "file") {
	case "exponential":
		return exponential(mean)
	case "file":
		return random.Dist{Kind: "file", Values: []time.Duration{0, mean, mean, 2 * mean, 10 * mean}}
	}
	return constant(mean)
}

func (d *drawing) steps(from, services int) []sim.Step {
	t := d.T
	var steps []sim.Step
	for range rapid.IntRange(1, 3).Draw(t, "steps") {
		steps = append(steps, d.step(from, services, 2))
	}
	return steps
}

// step draws a step with forks up to a depth.
func (d *drawing) step(from, services, depth int) sim.Step {
	t := d.T
	var st sim.Step
	if d.rich && depth > 0 && often(t, "fork", 6) {
		for range rapid.IntRange(1, 3).Draw(t, "branches") {
			st.Parallel = append(st.Parallel, d.step(from, services, depth-1))
		}
		st.Need = rapid.IntRange(1, len(st.Parallel)).Draw(t, "need")
	} else {
		st = sim.Step{
			To: rapid.IntRange(from, services-1).Draw(t, "to"), Policies: d.layers(),
			Network: drawDist(t, "network", 0, 0, 10*ms, 30*ms), Idempotent: d.rich && rapid.Bool().Draw(t, "idempotent"),
		}
	}
	if often(t, "not all", 5) {
		st.Skip = pick(t, "skip", 0.3, 1)
	}
	st.Optional = often(t, "optional", 5)
	return st
}

func (d *drawing) policy() strategies.Policy {
	t := d.T
	p := retry(
		pick[int64](t, "attempts", 1, 2, 3, 4, strategies.Unlimited),
		pick(t, "timeout", 0, 10*ms, 20*ms, 50*ms, 100*ms, s),
		strategies.Backoff{
			Kind: pick(t, "backoff", "none", "fixed", "linear", "exponential", "full-jitter", "equal-jitter", "decorrelated-jitter"),
			Base: pick(t, "base", 10*ms, 50*ms, 100*ms), Cap: pick(t, "cap", 0, 100*ms, s), Factor: 2,
		})
	if p.MaxAttempts == strategies.Unlimited {
		// Waits that may be 0 would make attempts without end at one instant.
		p.Backoff.Kind, p.Backoff.Base = "fixed", 100*ms
	}
	p.MaxElapsed = pick(t, "elapsed", 0, 0, 50*ms, 200*ms, s)
	p.LateAnswers = pick(t, "late", "ignore", "accept")
	p.RetryOn = []string{pick(t, "retry on", "any", "transient", "timeout")}
	return p
}

func drawSpec(t *rapid.T) server.Spec {
	v := server.Spec{
		Workers:     pick[int64](t, "workers", server.Unlimited, 1, 2, 3, 10, 50),
		ServiceTime: drawDist(t, "service", 0, 0, 10*ms, 20*ms, 50*ms),
		Slowdown:    pick(t, "slowdown", 0, 0, 0, ms, 10*ms),
		Queue: server.Queue{
			Limit: pick[int64](t, "queue", server.Unlimited, 0, 1, 5), Order: pick(t, "order", "fifo", "lifo"),
			Full: server.Reply{Answer: drawAnswer(t, "full")},
		},
	}
	if often(t, "limited", 5) {
		v.RateLimit = &server.RateLimit{
			Kind: pick(t, "limit", "token-bucket", "fixed-window", "sliding-window"),
			Rate: pick(t, "tokens", 0.7, 3, 20, 100), Burst: rapid.Int64Range(1, 5).Draw(t, "bucket"),
			Limit: rapid.Int64Range(1, 5).Draw(t, "per window"), Window: pick(t, "limit window", 10*ms, 100*ms, s),
			Answer: server.Reply{Answer: drawAnswer(t, "limit answer")}, Scope: pick(t, "scope", "all", "client"),
		}
	}
	if often(t, "contended", 3) {
		v.Contention = &server.Contention{
			Kind: pick(t, "contention", "optimistic", "write-only", "lock"), Rows: rapid.Int64Range(1, 3).Draw(t, "rows"),
		}
	}
	if often(t, "crashes", 4) {
		v.Crash = &server.Crash{
			Above: rapid.Int64Range(1, 8).Draw(t, "above"), Restart: pick(t, "restart", 0, 100*ms, s),
			Ramp: pick(t, "restart ramp", 0, 100*ms, s), RampFrom: pick(t, "restart from", 0, 0.1, 0.29, 1),
		}
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "faults") {
		f := server.Fault{
			Name: fmt.Sprintf("fault %d", i), Kind: pick(t, "fault", "down", "errors", "slow", "pause", "capacity"),
			At: pick(t, "fault at", 0, 50*ms, 100*ms, 110*ms, s), For: pick(t, "fault for", 0, 10*ms, 100*ms, 500*ms),
			Ramp: pick(t, "fault ramp", 0, 0, 1, 100*ms, s), RampFrom: pick(t, "fault from", 0, 0.1, 0.29, 1),
		}
		switch f.Kind {
		case "down":
			f.Answer = server.Reply{Answer: drawAnswer(t, "down answer")}
		case "errors":
			f.Answer, f.Share, f.AfterWork = server.Reply{Answer: drawAnswer(t, "error")}, pick(t, "share", 0, 0.3, 1), rapid.Bool().Draw(t, "after work")
		case "slow":
			f.Factor = pick(t, "factor", 0.5, 1, 3)
		case "capacity":
			f.Share = pick(t, "left", 0, 0.29, 0.5, 1)
		}
		v.Faults = append(v.Faults, f)
	}
	return v
}

func drawAnswer(t *rapid.T, name string) server.Answer {
	return pick(t, name, 503, server.Refused, server.Reset, server.Silent, 409, 429, 502, 504)
}
