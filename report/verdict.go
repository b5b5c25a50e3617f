package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"retrystorm/experiment"
)

// advice is what the variants at a place come to: which of them to use, and why.
type advice struct {
	r      *experiment.Result
	points []*experiment.Point // with the digits of files
	experiment.Recommendation
	rivals []int // those in question that the best is certainly better than
}

func newAdvice(r *experiment.Result, points []*experiment.Point) *advice {
	a := &advice{r: r, points: points, Recommendation: experiment.Recommend(r, points)}
	for i, reason := range a.Reasons {
		if reason == experiment.InQuestion && i != a.Best && !slices.Contains(a.Tied, i) {
			a.rivals = append(a.rivals, i)
		}
	}
	return a
}

// advise is that of the severest place.
func advise(r *experiment.Result) *advice {
	var points []*experiment.Point
	for _, p := range at(r, severest(r)) {
		points = append(points, stored(p))
	}
	return newAdvice(r, points)
}

// undecided reports whether nobody can tell any variant from the one that looks
// best.
func (a *advice) undecided() bool {
	return a.Best < 0 || len(a.points) > 1 && len(a.Tied) == len(a.points)-1
}

// judges reports whether the variants are what the result is about: not where
// something flips, nor which setting matters.
func judges(r *experiment.Result) bool {
	return len(r.Crossings) == 0 && len(effectMetrics(r)) == 0 && len(variants(r)) > 1
}

// headline answers "what should I use?" in one sentence, or says why nobody can.
func (a *advice) headline() string {
	switch r := a.r; {
	case len(a.points) == 0:
		return "No point has run"
	case len(r.Crossings) > 0:
		return bisectionTitle(r) + ", along " + r.Crossings[0].Axis
	case len(effectMetrics(r)) > 0:
		return effectsTitle(r)
	case len(variants(r)) == 1:
		return a.only()
	}
	s := a.choice()
	if place := situation(a.r); place != "" {
		return place + small(s)
	}
	return s
}

// small is a sentence in the middle of another one.
func small(s string) string {
	if s[0] < 'A' || s[0] > 'Z' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// only is what the only variant does.
func (a *advice) only() string {
	p := a.points[0]
	done, calls := a.metric("completion_p99"), a.metric("amplification")
	if done < 0 || calls < 0 {
		return headline(a.r)
	}
	s := completionTitle(a.r, done)
	if x := p.Estimates[calls].Centre; x > 0 && len(p.Outcomes) == 0 && about(x, "") != "1" {
		s += fmt.Sprintf("; each takes %s calls to %s", about(x, ""), a.r.Target)
	}
	if len(p.Outcomes) == 0 && experiment.StuckShare(a.r, p) == 1 {
		s += "; it never recovers"
	}
	return s
}

// choice says which of several variants to use.
func (a *advice) choice() string {
	switch {
	case a.Best < 0 && !slices.ContainsFunc(a.Reasons, func(x experiment.Reason) bool { return x != experiment.Stuck }):
		return "No variant ever recovers"
	case a.undecided() && a.same():
		return a.indifferent()
	case a.undecided() && a.Best >= 0:
		return "Nobody can tell which variant is best; it looks like " + inQuotes(a.points[a.Best])
	case a.undecided():
		return "Nobody can tell which variant is best"
	}
	best := a.points[a.Best]
	done, calls := best.Estimates[a.metric("completion_p99")].Centre, best.Estimates[a.metric("total_calls")].Centre
	switch stuck := experiment.StuckShare(a.r, best); {
	case stuck > 0:
		return fmt.Sprintf("No variant recovers every time; %s does in %s replications", a.use(), a.recovered(best))
	case a.By == experiment.ByCalls || math.IsInf(done, 1):
		return fmt.Sprintf("%s %s, with %s calls to %s; but 99 %% are never done%s", a.verb(), a.use(), about(calls, ""), a.r.Target, undone(a.r, quoted(best.Variant)))
	}
	return fmt.Sprintf("%s %s: 99 %% are %s, with %s calls to %s", a.verb(), a.use(), doneAfter(done), about(calls, ""), a.r.Target)
}

// verb begins an advice; what happens to a system nobody chooses.
func (a *advice) verb() string {
	if circumstances(a.r) {
		return "Best off is"
	}
	return "Use"
}

// circumstances reports whether variants differ in what happens to them, and not
// only in what they do about it.
func circumstances(r *experiment.Result) bool {
	for _, x := range leaves(string(r.ScenarioYAML)) {
		path, ok := strings.CutPrefix(x.path, "variants.")
		if !ok {
			continue
		}
		_, fault, faulty := strings.Cut(path, ".faults.")
		_, setting, _ := strings.Cut(fault, ".")
		if faulty && slices.Contains([]string{"share", "for", "at", "factor"}, setting) ||
			strings.Contains(path, ".service_time") || strings.Contains(path, ".arrival") {
			return true
		}
	}
	return false
}

// same reports whether the variants that cannot be told from each other do the
// same in every replication.
func (a *advice) same() bool {
	return a.Best >= 0 && !slices.ContainsFunc(a.Tied, func(i int) bool { return a.Against[i].Equal != len(a.points[i].Runs) })
}

// indifferent says that waiting and calls choose nobody, and what else differs.
func (a *advice) indifferent() string {
	var differ []string
	for i, m := range a.r.Metrics {
		if asked(a.r, m.Name) && better(m.Name) != 0 && !strings.Contains(m.Name, "[") && !implied(m.Name) && !a.alike(i) {
			differ = append(differ, metricTitle(a.r, m.Name))
		}
	}
	switch {
	case len(differ) == 0:
		return "It makes no difference which variant is used"
	case a.alike(a.metric("total_calls")):
		return "Calls and waiting are the same with every variant, but not " + listed(shortList(differ))
	}
	return "99 % are done at once with every variant; what differs is " + listed(shortList(differ))
}

// use names the best, and those that cannot be told from it.
func (a *advice) use() string {
	if n := len(a.Tied); n >= mostNamed {
		return fmt.Sprintf("%s, or one of %d that cannot be told from it", inQuotes(a.points[a.Best]), n)
	}
	return either(a.names(append([]int{a.Best}, a.Tied...)))
}

// either writes a, b or c.
func either(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func (a *advice) names(list []int) []string {
	var out []string
	for _, i := range list {
		out = append(out, inQuotes(a.points[i]))
	}
	return out
}

// inQuotes is a variant in a sentence, as it is written in the scenario: names
// like none must not read as words.
func inQuotes(p *experiment.Point) string { return "“" + p.Variant + "”" }

func (a *advice) metric(name string) int { return metricIndex(a.r, name) }

// recovered is in how many replications a point does: 13 of 20.
func (a *advice) recovered(p *experiment.Point) string {
	n := float64(len(p.Runs))
	return fmt.Sprintf("%s of %s", fixed(n-math.Round(experiment.StuckShare(a.r, p)*n), 0), fixed(n, 0))
}

// verdict is the answer of a page.
func (m *viewMaker) verdict() ViewVerdict {
	v := ViewVerdict{Best: -1, Tied: []int{}, Detail: []string{}, Wins: []ViewWinner{}}
	if m.Partial {
		v.Headline = "Nothing is judged while there is more to come"
		return v
	}
	a := newAdvice(m.r, m.severe)
	v.Headline = a.headline()
	if n := len(m.r.Expectations); n > 0 {
		t := tally(m.r.Expectations)
		v.Ruling, v.Tally = string(worst(t)), t.summary(n)
	}
	switch {
	case !judges(m.r) || len(m.severe) < 2:
		return v
	case scattered(m.r):
		v.Headline = m.overall()
		return v
	}
	if !a.undecided() {
		v.Best = m.index[a.points[a.Best].Variant]
	} else if a.Best >= 0 {
		v.Tied = append(v.Tied, m.index[a.points[a.Best].Variant])
	}
	v.Tied = append(v.Tied, m.indices(a.points, a.Tied)...)
	v.Detail = append(v.Detail, a.detail()...)
	v.Detail = append(v.Detail, m.elsewhere(a)...)
	wins, early := m.wins(a)
	v.Wins, v.Detail = wins, append(v.Detail, early...)
	return v
}

// indices are those of the variants of some points.
func (m *viewMaker) indices(points []*experiment.Point, of []int) []int {
	out := []int{}
	for _, i := range of {
		out = append(out, m.index[points[i].Variant])
	}
	return out
}
