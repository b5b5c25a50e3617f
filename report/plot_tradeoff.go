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
	if calls < 0 || done < 0 || !slices.ContainsFunc(c.Tradeoffs, func(t experiment.Tradeoff) bool {
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
	xs, ys := valuesOf([]Panel{panel})
	// The best crowd near the origin, where a linear axis leaves no room.
	axis := func(label, unit string, values []float64) Axis {
		return Axis{Label: label, Unit: unit, Log: ratio(values) > 10 && !slices.Contains(values, 0)}
	}
	return &Figure{
		Title:    tradeoffTitle(c),
		Subtitle: subtitleAt(r, c.Points, whiskers([]Panel{panel}), splitRemark([]Panel{panel})),
		X:        axis("calls reaching "+r.Target, "", xs),
		Y:        axis("time until 99 % are done", "s", ys),
		Panels:   []Panel{panel},
	}
}

// frontLine joins the variants on the front: calls can be saved only by waiting
// longer.
func frontLine(c Comparisons) Series {
	s := Series{Name: "front", Style: Style{Color: softColor, Dashes: []vg.Length{5, 3}}, Step: true, Bare: true, Thin: true}
	for i, t := range c.Tradeoffs {
		if x, y := t.Calls.Centre, t.Completion.Centre; t.Front && len(outcomes(c.Points[i])) == 1 && !math.IsNaN(x) && !math.IsNaN(y) && !math.IsInf(y, 1) {
			s.Points = append(s.Points, XY{x, y})
		}
	}
	slices.SortStableFunc(s.Points, func(a, b XY) int { return compare(a.X, b.X) })
	if len(s.Points) < 2 {
		s.Name = "" // not a line
	}
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

func tradeoffTitle(c Comparisons) string {
	best := frontByCalls(c)
	told := func(b candidate) string {
		return fmt.Sprintf("%s (%s calls, 99 %% %s)", quoted(b.variant), about(b.Calls.Centre, ""), doneAfter(b.Completion.Centre))
	}
	switch n := len(best); {
	case n == len(c.Points):
		return "No variant beats another in both calls and waiting"
	case n == 1:
		return told(best[0]) + " is the best trade-off"
	case n == 2:
		return told(best[0]) + " and " + told(best[1]) + " are the best trade-offs"
	default:
		return fmt.Sprintf("%d best trade-offs, from %s to %s", n, told(best[0]), told(best[n-1]))
	}
}
