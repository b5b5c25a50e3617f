package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"retrystorm/experiment"
)

// detail says by how much the best is better and how sure that is, and what is
// out of the question.
func (a *advice) detail() []string {
	out := a.trades()
	out = append(out, a.outs()...)
	return append(out, a.certainty()...)
}

// trades are what others have to offer: those that are better in one of calls and
// waiting, with what that costs in the other, and those that are worst in one.
func (a *advice) trades() []string {
	if a.undecided() {
		return nil
	}
	calls, done := a.metric("total_calls"), a.metric("completion_p99")
	value := func(i, metric int) float64 { return a.points[i].Estimates[metric].Centre }
	front := experiment.Tradeoffs(a.r, a.points)
	// least is the one on the front that is best in a metric, if not the best.
	least := func(metric int) int {
		found := a.Best
		for _, i := range a.rivals {
			if front[i].Front && value(i, metric) < value(found, metric) {
				found = i
			}
		}
		return found
	}
	var out []string
	earlier, fewer := least(done), least(calls)
	if earlier != a.Best && !math.IsInf(value(a.Best, done), 1) {
		out = append(out, fmt.Sprintf("%s is done %s earlier, %s, but makes %s, %s.", inQuotes(a.points[earlier]),
			Human(value(a.Best, done)-value(earlier, done), "s"), after(value(earlier, done)),
			timesAsMany(value(earlier, calls)/value(a.Best, calls), "calls"), about(value(earlier, calls), "")))
	}
	if fewer != a.Best {
		out = append(out, fmt.Sprintf("%s makes %s fewer calls, %s, but is %s.", inQuotes(a.points[fewer]),
			aboutShare(1-value(fewer, calls)/value(a.Best, calls)), about(value(fewer, calls), ""), doneAfter(value(fewer, done))))
	}
	most := a.Best
	for i := range a.points {
		if value(i, calls) > value(most, calls) {
			most = i
		}
	}
	if ratio := value(most, calls) / value(a.Best, calls); most != earlier && ratio >= leastTimes {
		s := fmt.Sprintf("%s makes the most calls, %s", inQuotes(a.points[most]), a.value(a.points[most], calls))
		if len(a.points[most].Outcomes) == 0 {
			s += ": " + timesAsMany(ratio, "")
		}
		out = append(out, s+".")
	}
	return out
}

// timesAsMany is a ratio in words: 69 times the calls, or 8 % more calls.
func timesAsMany(ratio float64, what string) string {
	switch {
	case math.IsInf(ratio, 1) || math.IsNaN(ratio):
		return strings.TrimSpace("more " + what)
	case Rounded(ratio) < 1.95:
		return strings.TrimSpace(aboutShare(ratio-1) + " more " + what)
	case what == "":
		return times(ratio) + " as many"
	}
	return times(ratio) + " the " + what
}

// basis is what a recommendation is made by, as the subject of a sentence.
func basis(by experiment.Basis) string {
	switch by {
	case experiment.ByCost:
		return "The cost of calls and waiting"
	case experiment.ByCalls:
		return "The number of calls"
	}
	return "The product of calls and the time until 99 % are done"
}

// certainty says what the choice rests on.
func (a *advice) certainty() []string {
	if a.Best < 0 {
		return nil
	}
	runs := len(a.points[a.Best].Runs)
	if runs < 2 {
		return []string{"One replication says nothing about chance."}
	}
	rivals := len(a.rivals) + len(a.Tied)
	if rivals == 0 {
		return nil
	}
	how := fmt.Sprintf(" (at 95 %%, %s compared pair by pair", counted(int64(runs), "replication"))
	if pairs := int64(rivals * (rivals + 1) / 2); pairs > 1 {
		how += ", corrected for " + counted(pairs, "comparison")
	}
	var parts []string
	if len(a.rivals) > 0 {
		parts = append(parts, a.certain())
	}
	if len(a.Tied) > 0 && !a.same() {
		parts = append(parts, a.untold(rivals))
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{basis(a.By) + " " + strings.Join(parts, "; it ") + how + ")."}
}

// certain continues a sentence about the basis: who is worse.
func (a *advice) certain() string {
	s := "is certainly least with " + inQuotes(a.points[a.Best])
	if len(a.Tied) > 0 {
		s = "is certainly more with " + listed(shortList(a.names(a.rivals)))
	}
	next := slices.MinFunc(a.rivals, func(i, k int) int { return compare(a.Against[i].Ratio, a.Against[k].Ratio) })
	value, interval := ratioParts(a.Against[next])
	switch value = strings.TrimSpace(value + " " + interval); {
	case value == "":
	case len(a.Tied) > 0 && len(a.rivals) == 1:
		s += ", " + value
	default:
		s += "; the next, " + inQuotes(a.points[next]) + ", has " + value
	}
	return s
}

// untold continues it with those that cannot be told from the best.
func (a *advice) untold(rivals int) string {
	s := fmt.Sprintf("does not tell %s from %s", listed(shortList(a.names(a.Tied))), inQuotes(a.points[a.Best]))
	if slices.ContainsFunc(a.Tied, func(i int) bool { return a.Against[i].Direction != 0 }) {
		s += ", or not by 1 %"
	}
	if need := experiment.Enough(rivals + 1); a.Against[a.Tied[0]].Sign && len(a.points[a.Best].Runs) < need {
		s += fmt.Sprintf("; that takes %d replications at least", need)
	}
	return s
}

// mostOut is how many variants are named that are out of the question for a
// reason, and how many that cannot be told from another one.
const mostOut = 5

func shortList(names []string) []string {
	if len(names) <= mostOut {
		return names
	}
	return append(slices.Clone(names[:mostOut-1]), fmt.Sprintf("%d more", len(names)-mostOut+1))
}

// outs are the variants that are out of the question, and why.
func (a *advice) outs() []string {
	var out []string
	add := func(reason experiment.Reason, what string, value func(p *experiment.Point) string) {
		var list []string
		more := 0
		for i, p := range a.points {
			switch {
			case a.Reasons[i] != reason:
			case len(list) == mostOut:
				more++
			default:
				list = append(list, inQuotes(p)+value(p))
			}
		}
		if more > 0 {
			list = append(list, fmt.Sprintf("%d more", more))
		}
		if len(list) > 0 {
			out = append(out, what+": "+listed(list)+".")
		}
	}
	share := func(of func(*experiment.Result, *experiment.Point) float64, p *experiment.Point) string {
		return Human(of(a.r, p), "%")
	}
	with := func(of func(*experiment.Result, *experiment.Point) float64) string {
		if a.Best < 0 {
			return ""
		}
		return ", " + share(of, a.points[a.Best]) + " with " + inQuotes(a.points[a.Best])
	}
	some := slices.ContainsFunc(a.points, func(p *experiment.Point) bool { return experiment.StuckShare(a.r, p) < 1 })
	if some {
		add(experiment.Stuck, "Out of the question because they do not always recover", func(p *experiment.Point) string {
			if experiment.StuckShare(a.r, p) == 1 {
				return " (never does)"
			}
			return " (does in " + a.recovered(p) + " replications)"
		})
	}
	add(experiment.LosesMore, "Out of the question because more requests fail or are not done"+with(experiment.LostShare), func(p *experiment.Point) string {
		return " (" + share(experiment.LostShare, p) + ")"
	})
	add(experiment.RepeatsMore, "Out of the question because more is done twice"+with(experiment.RepeatedShare), func(p *experiment.Point) string {
		return " (" + share(experiment.RepeatedShare, p) + ")"
	})
	add(experiment.Unknown, "Nothing is known of", func(*experiment.Point) string { return "" })
	return out
}
