package real

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// sigmas is how far two samples may lie apart, in standard deviations of the
// difference. The libraries draw from sources that no test can seed, so the
// level is set for a run that never fails by chance: two-sided, 6 sigmas are
// 2e-9 per comparison, and there are fewer than 4,000 of them. Chernoff's bound
// for the most skewed one (200 of 20,000 draws below the 1 % quantile) is 5e-8,
// so a correct policy fails less than once in 5,000 runs even by that bound,
// and about once in 100,000 by the normal law.
const sigmas = 6

// percents are the quantiles that are compared.
var percents = []int{1, 10, 50, 90, 99}

// rounding is by how much two ways to round the same wait may differ. It keeps
// atoms apart from their neighbours when one side truncates 404.999999 ms where
// the other has 405.
const rounding = time.Nanosecond

// waits are the waits of many requests: waits[request][retry-1].
type waits [][]time.Duration

// before are the waits before one retry, in ascending order.
func (w waits) before(retry int) []time.Duration {
	out := make([]time.Duration, len(w))
	for i := range w {
		out[i] = w[i][retry-1]
	}
	slices.Sort(out)
	return out
}

// compare says in what two samples differ; nothing when they may well have the
// same law. Each sequence has n waits.
func compare(theirs, ours waits, n int) (problems []string) {
	for k := 1; k <= n; k++ {
		a, b := theirs.before(k), ours.before(k)
		for _, p := range slices.Concat(compareMeans(a, b), compareQuantiles(a, b)) {
			problems = append(problems, fmt.Sprintf("retry %d: %s", k, p))
		}
	}
	if n >= 4 {
		if p := compareCorrelations(theirs, ours); p != "" {
			problems = append(problems, p)
		}
	}
	return problems
}

// compareMeans of sorted samples. What never varies must be equal.
func compareMeans(a, b []time.Duration) []string {
	if constant(a) || constant(b) {
		if a[0] != b[0] || a[len(a)-1] != b[len(b)-1] {
			return []string{fmt.Sprintf("library %v..%v, preset %v..%v", a[0], a[len(a)-1], b[0], b[len(b)-1])}
		}
		return nil
	}
	ma, va := moments(a)
	mb, vb := moments(b)
	limit := sigmas * math.Sqrt(va/float64(len(a))+vb/float64(len(b)))
	if math.Abs(ma-mb) > limit+float64(rounding) {
		return []string{fmt.Sprintf("mean: library %v, preset %v, more than %v apart",
			time.Duration(ma), time.Duration(mb), time.Duration(limit))}
	}
	return nil
}

func constant(sorted []time.Duration) bool { return sorted[0] == sorted[len(sorted)-1] }

func moments(x []time.Duration) (mean, variance float64) {
	for _, v := range x {
		mean += float64(v) / float64(len(x))
	}
	for _, v := range x {
		d := float64(v) - mean
		variance += d * d / float64(len(x)-1)
	}
	return mean, variance
}

// compareQuantiles asks of each quantile q of one sample what share of the other
// lies below it: F(q-) - t <= p <= F(q) + t, which holds for atoms too.
func compareQuantiles(a, b []time.Duration) (problems []string) {
	for _, percent := range percents {
		p := float64(percent) / 100
		limit := sigmas * math.Sqrt(p*(1-p)*(1/float64(len(a))+1/float64(len(b))))
		for _, side := range []struct {
			of         string
			from, into []time.Duration
		}{{"library", a, b}, {"preset", b, a}} {
			q := side.from[max(int(math.Ceil(p*float64(len(side.from))))-1, 0)]
			below := share(side.into, q-rounding)
			upTo := share(side.into, q+rounding+1)
			if below-limit > p || p > upTo+limit {
				problems = append(problems, fmt.Sprintf("%d %% quantile of the %s, %v: the other has %.4f below and %.4f up to there, allowed are %.4f more",
					percent, side.of, q, below, upTo, limit))
			}
		}
	}
	return problems
}

// share is how much of a sorted sample is less than x.
func share(sorted []time.Duration, x time.Duration) float64 {
	i, _ := slices.BinarySearch(sorted, x)
	return float64(i) / float64(len(sorted))
}

// compareCorrelations of the waits before retries 3 and 4: marginals cannot
// show whether a wait depends on the one before.
func compareCorrelations(theirs, ours waits) string {
	a, ea := correlation(theirs)
	b, eb := correlation(ours)
	if limit := sigmas * math.Hypot(ea, eb); math.Abs(a-b) > limit {
		return fmt.Sprintf("r(D3, D4): library %.3f, preset %.3f, more than %.3f apart", a, b, limit)
	}
	return ""
}

// correlation is Pearson's r of the waits before retries 3 and 4, and its
// standard error, from the influence of each point, x*y - r*(x*x + y*y)/2 in
// standard units, which needs no normal law. It is 0, exactly, when one of the
// two never varies.
func correlation(w waits) (r, standardError float64) {
	x, y := make([]time.Duration, len(w)), make([]time.Duration, len(w))
	for i := range w {
		x[i], y[i] = w[i][2], w[i][3]
	}
	mx, vx := moments(x)
	my, vy := moments(y)
	if vx == 0 || vy == 0 {
		return 0, 0
	}
	n := float64(len(w))
	standard := func(i int) (float64, float64) {
		return (float64(x[i]) - mx) / math.Sqrt(vx), (float64(y[i]) - my) / math.Sqrt(vy)
	}
	for i := range w {
		zx, zy := standard(i)
		r += zx * zy / n
	}
	for i := range w {
		zx, zy := standard(i)
		d := zx*zy - r*(zx*zx+zy*zy)/2
		standardError += d * d / n
	}
	return r, math.Sqrt(standardError / n)
}
