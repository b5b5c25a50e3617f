package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"retrystorm/experiment"
)

// Titles say what a picture shows. They only claim a difference between two
// variants when their intervals do not overlap.

// claim is a variant with its value.
type claim struct {
	name string
	e    experiment.Estimate
}

// exact is a claim about a value without an interval.
func exact(p *experiment.Point, v float64) claim {
	return claim{quoted(p.Variant), experiment.Estimate{Centre: v, Lo: v, Hi: v}}
}

// quoted keeps names like none from reading as words of the sentence.
func quoted(variant string) string { return "“" + humanName(variant) + "”" }

// claims are the values of a metric at the severest point. Variants whose
// replications split are left out where no single number describes them.
func claims(r *experiment.Result, metric int) []claim {
	var list []claim
	for _, p := range at(r, severest(r)) {
		if !twofold(r, p, metric) {
			list = append(list, claim{quoted(p.Variant), p.Estimates[metric]})
		}
	}
	return list
}

// extremes are the smallest and the largest value; apart says whether they
// certainly differ.
func extremes(list []claim) (least, most claim, apart bool) {
	list = slices.DeleteFunc(slices.Clone(list), func(c claim) bool { return math.IsNaN(c.e.Centre) })
	if len(list) == 0 {
		return claim{e: experiment.Estimate{Centre: math.NaN()}}, claim{}, false
	}
	least, most = list[0], list[0]
	for _, c := range list[1:] {
		if c.e.Centre < least.e.Centre {
			least = c
		}
		if c.e.Centre > most.e.Centre {
			most = c
		}
	}
	hi, lo := least.e.Hi, most.e.Lo
	if math.IsNaN(hi) {
		hi = least.e.Centre
	}
	if math.IsNaN(lo) {
		lo = most.e.Centre
	}
	return least, most, hi < lo
}

// situation is the severest point as the start of a sentence.
func situation(r *experiment.Result) string {
	if s := where(r, severest(r)); s != "" {
		return "A" + s[1:] + ", "
	}
	return ""
}

// twofold reports whether the replications split and a metric reads differently
// on either side.
func twofold(r *experiment.Result, p *experiment.Point, metric int) bool {
	o := outcomes(p)
	read := func(k int) string { return about(o[k].estimates[metric].Centre, r.Metrics[metric].Unit) }
	return len(o) == 2 && read(0) != read(1)
}

// divided tells of the first variant whose replications split.
func divided(r *experiment.Result, metric int, sentence func(name, usual, other string) string, show func(float64) string) string {
	for _, p := range at(r, severest(r)) {
		if o := outcomes(p); twofold(r, p, metric) {
			return situation(r) + sentence(quoted(p.Variant),
				show(o[0].estimates[metric].Centre), show(o[1].estimates[metric].Centre)) + " in " + o[1].share + " replications (" + o[1].ending + ")"
		}
	}
	return ""
}

func callsTitle(r *experiment.Result, metric int) string {
	if s := divided(r, metric, func(name, usual, other string) string {
		return fmt.Sprintf("%s makes %s calls, but %s", name, usual, other)
	}, func(x float64) string { return about(x, "") }); s != "" {
		return s
	}
	least, most, apart := extremes(claims(r, metric))
	ratio := Rounded(most.e.Centre) / Rounded(least.e.Centre)
	switch {
	case apart && ratio >= 1.05 && !math.IsInf(ratio, 1):
		return fmt.Sprintf("%s%s makes %s times as many calls as %s", situation(r), most.name, times(ratio), least.name)
	case len(variants(r)) > 1 && ratio < 1.05:
		return capital(situation(r) + "all variants make about as many calls")
	}
	return "Calls reaching " + r.Target
}

func times(ratio float64) string {
	if ratio >= 10 {
		return fixed(ratio, 0)
	}
	return strings.TrimSuffix(fixed(ratio, 1), ".0")
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func completionTitle(r *experiment.Result, metric int) string {
	if s := divided(r, metric, func(name, usual, other string) string {
		return fmt.Sprintf("with %s 99 %% are %s, but %s", name, strings.Replace("done "+usual, "done never", "never done", 1), other)
	}, after); s != "" {
		return capital(s)
	}
	least, most, apart := extremes(claims(r, metric))
	switch {
	case math.IsNaN(least.e.Centre):
		return "Time until the requests are done"
	case apart && math.IsInf(most.e.Centre, 1):
		return fmt.Sprintf("%s99 %% are %s with %s; with %s they never are%s", situation(r),
			doneAfter(least.e.Centre), least.name, most.name, undone(r, most.name))
	case apart:
		return fmt.Sprintf("%s99 %% are %s with %s, %s with %s", situation(r),
			doneAfter(least.e.Centre), least.name, after(most.e.Centre), most.name)
	case math.IsInf(least.e.Centre, 1):
		return capital(situation(r) + "the 99 % mark is never reached" + undone(r, ""))
	}
	return fmt.Sprintf("%s99 %% of the requests are %s", situation(r), doneAfter(least.e.Centre))
}

// undone ends a sentence with how many requests do not succeed at the severest
// point: of one variant, or of the one with the fewest.
func undone(r *experiment.Result, name string) string {
	failed, unfinished, all := metricIndex(r, "failed"), metricIndex(r, "unfinished"), metricIndex(r, "requests")
	if failed < 0 || unfinished < 0 || all < 0 {
		return ""
	}
	fail, cut, several := math.Inf(1), 0.0, 0
	for _, p := range at(r, severest(r)) {
		if name != "" && quoted(p.Variant) != name {
			continue
		}
		for _, o := range outcomes(p) {
			several++
			n := o.estimates[all].Centre
			if f, u := o.estimates[failed].Centre/n, o.estimates[unfinished].Centre/n; f+u < fail+cut {
				fail, cut = f, u
			}
		}
	}
	least := ", because "
	if several > 1 && Human(fail+cut, "%") != Human(1, "%") { // more is not possible
		least += "at least "
	}
	switch {
	case several == 0 || math.IsNaN(fail+cut) || fail+cut < 0.01: // not in every replication
		return ""
	case cut < fail/10:
		return least + Human(fail, "%") + " fail"
	case fail < cut/10:
		return least + Human(cut, "%") + " are not done when the run ends"
	}
	return least + Human(fail+cut, "%") + " fail or are not done when the run ends"
}

func doneAfter(x float64) string {
	if math.IsInf(x, 1) {
		return "never done"
	}
	return "done " + after(x)
}

func after(x float64) string {
	if math.IsInf(x, 1) {
		return "never"
	}
	return "after " + Human(x, "s")
}

// arrivalsTitle compares peaks of retries by the metric: the rows of a timeline
// may be wider than the windows in which peaks are counted.
func arrivalsTitle(r *experiment.Result, points []*experiment.Point) string {
	if s := dividedTitle(points); s != "" {
		return s
	}
	if k := metricIndex(r, "peak_retry"); k >= 0 {
		least, most, apart := extremes(claims(r, k))
		switch {
		case apart && most.e.Centre >= 1.05*least.e.Centre:
			return fmt.Sprintf("%s at %s peak at %s with %s, at %s with %s", capital(listed(extraCalls(r))), r.Target,
				about(most.e.Centre, "/s"), most.name, about(least.e.Centre, "/s"), least.name)
		case len(points) == 1 && most.e.Centre > 0:
			return fmt.Sprintf("%s at %s peak at %s", capital(listed(extraCalls(r))), r.Target, about(most.e.Centre, "/s"))
		}
	}
	var last []claim
	for _, p := range points {
		last = append(last, exact(p, lastActivity(r, []*experiment.Point{p}).Seconds()))
	}
	if least, most, apart := extremes(last); apart && most.e.Centre >= 1.5*least.e.Centre {
		return fmt.Sprintf("Calls to %s go on for %s with %s, for %s with %s", r.Target,
			about(most.e.Centre, "s"), most.name, about(least.e.Centre, "s"), least.name)
	}
	return "Calls reaching " + r.Target + " over time"
}

// dividedTitle tells of the first point whose replications split.
func dividedTitle(points []*experiment.Point) string {
	for _, p := range points {
		if o := outcomes(p); len(o) > 1 {
			return fmt.Sprintf("With %s %s replications end %s", quoted(p.Variant), o[0].share, o[0].ending)
		}
	}
	return ""
}

// about is Human with three significant digits.
func about(x float64, unit string) string {
	if p := power(max(0, exponent(x)-2)); p > 1 && !math.IsInf(x, 0) {
		x = math.Round(x/p) * p
	}
	return Human(x, unit)
}

func distributionTitle(points []*experiment.Point) string {
	var list []claim
	for _, p := range points {
		for _, q := range p.Completion {
			if q.Q >= 0.5 {
				list = append(list, exact(p, q.Seconds))
				break
			}
		}
	}
	least, most, apart := extremes(list)
	switch {
	case math.IsNaN(least.e.Centre):
		return "Time until the requests are done"
	case apart:
		return fmt.Sprintf("Half of the requests are %s with %s, %s with %s",
			doneAfter(least.e.Centre), least.name, after(most.e.Centre), most.name)
	}
	return "Half of the requests are " + doneAfter(least.e.Centre)
}

func amplificationTitle(points []*experiment.Point) string {
	var list []claim
	for _, p := range points {
		worst := math.NaN()
		for _, h := range p.Hops {
			if math.IsNaN(worst) || h.Amplification > worst {
				worst = h.Amplification
			}
		}
		list = append(list, exact(p, worst))
	}
	least, most, apart := extremes(list)
	switch {
	case math.IsNaN(most.e.Centre) || most.e.Centre == 0:
		return "Attempts per request"
	case most.e.Centre == 1:
		return "No request needs a second attempt"
	case apart && most.e.Centre >= 1.05*least.e.Centre:
		return fmt.Sprintf("A request costs up to %s attempts with %s, %s with %s",
			about(most.e.Centre, ""), most.name, about(least.e.Centre, ""), least.name)
	}
	return fmt.Sprintf("A request costs up to %s attempts", about(most.e.Centre, ""))
}
