package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"retrystorm/experiment"
)

const mostPanels = 6

// metricPanels draws a metric against a numeric sweep axis: a line per
// variant, and a panel per combination of the other axes. The remark says
// which combinations are left out.
func metricPanels(r *experiment.Result, a *sweepAxis, metric int) (panels []Panel, remark string) {
	combinations, points := others(r, a.index)
	axes := slices.Delete(slices.Clone(r.Axes), a.index, a.index+1)
	pick := spreadOver(len(combinations), mostPanels)
	var remarks []string
	if len(pick) < len(combinations) {
		remarks = append(remarks, fmt.Sprintf("%d of %d combinations shown", len(pick), len(combinations)))
	}
	if n := len(r.Points) / len(combinations) / len(variants(r)); n > mostPoints {
		remarks = append(remarks, fmt.Sprintf("%s of %s of a line shown", fixed(mostPoints, 0), counted(int64(n), "point")))
	}
	for _, k := range pick {
		p := Panel{Series: metricSeries(r, a, points[k], metric)}
		var long, short []string
		for i, v := range combinations[k] {
			long = append(long, axes[i]+" = "+tidy(v))
			short = append(short, shortAxis(axes, i)+" = "+tidy(v))
		}
		p.Title, p.Short = strings.Join(long, ", "), strings.Join(short, ", ")
		panels = append(panels, p)
	}
	return panels, strings.Join(remarks, ", ")
}

// shortAxis is as much of the end of the name of an axis as tells it from the
// others.
func shortAxis(axes []string, i int) string {
	parts := strings.Split(axes[i], ".")
	for k := len(parts) - 1; k > 0; k-- {
		name := strings.Join(parts[k:], ".")
		same := 0
		for _, axis := range axes {
			if axis == name || strings.HasSuffix(axis, "."+name) {
				same++
			}
		}
		if same == 1 {
			return name
		}
	}
	return axes[i]
}

// spreadOver picks at most k of n, evenly, the first and the last among them; of
// several only one is the last.
func spreadOver(n, k int) []int {
	if k == 1 && n > 0 {
		return []int{n - 1}
	}
	var out []int
	for i := range min(n, k) {
		if n <= k {
			out = append(out, i)
		} else {
			out = append(out, i*(n-1)/(k-1))
		}
	}
	return out
}

// metricSeries are the lines of one panel. At a point where replications
// split, the line follows the more frequent outcome and the other stands
// apart.
func metricSeries(r *experiment.Result, a *sweepAxis, points []*experiment.Point, metric int) []Series {
	styles := Styles(variants(r))
	var list []Series
	for _, v := range variants(r) {
		s := Series{Name: humanName(v), Style: styles[v]}
		mine := slices.DeleteFunc(slices.Clone(points), func(p *experiment.Point) bool { return p.Variant != v })
		slices.SortStableFunc(mine, func(p, q *experiment.Point) int {
			return compare(a.values[p.Sweep[a.index]], a.values[q.Sweep[a.index]])
		})
		for _, i := range spreadOver(len(mine), mostPoints) {
			p := mine[i]
			x := a.values[p.Sweep[a.index]]
			for k, o := range outcomes(p) {
				e := o.estimates[metric]
				if k > 0 {
					s.Apart = append(s.Apart, XY{x, e.Centre})
					continue
				}
				s.Points = append(s.Points, XY{x, e.Centre})
				lo, hi := possible(r.Metrics[metric], e)
				s.Lo, s.Hi = append(s.Lo, lo), append(s.Hi, hi)
			}
		}
		s.Bare = len(s.Points) > mostMarked
		list = append(list, s)
	}
	return list
}

func compare(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// valuesOf are all values of some panels along both axes.
func valuesOf(panels []Panel) (xs, ys []float64) {
	for _, p := range panels {
		for _, s := range p.Series {
			for _, pt := range append(slices.Clone(s.Points), s.Apart...) {
				xs, ys = append(xs, pt.X), append(ys, pt.Y)
			}
		}
	}
	return xs, ys
}

// few are the different values of xs, nil when they are too many to mark.
func few(xs []float64) []float64 {
	xs = slices.Clone(xs)
	slices.Sort(xs)
	if xs = slices.Compact(xs); len(xs) > 10 {
		return nil
	}
	return xs
}

// splitRemark explains hollow markers, if there are any.
func splitRemark(panels []Panel) string {
	for _, p := range panels {
		for _, s := range p.Series {
			if len(s.Apart) > 0 {
				return "hollow: replications that ended the other way"
			}
		}
	}
	return ""
}

// bandRemark explains bands, if there are any.
func bandRemark(panels []Panel) string {
	for _, p := range panels {
		for _, s := range p.Series {
			for i := range s.Lo {
				if s.Lo[i] < s.Hi[i] {
					return "bands: 95 % intervals"
				}
			}
		}
	}
	return ""
}

// metricFigure is a figure of panels against a sweep axis.
func metricFigure(r *experiment.Result, a *sweepAxis, title, remark string, y Axis, panels []Panel) *Figure {
	xs, ys := valuesOf(panels)
	y.Log = spread(ys) && !slices.Contains(ys, 0)
	return &Figure{
		Title:    title,
		Subtitle: subtitle(r, remark, bandRemark(panels), splitRemark(panels)),
		X:        Axis{Label: a.label, Unit: a.unit, Log: spread(xs) && !slices.Contains(xs, 0), Fit: true, Ticks: few(xs)},
		Y:        y,
		Panels:   panels,
	}
}

// metricRows are the rows of a Dots: a row per point and outcome, under the
// sweep values where there are any. The remark says what is left out: of many
// places, all but some from the first to the last.
func metricRows(r *experiment.Result, row func(outcome) Dot) (rows []Dot, remark string) {
	styles := Styles(variants(r))
	places := map[string][]Dot{}
	var order []string
	n, widest := 0, 0
	for i := range r.Points {
		p := &r.Points[i]
		k := joined(p.Sweep)
		if places[k] == nil {
			order = append(order, k)
		}
		for _, o := range outcomes(p) {
			d := row(o)
			d.Style = styles[p.Variant]
			d.Name = humanName(p.Variant) + o.suffix()
			if len(p.Sweep) > 0 {
				d.Group = drawnAt(r, p.Sweep)[len("at "):]
			}
			places[k] = append(places[k], d)
			n++
		}
		widest = max(widest, len(places[k]))
	}
	pick := spreadOver(len(order), len(order))
	if n > dotsMost {
		pick = spreadOver(len(order), max(1, dotsMost/widest))
		remark = fmt.Sprintf("%d of %s shown", len(pick), counted(int64(len(order)), "place"))
	}
	for _, i := range pick {
		rows = append(rows, places[order[i]]...)
	}
	return rows, remark
}

// logDots reports whether the marks need a log axis.
func logDots(rows []Dot) bool {
	var values []float64
	for _, d := range rows {
		for _, m := range d.Marks {
			values = append(values, m.Value)
		}
	}
	return spread(values) && !slices.Contains(values, 0)
}

// whiskerRemark explains whiskers, if there are any.
func whiskerRemark(rows []Dot) string {
	for _, d := range rows {
		for _, m := range d.Marks {
			if m.Lo < m.Hi {
				return "whiskers: 95 % intervals"
			}
		}
	}
	return ""
}

func markOf(m experiment.Metric, e experiment.Estimate, hollow bool) Mark {
	lo, hi := possible(m, e)
	return Mark{Value: e.Centre, Lo: lo, Hi: hi, Hollow: hollow}
}

// possible is an interval without what no value can be: counts, rates, times and
// shares are not negative, and shares not more than 1.
func possible(m experiment.Metric, e experiment.Estimate) (lo, hi float64) {
	lo, hi = max(0, e.Lo), e.Hi
	if HumanUnit(m) == "%" {
		hi = min(1, hi)
	}
	return lo, hi
}

// known reports whether any value is there at all.
func known(r *experiment.Result, metric int) bool {
	return metric >= 0 && slices.ContainsFunc(r.Points, func(p experiment.Point) bool {
		return !math.IsNaN(p.Estimates[metric].Centre)
	})
}

// immediate reports whether all that is known of a metric is zero, as when requests
// are done once a queue has them.
func immediate(r *experiment.Result, metric int) bool {
	return !slices.ContainsFunc(r.Points, func(p experiment.Point) bool {
		x := p.Estimates[metric].Centre
		return !math.IsNaN(x) && x != 0
	})
}

// fewerPoints are at most n points: the first, those that a title names, and of the
// others some from the first to the last. The remark says so.
func fewerPoints(points []*experiment.Point, title string, n int) (few []*experiment.Point, remark string) {
	if len(points) <= n {
		return points, ""
	}
	shown := map[*experiment.Point]bool{}
	var rest []*experiment.Point
	for i, p := range points {
		if shown[p] = i == 0 || strings.Contains(title, quoted(p.Variant)); !shown[p] {
			rest = append(rest, p)
		}
	}
	for _, i := range spreadOver(len(rest), max(0, n-(len(points)-len(rest)))) {
		shown[rest[i]] = true
	}
	few = slices.DeleteFunc(slices.Clone(points), func(p *experiment.Point) bool { return !shown[p] })
	return few, fmt.Sprintf("%d of %d variants shown", len(few), len(points))
}
