package sim_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/strategies"

	"pgregory.net/rapid"
)

// Everything at once: what each feature promises must hold beside all others.

// drawAll draws a model with graphs, replicas, deadlines, classes, inboxes,
// queues, dead letters and all kinds of actions.
func drawAll(t *rapid.T) *sim.Model {
	m := drawModel(t)
	drawInboxes(t, m)
	d := &drawing{T: t, rich: true}
	services := len(m.Services)
	jobs, dlq := services, services+1
	// Who is called by the consumers sends nothing to them: that would never end.
	from := rapid.IntRange(0, services-1).Draw(t, "worked on by")
	b := &server.Backlog{
		Consumers: rapid.Int64Range(1, 5).Draw(t, "consumers"), Batch: pick[int64](t, "batch", 1, 1, 3),
		Visibility: pick(t, "visibility", 50*ms, 200*ms, s), MaxReceives: pick[int64](t, "receives", 1, 2, 3, strategies.Unlimited),
		DeadLetter: pick(t, "jobs dead", "", "dlq", "dlq"), Ordered: often(t, "ordered", 4),
		Poison: server.Poison{Share: pick(t, "poison", 0, 0.3), Answer: pick[server.Answer](t, "poison answer", 422, server.Silent, 503)},
		Delay:  pick(t, "delay", 0, 0, 100*ms), Retention: pick(t, "retention", 300*ms, time.Hour),
	}
	m.Services = append(m.Services,
		sim.Service{Name: "jobs", Backlog: b, Steps: []sim.Step{d.step(from, services, 2)}},
		sim.Service{Name: "dlq", Backlog: &server.Backlog{Consumers: 1, Batch: 1, Visibility: s, Retention: pick(t, "dlq retention", 300*ms, time.Hour)}})
	for i := range m.Groups {
		d.toQueue(m.Groups[i].Steps, jobs)
		for k := range m.Groups[i].Classes {
			d.toQueue(m.Groups[i].Classes[k].Steps, jobs)
		}
	}
	for i := range from {
		d.toQueue(m.Services[i].Steps, jobs)
	}
	for _, steps := range paths(m) {
		for _, st := range steps {
			for _, p := range st.Policies {
				if p.DeadLetter == "" && often(t, "letters", 3) {
					p.DeadLetter = "dlq"
				}
			}
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "repairs") {
		a := sim.Action{
			Name: "repair", Kind: pick(t, "repair", sim.Redrive, sim.Redrive, sim.Resend, sim.Rerun), Place: dlq,
			Group: rapid.IntRange(-1, len(m.Groups)-1).Draw(t, "of group"), At: pick(t, "repair at", 0, 100*ms, 300*ms, 310*ms, s, 2*s),
			Every: pick[int64](t, "restart", 0, 1, 2),
			Pace: sim.Pace{
				Rate: pick[float64](t, "pace", 0, 0, 10, 100), First: pick[int64](t, "first", 0, 0, 1, 3),
				Grow: 2, Failures: pick(t, "failures", 0, 0.3, 1), Pause: pick(t, "pause", 0, 100*ms),
			},
		}
		if often(t, "only", 4) {
			a.Only = []string{pick(t, "only what", "timeout", "5xx", "transient")}
		}
		m.Actions = append(m.Actions, a)
	}
	if often(t, "rate", 4) {
		m.Actions = append(m.Actions, sim.Action{
			Name: "rate", Kind: sim.Set, Set: sim.SetRate, Group: 0, At: pick(t, "rate at", 0, 300*ms, s),
			Value: pick(t, "rate to", 0, 0.5, 3), Over: pick(t, "rate over", 0, 200*ms),
		})
	}
	return m
}

// toQueue lets some of the calls go to a queue.
func (d *drawing) toQueue(steps []sim.Step, to int) {
	for st := range sim.Calls(steps) {
		if often(d.T, "queued", 3) {
			st.To = to
		}
	}
}

// observeAll is what a run has observed, on memory of its own.
func observeAll(t rapid.TB, m *sim.Model, seed uint64, r *sim.Runner, traced bool) observed {
	t.Helper()
	opt := sim.Options{Dead: true}
	if traced {
		opt.Trace = func(sim.TraceEvent) {}
	}
	rec, err := r.Run(m, seed, 1, opt)
	if err != nil {
		t.Fatalf("%v\n%s", err, spell(reflect.ValueOf(*m)))
	}
	o := observe(rec, nil)
	o.Record.Queues = slices.Clone(o.Record.Queues)
	for i := range o.Record.Queues {
		q := &o.Record.Queues[i]
		o.Sliced = append(o.Sliced, sorted(&q.Delay))
		q.Delay = sim.Times{}
	}
	return o
}

// TestEverything: books balance, whoever looks on; messages are not lost from
// sight; and under a unique key that is kept for ever nothing is done twice.
func TestEverything(t *testing.T) {
	var used sim.Runner
	rapid.Check(t, func(t *rapid.T) {
		m, seed := drawAll(t), rapid.Uint64Range(0, 3).Draw(t, "seed")
		var a, b sim.Runner
		want := observeAll(t, m, seed, &a, false)
		for name, got := range map[string]observed{"traced": observeAll(t, m, seed, &b, true), "used": observeAll(t, m, seed, &used, false)} {
			if diff := differs(want, got); diff != "" {
				t.Fatalf("%s:\n%s\n%s", name, diff, spell(reflect.ValueOf(*m)))
			}
		}
		fail := func(format string, args ...any) {
			t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), spell(reflect.ValueOf(*m)))
		}
		rec := &want.Record
		for _, q := range rec.Queues {
			if q.Sent != q.Done+q.Dead+q.Lost+q.Redriven+q.Left || q.Left < 0 || q.Deliveries < q.Done {
				fail("%+v", q)
			}
			if q.Left == 0 && q.Oldest != 0 {
				fail("the oldest of none is %v old", q.Oldest)
			}
		}
		for i, v := range rec.Services {
			e, in := v.Effects, m.Services[i].Inbox
			if once := in.Kind == "unique" && in.Keep == 0 && in.KeepNewest <= 0; once && e.Done != e.Requests {
				fail("service %d has done %d requests %d times: %v", i, e.Requests, e.Done, e.Duplicates)
			}
			if in.SameKey == 0 && in.KeyCycle == 0 && e.Swallowed > 0 {
				fail("service %d has swallowed %d", i, e.Swallowed)
			}
			if answers := v.Succeeded + v.Refused + v.Reset + v.Silent + v.Status; v.Calls < answers {
				fail("service %d: %d calls, %d answers", i, v.Calls, answers)
			}
		}
		for _, a := range rec.Actions {
			if a.Unfinished < 0 || a.Succeeded < 0 || a.Failed < 0 || (a.EndedAt != sim.Never && a.Unfinished > 0) {
				fail("%+v", a)
			}
		}
	})
}

// What nobody uses, and what only looks on, changes nothing.
func TestNothingAdded(t *testing.T) {
	var one, other sim.Runner
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64Range(0, 3).Draw(t, "seed")
		var m *sim.Model
		if rapid.Bool().Draw(t, "basic") { // it may need no extras, and then does
			m = drawModel(t)
		} else {
			m = drawAll(t)
		}
		want := observeAll(t, m, seed, &one, false)
		n := *m
		n.Services = slices.Clone(m.Services)
		for i := range n.Services {
			n.Services[i].Effects = true
		}
		services, actions := len(n.Services), len(n.Actions)
		// Classes' steps are numbered after all others.
		empty, numbered := sim.Service{Name: "empty", Backlog: backlog(3, s)}, false
		for i := range m.Groups {
			numbered = numbered || slices.ContainsFunc(m.Groups[i].Classes, func(c sim.Class) bool { return len(c.Steps) > 0 })
		}
		if !numbered {
			empty.Steps = []sim.Step{{To: services}}
		}
		n.Services = append(n.Services, sim.Service{Name: "idle", Spec: workers(3)}, empty)
		n.Actions = append(slices.Clone(n.Actions),
			sim.Action{Name: "set", Kind: sim.Set, Set: sim.SetWorkers, Place: services, At: 0, Over: 70 * ms, Value: 30},
			sim.Action{Name: "shut", Kind: sim.Set, Set: sim.SetAdmit, Place: services, At: 50 * ms, Value: 0})
		got := observeAll(t, &n, seed, &other, false)
		g := &got.Record
		g.Hops = slices.DeleteFunc(slices.Clone(g.Hops), func(h sim.HopRecord) bool { return h.From == "empty" })
		g.Services, g.Actions, g.Queues = slices.Clone(g.Services[:services]), g.Actions[:actions], g.Queues[:len(g.Queues)-1]
		got.Sliced = got.Sliced[:len(got.Sliced)-1]
		for i := range g.Services {
			if v := &m.Services[i]; !v.Effects && !v.Inbox.On() {
				g.Services[i].Effects = sim.Effects{}
			}
		}
		g.Slices = nil
		want.Record.Slices = nil
		if diff := differs(want, got); diff != "" {
			t.Fatalf("%s\n%s", diff, spell(reflect.ValueOf(*m)))
		}
	})
}

// Where nothing fails and nothing is late, nothing that repairs does anything:
// not in graphs, not behind queues, not with replicas.
func TestRepairsWithoutFailures(t *testing.T) {
	build := func(p strategies.Policy, repair bool) *sim.Model {
		spec := workers(3)
		spec.ServiceTime = exponential(60 * ms)
		step := func(to int) sim.Step {
			return sim.Step{To: to, Policies: under(p), Network: exponential(5 * ms), Idempotent: true}
		}
		m := model(poisson(30), p, exponential(5*ms), spec)
		m.Until, m.Warmup = 20*s, s
		two := spec
		two.Replicas, two.Balance = 2, "two-choices"
		m.Services[0].Steps = []sim.Step{{Parallel: []sim.Step{step(1), step(2), step(1)}, Need: 2}, {Work: true}, step(3)}
		m.Services = append(m.Services,
			sim.Service{Name: "left", Spec: two}, sim.Service{Name: "right", Spec: two, Async: true, Steps: []sim.Step{step(4), {Work: true}}},
			sim.Service{Name: "jobs", Backlog: backlog(5, time.Hour), Steps: []sim.Step{step(1)}},
			sim.Service{Name: "last", Spec: unlimited()}, sim.Service{Name: "dlq", Backlog: backlog(1, s)})
		m.Groups[0].Classes = []sim.Class{{Name: "a", Share: 0.5}, {Name: "b", Share: 0.5, Cost: 1.5}}
		for i := range m.Services[:5] {
			v := &m.Services[i]
			if v.Effects = v.Backlog == nil; v.Effects && repair {
				v.Inbox = server.Inbox{Kind: "unique", Replay: true}
				v.Expired = sim.Expired{Kind: "refuse", Time: ms}
			}
		}
		if m.Services[3].Backlog.DeadLetter = "dlq"; repair {
			m.Actions = []sim.Action{
				{Name: "redrive", Kind: sim.Redrive, At: 5 * s, Place: 5, Group: -1},
				{Name: "resend", Kind: sim.Resend, At: 6 * s, Group: -1},
				{Name: "rerun", Kind: sim.Rerun, At: 7 * s, Group: -1},
				{Name: "admit", Kind: sim.Set, Set: sim.SetAdmit, Value: 1, At: 8 * s, Over: s},
			}
		}
		return m
	}
	var r, other sim.Runner
	want := observeAll(t, build(strategies.Policy{MaxAttempts: 1}, false), 1, &r, false)
	p := retry(4, time.Hour, backoff("full-jitter", 10*ms, s))
	p.Propagate, p.AvoidFailed, p.DeadLetter, p.LateAnswers = true, true, "dlq", "accept"
	p.Budget = quota()
	p.Breaker = &strategies.Breaker{Kind: "consecutive", Size: 1, Failures: 1, Open: time.Hour, HalfOpen: 1, SlowCalls: 1, FailureOn: []string{"any"}, Wraps: "attempts", Scope: "all"}
	p.Hedge = &strategies.Hedge{After: strategies.After{Delay: time.Hour}, Max: 1, Budget: 1, Scope: "all"}
	p.Cancel = "never" // the branch that is not waited for is to go on
	got := observeAll(t, build(p, true), 1, &other, false)
	for i, a := range got.Record.Actions {
		if a.Sent != 0 {
			t.Errorf("action %d: %+v", i, a)
		}
	}
	got.Record.Actions = nil
	same(t, "repairs", want, got)
	if q := got.Record.Queues[0]; q.Done < 100 || got.Record.Services[2].Effects.Done < 100 {
		t.Errorf("the model shows too little: %+v", q)
	}
}

// Without a limit on workers nobody waits for one, and whether a service is
// blocking, or several, makes no difference to those who call it.
func TestBlockingOrNot(t *testing.T) {
	var r, other sim.Runner
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		for i := range m.Services {
			v := &m.Services[i]
			v.Spec.Workers, v.Spec.Slowdown, v.Async = server.Unlimited, 0, false
			v.Spec.InFlight, v.Spec.Crash = server.Unlimited, nil
		}
		m.Actions = nil
		plain := observeAll(t, m, 1, &r, false)
		n := *m
		n.Services = slices.Clone(m.Services)
		for i := range n.Services {
			n.Services[i].Async = len(n.Services[i].Steps) > 0
		}
		async := observeAll(t, &n, 1, &other, false)
		for _, o := range []observed{plain, async} {
			for i := range o.Record.Services {
				for k := range o.Record.Services[i].Timeline {
					o.Record.Services[i].Timeline[k].InService = sim.Sum{} // workers
				}
			}
		}
		if diff := differs(plain, async); diff != "" {
			t.Fatalf("%s\n%s", diff, spell(reflect.ValueOf(*m)))
		}
	})
}

// A queue that loses nothing before a service that is a graph is that service
// with its consumers for callers, and a fork of one branch is that branch.
func TestQueueBeforeGraph(t *testing.T) {
	build := func(queue, fork bool) *sim.Model {
		m := queued(poisson(2), takes(100*ms), backlog(server.Unlimited, time.Hour), one)
		if m.Services[1].Backlog.Consumers = 1000; !queue {
			m.Groups[0].Steps[0].To = 0
		}
		n := len(m.Services)
		one := sim.Step{Parallel: []sim.Step{{To: n}, {To: n + 1}}, Need: 1}
		if fork {
			one = sim.Step{Parallel: []sim.Step{one}, Need: 1}
		}
		m.Services[0].Steps = []sim.Step{one, {Work: true}, {To: n}}
		slow := workers(3)
		slow.ServiceTime = constant(time.Second)
		m.Services = append(m.Services, sim.Service{Name: "slow", Spec: slow}, sim.Service{Name: "quick", Spec: takes(50 * ms)})
		m.Until, m.Groups[0].Arrival.For = 100*s, 50*s
		return m
	}
	direct := run(t, build(false, false), 1, 1)
	for _, fork := range []bool{false, true} {
		rec := run(t, build(true, fork), 1, 1)
		d := &rec.Queues[0].Delay
		if d.Len() != direct.Succeeded || d.Sum() != direct.Completion.Sum() || d.Rank(d.Len()) != direct.Completion.Rank(d.Len()) {
			t.Errorf("fork %v: %d done in %v, want %d in %v", fork, d.Len(), d.Sum(), direct.Succeeded, direct.Completion.Sum())
		}
	}
}
