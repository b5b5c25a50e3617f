package experiment

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"retrystorm/sim"
)

func mustNew(t testing.TB, src string) *Experiment {
	t.Helper()
	e, err := New(load(t, src))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func asMissing(err error, target *MissingError) bool {
	var m *MissingError
	if !errors.As(err, &m) {
		return false
	}
	*target = *m
	return true
}

// compareWhole compares results, whose points may be brief.
func compareWhole(t *testing.T, a, b *Result) {
	t.Helper()
	opts := cmp.Options{
		cmp.Comparer(same), cmpopts.IgnoreUnexported(Point{}), cmpopts.IgnoreFields(Result{}, "Whole", "Points"),
	}
	if diff := cmp.Diff(a, b, opts); diff != "" {
		t.Error(diff)
	}
	if len(a.Points) != len(b.Points) {
		t.Fatalf("%d and %d points", len(a.Points), len(b.Points))
	}
	for i := range a.Points {
		p, err := b.Whole(i)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&a.Points[i], p, opts); diff != "" {
			t.Error(diff)
		}
	}
}

const precise = `name: precise
seed: 5
replications: {until: {metric: total_calls, within: 5%}, max: 60}
until: 10s
clients:
  arrival: poisson 20/s
  calls: db
  policy: {timeout: 500ms, max_attempts: 3}
services:
  db: {workers: 2, service_time: exponential 20ms}
sweep:
  clients.arrival.rate: [1/s, 20/s, 200/s]
`

// Every point goes on until it is precise enough, and how many workers there
// are does not show.
func TestUntil(t *testing.T) {
	var first *Result
	for _, jobs := range []int{1, 2, 7} {
		e := mustNew(t, precise)
		r, err := e.Run(Options{Jobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = r
		}
		if diff := cmp.Diff(first, r, alike); diff != "" {
			t.Errorf("%d jobs: %s", jobs, diff)
		}
	}
	// 10 calls each need many runs for 5 %, 2,000 need few.
	n := []int{first.Points[0].Replications, first.Points[1].Replications, first.Points[2].Replications}
	if n[0] != 60 || !first.Points[0].Imprecise || n[2] != 10 || first.Points[2].Imprecise || n[1] > n[0] || n[1] < n[2] {
		t.Errorf("replications %v", n)
	}
	for _, p := range first.Points {
		if len(p.Runs) != p.Replications {
			t.Errorf("%d runs of %d", len(p.Runs), p.Replications)
		}
	}
}

// A store gives back what it has: nothing is run twice.
func TestStoreIsUsed(t *testing.T) {
	kept := newMemory()
	whole, err := mustNew(t, paused).Run(Options{Jobs: 2, Store: kept})
	if err != nil {
		t.Fatal(err)
	}
	delete(kept.points, "p2")
	e := mustNew(t, paused)
	run := e.newRun
	runs := make(chan struct{}, 1000)
	e.newRun = func() runFunc {
		f := run()
		return func(m *sim.Model, seed, replication uint64, opt sim.Options) (*sim.Record, error) {
			runs <- struct{}{}
			return f(m, seed, replication, opt)
		}
	}
	again, err := e.Run(Options{Jobs: 2, Store: kept})
	if err != nil || len(runs) != 4 {
		t.Fatalf("%v, %d runs for one point of 4", err, len(runs))
	}
	compareWhole(t, first(t, whole), again)
}

// first is a result with whole points.
func first(t *testing.T, r *Result) *Result {
	t.Helper()
	out := *r
	out.Points = slices.Clone(r.Points)
	for i := range out.Points {
		p, err := r.Whole(i)
		if err != nil {
			t.Fatal(err)
		}
		out.Points[i] = *p
	}
	return &out
}

const steady = `name: steady
seed: 2
replications: 4
until: 10000s
warmup: auto
clients: {arrival: poisson 50/min, calls: db}
groups: {backlog: {count: 300, arrival: burst at 0s, calls: db}}
services: {db: {workers: 1, service_time: exponential 1s}}
variants:
  busy: {}
  calm: {clients.arrival.rate: 20/min}
`

// A warm-up that is found is the same for all variants at a place, and shorter
// than half the run.
func TestWarmupAuto(t *testing.T) {
	r, err := mustNew(t, steady).Run(Options{Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	a, b := r.Points[0].Warmup, r.Points[1].Warmup
	if a != b || a < 300*time.Second || a > 5000*time.Second || !r.AutoWarmup {
		t.Errorf("warm-ups %v and %v, found: %v", a, b, r.AutoWarmup)
	}
}

// What cannot be looked at is refused before anything runs.
func TestWarmupWithoutCalm(t *testing.T) {
	_, err := New(load(t, strings.Replace(steady, "service_time: exponential 1s", "service_time: 1s, faults: {outage: down for 5s}", 1)))
	if err == nil || !strings.Contains(err.Error(), "and there is none") {
		t.Errorf("%v", err)
	}
}

// A system that never settles is refused.
func TestWarmupUnsteady(t *testing.T) {
	_, err := mustNew(t, steady+"target: db\nsweep: {services.db.service_time.mean: [3s]}\n").Run(Options{Jobs: 2})
	var u *UnsteadyError
	if !errors.As(err, &u) {
		t.Errorf("%v", err)
	}
}
