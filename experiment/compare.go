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
	// DF are the degrees of freedom of the t test, which need not be whole.
	DF float64
}

// Compare compares the runs of two points on a metric: by signs if it can be
// infinite or is 0 or 1 in each run, else by means.
func Compare(m Metric, a, b []float64) Comparison {
	if m.Infinite || m.Share {
		return SignTest(a, b)
	}
	return Paired(a, b)
}

// Paired compares by the t test on the differences of pairs. It does so whatever
// the correlation: to fall back to [Unpaired] where the sample's is not positive
// would be to take, each time, the test with the smaller standard error. Of
// samples of ten pairs without a difference it would call 6.4 % different instead of 5 % when the
// two are independent, and 10 % when their correlation is -0.5. All that pairing
// costs without a correlation are degrees of freedom.
func Paired(a, b []float64) Comparison {
	a, b = pairs(a, b)
	c := tally(a, b)
	if n := c.Difference.N; n > 1 {
		c.DF = float64(n - 1)
		c.P = tTest(c.Difference, c.DF)
	}
	return c
}

// Unpaired compares samples that have no luck in common, such as those of
// different seeds, by Welch's test: their variances need not be equal, nor their
// sizes. Pairs is the smaller size; no pairs are counted.
func Unpaired(a, b []float64) Comparison {
	a, b = available(a), available(b)
	nan := math.NaN()
	c := Comparison{Pairs: min(len(a), len(b)), Difference: unavailable(), Ratio: nan, Correlation: nan, P: nan}
	if c.Pairs == 0 || !finite(a) || !finite(b) {
		return c
	}
	ma, va := moments(a)
	mb, vb := moments(b)
	if mb != 0 {
		c.Ratio = ma / mb
	}
	c.Difference.Centre, c.Difference.N = ma-mb, c.Pairs
	if c.Pairs > 1 {
		va, vb = va/float64(len(a)), vb/float64(len(b))
		c.DF = welch(va, vb, len(a), len(b))
		half := float64(tQuantileAt(c.DF, 1-tail) * math.Sqrt(va+vb))
		c.Difference.Lo, c.Difference.Hi = c.Difference.Centre-half, c.Difference.Centre+half
		c.P = tTest(c.Difference, c.DF)
	}
	return c
}

// welch are the degrees of freedom of the sum of two variances of means, after
// Satterthwaite ("An approximate distribution of estimates of variance
// components", 1946).
func welch(va, vb float64, na, nb int) float64 {
	if va+vb == 0 {
		return float64(na + nb - 2)
	}
	a, b := va/(va+vb), vb/(va+vb)
	return 1 / (float64(a*a)/float64(na-1) + float64(b*b)/float64(nb-1))
}

// RatioInterval is the 95 % interval of mean a / mean b after Fieller ("Some
// problems in interval estimation", 1954): the ratios r that the t test on a - r b
// does not refute. Of pairs, or of independent samples. It is not available when
// a value is infinite, or when mean b can be 0.
func RatioInterval(a, b []float64, paired bool) (lo, hi float64) {
	if paired {
		a, b = pairs(a, b)
	} else {
		a, b = available(a), available(b)
	}
	nan := math.NaN()
	if min(len(a), len(b)) < 2 || !finite(a) || !finite(b) {
		return nan, nan
	}
	ma, va := moments(a)
	mb, vb := moments(b)
	if mb == 0 {
		return nan, nan
	}
	ratio, n := ma/mb, float64(len(b))
	// The variances and the covariance of the means of rest = a - ratio b and of b.
	vb /= n
	var rest, both, df float64
	if paired {
		r := make([]float64, len(a))
		for i := range a {
			r[i] = a[i] - float64(ratio*b[i])
		}
		mr, vr := moments(r)
		rest, both, df = vr/n, covariance(r, b, mr, mb)/n, n-1
	} else {
		va /= float64(len(a))
		vrb := float64(float64(ratio*ratio) * vb)
		rest, both, df = va+vrb, -float64(ratio*vb), welch(va, vrb, len(a), len(b))
	}
	// (mean rest - x mean b)^2 = t^2 var(mean rest - x mean b), solved for x.
	t := tQuantileAt(df, 1-tail)
	t2 := float64(t * t)
	scale := float64(mb*mb) - float64(t2*vb)
	if scale <= 0 {
		return nan, nan
	}
	centre := ratio - float64(t2*both)/scale
	root := float64(float64(mb*mb)*rest) - float64(t2*(float64(rest*vb)-float64(both*both)))
	half := float64(t*math.Sqrt(max(0, root))) / scale
	return centre - half, centre + half
}

// finite reports whether all values are.
func finite(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return math.IsInf(v, 0) })
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
		diff[i] = a[i] - b[i]
	}
	if len(a) == 0 || !finite(a) || !finite(b) {
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
func tTest(e Estimate, df float64) float64 {
	half := e.Hi - e.Centre
	switch {
	case half > 0:
		t := math.Abs(e.Centre) / half * tQuantileAt(df, 1-tail)
		return min(1, round10(2*distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Survival(t)))
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
