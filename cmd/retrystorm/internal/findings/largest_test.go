package findings

import (
	"testing"

	"retrystorm/experiment"
)

func TestLargest(t *testing.T) {
	metrics := []experiment.Metric{{Name: "x"}, {Name: "y"}, {Name: "z"}}
	for _, c := range []struct {
		x, y, z []float64
		want    string
	}{
		{[]float64{9, 10, 11}, []float64{1, 1, 1}, []float64{2, 3, 2}, "confirmed"},
		{[]float64{9, 10, 11}, []float64{1, 1, 1}, []float64{20, 20, 21}, "refuted"},
		{[]float64{9, 10, 11}, []float64{1, 1, 1}, []float64{11, 8, 12}, "undecided"},
		{[]float64{0, 0, 0}, []float64{0, 0, 0}, []float64{0, 0, 0}, "undecided"},
		// Each replication has its own luck, and x has more in all.
		{[]float64{101, 202, 303}, []float64{100, 201, 302}, []float64{1, 102, 203}, "confirmed"},
	} {
		p := experiment.Point{Variant: "a"}
		for i := range c.x {
			p.Runs = append(p.Runs, experiment.Run{Values: []float64{c.x[i], c.y[i], c.z[i]}})
		}
		p.Estimates = []experiment.Estimate{experiment.Mean(c.x), experiment.Mean(c.y), experiment.Mean(c.z)}
		in := &inquiry{result: &experiment.Result{Metrics: metrics, Points: []experiment.Point{p}}}
		claim := largest{metric: "x", rivals: []string{"y", "z"}, variant: "a"}
		v, err := claim.judge(in)
		if err != nil || v.Word != c.want {
			t.Errorf("%+v: %s, %v, want %s (%s)", c, v.Word, err, c.want, v.Measured)
		}
		claim.rivals = []string{"w"}
		if _, err := claim.judge(in); err == nil {
			t.Error("no error where there is no such metric")
		}
	}
}
