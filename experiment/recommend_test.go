package experiment

import (
	"slices"
	"testing"
)

// candidates are points whose metrics are calls, completion_p99, requests,
// succeeded, recovery, locked_in and duplicates.
func candidates(rows ...[7]float64) (*Result, []*Point) {
	r := &Result{Metrics: []Metric{
		{Name: "total_calls"},
		{Name: "completion_p99", Infinite: true},
		{Name: "requests"},
		{Name: "succeeded"},
		{Name: "recovery", Infinite: true},
		{Name: "locked_in", Share: true},
		{Name: "duplicates"},
	}}
	var points []*Point
	for _, row := range rows {
		var columns [][]float64
		for m, x := range row {
			values := make([]float64, 8)
			for k := range values {
				values[k] = x
				if m < 2 { // luck that all have in common
					values[k] *= 1 + 0.01*float64(k%3)
				}
			}
			columns = append(columns, values)
		}
		points = append(points, pointOf("x", r.Metrics, columns...))
	}
	return r, points
}

func TestRecommend(t *testing.T) {
	good := [7]float64{1000, 10, 500, 500, 1, 0, 0}
	with := func(change func(x *[7]float64)) [7]float64 {
		x := good
		change(&x)
		return x
	}
	stuck := with(func(x *[7]float64) { x[0], x[4], x[5] = 500, inf, 1 })
	lossy := with(func(x *[7]float64) { x[0], x[3] = 500, 450 })
	twice := with(func(x *[7]float64) { x[0], x[6] = 500, 100 })
	dear := with(func(x *[7]float64) { x[0], x[1] = 5000, 9 })
	slow := with(func(x *[7]float64) { x[0], x[1] = 900, 50 })
	undone := with(func(x *[7]float64) { x[1] = inf })
	for _, c := range []struct {
		name     string
		exchange float64
		rows     [][7]float64
		best     int
		tied     []int
		by       Basis
		reasons  []Reason
	}{
		{"nobody", 0, nil, -1, nil, ByOnly, []Reason{}},
		{"one", 0, [][7]float64{good}, 0, nil, ByOnly, []Reason{InQuestion}},
		{"one that never recovers", 0, [][7]float64{stuck}, -1, nil, ByOnly, []Reason{Stuck}},
		{"fewer calls, but it never recovers", 0, [][7]float64{stuck, good}, 1, nil, ByOnly, []Reason{Stuck, InQuestion}},
		{"none recovers", 0, [][7]float64{stuck, stuck}, -1, nil, ByOnly, []Reason{Stuck, Stuck}},
		{"fewer calls by giving up", 0, [][7]float64{good, lossy}, 0, nil, ByOnly, []Reason{InQuestion, LosesMore}},
		{"fewer calls, and work done twice", 0, [][7]float64{good, twice}, 0, nil, ByOnly, []Reason{InQuestion, RepeatsMore}},
		{"all lose as much", 0, [][7]float64{lossy, lossy}, 0, []int{1}, ByProduct, []Reason{InQuestion, InQuestion}},
		{"a tenth sooner for five times the calls", 0, [][7]float64{dear, good}, 1, nil, ByProduct, []Reason{InQuestion, InQuestion}},
		{"a tenth fewer calls for five times the wait", 0, [][7]float64{good, slow}, 0, nil, ByProduct, []Reason{InQuestion, InQuestion}},
		{"a second is worth much", 10_000, [][7]float64{dear, good}, 0, nil, ByCost, []Reason{InQuestion, InQuestion}},
		{"equal", 0, [][7]float64{good, good}, 0, []int{1}, ByProduct, []Reason{InQuestion, InQuestion}},
		{"never done", 0, [][7]float64{undone, with(func(x *[7]float64) { x[0], x[1] = 900, inf })}, 1, nil, ByCalls, []Reason{InQuestion, InQuestion}},
		{"one is done", 0, [][7]float64{undone, good}, 1, nil, ByProduct, []Reason{InQuestion, InQuestion}},
	} {
		r, points := candidates(c.rows...)
		r.Exchange = c.exchange
		got := Recommend(r, points)
		if got.Best != c.best || !slices.Equal(got.Tied, c.tied) || got.By != c.by || !slices.Equal(got.Reasons, c.reasons) {
			t.Errorf("%s: best %d, tied %v, by %d, reasons %v", c.name, got.Best, got.Tied, got.By, got.Reasons)
		}
	}
}

// Where some replications do not recover, one that always does is better; where
// all have such, one is only out that certainly has more of them.
func TestRecommendAtRisk(t *testing.T) {
	r, points := candidates([7]float64{500, 10, 500, 500, 1, 0, 0}, [7]float64{1000, 10, 500, 500, 1, 0, 0})
	lock := func(p *Point, runs ...int) {
		for _, k := range runs {
			p.Runs[k].Values[5] = 1
		}
	}
	lock(points[0], 3)
	if got := Recommend(r, points); got.Best != 1 || got.Reasons[0] != Stuck {
		t.Errorf("one of eight: %+v", got)
	}
	lock(points[1], 4, 5)
	if got := Recommend(r, points); got.Best != 0 || got.Reasons[1] != InQuestion {
		t.Errorf("one and two of eight: %+v", got)
	}
	lock(points[1], 0, 1, 2, 3, 6, 7)
	if got := Recommend(r, points); got.Best != 0 || got.Reasons[1] != Stuck {
		t.Errorf("one and all of eight: %+v", got)
	}
}

// A result without what it takes recommends nothing.
func TestRecommendNothing(t *testing.T) {
	metrics := []Metric{{Name: "total_calls"}}
	r := &Result{Metrics: metrics}
	if got := Recommend(r, []*Point{pointOf("a", metrics, []float64{1, 2})}); got.Best != -1 || got.Reasons[0] != Unknown {
		t.Errorf("%+v", got)
	}
	r, points := candidates([7]float64{1, 1, 1, 1, 1, 0, 0}, [7]float64{2, 2, 2, 2, 2, 0, 0})
	for _, p := range points {
		p.Runs = nil
	}
	if got := Recommend(r, points); got.Best != -1 || got.Reasons[0] != Unknown {
		t.Errorf("without runs: %+v", got)
	}
}
