package experiment

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// seconds of a run, for hand-made records: each lasts n seconds.
type stretch struct {
	n                              int
	started, succeeded, unfinished int64
}

func binsOf(stretches []stretch) (bins []sim.Bin) {
	for _, s := range stretches {
		for range s.n {
			bins = append(bins, sim.Bin{Started: s.started, Succeeded: s.succeeded, Unfinished: s.unfinished})
		}
	}
	return bins
}

func TestRecovery(t *testing.T) {
	const sec = time.Second
	calm, stuck := stretch{20, 100, 100, 5}, stretch{40, 100, 0, 500}
	for _, c := range []struct {
		name       string
		from, to   time.Duration // trigger
		last       time.Duration // arrival
		bins       []stretch
		change     func(*sim.Record, *sim.Model)
		want, lock float64
	}{
		{name: "nothing happens", from: 20 * sec, to: 25 * sec, last: 60 * sec, bins: []stretch{{60, 100, 100, 5}}, want: 0, lock: 0},
		{name: "no trigger", change: func(r *sim.Record, _ *sim.Model) { r.HasTrigger = false }, bins: []stretch{calm}, last: 20 * sec, want: nan, lock: nan},
		{name: "the trigger never ends", from: 20 * sec, to: 60 * sec, last: 60 * sec, bins: []stretch{calm, stuck}, want: nan, lock: nan},
		{name: "recovers 7 s after the end", from: 20 * sec, to: 25 * sec, last: 60 * sec, bins: []stretch{calm, {12, 100, 0, 500}, {28, 100, 100, 5}}, want: 7, lock: 0},
		{name: "90 % of the requests started are enough", from: 20 * sec, to: 25 * sec, last: 60 * sec, bins: []stretch{calm, {40, 100, 90, 5}}, want: 0, lock: 0},
		{name: "89 % are not", from: 20 * sec, to: 25 * sec, last: 60 * sec, bins: []stretch{calm, {40, 100, 89, 5}}, want: inf, lock: 1},
		{name: "9 seconds of 10 make 90 %", from: 20 * sec, to: 25 * sec, last: 60 * sec, bins: []stretch{calm, {11, 100, 0, 5}, {9, 100, 100, 5}, {1, 100, 0, 5}, {19, 100, 100, 5}}, want: 5, lock: 0},
		{name: "8 seconds of 10 do not", from: 20 * sec, to: 25 * sec, last: 60 * sec, bins: []stretch{calm, {11, 100, 0, 5}, {8, 100, 100, 5}, {2, 100, 0, 5}, {19, 100, 100, 5}}, want: 15, lock: 0},
		{name: "every second counts for the backlog", from: 20 * sec, to: 25 * sec, last: 60 * sec, bins: []stretch{calm, {11, 100, 0, 5}, {5, 100, 100, 5}, {1, 100, 100, 50}, {23, 100, 100, 5}}, want: 12, lock: 0},
		// 1.5 x 5 + 10 = 17.5
		{name: "a backlog of 17 is normal", from: 20 * sec, to: 25 * sec, last: 60 * sec, bins: []stretch{calm, {40, 100, 100, 17}}, want: 0, lock: 0},
		{name: "a backlog of 18 is not", from: 20 * sec, to: 25 * sec, last: 60 * sec, bins: []stretch{calm, {40, 100, 100, 18}}, want: inf, lock: 1},
		{name: "without 10 s of baseline the backlog does not count", from: 9 * sec, to: 10 * sec, last: 60 * sec, bins: []stretch{{10, 100, 100, 5}, {50, 100, 100, 1000}}, want: 0, lock: 0},
		{name: "the warm-up is no baseline", from: 20 * sec, to: 25 * sec, last: 60 * sec, bins: []stretch{calm, {40, 100, 100, 1000}}, change: func(_ *sim.Record, m *sim.Model) { m.Warmup = 11 * sec }, want: 0, lock: 0},
		{name: "10 s are left", from: 20 * sec, to: 50 * sec, last: 60 * sec, bins: []stretch{calm, stuck}, want: inf, lock: 1},
		{name: "9 s are left", from: 20 * sec, to: 50 * sec, last: 60*sec - 1, bins: []stretch{calm, stuck}, want: nan, lock: nan},
		{name: "the final drain does not count", from: 20 * sec, to: 25 * sec, last: 40 * sec, bins: []stretch{calm, {20, 100, 0, 500}, {20, 0, 100, 5}}, want: inf, lock: 1},
		{name: "the second the trigger ends in may be the first", from: 20 * sec, to: 20*sec + sec/2, last: 60 * sec, bins: []stretch{{60, 100, 100, 5}}, want: 0, lock: 0},
		{name: "counted from the end of the trigger, not of its second", from: 20 * sec, to: 20*sec + sec/4, last: 60 * sec, bins: []stretch{calm, {2, 100, 0, 5}, {38, 100, 100, 5}}, want: 0.75, lock: 0},

		{name: "a burst", from: 0, to: 10 * sec, last: 0, bins: []stretch{{1, 100, 0, 100}, {11, 0, 0, 100}, {9, 0, 11, 1}}, change: func(r *sim.Record, _ *sim.Model) { r.Done99 = 20*sec + sec/2 }, want: 10.5, lock: 0},
		{name: "a burst that is done before the trigger ends", from: 0, to: 10 * sec, last: 0, bins: []stretch{{10, 0, 0, 0}}, change: func(r *sim.Record, _ *sim.Model) { r.Done99 = 5 * sec }, want: 0, lock: 0},
		{name: "a burst that still tries", from: 0, to: 10 * sec, last: 0, bins: []stretch{{1, 100, 0, 100}, {59, 0, 1, 41}}, change: func(r *sim.Record, _ *sim.Model) { r.Unfinished = 41 }, want: inf, lock: 1},
		{name: "a burst that has given up", from: 0, to: 10 * sec, last: 0, bins: []stretch{{1, 100, 0, 100}, {29, 0, 1, 0}}, want: inf, lock: 0},
		// 99 of 100 by the end of second 21.
		{name: "arrivals that end during the trigger", from: 5 * sec, to: 12 * sec, last: 9 * sec, bins: []stretch{{10, 10, 0, 0}, {2, 0, 0, 100}, {11, 0, 11, 0}}, want: 9, lock: 0},

		{name: "nothing was asked", from: 5 * sec, to: 12 * sec, last: 0, bins: []stretch{{60, 0, 0, 0}}, want: nan, lock: nan},

		{name: "closed-loop clients that hang", from: 20 * sec, to: 25 * sec, last: 20 * sec, bins: []stretch{{20, 100, 100, 0}, {2, 0, 0, 100}}, change: closedLoop, want: inf, lock: 1},
		{name: "closed-loop clients that hang from the start", from: 5 * sec, to: 10 * sec, last: 5 * sec, bins: []stretch{{5, 100, 100, 0}, {2, 0, 0, 100}}, change: closedLoop, want: inf, lock: 1},
		{name: "closed-loop clients that are done", from: 5 * sec, to: 10 * sec, last: 5 * sec, bins: []stretch{{5, 100, 100, 0}, {2, 0, 0, 0}}, change: closedLoop, want: 0, lock: 0},
	} {
		rec := &sim.Record{
			HasTrigger: true, TriggerStart: c.from, TriggerEnd: c.to,
			LastArrival: c.last, Done99: sim.Never, Bins: binsOf(c.bins),
		}
		m := oneService()
		if c.change != nil {
			c.change(rec, m)
		}
		if got := recovery(rec, m); !same(got, c.want) {
			t.Errorf("%s: recovery %v, want %v", c.name, got, c.want)
		}
		if got := lockedIn(rec, m); !same(got, c.lock) {
			t.Errorf("%s: locked in %v, want %v", c.name, got, c.lock)
		}
	}
}

func closedLoop(_ *sim.Record, m *sim.Model) {
	m.Groups[0].Arrival.Kind = "closed"
	m.Groups[0].Requests = server.Unlimited
}

// An undisturbed system recovers in 0 in at least 95 % of the runs, also when
// its requests take longer than a second.
func TestUndisturbedRecoversAtOnce(t *testing.T) {
	for _, c := range []struct{ perSecond, mean float64 }{{100, 0.02}, {40, 1.6}} {
		r := rand.New(rand.NewPCG(1, 2))
		at0 := 0
		for range 1000 {
			rec := undisturbed(r, c.perSecond, c.mean)
			if recovery(rec, oneService()) == 0 {
				at0++
			}
			if lockedIn(rec, oneService()) != 0 {
				t.Errorf("%v/s that take %v s: locked in", c.perSecond, c.mean)
			}
		}
		if at0 < 950 {
			t.Errorf("%v/s that take %v s: %d of 1000 runs recover at once", c.perSecond, c.mean, at0)
		}
	}
}

// undisturbed is a Poisson stream of requests with exponential completion
// times, 20 s of them before a trigger that does nothing.
func undisturbed(r *rand.Rand, perSecond, mean float64) *sim.Record {
	bins := make([]sim.Bin, 60)
	for now := r.ExpFloat64() / perSecond; now < 60; now += r.ExpFloat64() / perSecond {
		bins[int(now)].Started++
		done := now + r.ExpFloat64()*mean
		for s := int(now); s < 60 && done >= float64(s+1); s++ {
			bins[s].Unfinished++
		}
		if done < 60 {
			bins[int(done)].Succeeded++
		}
	}
	return &sim.Record{
		HasTrigger: true, TriggerStart: 20 * time.Second, TriggerEnd: 30 * time.Second,
		LastArrival: 60*time.Second - 1, Done99: sim.Never, Bins: bins,
	}
}

// A model whose retries its service can work off is slow, not locked in, until
// it has had the time that its formula asks for.
func TestLockedInTakesTime(t *testing.T) {
	const sec = time.Second
	// 140/s, asked twice, of 300/s: a pause of 10 s takes 118 s to work off, and
	// 183 s at most. See [sim.Model.SlowRecovery].
	slow := func(rate float64) *sim.Model {
		m := oneService()
		m.Groups[0].Arrival = random.Arrival{Kind: "poisson", Rate: rate, Per: "all"}
		m.Groups[0].Steps[0].Policies = []*sim.Policy{{Policy: strategies.Policy{Timeout: sec, MaxAttempts: 2}}}
		spec := &m.Services[0].Spec
		spec.Workers, spec.ServiceTime.Mean = 3, 10*time.Millisecond
		return m
	}
	_, most, ok := slow(140).SlowRecovery(20*sec, 30*sec)
	if !ok || most < 180*sec || most > 186*sec {
		t.Fatalf("at most %v, %v", most, ok)
	}
	enough := 30*sec + most + calm*sec
	for _, c := range []struct {
		name string
		rate float64
		last time.Duration
		bins []stretch
		want float64
	}{
		{"too soon to tell", 140, 60 * sec, []stretch{{20, 100, 100, 5}, {40, 100, 0, 500}}, nan},
		{"a moment too soon", 140, enough - 1, []stretch{{20, 100, 100, 5}, {300, 100, 0, 500}}, nan},
		{"enough", 140, enough, []stretch{{20, 100, 100, 5}, {300, 100, 0, 500}}, 1},
		{"recovered soon", 140, 60 * sec, []stretch{{20, 100, 100, 5}, {15, 100, 0, 500}, {25, 100, 100, 5}}, 0},
		{"in the vulnerable band nothing is slow", 160, 60 * sec, []stretch{{20, 100, 100, 5}, {40, 100, 0, 500}}, 1},
		// Recovered at 35 s, 5 s after the end.
		{"relapsed for half a minute", 160, 100 * sec, []stretch{{20, 100, 100, 5}, {15, 100, 0, 500}, {34, 100, 100, 5}, {31, 100, 0, 500}}, 1},
		{"relapsed, but not for as long", 160, 100 * sec, []stretch{{20, 100, 100, 5}, {15, 100, 0, 500}, {37, 100, 100, 5}, {28, 100, 0, 500}}, 0},
		{"relapsed for less than the first recovery took", 160, 120 * sec, []stretch{{20, 100, 100, 5}, {55, 100, 0, 500}, {12, 100, 100, 5}, {33, 100, 0, 500}}, 0},
		{"relapsed and recovered", 160, 120 * sec, []stretch{{20, 100, 100, 5}, {15, 100, 0, 500}, {20, 100, 100, 5}, {40, 100, 0, 500}, {25, 100, 100, 5}}, 0},
		{"what heals by itself does not relapse for good", 140, 100 * sec, []stretch{{20, 100, 100, 5}, {15, 100, 0, 500}, {30, 100, 100, 5}, {35, 100, 0, 500}}, 0},
	} {
		rec := &sim.Record{
			HasTrigger: true, TriggerStart: 20 * sec, TriggerEnd: 30 * sec,
			LastArrival: c.last, Done99: sim.Never, Bins: binsOf(c.bins),
		}
		m := slow(c.rate)
		m.Until = c.last + sec
		if got := lockedIn(rec, m); !same(got, c.want) {
			t.Errorf("%s: locked in %v, want %v", c.name, got, c.want)
		}
		// Late or never, it is not within the run: not available would leave it out
		// of the median.
		if r := recovery(rec, m); c.want != 0 && !math.IsInf(r, 1) && c.name[:8] != "relapsed" {
			t.Errorf("%s: recovery %v, want never", c.name, r)
		}
	}
}
