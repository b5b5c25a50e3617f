package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"retrystorm/experiment"
	"retrystorm/report/text"
)

// The levels of a sparkline, from next to nothing to the full height. Nothing at
// all is a blank.
const (
	blockLevels = "▁▂▃▄▅▆▇█"
	asciiLevels = ".:-=+*#@"
)

const (
	sparkLevels = 8
	sparkWidth  = 80 // of the block where the output has no width
	leastSpark  = 12 // columns: fewer have no shape
	mostSpark   = 60
	leastName   = 6
	logStep     = 3 // between the levels of a logarithmic scale
)

// sparks are the lines of a result at the severest place, and what they share.
type sparks struct {
	points []*experiment.Point
	target string
	end    time.Duration
	row    time.Duration // the longest over which calls were counted
	peak   float64
	log    bool
	remark string // which variants are left out
}

// newSparks is nil where there is no shape to see: no calls, or all of them in a
// few rows.
func newSparks(r *experiment.Result, c Comparisons) *sparks {
	few, remark := fewer(r, c)
	s := &sparks{points: withTimeline(few), target: r.Target, remark: remark}
	s.end = lastActivity(few, s.points)
	var all []float64
	for _, p := range s.points {
		t := timelineOf(p, s.target)
		s.row = max(s.row, t.Row)
		for _, v := range rates(t, arrivals) {
			all = append(all, Rounded(v))
		}
	}
	if len(all) == 0 || s.end < 4*s.row {
		return nil
	}
	s.peak, s.log = slices.Max(all), bursty(all, sparkLevels)
	if s.peak == 0 {
		return nil
	}
	return s
}

// highest is the peak of a point, and when it is.
func (s *sparks) highest(p *experiment.Point) (peak float64, at time.Duration) {
	t := timelineOf(p, s.target)
	for k, v := range rates(t, arrivals) {
		if v = Rounded(v); v > peak {
			peak, at = v, time.Duration(k)*t.Row
		}
	}
	return peak, at
}

// line is the load of a point as levels, in each column the highest.
func (s *sparks) line(p *experiment.Point, columns int, levels string) string {
	t := timelineOf(p, s.target)
	edges, high := s.edges(columns), make([]float64, columns)
	for k, v := range rates(t, arrivals) {
		from := time.Duration(k) * t.Row
		for c := range columns {
			if from < edges[c+1] && from+t.Row > edges[c] {
				high[c] = max(high[c], Rounded(v))
			}
		}
	}
	steps := []rune(levels)
	var b strings.Builder
	for _, v := range high {
		b.WriteRune(s.level(v, steps))
	}
	return b.String()
}

// edges are where the columns begin, and where the last one ends.
func (s *sparks) edges(columns int) []time.Duration {
	edges := make([]time.Duration, columns+1)
	for c := range edges { // not a product of two times, which may be too large
		n := time.Duration(columns)
		edges[c] = s.end/n*time.Duration(c) + s.end%n*time.Duration(c)/n
	}
	return edges
}

// level shows a rate. What is ten thousand times smaller than the peak is nothing,
// as in the picture.
func (s *sparks) level(v float64, steps []rune) rune {
	if v < s.peak/1e4 {
		return ' '
	}
	k := len(steps)
	for k > 1 && v <= s.top(k-1, len(steps)) {
		k--
	}
	return steps[k-1]
}

// top is the highest rate of a level.
func (s *sparks) top(level, levels int) float64 {
	if !s.log {
		return s.peak * float64(level) / float64(levels)
	}
	top := s.peak
	for range levels - level {
		top /= logStep
	}
	return top
}

// title says what the lines are and to which scale.
func (s *sparks) title(r *experiment.Result) string {
	title := fmt.Sprintf("calls reaching %s over time%s (means over %s and %s), all lines to the same scale, up to %s",
		s.target, whereShown(r), Human(s.row.Seconds(), "s"), replicated(s.points), about(s.peak, "/s"))
	if s.log {
		title += fmt.Sprintf(" and logarithmic: each level is %d times the one below", logStep)
	}
	return title
}

// marks are the columns in which something is wrong, or somebody does something,
// and a sentence that says what and when.
func (s *sparks) marks(columns int) (line, key string) {
	edges, marks := s.edges(columns), []byte(strings.Repeat(" ", columns))
	mark := func(from, to time.Duration, with byte) {
		for c := range marks {
			if from < edges[c+1] && to > edges[c] {
				marks[c] = with
			}
		}
	}
	var wrong, done []string
	all := always(s.points, s.end)
	for _, p := range s.points {
		for _, x := range clipped(p.Shading, s.end, all) {
			if x.To > x.From {
				mark(x.From, x.To, '^')
				wrong = addNew(wrong, humanName(x.Name)+" "+s.time(x.From)+" to "+s.time(x.To))
			}
		}
	}
	for _, p := range s.points {
		for _, m := range moments(p, s.end-1) {
			mark(m.At, m.At+1, '|')
			done = addNew(done, m.Name+" at "+s.time(m.At))
		}
	}
	var keys []string
	for _, k := range []struct {
		sign, together string
		list           []string
	}{{"^ ", "faults and spikes", wrong}, {"| ", "what operators do", done}} {
		switch n := len(k.list); {
		case n > mostSpans:
			keys = append(keys, k.sign+k.together)
		case n > 0:
			keys = append(keys, k.sign+strings.Join(k.list, ", "))
		}
	}
	if len(all) > 0 {
		keys = append(keys, alwaysRemark(all))
	}
	return string(marks), strings.Join(keys, "; ")
}

// time is a time in the unit of the axis.
func (s *sparks) time(t time.Duration) string {
	by, unit := axisUnit("s", s.end.Seconds())
	return trimmed(bound(Rounded(t.Seconds()/by))) + " " + unit
}

// sparks ends a table with the load on the target over time, a line per variant.
func (p printer) sparks(r *experiment.Result, c Comparisons) {
	s := newSparks(r, c)
	if s == nil {
		return
	}
	levels := asciiLevels
	if p.opt.Blocks {
		levels = blockLevels
	}
	p.opt.ASCII = !p.opt.Blocks
	if p.opt.Width <= 0 {
		p.opt.Width = sparkWidth
	}
	names, peaks := column{left: true}, column{}
	for _, pt := range s.points {
		peak, at := s.highest(pt)
		names.add(pt.Variant, "")
		peaks.add(about(peak, "/s")+" at "+s.time(at), "")
	}
	name, columns, values := sparkLayout(p.opt.Width, longest(names.values), longest(peaks.values))
	if columns < leastSpark {
		return
	}
	p.line("")
	p.fitted(s.title(r))
	for i, pt := range s.points {
		row := padRight(shortenedTo(names.values[i], name), name+gap) + s.line(pt, columns, levels)
		if values {
			row = padRight(row, name+gap+columns+gap) + peaks.values[i]
		}
		p.line(row)
	}
	indent := strings.Repeat(" ", name+gap)
	marks, key := s.marks(columns)
	if strings.TrimSpace(marks) != "" {
		p.line(indent + marks)
	}
	p.line(indent + "0" + padLeft(s.time(s.end), columns-1))
	for _, text := range []string{key, s.remark} {
		if text != "" {
			p.fitted(text)
		}
	}
}

// sparkLayout shares out the width: the peaks go first, then as much of the names
// as must.
func sparkLayout(width, longest, peak int) (name, columns int, values bool) {
	name = min(longest, max(leastName, width/3))
	if columns = width - name - peak - 2*gap; columns >= leastSpark {
		return name, min(columns, mostSpark), true
	}
	name = min(name, max(leastName, width-gap-leastSpark))
	return name, min(width-name-gap, mostSpark), false
}

// fitted is wrapped without words that are wider than the width.
func (p printer) fitted(s string) {
	words := strings.Fields(s)
	for i := range words {
		words[i] = shortenedTo(words[i], p.opt.Width-2) // the indent of further lines
	}
	p.line(text.Wrap(strings.Join(words, " "), p.opt.Width, "  "))
}

// shortenedTo leaves out the middle of a text that is longer than n.
func shortenedTo(s string, n int) string {
	all := []rune(s)
	if len(all) <= n {
		return s
	}
	keep := max(0, n-2)
	return string(all[:(keep+1)/2]) + ".." + string(all[len(all)-keep/2:])
}
