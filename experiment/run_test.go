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
		if diff := cmp.Diff(first, r, cmp.Comparer(same)); diff != "" {
			t.Errorf("%d jobs: %s", jobs, diff)
		}
	}
	if len(first.Points) != 6 || len(first.Expectations) != 2 || len(first.Notes) != 6 {
		t.Fatalf("%d points, %d expectations, %d notes", len(first.Points), len(first.Expectations), len(first.Notes))
	}
	// The same replication is the same run at every point.
	if diff := cmp.Diff(first.Points[0].Runs, first.Points[5].Runs, cmp.Comparer(same)); diff != "" {
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

func TestSinkAndProgress(t *testing.T) {
	var seen, progress []int
	r, err := fakeExperiment(t, fake).Run(Options{
		Jobs: 8,
		Sink: func(i int, p *Point) error {
			seen = append(seen, i)
			p.Timelines = nil
			return nil
		},
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
	if !slices.Equal(seen, []int{0, 1, 2, 3, 4, 5}) {
		t.Errorf("sink saw %v", seen)
	}
	if len(progress) != 48 || !slices.IsSorted(progress) || progress[47] != 48 {
		t.Errorf("progress %v", progress)
	}
	if r.Points[0].Timelines != nil || r.Points[0].Completion == nil {
		t.Error("what the sink clears is gone, the rest is kept")
	}
}

func TestSinkError(t *testing.T) {
	full := errors.New("disk full")
	calls := 0
	_, err := fakeExperiment(t, fake).Run(Options{Jobs: 2, Sink: func(int, *Point) error {
		calls++
		return full
	}})
	if err != full || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

func TestSelectedPoints(t *testing.T) {
	e := fakeExperiment(t, fake)
	r, err := e.Run(Options{Jobs: 2, Variants: []string{"full-jitter"}})
	if err != nil || len(r.Points) != 3 || r.Points[0].Variant != "full-jitter" || len(r.Expectations) != 1 {
		t.Errorf("variants: %v, %+v", err, r)
	}
	if _, err := e.Run(Options{Variants: []string{"full-jiter"}}); err == nil || !strings.Contains(err.Error(), "did you mean full-jitter?") {
		t.Errorf("unknown variant: %v", err)
	}
	// Two shards make the whole.
	whole, _ := e.Run(Options{Jobs: 2})
	var points []Point
	for k := range 2 {
		part, err := e.Run(Options{Jobs: 2, Only: func(i int) bool { return i%2 == k }})
		if err != nil || part.Expectations != nil {
			t.Errorf("shard: %v, judged %v", err, part.Expectations)
		}
		points = append(points, part.Points...)
	}
	slices.SortFunc(points, func(a, b Point) int {
		at := func(p Point) int {
			return slices.IndexFunc(whole.Points, func(q Point) bool { return p.name(e.axes) == q.name(e.axes) })
		}
		return at(a) - at(b)
	})
	if diff := cmp.Diff(whole, e.Result(points), cmp.Comparer(same)); diff != "" {
		t.Error(diff)
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
	var sunk []int
	r, err := e.Run(Options{Jobs: 1, Stop: stop, Sink: func(i int, _ *Point) error {
		sunk = append(sunk, i)
		return nil
	}})
	if err != ErrInterrupted || len(r.Points) != 2 || !slices.Equal(sunk, []int{0, 1}) || r.Expectations != nil {
		t.Errorf("%v, %d points, sink %v", err, len(r.Points), sunk)
	}
}

// The error is the first in order, whoever comes first in time.
func TestFailedReplication(t *testing.T) {
	for _, jobs := range []int{1, 2, 8} {
		e := fakeExperiment(t, nil)
		place := map[*sim.Model]int{}
		for i := range e.points {
			place[e.points[i].model] = i
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
