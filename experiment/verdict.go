package experiment

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Verdict is what became of a claim.
type Verdict string

// The verdicts.
const (
	Confirmed Verdict = "confirmed" // at every point
	Refuted   Verdict = "refuted"   // the opposite at every point
	OnlyWhen  Verdict = "only when" // true at some points, the opposite at others
	Undecided Verdict = "undecided" // too much noise at some point
)

// Finding is a claim about the sign of a difference at several points, judged.
type Finding struct {
	Verdict Verdict
	// P are the p-values of the comparisons, adjusted after Holm.
	P []float64
	// Signs say for each comparison whether the claim holds (+1), the opposite
	// does (-1), or neither is certain (0).
	Signs []int
	// Need estimates, for an undecided claim, how many replications would
	// decide it if the differences are what they seem; 0: none would, as some
	// difference is nil.
	Need int
}

// Decide judges the claim that A - B has the sign of claim (negative: A is
// less) in every comparison.
func Decide(claim int, cs []Comparison) Finding {
	f := Finding{P: make([]float64, len(cs)), Signs: make([]int, len(cs))}
	for i, c := range cs {
		f.P[i] = c.P
	}
	f.P = Holm(f.P)
	holds, opposite := 0, 0
	for i, c := range cs {
		if f.P[i] <= 1-level {
			f.Signs[i] = c.direction() * sign(float64(claim))
		}
		switch f.Signs[i] {
		case 1:
			holds++
		case -1:
			opposite++
		}
	}
	switch {
	case holds > 0 && opposite > 0:
		f.Verdict = OnlyWhen
	case len(cs) > 0 && holds == len(cs):
		f.Verdict = Confirmed
	case len(cs) > 0 && opposite == len(cs):
		f.Verdict = Refuted
	default:
		f.Verdict = Undecided
		f.Need = need(cs, f.Signs)
	}
	return f
}

// need is the largest number of replications that an undecided comparison
// asks for, at the level that Holm demands of the worst.
func need(cs []Comparison, signs []int) int {
	if len(cs) == 0 {
		return 0
	}
	z := round10(distuv.UnitNormal.Quantile(1 - tail/float64(len(cs))))
	most := 0.0
	for i, c := range cs {
		if signs[i] != 0 {
			continue
		}
		n := c.need(z)
		if math.IsNaN(n) || math.IsInf(n, 0) || n > 1e9 {
			return 0
		}
		most = max(most, n)
	}
	return int(math.Ceil(most))
}

// need is how many pairs would put the difference z standard errors from 0.
func (c Comparison) need(z float64) float64 {
	n := float64(c.Pairs)
	var distance float64 // in standard errors, at present
	if c.Sign {
		distance = float64(c.Greater-c.Less) / math.Sqrt(float64(c.Greater+c.Less))
	} else {
		se := (c.Difference.Hi - c.Difference.Centre) / tQuantileAt(max(c.DF, 1), 1-tail)
		distance = c.Difference.Centre / se
	}
	r := z / distance
	return max(n+1, float64(n*r)*r)
}
