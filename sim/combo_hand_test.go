package sim_test

import (
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// Combinations, worked out by hand.

// What somebody else's failure keeps from being done has not been done, whatever
// answer a fault would have given after the work.
func TestNotDoneWhateverTheAnswer(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer server.Answer
		below  bool // the service it needs fails
		want   int64
	}{
		{"lost answer", 502, false, 1}, {"needs others", 502, true, 0}, {"needs others, another answer", 500, true, 0},
	} {
		spec := takes(10 * ms)
		spec.Faults = []server.Fault{{Name: "lost", Kind: "errors", Share: 1, AfterWork: true, Answer: server.Reply{Answer: c.answer}}}
		m := model(burst(1), one, constant(0), spec)
		m.Services[0].Effects = true
		m.Services[0].Steps = []sim.Step{{To: 1}, {Work: true}}
		below := takes(ms)
		if c.below {
			below.Faults = []server.Fault{{Name: "down", Kind: "down", Answer: server.Reply{Answer: 503}}}
		}
		m.Services = append(m.Services, sim.Service{Name: "below", Spec: below})
		for _, async := range []bool{false, true} {
			m.Services[0].Async = async
			if e := run(t, m, 1, 1).Services[0].Effects; e.Done != c.want {
				t.Errorf("%s, async %v: %+v, want %d", c.name, async, e, c.want)
			}
		}
	}
}

// A call that comes back to a service that refuses late work, and is refused with
// the answer that it would have got after the work, has not been worked on.
func TestRefusedWhateverTheAnswer(t *testing.T) {
	spec := workers(1)
	spec.ServiceTime = constant(100 * ms)
	spec.Faults = []server.Fault{{Name: "lost", Kind: "errors", Share: 1, AfterWork: true, Answer: server.Reply{Answer: 504}}}
	p := strategies.Policy{MaxAttempts: 1, Timeout: 230 * ms, Propagate: true, RetryOn: []string{"transient"}}
	m := model(burst(3), p, constant(0), spec)
	m.Services[0].Async, m.Services[0].Effects = true, true
	m.Services[0].Expired = sim.Expired{Kind: "refuse", Time: 7 * ms}
	m.Services[0].Steps = []sim.Step{{To: 1}, {Work: true}}
	m.Services = append(m.Services, sim.Service{Name: "below", Spec: takes(20 * ms)})
	// All come back at 20 ms; two are served until 220 ms, the third is refused then,
	// which ends at 227 ms.
	rec := run(t, m, 1, 1)
	if v := rec.Services[0]; v.Effects.Done != 2 || v.Expired != 1 || v.Busy != (sim.Sum{Lo: uint64(207 * ms)}) || rec.EndedAt != 227*ms {
		t.Errorf("%+v, %d expired, busy %v until %v", v.Effects, v.Expired, v.Busy, rec.EndedAt)
	}
}

// One request, done once more by a redrive, by a resend and by a rerun: each is to
// blame for its own, though each is the first that its kind makes again.
func TestDoneAgainByEach(t *testing.T) {
	spec := takes(10 * ms)
	spec.Faults = []server.Fault{{Name: "lost", Kind: "errors", Share: 1, For: 25 * s, AfterWork: true, Answer: server.Reply{Answer: 500}}}
	p := strategies.Policy{MaxAttempts: 2, Backoff: backoff("fixed", 100*ms, 0), RetryOn: []string{"transient"}, DeadLetter: "dlq"}
	g := sim.Group{Count: 1, Requests: 1, Arrival: random.Arrival{Kind: "closed", Think: constant(0)}}
	m := model(g, p, constant(0), spec)
	m.Services[0].Effects = true
	m.Services = append(m.Services, sim.Service{Name: "dlq", Backlog: backlog(1, s)})
	m.Actions = []sim.Action{
		{Name: "redrive", Kind: sim.Redrive, At: 10 * s, Place: 1},
		{Name: "resend", Kind: sim.Resend, At: 20 * s, Group: -1},
		{Name: "rerun", Kind: sim.Rerun, At: 30 * s},
	}
	want := sim.Effects{Done: 7, Requests: 1}
	want.Duplicates[sim.AfterStatus] = 1 // of the first run; those of later runs count for these
	want.Duplicates[sim.Redriven], want.Duplicates[sim.Resent], want.Duplicates[sim.Repeated] = 1, 1, 1
	// Within a run that is made again, its own retry is to blame for its second time.
	want.Duplicates[sim.AfterStatus] += 2
	rec := run(t, m, 1, 1)
	if e := rec.Services[0].Effects; e != want {
		t.Errorf("%+v, want %+v", e, want)
	}
	for _, inbox := range []string{"unique", "check-then-insert"} {
		m.Services[0].Inbox = server.Inbox{Kind: inbox, Replay: true}
		if e := run(t, m, 1, 1).Services[0].Effects; e.Done != 1 || e.Replayed != 6 {
			t.Errorf("%s: %+v", inbox, e)
		}
	}
}

// A request that is resent and one that its client makes again are not the same
// run: what is drawn for them differs.
func TestRunsHaveDrawsOfTheirOwn(t *testing.T) {
	spec := unlimited()
	spec.ServiceTime = exponential(100 * ms)
	spec.Faults = []server.Fault{{Name: "down", Kind: "down", For: s, Answer: server.Reply{Answer: 503}}}
	g := sim.Group{Count: 1, Requests: 1, Arrival: random.Arrival{Kind: "closed", Think: constant(0)}}
	m := model(g, one, constant(0), spec)
	m.Actions = []sim.Action{
		{Name: "resend", Kind: sim.Resend, At: 10 * s, Group: -1}, {Name: "rerun", Kind: sim.Rerun, At: 20 * s},
	}
	rec := run(t, m, 1, 1)
	a, b := rec.Actions[0], rec.Actions[1]
	if a.Succeeded != 1 || b.Succeeded != 1 || a.EndedAt-10*s == b.EndedAt-20*s {
		t.Errorf("%+v, %+v", a, b)
	}
}

// A crash loses 100,000 calls that wait for others, and no step looks at all of
// them for each, or this takes minutes.
func TestCrashOfMany(t *testing.T) {
	const n = 100_000
	m := model(burst(n-1), one, constant(0), takes(ms))
	m.Services[0].Spec.Crash = &server.Crash{Above: n - 1, Restart: s}
	m.Services[0].Steps = []sim.Step{{To: 1}}
	m.Services = append(m.Services, sim.Service{Name: "slow", Spec: takes(time.Hour)})
	last := burst(1)
	last.Name, last.Arrival.At, last.Steps = "last", 5*s, m.Groups[0].Steps
	m.Groups, m.Until = append(m.Groups, last), 10*s
	for _, effects := range []bool{false, true} {
		m.Services[0].Effects = effects
		if v := run(t, m, 1, 1).Services[0]; v.Crashes != 1 || v.Reset != n || v.Inside != 0 || v.Effects.Done != 0 {
			t.Errorf("%d crashes, %d resets, %d inside, %+v", v.Crashes, v.Reset, v.Inside, v.Effects)
		}
	}
}

// Two of three branches must succeed. One is slow and one fails: the step goes on
// with the slow one, and fails when that fails too. Begun again from the restart
// point, all branches are.
func TestNeedsAndRerun(t *testing.T) {
	for _, broken := range []int64{0, 1, 2} {
		g := sim.Group{Count: 2, Requests: 10, Arrival: random.Arrival{Kind: "closed", Think: constant(0)}}
		m := model(g, one, constant(0), takes(100*ms))
		fork := sim.Step{Need: 2}
		for i := range int64(3) {
			spec := takes(time.Duration(i+1) * 100 * ms)
			if i < broken {
				spec.Faults = []server.Fault{{Name: "bad", Kind: "errors", Share: 1, AfterWork: true, Answer: server.Reply{Answer: 500}}}
			}
			if i > 0 {
				m.Services = append(m.Services, sim.Service{Name: string(rune('a' + i))})
			}
			m.Services[i].Spec = spec
			fork.Parallel = append(fork.Parallel, sim.Step{To: int(i)})
		}
		m.Groups[0].Steps = []sim.Step{fork}
		m.Actions = []sim.Action{{Name: "again", Kind: sim.Rerun, At: 1050 * ms, Every: 2}}
		// A request takes 200, 300 or (in failure) 200 ms; at 1050 ms five, three or
		// five have ended and one is under way: begin again with number 4, 2 or 4.
		took := []time.Duration{200 * ms, 300 * ms, 200 * ms}[broken]
		restart := []int64{4, 2, 4}[broken]
		ended := int64(1050*ms/took) + 1 // that ended, and the one that is cut off
		rec := run(t, m, 1, 1)
		a := rec.Actions[0]
		failed := int64(2)
		if broken == 2 {
			failed = 20
		}
		if rec.Requests != 20 || rec.Failed != failed || a.Sent != 2*(ended-restart) || a.Failed != a.Sent*min(1, max(0, broken-1)) {
			t.Errorf("%d broken: %d requests, %d failed, %+v", broken, rec.Requests, rec.Failed, a)
		}
		if want := 1050*ms + time.Duration(10-restart)*took; rec.FinishedAt != want {
			t.Errorf("%d broken: finished at %v, want %v", broken, rec.FinishedAt, want)
		}
		for i, v := range rec.Services[:3] {
			if v.Calls != 2*(ended+10-restart) {
				t.Errorf("%d broken: %d calls to branch %d, want %d", broken, v.Calls, i, 2*(ended+10-restart))
			}
		}
	}
}

// Two workers that wait for a service of one worker: 1 s of work each, so while
// there are two inside both wait. A third call waits for a worker.
func TestBlockedByHand(t *testing.T) {
	front := workers(2)
	front.ServiceTime = constant(100 * ms)
	back := workers(1)
	back.ServiceTime = constant(s)
	m := model(burst(3), one, constant(0), front)
	m.Services[0].Steps = []sim.Step{{To: 1}}
	m.Services = append(m.Services, sim.Service{Name: "back", Spec: back})
	// Two are out from 100 ms. The first is back at 1100 ms, the third goes out at
	// 1200 ms; the second is back at 2100 ms, and the third alone is out.
	rec := run(t, m, 1, 1)
	if got := rec.Services[0].Blocked; got != s+900*ms || rec.FinishedAt != 3100*ms {
		t.Errorf("blocked for %v until %v", got, rec.FinishedAt)
	}
	// With two replicas of one worker each, all usable ones are the same two.
	m.Services[0].Spec.Replicas, m.Services[0].Spec.Workers, m.Services[0].Spec.Balance = 2, 1, "round-robin"
	if got := run(t, m, 1, 1).Services[0].Blocked; got != s+900*ms {
		t.Errorf("replicas: blocked for %v", got)
	}
	// One of the two workers is taken away at 500 ms and given back at 3 s: the
	// third has to wait for that worker until the second is back.
	m.Services[0].Spec.Replicas, m.Services[0].Spec.Workers = 0, 2
	m.Actions = []sim.Action{
		{Name: "less", Kind: sim.Set, Set: sim.SetWorkers, At: 500 * ms, Value: 1},
		{Name: "more", Kind: sim.Set, Set: sim.SetWorkers, At: 3 * s, Value: 2},
	}
	// Out: 0.1-2.1 s (the one usable worker is blocked as long as anybody is out),
	// and from 2.2 s until there are two workers at 3 s.
	if got := run(t, m, 1, 1).Services[0].Blocked; got != 2*s+800*ms {
		t.Errorf("fewer workers: blocked for %v", got)
	}
}

// Messages of requests before the warm-up are in no books, not even as the oldest.
func TestOldestThatCounts(t *testing.T) {
	spec := takes(10 * time.Hour)
	m := queued(sim.Group{Count: 1, Arrival: random.Arrival{Kind: "trace", Times: []time.Duration{s, 20 * s}}}, spec, backlog(2, 20*time.Hour), one)
	m.Until, m.Warmup = 100*s, 10*s
	if q := run(t, m, 1, 1).Queues[0]; q.Sent != 1 || q.Left != 1 || q.Oldest != 80*s {
		t.Errorf("%+v", q)
	}
	m.Warmup = 30 * s
	if q := run(t, m, 1, 1).Queues[0]; q.Sent != 0 || q.Left != 0 || q.Oldest != 0 {
		t.Errorf("%+v", q)
	}
}
