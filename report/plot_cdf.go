package report

import (
	"math"
	"slices"

	"retrystorm/experiment"
)

// plotDistribution shows which share of the requests is done after which
// time.
func plotDistribution(r *experiment.Result) picture {
	sweep := severest(r)
	points := at(r, sweep)
	styles := Styles(variants(r))
	var times []float64
	for _, p := range points {
		for _, q := range p.Completion {
			if !math.IsInf(q.Seconds, 1) {
				times = append(times, q.Seconds)
			}
		}
	}
	if len(times) == 0 {
		return nil
	}
	last := slices.Max(times)
	if last == 0 {
		return nil // all that succeed do so at once
	}
	var panel Panel
	for _, p := range points {
		panel.Series = append(panel.Series, distribution(r, p, styles[p.Variant], last))
	}
	tinted := ""
	if slices.ContainsFunc(panel.Series, func(s Series) bool { return s.Area != nil }) {
		tinted = "bands: 95 % intervals"
	}
	return &Figure{
		Title:    distributionTitle(r, points),
		Subtitle: subtitleAt(r, points, "all requests started", tinted),
		X:        Axis{Label: "time from request to success", Unit: "s", Log: spread(times), Fit: true},
		Y:        Axis{Label: "requests done", Unit: "%", Least: 1},
		Panels:   []Panel{panel},
	}
}

// distribution rises to the share that ever succeeds and stays there.
func distribution(r *experiment.Result, p *experiment.Point, style Style, last float64) Series {
	s := Series{Name: humanName(p.Variant), Style: style, Bare: true, Area: between95(p.Completion, last)}
	s.Points = []XY{{0, 0}}
	done := 0.0
	for _, q := range p.Completion {
		if math.IsInf(q.Seconds, 1) {
			break
		}
		if len(s.Points) == 1 { // the first step is not a slope
			s.Points = append(s.Points, XY{q.Seconds, 0})
		}
		s.Points = append(s.Points, XY{q.Seconds, q.Q})
		done = q.Q
	}
	s.Points = append(s.Points, XY{last, done})
	if never := neverDone(r, p); never > 0 {
		s.Name += " (" + share(never) + " never)"
	}
	return s
}

// between95 is the outline of the intervals of a distribution: up along the
// lower ends and down along the upper ones; nil when there are none.
func between95(list []experiment.Quantile, last float64) []XY {
	var outline []XY
	list = slices.DeleteFunc(slices.Clone(list), func(q experiment.Quantile) bool {
		return math.IsNaN(q.Lo) || math.IsNaN(q.Hi) || math.IsInf(q.Lo, 1) || !(q.Lo < q.Hi)
	})
	for _, q := range list {
		outline = append(outline, XY{min(q.Lo, last), q.Q})
	}
	for _, q := range slices.Backward(list) {
		outline = append(outline, XY{min(q.Hi, last), q.Q})
	}
	return outline
}
