package report

import (
	"math"
	"slices"
	"time"

	"retrystorm/experiment"
)

// plotArrivals shows the load on the target over time, a panel per variant.
func plotArrivals(r *experiment.Result) picture {
	points := withTimeline(r)
	if len(points) == 0 {
		return nil
	}
	styles := Styles(variants(r))
	end := lastActivity(r, points)
	peak := 0.0
	for _, p := range points {
		peak = max(peak, slices.Max(rates(timelineOf(p, r.Target), arrivals)))
	}
	if peak == 0 {
		return nil
	}
	all := always(points, end)
	f := &Figure{
		Title:    arrivalsTitle(r, points),
		Subtitle: subtitleAt(r, points, "means over the replications", alwaysRemark(all)),
		X:        Axis{Label: "time", Unit: "s", Fit: true},
		Y:        Axis{Label: "calls", Unit: "/s"},
	}
	var loads []float64
	for _, p := range points {
		t := timelineOf(p, r.Target)
		panel := Panel{
			Series: []Series{
				overTime("calls reaching "+r.Target, styles[p.Variant], t, arrivals, end, peak),
				overTime("answered with success", Style{Color: black}, t, goodput, end, peak),
			},
			Spans: clipped(p.Shading, end, all), Moments: moments(p, end),
		}
		panel.Series[0].Fill = true
		panel.Series[1].Thin = true
		if len(points) > 1 {
			panel.Title = humanName(p.Variant)
		}
		if c := capacity(r, p); c > 0 && c < 4*peak {
			panel.Levels = []Level{{"capacity " + Human(c, "/s"), c}}
		}
		f.Panels = append(f.Panels, panel)
		for _, pt := range panel.Series[0].Points {
			loads = append(loads, pt.Y)
		}
	}
	if f.Y.Log = bursty(loads, mostTimes); f.Y.Log {
		for _, p := range f.Panels {
			p.Series[0].Fill = false // no honest area without a zero
		}
	}
	return f
}

// withTimeline are the points at the severest place whose load on the target is known
// over time.
func withTimeline(r *experiment.Result) []*experiment.Point {
	return slices.DeleteFunc(at(r, severest(r)), func(p *experiment.Point) bool {
		t := timelineOf(p, r.Target)
		return t == nil || len(t.Rows) == 0 || t.Replications == 0
	})
}

func arrivals(t *experiment.Timeline, k int) float64 { return rate(*t, t.Rows[k].Arrivals) }
func goodput(t *experiment.Timeline, k int) float64  { return rate(*t, t.Rows[k].Succeeded) }

func rates(t *experiment.Timeline, of func(*experiment.Timeline, int) float64) []float64 {
	out := make([]float64, len(t.Rows))
	for k := range t.Rows {
		out[k] = of(t, k)
	}
	return out
}

// overTime is a rate as steps. What is ten thousand times smaller than the
// peak is drawn as nothing, so that a log axis stays readable.
func overTime(name string, style Style, t *experiment.Timeline, of func(*experiment.Timeline, int) float64,
	end time.Duration, peak float64,
) Series {
	s := Series{Name: name, Style: Style{Color: style.Color}, Step: true, Bare: true}
	for k, v := range rates(t, of) {
		if time.Duration(k)*t.Row >= end {
			break
		}
		if v < peak/1e4 {
			v = 0
		}
		s.Points = append(s.Points, XY{start(*t, k), v})
	}
	if n := len(s.Points); n > 0 {
		s.Points = append(s.Points, XY{start(*t, n), s.Points[n-1].Y})
	}
	return s
}

// lastActivity is when the last row with a call ends; the calm after it is
// not shown.
func lastActivity(r *experiment.Result, points []*experiment.Point) time.Duration {
	end := time.Duration(0)
	for _, p := range points {
		t := timelineOf(p, r.Target)
		for k := len(t.Rows) - 1; k >= 0; k-- {
			if t.Rows[k].Arrivals > 0 || t.Rows[k].Succeeded > 0 {
				end = max(end, time.Duration(k+1)*t.Row)
				break
			}
		}
		end = max(end, t.Row)
	}
	return end
}

// clipped are spans as far as they are shown.
func clipped(spans []experiment.Span, end time.Duration, but []string) []experiment.Span {
	var out []experiment.Span
	for _, s := range spans {
		if s.From < end && !slices.Contains(but, s.Name) {
			out = append(out, experiment.Span{Name: s.Name, From: s.From, To: min(s.To, end)})
		}
	}
	return out
}

// always are the faults that all points have from the start to the end: to shade
// everything shows nothing.
func always(points []*experiment.Point, end time.Duration) []string {
	has := func(p *experiment.Point, name string) bool {
		return slices.ContainsFunc(p.Shading, func(s experiment.Span) bool { return s.Name == name && s.From == 0 && s.To >= end })
	}
	var names []string
	for _, s := range points[0].Shading {
		if !slices.ContainsFunc(points, func(p *experiment.Point) bool { return !has(p, s.Name) }) {
			names = addNew(names, s.Name)
		}
	}
	return names
}

// alwaysRemark says which these are.
func alwaysRemark(names []string) string {
	if len(names) == 0 {
		return ""
	}
	named := make([]string, len(names))
	for i, n := range names {
		named[i] = humanName(n)
	}
	return listed(named) + " all the time shown"
}

// capacity is the nominal capacity of the target in calls per second: what
// peak_load_x divides by. It is NaN when unlimited.
func capacity(r *experiment.Result, p *experiment.Point) float64 {
	load, x := metricIndex(r, "peak_load"), metricIndex(r, "peak_load_x")
	if load < 0 || x < 0 || p.Estimates[x].Centre == 0 {
		return math.NaN()
	}
	c := Rounded(p.Estimates[load].Centre) / Rounded(p.Estimates[x].Centre)
	return math.Round(c*1e3) / 1e3 // the quotient carries the rounding of both
}

// mostTimes is how many times smaller something may be to be seen in a picture.
const mostTimes = 30

// bursty reports whether a few rows are so many times higher than the others that
// these would not be seen on a linear axis.
func bursty(values []float64, times float64) bool {
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v <= 0 })
	if len(values) < 4 {
		return false
	}
	slices.Sort(values)
	return values[len(values)-1] > float64(times*values[len(values)*3/4])
}
