package experiment

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"retrystorm/sim"
	"retrystorm/strategies"
)

// halves is a run of two replications, of which the second is locked in, with
// two groups and two layers.
func halves(m *sim.Model, seed, replication uint64, _ sim.Options) (*sim.Record, error) {
	rec, _ := parted()
	rec.HasTrigger, rec.LastArrival = true, m.Until
	for range 60 {
		b := sim.Bin{Started: 10, Succeeded: 10}
		if replication == 1 {
			b.Succeeded = 0
		}
		rec.Bins = append(rec.Bins, b)
	}
	n := int64(replication + 1)
	rec.Hops[0].Policy, rec.Hops[1].Policy, rec.Hops[2].Policy = "sdk", "mesh", ""
	for i := range rec.Hops {
		h := &rec.Hops[i]
		h.Withheld = [strategies.GiveUps]int64{strategies.AttemptsExhausted: 3 * n * int64(i)}
		h.Causes = [sim.Causes]int64{sim.First: 10, sim.AfterTimeout: 5 * n}
	}
	rec.Groups[1].Failed = n
	return rec, nil
}

func splitExperiment(variants ...string) *Experiment {
	e := newTest(variants, nil, nil, 2, halves)
	models := make([]*sim.Model, len(e.points))
	for i := range models {
		_, models[i] = parted()
	}
	e.use(models)
	return e
}

func TestAttribution(t *testing.T) {
	r, err := splitExperiment("base").Run(Options{Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	// What never happened is left out: no attempts are withheld on the first hop.
	type row struct {
		outcome, policy string
		layer           int
		inner, withheld bool
		what            string
		mean            float64
	}
	ended := func(outcome string, n float64) []row {
		return []row{
			{outcome, "sdk", 0, false, false, "first", 10},
			{outcome, "sdk", 0, false, false, "timeout", 5 * n},
			{outcome, "mesh", 1, true, false, "first", 10},
			{outcome, "mesh", 1, true, false, "timeout", 5 * n},
			{outcome, "mesh", 1, true, true, "attempts", 3 * n},
			{outcome, "", 0, true, false, "first", 10},
			{outcome, "", 0, true, false, "timeout", 5 * n},
			{outcome, "", 0, true, true, "attempts", 6 * n},
		}
	}
	want := append(ended("locked in", 2), ended("recovered", 1)...)
	var got []row
	for _, a := range r.Points[0].Attribution {
		got = append(got, row{a.Outcome, a.Policy, a.Layer, a.Inner, a.Withheld, a.What, a.Estimate.Centre})
		if a.Estimate.N != 1 || !same(a.Estimate.Lo, nan) {
			t.Errorf("%+v: an interval from one replication", a)
		}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
		t.Error(diff)
	}
}

// Where all replications end alike, the mean is over all of them.
func TestAttributionOfAll(t *testing.T) {
	done := make([]replication, 3)
	for r := range done {
		h := sim.HopRecord{From: "a", To: "b"}
		h.Causes[sim.Hedged] = int64(10 * r)
		done[r].hops = []sim.HopRecord{h}
	}
	got := attribute(done, []ending{{replications: []int{0, 1, 2}}})
	want := []Attribution{{Edge: Edge{From: "a", To: "b"}, What: "hedge", Estimate: Mean([]float64{0, 10, 20})}}
	if diff := cmp.Diff(want, got); diff != "" || !(got[0].Estimate.Lo < 10) {
		t.Error(diff)
	}
	if attribute(nil, nil) != nil {
		t.Error("of no replications")
	}
}

func TestGroups(t *testing.T) {
	r, err := splitExperiment("base").Run(Options{Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	failed := -1
	for i, m := range r.GroupMetrics {
		if m.Name == "failed" {
			failed = i
		}
		if m.Name == "total_calls" {
			t.Error("calls are not told apart by group")
		}
	}
	var got []string
	sum := 0.0
	for _, g := range r.Points[0].Groups {
		got = append(got, g.Name+" "+g.Outcome)
		sum = 10*sum + g.Estimates[failed].Centre
	}
	want := []string{"clients locked in", "clients recovered", "jobs locked in", "jobs recovered"}
	if diff := cmp.Diff(want, got); diff != "" || sum != 21 {
		t.Errorf("failed %v %s", sum, diff)
	}
	// One group is the run itself.
	e := newTest([]string{"base"}, nil, nil, 2, halves)
	if r, err = e.Run(Options{Jobs: 1}); err != nil || r.Points[0].Groups != nil {
		t.Errorf("%v %v", r.Points[0].Groups, err)
	}
}
