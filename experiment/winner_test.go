package experiment

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestWinnerIn(t *testing.T) {
	calls := Metric{Name: "total_calls"}
	wait := Metric{Name: "completion_p99", Infinite: true}
	base := []float64{100, 110, 90, 105, 95, 100, 110, 90, 105, 95, 101, 99}
	never := slices.Repeat([]float64{inf}, len(base))
	for _, c := range []struct {
		name   string
		metric Metric
		better int
		values [][]float64
		best   int
		tied   []int
	}{
		{"nobody", calls, -1, nil, -1, nil},
		{"one", calls, -1, [][]float64{base}, 0, nil},
		{"the least", calls, -1, [][]float64{plus(base, 50, 1), base, plus(base, 80, 1)}, 1, nil},
		{"the most", calls, 1, [][]float64{plus(base, 50, 1), base, plus(base, 80, 1)}, 2, nil},
		{"two of three", calls, -1, [][]float64{plus(base, 0.1, 2), base, plus(base, 80, 1)}, 1, []int{0}},
		{"equal ones", calls, -1, [][]float64{base, base}, 0, []int{1}},
		{"no values", calls, -1, [][]float64{{nan, nan}, {nan, nan}}, -1, nil},
		{"no value of one", calls, -1, [][]float64{{nan, nan, nan}, {1, 2, 3}}, 1, []int{0}},
		{"one replication", calls, -1, [][]float64{{2}, {1}}, 1, []int{0}},
		{"never is the most", wait, -1, [][]float64{never, base}, 1, nil},
		{"all never", wait, -1, [][]float64{never, never}, 0, []int{1}},
		{"signs of five pairs", wait, -1, [][]float64{plus(base[:5], 1, 0), base[:5]}, 1, []int{0}},
		{"signs of six pairs", wait, -1, [][]float64{plus(base[:6], 1, 0), base[:6]}, 1, nil},
	} {
		r := &Result{Metrics: []Metric{c.metric}}
		var points []*Point
		for _, v := range c.values {
			points = append(points, pointOf("x", r.Metrics, v))
		}
		w := WinnerIn(r, points, 0, c.better)
		if w.Best != c.best || !slices.Equal(w.Tied, c.tied) {
			t.Errorf("%s: best %d, tied %v", c.name, w.Best, w.Tied)
		}
	}
}

// Of points that do not differ, at most one time in twenty any is called worse
// than the one that looks best; if only the comparisons with that one were
// counted, it would be one time in ten.
func TestWinnerErrs(t *testing.T) {
	const trials, points, replications = 2000, 5, 10
	random := rand.New(rand.NewPCG(1, 2))
	wrong := 0
	for range trials {
		values, centres := make([][]float64, points), make([]float64, points)
		for i := range values {
			for range replications {
				values[i] = append(values[i], 100+random.NormFloat64())
			}
			centres[i] = Mean(values[i]).Centre
		}
		if w := winner(Metric{}, values, centres, -1, false); len(w.Tied) < points-1 {
			wrong++
		}
	}
	// 0.065 is three standard errors above 0.05.
	if share := float64(wrong) / trials; share > 0.065 {
		t.Errorf("a difference was found in %.3f of the trials", share)
	} else {
		t.Logf("a difference was found in %.3f of the trials", share)
	}
}

func TestEnough(t *testing.T) {
	for points, want := range map[int]int{1: 1, 2: 6, 3: 7, 5: 9, 20: 13} {
		if got := Enough(points); got != want {
			t.Errorf("%d points: %d replications, want %d", points, got, want)
		}
	}
}
