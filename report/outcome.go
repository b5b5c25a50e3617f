package report

import (
	"fmt"
	"math"
	"slices"

	"retrystorm/experiment"
)

// outcome is a point, or the part of its replications that ended the same
// way. Where some replications recover and others never do, a mean over both
// describes neither, so reports show the two side by side.
type outcome struct {
	point     *experiment.Point
	estimates []experiment.Estimate
	label     string // "7 of 20 locked in"; empty when all ended alike
}

// outcomes are those of a point, the more frequent first.
func outcomes(r *experiment.Result, p *experiment.Point) []outcome {
	bad, word := endings(r, p)
	n := 0
	for _, b := range bad {
		if b {
			n++
		}
	}
	if n == 0 || n == len(p.Runs) {
		return []outcome{{point: p, estimates: p.Estimates}}
	}
	part := func(want bool, n int, word string) outcome {
		var runs []experiment.Run
		for i, run := range p.Runs {
			if bad[i] == want {
				runs = append(runs, run)
			}
		}
		return outcome{p, estimate(r, runs), fmt.Sprintf("%d of %d %s", n, len(p.Runs), word)}
	}
	both := []outcome{part(false, len(p.Runs)-n, "recover"), part(true, n, word)}
	if 2*n > len(p.Runs) {
		slices.Reverse(both)
	}
	return both
}

// endings says which replications ended badly, and what that is called.
func endings(r *experiment.Result, p *experiment.Point) (bad []bool, word string) {
	bad = make([]bool, len(p.Runs))
	if i := metricIndex(r, "locked_in"); i >= 0 {
		for k, run := range p.Runs {
			bad[k] = run.Values[i] == 1
		}
		return bad, "locked in"
	}
	if i := metricIndex(r, "recovery"); i >= 0 {
		for k, run := range p.Runs {
			bad[k] = math.IsInf(run.Values[i], 1)
		}
	}
	return bad, "never recover"
}

// estimate describes some runs of a point by their centres alone: they were
// chosen by how they ended, so an interval would promise too much.
func estimate(r *experiment.Result, runs []experiment.Run) []experiment.Estimate {
	out := make([]experiment.Estimate, len(r.Metrics))
	for i, m := range r.Metrics {
		e := experiment.Estimate{Centre: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
		var values []float64
		for _, run := range runs {
			if v := run.Values[i]; !math.IsNaN(v) {
				values = append(values, v)
			}
		}
		if len(values) > 0 {
			e.Centre = centre(values, m.Infinite)
		}
		out[i] = e
	}
	return out
}

// centre is the mean, or the lower median where values may be infinite.
func centre(values []float64, infinite bool) float64 {
	if infinite {
		slices.Sort(values)
		return values[(len(values)-1)/2]
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// metricIndex is the place of a metric by name, -1 when the result has none.
func metricIndex(r *experiment.Result, name string) int {
	return slices.IndexFunc(r.Metrics, func(m experiment.Metric) bool { return m.Name == name })
}
