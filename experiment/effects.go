package experiment

import "math"

// Effects are those of all axes on all metrics, of the points of a Morris
// design (M. D. Morris, "Factorial sampling plans for preliminary computational
// experiments", 1991): r.Points has, for each variant, every row of the design
// in order. unit has the place of each row in the unit cube; a trajectory is
// len(r.Axes)+1 rows of which neighbours differ in one axis. The value of a
// metric at a point is its centre there; a step with an infinite or missing end
// has no effect.
func Effects(r *Result, trajectories [][]int, unit [][]float64) []Effect {
	var out []Effect
	for first := 0; first+len(unit) <= len(r.Points) && len(unit) > 0; first += len(unit) {
		points := r.Points[first : first+len(unit)]
		for m := range r.Metrics {
			steps := elementary(points, m, trajectories, unit, len(r.Axes))
			for a, axis := range r.Axes {
				e := effectOf(steps[a])
				e.Variant, e.Metric, e.Axis = points[0].Variant, r.Metrics[m].Name, axis
				out = append(out, e)
			}
		}
	}
	return out
}

// elementary are the effects of each axis, in the order of the trajectories.
func elementary(points []Point, metric int, trajectories [][]int, unit [][]float64, axes int) [][]float64 {
	effects := make([][]float64, axes)
	for _, rows := range trajectories {
		for k := 1; k < len(rows); k++ {
			from, to := rows[k-1], rows[k]
			change := points[to].Estimates[metric].Centre - points[from].Estimates[metric].Centre
			if math.IsNaN(change) || math.IsInf(change, 0) {
				continue
			}
			for a := range axes {
				if step := unit[to][a] - unit[from][a]; step != 0 {
					effects[a] = append(effects[a], change/step)
				}
			}
		}
	}
	return effects
}

// effectOf is what the effects of one axis come to.
func effectOf(effects []float64) Effect {
	nan := math.NaN()
	e := Effect{MuStar: nan, Lo: nan, Hi: nan, Mu: nan, Sigma: nan, Trajectories: len(effects)}
	if len(effects) == 0 {
		return e
	}
	sizes := make([]float64, len(effects))
	for i, v := range effects {
		sizes[i] = math.Abs(v)
	}
	size := Mean(sizes)
	e.MuStar, e.Lo, e.Hi = size.Centre, max(0, size.Lo), size.Hi
	mu, variance := moments(effects)
	e.Mu = mu
	if len(effects) > 1 {
		e.Sigma = math.Sqrt(variance)
	}
	return e
}
