package sim_test

import (
	"encoding/json"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"

	"pgregory.net/rapid"
)

// outage is requests at a rate to a service of ten workers that is down for a
// time; calls that are given up go to a dead-letter queue, which is redriven.
func outage(rate float64, pace sim.Pace) *sim.Model {
	spec := workers(10)
	spec.ServiceTime = constant(100 * ms) // 100/s
	spec.Faults = []server.Fault{{Name: "down", Kind: "down", At: 60 * s, For: 60 * s, Answer: server.Reply{Answer: 503}}}
	p := strategies.Policy{MaxAttempts: 1, Timeout: s, RetryOn: []string{"transient"}, DeadLetter: "dlq"}
	m := model(poisson(rate), p, constant(0), spec)
	m.Groups[0].Arrival.For = 20 * time.Minute
	m.Services = append(m.Services, sim.Service{Name: "dlq", Backlog: backlog(1, s)})
	m.Actions = []sim.Action{{Name: "redrive", Kind: sim.Redrive, At: 180 * s, Place: 1, Group: -1, Pace: pace}}
	return m
}

// Redriven all at once, dead letters knock the service down again; at less than
// its spare capacity they do not, and take their number divided by the rate
// (C167); in batches that grow they find out how much is possible.
func TestRedrive(t *testing.T) {
	const rate = 70
	at := 180 * s
	all := run(t, outage(rate, sim.Pace{}), 1, 1)
	dead := all.Actions[0].Sent
	if dead < 60*rate*9/10 || all.Actions[0].Outage < 10 || all.Actions[0].Failed == 0 {
		t.Errorf("all at once: %+v", all.Actions[0])
	}
	slow := run(t, outage(rate, sim.Pace{Rate: 20}), 1, 1)
	a := slow.Actions[0]
	// The k-th is sent k/20 s after the first, and served within a second.
	took, want := a.EndedAt-at, time.Duration(dead-1)*s/20
	if a.Sent != dead || a.Failed > 0 || a.Outage != 0 || took < want || took > want+s {
		t.Errorf("20/s: %+v took %v, want %v", a, took, want)
	}
	fast := run(t, outage(rate, sim.Pace{Rate: 60}), 1, 1).Actions[0]
	if fast.Outage == 0 {
		t.Errorf("60/s beside 70/s of 100/s: %+v", fast)
	}
	batches := run(t, outage(rate, sim.Pace{First: 10, Grow: 2, Failures: 0.05, Pause: 10 * s}), 1, 1).Actions[0]
	if batches.Sent < dead || batches.Failed >= all.Actions[0].Failed/2 || batches.Outage > all.Actions[0].Outage {
		t.Errorf("batches: %+v, all at once %+v", batches, all.Actions[0])
	}
}

// Batches, worked out by hand: 2, 4, 8 and 6 messages; one after the other, each
// 1 s of work.
func TestBatchesGrow(t *testing.T) {
	build := func(down time.Duration, pace sim.Pace) *sim.Model {
		spec := takes(s)
		spec.Faults = []server.Fault{{Name: "down", Kind: "down", For: down, Answer: server.Reply{Answer: 500}}}
		p := strategies.Policy{MaxAttempts: 1, RetryOn: []string{"transient"}, DeadLetter: "dlq"}
		m := model(burst(20), p, constant(0), spec)
		m.Services = append(m.Services, sim.Service{Name: "dlq", Backlog: backlog(1, s)})
		m.Actions = []sim.Action{{Name: "redrive", Kind: sim.Redrive, At: 100 * s, Place: 1, Group: -1, Pace: pace}}
		return m
	}
	pace := sim.Pace{First: 2, Grow: 2, Failures: 0.05, Pause: 10 * s}
	for _, c := range []struct {
		name string
		m    *sim.Model
		want sim.ActionRecord
	}{
		{"all is well", build(50*s, pace), sim.ActionRecord{Sent: 20, Succeeded: 20, EndedAt: 104 * s}},
		// Down until 115 s: batches of two at 100 s and 110 s fail, and go back to
		// the queue; then 2, 4, 8 and 2 from 120 s on.
		{"down again", build(115*s, pace), sim.ActionRecord{Sent: 20, Succeeded: 16, Failed: 4, EndedAt: 124 * s}},
		{"two a second", build(50*s, sim.Pace{Rate: 2}), sim.ActionRecord{Sent: 20, Succeeded: 20, EndedAt: 110*s + 500*ms}},
		// 2 until 101.5 s, 4 until 104 s, 8 until 108.5 s, 6 until 112 s.
		{"both", build(50*s, sim.Pace{Rate: 2, First: 2, Grow: 2}), sim.ActionRecord{Sent: 20, Succeeded: 20, EndedAt: 112 * s}},
	} {
		c.want.Name = "redrive"
		rec := run(t, c.m, 1, 1)
		if got := rec.Actions[0]; got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if q := rec.Queues[0]; q.Sent != 20+c.want.Failed || q.Redriven != 20 || q.Left != c.want.Failed {
			t.Errorf("%s: %+v", c.name, q)
		}
	}
}

// Only what a filter names is redriven, into the queue where it died, and its
// receives begin anew.
func TestRedriveIntoQueue(t *testing.T) {
	b := backlog(20, 30*s)
	b.MaxReceives, b.Poison.Share = 2, 0.3
	spec := takes(s)
	spec.Faults = []server.Fault{{Name: "down", Kind: "down", For: 50 * s, Answer: server.Reply{Answer: 503}}}
	m := queued(burst(200), spec, b, one)
	m.Groups[0].Arrival.Kind, m.Groups[0].Arrival.Spread = "burst", 60*s
	m.Services[1].Backlog.Consumers = 200
	m.Actions = []sim.Action{{Name: "redrive", Kind: sim.Redrive, At: 10 * time.Minute, Place: 2, Group: -1, Only: []string{"5xx"}}}
	rec := run(t, m, 1, 1)
	jobs, dlq, a := rec.Queues[0], rec.Queues[1], rec.Actions[0]
	var system, poison int64
	for _, r := range dlq.Reasons {
		if r.Outcome == 503 {
			system += r.Count
		} else {
			poison += r.Count
		}
	}
	if system == 0 || a.Sent != system || dlq.Redriven != system || jobs.Sent != 200+system || jobs.Done+dlq.Left != 200 {
		t.Errorf("%+v\n%+v\n%+v", jobs, dlq, a)
	}
	// The poisoned among them die again, after two receives more.
	if a.Failed == 0 || poison != dlq.Left || a.Succeeded+a.Failed != a.Sent || a.EndedAt != 11*time.Minute {
		t.Errorf("%+v, %d poisoned", a, poison)
	}
	if c := rec.Services[0].Causes; c[sim.Redriven] != system || c[sim.First] != 200 {
		t.Errorf("causes %v", c)
	}
}

// Failed requests are made again, and count there only.
func TestResend(t *testing.T) {
	m := outage(50, sim.Pace{Rate: 20})
	m.Groups[0].Steps[0].Policies[0].DeadLetter = ""
	m.Actions[0].Kind, m.Actions[0].Name = sim.Resend, "resend"
	rec := run(t, m, 1, 1)
	a := rec.Actions[0]
	if a.Sent != rec.Failed || a.Succeeded != a.Sent || rec.Services[0].Causes[sim.Resent] != a.Sent ||
		rec.Requests != rec.Succeeded+rec.Failed || rec.Services[0].Calls != rec.Requests+a.Sent {
		t.Errorf("%+v of %d requests, %d failed", a, rec.Requests, rec.Failed)
	}
	m.Actions = append(m.Actions, m.Actions[0])
	m.Actions[1].At = 40 * time.Minute
	if b := run(t, m, 1, 1).Actions[1]; b.Sent != 0 || b.EndedAt != 40*time.Minute {
		t.Errorf("nothing is left to be sent, but %+v", b)
	}
}

// A client makes 100 requests of 1 s, one after the other, and begins again after
// 50.5 s.
func TestRerun(t *testing.T) {
	for _, c := range []struct {
		every, again int64
		ends         time.Duration
	}{
		{0, 51, 150*s + 500*ms},    // 0 to 50 again, 50 having been begun
		{20, 11, 110*s + 500*ms},   // from 40 on
		{50, 1, 100*s + 500*ms},    // only the one that was cut off
		{1000, 51, 150*s + 500*ms}, // no restart point has been passed
	} {
		g := sim.Group{Count: 3, Requests: 100, Arrival: random.Arrival{Kind: "closed", Think: constant(0)}}
		m := model(g, one, constant(0), takes(s))
		m.Actions = []sim.Action{{Name: "again", Kind: sim.Rerun, At: 50*s + 500*ms, Every: c.every}}
		rec := run(t, m, 1, 1)
		a := rec.Actions[0]
		if rec.Requests != 300 || rec.Failed != 3 || rec.Succeeded != 297 || a.Sent != 3*c.again || a.Succeeded != a.Sent {
			t.Errorf("every %d: %d requests, %d failed, %d succeeded, %+v", c.every, rec.Requests, rec.Failed, rec.Succeeded, a)
		}
		if rec.EndedAt != c.ends || rec.Services[0].Causes[sim.Repeated] != 3*c.again || rec.Services[0].Calls != 300+3*c.again {
			t.Errorf("every %d: ends at %v, want %v; causes %v", c.every, rec.EndedAt, c.ends, rec.Services[0].Causes)
		}
	}
}

// A client that pauses, or has finished, begins again too; one that has not
// begun does not.
func TestRerunOfTheIdle(t *testing.T) {
	g := sim.Group{Count: 1, Requests: 3, Arrival: random.Arrival{Kind: "closed", Think: constant(10 * s)}}
	for at, want := range map[time.Duration]int64{5 * s: 1, 15 * s: 2, 500 * s: 3} {
		m := model(g, one, constant(0), takes(s))
		m.Actions = []sim.Action{{Name: "again", Kind: sim.Rerun, At: at}}
		rec := run(t, m, 1, 1)
		if rec.Requests != 3 || rec.Failed != 0 || rec.Actions[0].Sent != want || rec.EndedAt != at+23*s {
			t.Errorf("at %v: %d requests, %d failed, %+v, until %v", at, rec.Requests, rec.Failed, rec.Actions[0], rec.EndedAt)
		}
	}
	late := burst(5)
	late.Arrival.At = 10 * s
	m := model(late, one, constant(0), takes(s))
	m.Actions = []sim.Action{{Name: "again", Kind: sim.Rerun, At: s}, {Name: "later", Kind: sim.Rerun, At: 20 * s}}
	rec := run(t, m, 1, 1)
	if rec.Requests != 5 || rec.Succeeded != 5 || rec.Actions[0].Sent != 0 || rec.Actions[1].Sent != 5 || rec.EndedAt != 21*s {
		t.Errorf("%d requests, %+v until %v", rec.Requests, rec.Actions, rec.EndedAt)
	}
}

// drawQueued draws a model with queues that feed each other and all that can be
// done with them.
func drawQueued(t *rapid.T) *sim.Model {
	span := func(name string, of ...time.Duration) time.Duration { return rapid.SampledFrom(of).Draw(t, name) }
	draw := func(name string) *server.Backlog {
		return &server.Backlog{
			Consumers: pick[int64](t, name+" consumers", 1, 2, 7), Batch: pick[int64](t, name+" batch", 1, 1, 3),
			Visibility: span(name+" visibility", 500*ms, s, 5*s), MaxReceives: pick[int64](t, name+" receives", 1, 2, 3, strategies.Unlimited),
			DeadLetter: pick(t, name+" dead", "", "dlq", "jobs"), Ordered: pick(t, name+" ordered", false, false, true),
			Poison: server.Poison{Share: pick(t, name+" poison", 0, 0.2, 1), Answer: pick[server.Answer](t, name+" answer", 422, server.Silent, 503)},
			Delay:  span(name+" delay", 0, 0, s), Retention: span(name+" retention", 3*s, 20*s, time.Hour),
		}
	}
	policy := func(name string) strategies.Policy {
		p := retry(pick[int64](t, name+" attempts", 1, 2, 4), span(name+" timeout", 300*ms, s, 3*s), backoff("full-jitter", 100*ms, s))
		p.DeadLetter = pick(t, name+" letters", "", "dlq")
		if pick(t, name+" hedge", false, false, true) {
			p.Hedge = &strategies.Hedge{After: strategies.After{Delay: 200 * ms}, Max: 1, Budget: 1, Scope: "all"}
		}
		return p
	}
	spec := workers(pick[int64](t, "workers", 1, 3, server.Unlimited))
	spec.ServiceTime = exponential(span("work", 50*ms, 300*ms))
	spec.Queue.Limit = pick[int64](t, "limit", 0, 5, server.Unlimited)
	if pick(t, "fault", false, true) {
		spec.Faults = []server.Fault{
			{Name: "down", Kind: "down", At: 2 * s, For: 4 * s, Answer: server.Reply{Answer: pick[server.Answer](t, "down", 503, server.Silent)}},
			{Name: "bad", Kind: "errors", Share: 0.3, For: 20 * s, AfterWork: true, Answer: server.Reply{Answer: 500}},
		}
	}
	if pick(t, "crash", false, true) {
		spec.Crash = &server.Crash{Above: 10, Restart: s}
	}
	closed := sim.Group{Name: "batch", Count: 3, Requests: 20, Arrival: random.Arrival{Kind: "closed", Think: exponential(200 * ms)}}
	open := poisson(pick(t, "rate", 2, 10, 30.))
	open.Name, open.Arrival.For = "open", 15*s
	to := func(name string, i int) sim.Step {
		return sim.Step{Name: name, To: i, Network: constant(span(name+" network", 0, 10*ms)), Policies: under(policy(name))}
	}
	closed.Steps = []sim.Step{to("front", 1), to("jobs", 2)}
	open.Steps = []sim.Step{to("jobs", 2)}
	front := workers(5)
	front.ServiceTime = exponential(50 * ms)
	m := &sim.Model{
		Until: 60 * s, Window: s, Warmup: span("warmup", 0, 5*s), Groups: []sim.Group{closed, open},
		Services: []sim.Service{
			{Name: "worker", Spec: spec},
			{Name: "front", Spec: front, Steps: []sim.Step{to("worker", 0)}},
			{Name: "jobs", Backlog: draw("jobs"), Steps: []sim.Step{to("worker", 0)}},
			{Name: "dlq", Backlog: draw("dlq")},
		},
	}
	if pick(t, "dlq is worked on", false, false, true) {
		m.Services[3].Steps = []sim.Step{to("front", 1)}
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "actions") {
		a := sim.Action{Name: "a", Kind: pick(t, "kind", sim.Redrive, sim.Resend, sim.Rerun), Place: 3, Group: -1, At: time.Duration(3+i*4) * s}
		a.Every = pick[int64](t, "every", 0, 5)
		a.Pace = sim.Pace{
			Rate: pick[float64](t, "pace", 0, 0, 3, 50), First: pick[int64](t, "first", 0, 0, 1, 10),
			Grow: 2, Failures: 0.1, Pause: span("pause", 0, s),
		}
		if a.Kind == sim.Rerun {
			a.Group = 0
		}
		if pick(t, "only", false, true) {
			a.Only = []string{"5xx", "timeout"}
		}
		m.Actions = append(m.Actions, a)
	}
	return m
}

// TestQueueConservation runs random models, each of which checks at its end that
// no message is lost from sight (check.go), and holds what must be true between
// records: whatever dies comes to a dead-letter queue, and whatever a queue
// delivers reaches a service. Traced or not, and again, a run is the same.
func TestQueueConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawQueued(t)
		var r sim.Runner
		var delivered, dead, redriven int64
		traced, err := r.Run(m, 1, 2, sim.Options{Dead: true, Trace: func(e sim.TraceEvent) {
			switch e.Kind {
			case sim.TraceDelivered:
				delivered++
			case sim.TraceDead:
				dead++
			case sim.TraceRedriven:
				redriven++
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		first := text(t, traced)
		var deliveries, fell, letters, taken int64
		for _, q := range traced.Queues {
			if q.Sent != q.Done+q.Dead+q.Lost+q.Redriven+q.Left {
				t.Fatalf("%+v", q)
			}
			if q.Delay.Len() != q.Done {
				t.Fatalf("%d delays of %d", q.Delay.Len(), q.Done)
			}
			deliveries += q.Deliveries
			fell += q.Dead
			taken += q.Redriven
			for _, reason := range q.Reasons {
				letters += reason.Count
			}
		}
		if letters != int64(len(traced.Dead)) {
			t.Fatalf("%d letters by reason, %d in the list", letters, len(traced.Dead))
		}
		if m.Warmup == 0 && (deliveries != delivered || taken != redriven || letters > dead || fell > dead) {
			t.Fatalf("%d deliveries (%d), %d taken (%d), %d letters (%d)", deliveries, delivered, taken, redriven, letters, dead)
		}
		for _, d := range traced.Dead {
			if d.First > d.Last || d.Started > d.First || d.Outcome == strategies.OK || d.Why == strategies.Retry {
				t.Fatalf("%+v", d)
			}
		}
		for _, a := range traced.Actions {
			if a.Unfinished < 0 || a.Sent < a.Succeeded+a.Failed {
				t.Fatalf("%+v", a)
			}
		}
		again, err := r.Run(m, 1, 2, sim.Options{Dead: true})
		if err != nil {
			t.Fatal(err)
		}
		if second := text(t, again); first != second {
			t.Fatalf("not the same:\n%s\n%s", first, second)
		}
	})
}

// text is a record but for the number of events, which tracing changes.
func text(t *rapid.T, rec *sim.Record) string {
	v := *rec
	v.Events = 0
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
