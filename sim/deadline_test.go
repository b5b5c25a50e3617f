package sim_test

import (
	"slices"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// telling is a policy whose calls carry deadlines.
func telling(p strategies.Policy) strategies.Policy {
	p.Propagate = true
	return p
}

func refusing(spec server.Spec, d time.Duration) sim.Service {
	return sim.Service{Spec: spec, Expired: sim.Expired{Kind: "refuse", Time: d}}
}

// chain is a client that calls a, which calls b, which calls c: own work of 10
// ms, 20 ms and last, networks of 5, 3 and 2 ms one way, and c refuses.
func chain(client, a, b strategies.Policy, last time.Duration) *sim.Model {
	m := model(at(0), client, constant(5*ms), working(9, 10*ms))
	m.Services[0].Steps = []sim.Step{{To: 1, Policies: under(a), Network: constant(3 * ms)}}
	m.Services = append(m.Services,
		sim.Service{Name: "b", Spec: working(9, 20*ms), Steps: []sim.Step{{To: 2, Policies: under(b), Network: constant(2 * ms)}}},
		refusing(working(9, last), 0))
	m.Services[2].Name = "c"
	return m
}

// The deadline goes down a chain of three. A call reaches a at 5 ms, b at 18 ms
// and c at 40 ms; a refusal is with the client at 50 ms.
func TestRuleDeadlineChain(t *testing.T) {
	one := retry(1, 0, backoff("none", 0, 0))
	for _, c := range []struct {
		name                    string
		attempts                int64
		timeout, deadline       time.Duration // of the client
		aTimeout                time.Duration
		aTells, bTells          bool
		last                    time.Duration
		calls, expired, waited  int64 // at c, and how many were served there
		ended                   time.Duration
		clientTimeouts, bOutput int64 // timeouts of the client, and at b
	}{
		// 40 ms + 40 ms = 80 ms: c may just begin, and everybody leaves at 80 ms.
		{"the client's timeout", 1, 80 * ms, 100 * ms, 0, true, true, 40 * ms, 1, 0, 1, 80 * ms, 1, 1},
		{"one ns more is refused", 1, 80 * ms, 100 * ms, 0, true, true, 40*ms + 1, 1, 1, 0, 50 * ms, 0, 0},
		{"the client's deadline", 1, 0, 80 * ms, 0, true, true, 40*ms + 1, 1, 1, 0, 50 * ms, 0, 0},
		// a sends at 15 ms and waits until 65 ms: c has 25 ms.
		{"a timeout on the way", 1, 80 * ms, 0, 50 * ms, true, true, 25 * ms, 1, 0, 1, 70 * ms, 0, 1},
		{"a timeout on the way, one ns more", 1, 80 * ms, 0, 50 * ms, true, true, 25*ms + 1, 1, 1, 0, 50 * ms, 0, 0},
		// The retry at 50 ms waits until the deadline, 100 ms, and is at c at 90 ms.
		// The second refusal is with the client at 100 ms: an answer beats a timeout.
		{"a retry has less time", 2, 80 * ms, 100 * ms, 0, true, true, 40*ms + 1, 2, 2, 0, 100 * ms, 0, 0},
		// Who is not told knows nothing, and tells nothing.
		{"a tells nothing", 1, 80 * ms, 0, 0, false, true, 40*ms + 1, 1, 0, 1, 80 * ms, 1, 0},
		{"b tells nothing", 1, 80 * ms, 0, 0, true, false, 40*ms + 1, 1, 0, 1, 80 * ms, 1, 0},
		{"nobody gives up", 1, 0, 0, 0, true, true, s, 1, 0, 1, 1050 * ms, 0, 0},
	} {
		client, a, b := one, one, one
		client.MaxAttempts, client.Timeout, client.Deadline, client.Propagate = c.attempts, c.timeout, c.deadline, true
		a.Timeout, a.Propagate, b.Propagate = c.aTimeout, c.aTells, c.bTells
		m := chain(client, a, b, c.last)
		rec := run(t, m, 1, 0)
		v := rec.Services[2]
		if v.Calls != c.calls || v.Expired != c.expired || v.Busy.Lo != uint64(c.waited)*uint64(c.last) || rec.FinishedAt != c.ended ||
			rec.Hops[0].Timeouts != c.clientTimeouts || rec.Hops[2].Timeouts != c.bOutput {
			t.Errorf("%s: %d calls, %d expired, busy %v, ended at %v, %d and %d timeouts", c.name, v.Calls, v.Expired, v.Busy, rec.FinishedAt, rec.Hops[0].Timeouts, rec.Hops[2].Timeouts)
		}
		compare(t, m, 1, new(sim.Runner))
	}
}

// A caller that was given a deadline sends nothing then or later: no first
// attempt, no retry, no hedge.
func TestRuleNothingAtTheLimit(t *testing.T) {
	client := telling(retry(1, 30*ms, backoff("none", 0, 0)))
	after := func(wait time.Duration) strategies.Policy { return retry(4, 0, backoff("fixed", wait, 0)) }
	hedged := retry(1, 0, backoff("none", 0, 0))
	hedged.Hedge = &strategies.Hedge{After: strategies.After{Delay: 4 * ms}, Max: 9, Budget: 1, OnFailure: "wait", Scope: "all", Keyed: "target"}
	failing := with(working(9, 0), server.Fault{Kind: "errors", Share: 1, Answer: server.Reply{Answer: 503}})
	for _, c := range []struct {
		name          string
		policy        strategies.Policy
		own           time.Duration // work before the call
		spec          server.Spec
		calls, denied int64
	}{
		{"first attempt at the limit", telling(after(ms)), 30 * ms, failing, 0, 1},
		{"first attempt after it", telling(after(ms)), 40 * ms, failing, 0, 1},
		{"first attempt before it", telling(after(ms)), 30*ms - 1, failing, 1, 1},
		{"nobody told it", after(ms), 40 * ms, failing, 4, 0},
		{"retry at the limit", telling(after(30 * ms)), 0, failing, 1, 1},
		{"retry before it", telling(after(30*ms - 1)), 0, failing, 2, 1},
		{"hedges at 10, 14, 18, 22 and 26 ms", telling(hedged), 10 * ms, working(99, s), 5, 0},
	} {
		m := model(at(0), client, constant(0), working(9, c.own))
		m.Services[0].Steps = []sim.Step{{To: 1, Policies: under(c.policy)}}
		m.Services = append(m.Services, sim.Service{Name: "b", Spec: c.spec})
		if h := run(t, m, 1, 0).Hops[1]; h.Calls != c.calls || h.Withheld[strategies.DeadlineExceeded] != c.denied {
			t.Errorf("%s: %d calls, withheld %v, want %d and %d", c.name, h.Calls, h.Withheld, c.calls, c.denied)
		}
		compare(t, m, 1, new(sim.Runner))
	}
}

// Layers are in one caller: an inner one that propagates knows how long the outer
// one waits, and what the caller was given, whatever the outer one does.
func TestRuleDeadlineLayers(t *testing.T) {
	one := retry(1, 0, backoff("none", 0, 0))
	patient, hasty := one, one
	hasty.Timeout = 50 * ms
	for _, c := range []struct {
		name         string
		client       strategies.Policy
		outer, inner strategies.Policy
		last         time.Duration
		expired      int64
	}{
		{"the outer timeout", one, hasty, telling(patient), 50*ms + 1, 1},
		{"the outer timeout, in time", one, hasty, telling(patient), 50 * ms, 0},
		{"the inner one tells nothing", one, telling(hasty), patient, s, 0},
		{"what the caller was given", telling(hasty), patient, telling(patient), 50*ms + 1, 1},
		{"both", telling(hasty), telling(patient), telling(patient), 50*ms + 1, 1},
	} {
		m := model(at(0), c.client, constant(0), working(9, 0))
		m.Services[0].Steps = []sim.Step{{To: 1, Policies: []*sim.Policy{{Policy: c.outer}, {Policy: c.inner}}}}
		m.Services = append(m.Services, refusing(working(9, c.last), 0))
		if v := run(t, m, 1, 0).Services[1]; v.Calls != 1 || v.Expired != c.expired {
			t.Errorf("%s: %d of %d calls expired, want %d", c.name, v.Expired, v.Calls, c.expired)
		}
		compare(t, m, 1, new(sim.Runner))
	}
}

// Refusing is free and at once, or takes a worker some time when the call's turn
// comes.
func TestRuleRefuse(t *testing.T) {
	p := telling(retry(1, 150*ms, backoff("none", 0, 0)))
	for _, c := range []struct {
		time            time.Duration
		busy, wasted    time.Duration
		expired, status int64
		ends            string
		last            time.Duration
	}{
		// The second would be done at 200 ms. At 0 there is still time for it, at
		// 100 ms, when its turn comes, there is not; then the third at 60 ms, in time
		// for 210 ms but not when it begins at 120 ms if refusing takes 20 ms.
		{0, 200 * ms, 0, 1, 1, "failed 100ms, ok 100ms, ok 140ms", 200 * ms},
		{20 * ms, 140 * ms, 0, 2, 2, "ok 100ms, failed 80ms, failed 120ms", 140 * ms},
	} {
		m := model(at(0, 0, 60*ms), p, constant(0), working(1, 100*ms))
		m.Services[0] = refusing(working(1, 100*ms), c.time)
		m.Services[0].Name = "db"
		rec := run(t, m, 1, 0)
		v := rec.Services[0]
		if v.Expired != c.expired || v.Status != c.status || v.Busy.Lo != uint64(c.busy) || v.Wasted.Lo != uint64(c.wasted) || rec.FinishedAt != c.last {
			t.Errorf("%v: %d expired, %d status, busy %v, wasted %v, the last ended at %v", c.time, v.Expired, v.Status, v.Busy, v.Wasted, rec.FinishedAt)
		}
		compare(t, m, 1, new(sim.Runner))
	}
}

// A call whose turn comes too late has one answer only, which asks for nothing,
// and its caller need not wait for it.
func TestRuleRefusedForOneReason(t *testing.T) {
	asking := server.Reply{Answer: 504, RetryAfter: server.Asked{Kind: server.AskedDelay, Delay: s}, Form: "ms"}
	p := telling(retry(2, 0, backoff("fixed", ms, 0)))
	p.Deadline = 180 * ms
	p.RetryAfter = strategies.RetryAfter{Kind: "floor", Answers: []string{"any"}, Forms: []string{"ms"}, TooLong: "cut"}
	spec := with(working(1, 100*ms), server.Fault{Kind: "errors", Share: 1, AfterWork: true, Answer: asking})
	m := model(at(0, 10*ms), p, constant(0), spec)
	m.Services[0] = refusing(spec, 0)
	m.Services[0].Name = "db"
	// The second is refused at 100 ms and comes again at 101 ms, where it is too
	// late at once.
	if v := run(t, m, 1, 0).Services[0]; v.Expired != 2 || v.Calls != 3 {
		t.Errorf("%d calls, %d expired, want 3 and 2", v.Calls, v.Expired)
	}
	compare(t, m, 1, new(sim.Runner))

	// Refusing takes longer than the caller waits.
	m = model(at(0), telling(retry(1, 50*ms, backoff("none", 0, 0))), constant(0), working(1, 100*ms))
	m.Services[0] = refusing(working(1, 100*ms), 60*ms)
	m.Services[0].Name = "db"
	rec := run(t, m, 1, 0)
	if v := rec.Services[0]; rec.FinishedAt != 50*ms || rec.Hops[0].Timeouts != 1 || v.Wasted.Lo != uint64(60*ms) || v.Expired != 1 {
		t.Errorf("ended at %v, %+v", rec.FinishedAt, v)
	}
	compare(t, m, 1, new(sim.Runner))
}

// A queue in the order of deadlines goes by what calls carry, though a caller may
// have left before: here the service that has called, which has crashed.
func TestRuleQueueByCarriedDeadline(t *testing.T) {
	spec := working(1, 100*ms)
	spec.Queue.Order = "deadline"
	wait := func(d time.Duration) strategies.Policy { return telling(retry(1, d, backoff("none", 0, 0))) }
	m := model(at(0), wait(800*ms), constant(0), spec)
	crashing := working(9, 0)
	crashing.Crash = &server.Crash{Above: 1, Restart: s}
	m.Services = append(m.Services, sim.Service{Name: "crashing", Spec: crashing, Steps: []sim.Step{{Policies: under(wait(s)), Network: constant(20 * ms)}}})
	for _, g := range []struct {
		name string
		at   []time.Duration
		to   int
		wait time.Duration
	}{{"late", []time.Duration{10 * ms}, 0, 700 * ms}, {"soon", []time.Duration{20 * ms}, 0, 600 * ms}, {"lost", []time.Duration{30 * ms, 40 * ms}, 1, 500 * ms}} {
		x := at(g.at...)
		x.Name, x.Steps = g.name, []sim.Step{{To: g.to, Policies: under(wait(g.wait))}}
		m.Groups = append(m.Groups, x)
	}
	_, events := traced(t, m)
	var order []string
	for _, e := range events {
		if e.Kind == sim.TraceServing && e.To == "db" {
			order = append(order, e.Group)
		}
	}
	if want := []string{"clients", "lost", "soon", "late"}; !slices.Equal(order, want) {
		t.Errorf("served %v, want %v", order, want)
	}
	compare(t, m, 1, new(sim.Runner))
}

// Cancellation goes down as far as policies cancel: a client leaves at 50 ms, and
// c works for it for a second, or not.
func TestRuleCancelDownTheChain(t *testing.T) {
	one := retry(1, 0, backoff("none", 0, 0))
	for _, c := range []struct {
		cancels [3]string
		silent  [3]int64         // calls that were let go, at a, b, c
		busy    [3]time.Duration // of their own work
		ended   time.Duration
	}{
		// a hears of it at 55 ms, b at 58 ms, c at 60 ms; it has worked from 40 ms on.
		{[3]string{"running", "running", "running"}, [3]int64{1, 1, 1}, [3]time.Duration{10 * ms, 20 * ms, 20 * ms}, 60 * ms},
		{[3]string{"running", "running", "never"}, [3]int64{1, 1, 0}, [3]time.Duration{10 * ms, 20 * ms, s}, 1042 * ms},
		{[3]string{"running", "never", "running"}, [3]int64{1, 0, 0}, [3]time.Duration{10 * ms, 20 * ms, s}, 1045 * ms},
		{[3]string{"never", "running", "running"}, [3]int64{0, 0, 0}, [3]time.Duration{10 * ms, 20 * ms, s}, 1050 * ms},
		{[3]string{"running", "running", "queued"}, [3]int64{1, 1, 0}, [3]time.Duration{10 * ms, 20 * ms, s}, 1042 * ms},
	} {
		p := [3]strategies.Policy{one, one, one}
		p[0].Timeout = 50 * ms
		for i := range p {
			p[i].Cancel = c.cancels[i]
		}
		m := chain(p[0], p[1], p[2], s)
		rec := run(t, m, 1, 0)
		for i, v := range rec.Services {
			if v.Silent != c.silent[i] || v.Busy.Lo != uint64(c.busy[i]) {
				t.Errorf("%v, service %d: %d let go, busy %v, want %d and %v", c.cancels, i, v.Silent, v.Busy, c.silent[i], c.busy[i])
			}
		}
		if rec.EndedAt != c.ended {
			t.Errorf("%v: ended at %v, want %v", c.cancels, rec.EndedAt, c.ended)
		}
		compare(t, m, 1, new(sim.Runner))
	}
}

// A minute of 1.1 times the capacity, then 0.8 times: a server that knows nothing
// works for callers that have left, for good, since they try again. One that is
// told until when they wait recovers, and works for nobody. All of 20 seeds: the
// seeds are fixed, so this cannot flake.
func TestWorkForNobody(t *testing.T) {
	build := func(kind string, tells bool) *sim.Model {
		client, down := retry(3, s, backoff("none", 0, 0)), retry(1, 2*s, backoff("none", 0, 0))
		client.Deadline, client.Propagate, down.Propagate = 3*s, tells, tells
		g := sim.Group{Count: 1, Requests: random.Unlimited, Arrival: random.Arrival{Kind: "profile", Per: "all", Points: []random.Point{
			{Rate: 80}, {At: 60 * s, Rate: 80}, {At: 60 * s, Rate: 110}, {At: 120 * s, Rate: 110}, {At: 120 * s, Rate: 80},
		}}}
		m := model(g, client, constant(0), workers(200))
		m.Services[0].Steps = []sim.Step{{To: 1, Policies: under(down)}}
		db := workers(1)
		db.ServiceTime = exponential(10 * ms)
		m.Services = append(m.Services, sim.Service{Name: "back", Spec: db, Expired: sim.Expired{Kind: kind}})
		m.Until, m.Window, m.Slices = 5*time.Minute, s, []sim.Slice{{From: 4 * time.Minute, To: 5 * time.Minute}}
		return m
	}
	share := func(m *sim.Model, seed uint64) (good, wasted float64) {
		rec := run(t, m, seed, 1)
		late, v := rec.Slices[0].All, rec.Services[1]
		return float64(late.Succeeded) / float64(late.Requests), v.Wasted.Float() / v.Busy.Float()
	}
	seeds := uint64(20)
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		good, wasted := share(build("serve", false), seed)
		if good > 0.1 || wasted < 0.5 {
			t.Errorf("seed %d, blind: %.3f succeed in the last minute, %.3f of the work for nobody", seed, good, wasted)
		}
		good, wasted = share(build("refuse", true), seed)
		if good < 0.99 || wasted > 0.12 { // a call may take longer than the mean
			t.Errorf("seed %d, told: %.3f succeed in the last minute, %.3f of the work for nobody", seed, good, wasted)
		}
		m := build("refuse", true)
		m.Services[1].Spec.ServiceTime = constant(10 * ms)
		if good, wasted = share(m, seed); good < 0.99 || wasted > 0 {
			t.Errorf("seed %d, told, and knowing how long work takes: %.3f succeed in the last minute, %v of the work for nobody", seed, good, wasted)
		}
	}
}
