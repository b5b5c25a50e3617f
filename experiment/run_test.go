package experiment

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"retrystorm/sim"
)

// fake makes a record of nothing but model, seed and replication, in a time
// that has nothing to do with them.
func fake(m *sim.Model, seed, replication uint64, _ sim.Options) (*sim.Record, error) {
	for range rand.IntN(2000) {
		if rand.IntN(500) == 0 {
			time.Sleep(10 * time.Microsecond)
		}
	}
	r := rand.New(rand.NewPCG(seed, replication))
	rec := &sim.Record{
		Requests: 50, EndedAt: m.Until, LastArrival: m.Until, Done99: sim.Never,
		HasTrigger: true, TriggerStart: 10 * time.Second, TriggerEnd: 20 * time.Second,
		Row: time.Second << r.IntN(4), Services: make([]sim.ServiceRecord, len(m.Services)),
		Hops: []sim.HopRecord{{From: "clients", To: "db", Calls: r.Int64N(100)}},
	}
	for range r.IntN(50) {
		rec.Completion.Add(time.Duration(r.Int64N(1e10)))
	}
	rec.Succeeded = rec.Completion.Len()
	for i := range rec.Services {
		s := &rec.Services[i]
		s.Calls = r.Int64N(1000)
		for range r.IntN(20) {
			s.Timeline = append(s.Timeline, sim.Row{Arrivals: r.Int64N(10)})
		}
	}
	locked := r.IntN(2) == 0
	for i := range 60 {
		b := sim.Bin{Started: 10, Succeeded: 10}
		if locked && i >= 10 {
			b.Succeeded = 0
		}
		rec.Bins = append(rec.Bins, b)
	}
	return rec, nil
}

func fakeExperiment(t *testing.T, run runFunc) *Experiment {
	e := newTest([]string{"none", "full-jitter"}, []string{"clients.count"}, [][]string{{"10", "20", "30"}}, 8, run)
	for _, x := range []string{"total_calls[none] == total_calls[full-jitter]", "total_calls[service=cache] < 400"} {
		if err := e.expect(x, 1, 7); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// Neither the number of workers nor their timing shows in a result.
func TestJobsDoNotShow(t *testing.T) {
	var first *Result
	for _, jobs := range []int{1, 2, 8, 100} {
		r, err := fakeExperiment(t, fake).Run(Options{Jobs: jobs})
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
	if len(first.Points) != 6 || len(first.Expectations) != 2 || len(first.Notes) != 6 {
		t.Fatalf("%d points, %d expectations, %d notes", len(first.Points), len(first.Expectations), len(first.Notes))
	}
	// The same replication is the same run at every point.
	if diff := cmp.Diff(first.Points[0].Runs, first.Points[5].Runs, alike); diff != "" {
		t.Error(diff)
	}
	if x := first.Expectations[0]; x.Ruling != Pass {
		t.Error(x.Detail)
	}
}

func TestOutcomes(t *testing.T) {
	r, err := fakeExperiment(t, fake).Run(Options{Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	p := &r.Points[0]
	if len(p.Outcomes) != 2 || p.Outcomes[0].Replications+p.Outcomes[1].Replications != len(p.Runs) {
		t.Fatalf("%+v", p.Outcomes)
	}
	at := slices.IndexFunc(r.Metrics, func(m Metric) bool { return m.Name == "recovery" })
	if stuck, free := p.Outcomes[0].Estimates[at].Centre, p.Outcomes[1].Estimates[at].Centre; stuck != inf || free != 0 {
		t.Errorf("recovery %v and %v", stuck, free)
	}
	for _, part := range []string{"none, clients.count=10: of 8 replications", "locked in", "recovery never and 0s"} {
		if !strings.Contains(r.Notes[0], part) {
			t.Errorf("note %q lacks %q", r.Notes[0], part)
		}
	}
}

func TestProgress(t *testing.T) {
	var progress []int
	_, err := fakeExperiment(t, fake).Run(Options{
		Jobs: 8,
		Progress: func(done, total int) {
			if total != 48 {
				t.Errorf("total %d", total)
			}
			progress = append(progress, done)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(progress) || progress[len(progress)-1] != 48 {
		t.Errorf("progress %v", progress)
	}
}

// full is a store that is full after some points.
type full struct {
	*memory
	room atomic.Int64
	err  error
}

func (f *full) SavePoint(key string, p *Point) error {
	if f.room.Add(-1) < 0 {
		return f.err
	}
	return f.memory.SavePoint(key, p)
}

// An error of the store ends the run; what it has is kept.
func TestStoreError(t *testing.T) {
	f := &full{memory: newMemory(), err: errors.New("disk full")}
	f.room.Store(2)
	r, err := fakeExperiment(t, fake).Run(Options{Jobs: 2, Store: f})
	if err != f.err || len(r.Points) != 2 || len(f.points) != 2 || r.Expectations != nil {
		t.Errorf("%v, %d points, %d in the store", err, len(r.Points), len(f.points))
	}
}

// Of many points only those of the last place stay whole.
func TestPointsAreBrief(t *testing.T) {
	e := fakeExperiment(t, fake)
	r, err := e.Run(Options{Jobs: 2, Store: newMemory()})
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Points {
		p := &r.Points[i]
		if last := p.Sweep[0] == "30"; (p.Timelines != nil) != last || (p.Runs != nil) != last || p.Estimates == nil {
			t.Errorf("%s: timelines %v, runs %v", p.name(e.axes), p.Timelines != nil, p.Runs != nil)
		}
	}
	// And the expectations do not notice.
	whole, err := fakeExperiment(t, fake).Run(Options{Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	compareWhole(t, whole, r)
}

func TestSelectedVariants(t *testing.T) {
	e := fakeExperiment(t, fake)
	r, err := e.Run(Options{Jobs: 2, Variants: []string{"full-jitter"}})
	if err != nil || len(r.Points) != 3 || r.Points[0].Variant != "full-jitter" || len(r.Expectations) != 1 {
		t.Errorf("variants: %v, %+v", err, r)
	}
	if _, err := e.Run(Options{Variants: []string{"full-jiter"}}); err == nil || !strings.Contains(err.Error(), "did you mean full-jitter?") {
		t.Errorf("unknown variant: %v", err)
	}
}

func TestInterrupted(t *testing.T) {
	stop := make(chan struct{})
	var runs atomic.Int64
	e := fakeExperiment(t, func(m *sim.Model, seed, replication uint64, opt sim.Options) (*sim.Record, error) {
		if runs.Add(1) == 20 {
			close(stop)
		}
		select {
		case <-opt.Stop:
			return nil, sim.ErrStopped
		default:
			return fake(m, seed, replication, opt)
		}
	})
	kept := newMemory()
	r, err := e.Run(Options{Jobs: 1, Stop: stop, Store: kept})
	if err != ErrInterrupted || len(r.Points) != 2 || len(kept.points) != 2 || r.Expectations != nil {
		t.Errorf("%v, %d points, %d kept", err, len(r.Points), len(kept.points))
	}
}

// The error is the first in order, whoever comes first in time.
func TestFailedReplication(t *testing.T) {
	for _, jobs := range []int{1, 2, 8} {
		e := fakeExperiment(t, nil)
		place := map[*sim.Model]int{}
		for i := range e.points {
			m, err := e.plain(&e.points[i])
			if err != nil {
				t.Fatal(err)
			}
			place[m] = i
		}
		e.newRun = func() runFunc {
			return func(m *sim.Model, seed, replication uint64, opt sim.Options) (*sim.Record, error) {
				if at := place[m]; at == 1 && replication >= 3 || at > 1 {
					if at == 1 && replication == 3 {
						time.Sleep(2 * time.Millisecond)
					}
					return nil, fmt.Errorf("stuck at %d s", replication)
				}
				return fake(m, seed, replication, opt)
			}
		}
		r, err := e.Run(Options{Jobs: jobs})
		if want := "none, clients.count=20: replication 4, seed 7: stuck at 3 s"; err == nil || err.Error() != want {
			t.Errorf("%d jobs: %v", jobs, err)
		}
		if len(r.Points) != 1 {
			t.Errorf("%d points are kept", len(r.Points))
		}
	}
}

// A runner is for one goroutine: every worker has its own.
func TestWorkersShareNoRunner(t *testing.T) {
	e := fakeExperiment(t, nil)
	var made atomic.Int64
	e.newRun = func() runFunc {
		made.Add(1)
		var busy atomic.Bool
		return func(m *sim.Model, seed, replication uint64, opt sim.Options) (*sim.Record, error) {
			if busy.Swap(true) {
				t.Error("two replications at a time on one runner")
			}
			defer busy.Store(false)
			return fake(m, seed, replication, opt)
		}
	}
	if _, err := e.Run(Options{Jobs: 4}); err != nil || made.Load() != 4 {
		t.Errorf("%v, %d runners", err, made.Load())
	}
}
