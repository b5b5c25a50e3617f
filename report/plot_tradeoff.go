package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"retrystorm/experiment"
)

// plotTradeoff shows calls against waiting, the front joined by a line: nothing
// below it and to its left was found.
func plotTradeoff(r *experiment.Result, c Comparisons) picture {
	calls, done := metricIndex(r, "total_calls"), metricIndex(r, "completion_p99")
	if calls < 0 || done < 0 || immediate(r, done) || !slices.ContainsFunc(c.Tradeoffs, func(t experiment.Tradeoff) bool {
		return t.Calls.Centre > 0 && !math.IsNaN(t.Completion.Centre) && !math.IsInf(t.Completion.Centre, 1)
	}) {
		return nil
	}
	styles := Styles(variants(r))
	panel := Panel{Series: []Series{frontLine(c)}}
	for _, p := range c.Points {
		style, shown := styles[p.Variant]
		if !shown {
			continue
		}
		s := Series{Name: humanName(p.Variant), Style: Style{style.Color, nil, style.Marker}, Loose: true}
		for k, o := range outcomes(p) {
			x, y := o.estimates[calls], o.estimates[done]
			x.Lo, x.Hi = possible(r.Metrics[calls], x)
			y.Lo, y.Hi = possible(r.Metrics[done], y)
			if k > 0 {
				s.Apart = append(s.Apart, XY{x.Centre, y.Centre})
				continue
			}
			s.Points, s.Lo, s.Hi = []XY{{x.Centre, y.Centre}}, []float64{y.Lo}, []float64{y.Hi}
			if x.Lo < x.Hi && !math.IsInf(y.Centre, 1) {
				panel.Series = append(panel.Series, Series{
					Style: Style{Color: style.Color}, Thin: true, Bare: true, Points: []XY{{x.Lo, y.Centre}, {x.Hi, y.Centre}},
				})
			}
		}
		panel.Series = append(panel.Series, s)
	}
	dashed := ""
	if len(panel.Series[0].Points) > 1 {
		dashed = "dashed: the front"
	}
	xs, ys := valuesOf([]Panel{panel})
	// The best crowd near the origin, where a linear axis leaves no room.
	axis := func(label, unit string, values []float64) Axis {
		return Axis{Label: label, Unit: unit, Log: ratio(values) > 10 && !slices.Contains(values, 0)}
	}
	return &Figure{
		Title:    tradeoffTitle(c),
		Subtitle: subtitleAt(r, c.Points, dashed, whiskers([]Panel{panel}), splitRemark([]Panel{panel})),
		X:        axis("calls reaching "+r.Target, "", xs),
		Y:        axis("time until 99 % are done", "s", ys),
		Panels:   []Panel{panel},
		Named:    true,
	}
}

// frontLine joins the variants on the front: calls can be saved only by waiting
// longer.
func frontLine(c Comparisons) Series {
	s := Series{Style: Style{Color: softColor, Dashes: []vg.Length{5, 3}}, Step: true, Bare: true, Thin: true}
	for i, t := range c.Tradeoffs {
		if x, y := t.Calls.Centre, t.Completion.Centre; t.Front && len(outcomes(c.Points[i])) == 1 && !math.IsNaN(x) && !math.IsNaN(y) && !math.IsInf(y, 1) {
			s.Points = append(s.Points, XY{x, y})
		}
	}
	slices.SortStableFunc(s.Points, func(a, b XY) int { return compare(a.X, b.X) })
	return s
}

// candidate is a variant on the front.
type candidate struct {
	variant string
	experiment.Tradeoff
}

// frontByCalls are the variants on the front, the one with the fewest calls
// first.
func frontByCalls(c Comparisons) []candidate {
	var best []candidate
	for i, t := range c.Tradeoffs {
		if t.Front {
			best = append(best, candidate{c.Points[i].Variant, t})
		}
	}
	slices.SortStableFunc(best, func(a, b candidate) int { return compare(a.Calls.Centre, b.Calls.Centre) })
	return best
}

// tradeoffTitle tells what being done earlier costs: from the variant on the front
// with the fewest calls to the one that is done first.
func tradeoffTitle(c Comparisons) string {
	best := frontByCalls(c)
	told := func(b candidate) string {
		return fmt.Sprintf("%s (%s calls, 99 %% %s)", quoted(b.variant), about(b.Calls.Centre, ""), doneAfter(b.Completion.Centre))
	}
	few, last := best[0], best[len(best)-1]
	quick := slices.MinFunc(best, func(a, b candidate) int { return compare(a.Completion.Centre, b.Completion.Centre) })
	switch n := len(best); {
	case n == 1:
		return told(few) + " is the best trade-off"
	case below(few.Calls, quick.Calls) && below(quick.Completion, few.Completion):
		price := "about as many calls as "
		if ratio := quick.Calls.Centre / few.Calls.Centre; math.IsInf(ratio, 1) {
			price = about(quick.Calls.Centre, "") + " calls instead of none of "
		} else if ratio >= 1.05 {
			price = times(ratio) + " the calls of "
		}
		s := fmt.Sprintf("%s has 99 %% done %s", quoted(quick.variant), afterBeside(quick.Completion.Centre, few.Completion.Centre))
		if math.IsInf(few.Completion.Centre, 1) {
			return s + ", for " + price + quoted(few.variant) + ", which never has"
		}
		return s + " instead of " + lasting(few.Completion.Centre) + ", for " + price + quoted(few.variant)
	case n == len(c.Points):
		var calls, waits []claim
		for _, b := range best {
			calls, waits = append(calls, claim{e: b.Calls}), append(waits, claim{e: b.Completion})
		}
		fewest, most, _ := extremes(calls)
		first, last, _ := extremes(waits)
		return fmt.Sprintf("No variant beats another in both calls, %s, and waiting for 99 %%, %s",
			ranging(about(fewest.e.Centre, ""), about(most.e.Centre, "")), ranging(lasting(first.e.Centre), lasting(last.e.Centre)))
	case n == 2:
		return told(few) + " and " + told(last) + " are the best trade-offs"
	default:
		return fmt.Sprintf("%d best trade-offs, from %s to %s", n, told(few), told(last))
	}
}

// below reports whether an estimate is certainly the smaller one.
func below(a, b experiment.Estimate) bool {
	_, _, apart := extremes([]claim{{"", a}, {"", b}})
	return apart && a.Centre < b.Centre
}
