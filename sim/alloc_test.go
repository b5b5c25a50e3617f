package sim_test

import (
	"testing"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// A Runner that has run a model before needs no memory to run it again,
// whatever its callers share.
func TestNoAllocations(t *testing.T) {
	basic := recovering(500)
	models := map[string]*sim.Model{"basic": basic, "next token": fifty(), "defences": defences(), "hints": hints()}
	for name, change := range map[string]func(p *strategies.Policy){
		"budget":  func(p *strategies.Policy) { p.Budget = quota() },
		"request": func(p *strategies.Policy) { p.Budget = quota(); p.Budget.Scope = "request" },
		"breaker": func(p *strategies.Policy) {
			p.Breaker = &strategies.Breaker{Kind: "time", Window: s, Failures: 0.5, Open: s, HalfOpen: 3, SlowCalls: 1, FailureOn: []string{"any"}, Scope: "all"}
		},
		"limiter": func(p *strategies.Policy) {
			p.Limiter = &strategies.Limiter{Kind: "concurrency", Limit: 20, WhenFull: "wait", Scope: "all"}
		},
		"hedge": func(p *strategies.Policy) {
			p.Hedge = &strategies.Hedge{After: strategies.After{Quantile: 0.9}, Max: 2, Budget: 1, Scope: "all"}
		},
		"cancel": func(p *strategies.Policy) { p.Cancel = "running" },
	} {
		m := recovering(500)
		p := &m.Groups[0].Steps[0].Policies[0].Policy
		p.MaxAttempts = 20
		change(p)
		models[name] = m
	}
	told := chain(telling(retry(3, 80*ms, backoff("fixed", 10*ms, 0))), telling(retry(2, 50*ms, backoff("none", 0, 0))), telling(once), 15*ms)
	told.Groups[0].Count, told.Groups[0].Requests, told.Groups[0].Arrival = 1, random.Unlimited, random.Arrival{Kind: "poisson", Rate: 700, Per: "all"}
	told.Groups[0].Classes = []sim.Class{{Name: "light", Share: 0.9}, {Name: "heavy", Share: 0.1, Cost: 3}}
	told.Until = 20 * s
	models["deadlines and classes"] = told
	models["slices"] = recovering(500)
	models["slices"].Slices = []sim.Slice{{From: s, To: 40 * s}, {To: 600 * s}}
	models["graph"] = graphAt(500, []sim.Step{{Parallel: []sim.Step{{To: 1}, {To: 2}}, Need: 1}, {Work: true}})
	models["graph"].Until, models["graph"].Services[0].Async = 2*s, true
	models["inbox"] = recovering(500)
	models["inbox"].Services[0].Inbox = server.Inbox{Kind: "unique", Keep: s, KeepNewest: 100, SameKey: 0.1, KeyCycle: s}
	for name, m := range models {
		var r sim.Runner
		once := func() {
			if _, err := r.Run(m, 1, 1, sim.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		once()
		if n := testing.AllocsPerRun(2, once); n > 0 {
			t.Errorf("%s: %v allocations in a run", name, n)
		}
	}
}

// defences is everything that stops calls, on both sides, at once.
func defences() *sim.Model {
	spec := workers(10)
	spec.ServiceTime = exponential(50 * ms)
	spec.Queue = server.Queue{Limit: 100, Order: "codel", Full: server.Reply{Answer: 503, RetryAfter: server.Asked{Kind: server.AskedQueue}, Form: "ms"}}
	spec.Limiter = &server.Limiter{Answer: server.Reply{Answer: 503}}
	spec.Limiter.Kind, spec.Limiter.Limit, spec.Limiter.Min, spec.Limiter.Max = "gradient", 20, 1, 200
	spec.Shed = &server.Shed{Kind: "retries", Above: 0.5, Answer: server.Reply{Answer: 429}}
	spec.Faults = []server.Fault{
		{Name: "slow", Kind: "slow", At: 5 * s, For: 3 * s, Factor: 4},
		{Name: "down", Kind: "down", At: 12 * s, For: s, Answer: server.Reply{Answer: 503, RetryAfter: server.Asked{Kind: server.AskedRecovery}, Spread: s}},
	}
	outer := retry(2, 2*s, backoff("full-jitter", 100*ms, s))
	outer.Deadline, outer.Cancel = 3*s, "running"
	outer.Breaker = &strategies.Breaker{Kind: "count", Size: 20, Failures: 0.5, Open: s, HalfOpen: 5, SlowCalls: 1, FailureOn: []string{"any"}, Wraps: "request", Scope: "process", Keyed: "target"}
	inner := retry(3, 500*ms, backoff("decorrelated-jitter", 50*ms, s))
	inner.RetryAfter = strategies.RetryAfter{Kind: "floor", Answers: []string{"503"}, Forms: []string{"seconds", "ms"}, Cap: 2 * s, TooLong: "cut", Jitter: 0.2}
	inner.Budget = &strategies.Budget{Kind: "ratio", Ratio: 0.2, Window: 10 * s, PerRequest: 1, Scope: "all", Keyed: "target"}
	inner.Hedge = &strategies.Hedge{After: strategies.After{Quantile: 0.95}, Max: 1, Budget: 0.1, OnFailure: "send", Scope: "all", Keyed: "target"}
	inner.Limiter = &strategies.Limiter{Kind: "aimd", Limit: 10, Min: 2, Max: 50, WhenFull: "wait", Scope: "process", Keyed: "target"}
	inner.Cancel = "running"
	g := poisson(150)
	g.Count, g.Processes = 40, 8
	m := model(g, outer, exponential(5*ms), spec)
	m.Groups[0].Steps[0].Policies = append(m.Groups[0].Steps[0].Policies, &sim.Policy{Policy: inner})
	m.Services[0].Expired.Kind = "drop"
	m.Until = 20 * s
	return m
}

// hints is a rate limit that tells callers when to come back, and bans those
// who do not listen.
func hints() *sim.Model {
	spec := unlimited()
	spec.ServiceTime = exponential(20 * ms)
	spec.RateLimit = &server.RateLimit{
		Kind: "token-bucket", Rate: 12, Burst: 5, Scope: "client", Ban: 500 * ms,
		Answer: server.Reply{Answer: 429, RetryAfter: server.Asked{Kind: server.AskedToken}, Form: "date", Skew: 200 * ms, Spread: s},
	}
	p := retry(5, s, backoff("exponential", 50*ms, s))
	p.RetryAfter = strategies.RetryAfter{Kind: "band", Answers: []string{"429"}, Forms: []string{"date"}, Cap: 10 * s, TooLong: "give-up", Width: 3 * s}
	p.Deadline = 5 * s
	p.Budget = &strategies.Budget{Kind: "throttle", Tokens: 50, PerSuccess: 0.1, Scope: "process", Keyed: "target"}
	p.Limiter = &strategies.Limiter{Kind: "aws-adaptive", WhenFull: "wait", Scope: "client", Keyed: "target"}
	p.Breaker = &strategies.Breaker{Kind: "time", Window: 10 * s, Failures: 0.8, Open: s, HalfOpen: 3, SlowCall: 40 * ms, SlowCalls: 0.9, FailureOn: []string{"any"}, Wraps: "retries", Scope: "all", Keyed: "policy"}
	g := poisson(200)
	g.Count, g.Processes = 10, 2
	m := model(g, p, exponential(10*ms), spec)
	m.Until = 20 * s
	return m
}
