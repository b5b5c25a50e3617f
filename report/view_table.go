package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"retrystorm/experiment"
)

// fill makes everything that a place has: first the severest, whose charts are
// always there, then the others, as far as there is room.
func (m *viewMaker) fill() error {
	rows := make([][]ViewPoint, len(m.places))
	m.best = make([]experiment.Recommendation, len(m.places))
	charts := newCharts(m)
	for _, k := range inTurn(len(m.places), m.Severest) {
		var whole, brief []*experiment.Point
		for _, i := range m.places[k] {
			p := &m.r.Points[i] // whole at the severest place
			if k != m.Severest {
				var err error
				if p, err = wholePoint(m.r, i); err != nil {
					return err
				}
			}
			whole, brief = append(whole, p), append(brief, stored(p))
		}
		c := m.c
		if k != m.Severest && !m.Partial {
			c = Comparisons{Points: brief}.of(m.r, brief)
		}
		for _, p := range brief {
			var contrasts []experiment.Contrast
			if at := slices.IndexFunc(c.Points, func(q *experiment.Point) bool { return q.Variant == p.Variant }); at >= 0 {
				contrasts = c.Contrasts[at]
			}
			rows[k] = append(rows[k], m.point(p, k, contrasts, len(p.Outcomes) > 0 || c.splitReference()))
		}
		if !m.Partial {
			m.best[k] = experiment.Recommend(m.r, brief)
		}
		if k == m.Severest {
			m.severe = brief
		}
		charts.add(k, whole)
	}
	m.Points = []ViewPoint{}
	for _, list := range rows {
		m.Points = append(m.Points, list...)
	}
	charts.done()
	return nil
}

// inTurn are n places, one first, then those that divide the rest ever more
// finely: whenever somebody stops, they are spread.
func inTurn(n, first int) []int {
	seen := make([]bool, n)
	var out []int
	add := func(i int) {
		if 0 <= i && i < n && !seen[i] {
			seen[i] = true
			out = append(out, i)
		}
	}
	add(first)
	add(0)
	add(n - 1)
	step := 1
	for step < n {
		step *= 2
	}
	for ; step > 0 && len(out) < n; step /= 2 {
		for i := 0; i < n; i += step {
			add(i)
		}
	}
	return out
}

// splitReference reports whether the replications of the variant that others are
// compared with ended in two ways.
func (c *Comparisons) splitReference() bool {
	return slices.ContainsFunc(c.Points, func(p *experiment.Point) bool { return p.Variant == c.Reference && len(p.Outcomes) > 0 })
}

// point is a row of the table.
func (m *viewMaker) point(p *experiment.Point, place int, contrasts []experiment.Contrast, split bool) ViewPoint {
	x := ViewPoint{
		Variant: m.index[p.Variant], Place: place, Replications: replications(p),
		Partial: m.Partial && int64(replications(p)) < m.Replications, Cells: []ViewCell{}, Endings: []string{},
	}
	for _, i := range m.metrics {
		var c *experiment.Contrast
		if contrasts != nil {
			c = &contrasts[i]
		}
		x.Cells = append(x.Cells, viewCell(m.r.Metrics[i], outcomes(p), i, c, split))
	}
	if len(p.Outcomes) > 0 {
		for _, o := range outcomes(p) {
			x.Endings = append(x.Endings, m.ending(o))
		}
	}
	return x
}

// ending says how some replications ended, and with what numbers.
func (m *viewMaker) ending(o outcome) string {
	var parts []string
	for _, i := range m.metrics {
		if metric := m.r.Metrics[i]; m.key(i) && len(parts) < 4 {
			e := o.estimates[i]
			parts = append(parts, metricTitle(m.r, metric.Name)+" "+viewText(e, HumanUnit(metric)))
		}
	}
	s := o.share + " " + o.ending
	if len(parts) > 0 {
		s += ": " + strings.Join(parts, ", ")
	}
	return s
}

// viewCell is a metric at a point. Where replications split, numbers are those of
// the more frequent ending and the text has both.
func viewCell(metric experiment.Metric, list []outcome, i int, c *experiment.Contrast, split bool) ViewCell {
	e := list[0].estimates[i]
	x := ViewCell{Centre: jsonNumber(e.Centre), Lo: jsonNumber(e.Lo), Hi: jsonNumber(e.Hi)}
	text := func(e experiment.Estimate) string {
		s := viewText(e, HumanUnit(metric))
		if e.InfShare > 0 && e.InfShare < 1 {
			s += " (never in " + Human(e.InfShare, "%") + ")"
		}
		return s
	}
	x.Text = text(e)
	for _, o := range list[1:] {
		if other := text(o.estimates[i]); other != x.Text {
			x.Text = fmt.Sprintf("%s (%s), %s (%s)", x.Text, list[0].share, other, o.share)
		}
	}
	if c == nil || math.IsNaN(c.P) {
		return x
	}
	x.Against = &c.Direction
	var n notation
	value, interval := n.cell(metric, *c, split)
	x.Ratio = strings.TrimSpace(value + " " + interval)
	return x
}

// viewText is an estimate for people, without an interval that reads like the
// centre at both ends.
func viewText(e experiment.Estimate, unit string) string {
	by, suffix := magnitude(e.Centre, unit)
	if lo, hi := bound(e.Lo/by), bound(e.Hi/by); lo == hi && lo+suffix == Human(e.Centre, unit) {
		return Human(e.Centre, unit)
	}
	return HumanInterval(e.Centre, e.Lo, e.Hi, unit)
}
