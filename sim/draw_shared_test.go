package sim_test

import (
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/strategies"

	"pgregory.net/rapid"
)

// drawing is the state of drawing one model.
type drawing struct {
	*rapid.T
	rich     bool          // with what callers share, and answers that ask to wait
	policies []*sim.Policy // drawn so far; steps may share them
}

// layers draws the policies of a step.
func (d *drawing) layers() (list []*sim.Policy) {
	n := 1
	if d.rich {
		n = pick(d.T, "layers", 1, 1, 1, 1, 2, 2, 3)
	}
	for range n {
		if d.rich && len(d.policies) > 0 && often(d.T, "shared", 3) {
			list = append(list, rapid.SampledFrom(d.policies).Draw(d.T, "policy"))
			continue
		}
		p := &sim.Policy{Policy: d.policy()}
		if d.rich {
			d.enrich(&p.Policy)
			p.MaxAttempts = min(p.MaxAttempts, 3)
		}
		d.policies = append(d.policies, p)
		list = append(list, p)
	}
	return list
}

// enrich adds what the basic policies do not have.
func (d *drawing) enrich(p *strategies.Policy) {
	t := d.T
	p.ElapsedCheck = pick(t, "elapsed check", "", "before-wait", "after-wait")
	p.Deadline = pick(t, "deadline", 0, 0, 20*ms, 100*ms, 300*ms, s)
	if often(t, "timed", 6) {
		p.SlowerThan = pick(t, "slower than", 0, ms, 10*ms, 50*ms)
		p.FasterThan = pick(t, "faster than", 0, 60*ms, 100*ms)
	}
	p.IdempotentOnly = often(t, "idempotent only", 8)
	p.Cancel = pick(t, "cancel", "never", "queued", "running")
	if often(t, "backoff on", 5) {
		b := strategies.Backoff{Kind: "fixed", Base: pick(t, "other base", 100*ms, 10*ms, 30*ms), Factor: 2}
		if p.MaxAttempts > 0 {
			b.Kind = pick(t, "other backoff", "fixed", "none", "decorrelated-jitter", "exponential")
		} else {
			b.Base = 100 * ms
		}
		p.BackoffOn = []strategies.BackoffOn{{Outcome: pick(t, "on", "timeout", "429", "5xx", "rejected"), Backoff: b}}
	}
	d.retryAfter(p)
	if often(t, "budget", 3) {
		p.Budget = d.budget()
	}
	if often(t, "breaker", 3) {
		p.Breaker = d.breaker()
	}
	if often(t, "hedge", 3) {
		p.Hedge = d.hedge()
	}
	if often(t, "limiter", 3) {
		p.Limiter = d.limiter()
	}
}

func (d *drawing) retryAfter(p *strategies.Policy) {
	t := d.T
	kinds := []string{"ignore", "floor", "add", "band", "replace", "required"}
	if p.MaxAttempts < 0 {
		kinds = kinds[:4] // the others may ask for retries at once
	}
	p.RetryAfter = strategies.RetryAfter{
		Kind: rapid.SampledFrom(kinds).Draw(t, "retry after"), Answers: []string{pick(t, "read in", "429", "any", "5xx")},
		Forms: []string{"seconds", "date", "ms"}[:pick(t, "forms", 1, 2, 3, 3)], Cap: pick(t, "longest", 0, 50*ms, 2*s),
		TooLong: pick(t, "too long", "cut", "give-up", "ignore"), Width: pick(t, "width", 0, 100*ms, 5*s),
		Jitter: pick(t, "hint jitter", 0.0, 0.1, 1), Centred: rapid.Bool().Draw(t, "centred"), Restart: rapid.Bool().Draw(t, "restart"),
	}
}

func (d *drawing) scope(of string) string {
	return pick(d.T, of+" scope", "process", "client", "all")
}

func (d *drawing) keyed(of string) string { return pick(d.T, of+" keyed", "target", "policy") }

func (d *drawing) budget() *strategies.Budget {
	t := d.T
	b := &strategies.Budget{
		Kind:  pick(t, "budget kind", "ratio", "window", "concurrent", "tokens", "throttle", "failures"),
		Ratio: pick(t, "ratio", 0, 0.1, 0.5, 1), Window: pick(t, "budget window", 100*ms, s, 10*s),
		Deposit: pick(t, "deposit", "request", "success", "final"), Rounded: rapid.Bool().Draw(t, "rounded"),
		PerRequest: pick(t, "per request", 1, 0.5), Waiting: rapid.Bool().Draw(t, "waiting"),
		Tokens: pick(t, "bucket tokens", 3.0, 5, 10), Retry: pick(t, "retry costs", 1.0, 2), Timeout: pick(t, "timeout costs", 1.0, 2),
		Throttled: pick(t, "throttled costs", 0, 1.0), Success: pick(t, "success earns", 0, 0.5, 1),
		Request: pick(t, "request earns", 0, 0.1), Reserve: pick(t, "reserve", 0, 1.0), PerSuccess: pick(t, "per success", 0.1, 1),
		Scope: pick(t, "budget scope", "process", "client", "all", "request"), Keyed: d.keyed("budget"),
	}
	if b.Kind == "concurrent" {
		b.Floor = strategies.Floor{Set: rapid.Bool().Draw(t, "floor"), Count: rapid.Int64Range(0, 2).Draw(t, "floor count")}
	} else {
		b.Floor = strategies.Floor{Set: rapid.Bool().Draw(t, "floor"), Rate: pick(t, "floor rate", 0, 0.5, 3.0)}
	}
	return b
}

func (d *drawing) breaker() *strategies.Breaker {
	t := d.T
	b := &strategies.Breaker{
		Kind: pick(t, "breaker kind", "consecutive", "count", "time"), Size: rapid.Int64Range(1, 4).Draw(t, "breaker size"),
		Window: pick(t, "breaker window", 100*ms, s), Failures: pick(t, "breaker failures", 0.5, 0.1, 1),
		Open: pick(t, "open", 100*ms, 0, 10*ms, 30*ms, s), HalfOpen: rapid.Int64Range(1, 3).Draw(t, "half open"),
		SlowCall: pick(t, "slow call", 0, 20*ms), SlowCalls: pick(t, "slow calls", 1, 0.5),
		FailureOn: []string{pick(t, "failure on", "any", "5xx", "timeout", "transient")},
		Wraps:     pick(t, "wraps", "attempts", "request", "retries"), Scope: d.scope("breaker"), Keyed: d.keyed("breaker"),
	}
	if often(t, "min calls", 2) {
		b.MinCalls = new(rapid.Int64Range(1, 4).Draw(t, "min calls"))
	}
	return b
}

func (d *drawing) hedge() *strategies.Hedge {
	t := d.T
	h := &strategies.Hedge{
		After: strategies.After{Delay: pick(t, "hedge after", 10*ms, 0, 20*ms, 50*ms)},
		Max:   rapid.Int64Range(1, 3).Draw(t, "hedges"), Budget: pick(t, "hedge budget", 1, 0.5),
		OnFailure: pick(t, "on failure", "wait", "send"), Scope: d.scope("hedge"), Keyed: d.keyed("hedge"),
	}
	if often(t, "quantile", 4) {
		h.After = strategies.After{Quantile: pick(t, "hedge quantile", 0.5, 0.95)}
	}
	return h
}

func (d *drawing) limiter() *strategies.Limiter {
	t := d.T
	return &strategies.Limiter{
		Kind:  pick(t, "limiter kind", "concurrency", "rate", "aimd", "gradient", "aws-adaptive"),
		Limit: rapid.Int64Range(1, 3).Draw(t, "limit"), Min: 1, Max: 10, Rate: pick(t, "limiter rate", 20.0, 3, 100),
		Burst: rapid.Int64Range(1, 3).Draw(t, "limiter burst"), WhenFull: pick(t, "when full", "wait", "fail"),
		Scope: d.scope("limiter"), Keyed: d.keyed("limiter"),
	}
}

// protect gives a service what the basic ones do not have.
func (d *drawing) protect(v *server.Spec) {
	t := d.T
	v.Queue.Order = pick(t, "other order", "fifo", "fifo", "lifo", "random", "adaptive-lifo", "codel", "deadline", "first-tries", "retries-first")
	v.Queue.MaxWait = pick(t, "max wait", 0, 0, 20*ms, 100*ms)
	v.Redraw = pick(t, "redraw", "attempt", "attempt", "request")
	if often(t, "station limiter", 5) {
		v.Limiter = &server.Limiter{Answer: server.Reply{Answer: drawAnswer(t, "limiter answer")}}
		v.Limiter.Kind, v.Limiter.Min, v.Limiter.Max = pick(t, "station limit", "concurrency", "aimd", "gradient"), 1, 10
		v.Limiter.Limit = rapid.Int64Range(1, 4).Draw(t, "station limit size")
		d.ask(&v.Limiter.Answer, v)
	}
	if v.Queue.Limit >= 1 && often(t, "shed", 4) {
		v.Shed = &server.Shed{Kind: pick(t, "shed kind", "retries", "first-tries"), Above: pick(t, "shed above", 0.8, 0.2, 0)}
		v.Shed.Answer.Answer = drawAnswer(t, "shed answer")
		d.ask(&v.Shed.Answer, v)
	}
	d.ask(&v.Queue.Full, v)
	if l := v.RateLimit; l != nil {
		d.ask(&l.Answer, v)
		if l.Answer.RetryAfter.Kind != server.AskedNothing {
			l.Ban = pick(t, "ban", 0, 50*ms, s)
		}
	}
	for i := range v.Faults {
		f := &v.Faults[i]
		d.ask(&f.Answer, v)
		f.Stored = f.Kind == "errors" && often(t, "stored", 4)
		if f.Kind == "errors" && often(t, "mix", 3) {
			f.Answer = server.Reply{}
			part := server.Reply{Answer: 429}
			d.ask(&part, v)
			f.Mix = []server.MixPart{
				{Answer: "429", Share: 0.25, RetryAfter: part.RetryAfter, Spread: part.Spread, Form: part.Form, Skew: part.Skew, Behind: part.Behind},
				{Answer: "refused", Share: 0.75},
			}
		}
	}
}

// ask lets an answer ask for a wait.
func (d *drawing) ask(r *server.Reply, v *server.Spec) {
	t := d.T
	if r.Answer < 400 || !often(t, "asks", 2) {
		return
	}
	kinds := []server.AskedKind{server.AskedDelay, server.AskedDelay, server.AskedRecovery, server.AskedNever}
	if v.RateLimit != nil {
		kinds = append(kinds, server.AskedToken)
	}
	if v.Workers != server.Unlimited {
		kinds = append(kinds, server.AskedQueue)
	}
	r.RetryAfter = server.Asked{Kind: rapid.SampledFrom(kinds).Draw(t, "asked"), Delay: pick(t, "asked delay", 10*ms, 0, 200*ms, s)}
	r.Form, r.Spread = pick(t, "form", "ms", "seconds", "date"), pick(t, "hint spread", 0, 50*ms)
	if r.Form == "date" {
		r.Skew, r.Behind = pick(t, "skew", 0, 100*ms, 2*s), rapid.Bool().Draw(t, "behind")
	}
}

// few keeps the number of requests small where each may make many calls.
func (d *drawing) few(g *sim.Group) {
	g.Count = pick[int64](d.T, "few", 1, 2, 3, 6, 10)
	g.Processes = pick(d.T, "processes", 0, 1, g.Count, (g.Count+1)/2)
	if a := &g.Arrival; a.Kind == "poisson" || a.Kind == "constant" {
		a.For = pick(d.T, "short", 300*ms, s, time.Duration(0))
	}
}
