package experiment

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Comparison is one metric of two points, A against B, replication by
// replication: with common random numbers the two runs of a pair have much of
// their luck in common.
type Comparison struct {
	// Pairs is how many replications had a value on both sides.
	Pairs int
	// Difference is the mean of A - B with its 95 % interval by Student's t;
	// not available when a value is infinite.
	Difference Estimate
	// Ratio is mean A / mean B.
	Ratio float64
	// Correlation of A and B over the replications: what common random numbers
	// are good for when it is positive.
	Correlation float64
	// Less, Equal and Greater count the pairs with A < B, A = B and A > B.
	Less, Equal, Greater int
	// P is the two-sided p-value of "no difference".
	P float64
	// Sign says that P is of the sign test, else it is of the t test.
	Sign bool
}

// Compare compares the runs of two points on a metric: by signs if it can be
// infinite or is 0 or 1 in each run, else by means.
func Compare(m Metric, a, b []float64) Comparison {
	if m.Infinite || m.Share {
		return SignTest(a, b)
	}
	return Paired(a, b)
}

// Paired compares by the t test on the differences of pairs.
func Paired(a, b []float64) Comparison {
	a, b = pairs(a, b)
	c := tally(a, b)
	if c.Difference.N > 1 {
		c.P = tTest(c.Difference)
	}
	return c
}

// SignTest compares by the signs of the differences of pairs: "never" is a
// value like any other there. Equal pairs say nothing.
func SignTest(a, b []float64) Comparison {
	a, b = pairs(a, b)
	c := tally(a, b)
	c.Sign = true
	if n := c.Less + c.Greater; n > 0 {
		d := distuv.Binomial{N: float64(n), P: 0.5}
		c.P = min(1, round10(2*d.CDF(float64(min(c.Less, c.Greater)))))
	} else if c.Pairs > 0 {
		c.P = 1
	}
	return c
}

// direction is the sign of A - B: by the mean difference or by the majority of
// the pairs, as the test that found P looks at it.
func (c Comparison) direction() int {
	switch {
	case c.Sign:
		return sign(float64(c.Greater - c.Less))
	case math.IsNaN(c.Difference.Centre):
		return 0
	default:
		return sign(c.Difference.Centre)
	}
}

// pairs keeps the replications with a value on both sides.
func pairs(a, b []float64) (x, y []float64) {
	for i := range min(len(a), len(b)) {
		if !math.IsNaN(a[i]) && !math.IsNaN(b[i]) {
			x, y = append(x, a[i]), append(y, b[i])
		}
	}
	return x, y
}

// tally is the comparison without its P.
func tally(a, b []float64) Comparison {
	nan := math.NaN()
	c := Comparison{Pairs: len(a), Difference: unavailable(), Ratio: nan, Correlation: nan, P: nan}
	finite := len(a) > 0
	diff := make([]float64, len(a))
	for i := range a {
		switch {
		case a[i] < b[i]:
			c.Less++
		case a[i] > b[i]:
			c.Greater++
		default:
			c.Equal++
		}
		finite = finite && !math.IsInf(a[i], 0) && !math.IsInf(b[i], 0)
		diff[i] = a[i] - b[i]
	}
	if !finite {
		return c
	}
	c.Difference = Mean(diff)
	ma, va := moments(a)
	mb, vb := moments(b)
	if mb != 0 {
		c.Ratio = ma / mb
	}
	if va > 0 && vb > 0 {
		_, vd := moments(diff)
		c.Correlation = max(-1, min(1, (va+vb-vd)/2/math.Sqrt(float64(va*vb))))
	}
	return c
}

// tTest is the two-sided p-value of a mean that should be 0.
func tTest(e Estimate) float64 {
	half := e.Hi - e.Centre
	switch {
	case half > 0:
		t := math.Abs(e.Centre) / half * tQuantile(e.N-1, 1-tail)
		return min(1, round10(2*distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(e.N - 1)}.Survival(t)))
	case e.Centre == 0:
		return 1
	default:
		return 0
	}
}

// Holm adjusts the p-values of several comparisons, so that the chance of one
// or more false findings among them stays at the level of one. What is not
// available stays so and does not count.
func Holm(p []float64) []float64 {
	var order []int
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return sign(p[i] - p[j]) })
	adjusted := slices.Clone(p)
	worst := 0.0
	for k, i := range order {
		worst = max(worst, min(1, float64(len(order)-k)*p[i]))
		adjusted[i] = worst
	}
	return adjusted
}

func sign(v float64) int {
	switch {
	case v < 0:
		return -1
	case v > 0:
		return 1
	default:
		return 0
	}
}
