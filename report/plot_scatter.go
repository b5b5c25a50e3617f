package report

import (
	"fmt"
	"math"
	"slices"

	"retrystorm/experiment"
)

const (
	// mostPoints is how many points of a variant a panel draws.
	mostPoints = 2000
	// mostMarked is how many points of a line have markers.
	mostMarked = 100
	// mostWhiskers is how many points of a cloud have intervals.
	mostWhiskers = 40
)

// scatterFigure draws a metric of a design that fills the room between its axes:
// a panel per axis, points without lines. It is nil when no axis has numbers.
func scatterFigure(r *experiment.Result, title string, y Axis, metric int) picture {
	f := &Figure{Title: title, Y: y}
	numeric, shown := 0, 0
	var ys []float64
	for i := range r.Axes {
		a := newSweepAxis(r, i)
		if a == nil {
			continue
		}
		if numeric++; len(f.Panels) == mostPanels {
			continue
		}
		p := Panel{Series: metricSeries(r, a, pointers(r), metric)}
		for k := range p.Series {
			s := &p.Series[k]
			s.Loose, s.Bare = true, false
			shown = len(s.Points)
			if len(s.Points) > mostWhiskers {
				s.Lo, s.Hi = nil, nil
			}
		}
		xs, values := valuesOf([]Panel{p})
		ys = append(ys, values...)
		p.X = &Axis{Label: a.label, Unit: a.unit, Log: spread(xs) && !slices.Contains(xs, 0), Fit: true}
		f.Panels = append(f.Panels, p)
	}
	if len(f.Panels) == 0 {
		return nil
	}
	axes, points := "", ""
	if numeric > len(f.Panels) {
		axes = fmt.Sprintf("%d of %d axes shown", len(f.Panels), numeric)
	}
	if n := len(r.Points) / len(variants(r)); shown < n {
		points = fmt.Sprintf("%d of %s per variant shown", shown, counted(int64(n), "point"))
	}
	f.Y.Log = spread(ys) && !slices.Contains(ys, 0)
	f.Subtitle = subtitle(r, "each point is a setting of all axes", axes, points, whiskers(f.Panels), splitRemark(f.Panels))
	return f
}

// whiskers is bandRemark of points without lines.
func whiskers(panels []Panel) string {
	if bandRemark(panels) == "" {
		return ""
	}
	return "whiskers: 95 % intervals"
}

func pointers(r *experiment.Result) []*experiment.Point {
	out := make([]*experiment.Point, len(r.Points))
	for i := range r.Points {
		out[i] = &r.Points[i]
	}
	return out
}

// scatterTitle says between which values a metric lies.
func scatterTitle(r *experiment.Result, metric int, say func(least, most float64) string) string {
	least, most := math.Inf(1), math.Inf(-1)
	for i := range r.Points {
		for _, o := range outcomes(&r.Points[i]) {
			if v := o.estimates[metric].Centre; !math.IsNaN(v) {
				least, most = min(least, v), max(most, v)
			}
		}
	}
	return say(least, most)
}
