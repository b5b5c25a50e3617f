package sim_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"

	"pgregory.net/rapid"
)

// The rules of what callers share, of layers and of answers that ask to wait,
// by examples that can be found with pencil and paper.

// broken is a service that fails everything at once.
func broken(a server.Answer) server.Spec {
	return with(unlimited(), server.Fault{Kind: "errors", Share: 1, Answer: server.Reply{Answer: a}})
}

// asking is a policy that obeys what a 429 or 503 asks for.
func asking(kind string, attempts int64) strategies.Policy {
	p := retry(attempts, 0, backoff("none", 0, 0))
	p.RetryAfter = strategies.RetryAfter{Kind: kind, Answers: []string{"429", "503"}, Forms: []string{"seconds", "date"}, TooLong: "cut"}
	return p
}

// fifty is 50 clients that each get the time of the same next token.
func fifty() *sim.Model {
	spec := unlimited()
	spec.RateLimit = &server.RateLimit{
		Kind: "token-bucket", Rate: 1, Burst: 1, Scope: "all",
		Answer: server.Reply{Answer: 429, RetryAfter: server.Asked{Kind: server.AskedToken}},
	}
	return model(burst(50), asking("floor", strategies.Unlimited), constant(0), spec)
}

// Everybody waits for the same token: each second one of them gets it.
func TestRuleNextToken(t *testing.T) {
	rec := run(t, fifty(), 1, 0)
	if v := rec.Services[0]; v.Calls != 50*51/2 || v.Status != 1275-50 || rec.Succeeded != 50 || rec.FinishedAt != 49*s {
		t.Errorf("%d calls, %d succeeded, the last at %v, want 1275, 50, 49s", v.Calls, rec.Succeeded, rec.FinishedAt)
	}
}

func TestRuleLayersInOneCaller(t *testing.T) {
	m := model(burst(10), once, constant(0), broken(500))
	m.Groups[0].Steps[0].Policies = []*sim.Policy{
		{Name: "stream", Policy: retry(3, 0, backoff("none", 0, 0))},
		{Name: "sdk", Policy: retry(3, 0, backoff("none", 0, 0))},
		{Name: "http", Policy: retry(5, 0, backoff("none", 0, 0))},
	}
	rec := run(t, m, 1, 0)
	if rec.Services[0].Calls != 450 || rec.Failed != 10 || len(rec.Hops) != 3 {
		t.Fatalf("%d calls, %d failed, want 45 calls for each of 10", rec.Services[0].Calls, rec.Failed)
	}
	for i, want := range []sim.HopRecord{
		{Policy: "stream", Layer: 0, Requests: 10, Calls: 30},
		{Policy: "sdk", Layer: 1, Requests: 30, Calls: 90},
		{Policy: "http", Layer: 2, Requests: 90, Calls: 450, Inner: true},
	} {
		h := rec.Hops[i]
		if h.Policy != want.Policy || h.Layer != want.Layer || h.Inner != want.Inner || h.Requests != want.Requests || h.Calls != want.Calls ||
			h.Status != want.Calls || h.GaveUp != want.Requests || h.Withheld[strategies.AttemptsExhausted] != want.Requests {
			t.Errorf("layer %d: %+v, want %+v", i, h, want)
		}
	}
	// A retry of an outer layer is a retry to the service: all but the first
	// call of each request.
	if v := rec.Services[0]; v.Causes[sim.First] != 10 || v.Causes[sim.AfterStatus] != 440 || v.Retries != 440 {
		t.Errorf("causes %v, want 10 first tries", v.Causes)
	}
}

// An outer timeout ends the inner loop; the call on its way goes on.
func TestRuleOuterTimeout(t *testing.T) {
	m := model(at(0), once, constant(0), working(9, 70*ms))
	m.Groups[0].Steps[0].Policies = []*sim.Policy{
		{Policy: retry(2, 100*ms, backoff("fixed", 50*ms, 0))},
		{Policy: retry(9, 30*ms, backoff("fixed", 10*ms, 0))},
	}
	// Inner attempts at 0, 40, 80; again at 150, 190, 230.
	expect(t, "ends", m, "failed 250ms")
	rec := run(t, m, 1, 0)
	if in, out := rec.Hops[1], rec.Hops[0]; in.Calls != 6 || in.Timeouts != 4 || in.Requests != 2 || in.GaveUp != 0 || out.Timeouts != 2 || out.Calls != 2 || in.Late != 6 {
		t.Errorf("%+v\n%+v: want 3 inner calls in each outer attempt", out, in)
	}
}

// quota is the token bucket of the AWS SDKs.
func quota() *strategies.Budget {
	return &strategies.Budget{Kind: "tokens", Tokens: 500, Retry: 5, Timeout: 10, Throttled: 5, Success: 1, Scope: "process", Keyed: "target"}
}

func TestRuleQuota(t *testing.T) {
	p := retry(50, 0, backoff("fixed", ms, 0))
	p.Budget = quota()
	g := sim.Group{Count: 10, Requests: 1000, Arrival: random.Arrival{Kind: "closed", Think: constant(0)}}
	rec := run(t, model(g, p, constant(0), broken(500)), 1, 0)
	h := rec.Hops[0]
	// 100 retries for each client, the first two of its requests use them up: 49,
	// 49 and 2.
	if h.Calls != 11_000 || h.Withheld[strategies.BudgetEmpty] != 10*998 || h.Withheld[strategies.AttemptsExhausted] != 20 {
		t.Errorf("%d calls, withheld %v, want 11000, and 9980 by the budget", h.Calls, h.Withheld)
	}
	p.Budget = nil
	if h := run(t, model(g, p, constant(0), broken(500)), 1, 0).Hops[0]; h.Calls != 500_000 {
		t.Errorf("without a budget %d calls, want 500000", h.Calls)
	}
}

// gRPC: a failure costs 1, a success earns 0.1, and there are retries while
// more than half of the tokens are left: up to a share of failures f with
// f = 0.1 (1-f), 9.1 %.
func TestRuleThrottle(t *testing.T) {
	withheld := func(f float64) float64 {
		p := retry(5, 0, backoff("none", 0, 0))
		p.Budget = &strategies.Budget{Kind: "throttle", Tokens: 200, PerSuccess: 0.1, Scope: "process", Keyed: "target"}
		g := sim.Group{Count: 1, Requests: 200_000, Arrival: random.Arrival{Kind: "closed", Think: constant(ms)}}
		h := run(t, model(g, p, constant(0), with(unlimited(), server.Fault{Kind: "errors", Share: f})), 1, 0).Hops[0]
		return float64(h.Withheld[strategies.BudgetEmpty]) / float64(h.Status)
	}
	for f, want := range map[float64][2]float64{0.04: {0, 0}, 0.085: {0, 0}, 0.097: {0.9, 1}, 0.2: {0.99, 1}} {
		if got := withheld(f); got < want[0] || got > want[1] {
			t.Errorf("failures %v: %.4f of the retries are withheld, want %v", f, got, want)
		}
	}
}

// Envoy's max_retries: three retries at once, waiting ones included, or not.
func TestRuleConcurrentRetries(t *testing.T) {
	const calls, refused = 103, 97
	for waiting, at := range map[bool]time.Duration{true: 10 * ms, false: 60 * ms} {
		p := retry(2, 0, backoff("fixed", 50*ms, 0))
		p.Budget = &strategies.Budget{Kind: "concurrent", Floor: strategies.Floor{Set: true, Count: 3}, Waiting: waiting, Scope: "all", Keyed: "target"}
		spec := with(working(server.Unlimited, 10*ms), server.Fault{Kind: "errors", Share: 1, AfterWork: true})
		m := model(burst(100), p, constant(0), spec)
		if h := run(t, m, 1, 0).Hops[0]; h.Calls != calls || h.Withheld[strategies.BudgetEmpty] != refused || h.GaveUp != 100 || h.Status != calls {
			t.Errorf("waiting %v: %d calls, withheld %v, want 3 retries", waiting, h.Calls, h.Withheld)
		}
		// What is refused before the wait fails at once, after it 50 ms later.
		if n := failedAt(t, m, at); n != refused {
			t.Errorf("waiting %v: %d failures at %v, want %d", waiting, n, at, refused)
		}
	}
	// With one client after the other they come and go: never more than 3 at once.
	p := retry(2, 0, backoff("fixed", 0, 0))
	p.Budget = &strategies.Budget{Kind: "concurrent", Floor: strategies.Floor{Set: true, Count: 3}, Waiting: true, Scope: "all", Keyed: "target"}
	spec := with(working(server.Unlimited, 100*ms), server.Fault{Kind: "errors", Share: 1, AfterWork: true})
	rec := run(t, model(at(0, ms, 2*ms, 3*ms, 99*ms, 100*ms, 101*ms), p, constant(0), spec), 1, 0)
	if h := rec.Hops[0]; h.Withheld[strategies.BudgetEmpty] != 2 {
		t.Errorf("withheld %v, want the retries of those that fail at 103 and 199 ms", h.Withheld)
	}
}

// failedAt is how many requests fail at a time.
func failedAt(t *testing.T, m *sim.Model, at time.Duration) (n int) {
	t.Helper()
	_, events := traced(t, m)
	for _, e := range events {
		if e.Kind == sim.TraceFailed && e.At == at {
			n++
		}
	}
	return n
}

// sharers are two groups of four clients in two processes, with two requests
// each, under one policy.
func sharers(p strategies.Policy, to int) *sim.Model {
	shared := &sim.Policy{Policy: p}
	m := &sim.Model{Until: time.Minute, Window: 100 * ms}
	for i := range 2 {
		m.Services = append(m.Services, sim.Service{Name: fmt.Sprint(i), Spec: broken(500)})
		m.Groups = append(m.Groups, sim.Group{
			Name: fmt.Sprint(i), Count: 4, Processes: 2, Requests: 2, Arrival: random.Arrival{Kind: "closed", Think: constant(s)},
			Steps: []sim.Step{{To: i * to, Policies: []*sim.Policy{shared}, Network: constant(0)}},
		})
	}
	return m
}

func TestRuleScopes(t *testing.T) {
	for _, c := range []struct {
		scope, keyed string
		to           int
		retries      int64
	}{
		{"request", "target", 1, 16},
		{"client", "target", 1, 8},
		{"process", "target", 1, 4},
		{"all", "target", 1, 2},
		{"all", "policy", 1, 1},
		{"all", "target", 0, 1},
		{"client", "policy", 1, 8},
	} {
		p := retry(9, 0, backoff("fixed", 10*ms, 0))
		p.Budget = &strategies.Budget{Kind: "tokens", Tokens: 1, Retry: 1, Scope: c.scope, Keyed: c.keyed}
		rec := run(t, sharers(p, c.to), 1, 0)
		if got := rec.Hops[0].Calls + rec.Hops[1].Calls - 16; got != c.retries {
			t.Errorf("%s, %s: %d retries, want %d", c.scope, c.keyed, got, c.retries)
		}
	}
	// Policies that only look the same share nothing.
	p := retry(9, 0, backoff("fixed", 10*ms, 0))
	p.Budget = &strategies.Budget{Kind: "tokens", Tokens: 1, Retry: 1, Scope: "all", Keyed: "policy"}
	m := sharers(p, 1)
	m.Groups[1].Steps[0].Policies = under(p)
	if rec := run(t, m, 1, 0); rec.Hops[0].Calls+rec.Hops[1].Calls != 18 {
		t.Errorf("%d and %d calls, want a retry of each policy", rec.Hops[0].Calls, rec.Hops[1].Calls)
	}
}

func TestRuleBreaker(t *testing.T) {
	p := retry(1, 0, backoff("none", 0, 0))
	p.Breaker = &strategies.Breaker{Kind: "consecutive", Size: 2, Open: s, HalfOpen: 1, FailureOn: []string{"any"}, Wraps: "attempts", Scope: "all", Keyed: "target"}
	down := server.Fault{Kind: "down", At: 50 * ms, For: 2450 * ms}
	m := model(at(0, 100*ms, 200*ms, 300*ms, 1200*ms-1, 1200*ms, 1300*ms, 2200*ms, 3200*ms-1, 3200*ms, 3200*ms, 3300*ms), p, constant(0), with(unlimited(), down))
	// Opens at 200 ms, tries at 1.2 s and 2.2 s, when it is still down, and closes
	// with the try at 3.2 s: one, and not the other one of that instant.
	expect(t, "ends", m, "ok 0s, failed 100ms, failed 200ms, failed 300ms, failed 1.199999999s, failed 1.2s, failed 1.3s, failed 2.2s, "+
		"failed 3.199999999s, ok 3.2s, failed 3.2s, ok 3.3s")
	rec := run(t, m, 1, 0)
	if h := rec.Hops[0]; h.Calls != 7 || h.Refused != 4 || h.Withheld[strategies.BreakerOpen] != 5 || h.GaveUp != 9 {
		t.Errorf("%+v: want 7 calls, 5 withheld", h)
	}
}

// What a breaker wraps decides what it counts, and what it stops.
func TestRuleBreakerWraps(t *testing.T) {
	for _, c := range []struct {
		wraps    string
		want     string
		calls    int64
		withheld int64
	}{
		// One request is three failures: the third opens it, at 20 ms. Rejected
		// attempts are tried again; the try of 1.1 s opens it once more.
		{"attempts", "failed 20ms, failed 70ms, failed 1.12s", 4, 5},
		// It takes three requests.
		{"request", "failed 20ms, failed 70ms, failed 1.12s", 9, 0},
		// First tries are never stopped, and a retry that is stopped is the end.
		{"retries", "failed 20ms, failed 60ms, failed 1.11s", 5, 2},
	} {
		p := retry(3, 0, backoff("fixed", 10*ms, 0))
		p.Breaker = &strategies.Breaker{Kind: "consecutive", Size: 3, Open: s, HalfOpen: 3, FailureOn: []string{"any"}, Wraps: c.wraps, Scope: "all", Keyed: "target"}
		m := model(at(0, 50*ms, 1100*ms), p, constant(0), broken(500))
		expect(t, c.wraps, m, c.want)
		if h := run(t, m, 1, 0).Hops[0]; h.Calls != c.calls || h.Withheld[strategies.BreakerOpen] != c.withheld {
			t.Errorf("%s: %d calls, withheld %v, want %d, %d by the breaker", c.wraps, h.Calls, h.Withheld, c.calls, c.withheld)
		}
	}
}

func TestRuleLimiter(t *testing.T) {
	for _, c := range []struct {
		name    string
		limiter strategies.Limiter
		want    string
	}{
		{"rate", strategies.Limiter{Kind: "rate", Rate: 3, Burst: 2}, "ok 0s, ok 0s, ok 333.333334ms, ok 666.666667ms, ok 1s"},
		{"rate, or fail", strategies.Limiter{Kind: "rate", Rate: 3, Burst: 2, WhenFull: "fail"}, "ok 0s, ok 0s, failed 0s, failed 0s, failed 0s"},
		{"in flight", strategies.Limiter{Kind: "concurrency", Limit: 2}, "ok 100ms, ok 100ms, ok 200ms, ok 200ms, ok 300ms"},
	} {
		p := once
		c.limiter.Scope, c.limiter.Keyed = "all", "target"
		p.Limiter = &c.limiter
		spec := unlimited()
		if c.limiter.Kind != "rate" {
			spec = working(server.Unlimited, 100*ms)
		}
		expect(t, c.name, model(at(0, 0, 0, 0, 0), p, constant(0), spec), c.want)
	}
}

// The timeout counts from when an attempt is sent, the deadline does not.
func TestRuleWaitInLine(t *testing.T) {
	p := retry(2, 150*ms, backoff("none", 0, 0))
	p.Limiter = &strategies.Limiter{Kind: "concurrency", Limit: 1, WhenFull: "wait", Scope: "all", Keyed: "target"}
	expect(t, "timeout", model(at(0, 0, 0, 0), p, constant(0), working(9, 100*ms)), "ok 100ms, ok 200ms, ok 300ms, ok 400ms")
	p.Deadline = 250 * ms
	m := model(at(0, 0, 0, 0), p, constant(0), working(9, 100*ms))
	expect(t, "deadline", m, "ok 100ms, ok 200ms, failed 250ms, failed 250ms")
	h := run(t, m, 1, 0).Hops[0]
	if h.Calls != 3 || h.Timeouts != 1 || h.Withheld[strategies.DeadlineExceeded] != 2 || h.GaveUp != 2 || h.Late != 1 {
		t.Errorf("%+v: want 3 calls, one of them cut off, one attempt never sent", h)
	}
}

// With work that takes no memory, a hedge is a second draw:
// P(T > t) = exp(-t/m) before the hedge, exp(-t/m) exp(-(t-d)/m) after it.
func TestRuleHedge(t *testing.T) {
	const mean, d, n = 100 * ms, 50 * ms, 200_000
	p := once
	p.Hedge = &strategies.Hedge{After: strategies.After{Delay: d}, Max: 1, Budget: 1, OnFailure: "wait", Scope: "all", Keyed: "target"}
	spec := unlimited()
	spec.ServiceTime = exponential(mean)
	rec := run(t, model(burst(n), p, constant(0), spec), 1, 0)
	tail := func(t time.Duration) float64 {
		x := math.Exp(-t.Seconds() / mean.Seconds())
		if t > d {
			x *= math.Exp(-(t - d).Seconds() / mean.Seconds())
		}
		return x
	}
	for _, at := range []time.Duration{10 * ms, 49 * ms, 51 * ms, 100 * ms, 200 * ms, 300 * ms} {
		above := 0
		for k := int64(1); k <= n; k++ {
			if rec.Completion.Rank(k) > at {
				above++
			}
		}
		want := tail(at)
		agree(t, fmt.Sprintf("P(T > %v)", at), float64(above)/n, math.Sqrt(want*(1-want)/n), want)
	}
	share := tail(d)
	h := rec.Hops[0]
	agree(t, "share of requests that are hedged", float64(h.Causes[sim.Hedged])/n, math.Sqrt(share*(1-share)/n), share)
	if h.Calls != n+h.Causes[sim.Hedged] || h.Late+n != h.Calls {
		t.Errorf("%+v: want each loser to come late", h)
	}
}

func TestRuleHedgeOnFailure(t *testing.T) {
	hedged := func(max int64, when string, budget float64) strategies.Policy {
		p := retry(2, 0, backoff("fixed", 100*ms, 0))
		p.Hedge = &strategies.Hedge{After: strategies.After{Delay: 50 * ms}, Max: max, Budget: budget, OnFailure: when, Scope: "all", Keyed: "target"}
		return p
	}
	fault := server.Fault{Kind: "errors", For: 25 * ms, Share: 1, AfterWork: true}
	for _, c := range []struct {
		name   string
		policy strategies.Policy
		work   time.Duration
		want   string
		calls  int64
	}{
		// Fails at 20, when a hedge goes at once; that fails at 40, and the next is
		// after the fault.
		{"send", hedged(2, "send", 1), 20 * ms, "ok 60ms", 3},
		// The attempt is over before its hedge was to be sent; the retry is fine.
		{"wait", hedged(2, "wait", 1), 20 * ms, "ok 140ms", 2},
		// The first fails at 60, while the hedge is in flight until 110.
		{"in flight", hedged(1, "wait", 1), 60 * ms, "ok 110ms", 2},
		{"no budget", hedged(1, "wait", 0.5), 60 * ms, "ok 220ms", 2},
	} {
		m := model(at(0), c.policy, constant(0), with(working(9, c.work), fault))
		expect(t, c.name, m, c.want)
		if h := run(t, m, 1, 0).Hops[0]; h.Calls != c.calls {
			t.Errorf("%s: %d calls, want %d", c.name, h.Calls, c.calls)
		}
	}
}

// A live quantile: no hedge before 20 answers, then after the time that 95 %
// of them took.
func TestRuleHedgeQuantile(t *testing.T) {
	p := once
	p.Hedge = &strategies.Hedge{After: strategies.After{Quantile: 0.95}, Max: 1, Budget: 1, OnFailure: "wait", Scope: "all", Keyed: "target"}
	g := sim.Group{Count: 1, Requests: 21, Arrival: random.Arrival{Kind: "closed", Think: constant(0)}}
	m := model(g, p, constant(0), with(working(9, 10*ms), server.Fault{Kind: "slow", At: 200 * ms, For: 5 * ms, Factor: 10}))
	rec := run(t, m, 1, 0)
	// The 21st is slow; its hedge, at 10 ms (a bin is up to 1/16 wide), is not.
	if h := rec.Hops[0]; h.Calls != 22 || rec.FinishedAt < 220*ms || rec.FinishedAt > 221*ms {
		t.Errorf("%d calls, the last request ended at %v, want 22, and about 220ms", h.Calls, rec.FinishedAt)
	}
}

// A late answer may complete a request while a hedge is out.
func TestRuleLateAnswerAndHedge(t *testing.T) {
	p := retry(2, 100*ms, backoff("fixed", 10*ms, 0))
	p.LateAnswers = "accept"
	p.Hedge = &strategies.Hedge{After: strategies.After{Delay: 20 * ms}, Max: 1, Budget: 1, Scope: "all", Keyed: "target"}
	// First at 0, hedge at 20: given up at 100 and 120; the retry is at 130, and
	// the answer to the first comes at 140.
	m := model(at(0), p, constant(0), working(9, 140*ms))
	expect(t, "", m, "ok 140ms")
	if h := run(t, m, 1, 0).Hops[0]; h.Calls != 3 || h.Timeouts != 2 || h.Late != 2 {
		t.Errorf("%+v: want 3 calls, and 2 late answers to nobody", h)
	}
}

func TestRuleRetryAfter(t *testing.T) {
	for _, c := range []struct {
		kind, form string
		delay      time.Duration
		want       string
	}{
		// Answered at 20 ms, known at 40 ms.
		{"floor", "seconds", 2 * s, "ok 2.08s"},
		{"replace", "seconds", 2 * s, "ok 2.08s"},
		{"add", "seconds", 2 * s, "ok 2.18s"},
		{"floor", "seconds", 0, "failed 320ms"},
		{"replace", "seconds", 0, "failed 120ms"},
		{"floor", "seconds", 1001 * ms, "ok 2.08s"}, // whole seconds
		{"floor", "date", 1500 * ms, "ok 2.04s"},    // the whole second after 1.52 s
		{"floor", "ms", 2 * s, "failed 320ms"},      // not read
		{"required", "ms", 2 * s, "failed 40ms"},
	} {
		p := asking(c.kind, 3)
		p.Backoff = backoff("fixed", 100*ms, 0)
		answer := server.Reply{Answer: 503, RetryAfter: server.Asked{Kind: server.AskedDelay, Delay: c.delay}, Form: c.form}
		m := model(at(0), p, constant(20*ms), with(unlimited(), server.Fault{Kind: "errors", For: s, Share: 1, Answer: answer}))
		expect(t, fmt.Sprint(c), m, c.want)
	}
}

// Waits that are too long, or for ever.
func TestRuleRetryAfterTooLong(t *testing.T) {
	answer := server.Reply{Answer: 429, RetryAfter: server.Asked{Kind: server.AskedDelay, Delay: 10 * s}}
	m := func(tooLong string, kind server.AskedKind) *sim.Model {
		p := asking("floor", 2)
		p.Backoff, p.RetryAfter.Cap, p.RetryAfter.TooLong = backoff("fixed", 100*ms, 0), 3*s, tooLong
		answer.RetryAfter.Kind = kind
		return model(at(0), p, constant(0), with(unlimited(), server.Fault{Kind: "errors", For: 50 * ms, Share: 1, Answer: answer}))
	}
	expect(t, "cut", m("cut", server.AskedDelay), "ok 3s")
	expect(t, "give up", m("give-up", server.AskedDelay), "failed 0s")
	expect(t, "ignore", m("ignore", server.AskedDelay), "ok 100ms")
	expect(t, "never", m("give-up", server.AskedNever), "failed 0s")
	if h := run(t, m("give-up", server.AskedDelay), 1, 0).Hops[0]; h.Withheld[strategies.RetryAfterTooLong] != 1 {
		t.Errorf("withheld %v, want one that is too long", h.Withheld)
	}
}

func TestRuleDeadline(t *testing.T) {
	p := retry(9, 40*ms, backoff("fixed", 20*ms, 0))
	p.Deadline = 120 * ms
	// Attempts at 0 and 60 time out, the third would start at the deadline.
	expect(t, "no attempt at the deadline", model(at(0), p, constant(0), working(9, s)), "failed 100ms")
	p.Deadline++
	expect(t, "an attempt before it", model(at(0), p, constant(0), working(9, s)), "failed 120.000001ms")
	// The deadline is that of the request, whatever its step.
	p.Deadline = 100 * ms
	m := model(at(0), once, constant(0), working(9, 100*ms))
	m.Groups[0].Steps = append(m.Groups[0].Steps, sim.Step{To: 0, Policies: under(p), Network: constant(0)})
	expect(t, "of the request", m, "failed 100ms")
	if h := run(t, m, 1, 0).Hops[1]; h.Calls != 0 || h.Withheld[strategies.DeadlineExceeded] != 1 || h.GaveUp != 1 {
		t.Errorf("%+v: want no call", h)
	}
}

func TestRuleElapsedCheck(t *testing.T) {
	p := retry(9, 0, backoff("fixed", 60*ms, 0))
	p.MaxElapsed = 100 * ms
	expect(t, "after-wait", model(at(0), p, constant(0), broken(500)), "failed 60ms")
	p.ElapsedCheck = "before-wait"
	expect(t, "before-wait", model(at(0), p, constant(0), broken(500)), "failed 120ms")
}

func TestRuleSlowerFaster(t *testing.T) {
	p := retry(3, 0, backoff("none", 0, 0))
	spec := with(working(9, 50*ms), server.Fault{Kind: "errors", Share: 1, AfterWork: true})
	for _, c := range []struct {
		slower, faster time.Duration
		want           string
	}{{50*ms - 1, 0, "failed 150ms"}, {50 * ms, 0, "failed 50ms"}, {0, 50 * ms, "failed 50ms"}, {0, 50*ms + 1, "failed 150ms"}} {
		p.SlowerThan, p.FasterThan = c.slower, c.faster
		expect(t, fmt.Sprint(c), model(at(0), p, constant(0), spec), c.want)
	}
}

func TestRuleIdempotentOnly(t *testing.T) {
	for answer, calls := range map[server.Answer]int64{500: 1, server.Reset: 1, server.Refused: 3} {
		p := retry(3, 0, backoff("none", 0, 0))
		p.IdempotentOnly = true
		m := model(at(0), p, constant(0), broken(answer))
		if v := run(t, m, 1, 0).Services[0]; v.Calls != calls {
			t.Errorf("%v: %d calls, want %d", answer, v.Calls, calls)
		}
		m.Groups[0].Steps[0].Idempotent = true
		if v := run(t, m, 1, 0).Services[0]; v.Calls != 3 {
			t.Errorf("%v, idempotent: %d calls, want 3", answer, v.Calls)
		}
	}
}

// The message that a caller has left takes as long as the call did.
func TestRuleCancel(t *testing.T) {
	// In service from 10 to 110, waiting from 20, waiting from 90 ms; the service
	// is told at 70 and at 80 that the first two callers have left.
	for _, c := range []struct {
		cancel       string
		ended        time.Duration
		busy, silent int64
	}{
		{"never", 320 * ms, 300, 0},
		{"queued", 220 * ms, 200, 1},
		{"running", 200 * ms, 170, 2},
	} {
		p := retry(1, 60*ms, backoff("none", 0, 0))
		p.Cancel = c.cancel
		m := model(at(0, 10*ms), p, constant(10*ms), working(1, 100*ms))
		patient := at(80 * ms)
		patient.Name, patient.Steps = "patient", []sim.Step{{To: 0, Policies: under(once), Network: constant(10 * ms)}}
		m.Groups = append(m.Groups, patient)
		rec := run(t, m, 1, 0)
		if v := rec.Services[0]; rec.Failed != 2 || rec.FinishedAt != c.ended || v.Busy.Lo != uint64(c.busy)*uint64(ms) || v.Silent != c.silent {
			t.Errorf("%s: the last ended at %v, busy %d, %d silent, want %v, %d ms, %d", c.cancel, rec.FinishedAt, v.Busy.Lo, v.Silent, c.ended, c.busy, c.silent)
		}
	}
}

// A cancelled call that has called others ends what it does there.
func TestRuleCancelDeep(t *testing.T) {
	p := retry(1, 50*ms, backoff("none", 0, 0))
	p.Cancel = "running"
	m := model(at(0), p, constant(0), working(9, 10*ms))
	q := retry(9, 0, backoff("none", 0, 0))
	q.Cancel = "running"
	m.Services[0].Steps = []sim.Step{{To: 1, Policies: under(q), Network: constant(5 * ms)}}
	m.Services = append(m.Services, sim.Service{Name: "back", Spec: working(9, s)})
	rec := run(t, m, 1, 0)
	if v, b := rec.Services[0], rec.Services[1]; v.Busy.Lo != uint64(10*ms) || v.Silent != 1 || b.Silent != 1 || b.Busy.Lo != uint64(40*ms) || b.Wasted != b.Busy || rec.EndedAt != 55*ms {
		t.Errorf("%+v\n%+v: want the work behind to end at 55ms", v, b)
	}
}

// Work whose caller has left is dropped when its turn comes.
func TestRuleDrop(t *testing.T) {
	m := model(at(0, 0, 0), retry(1, 150*ms, backoff("none", 0, 0)), constant(0), working(1, 100*ms))
	m.Services[0].Expired.Kind = "drop"
	expect(t, "ends", m, "ok 100ms, failed 150ms, failed 150ms")
	if v := run(t, m, 1, 0).Services[0]; v.Silent != 1 || v.Busy.Lo != uint64(200*ms) || v.Wasted.Lo != uint64(100*ms) {
		t.Errorf("%+v: want one call to be dropped, and one to be in service already", v)
	}
}

// Why calls were made, and why none was made.
func TestRuleAttribution(t *testing.T) {
	p := retry(3, 30*ms, backoff("fixed", 10*ms, 0))
	p.RetryOn = []string{"timeout", "refused", "429"}
	spec := with(working(server.Unlimited, 0),
		server.Fault{Kind: "down", For: 5 * ms},
		server.Fault{Kind: "errors", At: 5 * ms, For: 10 * ms, Share: 1, Answer: server.Reply{Answer: 429}},
		server.Fault{Kind: "errors", At: 15 * ms, For: 10 * ms, Share: 1, Answer: server.Reply{Answer: 400}},
		server.Fault{Kind: "down", At: 90 * ms, Answer: server.Reply{Answer: server.Silent}})
	rec := run(t, model(at(0, 100*ms), p, constant(0), spec), 1, 0)
	h := rec.Hops[0]
	causes, withheld := [sim.Causes]int64{}, [strategies.GiveUps]int64{}
	causes[sim.First], causes[sim.AfterRefused], causes[sim.AfterStatus], causes[sim.AfterTimeout] = 2, 1, 1, 2
	withheld[strategies.AttemptsExhausted], withheld[strategies.NotRetryable] = 1, 1
	if h.Causes != causes || h.Withheld != withheld || rec.Services[0].Causes != causes || h.Calls != 6 {
		t.Errorf("causes %v, %v, withheld %v, want %v and %v", h.Causes, rec.Services[0].Causes, h.Withheld, causes, withheld)
	}
}

// No more than ratio retries for a request, and what is always allowed.
func TestRuleRatioBound(t *testing.T) {
	var r sim.Runner
	rapid.Check(t, func(t *rapid.T) {
		ratio, floor := pick(t, "ratio", 0.1, 0.2, 0.5, 1), pick(t, "floor", 0.0, 1, 5)
		p := retry(pick[int64](t, "attempts", 2, 5), 0, backoff("full-jitter", 50*ms, s))
		p.Budget = &strategies.Budget{
			Kind: "ratio", Ratio: ratio, Floor: strategies.Floor{Set: true, Rate: floor}, Window: time.Minute, PerRequest: 1, Scope: "all", Keyed: "target",
		}
		g := sim.Group{Count: 5, Requests: random.Unlimited, Arrival: random.Arrival{Kind: "poisson", Rate: 20, Per: "all"}}
		m := model(g, p, constant(ms), with(unlimited(), server.Fault{Kind: "errors", Share: pick(t, "share", 0.5, 1)}))
		m.Until = 20 * s
		rec, err := r.Run(m, rapid.Uint64Range(0, 9).Draw(t, "seed"), 0, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h := rec.Hops[0]
		bound := float64(h.Requests)*(1+ratio) + floor*60
		if float64(h.Calls) > bound {
			t.Fatalf("%d calls for %d requests, bound %v", h.Calls, h.Requests, bound)
		}
		if float64(h.Calls) < min(bound, float64(h.Requests)*1.4)*0.9 && h.Withheld[strategies.BudgetEmpty] > 0 {
			t.Fatalf("%d calls for %d requests, the budget of %v is not used", h.Calls, h.Requests, bound)
		}
	})
}

// Nothing starts at a deadline or later, and nobody waits longer.
func TestDeadlineHolds(t *testing.T) {
	var r sim.Runner
	rapid.Check(t, func(t *rapid.T) {
		d := &drawing{T: t, rich: true}
		g := drawGroup(t)
		d.few(&g)
		p := d.policy()
		d.enrich(&p)
		p.MaxAttempts = min(p.MaxAttempts, 3)
		p.Deadline = pick(t, "the deadline", 20*ms, 50*ms, 70*ms, 300*ms)
		spec := drawSpec(t)
		d.protect(&spec)
		spec.Contention = nil
		m := model(g, p, constant(0), spec)
		layered := often(t, "layered", 3)
		if layered {
			q := d.policy()
			d.enrich(&q)
			q.MaxAttempts = min(q.MaxAttempts, 3)
			m.Groups[0].Steps[0].Policies = append(m.Groups[0].Steps[0].Policies, &sim.Policy{Policy: q})
		}
		m.Until = 3 * s
		type id struct{ client, request int64 }
		began := map[id]time.Duration{}
		_, err := r.Run(m, 1, 1, sim.Options{Trace: func(e sim.TraceEvent) {
			took := e.At - began[id{e.Client, e.Request}]
			switch e.Kind {
			case sim.TraceStarted:
				began[id{e.Client, e.Request}] = e.At
			case sim.TraceArrived:
				// An inner layer may be faster than the outer deadline of that instant.
				if took > p.Deadline || took == p.Deadline && !layered {
					t.Fatalf("a call is sent after %v", took)
				}
			case sim.TraceSucceeded, sim.TraceFailed:
				if took > p.Deadline {
					t.Fatalf("a request ends after %v", took)
				}
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// A trace tells of attempts that are not sent, and of calls that are let go.
func TestTraceOfShared(t *testing.T) {
	p := retry(2, 60*ms, backoff("fixed", 10*ms, 0))
	p.Cancel = "queued"
	p.Breaker = &strategies.Breaker{Kind: "consecutive", Size: 1, Open: s, HalfOpen: 1, FailureOn: []string{"any"}, Wraps: "retries", Scope: "all", Keyed: "target"}
	m := model(at(0, 10*ms), p, constant(0), working(1, 100*ms))
	_, events := traced(t, m)
	told := map[string]bool{}
	for _, e := range events {
		told[e.String()] = true
	}
	for _, want := range []string{
		"t=0.070000000s clients 1 request 1: clients > db attempt 2 not sent: breaker",
		"t=0.070000000s clients 2 request 1: clients > db attempt 1 cancelled",
	} {
		if !told[want] {
			t.Errorf("no line %q", want)
		}
	}
	for c, want := range []string{"first", "timeout", "refused", "reset", "status", "rejected", "hedge", "redelivery"} {
		if got := sim.Cause(c).String(); got != want {
			t.Errorf("cause %d is %s, want %s", c, got, want)
		}
	}
}

// A limiter's line goes on when those in it leave: a rate that is asked for twice
// what it grants is used up, by those who wait a second at most.
func TestRuleLineOfLeavers(t *testing.T) {
	p := once
	p.Deadline = s
	p.Limiter = &strategies.Limiter{Kind: "rate", Rate: 10, Burst: 1, WhenFull: "wait", Scope: "all", Keyed: "target"}
	m := model(poisson(20), p, constant(0), working(server.Unlimited, ms))
	m.Until = 100 * s
	if rec := run(t, m, 1, 0); rec.Succeeded < 950 || rec.Succeeded > 1000 {
		t.Errorf("%d of 10/s for 100 s succeeded", rec.Succeeded)
	}
}

// Hedges after the live p95 are about 5 % more calls, though slow first copies
// are never answered: their times are known to be at least as long.
func TestRuleHedgesByQuantile(t *testing.T) {
	p := once
	p.Cancel = "running"
	p.Hedge = &strategies.Hedge{After: strategies.After{Quantile: 0.95}, Max: 1, Budget: 1, OnFailure: "wait", Scope: "all", Keyed: "target"}
	spec := unlimited()
	spec.ServiceTime = exponential(20 * ms)
	m := model(poisson(200), p, constant(0), spec)
	m.Until = 200 * s
	rec := run(t, m, 1, 0)
	// Some 40,000 requests: the standard error of the share is 0.1 %; buckets
	// are up to a sixteenth too wide.
	if share := float64(rec.Hops[0].Causes[sim.Hedged]) / float64(rec.Requests); share < 0.035 || share > 0.055 {
		t.Errorf("%.4f hedges a request, want about 0.05", share)
	}
}

// A layer that never retries changes nothing.
func TestRuleIdleLayer(t *testing.T) {
	spec := working(2, 20*ms)
	spec.ServiceTime = exponential(20 * ms)
	inner := retry(4, 100*ms, backoff("full-jitter", 50*ms, s))
	m := model(poisson(90), inner, exponential(ms), with(spec, server.Fault{Kind: "errors", Share: 0.2, Answer: server.Reply{Answer: 503}}))
	m.Until = 60 * s
	alone := run(t, m, 1, 0)
	m = model(poisson(90), inner, exponential(ms), m.Services[0].Spec)
	m.Until = 60 * s
	m.Groups[0].Steps[0].Policies = []*sim.Policy{{Name: "idle", Policy: once}, {Name: "sdk", Policy: inner}}
	layered := run(t, m, 1, 0)
	a, b := alone.Services[0], layered.Services[0]
	if a.Calls != b.Calls || a.Busy != b.Busy || alone.Succeeded != layered.Succeeded || a.Calls == alone.Requests {
		t.Errorf("%d calls and %d successes, with the layer %d and %d", a.Calls, alone.Succeeded, b.Calls, layered.Succeeded)
	}
}

// An attempt that the limiter rejects is withheld once, also if it is the last.
func TestRuleWithheldOnce(t *testing.T) {
	p := once
	p.Limiter = &strategies.Limiter{Kind: "concurrency", Limit: 1, WhenFull: "fail", Scope: "all", Keyed: "target"}
	rec := run(t, model(burst(10), p, constant(ms), working(server.Unlimited, 10*ms)), 1, 0)
	withheld := rec.Hops[0].Withheld
	if withheld[strategies.LimiterFull] != 9 || withheld[strategies.AttemptsExhausted] != 0 || rec.Services[0].Calls != 1 {
		t.Errorf("withheld %v of 10 attempts, want 9 by the limiter", withheld)
	}
}
