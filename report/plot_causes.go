package report

import (
	"fmt"
	"math"
	"slices"
	"time"

	"retrystorm/experiment"
	"retrystorm/sim"
	"retrystorm/strategies"
)

// mostSteps is how many steps a stack has over time: more are a fur.
const mostSteps = 160

// plotCauses shows why calls were made, stacked over time, a panel per variant;
// beside it, what stopped others.
func plotCauses(r *experiment.Result) picture {
	sweep := severest(r)
	points := slices.DeleteFunc(at(r, sweep), func(p *experiment.Point) bool {
		t := timelineOf(p, r.Target)
		return t == nil || len(t.Rows) == 0 || t.Replications == 0
	})
	books := make([]ledger, len(points))
	for i, p := range points {
		books[i] = newLedger(p, r.Target, "")
	}
	if !slices.ContainsFunc(books, func(l ledger) bool { return l.eventful() }) {
		return nil
	}
	f := &Figure{
		Title:     causesTitle(points, books),
		X:         Axis{Label: "time", Unit: "s", Fit: true},
		Y:         Axis{Label: "calls reaching " + r.Target, Unit: "/s"},
		BarsTitle: "withheld on all hops, per run",
	}
	shown := mostMoved(books, mostPanels)
	stacks := make([]stack, len(shown))
	end := lastActivity(r, points)
	for k, i := range shown {
		stacks[k] = newStack(timelineOf(points[i], r.Target), end)
	}
	f.Y.Most = readable(stacks)
	for k, i := range shown {
		panel := Panel{
			Series: stacks[k].series(stacks), Spans: clipped(points[i].Shading, end),
			Bars: stoppedBars(&books[i]),
		}
		if len(points) > 1 {
			panel.Title = humanName(points[i].Variant)
		}
		f.Panels = append(f.Panels, panel)
	}
	last, remark := "", ""
	if upstream(points, r.Target) {
		last = "causes on the hop to " + r.Target
	}
	if len(shown) < len(points) {
		remark = fmt.Sprintf("%d of %d variants shown", len(shown), len(points))
	}
	f.Subtitle = subtitle(r, where(r, sweep), "means over the replications", last, remark)
	return f
}

// mostMoved picks the n ledgers with the most retries and attempts withheld,
// and leaves them in order.
func mostMoved(books []ledger, n int) []int {
	moved := func(l *ledger) float64 {
		sum := l.calls() - l.made[sim.First]
		for _, x := range l.withheld {
			sum += x
		}
		return Rounded(sum)
	}
	var order []int
	for i := range books {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(i, j int) int { return compare(moved(&books[j]), moved(&books[i])) })
	order = order[:min(n, len(order))]
	slices.Sort(order)
	return order
}

// stack is a timeline as rates by cause, in steps of equal width.
type stack struct {
	starts []float64 // of each step, and the end of the last
	rates  [][sim.Causes]float64
}

// newStack joins rows, so that there are not too many steps.
func newStack(t *experiment.Timeline, end time.Duration) stack {
	rows := min(len(t.Rows), int((end+t.Row-1)/t.Row))
	per := (rows + mostSteps - 1) / mostSteps
	var s stack
	for from := 0; from < rows; from += per {
		to := min(from+per, rows)
		var causes [sim.Causes]float64
		for c := range causes {
			n := int64(0)
			for _, row := range t.Rows[from:to] {
				n += row.Causes[c]
			}
			causes[c] = rate(*t, n) / float64(to-from)
		}
		s.starts = append(s.starts, start(*t, from))
		s.rates = append(s.rates, causes)
	}
	s.starts = append(s.starts, start(*t, rows))
	return s
}

func (s *stack) totals() []float64 {
	var out []float64
	for _, causes := range s.rates {
		sum := 0.0
		for _, x := range causes {
			sum += x
		}
		out = append(out, sum)
	}
	return out
}

// series are the layers, the highest first: each covers the lower part of the
// one before. What occurs in another panel is there too, if only by name.
func (s *stack) series(panels []stack) []Series {
	var list []Series
	for c := int(sim.Causes) - 1; c >= 0; c-- {
		if !slices.ContainsFunc(panels, func(o stack) bool { return o.any(c) }) {
			continue
		}
		layer := Series{Name: shortCause(sim.Cause(c)), Style: Style{Color: causeColor(sim.Cause(c))}, Solid: true, Bare: true}
		for k, causes := range s.rates {
			y := math.NaN()
			if causes[c] > 0 {
				y = 0
				for _, x := range causes[:c+1] {
					y += x
				}
			}
			layer.Points = append(layer.Points, XY{s.starts[k], y})
		}
		layer.Points = append(layer.Points, XY{s.starts[len(s.rates)], math.NaN()})
		list = append(list, layer)
	}
	return list
}

func (s *stack) any(c int) bool {
	return slices.ContainsFunc(s.rates, func(causes [sim.Causes]float64) bool { return causes[c] > 0 })
}

func causeColor(c sim.Cause) Hue {
	return [sim.Causes]Hue{
		sim.First: silver, sim.AfterTimeout: vermilion, sim.AfterRefused: orange, sim.AfterReset: wine,
		sim.AfterStatus: purple, sim.AfterRejected: olive, sim.Hedged: blue, sim.Redelivery: green,
	}[c]
}

// readable is the height above which stacks are cut off, so that a burst does
// not hide the rest of its panel, nor one panel the others; 0 if that is no
// matter.
func readable(stacks []stack) float64 {
	var usual []float64
	peak := 0.0
	for i := range stacks {
		totals := stacks[i].totals()
		slices.Sort(totals)
		totals = slices.DeleteFunc(totals, func(v float64) bool { return v == 0 })
		if n := len(totals); n > 2 {
			usual = append(usual, totals[n-2-n/50])
			peak = max(peak, totals[n-1])
		}
	}
	if len(usual) == 0 {
		return 0
	}
	slices.Sort(usual)
	most := 1.1 * min(usual[len(usual)-1], 3*usual[len(usual)/2])
	if peak < 2*most {
		return 0
	}
	return most
}

// stoppedBars are the reasons for which attempts were withheld.
func stoppedBars(l *ledger) []Bar {
	var list []Bar
	for g := strategies.Retry + 1; g < strategies.GiveUps; g++ {
		if n := l.withheld[g]; n > 0 {
			list = append(list, Bar{shortReason(g), n, perRun(Rounded(n))})
		}
	}
	return list
}

// causesTitle tells the largest share of calls that were not first attempts,
// and what stopped most.
func causesTitle(points []*experiment.Point, books []ledger) string {
	if s := dividedTitle(points); s != "" {
		return s
	}
	name := func(i int, before string) string {
		if len(points) == 1 {
			return ""
		}
		return before + quoted(points[i].Variant)
	}
	made, c, share := mostlyMade(books)
	stopped, g, n := mostlyStopped(books)
	first, second := aboutShare(share)+" of the calls were "+longCause(c), longReason(g, about(n, ""))
	lead := func(i int, s string) string {
		if n := name(i, ""); n != "" {
			return n + ": " + s
		}
		return capital(s)
	}
	switch {
	case n == 0:
		return lead(made, first)
	case share == 0:
		return lead(stopped, second)
	case made == stopped:
		return lead(made, first+"; "+second)
	default:
		return lead(made, first+";"+name(stopped, " with ")+" "+second)
	}
}

// mostlyMade is the largest share of calls by cause, first attempts aside.
func mostlyMade(books []ledger) (book int, cause sim.Cause, share float64) {
	for i := range books {
		for c := sim.First + 1; c < sim.Causes; c++ {
			if x := books[i].made[c] / max(1, books[i].calls()); Rounded(x) > Rounded(share) {
				book, cause, share = i, c, x
			}
		}
	}
	return book, cause, share
}

// mostlyStopped is the largest number of attempts withheld by reason; that
// they were used up is only said when there is no other.
func mostlyStopped(books []ledger) (book int, reason strategies.GiveUp, n float64) {
	for i := range books {
		for g := strategies.Retry + 1; g < strategies.GiveUps; g++ {
			x := Rounded(books[i].withheld[g])
			if x == 0 || g == strategies.AttemptsExhausted && reason != g && n > 0 {
				continue
			}
			if x > n || reason == strategies.AttemptsExhausted && g != reason {
				book, reason, n = i, g, x
			}
		}
	}
	return book, reason, n
}
