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

// drawnAt is where, for people: as they would write the values.
func drawnAt(r *experiment.Result, sweep []string) string {
	tidied := make([]string, len(sweep))
	for i, v := range sweep {
		tidied[i] = tidy(v)
	}
	return where(r, tidied)
}

// tidy writes a duration of several units, or of very many small ones, as one
// number: 1.19 s, not 1s190ms, and 6.3 ms, not 6300us. Other values stay as they are
// in the scenario.
func tidy(value string) string {
	seconds, unit, ok := Quantity(value)
	isDigit := func(c rune) bool { return c == '.' || c == '_' || c >= '0' && c <= '9' }
	units := strings.FieldsFunc(value, isDigit)
	if !ok || unit != "s" || len(units) == 1 && (units[0] == "s" || len(strings.TrimRight(value, "mun\u00b5s")) < 4) {
		return value
	}
	by, suffix := axisUnit(unit, seconds)
	return trimmed(fixed(Rounded(seconds/by), 6)) + " " + suffix
}

// situation is the severest point as the start of a sentence.
func situation(r *experiment.Result) string {
	if s := drawnAt(r, severest(r)); s != "" {
		return capital(s) + ", "
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
	if len(variants(r)) == 1 {
		return scatterTitle(r, metric, func(least, most float64) string {
			return ranging(about(least, ""), about(most, "")) + " calls reach " + r.Target
		})
	}
	least, most, apart := extremes(claims(r, metric))
	ratio := Rounded(most.e.Centre) / Rounded(least.e.Centre)
	low, high := about(least.e.Centre, ""), about(most.e.Centre, "")
	switch {
	case math.IsNaN(least.e.Centre):
		return "Calls reaching " + r.Target
	case apart && least.e.Centre == 0:
		return fmt.Sprintf("%s%s makes %s calls, %s none", situation(r), most.name, high, least.name)
	case apart && ratio >= 1.05:
		return fmt.Sprintf("%s%s makes %s as many calls as %s", situation(r), most.name, times(ratio), least.name)
	case low == high:
		return capital(situation(r) + "all variants make about " + low + " calls")
	case ratio < 1.05:
		return capital(situation(r) + "all variants make about as many calls, " + low + " to " + high)
	}
	return capital(fmt.Sprintf("%s%s to %s calls reach %s, and the difference may be chance", situation(r), low, high, r.Target))
}

// ranging joins the ends of a range, if they read differently.
func ranging(low, high string) string {
	if low == high {
		return low
	}
	for _, unit := range []string{"/s", " %"} {
		if strings.HasSuffix(high, unit) {
			low = strings.TrimSuffix(low, unit)
		}
	}
	return low + " to " + high
}

// times is a ratio of more than 1 as "2.5 times".
func times(ratio float64) string {
	switch s := strings.TrimSuffix(fixed(ratio, 1), ".0"); {
	case ratio >= 10:
		return fixed(ratio, 0) + " times"
	case s == "2":
		return "twice"
	default:
		return s + " times"
	}
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func completionTitle(r *experiment.Result, metric int) string {
	if s := divided(r, metric, func(name, usual, other string) string {
		return fmt.Sprintf("with %s 99 %% are %s, but %s", name, strings.Replace("done "+usual, "done never", "never done", 1), other)
	}, after); s != "" {
		return capital(s)
	}
	least, most, apart := extremes(claims(r, metric))
	first, last := afterBeside(least.e.Centre, most.e.Centre), after(most.e.Centre)
	switch {
	case math.IsNaN(least.e.Centre):
		return "Time until the requests are done"
	case apart && math.IsInf(most.e.Centre, 1):
		return fmt.Sprintf("%s99 %% are done %s with %s; with %s they never are%s", situation(r), first, least.name, most.name, undone(r, most.name))
	case apart:
		return fmt.Sprintf("%s99 %% are done %s with %s, %s with %s", situation(r), first, least.name, last, most.name)
	case math.IsInf(least.e.Centre, 1):
		return capital(situation(r) + "the 99 % mark is never reached" + undone(r, ""))
	case first != last:
		return fmt.Sprintf("%s99 %% of the requests are done %s at best, %s at worst, and the difference may be chance", situation(r), first, last)
	}
	return fmt.Sprintf("%s99 %% of the requests are done %s", situation(r), first)
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

// lasting is a time in the unit in which people think of it: 7.58 h.
func lasting(seconds float64) string { return lastingBeside(seconds, seconds) }

// lastingBeside is the same in the unit of another time, as far as that is readable.
func lastingBeside(seconds, other float64) string {
	if math.IsInf(other, 1) {
		other = seconds
	}
	by, unit := axisUnit("s", max(seconds, other))
	if _, ok := special(seconds); ok || by <= 1 || seconds < by {
		return Human(seconds, "s")
	}
	return Human(Rounded(seconds/by), "") + " " + unit
}

func after(x float64) string { return afterBeside(x, x) }

func afterBeside(x, other float64) string {
	switch {
	case math.IsInf(x, 1):
		return "never"
	case x == 0:
		return "at once"
	}
	return "after " + lastingBeside(x, other)
}

// arrivalsTitle compares peaks of retries by the metric: the rows of a timeline
// may be wider than the windows in which peaks are counted. Where they are no
// different it tells how long it takes, and else only how high they are.
func arrivalsTitle(r *experiment.Result, points []*experiment.Point) string {
	if s := dividedTitle(points); s != "" {
		return s
	}
	extra := "Extra calls"
	if kinds := extraCalls(r); len(kinds) == 1 {
		extra = capital(kinds[0])
	}
	least, most, apart := extremes(claimsIf(r, metricIndex(r, "peak_retry")))
	above := upstream(points, r.Target) // what those lead to are first attempts here
	switch {
	case above:
	case apart && least.e.Centre == 0:
		return fmt.Sprintf("%s at %s peak at %s with %s; there are none with %s", extra, r.Target,
			about(most.e.Centre, "/s"), most.name, least.name)
	case apart && most.e.Centre >= 1.05*least.e.Centre:
		return fmt.Sprintf("%s at %s peak at %s with %s, at %s with %s", extra, r.Target,
			about(most.e.Centre, "/s"), most.name, about(least.e.Centre, "/s"), least.name)
	}
	low, high, differ := extremes(claimsIf(r, metricIndex(r, "peak_load")))
	if differ && high.e.Centre >= 1.5*low.e.Centre {
		return fmt.Sprintf("Calls to %s peak at %s with %s, at %s with %s", r.Target,
			about(high.e.Centre, "/s"), high.name, about(low.e.Centre, "/s"), low.name)
	}
	var last []claim
	for _, p := range points {
		last = append(last, exact(p, lastActivity(r, []*experiment.Point{p}).Seconds()))
	}
	if short, long, differ := extremes(last); differ && long.e.Centre >= 1.5*short.e.Centre {
		return fmt.Sprintf("Calls to %s go on for %s with %s, for %s with %s", r.Target,
			lasting(long.e.Centre), long.name, lasting(short.e.Centre), short.name)
	}
	if !above && most.e.Centre > 0 {
		return fmt.Sprintf("%s at %s peak at %s", extra, r.Target, ranging(about(least.e.Centre, "/s"), about(most.e.Centre, "/s")))
	}
	if high.e.Centre > 0 {
		return fmt.Sprintf("Calls to %s peak at %s", r.Target, ranging(about(low.e.Centre, "/s"), about(high.e.Centre, "/s")))
	}
	return "Calls reaching " + r.Target + " over time"
}

// claimsIf are the claims about a metric, none if the result does not have it.
func claimsIf(r *experiment.Result, metric int) []claim {
	if metric < 0 {
		return nil
	}
	return claims(r, metric)
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

// distributionTitle tells how many requests never succeed, where that differs, and
// else when half of them have.
func distributionTitle(r *experiment.Result, points []*experiment.Point) string {
	var never, half []claim
	for _, p := range points {
		never = append(never, exact(p, neverDone(r, p)))
		for _, q := range p.Completion {
			if q.Q >= 0.5 {
				half = append(half, exact(p, q.Seconds))
				break
			}
		}
	}
	fewest, lost, _ := extremes(never)
	a, b := fewest.e.Centre, lost.e.Centre
	least, most, apart := extremes(half)
	first, last := afterBeside(least.e.Centre, most.e.Centre), after(most.e.Centre)
	switch {
	case b-a >= 0.01 && a == 0:
		return fmt.Sprintf("%s of the requests never succeed with %s, with %s all do", Human(b, "%"), lost.name, fewest.name)
	case b-a >= 0.01 && b >= 1.5*a:
		return fmt.Sprintf("%s of the requests never succeed with %s, %s with %s", Human(b, "%"), lost.name, share(a), fewest.name)
	case math.IsNaN(least.e.Centre):
		return "Time until the requests are done"
	case math.IsInf(least.e.Centre, 1):
		return ranging(Human(a, "%"), Human(b, "%")) + " of the requests never succeed"
	case apart && first != last:
		return fmt.Sprintf("Half of the requests are done %s with %s, %s with %s", first, least.name, last, most.name)
	case a >= 0.01:
		return fmt.Sprintf("Half of the requests are done %s, and %s never", first, ranging(Human(a, "%"), Human(b, "%")))
	}
	return "Half of the requests are done " + first
}

// neverDone is the share of the requests that never succeed.
func neverDone(r *experiment.Result, p *experiment.Point) float64 {
	failed, unfinished, all := metricIndex(r, "failed"), metricIndex(r, "unfinished"), metricIndex(r, "requests")
	if failed >= 0 && unfinished >= 0 && all >= 0 {
		return Rounded((p.Estimates[failed].Centre + p.Estimates[unfinished].Centre) / p.Estimates[all].Centre)
	}
	done := 0.0
	for _, q := range p.Completion {
		if !math.IsInf(q.Seconds, 1) {
			done = max(done, q.Q)
		}
	}
	return Rounded(1 - done)
}

// share is a share without zeros that say nothing.
func share(x float64) string {
	if x > 0 && x < 1e-4 {
		return "<0.01 %"
	}
	if x < 0.01 {
		return trimmed(fixed(100*x, 2)) + " %"
	}
	number, _ := strings.CutSuffix(Human(x, "%"), " %")
	return trimmed(number) + " %"
}

// amplificationTitle tells how many calls of the target a request becomes, on all
// ways there.
func amplificationTitle(r *experiment.Result) string {
	m := metricIndex(r, "amplification")
	if m < 0 {
		return "Attempts per request"
	}
	number := func(x float64) string { return about(x, "") }
	if s := divided(r, m, func(name, usual, other string) string {
		return fmt.Sprintf("One request becomes %s calls to %s with %s, but %s", usual, r.Target, name, other)
	}, number); s != "" {
		return s
	}
	least, most, apart := extremes(claims(r, m))
	low, high := number(least.e.Centre), number(most.e.Centre)
	switch {
	case math.IsNaN(least.e.Centre) || most.e.Centre == 0:
		return "Attempts per request"
	case most.e.Centre < 1: // not every request is for the target
		return fmt.Sprintf("%s calls to %s for each request", ranging(low, high), r.Target)
	case high == "1":
		return "One request stays one call to " + r.Target
	case apart && most.e.Centre >= 1.05*least.e.Centre:
		return fmt.Sprintf("One request becomes %s calls to %s with %s, %s with %s", high, r.Target, most.name, low, least.name)
	}
	return fmt.Sprintf("One request becomes %s calls to %s", ranging(low, high), r.Target)
}
