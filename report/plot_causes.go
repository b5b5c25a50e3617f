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
// beside it, why others were not made.
func plotCauses(r *experiment.Result) picture {
	points := withTimeline(r)
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
		BarsTitle: "attempts not made, per run",
	}
	if severalHops(points) {
		f.BarsTitle = "attempts not made, all hops, per run"
	}
	shown := telling(books, mostPanels)
	stacks := make([]stack, len(shown))
	end := lastActivity(r, points)
	all := always(points, end)
	for k, i := range shown {
		stacks[k] = newStack(timelineOf(points[i], r.Target), end)
	}
	f.Y.Most = readable(stacks)
	for k, i := range shown {
		panel := Panel{
			Series: stacks[k].series(stacks), Spans: clipped(points[i].Shading, end, all), Moments: moments(points[i], end),
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
		remark = fmt.Sprintf("%d of %d variants shown: the first, extremes, and what differs most", len(shown), len(points))
	}
	f.Subtitle = subtitleAt(r, points, "means over the replications", alwaysRemark(all), last, remark)
	return f
}

// telling picks at most n ledgers, and leaves them in order: the first, which
// others are compared with, those that the title names, those with most and
// least retries and attempts withheld, and then what differs most from these.
func telling(books []ledger, n int) []int {
	var order []int
	if len(books) <= n {
		for i := range books {
			order = append(order, i)
		}
		return order
	}
	add := func(i int, least float64) {
		if len(order) < n && !slices.ContainsFunc(order, func(o int) bool { return difference(books, i, o) <= least }) {
			order = append(order, i)
		}
	}
	made, _, _ := mostlyMade(books)
	stopped, _, _ := mostlyStopped(books)
	for _, i := range []int{0, made, stopped} {
		add(i, 0)
	}
	for _, of := range []func(*ledger) float64{(*ledger).repeated, (*ledger).stopped} {
		least, most := 0, 0
		for i := range books {
			if of(&books[i]) < of(&books[least]) {
				least = i
			}
			if of(&books[i]) > of(&books[most]) {
				most = i
			}
		}
		add(most, alike)
		add(least, alike)
	}
	for len(order) < n {
		farthest, most := -1, alike
		for i := range books {
			d := math.Inf(1)
			for _, o := range order {
				d = min(d, difference(books, i, o))
			}
			if d > most {
				farthest, most = i, d
			}
		}
		if farthest < 0 {
			break // the others look like these
		}
		order = append(order, farthest)
	}
	slices.Sort(order)
	return order
}

// alike is the difference up to which two ledgers look the same.
const alike = 0.05

// difference is that of two ledgers: the sum over all causes and reasons, each
// as a part of the largest number that any of the ledgers has.
func difference(books []ledger, i, k int) float64 {
	sum := 0.0
	each := func(of func(*ledger) float64) {
		most := 0.0
		for b := range books {
			most = max(most, of(&books[b]))
		}
		if most > 0 {
			sum += math.Abs(of(&books[i])-of(&books[k])) / most
		}
	}
	for c := range sim.Causes {
		each(func(l *ledger) float64 { return l.made[c] })
	}
	for g := range strategies.GiveUps {
		each(func(l *ledger) float64 { return l.withheld[g] })
	}
	return Rounded(sum)
}

// stopped is how many attempts were withheld.
func (l *ledger) stopped() float64 {
	sum := 0.0
	for _, x := range l.withheld {
		sum += x
	}
	return Rounded(sum)
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
		sim.Redriven: sky, sim.Resent: indigo, sim.Repeated: brown,
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
	most := float64(1.1 * min(usual[len(usual)-1], 3*usual[len(usual)/2]))
	if peak < float64(2*most) {
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
	first, second := aboutShare(share)+" of "+about(books[made].calls(), "")+" calls were "+longCause(c), longReason(g, perRun(n))
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

// mostlyMade is what made most calls of the ledger with most that were not first
// attempts, and the share of its calls.
func mostlyMade(books []ledger) (book int, cause sim.Cause, share float64) {
	for i := range books {
		if books[i].repeated() > books[book].repeated() {
			book = i
		}
	}
	for c := sim.First + 1; c < sim.Causes; c++ {
		if x := books[book].made[c] / max(1, books[book].calls()); Rounded(x) > Rounded(share) {
			cause, share = c, x
		}
	}
	return book, cause, share
}

// repeated is how many calls were not first attempts.
func (l *ledger) repeated() float64 { return Rounded(l.calls() - l.made[sim.First]) }

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
