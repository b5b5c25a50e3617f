package experiment

import "math"

// Contrasts compares points with the reference at the same place of the sweep:
// for each point, every metric of the result. others must not have the
// reference among them.
func Contrasts(r *Result, reference *Point, others []*Point) [][]Contrast {
	out := make([][]Contrast, len(others))
	for i := range others {
		out[i] = make([]Contrast, len(r.Metrics))
	}
	p := make([]float64, len(others))
	for m := range r.Metrics {
		of := columnOf(reference, m)
		for i, other := range others {
			split := len(reference.Outcomes)+len(other.Outcomes) > 0
			out[i][m] = contrast(r.Metrics[m], columnOf(other, m), of, split)
			p[i] = out[i][m].P
		}
		for i, adjusted := range Holm(p) {
			out[i][m].decide(adjusted)
		}
	}
	return out
}

// contrast is a comparison that nobody has decided yet. The ratio of the shares
// of a few runs has no interval that could be relied on; and where replications
// split in two, their means describe neither, so pairs are counted.
func contrast(m Metric, a, b []float64, split bool) Contrast {
	c := Contrast{Comparison: Compare(m, a, b), RatioLo: math.NaN(), RatioHi: math.NaN()}
	if split {
		c.Comparison = SignTest(a, b)
	}
	if !m.Share && !split {
		c.RatioLo, c.RatioHi = RatioInterval(a, b, true)
	}
	return c
}

// decide says what the adjusted p-value, which may not be available, says.
func (c *Contrast) decide(adjusted float64) {
	c.Adjusted = adjusted
	if adjusted <= 1-level {
		c.Direction = c.direction()
	}
}

// columnOf is a metric over the runs of a point.
func columnOf(p *Point, metric int) []float64 {
	values := make([]float64, len(p.Runs))
	for i := range p.Runs {
		values[i] = p.Runs[i].Values[metric]
	}
	return values
}
