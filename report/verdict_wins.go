package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"retrystorm/experiment"
)

// mostWins is in how many metrics people want to know who is best.
const mostWins = 8

// wins say who is best in each of the metrics that people ask for first, where it
// makes a difference. Early says that there are too few replications for some.
func (m *viewMaker) wins(a *advice) (out []ViewWinner, early []string) {
	out = []ViewWinner{}
	var titles []string
	for k, i := range m.metrics {
		metric := m.Metrics[k]
		if !metric.Key || metric.Better == 0 || strings.Contains(metric.Name, "[") || implied(metric.Name) || a.alike(i) {
			continue
		}
		of, w := a, experiment.WinnerIn(m.r, a.points, i, metric.Better)
		title := bestIn(m.r, metric)
		if w.Best >= 0 && a.Reasons[w.Best] != experiment.InQuestion {
			// Nobody wins by leaving things undone.
			of = a.inQuestion()
			w = experiment.WinnerIn(m.r, of.points, i, metric.Better)
			title += " of those in question"
		}
		if w.Best < 0 || len(of.points) < 2 || of.alike(i) || len(out) == mostWins {
			continue
		}
		nobody := len(w.Tied) == len(of.points)-1
		if nobody && w.Against[w.Tied[0]].Sign && len(of.points[w.Best].Runs) < experiment.Enough(len(of.points)) {
			titles = append(titles, metric.Title)
			continue
		}
		x := ViewWinner{Metric: k, Variant: m.index[of.points[w.Best].Variant], Tied: m.indices(of.points, w.Tied)}
		if nobody {
			x.Tied = append([]int{x.Variant}, x.Tied...)
			x.Variant = -1
		}
		x.Sentence = title + ": " + of.winning(&w, i, metric.Better)
		out = append(out, x)
	}
	if len(titles) > 0 && m.Replications > 1 {
		early = append(early, fmt.Sprintf("%s are too few to tell who is best in: %s. There comparisons go by signs, which takes %d at least.",
			counted(m.Replications, "replication"), strings.Join(titles, ", "), experiment.Enough(len(a.points))))
	}
	return out, early
}

// implied reports whether another metric says the same.
func implied(name string) bool {
	return name == "amplification" || name == "retries" || name == "failed"
}

// inQuestion are the variants that are.
func (a *advice) inQuestion() *advice {
	few := &advice{r: a.r}
	for i, p := range a.points {
		if a.Reasons[i] == experiment.InQuestion {
			few.points = append(few.points, p)
		}
	}
	return few
}

// alike reports whether a metric reads the same with all variants.
func (a *advice) alike(metric int) bool {
	for _, p := range a.points {
		if a.value(p, metric) != a.value(a.points[0], metric) {
			return false
		}
	}
	return true
}

// value is a metric of a point in a sentence; of two endings, both.
func (a *advice) value(p *experiment.Point, metric int) string {
	var parts []string
	for _, o := range outcomes(p) {
		e := o.estimates[metric]
		parts = addNew(parts, viewText(e, HumanUnit(a.r.Metrics[metric])))
	}
	return strings.Join(parts, " or ")
}

// bestIn is what the best variant has of a metric.
func bestIn(r *experiment.Result, m ViewMetric) string {
	switch m.Name {
	case "total_calls":
		return "Fewest calls"
	case "peak_load":
		return "Lowest peak"
	case "peak_after":
		return "Lowest " + m.Title
	case "peak_retry":
		return "Lowest peak of " + listed(extraCalls(r))
	case "completion_p50":
		return "Half done first"
	case "completion_p99":
		return "99 % done first"
	case "finished_at":
		return "Finished first"
	case "recovery":
		return "Fastest recovery"
	case "failed_share":
		return "Fewest failures"
	}
	switch {
	case m.Better > 0:
		return "Most " + m.Title
	case m.Unit == "" && !m.Share:
		return "Fewest " + m.Title
	}
	return "Least " + m.Title
}

// winning says who wins, by how much, and who cannot be told from it.
func (a *advice) winning(w *experiment.Winner, metric, better int) string {
	var order []int // the others, from the best to the last
	for i, p := range a.points {
		if i != w.Best && !math.IsNaN(p.Estimates[metric].Centre) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, k int) int {
		return -better * compare(a.points[i].Estimates[metric].Centre, a.points[k].Estimates[metric].Centre)
	})
	best := inQuotes(a.points[w.Best])
	value := a.value(a.points[w.Best], metric)
	rest := slices.DeleteFunc(slices.Clone(order), func(i int) bool { return slices.Contains(w.Tied, i) })
	switch {
	case len(order) == 0:
		return best + ", " + value + "; nothing is known of the others"
	case len(rest) == 0:
		last := order[len(order)-1]
		return fmt.Sprintf("nobody can tell, %s with %s to %s with %s", value, best, a.value(a.points[last], metric), inQuotes(a.points[last]))
	}
	s := best + ", " + value
	if len(w.Tied) > 0 {
		s += "; as good: " + a.asGood(w.Tied)
	}
	first, last := rest[0], rest[len(rest)-1]
	nearest, farthest := a.compared(w, first, metric), a.compared(w, last, metric)
	switch {
	case first == last:
		return s + "; " + inQuotes(a.points[first]) + " has " + nearest
	case nearest == farthest:
		return s + "; the others have " + nearest
	}
	return s + "; next " + inQuotes(a.points[first]) + ", " + nearest + "; last " + inQuotes(a.points[last]) + ", " + farthest
}

// asGood names those that cannot be told from the best, or says how many they are.
func (a *advice) asGood(tied []int) string {
	if len(tied) > mostNamed {
		return fmt.Sprintf("%d others", len(tied))
	}
	return listed(a.names(tied))
}

// compared is a variant beside the best: as a ratio, or as a number where there is
// none, or none that says anything.
func (a *advice) compared(w *experiment.Winner, i, metric int) string {
	p := a.points[i]
	value, interval := ratioParts(w.Against[i])
	if value != "" && value != "1.00x" && len(p.Outcomes)+len(a.points[w.Best].Outcomes) == 0 {
		return strings.TrimSpace(value + " " + interval)
	}
	return a.value(p, metric)
}
