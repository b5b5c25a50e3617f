package sim_test

import (
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"

	"pgregory.net/rapid"
)

// Runs that must agree with each other, whatever their numbers are.

func same(t testing.TB, name string, want, got observed) {
	t.Helper()
	if diff := differs(want, got); diff != "" {
		t.Errorf("%s:\n%s", name, diff)
	}
}

// A run leaves nothing behind that the next one on the same Runner could see,
// not even one that was stopped or got stuck.
func TestReusedRunner(t *testing.T) {
	list := zoo()
	if testing.Short() {
		list = list[1:6]
	}
	fresh := make([]observed, len(list))
	for i, z := range list {
		fresh[i] = observe(run(t, z.model, 1, 2), nil)
	}
	var r sim.Runner
	stop := make(chan struct{})
	close(stop)
	order := []int{0, 0}
	for i := range list {
		order = append(order, i, len(list)-1-i)
	}
	for n, i := range order {
		switch n {
		case 5:
			if _, err := r.Run(long(), 1, 1, sim.Options{Stop: stop}); !errors.Is(err, sim.ErrStopped) {
				t.Fatalf("got %v, want %v", err, sim.ErrStopped)
			}
		case 7:
			if _, err := r.Run(list[i].model, 7, 7, sim.Options{}); err != nil { // same model, other numbers
				t.Fatal(err)
			}
		}
		rec, err := r.Run(list[i].model, 1, 2, sim.Options{Trace: func(sim.TraceEvent) {}})
		if err != nil {
			t.Fatal(err)
		}
		same(t, list[i].name, fresh[i], observe(rec, nil))
	}
}

// long is a run of many events.
func long() *sim.Model {
	return model(poisson(1000), retry(1, 0, backoff("none", 0, 0)), constant(0), unlimited())
}

func TestStop(t *testing.T) {
	stop := make(chan struct{})
	var r sim.Runner
	seen := 0
	_, err := r.Run(long(), 1, 1, sim.Options{Stop: stop, Trace: func(sim.TraceEvent) {
		if seen++; seen == 1000 {
			close(stop)
		}
	}})
	if !errors.Is(err, sim.ErrStopped) {
		t.Fatalf("got %v, want %v", err, sim.ErrStopped)
	}
	if seen > 200_000 {
		t.Errorf("stopped only after %d traced events", seen)
	}
}

// A run may be long, but has no more events than most, or a few.
func TestMostEvents(t *testing.T) {
	var r sim.Runner
	seen := 0
	count := func(sim.TraceEvent) { seen++ }
	if _, err := r.Run(long(), 1, 1, sim.Options{Most: 50_000, Trace: count}); !errors.Is(err, sim.ErrStopped) {
		t.Fatalf("got %v, want %v", err, sim.ErrStopped)
	}
	if seen < 10_000 || seen > 200_000 {
		t.Errorf("stopped after %d traced events", seen)
	}
	if _, err := r.Run(model(poisson(1), retry(1, 0, backoff("none", 0, 0)), constant(0), unlimited()), 1, 1, sim.Options{Most: 1 << 40}); err != nil {
		t.Error(err)
	}
}

// Many that start together, or are to start one by one, are looked at as events are:
// a run can be stopped among them.
func TestStopAmongStarts(t *testing.T) {
	for name, c := range map[string]struct {
		spread time.Duration
		most   int // traced events
	}{"together": {0, 200_000}, "one by one": {s, 85_000}} {
		t.Run(name, func(t *testing.T) {
			crowd := burst(300_000)
			crowd.Arrival.Spread = c.spread
			m := model(crowd, retry(1, 0, backoff("none", 0, 0)), constant(ms), unlimited())
			seen := 0
			count := func(sim.TraceEvent) { seen++ }
			var r sim.Runner
			if _, err := r.Run(m, 1, 1, sim.Options{Most: 20_000, Trace: count}); !errors.Is(err, sim.ErrStopped) {
				t.Fatalf("got %v, want %v", err, sim.ErrStopped)
			}
			stop := make(chan struct{})
			close(stop)
			if _, err := r.Run(m, 1, 1, sim.Options{Stop: stop, Trace: count}); !errors.Is(err, sim.ErrStopped) {
				t.Fatalf("got %v, want %v", err, sim.ErrStopped)
			}
			if seen > c.most {
				t.Errorf("stopped only after %d traced events", seen)
			}
			if _, err := r.Run(m, 1, 1, sim.Options{}); err != nil {
				t.Errorf("the run after it: %v", err)
			}
		})
	}
}

// An endless loop that takes no time ends in an error that says when.
func TestStuck(t *testing.T) {
	spec := unlimited()
	spec.Faults = []server.Fault{{Name: "broken", Kind: "errors", At: s, Share: 1, Answer: server.Reply{Answer: 503}}}
	retries := model(sim.Group{Count: 1, Arrival: random.Arrival{Kind: "trace", Times: []time.Duration{1500 * ms}}},
		retry(strategies.Unlimited, 0, backoff("none", 0, 0)), constant(0), spec)
	closed := model(sim.Group{Count: 3, Requests: random.Unlimited, Arrival: random.Arrival{Kind: "closed", At: 1500 * ms}},
		retry(1, 0, backoff("none", 0, 0)), constant(0), unlimited())
	models := map[string]*sim.Model{"retries": retries, "closed": closed}
	if testing.Short() { // a million events each
		delete(models, "closed")
	}
	for name, m := range models {
		var r sim.Runner
		if _, err := r.Run(m, 1, 1, sim.Options{}); err == nil || !strings.Contains(err.Error(), "stuck at 1.5s") {
			t.Errorf("%s: %v, want stuck at 1.5s", name, err)
		}
		good := onePause(4, "accept")
		rec, err := r.Run(good, 1, 1, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "after stuck", observe(run(t, good, 1, 1), nil), observe(rec, nil))
	}
}

// The smallest limit is a million events: a crowd that is larger, but comes to
// an end, is not stuck.
func TestCrowdIsNotStuck(t *testing.T) {
	n := int64(300_000)
	if testing.Short() {
		n = 30_000
	}
	rec := run(t, model(burst(n), retry(1, 0, backoff("none", 0, 0)), constant(0), unlimited()), 1, 1)
	if rec.Succeeded != n {
		t.Errorf("%d of %d succeeded", rec.Succeeded, n)
	}
}

// A backlog whose work takes no time is worked off at one instant, and not on
// a stack that grows with it.
func TestBacklogOfNoWork(t *testing.T) {
	const n = 50_000
	for _, kind := range []string{"queue", "lock"} {
		spec := workers(1)
		if kind == "lock" {
			spec = unlimited()
			spec.Contention = &server.Contention{Kind: "lock", Rows: 1}
		}
		spec.Faults = []server.Fault{{Name: "stop", Kind: "pause", For: s}}
		seen, stack := 0, uint64(0)
		look := func(sim.TraceEvent) {
			if seen++; seen%10_000 == 0 {
				var mem runtime.MemStats
				runtime.ReadMemStats(&mem)
				stack = max(stack, mem.StackInuse)
			}
		}
		var r sim.Runner
		rec, err := r.Run(model(burst(n), retry(1, 0, backoff("none", 0, 0)), constant(0), spec), 1, 1, sim.Options{Trace: look})
		if err != nil {
			t.Fatal(err)
		}
		if rec.Succeeded != n || rec.FinishedAt != s {
			t.Errorf("%s: %d of %d succeeded, the last at %v, want all at 1s", kind, rec.Succeeded, n, rec.FinishedAt)
		}
		if stack > 8<<20 {
			t.Errorf("%s: a stack of %d MiB", kind, stack>>20)
		}
	}
}

// Time has no unit: a model that is k times as slow does the same, k times as
// slowly. Constant times only, so that nothing is rounded.
func TestScaledTime(t *testing.T) {
	build := func(k time.Duration) *sim.Model {
		late := retry(4, 500*ms*k, backoff("exponential", 50*ms*k, 400*ms*k))
		late.LateAnswers, late.MaxElapsed = "accept", 3*s*k
		spec := workers(10)
		spec.ServiceTime, spec.Slowdown = constant(100*ms*k), 10*ms*k
		spec.Queue = server.Queue{Limit: 30, Order: "fifo", Full: server.Reply{Answer: 503}}
		spec.Faults = []server.Fault{
			{Name: "a", Kind: "down", At: s * k, For: s * k, Ramp: 900 * ms * k, RampFrom: 0.1},
			{Name: "b", Kind: "pause", At: 4 * s * k, For: 300 * ms * k},
			{Name: "c", Kind: "slow", At: 5 * s * k, For: s * k, Factor: 2},
			{Name: "d", Kind: "errors", At: 2 * s * k, For: 6 * s * k, Share: 0.2, Answer: server.Reply{Answer: 500}},
		}
		spec.RateLimit = &server.RateLimit{Kind: "token-bucket", Rate: 64 / float64(k), Burst: 20, Answer: server.Reply{Answer: 429}, Scope: "all"}
		back := workers(20)
		back.ServiceTime = constant(20 * ms * k)
		back.Crash = &server.Crash{Above: 15, Restart: 500 * ms * k}
		g := sim.Group{Arrival: random.Arrival{Kind: "constant", Rate: 32 / float64(k), Per: "all", For: 10 * s * k}}
		m := model(g, late, constant(5*ms*k), spec)
		m.Until, m.Window, m.Warmup, m.SLO = 12*s*k, 50*ms*k, 500*ms*k, 400*ms*k
		m.Services[0].Steps = []sim.Step{{To: 1, Policies: under(retry(2, 0, backoff("fixed", 10*ms*k, 0))), Network: constant(ms * k)}}
		m.Services = append(m.Services, sim.Service{Name: "back", Spec: back})
		return m
	}
	const k = 4
	want, got := observe(run(t, build(1), 3, 0), nil), observe(run(t, build(k), 3, 0), nil)
	w := &want.Record
	for _, d := range []*time.Duration{&w.FinishedAt, &w.TriggerStart, &w.TriggerEnd, &w.EndedAt, &w.LastArrival, &w.Row} {
		*d *= k
	}
	for i := range want.Took {
		want.Took[i] *= k
	}
	scale := func(a *sim.Sum) { *a = sim.Sum{Lo: a.Lo * k} }
	for i := range w.Services {
		v := &w.Services[i]
		scale(&v.Busy)
		scale(&v.Wasted)
		for j := range v.Timeline {
			row := &v.Timeline[j]
			scale(&row.InService)
			scale(&row.Waiting)
			scale(&row.Capacity)
		}
	}
	for i := range w.Hops {
		scale(&w.Hops[i].Busy)
		scale(&w.Hops[i].Wasted)
	}
	w.Bins, got.Record.Bins = nil, nil // whole seconds in either
	same(t, "scaled", want, got)
	if v := w.Services[0]; v.Status == 0 || v.Retries == 0 || w.Services[1].Calls == 0 || w.Hops[0].Timeouts == 0 {
		t.Errorf("the model shows too little: %+v", w.Hops)
	}
}

// Where nothing fails and nothing is late, no policy does anything.
func TestPoliciesWithoutFailures(t *testing.T) {
	build := func(p strategies.Policy) *sim.Model {
		spec := workers(3)
		spec.ServiceTime = exponential(60 * ms)
		m := model(poisson(40), p, exponential(5*ms), spec)
		m.Until = 10 * s
		m.Services[0].Steps = []sim.Step{{To: 1, Policies: under(p), Network: exponential(ms)}}
		m.Services = append(m.Services, sim.Service{Name: "back", Spec: unlimited()})
		return m
	}
	want := observe(run(t, build(strategies.Policy{MaxAttempts: 1}), 1, 1), nil)
	for _, kind := range (strategies.Backoff{}).Kinds() {
		for _, late := range []string{"ignore", "accept"} {
			p := retry(strategies.Unlimited, time.Hour, backoff(kind[0], 10*ms, s))
			p.LateAnswers, p.MaxElapsed = late, time.Minute
			same(t, kind[0]+", "+late, want, observe(run(t, build(p), 1, 1), nil))
		}
	}
}

// TestBounds holds what is true of the record of any model.
func TestBounds(t *testing.T) {
	var r sim.Runner
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		off := rapid.Bool().Draw(t, "retries off")
		if off {
			for _, steps := range paths(m) {
				for _, st := range steps {
					for _, p := range st.Policies {
						p.MaxAttempts, p.Hedge = 1, nil
					}
				}
			}
		}
		rec, err := r.Run(m, 1, 1, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		most := make([]float64, len(m.Services)) // calls to a service
		all := paths(m)
		classes := len(m.Groups) + len(m.Services) // and after them; they are clients
		order := append(numbers(0, len(m.Groups)), numbers(classes, len(all))...)
		for _, i := range append(order, numbers(len(m.Groups), classes)...) {
			requests := float64(rec.Requests)
			if i >= len(m.Groups) && i < classes {
				requests = most[i-len(m.Groups)]
			}
			hop := 0
			for _, steps := range all[:i] {
				for _, st := range steps {
					hop += max(1, len(st.Policies))
				}
			}
			for _, st := range all[i] {
				possible := requests
				for layer, p := range st.Policies {
					h := rec.Hops[hop]
					attempts := float64(p.MaxAttempts)
					if attempts < 0 {
						attempts = math.Inf(1)
					}
					if p.Hedge != nil {
						attempts *= float64(1 + p.Hedge.Max)
					}
					held := p.Limiter != nil || p.Breaker != nil || p.Deadline > 0 || p.Propagate
					if off && (h.Calls > h.Requests || h.Calls < h.Requests && !held) {
						t.Fatalf("hop %d: %d calls for %d requests without retries", hop, h.Calls, h.Requests)
					}
					if float64(h.Requests) > possible || float64(h.Calls) > float64(h.Requests)*attempts {
						t.Fatalf("hop %d: %d calls for %d of %v requests with %v attempts", hop, h.Calls, h.Requests, possible, attempts)
					}
					if layer > 0 && h.Requests != rec.Hops[hop-1].Calls {
						t.Fatalf("hop %d: %d requests, but %d attempts of the outer layer", hop, h.Requests, rec.Hops[hop-1].Calls)
					}
					if h.Succeeded+h.GaveUp > h.Requests {
						t.Fatalf("hop %d: %d requests, %d succeeded, %d gave up", hop, h.Requests, h.Succeeded, h.GaveUp)
					}
					if possible > 0 {
						possible *= attempts
					}
					hop++
				}
				most[st.To] += possible
			}
		}
		for i, v := range rec.Services {
			if answers := v.Succeeded + v.Refused + v.Reset + v.Silent + v.Status; v.Calls != answers+v.Inside {
				t.Fatalf("service %d: %d calls, %d answers, %d inside", i, v.Calls, answers, v.Inside)
			}
			if float64(v.Calls) > most[i] {
				t.Fatalf("service %d: amplification beyond the product of attempts: %d calls, %v possible\n%s", i, v.Calls, most[i], spell(reflect.ValueOf(*m)))
			}
			if n := m.Services[i].Spec.AllWorkers(); len(m.Actions) == 0 && n != server.Unlimited && v.Busy.Float() > float64(n)*float64(rec.EndedAt) {
				t.Fatalf("service %d: busy %v with %d workers for %v", i, v.Busy.Float(), n, rec.EndedAt)
			}
			if len(v.Timeline) > 600 || rec.Row%m.Window != 0 {
				t.Fatalf("service %d: %d rows of %v", i, len(v.Timeline), rec.Row)
			}
		}
	})
}

// paths are the calls of all callers, in the order of the hops.
func paths(m *sim.Model) (all [][]*sim.Step) {
	for _, g := range m.Groups {
		all = append(all, slices.Collect(sim.Calls(g.Steps)))
	}
	for _, v := range m.Services {
		all = append(all, slices.Collect(sim.Calls(v.Steps)))
	}
	for _, g := range m.Groups {
		for _, c := range g.Classes {
			all = append(all, slices.Collect(sim.Calls(c.Steps)))
		}
	}
	return all
}

// numbers are those from one to before another.
func numbers(from, to int) (list []int) {
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

// A gateway that takes no time and nobody notices changes nothing.
func TestPassThrough(t *testing.T) {
	build := func(through bool) *sim.Model {
		spec := workers(3)
		spec.ServiceTime = constant(70 * ms)
		spec.Queue.Limit = 6
		spec.Faults = []server.Fault{
			{Name: "a", Kind: "pause", At: 2 * s, For: s},
			{Name: "b", Kind: "errors", At: 4 * s, For: 2 * s, Share: 1, AfterWork: true},
		}
		g := sim.Group{Count: 40, Requests: 9, Arrival: random.Arrival{Kind: "every", Every: s, Phase: "aligned", Jitter: 1}}
		m := model(g, retry(3, 400*ms, backoff("exponential", 110*ms, 0)), constant(0), spec)
		if through {
			m.Groups[0].Steps[0].To = 1
			m.Services = append(m.Services, sim.Service{Name: "gateway", Spec: unlimited(), Steps: []sim.Step{
				{To: 0, Policies: under(strategies.Policy{MaxAttempts: 1}), Network: constant(0)},
			}})
		}
		return m
	}
	// The keys of calls differ, but where clients differ they decide order.
	want, got := observe(run(t, build(false), 1, 1), nil), observe(run(t, build(true), 1, 1), nil)
	if got.Record.Services[1].Calls != want.Record.Services[0].Calls {
		t.Errorf("%d calls to the gateway, want %d", got.Record.Services[1].Calls, want.Record.Services[0].Calls)
	}
	got.Record.Services, got.Record.Hops = got.Record.Services[:1], got.Record.Hops[:1]
	h := &want.Record.Hops[0]
	h.To, h.Busy, h.Wasted = "gateway", sim.Sum{}, sim.Sum{} // work is done for the gateway's calls
	// The gateway's callers leave it, not the service behind it.
	for _, v := range []*sim.ServiceRecord{&want.Record.Services[0], &got.Record.Services[0]} {
		v.Wasted, v.Retries, v.PeakRetries, v.Causes = sim.Sum{}, 0, 0, [sim.Causes]int64{}
		for i := range v.Timeline {
			row := &v.Timeline[i]
			row.Succeeded, row.Wasted, row.Retries = row.Succeeded+row.Wasted, 0, 0
			row.Causes = [sim.Causes]int64{}
		}
	}
	same(t, "through a gateway", want, got)
	if want.Record.Hops[0].Timeouts == 0 || want.Record.Hops[0].Status == 0 {
		t.Errorf("the model shows too little: %+v", want.Record.Hops[0])
	}
}

func TestUnusedService(t *testing.T) {
	list := zoo()
	if testing.Short() {
		list = list[:4]
	}
	for _, z := range list {
		want := observe(run(t, z.model, 1, 1), nil)
		m := *z.model
		m.Services = append(slices.Clip(m.Services), sim.Service{Name: "unused", Spec: workers(5)})
		got := observe(run(t, &m, 1, 1), nil)
		n := len(m.Services) - 1
		if v := got.Record.Services[n]; v.Calls != 0 || v.Busy != (sim.Sum{}) {
			t.Errorf("%s: the unused service is used: %+v", z.name, v)
		}
		got.Record.Services = got.Record.Services[:n]
		same(t, z.name, want, got)
	}
}

func TestReplicationsDiffer(t *testing.T) {
	list := zoo()
	if testing.Short() {
		list = list[4:8]
	}
	for _, z := range list {
		if z.name == "one pause, late answers" {
			continue // nothing in it is random
		}
		a := observe(run(t, z.model, 1, 1), nil)
		for _, other := range [][2]uint64{{1, 2}, {2, 1}} {
			if b := observe(run(t, z.model, other[0], other[1]), nil); reflect.DeepEqual(a.Took, b.Took) {
				t.Errorf("%s: seed %d, replication %d is the same as 1, 1", z.name, other[0], other[1])
			}
		}
	}
}

// More capacity never means fewer successes, where it meets the same load.
func TestMoreCapacity(t *testing.T) {
	last := int64(0)
	for n := int64(1); n <= 8; n++ {
		spec := workers(n)
		spec.ServiceTime, spec.Queue.Limit = exponential(100*ms), 5
		m := model(poisson(50), strategies.Policy{MaxAttempts: 1}, constant(0), spec)
		m.Until = 30 * s
		rec := run(t, m, 1, 1)
		if rec.Succeeded < last {
			t.Errorf("%d workers: %d succeeded, %d with one less", n, rec.Succeeded, last)
		}
		last = rec.Succeeded
	}
}
