package experiment

import "math"

// firstLook is how many replications come before the first look at the
// precision: with fewer, a deviation that happens to be small stops too early.
const firstLook = 10

// Precision says how precise an estimate must be: to within so much, or, when
// relative, to within that share of the truth.
type Precision struct {
	Within   float64
	Relative bool
}

// Reached reports whether the estimate is precise enough, half the width of its
// interval being its error. Relative to the truth, which is not known, means
// within/(1+within) relative to the centre (Law, "Simulation modeling and
// analysis", 9.4.1). A centre of 0 is never precise in this sense, unless
// nothing varies. Infinite at both ends is as precise as can be.
func (p Precision) Reached(e Estimate) bool {
	if math.IsInf(e.Lo, 1) && math.IsInf(e.Hi, 1) {
		return true
	}
	h := halfWidth(e)
	return h <= p.margin(e.Centre) && !math.IsInf(h, 1)
}

// margin is how much is allowed around a centre.
func (p Precision) margin(centre float64) float64 {
	if p.Relative {
		return p.Within / (1 + p.Within) * math.Abs(centre)
	}
	return p.Within
}

// halfWidth is half the width of the interval.
func halfWidth(e Estimate) float64 { return (e.Hi - e.Lo) / 2 }

// NextLook is with how many replications to look at the precision again when
// there are n: at 10, and then each time when there are half as many again, but
// with no more than most. Each look is a chance to stop too early, so there
// should be few.
func NextLook(n, most int) int {
	if n < firstLook {
		return min(firstLook, most)
	}
	return min(n+(n+1)/2, most)
}
