package report

import (
	"math"
	"strconv"
	"time"

	"retrystorm/experiment"
	"retrystorm/sim"
)

// viewTimelines are the services of a point over time, up to the last row in
// which anything happens.
func (m *viewMaker) viewTimelines(p *experiment.Point, place int) []ViewTimeline {
	end := quietAfter(p)
	var out []ViewTimeline
	for i := range p.Timelines {
		t := &p.Timelines[i]
		if t.Row == 0 || t.Replications == 0 || end == 0 {
			continue
		}
		x := newTimeline(t, earliestEnd(m.r, p)).padded(int((end + t.Row - 1) / t.Row))
		x.Variant, x.Place, x.Spans = m.index[p.Variant], place, viewSpans(p, end)
		if t.Service == m.Target {
			x.Rate = rateOf(t, x.Capacity, len(x.Arrivals), capacity(m.r, p))
		}
		out = append(out, x)
	}
	return out
}

// rateOf is what a service can serve a second: its nominal capacity, or as much
// of it as it has usable workers.
func rateOf(t *experiment.Timeline, usable []jsonNumber, n int, nominal float64) []jsonNumber {
	out := []jsonNumber{}
	if !(nominal > 0) {
		return out
	}
	for k := range n {
		x := nominal
		if t.Workers > 0 && len(usable) > 0 {
			x = float64(nominal*float64(usable[k])) / float64(t.Workers)
		}
		out = append(out, jsonNumber(Rounded(x)))
	}
	return out
}

// quietAfter is when the last row ends in which anything happens at a point.
func quietAfter(p *experiment.Point) time.Duration {
	end := time.Duration(0)
	for i := range p.Timelines {
		t := &p.Timelines[i]
		for k := len(t.Rows) - 1; k >= 0; k-- {
			x := &t.Rows[k]
			if x.Arrivals > 0 || x.Succeeded > 0 || x.InService != (sim.Sum{}) || x.Waiting != (sim.Sum{}) {
				end = max(end, time.Duration(k+1)*t.Row)
				break
			}
		}
	}
	return end
}

// earliestEnd is when the first replication may end. From then on means over all
// of them say nothing of levels that end with a run, such as the capacity.
func earliestEnd(r *experiment.Result, p *experiment.Point) time.Duration {
	end := math.Inf(1)
	if i := metricIndex(r, "finished_at"); i >= 0 {
		for k := range p.Runs {
			if v := Rounded(p.Runs[k].Values[i]); v < end {
				end = v
			}
		}
	}
	if end > math.MaxInt64/1e9 {
		return math.MaxInt64
	}
	return time.Duration(end * 1e9)
}

// newTimeline has the numbers of timeline.csv.
func newTimeline(t *experiment.Timeline, end time.Duration) ViewTimeline {
	x := ViewTimeline{
		Service: t.Service, Step: t.Row.Seconds(), Arrivals: []jsonNumber{}, Retries: []jsonNumber{}, Goodput: []jsonNumber{},
		Waiting: []jsonNumber{}, InService: []jsonNumber{}, Capacity: []jsonNumber{}, Rate: []jsonNumber{},
	}
	add := func(to *[]jsonNumber, v float64) { *to = append(*to, jsonNumber(Rounded(v))) }
	for k := range t.Rows {
		row := &t.Rows[k]
		add(&x.Arrivals, rate(*t, row.Arrivals))
		add(&x.Retries, rate(*t, row.Retries))
		add(&x.Goodput, rate(*t, row.Succeeded))
		add(&x.Waiting, level(*t, row.Waiting))
		add(&x.InService, level(*t, row.InService))
		if t.Limited {
			c := level(*t, row.Capacity)
			if time.Duration(k+1)*t.Row > end {
				c = math.NaN()
			}
			add(&x.Capacity, c)
		}
	}
	return x
}

// series are the arrays of a timeline; after says what follows the last row: 0,
// or nobody knows.
func (x *ViewTimeline) series(each func(list *[]jsonNumber, after float64)) {
	for _, list := range []*[]jsonNumber{&x.Arrivals, &x.Retries, &x.Goodput, &x.Waiting, &x.InService} {
		each(list, 0)
	}
	for _, list := range []*[]jsonNumber{&x.Capacity, &x.Rate} {
		if len(*list) > 0 {
			each(list, math.NaN())
		}
	}
}

// joined has the means over n rows each, and after the last one nothing happens.
func (x ViewTimeline) joined(n int) ViewTimeline {
	if n == 1 {
		return x
	}
	x.Step = Rounded(float64(x.Step * float64(n)))
	x.series(func(list *[]jsonNumber, after float64) {
		out := []jsonNumber{}
		for i := 0; i < len(*list); i += n {
			sum, of := 0.0, 0.0
			for _, v := range (*list)[i:min(i+n, len(*list))] {
				if !math.IsNaN(float64(v)) {
					sum += float64(v)
					of++
				}
			}
			if after == 0 {
				of = float64(n)
			}
			out = append(out, jsonNumber(Rounded(sum/of)))
		}
		*list = out
	})
	return x
}

// padded has n rows.
func (x ViewTimeline) padded(n int) ViewTimeline {
	x.series(func(list *[]jsonNumber, after float64) {
		out := append([]jsonNumber{}, (*list)[:min(n, len(*list))]...)
		for len(out) < n {
			out = append(out, jsonNumber(after))
		}
		*list = out
	})
	return x
}

// coarser is the timeline with no more rows than that, and the digits that a
// chart needs.
func (x ViewTimeline) coarser(rows int) ViewTimeline {
	x = x.joined((len(x.Arrivals) + rows - 1) / rows)
	x.series(func(list *[]jsonNumber, _ float64) {
		short := make([]jsonNumber, len(*list))
		for i, v := range *list {
			short[i] = fourDigits(float64(v))
		}
		*list = short
	})
	return x
}

// fourDigits is a number with four significant digits.
func fourDigits(x float64) jsonNumber {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return jsonNumber(x)
	}
	return jsonNumber(digits(x, 4))
}

// digits is a number with so many significant digits.
func digits(x float64, n int) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(Rounded(x), 'e', n-1, 64), 64)
	return y
}

// viewSpans are the faults of a point and what operators do, as far as they are
// shown.
func viewSpans(p *experiment.Point, end time.Duration) []ViewSpan {
	out := []ViewSpan{}
	for _, s := range clipped(p.Shading, end, nil) {
		out = append(out, ViewSpan{humanName(s.Name), s.From.Seconds(), s.To.Seconds(), false})
	}
	for _, a := range clipped(p.Actions, end, nil) {
		out = append(out, ViewSpan{humanName(a.Name), a.From.Seconds(), max(a.From, a.To).Seconds(), true})
	}
	return out
}
