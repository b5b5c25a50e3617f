package sim_test

import (
	"reflect"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
)

func setting(what sim.Setting, at time.Duration, value float64, over time.Duration) sim.Action {
	return sim.Action{Name: "set", Kind: sim.Set, Set: what, At: at, Value: value, Over: over}
}

// arrivals is a group that a service answers at once.
func arrivals(a random.Arrival, until time.Duration, actions ...sim.Action) *sim.Model {
	g := poisson(1)
	a.Per = "all"
	g.Arrival = a
	m := model(g, once, constant(0), unlimited())
	m.Until, m.Actions = until, actions
	return m
}

// Nobody is let in from 1 s on; then, from 2 s to 12 s, a share that grows by
// 0.1 % every 10 ms. Of 1000 calls/s that come evenly in the last of these
// seconds, 9.5 out of 10 are let in: 950, within 5 standard deviations of 7.
func TestSetAdmit(t *testing.T) {
	m := arrivals(random.Arrival{Kind: "constant", Rate: 1000}, 12*s,
		setting(sim.SetAdmit, s, 0, 0), setting(sim.SetAdmit, 2*s, 1, 10*s))
	m.Slices = []sim.Slice{{From: 0, To: s}, {From: s, To: 2 * s}, {From: 11 * s, To: 12 * s}}
	rec := run(t, m, 1, 0)
	for i, want := range [][2]int64{{1000, 1000}, {0, 0}, {915, 985}} {
		if got := rec.Slices[i].All.Succeeded; got < want[0] || got > want[1] {
			t.Errorf("slice %d: %d of %d are let in, want %v", i, got, rec.Slices[i].All.Requests, want)
		}
	}
	if rec.Services[0].Refused != rec.Failed {
		t.Errorf("%d refused, %d failed", rec.Services[0].Refused, rec.Failed)
	}
	if got := rec.Actions[0].EndedAt; got != s {
		t.Errorf("the first ended at %v", got)
	}
	if got := rec.Actions[1].EndedAt; got != sim.Never {
		t.Errorf("the second ended at %v, which is the end of the run", got)
	}
}

// Two workers become twelve within 10 s, one a second: of each of two replicas.
func TestSetWorkers(t *testing.T) {
	spec := workers(2)
	spec.ServiceTime, spec.Replicas = constant(10*ms), 2
	m := model(poisson(100), once, constant(0), spec)
	m.Window, m.Until, m.Actions = s, 14*s, []sim.Action{setting(sim.SetWorkers, s, 12, 10*s)}
	rec := run(t, m, 1, 0)
	for i, row := range rec.Services[0].Timeline {
		want := 2 * min(12, max(2, 1+float64(i)))
		if got := row.Capacity.Float() / 1e9; got != want {
			t.Errorf("second %d: %v workers, want %v", i, got, want)
		}
	}
	if got := rec.Actions[0].EndedAt; got != 11*s {
		t.Errorf("ended at %v", got)
	}
}

// Ten a second, and at 5.05 s twice as many: half of the wait for the one of 5.1 s
// is over, and the other half takes half as long.
func TestSetRateOfConstant(t *testing.T) {
	rec := run(t, arrivals(random.Arrival{Kind: "constant", Rate: 10}, 10*s, setting(sim.SetRate, 5050*ms, 2, 0)), 1, 0)
	if rec.Requests != 51+99 {
		t.Errorf("%d requests, want 51 + 99", rec.Requests)
	}
	if d := rec.LastArrival - 9975*ms; d < -1000 || d > 1000 {
		t.Errorf("the last at %v, want 9.975 s but for rounding", rec.LastArrival)
	}
}

// A Poisson process whose rate is set is one with the rate that it is set to. The
// numbers of arrivals are within 5 standard deviations of what is expected, under
// a fixed seed.
func TestSetRateOfPoisson(t *testing.T) {
	flat := random.Arrival{Kind: "poisson", Rate: 200}
	slope := random.Arrival{Kind: "profile", Points: []random.Point{{At: 0, Rate: 0}, {At: 10 * s, Rate: 200}}}
	for _, c := range []struct {
		name     string
		m        *sim.Model
		from, to time.Duration
		want     int64
		within   int64
	}{
		{"before", arrivals(flat, 30*s, setting(sim.SetRate, 10*s, 3, 0)), 0, 10 * s, 2000, 224},
		{"after", arrivals(flat, 30*s, setting(sim.SetRate, 10*s, 3, 0)), 10 * s, 30 * s, 12_000, 548},
		{"none, though it will go on", arrivals(flat, 30*s, setting(sim.SetRate, 10*s, 0, 0), setting(sim.SetRate, 20*s, 1, 0)), 10 * s, 20 * s, 0, 0},
		{"it goes on", arrivals(flat, 30*s, setting(sim.SetRate, 10*s, 0, 0), setting(sim.SetRate, 20*s, 1, 0)), 20 * s, 30 * s, 2000, 224},
		{"while it grows to three times as many", arrivals(flat, 30*s, setting(sim.SetRate, 10*s, 3, 10*s)), 10 * s, 20 * s, 4000, 317},
		{"before it begins", arrivals(random.Arrival{Kind: "poisson", Rate: 200, At: 10 * s}, 30*s, setting(sim.SetRate, s, 3, 0)), 10 * s, 30 * s, 12_000, 548},
		{"a profile keeps its time", arrivals(slope, 10*s, setting(sim.SetRate, 0, 2, 0)), 0, 10 * s, 2000, 224},
		{"of which this is a quarter", arrivals(slope, 10*s, setting(sim.SetRate, 0, 2, 0)), 0, 5 * s, 500, 112},
	} {
		c.m.Slices = []sim.Slice{{From: c.from, To: c.to}}
		if got := run(t, c.m, 1, 0).Slices[0].All.Requests; got < c.want-c.within || got > c.want+c.within {
			t.Errorf("%s: %d requests, want %d within %d", c.name, got, c.want, c.within)
		}
	}
}

// Until it happens an action changes nothing; and if nothing is left to do that
// it could change, the run is over and it does not happen.
func TestActionsTooLate(t *testing.T) {
	for _, kind := range []string{"poisson", "constant"} {
		a := random.Arrival{Kind: kind, Rate: 50, For: 5 * s}
		m := arrivals(a, 60*s)
		want := *run(t, m, 1, 0)
		want.Actions = nil
		m = arrivals(a, 60*s, setting(sim.SetRate, 20*s, 3, 0), setting(sim.SetAdmit, 20*s, 0, s), setting(sim.SetWorkers, 20*s, 3, s))
		got := *run(t, m, 1, 0)
		for _, a := range got.Actions {
			if a.EndedAt != sim.Never {
				t.Errorf("%s: it happened at %v", kind, a.EndedAt)
			}
		}
		if got.Actions = nil; !reflect.DeepEqual(want, got) {
			t.Errorf("%s: the record is another: until %v, not %v", kind, got.EndedAt, want.EndedAt)
		}
	}
}

// Fewer workers than are busy: those above finish what they do. 4 calls of 1 s
// begin at 0, 4 wait; with one worker from 0.5 s on they end at 1 s and then one
// by one.
func TestSetFewerWorkers(t *testing.T) {
	spec := workers(4)
	spec.ServiceTime = constant(s)
	m := model(burst(8), once, constant(0), spec)
	m.Actions = []sim.Action{setting(sim.SetWorkers, 500*ms, 1, 0)}
	rec := run(t, m, 1, 0)
	if got := rec.FinishedAt; got != 5*s {
		t.Errorf("finished at %v, want 5 s", got)
	}
	m.Actions = append(m.Actions, setting(sim.SetWorkers, 2500*ms, float64(server.Unlimited), 0))
	if got := run(t, m, 1, 0).FinishedAt; got != 3500*ms {
		t.Errorf("finished at %v, want 3.5 s", got)
	}
}
