package sim_test

import (
	"math"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
)

const day = 24 * time.Hour

// inboxOf is an inbox with the defaults of the language.
func inboxOf(kind string, keep time.Duration) server.Inbox {
	return server.Inbox{Kind: kind, Keep: keep, KeepNewest: server.Unlimited, Replay: true}
}

// effects runs a model whose only service has the inbox.
func effects(t *testing.T, m *sim.Model, b server.Inbox) sim.Effects {
	t.Helper()
	m.Services[0].Effects, m.Services[0].Inbox = true, b
	return run(t, m, 1, 1).Services[0].Effects
}

// lost is a service whose answers are lost after the work for a while.
func lost(share float64, d time.Duration) server.Spec {
	spec := unlimited()
	spec.Faults = []server.Fault{{Name: "lost", Kind: "errors", Share: share, For: d, Answer: server.Reply{Answer: server.Reset}, AfterWork: true}}
	return spec
}

// C108: an answer is lost with 1 %, and there are 3 attempts. The second one
// does it again with 1 %, and the third with 0.01 %: 10.1 duplicates in 1000.
func TestPostTwice(t *testing.T) {
	const loss = 0.01
	spec := lost(loss, 0)
	spec.Workers, spec.ServiceTime = 20, constant(50*ms)
	m := model(poisson(50), retry(3, 2*s, backoff("none", 0, 0)), constant(0), spec)
	m.Until, m.Window = 20*time.Minute, s
	rules := &m.Groups[0].Steps[0].Policies[0].Policy

	none := effects(t, m, server.Inbox{})
	n := float64(none.Requests)
	mean, deviation := n*(loss+loss*loss), math.Sqrt(n*(loss+3*loss*loss)) // variance of a number with mean loss+loss^2
	repeated := none.Done - none.Requests
	// The seed is fixed; three deviations are for whoever changes it.
	if math.Abs(float64(repeated)-mean) > 3*deviation || none.Duplicates[sim.AfterReset] != repeated {
		t.Errorf("%d duplicates of %.0f, want about %.0f after resets: %v", repeated, n, mean, none.Duplicates)
	}
	for _, kind := range []string{"check-then-insert", "unique"} {
		e := effects(t, m, inboxOf(kind, day))
		if want := (sim.Effects{Done: none.Requests, Requests: none.Requests, Replayed: repeated}); e != want {
			t.Errorf("%s: %+v, want %+v", kind, e, want)
		}
	}
	b := inboxOf("unique", day)
	b.Replay = false
	if e := effects(t, m, b); e.Conflicts == 0 || e.Replayed > 0 || e.Done != e.Requests {
		t.Errorf("without the stored answer: %+v", e)
	}
	rules.RetryOn = []string{"refused"}
	if e := effects(t, m, server.Inbox{}); e.Done != none.Requests || e.Done != e.Requests {
		t.Errorf("retries of refusals only: %+v", e)
	}
}

// Two calls of a request that are in service at once: each finds nothing when it
// begins. A constraint lets one in, and the other gets 409.
func TestRaceWindow(t *testing.T) {
	m := model(burst(1), retry(2, 50*ms, backoff("none", 0, 0)), constant(0), working(2, 80*ms))
	for kind, want := range map[string]sim.Effects{
		"none":              {Done: 2, Requests: 1, Duplicates: [sim.Causes]int64{sim.AfterTimeout: 1}},
		"check-then-insert": {Done: 2, Requests: 1, Duplicates: [sim.Causes]int64{sim.AfterTimeout: 1}},
		"unique":            {Done: 1, Requests: 1, Conflicts: 1},
	} {
		if e := effects(t, m, inboxOf(kind, 0)); e != want {
			t.Errorf("%s: %+v, want %+v", kind, e, want)
		}
	}
	// Once the first is done, both replay.
	m.Groups[0].Steps[0].Policies[0].Policy.Backoff = backoff("fixed", 30*ms, 0)
	for _, kind := range []string{"check-then-insert", "unique"} {
		if e, want := effects(t, m, inboxOf(kind, 0)), (sim.Effects{Done: 1, Requests: 1, Replayed: 1}); e != want {
			t.Errorf("%s, later: %+v, want %+v", kind, e, want)
		}
	}
}

// The worker is free at once for those behind a call whose work has been done,
// however many there are.
func TestReplaysTakeNoTime(t *testing.T) {
	const n = 100_000
	spec := workers(1)
	spec.ServiceTime = constant(s)
	b := inboxOf("unique", 0)
	b.SameKey = 1
	times := make([]time.Duration, n)
	g := at(times...)
	m := model(g, retry(1, 0, backoff("none", 0, 0)), constant(0), spec)
	m.Services[0].Inbox = b
	rec := run(t, m, 1, 1)
	if e, want := rec.Services[0].Effects, (sim.Effects{Done: 1, Requests: 1, Swallowed: n - 1}); e != want {
		t.Errorf("%+v, want %+v", e, want)
	}
	if rec.Succeeded != n || rec.FinishedAt != s || rec.Services[0].Busy.Float() != 1e9 {
		t.Errorf("%d of %d succeed by %v, %v ns of work", rec.Succeeded, n, rec.FinishedAt, rec.Services[0].Busy.Float())
	}
}

// Answers are lost at 0, 1 and 2 min. A key is kept from when it was written,
// the end not included, and a replay does not renew it.
func TestKeptTooShort(t *testing.T) {
	m := model(burst(1), retry(3, 0, backoff("fixed", time.Minute, 0)), constant(0), lost(1, 0))
	for keep, done := range map[time.Duration]int64{
		0: 1, time.Minute: 3, time.Minute + 1: 2, 2 * time.Minute: 2, 2*time.Minute + 1: 1,
	} {
		e := effects(t, m, inboxOf("unique", keep))
		if e.Done != done || e.Replayed != 3-done || e.Duplicates[sim.AfterReset] != done-1 {
			t.Errorf("kept for %v: %+v, want it done %d times", keep, e, done)
		}
	}
}

// The newest 10 keys are kept, and an answer that was lost is asked for again
// after 5 s. In normal traffic that is early enough; 10 others in between, and
// the work is done twice.
func TestNewestKeysUnderSurge(t *testing.T) {
	for others, done := range map[int]int64{5: 1, 9: 1, 10: 2, 500: 2} {
		m := model(at(0), retry(2, 0, backoff("fixed", 5*s, 0)), constant(0), lost(1, 1))
		times := make([]time.Duration, others)
		for i := range times {
			times[i] = s + time.Duration(i)*4*s/time.Duration(others)
		}
		surge := at(times...)
		surge.Name, surge.Steps = "surge", []sim.Step{{To: 0, Policies: under(retry(1, 0, backoff("none", 0, 0)))}}
		m.Groups = append(m.Groups, surge)
		b := inboxOf("unique", 0)
		b.KeepNewest = 10
		e := effects(t, m, b)
		if e.Done != done+int64(others) || e.Replayed != 2-done || e.Duplicates[sim.AfterReset] != done-1 {
			t.Errorf("%d others: %+v, want it done %d times", others, e, done)
		}
	}
}

// A key that is too coarse: 30 % of the requests carry the key of the one before.
// Exactly those are not worked on, and nobody hears of it.
func TestSameKey(t *testing.T) {
	g := poisson(10)
	g.Arrival.For = 1000 * s
	m := model(g, retry(1, 0, backoff("none", 0, 0)), constant(0), working(1, 20*ms))
	for _, share := range []float64{0.3, 0.999999, 1} {
		b := inboxOf("unique", 0)
		b.SameKey = share
		m.Services[0].Inbox = b
		rec := run(t, m, 1, 1)
		e, group := rec.Services[0].Effects, random.Root(1, 1, 0)
		want := int64(0)
		for i := int64(1); i < rec.Requests; i++ {
			if random.Unit(group.Child(uint64(i), 0, 1).Draw(random.InboxKey, 0)) < share {
				want++
			}
		}
		if e.Swallowed != want || e.Done != rec.Requests-want || e.Done != e.Requests || rec.Succeeded+rec.Failed != rec.Requests {
			t.Errorf("%v: %+v of %d requests, want %d swallowed", share, e, rec.Requests, want)
		}
		mean := share * float64(rec.Requests-1)
		if deviation := math.Sqrt(mean * (1 - share)); math.Abs(float64(want)-mean) > 3*deviation+1 {
			t.Errorf("%v: %d of %d requests have the key of the one before", share, want, rec.Requests)
		}
	}
}

// Two requests under one key that were both worked on: what they ask for again
// is their own, whoever wrote the key last.
func TestSameKeyDoneByBoth(t *testing.T) {
	m := model(at(0, 10*ms), retry(2, 50*ms, backoff("fixed", 100*ms, 0)), constant(0), working(9, 100*ms))
	b := inboxOf("check-then-insert", 0)
	b.SameKey = 1
	if e, want := effects(t, m, b), (sim.Effects{Done: 2, Requests: 2, Replayed: 2}); e != want {
		t.Errorf("%+v, want %+v", e, want)
	}
}

// Keys that are counted from 1 every day, of 10 requests a day. An inbox that
// keeps them longer swallows everything from the second day on.
func TestKeyCycle(t *testing.T) {
	open := sim.Group{Count: 1, Arrival: random.Arrival{Kind: "trace"}}
	for i := range 30 {
		open.Arrival.Times = append(open.Arrival.Times, time.Duration(i)*day/10)
	}
	clients := sim.Group{Count: 4, Requests: random.Unlimited, Arrival: random.Arrival{Kind: "every", Every: day / 10, Phase: "aligned"}}
	for _, g := range []sim.Group{open, clients} {
		m := model(g, retry(1, 0, backoff("none", 0, 0)), constant(0), unlimited())
		m.Until, m.Window = 3*day, time.Hour
		all := 30 * g.Count
		for keep, done := range map[time.Duration]int64{0: all / 3, 2*day + 1: all / 3, day + 1: all / 3 * 2, day: all} {
			b := inboxOf("unique", keep)
			b.KeyCycle = day
			want := sim.Effects{Done: done, Requests: done, Swallowed: all - done}
			if e := effects(t, m, b); e != want {
				t.Errorf("%s, kept for %v: %+v, want %+v", g.Arrival.Kind, keep, e, want)
			}
		}
	}
}

// A retry of yesterday's last request carries yesterday's number.
func TestKeyCycleOfRetry(t *testing.T) {
	m := model(at(0, day-s, day+2*s), retry(2, 0, backoff("fixed", 4*s, 0)), constant(0), lost(1, day+s))
	m.Until, m.Window = 2*day, time.Hour
	b := inboxOf("unique", 0)
	b.KeyCycle = day
	// The first two are done and asked for again; the third has the first one's.
	if e, want := effects(t, m, b), (sim.Effects{Done: 2, Requests: 2, Replayed: 2, Swallowed: 1}); e != want {
		t.Errorf("%+v, want %+v", e, want)
	}
}

// The newest call is served first. The first attempt is done last, and it is
// the retry's fault.
func TestRetryThatOvertakes(t *testing.T) {
	spec := workers(1)
	spec.ServiceTime, spec.Queue.Order = constant(100*ms), "lifo"
	m := model(at(0, 10*ms), retry(2, 50*ms, backoff("none", 0, 0)), constant(0), spec)
	want := sim.Effects{Done: 4, Requests: 2, Duplicates: [sim.Causes]int64{sim.AfterTimeout: 2}}
	if e := effects(t, m, server.Inbox{}); e != want {
		t.Errorf("%+v, want %+v", e, want)
	}
}

// What a crash, a failure further down or a cancellation ends is not done, and
// its key is free for the next attempt.
func TestKeysComeBack(t *testing.T) {
	crashing := working(9, 100*ms)
	crashing.Crash = &server.Crash{Above: 1}
	crash := model(at(0), retry(2, 0, backoff("fixed", 10*ms, 0)), constant(0), crashing)
	killer := at(10 * ms)
	killer.Name, killer.Steps = "killer", []sim.Step{{To: 0}}
	crash.Groups = append(crash.Groups, killer)
	cancelling := retry(2, 50*ms, backoff("none", 0, 0))
	cancelling.Cancel = "running"
	broken := unlimited()
	broken.Faults = []server.Fault{{Name: "broken", Kind: "errors", Share: 1, For: 20 * ms, Answer: server.Reply{Answer: 503}}}
	needs := model(burst(1), retry(3, 0, backoff("fixed", 20*ms, 0)), constant(0), working(9, 10*ms))
	needs.Services = append(needs.Services, sim.Service{Name: "needed", Spec: broken})
	needs.Services[0].Steps = []sim.Step{{To: 1, Policies: under(retry(1, 0, backoff("none", 0, 0)))}}
	for name, c := range map[string]struct {
		m    *sim.Model
		want sim.Effects
	}{
		"crash":     {crash, sim.Effects{Done: 1, Requests: 1}},
		"failure":   {needs, sim.Effects{Done: 1, Requests: 1}},
		"cancelled": {model(burst(1), cancelling, constant(0), working(9, 70*ms)), sim.Effects{}},
	} {
		if e := effects(t, c.m, inboxOf("unique", 0)); e != c.want {
			t.Errorf("%s: %+v, want %+v", name, e, c.want)
		}
	}
}

// A retry of a caller further up makes the services below do it again: it counts
// there too, for what made it.
func TestDuplicatesBelow(t *testing.T) {
	m := layers([3]int64{3, 1, 1}, server.Fault{Name: "lost", Kind: "errors", Share: 1, Answer: server.Reply{Answer: 500}, AfterWork: true})
	for i := range m.Services {
		m.Services[i].Effects = true
	}
	rec := run(t, m, 1, 1)
	want := sim.Effects{Done: 300, Requests: 100, Duplicates: [sim.Causes]int64{sim.AfterStatus: 200}}
	if e := rec.Services[2].Effects; e != want {
		t.Errorf("%+v, want %+v", e, want)
	}
	for i := range 2 {
		if e := rec.Services[i].Effects; e != (sim.Effects{}) {
			t.Errorf("%+v at a service whose needs failed", e)
		}
	}
}

// Requests from before the warm-up count nowhere, but their keys are known.
func TestInboxWarmup(t *testing.T) {
	m := model(at(0, s), retry(2, 0, backoff("fixed", 5*s, 0)), constant(0), lost(1, 2*s))
	m.Warmup = 500 * ms
	b := inboxOf("unique", 0)
	b.SameKey = 1
	if e, want := effects(t, m, b), (sim.Effects{Swallowed: 2}); e != want {
		t.Errorf("%+v, want %+v", e, want)
	}
	if e, want := effects(t, m, server.Inbox{}), (sim.Effects{Done: 2, Requests: 1, Duplicates: [sim.Causes]int64{sim.AfterReset: 1}}); e != want {
		t.Errorf("%+v, want %+v", e, want)
	}
}
