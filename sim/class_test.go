package sim_test

import (
	"math"
	"testing"
	"time"

	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// A request's cost multiplies the service times of all its calls: the record is
// that of services which are slower by as much.
func TestRuleCost(t *testing.T) {
	build := func(cost, factor float64) *sim.Model {
		p := retry(3, 300*ms, backoff("full-jitter", 50*ms, s))
		m := model(poisson(40), p, constant(ms), working(3, time.Duration(20*factor)*ms))
		m.Groups[0].Cost = cost
		m.Services[0].Steps = []sim.Step{{To: 1, Policies: under(p)}}
		m.Services = append(m.Services, sim.Service{Name: "back", Spec: working(2, time.Duration(10*factor)*ms)})
		m.Until = 20 * s
		return m
	}
	for _, cost := range []float64{0.5, 1, 2.5} {
		got, want := run(t, build(cost, 1), 1, 0), run(t, build(0, cost), 1, 0)
		if diff := differs(observe(want, nil), observe(got, nil)); diff != "" {
			t.Errorf("cost %v:\n%s", cost, diff)
		}
	}
}

// Classes change what requests are, not when they come nor who makes them; each
// counts in its group and on its own; it goes its own way, at its own cost.
func TestRuleClasses(t *testing.T) {
	g := sim.Group{Count: 7, Requests: random.Unlimited, Arrival: random.Arrival{Kind: "poisson", Rate: 100, Per: "all"}}
	m := model(g, once, constant(0), working(99, 10*ms))
	m.Services = append(m.Services, sim.Service{Name: "other", Spec: working(99, 10*ms)})
	m.Until, m.Slices = 100*s, []sim.Slice{{To: 100 * s}}
	type start struct {
		at     time.Duration
		client int64
	}
	starts := func() (list []start) {
		_, events := traced(t, m)
		for _, e := range events {
			if e.Kind == sim.TraceStarted {
				list = append(list, start{e.At, e.Client})
			}
		}
		return list
	}
	before := starts()
	m.Groups[0].Cost = 2
	m.Groups[0].Classes = []sim.Class{
		{Name: "light", Share: 0.8},
		{Name: "heavy", Share: 0.2, Cost: 3, Steps: []sim.Step{{To: 1, Policies: []*sim.Policy{{Name: "own", Policy: once}}}}},
	}
	after := starts()
	if len(before) != len(after) {
		t.Fatalf("%d requests, with classes %d", len(before), len(after))
	}
	for i := range before {
		if before[i] != after[i] {
			t.Fatalf("request %d: %v, with classes %v", i, before[i], after[i])
		}
	}
	rec := run(t, m, 1, 0)
	whole, light, heavy := rec.Groups[0], rec.Groups[1], rec.Groups[2]
	if len(rec.Groups) != 3 || whole.Name != "clients" || light.Name != "clients/light" || heavy.Name != "clients/heavy" {
		t.Fatalf("%d entries, %s, %s, %s", len(rec.Groups), whole.Name, light.Name, heavy.Name)
	}
	if whole.Requests != rec.Requests || light.Requests+heavy.Requests != whole.Requests || light.Succeeded+heavy.Succeeded+light.Unfinished+heavy.Unfinished != whole.Requests {
		t.Errorf("%+v, %+v and %+v do not add up", whole, light, heavy)
	}
	// 10,000 requests: 5 standard errors of the share are 2 %.
	if share := float64(heavy.Requests) / float64(whole.Requests); math.Abs(share-0.2) > 0.02 {
		t.Errorf("share of the heavy ones %v", share)
	}
	if lo, hi := light.Completion.Rank(1), heavy.Completion.Rank(1); lo != 20*ms || hi != 60*ms || light.Completion.Rank(light.Succeeded) != lo || heavy.Completion.Rank(heavy.Succeeded) != hi {
		t.Errorf("the light ones take %v, the heavy ones %v, want 20ms and 60ms", lo, hi)
	}
	if a, b := rec.Services[0].Calls, rec.Services[1].Calls; a != light.Requests || b != heavy.Requests {
		t.Errorf("%d and %d calls of %d and %d requests", a, b, light.Requests, heavy.Requests)
	}
	if h := rec.Hops[1]; len(rec.Hops) != 2 || h.From != "clients/heavy" || h.To != "other" || h.Policy != "own" || h.Requests != heavy.Requests {
		t.Errorf("hops %+v", rec.Hops)
	}
	if v := rec.Slices[0].Groups; len(v) != 3 || v[2].Name != heavy.Name || v[2].Succeeded != heavy.Succeeded || v[2].Completion.Len() != heavy.Succeeded {
		t.Errorf("slice: %+v", v)
	}
}

// Two classes on one server with constant work are an M/G/1: by Pollaczek and
// Khinchine the mean wait is lambda E[S^2] / (2 (1 - rho)), the same for both.
func TestClassesMG1(t *testing.T) {
	const lambda, share, cost, base = 40.0, 0.1, 7.0, 0.010
	mean := base * (1 - share + share*cost)
	square := base * base * (1 - share + share*cost*cost)
	rho := lambda * mean
	wait := lambda * square / (2 * (1 - rho))

	replications, customers := effort()
	m := model(poisson(lambda), strategies.Policy{MaxAttempts: 1}, constant(0), working(1, 10*ms))
	m.Groups[0].Classes = []sim.Class{{Name: "light", Share: 1 - share}, {Name: "heavy", Share: share, Cost: cost}}
	m.Until, m.Warmup, m.Window = time.Duration(customers/lambda*float64(s)), 20*s, s
	var r sim.Runner
	var light, heavy, busy sample
	for i := range replications {
		rec, err := r.Run(m, 1, uint64(i), sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		of := func(g *sim.GroupRecord, own float64) float64 {
			return g.Completion.Sum().Float()/1e9/float64(g.Completion.Len()) - own
		}
		light, heavy = append(light, of(&rec.Groups[1], base)), append(heavy, of(&rec.Groups[2], cost*base))
		busy = append(busy, rec.Services[0].Busy.Float()/1e9/(m.Until-m.Warmup).Seconds())
	}
	// Seeds are fixed, so it cannot flake; agree allows for the spread of the runs.
	agree(t, "wait of the light", light.mean(), light.se(), wait)
	agree(t, "wait of the heavy", heavy.mean(), heavy.se(), wait)
	agree(t, "utilisation", busy.mean(), busy.se(), rho)
}
