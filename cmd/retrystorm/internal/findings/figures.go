package findings

import (
	"strconv"
	"strings"

	"retrystorm/experiment"
	"retrystorm/report"
)

// finishedFigure draws when the last client is done, against the sweep axis:
// the second figure of the AWS post.
func finishedFigure(r *experiment.Result, metric int) *report.Figure {
	names := variants(r)
	styles := report.Styles(names)
	f := &report.Figure{
		Title:    finishedTitle(r, metric),
		Subtitle: r.Title + " · medians, bands: 95 % intervals",
		X:        report.Axis{Label: "clients"},
		Y:        report.Axis{Label: "time until the last client is done", Unit: "s", Log: true},
	}
	panel := report.Panel{}
	for _, v := range names {
		s := report.Series{Name: strings.ReplaceAll(v, "-", " "), Style: styles[v]}
		for _, p := range points(r, v) {
			if len(p.Sweep) != 1 {
				continue
			}
			x, err := strconv.ParseFloat(p.Sweep[0], 64)
			if err != nil {
				continue
			}
			e := p.Estimates[metric]
			s.Points = append(s.Points, report.XY{X: x, Y: e.Centre})
			s.Lo, s.Hi = append(s.Lo, e.Lo), append(s.Hi, e.Hi)
		}
		panel.Series = append(panel.Series, s)
	}
	f.Panels = []report.Panel{panel}
	return f
}

// finishedTitle says when the last client is done with the first and with the last
// variant to finish, at the last place of the sweep.
func finishedTitle(r *experiment.Result, metric int) string {
	var first, last *experiment.Point
	for _, v := range variants(r) {
		list := points(r, v)
		p := list[len(list)-1]
		if first == nil || p.Estimates[metric].Centre < first.Estimates[metric].Centre {
			first = p
		}
		if last == nil || p.Estimates[metric].Centre > last.Estimates[metric].Centre {
			last = p
		}
	}
	told := func(p *experiment.Point) string {
		return "after " + report.Human(p.Estimates[metric].Centre, "s") + " with “" + strings.ReplaceAll(p.Variant, "-", " ") + "”"
	}
	return "Of " + first.Sweep[0] + " clients the last is done " + told(first) + ", " + told(last)
}
