package sim_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"

	"pgregory.net/rapid"
)

// wild draws a valid model of extremes. Only what bounds the number of events
// is held back: how many requests there are, and how soon a retry may come.
func wild(t *rapid.T) *sim.Model {
	m := drawModel(t)
	huge := []time.Duration{0, 1, ms, s, time.Hour, 1000 * time.Hour, 1 << 60, random.Max}
	span := func(name string) time.Duration { return rapid.SampledFrom(huge).Draw(t, name) }
	m.Until = pick(t, "wild until", time.Duration(1), s, 10*s, 59*time.Minute)
	m.Window = max(m.Window, m.Until/100_000)
	m.Warmup, m.SLO = span("warmup"), span("slo")
	for i := range m.Groups {
		a := &m.Groups[i].Arrival
		switch a.Kind {
		case "burst":
			a.Spread = span("wild spread")
		case "closed", "every":
			m.Groups[i].Requests = 3
			a.Think, a.Every = constant(max(s, span("wild think"))), max(s, span("wild period"))
		case "poisson", "constant":
			a.Rate, a.For = pick(t, "wild rate", 1e-9, 1, 1e3, 1e9), pick[time.Duration](t, "wild for", 1, 100, 1000)
		case "trace":
			a.For = span("wild for")
		}
		a.At = span("wild at")
	}
	for _, steps := range paths(m) {
		for i := range steps {
			for _, p := range steps[i].Policies {
				wildPolicy(t, &p.Policy, span)
			}
			steps[i].Network = constant(span("wild network"))
		}
	}
	for i := range m.Services {
		v := &m.Services[i].Spec
		v.Workers = max(pick[int64](t, "wild workers", 1, 3, 1_000_000, 1_000_000_000, server.Unlimited), min(v.Workers, 1))
		v.ServiceTime, v.Slowdown = constant(span("wild service")), span("wild slowdown")
		if l := v.RateLimit; l != nil {
			l.Rate, l.Limit, l.Window = pick(t, "wild tokens", 1e-7, 1./3, 1e9), pick[int64](t, "wild limit", 1, 1<<60), max(1, span("wild window"))
		}
		if k := v.Crash; k != nil {
			k.Restart, k.Ramp, k.RampFrom = span("wild restart"), span("wild ramp"), pick(t, "wild from", 0, 1e-12, 0.5, 1)
		}
		v.Queue.MaxWait = span("wild max wait")
		if l := v.RateLimit; l != nil && l.Answer.RetryAfter.Kind != server.AskedNothing {
			l.Ban = span("wild ban")
		}
		wildReply(t, &v.Queue.Full, span)
		for j := range v.Faults {
			f := &v.Faults[j]
			f.At, f.For, f.Ramp = span("wild fault"), span("wild length"), span("wild ramp")
			if f.Every = span("wild every"); f.For == 0 || f.Every < ms || f.Every-f.For <= f.Ramp {
				f.Every = 0
			}
			f.RampFrom, f.Factor = pick(t, "wild from", 0, 1e-12, 0.5, 1), pick(t, "wild slow", 1e-9, 1, 1e9)
			wildReply(t, &f.Answer, span)
		}
	}
	return m
}

// wildReply takes a wait that an answer asks for to extremes.
func wildReply(t *rapid.T, r *server.Reply, span func(string) time.Duration) {
	r.Spread = span("wild hint spread")
	r.RetryAfter.Delay = span("wild hint")
	if r.Form == "date" {
		r.Skew = span("wild skew")
	}
}

func wildPolicy(t *rapid.T, p *strategies.Policy, span func(string) time.Duration) {
	p.Timeout, p.MaxElapsed, p.Deadline = span("wild timeout"), span("wild elapsed"), span("wild deadline")
	p.MaxAttempts = min(p.MaxAttempts, 3)
	if p.SlowerThan = span("wild slower"); p.SlowerThan >= p.FasterThan {
		p.FasterThan = 0
	}
	p.Backoff = strategies.Backoff{
		Kind: pick(t, "wild backoff", "fixed", "exponential", "equal-jitter", "decorrelated-jitter", "additive-jitter"),
		Base: max(20*s, span("wild base")), Factor: pick(t, "wild factor", 1, 1.5, 1e300),
		FirstExponent: pick[int64](t, "wild exponent", 0, 1, 1<<62), Spread: span("wild spread"),
	}
	if p.MaxAttempts < 0 {
		p.BackoffOn = nil
		if p.Backoff.Kind == "equal-jitter" {
			p.MaxAttempts = 2
		}
	}
	p.RetryAfter.Cap, p.RetryAfter.Width, p.RetryAfter.Jitter = span("wild cap"), span("wild width"), pick(t, "wild jitter", 0, 1e-9, 1)
	if b := p.Budget; b != nil {
		b.Window, b.Tokens = max(1, span("wild window")), pick(t, "wild tokens", 1000.0, 11)
		b.Ratio = pick(t, "wild ratio", 0, 1e-9, 1)
	}
	if b := p.Breaker; b != nil {
		b.Open, b.Window, b.SlowCall = span("wild open"), max(1, span("wild breaker window")), span("wild slow call")
		b.Failures, b.HalfOpen = pick(t, "wild failures", 1e-6, 1), pick[int64](t, "wild half open", 1, 1_000_000_000)
	}
	if h := p.Hedge; h != nil {
		h.Max = pick[int64](t, "wild hedges", 1, 20)
		if h.After.Quantile == 0 {
			h.After.Delay = span("wild hedge")
		}
	}
	if l := p.Limiter; l != nil {
		l.Limit, l.Max = pick[int64](t, "wild limit", 1, 1_000_000_000), 1_000_000_000
		l.Rate, l.Burst = pick(t, "wild limiter rate", 1e-9, 1./3, 1e9), 1
	}
}

// invalid lists what validation says about the parts of a model.
func invalid(m *sim.Model) (problems []string) {
	bad := func(field, problem string) { problems = append(problems, field+" "+problem) }
	for _, g := range m.Groups {
		g.Arrival.Validate(bad)
	}
	for _, v := range m.Services {
		v.Spec.Validate(bad)
	}
	for _, steps := range paths(m) {
		for _, st := range steps {
			for _, p := range st.Policies {
				p.Validate(bad)
			}
			st.Network.Validate(bad)
		}
	}
	return problems
}

// TestWildModels: whatever passes validation runs to an end, without a panic
// and with books that balance.
func TestWildModels(t *testing.T) {
	var r sim.Runner
	rapid.Check(t, func(t *rapid.T) {
		m := wild(t)
		if problems := invalid(m); len(problems) > 0 {
			t.Fatalf("not valid: %s", strings.Join(problems, "; "))
		}
		// Should it hang, the test's own timeout ends it; this tells the model.
		slow := time.AfterFunc(time.Minute, func() {
			fmt.Fprintf(os.Stderr, "this model has run for a minute: %s\n", spell(reflect.ValueOf(*m)))
		})
		defer slow.Stop()
		rec, err := r.Run(m, 1, 1, sim.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, spell(reflect.ValueOf(*m)))
		}
		if rec.EndedAt > m.Until || rec.FinishedAt > rec.EndedAt || rec.LastArrival > rec.EndedAt {
			t.Fatalf("ended at %v, last request at %v, of %v\n%s", rec.EndedAt, rec.FinishedAt, m.Until, spell(reflect.ValueOf(*m)))
		}
	})
}

// The longest times there are do not wrap around.
func TestLongestTimes(t *testing.T) {
	longest := time.Duration(1<<63 - 1)
	p := retry(2, longest, backoff("fixed", 10*ms, 0))
	p.MaxElapsed = longest
	expect(t, "timeout", model(at(s), p, constant(ms), working(1, s)), "ok 2.002s")
	expect(t, "network", model(at(s), p, constant(random.Max), working(1, s)), "unfinished")
	expect(t, "service", model(at(s), p, constant(0), working(1, random.Max)), "unfinished")
	p.Timeout, p.Backoff.Base = ms, longest
	expect(t, "wait", model(at(s), p, constant(0), working(1, s)), "unfinished")
}
