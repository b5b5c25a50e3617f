package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// The exact rules, one test each.

// at starts one request, of a client of its own, at each of the times.
func at(times ...time.Duration) sim.Group {
	return sim.Group{Count: 1, Requests: 1, Arrival: random.Arrival{Kind: "trace", Times: times}}
}

var once = strategies.Policy{MaxAttempts: 1}

// working is a service of n workers that take d for each call.
func working(n int64, d time.Duration) server.Spec {
	spec := workers(n)
	spec.ServiceTime = constant(d)
	return spec
}

func with(spec server.Spec, faults ...server.Fault) server.Spec {
	for i := range faults {
		faults[i].Name = fmt.Sprintf("fault %d", i)
	}
	spec.Faults = faults
	return spec
}

func traced(t testing.TB, m *sim.Model) (*sim.Record, []sim.TraceEvent) {
	t.Helper()
	var events []sim.TraceEvent
	var r sim.Runner
	rec, err := r.Run(m, 1, 0, sim.Options{Trace: func(e sim.TraceEvent) { events = append(events, e) }})
	if err != nil {
		t.Fatal(err)
	}
	return rec, events
}

// ends is how and when the requests ended, by client: "ok 100ms, failed 30ms".
func ends(t testing.TB, m *sim.Model) string {
	t.Helper()
	_, events := traced(t, m)
	ended := map[int64]string{}
	last := int64(-1)
	for _, e := range events {
		last = max(last, e.Client)
		switch e.Kind {
		case sim.TraceSucceeded:
			ended[e.Client] = fmt.Sprint("ok ", e.At)
		case sim.TraceFailed:
			ended[e.Client] = fmt.Sprint("failed ", e.At)
		}
	}
	var list []string
	for c := range last + 1 {
		if ended[c] == "" {
			ended[c] = "unfinished"
		}
		list = append(list, ended[c])
	}
	return strings.Join(list, ", ")
}

func expect(t *testing.T, name string, m *sim.Model, want string) {
	t.Helper()
	if got := ends(t, m); got != want {
		t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
	}
}

func TestRuleAnswerBeatsTimeout(t *testing.T) {
	expect(t, "in the same ns", model(at(0), retry(1, 100*ms, strategies.Backoff{}), constant(10*ms), working(1, 80*ms)), "ok 100ms")
	expect(t, "a ns later", model(at(0), retry(1, 100*ms-1, strategies.Backoff{}), constant(10*ms), working(1, 80*ms)), "failed 99.999999ms")
}

func TestRuleTimeoutBeatsArrival(t *testing.T) {
	rec := run(t, model(at(0), retry(1, 10*ms, strategies.Backoff{}), constant(10*ms), working(1, ms)), 1, 0)
	if v := rec.Services[0]; rec.FinishedAt != 10*ms || v.Calls != 1 || v.Wasted != v.Busy || v.Busy.Lo != uint64(ms) {
		t.Errorf("%+v: want a call that arrives for nobody", v)
	}
}

func TestRuleDepartureMakesRoom(t *testing.T) {
	spec := working(1, 100*ms)
	spec.Queue = server.Queue{Limit: 0, Full: server.Reply{Answer: server.Refused}}
	expect(t, "one after the other", model(at(0, 100*ms, 200*ms), once, constant(0), spec), "ok 100ms, ok 200ms, ok 300ms")
	expect(t, "a ns too early", model(at(0, 100*ms-1, 200*ms), once, constant(0), spec), "ok 100ms, failed 99.999999ms, ok 300ms")
}

func TestRuleFaultsAreHalfOpen(t *testing.T) {
	for kind, want := range map[string]string{
		"down":   "ok 1.999999999s, failed 2s, failed 2.999999999s, ok 3s",
		"errors": "ok 1.999999999s, failed 2s, failed 2.999999999s, ok 3s",
		"slow":   "ok 1.999999999s, ok 2s, ok 2.999999999s, ok 3s",
		"pause":  "ok 1.999999999s, ok 3s, ok 3s, ok 3s",
	} {
		spec := with(unlimited(), server.Fault{Kind: kind, At: 2 * s, For: s, Share: 1, Factor: 5})
		expect(t, kind, model(at(2*s-1, 2*s, 3*s-1, 3*s), once, constant(0), spec), want)
	}
}

func TestRuleNothingRunsAtUntil(t *testing.T) {
	m := model(at(0, s-1, s), once, constant(0), working(2, s))
	m.Until = s
	rec := run(t, m, 1, 0)
	if rec.Requests != 2 || rec.Succeeded != 0 || rec.Unfinished != 2 || rec.EndedAt != s || rec.Services[0].Inside != 2 {
		t.Errorf("%+v: want two unfinished requests", rec)
	}
	// The service time of what is not done was not given.
	if v := rec.Services[0]; v.Busy != (sim.Sum{}) {
		t.Errorf("busy %v", v.Busy)
	}
	// A retry that would be sent at the end is not.
	m = model(at(0), retry(2, 0, backoff("fixed", s, 0)), constant(0), with(unlimited(), server.Fault{Kind: "down"}))
	m.Until = s
	if rec := run(t, m, 1, 0); rec.Hops[0].Calls != 1 || rec.Unfinished != 1 {
		t.Errorf("%+v: want one call", rec.Hops[0])
	}
}

func TestRulePauseShiftsWork(t *testing.T) {
	spec := with(working(server.Unlimited, 100*ms), server.Fault{Kind: "pause", At: s, For: 500 * ms})
	m := model(at(850*ms, 900*ms, 950*ms, 1200*ms, 1500*ms), once, constant(0), spec)
	// Done before it; done just when it starts; half done; starting in it; after it.
	expect(t, "one", m, "ok 950ms, ok 1.5s, ok 1.55s, ok 1.6s, ok 1.6s")
	// Calls that run into two pauses wait for both; neighbours are one pause.
	m.Services[0].Spec = with(spec, server.Fault{Kind: "pause", At: s, For: 100 * ms},
		server.Fault{Kind: "pause", At: 1100 * ms, For: 100 * ms}, server.Fault{Kind: "pause", At: 1230 * ms, For: 100 * ms})
	expect(t, "three", m, "ok 950ms, ok 1.2s, ok 1.35s, ok 1.4s, ok 1.6s")
}

func TestRuleSlowAppliesToCallsThatStartInIt(t *testing.T) {
	spec := with(working(1, 100*ms), server.Fault{Kind: "slow", At: 50 * ms, For: 100 * ms, Factor: 3})
	// The second one waits and starts in it, the third starts after it.
	expect(t, "queue", model(at(0, 10*ms, 20*ms), once, constant(0), spec), "ok 100ms, ok 400ms, ok 500ms")
	spec.Workers = server.Unlimited
	expect(t, "edges", model(at(50*ms-1, 50*ms, 150*ms-1, 150*ms), once, constant(0), spec),
		"ok 149.999999ms, ok 350ms, ok 449.999999ms, ok 250ms")
	spec = with(spec, server.Fault{Kind: "slow", Factor: 3, For: s}, server.Fault{Kind: "slow", Factor: 0.5, For: s})
	expect(t, "factors multiply", model(at(0), once, constant(0), spec), "ok 150ms")
}

func TestRuleSlowdownIsFixedAtTheStart(t *testing.T) {
	spec := working(3, 100*ms)
	spec.Slowdown = 10 * ms
	expect(t, "", model(at(0, 50*ms, 60*ms, 70*ms), once, constant(0), spec), "ok 100ms, ok 160ms, ok 180ms, ok 220ms")
}

func TestRuleErrorsAreDecidedAtArrival(t *testing.T) {
	fault := server.Fault{Kind: "errors", At: 5 * ms, For: 20 * ms, Share: 1, Answer: server.Reply{Answer: 500}}
	m := model(at(0, 10*ms, 30*ms), once, constant(0), with(working(1, 100*ms), fault))
	expect(t, "at once", m, "ok 100ms, failed 10ms, ok 200ms")
	fault.AfterWork = true
	m.Services[0].Spec = with(working(1, 100*ms), fault)
	expect(t, "after work", m, "ok 100ms, failed 200ms, ok 300ms")
}

func TestRuleDownLeavesCallsInside(t *testing.T) {
	spec := with(working(1, 100*ms), server.Fault{Kind: "down", At: 50 * ms, For: s})
	expect(t, "", model(at(0, 10*ms, 60*ms), once, constant(0), spec), "ok 100ms, ok 200ms, failed 60ms")
}

func TestRuleStrictestAnswerWins(t *testing.T) {
	spec := with(unlimited(), server.Fault{Kind: "down", For: s, Answer: server.Reply{Answer: 503}}, server.Fault{Kind: "down", At: 100 * ms, For: 200 * ms},
		server.Fault{Kind: "down", At: 200 * ms, For: 50 * ms, Answer: server.Reply{Answer: server.Silent}})
	rec := run(t, model(at(0, 100*ms, 200*ms, 250*ms, 300*ms), retry(1, 10*ms, strategies.Backoff{}), constant(0), spec), 1, 0)
	if v := rec.Services[0]; v.Status != 2 || v.Refused != 2 || v.Silent != 1 {
		t.Errorf("%+v: want 2 status, 2 refused, 1 silent", v)
	}
	if h := rec.Hops[0]; h.Status != 2 || h.Refused != 2 || h.Timeouts != 1 || h.GaveUp != 5 {
		t.Errorf("%+v: want silence to be a timeout", h)
	}
}

func TestRuleFullQueueAnswers(t *testing.T) {
	for answer, want := range map[server.Answer]string{
		server.Refused: "ok 100ms, ok 200ms, failed 20ms", 503: "ok 100ms, ok 200ms, failed 20ms",
		server.Silent: "ok 100ms, ok 200ms, failed 520ms",
	} {
		spec := working(1, 100*ms)
		spec.Queue = server.Queue{Limit: 1, Full: server.Reply{Answer: answer}}
		expect(t, answer.String(), model(at(0, 10*ms, 20*ms), retry(1, 500*ms, strategies.Backoff{}), constant(0), spec), want)
	}
	spec := working(1, 100*ms)
	spec.Queue = server.Queue{Limit: 0, Full: server.Reply{Answer: server.Silent}}
	expect(t, "silence without timeout", model(at(0, 10*ms), once, constant(0), spec), "ok 100ms, unfinished")
}

func TestRuleCrashLosesAllInsideAndRestarts(t *testing.T) {
	spec := working(1, 100*ms)
	spec.Crash = &server.Crash{Above: 2, Restart: s}
	m := model(at(0, ms, 2*ms, 500*ms, 1002*ms-1, 1002*ms), once, constant(10*ms), spec)
	expect(t, "ends", m, "failed 22ms, failed 22ms, failed 22ms, failed 520ms, failed 1.021999999s, ok 1.122s")
	v := run(t, m, 1, 0).Services[0]
	if v.Crashes != 1 || v.Reset != 3 || v.Refused != 2 || v.Succeeded != 1 || v.Inside != 0 || v.Busy.Lo != uint64(100*ms) {
		t.Errorf("%+v: want one crash that resets 3, 2 refused, and no service time for the lost", v)
	}
	// No worker while it restarts.
	if got, want := v.Timeline[0].Capacity.Lo, uint64(12*ms); got != want {
		t.Errorf("capacity in the first 100 ms %d, want %d", got, want)
	}
}

// What a lost call had asked of others goes on without it.
func TestRuleCrashLeavesCallsToOthers(t *testing.T) {
	spec := working(5, 0)
	spec.Crash = &server.Crash{Above: 1, Restart: s}
	m := model(at(0, 20*ms), once, constant(0), spec)
	m.Services[0].Steps = []sim.Step{{To: 1, Policies: under(retry(9, 30*ms, backoff("fixed", 50*ms, 0))), Network: constant(0)}}
	m.Services = append(m.Services, sim.Service{Name: "back", Spec: working(1, 100*ms)})
	rec := run(t, m, 1, 0)
	if v := rec.Services[1]; rec.Failed != 2 || v.Calls != 1 || v.Succeeded != 1 || v.Wasted != v.Busy || rec.Hops[1].Timeouts != 0 {
		t.Errorf("%+v: want one call that is served for nobody, and no retry of it", v)
	}
}

func TestRuleRamp(t *testing.T) {
	for _, c := range []struct {
		from float64
		want string
	}{
		{0, "1@1s 2@1.2s 3@1.3s 4@1.4s 5@1.5s 6@1.6s 7@1.7s 8@1.8s 9@1.9s 10@2s"},
		{0.25, "2@1s 3@1.066666667s 4@1.2s 5@1.333333334s 6@1.466666667s 7@1.6s 8@1.733333334s 9@1.866666667s 10@2s"},
		{0.29, "2@1s 3@1.014084508s 4@1.154929578s 5@1.295774648s 6@1.436619719s 7@1.577464789s 8@1.71830986s 9@1.85915493s 10@2s"},
		{1, "10@1s"},
	} {
		fault := server.Fault{Kind: "down", At: 0, For: s, Ramp: s, RampFrom: c.from}
		_, events := traced(t, model(at(3*s), once, constant(0), with(workers(10), fault)))
		var got []string
		for _, e := range events {
			if n := 0; e.Kind == sim.TraceStation {
				if _, err := fmt.Sscanf(e.State, "up, %d workers", &n); err == nil {
					got = append(got, fmt.Sprintf("%d@%v", n, e.At))
				}
			}
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("from %v:\ngot  %s\nwant %s", c.from, got, c.want)
		}
	}
}

// Workers that are busy beyond the share finish what they do.
func TestRuleCapacity(t *testing.T) {
	spec := with(working(4, 100*ms), server.Fault{Kind: "capacity", At: 50 * ms, For: 200 * ms, Share: 0.6},
		server.Fault{Kind: "capacity", At: 50 * ms, For: 100 * ms, Share: 0})
	expect(t, "", model(at(0, 0, 0, 0, 60*ms, 60*ms, 60*ms, 60*ms), once, constant(0), spec),
		"ok 100ms, ok 100ms, ok 100ms, ok 100ms, ok 200ms, ok 250ms, ok 300ms, ok 350ms")
}

func TestRuleLateAnswers(t *testing.T) {
	for _, c := range []struct {
		name, late string
		attempts   int64
		wait       time.Duration
		want       string
		calls, n   int64 // calls, late answers
	}{
		{"ignored", "ignore", 2, 100 * ms, "failed 300ms", 2, 2},
		{"accepted before the retry is sent", "accept", 2, 100 * ms, "ok 150ms", 1, 0},
		{"accepted at the instant of the retry", "accept", 2, 50 * ms, "ok 150ms", 1, 0},
		{"accepted while the retry is in flight", "accept", 2, 10 * ms, "ok 150ms", 2, 1},
		{"given up", "accept", 1, 0, "failed 100ms", 1, 1},
	} {
		p := retry(c.attempts, 100*ms, backoff("fixed", c.wait, 0))
		p.LateAnswers = c.late
		m := model(at(0), p, constant(0), working(server.Unlimited, 150*ms))
		expect(t, c.name, m, c.want)
		rec := run(t, m, 1, 0)
		if h := rec.Hops[0]; h.Calls != c.calls || h.Late != c.n {
			t.Errorf("%s: %d calls, %d late, want %d, %d", c.name, h.Calls, h.Late, c.calls, c.n)
		}
	}
	// A late failure completes nothing.
	p := retry(2, 100*ms, backoff("fixed", 200*ms, 0))
	p.LateAnswers = "accept"
	fault := server.Fault{Kind: "errors", For: 50 * ms, Share: 1, AfterWork: true}
	expect(t, "late failure", model(at(0), p, constant(0), with(working(1, 150*ms), fault)), "failed 400ms")
}

func TestRuleQueueOrder(t *testing.T) {
	for order, want := range map[string]string{
		"fifo": "ok 10ms, ok 20ms, ok 30ms, ok 40ms",
		"lifo": "ok 10ms, ok 40ms, ok 30ms, ok 20ms",
	} {
		spec := working(1, 10*ms)
		spec.Queue.Order = order
		expect(t, order, model(at(0, ms, 2*ms, 3*ms), once, constant(0), spec), want)
	}
}

// Attempt n of request r asks the same of the server in every variant.
func TestRuleDrawsDoNotShift(t *testing.T) {
	type id struct{ client, request, attempt int64 }
	variant := func(p strategies.Policy, change func(m *sim.Model)) map[id]time.Duration {
		spec := with(unlimited(), server.Fault{Kind: "errors", For: time.Hour, Share: 0.5, AfterWork: true})
		spec.ServiceTime = exponential(100 * ms)
		g := sim.Group{Count: 20, Requests: 20, Arrival: random.Arrival{Kind: "closed", Think: exponential(50 * ms)}}
		m := model(g, p, exponential(10*ms), spec)
		change(m)
		_, events := traced(t, m)
		since, took := map[id]time.Duration{}, map[id]time.Duration{}
		for _, e := range events {
			switch i := (id{e.Client, e.Request, e.Attempt}); e.Kind {
			case sim.TraceServing:
				since[i] = e.At
			case sim.TraceServed:
				took[i] = e.At - since[i]
			}
		}
		return took
	}
	keep := func(*sim.Model) {}
	base := variant(retry(4, 0, backoff("none", 0, 0)), keep)
	for name, other := range map[string]map[id]time.Duration{
		"jitter":  variant(retry(4, 0, backoff("full-jitter", 100*ms, s)), keep),
		"timeout": variant(retry(9, 80*ms, backoff("exponential", 10*ms, s)), keep),
		"rate limit": variant(retry(4, 0, backoff("none", 0, 0)), func(m *sim.Model) {
			m.Services[0].Spec.RateLimit = &server.RateLimit{Kind: "token-bucket", Rate: 50, Burst: 5, Answer: server.Reply{Answer: 429}}
		}),
		"more clients": variant(retry(4, 0, backoff("none", 0, 0)), func(m *sim.Model) { m.Groups[0].Count = 30 }),
	} {
		n := 0
		for i, d := range other {
			if want, ok := base[i]; ok {
				n++
				if d != want {
					t.Fatalf("%s: %+v takes %v, in the other variant %v", name, i, d, want)
				}
			}
		}
		if n < 100 {
			t.Errorf("%s: only %d attempts in common", name, n)
		}
	}
}

func TestRuleWarmup(t *testing.T) {
	m := model(at(400*ms, s-1, s, 1500*ms), once, constant(0), working(1, 200*ms))
	m.Warmup, m.Trigger = s, &sim.Trigger{}
	rec := run(t, m, 1, 0)
	v := rec.Services[0]
	if rec.Requests != 2 || rec.Succeeded != 2 || rec.Completion.Len() != 2 || v.Calls != 2 || v.PeakCalls != 1 || rec.Hops[0].Calls != 2 || v.Busy.Lo != uint64(400*ms) {
		t.Errorf("%+v: want only the two requests after the warm-up", rec)
	}
	arrivals := int64(0)
	for _, row := range v.Timeline {
		arrivals += row.Arrivals
	}
	if arrivals != 4 || len(rec.Bins) != 2 || rec.Bins[0] != (sim.Bin{Started: 2, Succeeded: 1, Unfinished: 1}) || rec.Bins[1] != (sim.Bin{Started: 2, Succeeded: 3}) {
		t.Errorf("%d arrivals in the timeline, bins %+v: want the run as it was", arrivals, rec.Bins)
	}
}

func TestRulePeakWindows(t *testing.T) {
	m := model(at(50*ms, 100*ms-1, 100*ms, 150*ms, 200*ms-1, 200*ms, 300*ms), once, constant(0), unlimited())
	for end, after := range map[time.Duration]int64{0: 3, 100 * ms: 3, 100*ms + 1: 1, 300 * ms: 1, 300*ms + 1: 0} {
		m.Trigger = &sim.Trigger{For: end}
		if v := run(t, m, 1, 0).Services[0]; v.PeakCalls != 3 || v.PeakAfter != after || v.PeakRetries != 0 {
			t.Errorf("trigger to %v: peak %d, after %d, want 3 and %d", end, v.PeakCalls, v.PeakAfter, after)
		}
	}
}

// Calls count at the instant they arrive, whatever is answered.
func TestRuleAmplification(t *testing.T) {
	spec := with(unlimited(), server.Fault{Kind: "errors", For: 100 * ms, Share: 1})
	rec := run(t, model(at(0, 50*ms, 100*ms), retry(4, 0, backoff("fixed", 30*ms, 0)), constant(0), spec), 1, 0)
	// 0, 30, 60, 90: gives up; 50, 80, 110: succeeds; 100: succeeds.
	if v := rec.Services[0]; v.Calls != 8 || v.Retries != 5 || v.Status != 6 || rec.Succeeded != 2 || rec.Failed != 1 {
		t.Errorf("%+v: want 8 calls for 3 requests", v)
	}
	if h := rec.Hops[0]; h.Requests != 3 || h.Calls != 8 || h.Status != 6 || h.GaveUp != 1 || h.Succeeded != 2 {
		t.Errorf("%+v: want the same on the hop", h)
	}
}

func TestRuleMaxElapsed(t *testing.T) {
	p := retry(9, 0, backoff("fixed", 50*ms, 0))
	p.MaxElapsed = 100 * ms
	spec := with(unlimited(), server.Fault{Kind: "down"})
	// A retry may start at the limit, not after it.
	expect(t, "at the limit", model(at(0), p, constant(0), spec), "failed 100ms")
	p.MaxElapsed--
	expect(t, "below it", model(at(0), p, constant(0), spec), "failed 50ms")
}

func TestRuleWastedWork(t *testing.T) {
	for timeout, wasted := range map[time.Duration]time.Duration{100 * ms: 0, 100*ms - 1: 100 * ms, 50 * ms: 100 * ms} {
		m := model(at(0), retry(1, timeout, strategies.Backoff{}), constant(0), working(1, 100*ms))
		if v := run(t, m, 1, 0).Services[0]; v.Busy.Lo != uint64(100*ms) || v.Wasted.Lo != uint64(wasted) {
			t.Errorf("timeout %v: busy %d, wasted %d, want %d wasted", timeout, v.Busy.Lo, v.Wasted.Lo, wasted)
		}
	}
}

func TestRuleSLO(t *testing.T) {
	m := model(at(0, 0, 0), once, constant(0), working(1, 100*ms))
	for slo, good := range map[time.Duration]int64{0: 3, 200 * ms: 2, 200*ms - 1: 1, 50 * ms: 0} {
		m.SLO = slo
		var r sim.Runner
		if rec, err := r.Run(m, 1, 0, sim.Options{}); err != nil || rec.Good != good || rec.Succeeded != 3 {
			t.Errorf("SLO %v: %d good, want %d (%v)", slo, rec.Good, good, err)
		}
	}
}

func TestRuleDone99(t *testing.T) {
	m := model(burst(200), once, constant(0), working(1, ms))
	if rec := run(t, m, 1, 0); rec.Done99 != 198*ms {
		t.Errorf("99%% are done at %v, want 198ms", rec.Done99)
	}
	m.Groups[0].Count = 99 // the smallest number that is at least 99 %
	if rec := run(t, m, 1, 0); rec.Done99 != 99*ms {
		t.Errorf("99%% are done at %v, want 99ms", rec.Done99)
	}
	m.Services[0].Spec.Queue = server.Queue{Limit: 5, Full: server.Reply{Answer: 503}}
	if rec := run(t, m, 1, 0); rec.Done99 != sim.Never {
		t.Errorf("99%% are done at %v, want never", rec.Done99)
	}
}

// A service holds its worker while it waits for others, and answers 502 when
// they fail it.
func TestRuleBlocking(t *testing.T) {
	m := model(at(0, ms, 2*ms), once, constant(0), working(1, 10*ms))
	m.Services[0].Steps = []sim.Step{{To: 1, Policies: under(once), Network: constant(5 * ms)}}
	m.Services = append(m.Services, sim.Service{Name: "back", Spec: with(working(9, 80*ms), server.Fault{Kind: "down", At: 210 * ms})})
	expect(t, "", m, "ok 100ms, ok 200ms, failed 220ms")
	rec := run(t, m, 1, 0)
	if v := rec.Services[0]; v.Status != 1 || v.Busy.Lo != uint64(30*ms) || rec.Hops[0].Status != 1 || rec.Hops[1].Refused != 1 {
		t.Errorf("%+v: want one 502, and only own work to count as service time", v)
	}
}

func TestRuleSteps(t *testing.T) {
	m := model(at(0, 200*ms), once, constant(0), with(working(9, 50*ms), server.Fault{Kind: "down", At: 100 * ms, For: s}))
	m.Groups[0].Steps = append(m.Groups[0].Steps, sim.Step{To: 1, Policies: under(once), Network: constant(0)})
	m.Services = append(m.Services, sim.Service{Name: "second", Spec: working(9, 30*ms)})
	expect(t, "", m, "ok 80ms, failed 200ms")
	if rec := run(t, m, 1, 0); rec.Hops[1].Requests != 1 {
		t.Errorf("%d second steps, want 1: the first must succeed", rec.Hops[1].Requests)
	}
}

// A writer that reads first loses to whoever wrote since; one that does not
// knows what its last answer told, or what there was when it began.
func TestRuleContention(t *testing.T) {
	for kind, want := range map[string]string{
		"optimistic": "ok 100ms, ok 150ms, ok 50ms", // two round trips of 20 and 10 for the work
		"write-only": "ok 30ms, ok 60ms, ok 90ms",
		"lock":       "ok 30ms, ok 40ms, ok 50ms",
	} {
		spec := working(server.Unlimited, 10*ms)
		spec.Contention = &server.Contention{Kind: kind, Rows: 1}
		// In lockstep one wins each round, whoever it is.
		got := strings.Split(ends(t, model(at(0, 0, 0), retry(9, 0, backoff("none", 0, 0)), constant(10*ms), spec)), ", ")
		slices.Sort(got)
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
}

func TestRuleTrigger(t *testing.T) {
	m := model(at(0), once, constant(0), with(workers(2), server.Fault{Kind: "down", At: 3 * s, For: s, Ramp: 2 * s}, server.Fault{Kind: "slow", Factor: 2, At: 2 * s, For: s}))
	check := func(from, to time.Duration) {
		t.Helper()
		if rec := run(t, m, 1, 0); !rec.HasTrigger || rec.TriggerStart != from || rec.TriggerEnd != to {
			t.Errorf("trigger %v to %v, want %v to %v", rec.TriggerStart, rec.TriggerEnd, from, to)
		}
	}
	check(2*s, 6*s) // the ramp belongs to it
	m.Trigger = &sim.Trigger{At: s, For: 8 * s}
	check(s, 9*s)
	m.Until, m.Trigger = 5*s, nil
	check(2*s, 5*s)
	m.Services[0].Spec = workers(2)
	m.Services[0].Spec.Crash = &server.Crash{Above: 1, Restart: s}
	if rec := run(t, m, 1, 0); rec.HasTrigger || len(rec.Bins) > 0 {
		t.Errorf("%+v: without faults there is no trigger", rec)
	}
}

// An open stream goes on until the end, also when the last request is done
// before it: rates are over all of the time.
func TestRuleEndedAt(t *testing.T) {
	spec := workers(1)
	spec.ServiceTime = constant(100 * ms)
	g := poisson(1)
	m := model(g, retry(1, 0, backoff("none", 0, 0)), constant(0), spec)
	m.Until = 10 * s
	for r := range uint64(20) {
		if rec := run(t, m, 1, r); rec.EndedAt != m.Until {
			t.Errorf("replication %d ended at %v, want %v", r, rec.EndedAt, m.Until)
		}
	}
	m.Groups[0].Arrival.For = 5 * s // nobody comes after that
	if rec := run(t, m, 1, 0); rec.EndedAt >= 6*s {
		t.Errorf("ended at %v, but the stream ends at 5s", rec.EndedAt)
	}
}
