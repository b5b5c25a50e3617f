package report

import (
	"slices"
	"strings"

	"retrystorm/experiment"
)

// plotBisection shows the metric of the expectation along the axis, and where
// the expectation flips. It is nil when it flips nowhere.
func plotBisection(r *experiment.Result) picture {
	if !slices.ContainsFunc(r.Crossings, func(c experiment.Crossing) bool { return c.From != "" }) {
		return nil
	}
	axis, metric := slices.Index(r.Axes, r.Crossings[0].Axis), metricOf(r, r.Crossings[0].Where)
	if axis < 0 || metric < 0 || !known(r, metric) {
		return nil
	}
	a := newSweepAxis(r, axis)
	if a == nil {
		return nil
	}
	panels, remark := metricPanels(r, a, metric)
	combinations, _ := others(r, axis)
	styles := Styles(variants(r))
	for i, k := range spreadOver(len(combinations), mostPanels) {
		for _, c := range r.Crossings {
			if !slices.Equal(c.Sweep, combinations[k]) {
				continue
			}
			if x, ok := rangeOf(&c); ok {
				x.Style = styles[c.Variant]
				panels[i].Ranges = append(panels[i].Ranges, x)
			}
		}
	}
	m := r.Metrics[metric]
	f := metricFigure(r, a, bisectionTitle(r), remark, Axis{Label: strings.ReplaceAll(m.Name, "_", " "), Unit: HumanUnit(m)}, panels)
	f.Subtitle += " · shaded: where it flips, at\u00a095\u00a0%"
	f.X.Ticks = nil
	return f
}

// metricOf is the first metric that an expectation names.
func metricOf(r *experiment.Result, expectation string) int {
	for _, word := range strings.FieldsFunc(expectation, func(c rune) bool {
		return c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9')
	}) {
		if i := metricIndex(r, word); i >= 0 {
			return i
		}
	}
	return -1
}

// rangeOf is the crossing with its interval, or with its neighbours where an end
// of that is not known.
func rangeOf(c *experiment.Crossing) (x Range, ok bool) {
	number := func(texts ...string) float64 {
		for _, s := range texts {
			if v, _, known := Quantity(s); known {
				return v
			}
		}
		ok = false
		return 0
	}
	ok = true
	x.From, x.To = number(c.Lo, c.From), number(c.Hi, c.To)
	x.At = (number(c.From) + number(c.To)) / 2
	return x, ok
}

// bisectionTitle says where the expectation holds, for the first variants at the
// last place of the other axes.
func bisectionTitle(r *experiment.Result) string {
	several := len(variants(r)) > 1
	last := r.Crossings[len(r.Crossings)-1]
	var parts []string
	verb := ""
	for _, c := range r.Crossings {
		c.From, c.To, c.Lo, c.Hi = tidy(c.From), tidy(c.To), tidy(c.Lo), tidy(c.Hi)
		if len(parts) == mostNamed || !slices.Equal(c.Sweep, last.Sweep) {
			continue
		}
		s, _, _ := strings.Cut(atEnds(r, &c), ", ")
		if c.From != "" {
			s, _, _ = strings.Cut(holding(&c), ", not ")
		}
		if several {
			s += " with " + quoted(c.Variant)
		} else if list := enclosed(&c); len(list) > 0 {
			s += " (" + list[0] + ")"
		}
		first, rest, _ := strings.Cut(s, " ")
		if first == verb {
			s = rest
		}
		verb = first
		parts = append(parts, s)
	}
	title := "“" + bisected(r) + "” " + strings.Join(parts, ", ")
	last.Sweep = slices.Clone(last.Sweep)
	for i, v := range last.Sweep {
		last.Sweep[i] = tidy(v)
	}
	if at := otherAxes(r, &last); len(at) > 0 {
		title = "At " + strings.Join(at, ", ") + ", " + title
	}
	return title
}
