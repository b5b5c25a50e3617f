package report

import (
	"fmt"
	"slices"
	"time"

	"retrystorm/experiment"
)

// mostBacklogs is how many lines a panel of the backlog has.
const mostBacklogs = 6

// plotBacklog shows what waits over time: messages in queues, and calls in
// front of services, a panel per variant. It is about queues: without any there
// is none.
func plotBacklog(r *experiment.Result) picture {
	points := slices.DeleteFunc(at(r, severest(r)), func(p *experiment.Point) bool { return len(p.Queues) == 0 })
	if len(points) == 0 {
		return nil
	}
	names := backlogs(points)
	if len(names) == 0 {
		return nil
	}
	styles := freeStyles()
	f := &Figure{
		Title: backlogTitle(points, names),
		X:     Axis{Label: "time", Unit: "s", Fit: true},
		Y:     Axis{Label: "waiting"},
	}
	end := time.Duration(0)
	for _, p := range points {
		for _, name := range names {
			if t := timelineOf(p, name); t != nil {
				end = max(end, time.Duration(fullRows(t))*t.Row)
			}
		}
	}
	all := always(points, end)
	f.Subtitle = subtitleAt(r, points, "means over the replications", alwaysRemark(all))
	var heights []float64
	for _, p := range points {
		panel := Panel{Spans: clipped(p.Shading, end, all), Moments: moments(p, end)}
		for i, name := range names {
			t := timelineOf(p, name)
			if t == nil {
				continue
			}
			what := "calls at "
			if slices.Contains(queueNames(p), name) {
				what = "messages in "
			}
			s := Series{Name: what + name, Style: Style{Color: styles[i].Color, Dashes: styles[i].Dashes}, Step: true, Bare: true}
			n := fullRows(t)
			for k := range n {
				s.Points = append(s.Points, XY{start(*t, k), backlog(t, k)})
				heights = append(heights, backlog(t, k))
			}
			if n > 0 {
				s.Points = append(s.Points, XY{start(*t, n), backlog(t, n-1)})
			}
			panel.Series = append(panel.Series, s)
		}
		if len(points) > 1 {
			panel.Title = humanName(p.Variant)
		}
		f.Panels = append(f.Panels, panel)
	}
	f.Y.Log = slices.Max(heights) > 1000 && bursty(heights, mostTimes)
	return f
}

func backlog(t *experiment.Timeline, k int) float64 { return level(*t, t.Rows[k].Waiting) }

// fullRows is how many rows there are without the last, which the end of the run
// may cut.
func fullRows(t *experiment.Timeline) int { return max(min(1, len(t.Rows)), len(t.Rows)-1) }

func highestBacklog(p *experiment.Point, name string) float64 {
	most := 0.0
	if t := timelineOf(p, name); t != nil {
		for k := range t.Rows {
			most = max(most, Rounded(backlog(t, k)))
		}
	}
	return most
}

// backlogs are the queues in which anything ever waits, and the services in front
// of which enough does to be seen beside it; of very many those where most does.
func backlogs(points []*experiment.Point) []string {
	var names []string
	high := map[string]float64{}
	add := func(p *experiment.Point, name string) {
		if h := highestBacklog(p, name); h >= 0.5 {
			names, high[name] = addNew(names, name), max(high[name], h)
		}
	}
	for _, p := range points {
		for _, name := range queueNames(p) {
			add(p, name)
		}
	}
	for _, p := range points {
		for i := range p.Timelines {
			add(p, p.Timelines[i].Service)
		}
	}
	most := 0.0
	for _, h := range high {
		most = max(most, h)
	}
	names = slices.DeleteFunc(names, func(n string) bool { return high[n] < most/50 && !slices.Contains(queueNames(points[0]), n) })
	if len(names) > mostBacklogs {
		order := slices.Clone(names)
		slices.SortStableFunc(order, func(a, b string) int { return compareNumbers(high[b], high[a]) })
		order = order[:mostBacklogs]
		names = slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(order, n) })
	}
	return names
}

// backlogTitle names the longest queue, and whether it is still there at the
// end.
func backlogTitle(points []*experiment.Point, names []string) string {
	var worst *experiment.Point
	most, where := 0.0, ""
	for _, p := range points {
		for _, name := range names {
			if h := highestBacklog(p, name); h > most && slices.Contains(queueNames(p), name) {
				worst, most, where = p, h, name
			}
		}
	}
	if worst == nil {
		return "Queues stay short"
	}
	with := ""
	if len(points) > 1 {
		with = " with " + quoted(worst.Variant)
	}
	t := timelineOf(worst, where)
	last := Rounded(backlog(t, fullRows(t)-1))
	number := func(x float64) string { return about(perWhole(x), "") }
	title := fmt.Sprintf("Up to %s messages wait in %s%s", number(most), where, with)
	switch {
	case number(last) == number(most):
		title += ", and all of them still do at the end"
	case last > most/10:
		title += fmt.Sprintf(", and %s at the end", number(last))
	}
	return title
}

// perWhole drops the decimals of what is more than a handful.
func perWhole(x float64) float64 {
	if x >= 10 {
		return float64(int64(x + 0.5))
	}
	return x
}

// moments are when operators did something, as far as it is shown.
func moments(p *experiment.Point, end time.Duration) []Moment {
	var out []Moment
	for _, a := range p.Actions {
		if a.From <= end {
			out = append(out, Moment{humanName(a.Name), a.From})
		}
	}
	return out
}
