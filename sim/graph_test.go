package sim_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/strategies"
)

// graph is services with unlimited workers and constant service times, called a,
// b, c, ...; the group's steps and the services' are set by the test.
func graph(g sim.Group, times ...time.Duration) *sim.Model {
	g.Name = "clients"
	m := &sim.Model{Until: time.Hour, Window: 100 * ms, Groups: []sim.Group{g}}
	for i, d := range times {
		m.Services = append(m.Services, sim.Service{Name: string(rune('a' + i)), Spec: working(server.Unlimited, d)})
	}
	return m
}

func to(i int) sim.Step { return sim.Step{To: i, Policies: under(once), Network: constant(0)} }

func atOnce(need int, steps ...sim.Step) sim.Step { return sim.Step{Parallel: steps, Need: need} }

// TestParallelOrderStatistics: the k-th of n exponential times has the mean
// 1/n + 1/(n-1) + ... + 1/(n-k+1). Over 20,000 requests with a fixed seed, the
// mean must lie within 4 standard errors of it.
func TestParallelOrderStatistics(t *testing.T) {
	const n, requests = 4, 20_000
	for need := 1; need <= n; need++ {
		m := graph(burst(requests), 0, 0, 0, 0)
		for i := range m.Services {
			m.Services[i].Spec.ServiceTime = exponential(s)
		}
		m.Groups[0].Steps = []sim.Step{atOnce(need, to(0), to(1), to(2), to(3))}
		mean, variance := 0.0, 0.0
		for i := range need {
			x := 1 / float64(n-i)
			mean, variance = mean+x, variance+x*x
		}
		rec := run(t, m, 1, 1)
		got := rec.Completion.Sum().Float() / requests / 1e9
		if se := math.Sqrt(variance / requests); math.Abs(got-mean) > 4*se {
			t.Errorf("%d of %d: mean %v, want %v +- %v", need, n, got, mean, 4*se)
		}
	}
}

// TestParallelNeeds works small graphs by hand: services of 10, 20 and 30 ms, of
// which some fail.
func TestParallelNeeds(t *testing.T) {
	for _, c := range []struct {
		need    int
		failing []int
		ok      bool
		took    time.Duration
	}{
		{need: 3, ok: true, took: 30 * ms},
		{need: 2, ok: true, took: 20 * ms},
		{need: 1, ok: true, took: 10 * ms},
		{need: 3, failing: []int{1}, took: 20 * ms},                  // one is enough to know
		{need: 2, failing: []int{1}, ok: true, took: 30 * ms},        // the last one decides
		{need: 2, failing: []int{0, 1}, took: 20 * ms},               // two are too many
		{need: 1, failing: []int{0, 1}, ok: true, took: 30 * ms},     // the last one saves it
		{need: 1, failing: []int{0, 1, 2}, ok: false, took: 30 * ms}, // nobody is left
	} {
		m := graph(burst(1), 10*ms, 20*ms, 30*ms)
		for _, i := range c.failing {
			m.Services[i].Spec.Faults = []server.Fault{{Kind: "errors", Share: 1, AfterWork: true}}
		}
		m.Groups[0].Steps = []sim.Step{atOnce(c.need, to(0), to(1), to(2))}
		rec := run(t, m, 1, 1)
		if ok := rec.Succeeded == 1; ok != c.ok || rec.FinishedAt != c.took {
			t.Errorf("need %d, failing %v: succeeded %v at %v, want %v at %v", c.need, c.failing, ok, rec.FinishedAt, c.ok, c.took)
		}
		if len(rec.Hops) != 3 || rec.Hops[2].To != "c" {
			t.Errorf("hops %+v", rec.Hops)
		}
	}
}

// TestOwnWorkBetween: 10 ms before, 5 ms of its own, 20 ms after; the one worker
// is held all the time, and waits for others 30 ms of it.
func TestOwnWorkBetween(t *testing.T) {
	m := graph(burst(2), 5*ms, 10*ms, 20*ms)
	m.Services[0].Spec.Workers = 1
	m.Services[0].Steps = []sim.Step{to(1), {Work: true}, to(2)}
	m.Groups[0].Steps = []sim.Step{to(0)}
	rec := run(t, m, 1, 1)
	if rec.Completion.Rank(1) != 35*ms || rec.Completion.Rank(2) != 70*ms {
		t.Errorf("took %v and %v", rec.Completion.Rank(1), rec.Completion.Rank(2))
	}
	if got := rec.Services[0].Blocked; got != 60*ms {
		t.Errorf("blocked for %v", got)
	}
	if got := rec.Services[0].Busy.Float(); got != float64(10*ms) {
		t.Errorf("busy for %v ns", got)
	}
}

// TestFailureBeforeOwnWork: what fails before it keeps the service from its work.
func TestFailureBeforeOwnWork(t *testing.T) {
	m := graph(burst(1), 5*ms, 10*ms)
	m.Services[1].Spec.Faults = []server.Fault{{Kind: "errors", Share: 1}}
	m.Services[0].Steps = []sim.Step{to(1), {Work: true}}
	m.Groups[0].Steps = []sim.Step{to(0)}
	rec := run(t, m, 1, 1)
	if a := &rec.Services[0]; rec.Failed != 1 || a.Status != 1 || a.Busy != (sim.Sum{}) {
		t.Errorf("%d failed, busy %v", rec.Failed, a.Busy)
	}
	m.Services[0].Steps[0].Optional = true
	if rec = run(t, m, 1, 1); rec.Succeeded != 1 || rec.FinishedAt != 5*ms {
		t.Errorf("optional: %d succeeded, at %v", rec.Succeeded, rec.FinishedAt)
	}
}

// TestStepShare: a step that 30 % do without is skipped by a share of requests
// within 4 standard errors of that.
func TestStepShare(t *testing.T) {
	const requests = 20_000
	m := graph(burst(requests), ms, ms)
	m.Services[0].Steps = []sim.Step{{To: 1, Skip: 0.3, Policies: under(once), Network: constant(0)}}
	m.Groups[0].Steps = []sim.Step{to(0)}
	rec := run(t, m, 1, 1)
	share := float64(rec.Hops[1].Skipped) / requests
	if se := math.Sqrt(0.3 * 0.7 / requests); math.Abs(share-0.3) > 4*se {
		t.Errorf("skipped by %v", share)
	}
	if h := rec.Hops[1]; h.Requests+h.Skipped != requests {
		t.Errorf("%d made and %d skipped of %d", h.Requests, h.Skipped, requests)
	}
}

// TestNobodyWaitsForTheRest: a branch that is not needed any more is cancelled
// if its policy does that, and goes on for nobody if not.
func TestNobodyWaitsForTheRest(t *testing.T) {
	for _, cancel := range []string{"never", "running"} {
		m := graph(burst(1), 10*ms, 50*ms)
		p := once
		p.Cancel = cancel
		slow := sim.Step{To: 1, Policies: under(p), Network: constant(0)}
		m.Groups[0].Steps = []sim.Step{atOnce(1, to(0), slow)}
		rec := run(t, m, 1, 1)
		want := map[string]time.Duration{"never": 50 * ms, "running": 10 * ms}[cancel]
		if got := rec.Services[1].Wasted.Float(); got != float64(want) {
			t.Errorf("cancel %s: %v ns wasted, want %v", cancel, got, want)
		}
		if rec.FinishedAt != 10*ms {
			t.Errorf("cancel %s: done at %v", cancel, rec.FinishedAt)
		}
	}
}

// TestThreadExhaustion: a slow service two hops down takes all the workers up the
// path, and a service beside it that is well is not reached any more.
func TestThreadExhaustion(t *testing.T) {
	m := graph(poisson(100), ms, ms, ms)
	m.Until = 60 * s
	m.Services[0].Spec.Workers, m.Services[1].Spec.Workers, m.Services[2].Spec.Workers = 20, 10, 5
	m.Services[0].Steps, m.Services[1].Steps = []sim.Step{to(1)}, []sim.Step{to(2)}
	m.Services[2].Spec.Faults = []server.Fault{{Kind: "pause", At: 20 * s, For: 10 * s}}
	m.Groups[0].Steps = []sim.Step{{To: 0, Policies: under(strategies.Policy{MaxAttempts: 1, Timeout: s}), Network: constant(0)}}
	rec := run(t, m, 1, 1)
	for i, name := range []string{"a", "b"} {
		if got := rec.Services[i].Blocked; got < 9*s || got > 11*s {
			t.Errorf("%s was blocked for %v", name, got)
		}
	}
	if got := rec.Services[2].Blocked; got != 0 {
		t.Errorf("c calls nobody, and was blocked for %v", got)
	}
}

// TestNestedForks: forks in forks, on the engine's own slots again and again.
func TestNestedForks(t *testing.T) {
	m := graph(burst(50), 10*ms, 20*ms, 30*ms)
	m.Groups[0].Requests = 3
	m.Groups[0].Arrival.Kind = "closed"
	m.Groups[0].Arrival.Think = constant(0)
	m.Groups[0].Steps = []sim.Step{atOnce(2, atOnce(2, to(0), to(1)), atOnce(1, to(1), to(2)), to(2)), to(0)}
	rec := run(t, m, 1, 1)
	if rec.Succeeded != 150 || rec.FinishedAt != 90*ms {
		t.Errorf("%d succeeded, the last at %v", rec.Succeeded, rec.FinishedAt)
	}
	var calls strings.Builder
	for _, h := range rec.Hops {
		calls.WriteString(fmt.Sprint(h.Calls, " "))
	}
	if calls.String() != "150 150 150 150 150 150 " {
		t.Errorf("calls %s", calls.String())
	}
}

// TestAsync: one worker with 10 ms of its own work, and 100 ms elsewhere, serves
// 10 requests in 200 ms if it is not held for the others, and in 1.1 s if it is.
func TestAsync(t *testing.T) {
	for _, async := range []bool{false, true} {
		m := graph(burst(10), 10*ms, 100*ms)
		m.Services[0].Spec.Workers, m.Services[0].Async = 1, async
		m.Services[0].Steps = []sim.Step{to(1)}
		m.Groups[0].Steps = []sim.Step{to(0)}
		rec := run(t, m, 1, 1)
		want := 1100 * ms
		if async {
			want = 200 * ms
		}
		if rec.Succeeded != 10 || rec.FinishedAt != want {
			t.Errorf("async %v: %d done at %v, want %v", async, rec.Succeeded, rec.FinishedAt, want)
		}
		if blocked := rec.Services[0].Blocked; (blocked == 0) != async {
			t.Errorf("async %v: blocked for %v", async, blocked)
		}
	}
}

// TestAsyncInFlight: what is inside and waits for others counts for the limit.
func TestAsyncInFlight(t *testing.T) {
	m := graph(burst(10), 0, 100*ms)
	m.Services[0].Spec.InFlight, m.Services[0].Async = 4, true
	m.Services[0].Steps = []sim.Step{to(1), {Work: true}}
	m.Groups[0].Steps = []sim.Step{to(0)}
	if rec := run(t, m, 1, 1); rec.Succeeded != 4 || rec.Services[0].Status != 6 {
		t.Errorf("%d succeeded, %d turned away", rec.Succeeded, rec.Services[0].Status)
	}
}

// TestPathsHaveKeysOfTheirOwn: a service that is asked for two things on behalf
// of one request, by way of two others, does both, whatever its inbox; and asked
// for one thing twice it does it once.
func TestPathsHaveKeysOfTheirOwn(t *testing.T) {
	m := graph(burst(10), ms, ms, ms, ms)
	m.Services[0].Steps, m.Services[1].Steps = []sim.Step{to(2)}, []sim.Step{to(2)}
	m.Services[2].Steps = []sim.Step{to(3)}
	m.Groups[0].Steps = []sim.Step{to(0), to(1)}
	m.Services[3].Inbox = server.Inbox{Kind: "unique", KeepNewest: server.Unlimited, Replay: true}
	lost := []server.Fault{{Kind: "errors", Share: 1, For: 10 * ms, AfterWork: true}}
	m.Services[0].Spec.Faults = lost
	m.Groups[0].Steps[0].Policies = under(retry(2, 0, backoff("fixed", 20*ms, 0)))
	rec := run(t, m, 1, 1)
	e := rec.Services[3].Effects
	if e.Requests != 20 || e.Done != 20 || rec.Succeeded != 10 {
		t.Errorf("%+v; %d succeeded", e, rec.Succeeded)
	}
}
