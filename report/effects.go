package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"retrystorm/experiment"
)

// effects are the sections that say which axis matters, one for each of the
// main metrics.
func effects(r *experiment.Result) []*section {
	several := len(variants(r)) > 1
	var out []*section
	lost := false
	for _, m := range effectMetrics(r) {
		variant, axis := column{title: "variant", left: true}, column{title: "axis", left: true}
		size, remark := column{title: "mu*"}, column{title: "", left: true}
		for _, e := range ranked(r, m.metric) {
			variant.add(e.Variant, "")
			axis.add(e.Axis, "")
			size.add(humanParts(e.MuStar, e.Lo, e.Hi, HumanUnit(r.Metrics[metricIndex(r, m.metric)])))
			remark.add(remarkOn(r, e), "")
			lost = lost || finiteSteps(r, e) != ""
		}
		s := &section{title: "how much " + m.title + " changes over the range of each axis", columns: []column{axis, size, remark}}
		if several {
			s.columns = slices.Insert(s.columns, 0, variant)
		}
		s.cutRows()
		out = append(out, s)
	}
	if len(out) > 0 {
		last := out[len(out)-1]
		last.lines = append(last.lines, "mu*: mean size of the change (Morris) with its 95 % interval; an axis interacts with others or bends when the changes differ more than that")
		if lost {
			last.lines = append(last.lines, lostSteps)
		}
	}
	return out
}

// effectMetrics are the main metrics whose effects are known.
func effectMetrics(r *experiment.Result) []head {
	var out []head
	for _, name := range []string{"total_calls", "completion_p99", "peak_load"} {
		if slices.ContainsFunc(r.Sensitivity, func(e experiment.Effect) bool { return e.Metric == name }) && metricIndex(r, name) >= 0 {
			h := heads()[slices.IndexFunc(heads(), func(h head) bool { return h.metric == name })]
			out = append(out, h)
		}
	}
	return out
}

// ranked are the effects on a metric, variant by variant, the largest first.
func ranked(r *experiment.Result, metric string) []experiment.Effect {
	var out []experiment.Effect
	for _, v := range variants(r) {
		from := len(out)
		for _, e := range r.Sensitivity {
			if e.Metric == metric && e.Variant == v {
				out = append(out, e)
			}
		}
		slices.SortStableFunc(out[from:], func(a, b experiment.Effect) int {
			if math.IsNaN(a.MuStar) != math.IsNaN(b.MuStar) { // what is not known comes last
				return cmp.Compare(b.MuStar, a.MuStar)
			}
			return cmp.Compare(Rounded(b.MuStar), Rounded(a.MuStar))
		})
	}
	return out
}

// lostSteps explains effects of which some steps are missing.
const lostSteps = "n of m steps: the others lead to or from never, so that the axis may matter more than it seems"

// remarkOn is what else must be known of an effect.
func remarkOn(r *experiment.Result, e experiment.Effect) string {
	switch m, b := finiteSteps(r, e), bends(e); {
	case e.Trajectories == 0:
		return "no finite change"
	case m != "" && b != "":
		return b + "; " + m
	default:
		return b + m
	}
}

// finiteSteps says how many steps gave a finite change, where not all did. All do of
// some metrics, such as the requests.
func finiteSteps(r *experiment.Result, e experiment.Effect) string {
	all := 0
	for _, o := range r.Sensitivity {
		all = max(all, o.Trajectories)
	}
	if e.Trajectories == all {
		return ""
	}
	return fmt.Sprintf("%d of %s", e.Trajectories, counted(int64(all), "step"))
}

// rivals are the axes that may matter as much to a metric and a variant as the
// first of its effects: their intervals overlap, or steps are missing.
func rivals(r *experiment.Result, list []experiment.Effect) []string {
	var out []string
	for _, e := range list[1:] {
		if e.Variant == list[0].Variant && (!(e.Hi < list[0].Lo) || finiteSteps(r, e) != "") {
			out = append(out, e.Axis)
		}
	}
	return out
}

// bends is the remark about an axis that does not act in a line of its own.
func bends(e experiment.Effect) string {
	if Rounded(e.Sigma) > Rounded(e.MuStar) {
		return "interacts or bends"
	}
	return ""
}
