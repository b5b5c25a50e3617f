package experiment

import (
	"slices"
)

// Tradeoffs says how the points at one place of the sweep stand to each other.
// A point is off the front when another one, B, is certainly better in one of
// the two metrics (at 95 %, paired, after Holm over all pairs and both metrics)
// and in the other its centre is no worse and nobody can be certain that it is.
// So a point on the front need not belong there: perhaps nobody can tell yet.
func Tradeoffs(r *Result, points []*Point) []Tradeoff {
	calls := slices.IndexFunc(r.Metrics, func(m Metric) bool { return m.Name == "total_calls" })
	completion := slices.IndexFunc(r.Metrics, func(m Metric) bool { return m.Name == "completion_p99" })
	if calls < 0 || completion < 0 {
		return nil
	}
	out := make([]Tradeoff, len(points))
	for i, p := range points {
		out[i] = Tradeoff{Front: true, Calls: p.Estimates[calls], Completion: p.Estimates[completion], Cost: costOf(r, p, calls, completion)}
	}
	better := beaten(r, points, calls, completion)
	for i := range out {
		out[i].Front = !slices.Contains(better[i], true)
	}
	for i := range out {
		if by := champion(out, better[i]); by >= 0 {
			out[i].By = points[by].Variant
		}
	}
	return out
}

// champion is the first of those that are better, if possible one that nobody
// beats; -1: there is none.
func champion(all []Tradeoff, better []bool) int {
	for j, b := range better {
		if b && all[j].Front {
			return j
		}
	}
	return slices.Index(better, true)
}

// beaten tells for each point which others put it off the front.
func beaten(r *Result, points []*Point, metrics ...int) [][]bool {
	n := len(points)
	var directions [][]int // per metric, of each pair: the sign of i - j
	var p []float64
	for _, m := range metrics {
		var signs []int
		for i := range n {
			for j := range i {
				c := Compare(r.Metrics[m], columnOf(points[i], m), columnOf(points[j], m))
				signs, p = append(signs, c.direction()), append(p, c.P)
			}
		}
		directions = append(directions, signs)
	}
	for k, adjusted := range Holm(p) {
		if signs := directions[k/(n*(n-1)/2)]; !(adjusted <= 1-level) {
			signs[k%len(signs)] = 0
		}
	}
	out := make([][]bool, n)
	for i := range n {
		out[i] = make([]bool, n)
		for j := range n {
			if i != j {
				out[i][j] = dominates(points[j], points[i], metrics, directions, j, i)
			}
		}
	}
	return out
}

// dominates reports whether b, the point at j, is better than a, the one at i.
func dominates(b, a *Point, metrics []int, directions [][]int, j, i int) bool {
	better := false
	for k, m := range metrics {
		if !(b.Estimates[m].Centre <= a.Estimates[m].Centre) {
			return false
		}
		switch certain(directions[k], j, i) {
		case -1:
			better = true
		case 1:
			return false
		}
	}
	return better
}

// certain is the certain sign of point i - point j, of pairs listed as beaten
// lists them.
func certain(signs []int, i, j int) int {
	if i < j {
		return -certain(signs, j, i)
	}
	return signs[i*(i-1)/2+j]
}

// costOf is what calls and waiting cost together, in calls.
func costOf(r *Result, p *Point, calls, completion int) Estimate {
	if r.Exchange == 0 {
		return unavailable()
	}
	values := columnOf(p, calls)
	for i, s := range columnOf(p, completion) {
		values[i] += float64(r.Exchange * s)
	}
	return Median(values)
}
