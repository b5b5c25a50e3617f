package sim_test

import (
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// The worked examples of the reference tables: integers and instants that can
// be found with pencil and paper, so every one of them is exact.

// 1000 clients start at 0. The service refuses everything before 10 s and then
// accepts the first 200 calls of each second. Doubling from 100 ms with a cap
// of 10 s puts the waves at 0, .1, .3, .7, 1.5, 3.1, 6.3, 12.7, 22.7, ... s.
func TestSynchronisedWaves(t *testing.T) {
	spec := unlimited()
	spec.RateLimit = &server.RateLimit{Kind: "fixed-window", Limit: 200, Window: s, Answer: server.Reply{Answer: 429}, Scope: "all"}
	spec.Faults = []server.Fault{{Name: "outage", Kind: "down", For: 10 * s, Answer: server.Reply{Answer: server.Refused}}}
	m := model(burst(1000), retry(strategies.Unlimited, 0, backoff("exponential", 100*ms, 10*s)), constant(0), spec)

	rec := run(t, m, 1, 0)
	if got, want := rec.Services[0].Calls, int64(10_000); got != want {
		t.Errorf("total calls %d, want %d", got, want)
	}
	if got, want := quantile(rec, 0.99), 52700*ms; got != want {
		t.Errorf("completion p99 %v, want %v", got, want)
	}
	if got, want := rec.Services[0].PeakCalls, int64(1000); got != want {
		t.Errorf("peak of %d calls in a window, want %d", got, want)
	}
	for i, at := range []time.Duration{12700 * ms, 22700 * ms, 32700 * ms, 42700 * ms, 52700 * ms} {
		for _, k := range []int64{1, 200} {
			if got := rec.Completion.Rank(int64(i)*200 + k); got != at {
				t.Errorf("success %d at %v, want %v", int64(i)*200+k, got, at)
			}
		}
	}
}

// onePause is a worker that needs exactly 100 ms for each of 7 requests/s and
// stops for 1 s at 30 s; callers give up after 500 ms and retry 50 ms later.
func onePause(attempts int64, late string) *sim.Model {
	spec := workers(1)
	spec.ServiceTime = constant(100 * ms)
	spec.Faults = []server.Fault{{Name: "stop", Kind: "pause", At: 30 * s, For: s}}
	g := sim.Group{
		Count: 1, Requests: random.Unlimited,
		Arrival: random.Arrival{Kind: "constant", Rate: 7, Per: "all", For: 60 * s},
	}
	p := retry(attempts, 500*ms, backoff("fixed", 50*ms, 0))
	p.LateAnswers = late
	m := model(g, p, constant(0), spec)
	m.Until = 70 * s
	return m
}

func TestOnePauseLocksIn(t *testing.T) {
	for _, c := range []struct {
		name      string
		attempts  int64
		late      string
		succeeded int64
		calls     int64
	}{
		// Locked at 4 x 7 attempts/s against a capacity of 10/s.
		{"late answers ignored", 4, "ignore", 210, 1050},
		// Some answers come before the request is given up.
		{"late answers accepted", 4, "accept", 227, 1030},
	} {
		rec := run(t, onePause(c.attempts, c.late), 1, 0)
		if rec.Requests != 420 || rec.Succeeded != c.succeeded || rec.Services[0].Calls != c.calls {
			t.Errorf("%s: %d of %d requests succeeded with %d calls, want %d of 420 with %d",
				c.name, rec.Succeeded, rec.Requests, rec.Services[0].Calls, c.succeeded, c.calls)
		}
	}
	rec := run(t, onePause(1, "ignore"), 1, 0)
	if share := float64(rec.Succeeded) / 420; share < 0.96 || share > 0.98 {
		t.Errorf("without retries %.3f of the requests succeed, want about 0.97", share)
	}
}

// layers is a path of three services, each with the policy, the last one
// always failing.
func layers(attempts [3]int64, fault server.Fault) *sim.Model {
	step := func(to int) []sim.Step {
		return []sim.Step{{To: to, Policies: under(retry(attempts[to], 0, backoff("none", 0, 0))), Network: constant(0)}}
	}
	broken := unlimited()
	broken.Faults = []server.Fault{fault}
	g := burst(100)
	g.Name, g.Steps = "clients", step(0)
	return &sim.Model{
		Until: time.Hour, Window: 100 * ms, Target: 2, Groups: []sim.Group{g},
		Services: []sim.Service{
			{Name: "gateway", Spec: unlimited(), Steps: step(1)},
			{Name: "a", Spec: unlimited(), Steps: step(2)},
			{Name: "b", Spec: broken},
		},
	}
}

func TestLayersMultiply(t *testing.T) {
	always := server.Fault{Name: "broken", Kind: "errors", Share: 1, Answer: server.Reply{Answer: 500}}
	for _, c := range []struct {
		attempts [3]int64
		calls    int64 // per request, at the last service
	}{
		{[3]int64{4, 4, 4}, 64},
		{[3]int64{5, 5, 5}, 125}, // "4 retries"
		{[3]int64{1, 1, 4}, 4},   // at one layer only
		{[3]int64{3, 3, 3}, 27},
	} {
		rec := run(t, layers(c.attempts, always), 1, 0)
		if got, want := rec.Services[2].Calls, 100*c.calls; got != want {
			t.Errorf("%v: %d calls at the bottom, want %d", c.attempts, got, want)
		}
		if rec.Failed != 100 {
			t.Errorf("%v: %d requests failed, want all 100", c.attempts, rec.Failed)
		}
	}
}

// occ is the contended row of the AWS experiment.
func occ(n int64, network random.Dist, b strategies.Backoff) *sim.Model {
	spec := unlimited()
	spec.Contention = &server.Contention{Kind: "optimistic", Rows: 1}
	return model(burst(n), retry(strategies.Unlimited, 0, b), network, spec)
}

// With constant delays one of the clients in lockstep wins each round, with or
// without backoff: N(N+1)/2 writes. (Oracles occ_sd0 and occ_perfect_sync.)
func TestOptimisticInLockstep(t *testing.T) {
	for _, c := range []struct {
		n, calls int64
		kind     string
		last     time.Duration
	}{
		{10, 55, "none", 400 * ms},
		{100, 5050, "none", 4000 * ms},
		{100, 5050, "exponential", 188_550 * ms},
	} {
		b := backoff(c.kind, 5*ms, 2*s)
		b.FirstExponent = 1
		rec := run(t, occ(c.n, constant(10*ms), b), 1, 0)
		if rec.Services[0].Calls != c.calls || rec.FinishedAt != c.last {
			t.Errorf("%d clients, %s: %d calls, last at %v, want %d and %v",
				c.n, c.kind, rec.Services[0].Calls, rec.FinishedAt, c.calls, c.last)
		}
	}
}
