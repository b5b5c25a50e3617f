package report

import (
	"math"
	"slices"

	"retrystorm/experiment"
)

// reference is the variant that the others are compared with.
func reference(r *experiment.Result) string {
	if r.Reference == "" && len(r.Points) > 0 {
		return r.Points[0].Variant
	}
	return r.Reference
}

// comparisonsTable compares every point with the reference at its place, metric
// by metric.
func comparisonsTable(r *experiment.Result) *table {
	t := keyed(r, "comparisons", nil,
		columnsOf(words,
			"reference", "variant that the point is compared with, at the same place of the sweep",
			"metric", "name of the metric, without its unit"),
		columnsOf(numeric,
			"difference", "mean difference to the reference, pair by pair of replications; empty when a value is infinite",
			"lo", "lower end of its 95 % interval",
			"hi", "upper end of its 95 % interval",
			"ratio", "mean / mean of the reference",
			"ratio_lo", "lower end of its 95 % interval",
			"ratio_hi", "upper end of its 95 % interval"),
		columnsOf(whole64, "pairs", "replications with a value on both sides"),
		columnsOf(numeric,
			"correlation", "of both over the replications: what common random numbers are good for",
			"p", "two-sided p-value of no difference",
			"p_adjusted", "p after Holm, over the variants at the place"),
		columnsOf(words, "test", "t: paired t test; sign: sign test"),
		columnsOf(whole64, "direction", "-1: certainly less than the reference, 1: certainly more, 0: nobody can tell"))
	t.scope = ofPlaces
	t.rows = func(l *lines, points []*experiment.Point) {
		k := slices.IndexFunc(points, func(p *experiment.Point) bool { return p.Variant == reference(r) })
		if k < 0 {
			return
		}
		others := slices.Delete(slices.Clone(points), k, k+1)
		for i, contrasts := range experiment.Contrasts(r, points[k], others) {
			l.of(r, others[i])
			l.contrasts(r, contrasts)
		}
	}
	return t
}

// contrasts adds the rows of one point.
func (l *lines) contrasts(r *experiment.Result, contrasts []experiment.Contrast) {
	for i := range contrasts {
		c := &contrasts[i]
		test := "t"
		if c.Sign {
			test = "sign"
		}
		l.row()
		l.text(reference(r), r.Metrics[i].Name)
		l.number(c.Difference.Centre, c.Difference.Lo, c.Difference.Hi, c.Ratio, c.RatioLo, c.RatioHi)
		l.whole(c.Pairs)
		l.number(c.Correlation, c.P, c.Adjusted)
		l.text(test)
		l.whole(c.Direction)
	}
}

// tradeoffTable says how the variants at each place stand when both fewer calls
// and an earlier completion are wanted.
func tradeoffTable(r *experiment.Result) *table {
	t := keyed(r, "tradeoff", nil,
		columnsOf(whole64, "front", "1 when no variant at the place is certainly better in calls or completion_p99 and not certainly worse in the other"),
		columnsOf(words, "dominated_by", "a variant that is; empty on the front"),
		columnsOf(numeric,
			"cost_median", "total_calls and completion_p99 together, in calls; empty when the scenario does not say what a second is worth",
			"cost_lo", "lower end of its 95 % interval",
			"cost_hi", "upper end of its 95 % interval"))
	t.scope = ofPlaces
	t.rows = func(l *lines, points []*experiment.Point) {
		for i, x := range experiment.Tradeoffs(r, points) {
			l.of(r, points[i])
			l.tradeoff(r, &x)
		}
	}
	return t
}

// tradeoff adds the row of one point.
func (l *lines) tradeoff(r *experiment.Result, x *experiment.Tradeoff) {
	cost := []float64{x.Cost.Centre, x.Cost.Lo, x.Cost.Hi}
	if r.Exchange == 0 {
		cost = []float64{math.NaN(), math.NaN(), math.NaN()}
	}
	l.row()
	l.flag(x.Front)
	l.text(x.By)
	l.number(cost...)
}

// stored is what comparisons look at in a point, with the digits that its files
// keep: so a result that is read back compares the same.
func stored(p *experiment.Point) *experiment.Point {
	q := &experiment.Point{
		Variant: p.Variant, Sweep: p.Sweep, Numbers: p.Numbers, Replications: p.Replications,
		Imprecise: p.Imprecise, Warmup: p.Warmup, Runs: slices.Clone(p.Runs), Estimates: rounded(p.Estimates),
		Outcomes: slices.Clone(p.Outcomes),
	}
	for i := range q.Runs {
		q.Runs[i].Values = slices.Clone(q.Runs[i].Values)
		for k, v := range q.Runs[i].Values {
			q.Runs[i].Values[k] = Rounded(v)
		}
	}
	for i := range q.Outcomes {
		q.Outcomes[i].Estimates = rounded(q.Outcomes[i].Estimates)
	}
	return q
}

func rounded(estimates []experiment.Estimate) []experiment.Estimate {
	out := slices.Clone(estimates)
	for i := range out {
		e := &out[i]
		e.Centre, e.Lo, e.Hi, e.InfShare = Rounded(e.Centre), Rounded(e.Lo), Rounded(e.Hi), Rounded(e.InfShare)
	}
	return out
}
