package experiment

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

// level is the confidence level of every interval, tail what is left on either
// side.
const (
	level = 0.95
	tail  = (1 - level) / 2
	// normal is the quantile of the standard normal at 1 - tail.
	normal = 1.959963985
)

// estimate summarises a metric over replications: the share of a 0/1 metric,
// the median of one that can be infinite, the mean of all others. Replications
// without a value (NaN) do not count.
func estimate(m *Metric, values []float64) Estimate {
	switch {
	case m.Share:
		return Share(values)
	case m.Infinite, m.Quantile > 0: // percentiles are not averaged
		return Median(values)
	default:
		return Mean(values)
	}
}

// estimates summarises all metrics over runs.
func estimates(metrics []definition, runs []Run) []Estimate {
	out := make([]Estimate, len(metrics))
	values := make([]float64, len(runs))
	for i := range metrics {
		for r := range runs {
			values[r] = runs[r].Values[i]
		}
		out[i] = estimate(&metrics[i].Metric, values)
	}
	return out
}

// unavailable is the estimate of nothing.
func unavailable() Estimate {
	nan := math.NaN()
	return Estimate{Centre: nan, Lo: nan, Hi: nan}
}

// Mean is the mean with its 95 % interval by Student's t.
func Mean(values []float64) Estimate {
	values = available(values)
	e := unavailable()
	e.N = len(values)
	if e.N == 0 {
		return e
	}
	centre, variance := moments(values)
	e.Centre = centre
	if e.N > 1 {
		half := float64(tQuantile(e.N-1, 1-tail) * math.Sqrt(variance/float64(e.N)))
		e.Lo, e.Hi = centre-half, centre+half
	}
	return e
}

// Median is the median with its 95 % interval by order statistics: no matter
// how the values are distributed, infinite ones included (they sort last).
func Median(values []float64) Estimate {
	sorted := slices.Sorted(slices.Values(available(values)))
	e := unavailable()
	e.N = len(sorted)
	if e.N == 0 {
		return e
	}
	e.Centre = middle(sorted[(e.N-1)/2], sorted[e.N/2])
	finite := sort.Search(e.N, func(i int) bool { return math.IsInf(sorted[i], 1) })
	e.InfShare = float64(e.N-finite) / float64(e.N)
	if lo, hi, ok := orderInterval(e.N, 0.5); ok {
		e.Lo, e.Hi = sorted[lo-1], sorted[hi-1]
	}
	return e
}

// Sectioned is a quantile of the pooled values of all replications with its
// 95 % interval by sectioning (Asmussen and Glynn, "Stochastic simulation",
// 2007, III.5): each is the same quantile of each replication, and Student's t
// is applied to their distances from the pooled one. What is pooled is not
// independent within a replication, so its own order statistics would not do.
//
// Where a replication's quantile is infinite there is no spread. The upper end
// is then infinite, which is never too low, and the lower one is the least of the
// replications, if there are as many as an interval of the median takes.
func Sectioned(pooled float64, each []float64) Estimate {
	each = available(each)
	e := unavailable()
	e.N = len(each)
	if e.N == 0 || math.IsNaN(pooled) {
		return e
	}
	e.Centre, e.InfShare = pooled, Median(each).InfShare
	switch {
	case e.InfShare > 0 || math.IsInf(pooled, 1):
		e.Hi = math.Inf(1)
		if _, _, ok := orderInterval(e.N, 0.5); ok {
			e.Lo = min(slices.Min(each), pooled)
		}
	case e.N > 1:
		var squares float64
		for _, v := range each {
			d := v - pooled
			squares += float64(d * d)
		}
		half := float64(tQuantile(e.N-1, 1-tail) * math.Sqrt(squares/float64(e.N-1)/float64(e.N)))
		e.Lo, e.Hi = pooled-half, pooled+half
	}
	return e
}

// Share is the share of ones among zeros and ones with its 95 % interval by
// Wilson's formula, which holds near 0 and 1 too.
func Share(values []float64) Estimate {
	values = available(values)
	e := unavailable()
	e.N = len(values)
	if e.N == 0 {
		return e
	}
	ones := 0
	for _, v := range values {
		if v > 0 {
			ones++
		}
	}
	n := float64(e.N)
	p := float64(ones) / n
	e.Centre = p
	if e.N > 1 {
		e.Lo, e.Hi = wilson(p, n)
	}
	return e
}

// wilson is the interval of a share of n.
func wilson(p, n float64) (lo, hi float64) {
	const z2 = normal * normal
	centre := p + z2/(2*n)
	half := float64(normal * math.Sqrt(float64(p*(1-p))/n+z2/(4*n*n)))
	scale := 1 + z2/n
	// At the ends the formula is exact but for rounding.
	lo, hi = max((centre-half)/scale, 0), min((centre+half)/scale, 1)
	if p == 0 {
		lo = 0
	}
	if p == 1 {
		hi = 1
	}
	return lo, hi
}

// available drops what is not available.
func available(values []float64) []float64 {
	if !slices.ContainsFunc(values, math.IsNaN) {
		return values
	}
	return slices.DeleteFunc(slices.Clone(values), math.IsNaN)
}

// moments are mean and variance (n-1), summed in index order. Values are taken
// relative to the first one, so that large ones lose no digits, and the second
// pass corrects what the first one lost.
func moments(values []float64) (mean, variance float64) {
	n := float64(len(values))
	shift := values[0]
	var sum float64
	for _, v := range values {
		sum += v - shift
	}
	mean = shift + sum/n
	if len(values) < 2 {
		return mean, 0
	}
	var squares, rest float64
	for _, v := range values {
		d := v - mean
		squares += float64(d * d)
		rest += d
	}
	return mean, max(0, squares-float64(rest*rest)/n) / (n - 1)
}

// covariance is that of pairs (n-1), given their means.
func covariance(x, y []float64, mx, my float64) float64 {
	var sum float64
	for i := range x {
		sum += float64((x[i] - mx) * (y[i] - my))
	}
	return sum / float64(len(x)-1)
}

// middle is the mean of a <= b; both may be infinite.
func middle(a, b float64) float64 {
	if a == b {
		return a
	}
	return a + float64((b-a)/2)
}

// orderInterval finds the ranks (from 1) of the order statistics of n values
// that enclose their p quantile at 95 %, 2.5 % at most on either side. There
// are none when n is too small.
func orderInterval(n int, p float64) (lo, hi int, ok bool) {
	b := distuv.Binomial{N: float64(n), P: p}
	// lo is the largest l with P(B <= l-1) <= 2.5 %.
	lo = sort.Search(n+1, func(k int) bool { return b.CDF(float64(k)) > tail })
	// hi is the smallest u with P(B >= u) <= 2.5 %.
	hi = sort.Search(n+1, func(k int) bool { return 1-b.CDF(float64(k)) <= tail }) + 1
	return lo, hi, lo >= 1 && hi <= n
}

// tQuantile is the quantile of Student's t, rounded to 10 digits because its
// last ones differ between architectures.
func tQuantile(df int, p float64) float64 {
	key := atDegrees{df, p}
	if t, ok := tQuantiles.Load(key); ok {
		return t.(float64)
	}
	t := tQuantileAt(float64(df), p)
	tQuantiles.Store(key, t)
	return t
}

// tQuantiles are those that were asked for: they take longer than all the rest
// of an estimate.
var tQuantiles sync.Map

type atDegrees struct {
	df int
	p  float64
}

// tQuantileAt is tQuantile for degrees of freedom that need not be whole.
func tQuantileAt(df, p float64) float64 {
	return round10(distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(p))
}

// round10 rounds to 10 significant digits.
func round10(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 9, 64), 64)
	if err != nil {
		panic("experiment: " + err.Error())
	}
	return r
}
