package report

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"retrystorm/experiment"
)

// variants are the variants of a result in order.
func variants(r *experiment.Result) []string {
	var out []string
	for i := range r.Points {
		if v := r.Points[i].Variant; !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// sweepAxis is a sweep axis whose values are numbers, as an axis of a plot.
type sweepAxis struct {
	index  int
	label  string
	unit   string
	values map[string]float64
}

// numericAxis is the numeric sweep axis with the most values, nil when there
// is none with two.
func numericAxis(r *experiment.Result) *sweepAxis {
	var best *sweepAxis
	for i := range r.Axes {
		if a := newSweepAxis(r, i); a != nil && (best == nil || len(a.values) > len(best.values)) {
			best = a
		}
	}
	return best
}

func newSweepAxis(r *experiment.Result, i int) *sweepAxis {
	a := &sweepAxis{index: i, label: r.Axes[i], values: map[string]float64{}}
	for k := range r.Points {
		text := r.Points[k].Sweep[i]
		v, unit, ok := Quantity(text)
		if !ok || len(a.values) > 0 && unit != a.unit {
			return nil
		}
		a.values[text], a.unit = v, unit
	}
	if len(a.values) < 2 {
		return nil
	}
	return a
}

// Quantity reads a sweep value as written in a scenario: 10_000, 100ms, 1d6h,
// 200/s, 10%.
func Quantity(s string) (v float64, unit string, ok bool) {
	number := func(s string) (float64, bool) {
		v, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
		return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	if v, ok = number(s); ok {
		return v, "", true
	}
	if n, found := strings.CutSuffix(s, "%"); found {
		v, ok = number(strings.TrimSpace(n))
		return v / 100, "%", ok
	}
	if n, per, found := strings.Cut(s, "/"); found {
		seconds := map[string]float64{"s": 1, "min": 60, "m": 60, "h": 3600}[per]
		v, ok = number(strings.TrimSpace(n))
		return v / seconds, "/s", ok && seconds > 0
	}
	days := 0.0
	if n, rest, found := strings.Cut(s, "d"); found {
		if v, ok = number(n); !ok || rest == "" {
			return v * 86400, "s", ok
		}
		days, s = v, rest
	}
	d, err := time.ParseDuration(s)
	return float64(days*86400) + d.Seconds(), "s", err == nil
}

// severest is the last place of the sweep: people sweep from gentle to severe,
// and pictures that can show only one combination show that one, and say so.
func severest(r *experiment.Result) []string {
	if len(r.Points) == 0 {
		return nil
	}
	return r.Points[len(r.Points)-1].Sweep
}

// at are the points with the given sweep values, one per variant at most.
func at(r *experiment.Result, sweep []string) []*experiment.Point {
	var out []*experiment.Point
	for i := range r.Points {
		if slices.Equal(r.Points[i].Sweep, sweep) {
			out = append(out, &r.Points[i])
		}
	}
	return out
}

// where says which sweep values a picture shows: "at clients.count = 100".
func where(r *experiment.Result, sweep []string) string {
	var parts []string
	for i, v := range sweep {
		parts = append(parts, r.Axes[i]+" = "+v)
	}
	if len(parts) == 0 {
		return ""
	}
	return "at " + strings.Join(parts, ", ")
}

// others are the combinations of all axes but one, in order, and of each the
// points. Axes that move together have only one.
func others(r *experiment.Result, but int) (combinations [][]string, points [][]*experiment.Point) {
	seen := map[string]int{}
	for i := range r.Points {
		p := &r.Points[i]
		var rest []string
		if r.Design != zipped {
			rest = slices.Delete(slices.Clone(p.Sweep), but, but+1)
		}
		k, ok := seen[joined(rest)]
		if !ok {
			k = len(combinations)
			seen[joined(rest)] = k
			combinations, points = append(combinations, rest), append(points, nil)
		}
		points[k] = append(points[k], p)
	}
	return combinations, points
}

// The designs that matter to how results are shown.
const (
	zipped = "zip"
	morris = "morris"
)

// scattered reports whether the places of the sweep fill the room between all
// axes, so that no line along one of them means anything.
func scattered(r *experiment.Result) bool {
	return r.Design == "latin" || r.Design == "sobol" || r.Design == morris
}
