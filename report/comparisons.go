package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"retrystorm/experiment"
)

// Comparisons is how the variants stand to each other at the last place of the
// sweep, the one whose points are whole.
type Comparisons struct {
	Reference string
	Points    []*experiment.Point
	// Contrasts of each point with the reference, in the order of
	// Result.Metrics; nil for the reference.
	Contrasts [][]experiment.Contrast
	// Tradeoffs of each point; nil when there are none.
	Tradeoffs []experiment.Tradeoff
}

// Compare compares the variants of a result, if there are several.
func Compare(r *experiment.Result) Comparisons {
	c := Comparisons{Points: at(r, severest(r))}
	// With the digits that files keep, so that a result that is read again says
	// the same.
	rounded := make([]*experiment.Point, len(c.Points))
	for i, p := range c.Points {
		rounded[i] = stored(p)
	}
	return c.of(r, rounded)
}

// of compares points that have the digits of files.
func (c Comparisons) of(r *experiment.Result, rounded []*experiment.Point) Comparisons {
	c.Contrasts = make([][]experiment.Contrast, len(c.Points))
	if len(c.Points) < 2 {
		return c
	}
	reference := max(0, slices.IndexFunc(c.Points, func(p *experiment.Point) bool { return p.Variant == r.Reference }))
	c.Reference = c.Points[reference].Variant
	rest := slices.Delete(slices.Clone(rounded), reference, reference+1)
	for i, list := range experiment.Contrasts(r, rounded[reference], rest) {
		if i >= reference {
			i++
		}
		c.Contrasts[i] = list
	}
	c.Tradeoffs = experiment.Tradeoffs(r, rounded)
	return c
}

// notation is which forms the cells of a comparison take, so that those are
// explained, and no others.
type notation struct{ unclear, ratio, difference, count bool }

// comparison is the section that compares the variants with the reference, nil
// where there is nothing to compare, or one replication that proves nothing.
func comparison(r *experiment.Result, c Comparisons) *section {
	name := column{title: "variant", left: true}
	split := false
	for i, p := range c.Points {
		if c.Contrasts[i] != nil {
			name.add(p.Variant, "")
		}
		split = split || p.Variant == c.Reference && len(p.Outcomes) > 0
	}
	s := &section{title: "compared with " + c.Reference + whereShown(r), columns: []column{name}}
	var n notation
	for _, h := range heads() {
		k := metricIndex(r, h.metric)
		if k < 0 {
			continue
		}
		col := column{title: h.title, rank: h.rank}
		if h.metric == "peak_retry" {
			col.title = peakTitle(r)
		}
		var used notation
		for i, p := range c.Points {
			if list := c.Contrasts[i]; list != nil {
				col.add(used.cell(r.Metrics[k], list[k], split || len(p.Outcomes) > 0))
			}
		}
		if same := allEqual(col.values); len(col.values) == 0 || same && (col.values[0] == "-" || col.values[0] == equal) || s.repeats(&col) {
			continue
		}
		n.unclear, n.ratio = n.unclear || used.unclear, n.ratio || used.ratio
		n.difference, n.count = n.difference || used.difference, n.count || used.count
		s.columns = append(s.columns, col)
	}
	if len(s.columns) < 2 {
		return nil
	}
	s.cutRows()
	s.lines = append(s.lines, n.explained(len(name.values))...)
	return s
}

// repeats reports whether a column says what another said: calls per
// request, when the requests are the same.
func (s *section) repeats(c *column) bool {
	return c.title == perRequest && slices.ContainsFunc(s.columns[1:], func(o column) bool {
		return slices.Equal(o.values, c.values) && slices.Equal(o.interval, c.interval)
	})
}

const (
	unclear = "~"
	equal   = "same"
)

// cell is a contrast in words. Where the replications of a side split, or means
// do not exist, pairs are counted.
func (n *notation) cell(m experiment.Metric, c experiment.Contrast, split bool) (value, interval string) {
	switch count := c.Sign || split; {
	case c.Pairs < 2 || math.IsNaN(c.P):
		return "-", ""
	case c.Equal == c.Pairs:
		return equal, ""
	case c.Direction == 0:
		n.unclear = true
		_, interval = ratioParts(c)
		if count || interval == "" {
			return unclear, ""
		}
		n.ratio = true
		return unclear, interval
	case count:
		n.count = true
		return counts(c), ""
	}
	if value, interval = ratioParts(c); value != "" {
		n.ratio = true
		return value, interval
	}
	n.difference = true
	d := c.Difference
	value, interval = humanParts(d.Centre, d.Lo, d.Hi, HumanUnit(m))
	if d.Centre > 0 {
		value = "+" + value
	}
	return value, interval
}

// counts says in how many pairs the side that has most is less or more.
func counts(c experiment.Contrast) string {
	if c.Direction < 0 {
		return "less in " + strconv.Itoa(c.Less) + " of " + strconv.Itoa(c.Pairs)
	}
	return "more in " + strconv.Itoa(c.Greater) + " of " + strconv.Itoa(c.Pairs)
}

// ratioParts is a ratio with as many digits as its interval leaves; empty where
// the reference is 0.
func ratioParts(c experiment.Contrast) (value, interval string) {
	if math.IsNaN(c.Ratio) || math.IsInf(c.Ratio, 0) {
		return "", ""
	}
	n := decimals(c.Ratio)
	if half := (c.RatioHi - c.RatioLo) / 2; half > 0 && !math.IsInf(half, 0) {
		n = min(n, max(0, -exponent(half)))
	}
	if math.IsNaN(c.RatioLo) || math.IsNaN(c.RatioHi) {
		return fixed(c.Ratio, n) + "x", ""
	}
	lo, hi := fixed(c.RatioLo, n), fixed(c.RatioHi, n)
	if lo == hi {
		return fixed(c.Ratio, n) + "x", ""
	}
	return fixed(c.Ratio, n) + "x", "[" + lo + ", " + hi + "]"
}

// explained says what the cells mean, once.
func (n notation) explained(variants int) []string {
	var parts []string
	if n.ratio {
		parts = append(parts, "x: ratio of the means, with its 95 % interval")
	}
	if n.difference {
		parts = append(parts, "+ and -: difference of the means")
	}
	if n.count {
		parts = append(parts, "n of m: of the pairs of replications, which share their luck")
	}
	if n.unclear {
		s := unclear + ": nobody can tell at 95 %"
		if variants > 1 {
			s += ", corrected for " + strconv.Itoa(variants) + " comparisons (Holm)"
		}
		parts = append(parts, s)
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{strings.Join(parts, "; ")}
}

// front is the section about the best trade-offs of calls and waiting.
func front(c Comparisons) *section {
	if len(c.Tradeoffs) == 0 || !slices.ContainsFunc(c.Tradeoffs, func(t experiment.Tradeoff) bool {
		return !math.IsNaN(t.Calls.Centre) && !math.IsNaN(t.Completion.Centre)
	}) {
		return nil
	}
	best := frontOf(c)
	s := &section{title: "fewer calls and an earlier 99 %"}
	if len(best) == len(c.Points) {
		s.lines = []string{"all variants are on the front: none is certainly better in one and no worse in the other"}
		return s
	}
	var beats []string
	for _, t := range c.Tradeoffs {
		if !t.Front && !slices.Contains(beats, t.By) {
			beats = append(beats, t.By)
		}
	}
	var parts []string
	if len(best) > 1 {
		parts = append(parts, listed(some(best))+" are on the front")
	}
	for _, by := range beats {
		var beaten []string
		for i, p := range c.Points {
			if t := c.Tradeoffs[i]; !t.Front && t.By == by {
				beaten = append(beaten, p.Variant)
			}
		}
		parts = append(parts, by+" beats "+listed(some(beaten)))
	}
	s.lines = []string{strings.Join(parts, "; ") + " (certainly better in one, and no worse in the other)"}
	return s
}

// mostWords is how many names a sentence lists that is about all of them.
const mostWords = 12

// some are the first of many names, and how many more there are.
func some(names []string) []string {
	if len(names) <= mostWords {
		return names
	}
	return append(slices.Clone(names[:mostWords-1]), fmt.Sprintf("%d more", len(names)-mostWords+1))
}

// frontOf are the variants that none beats.
func frontOf(c Comparisons) []string {
	var best []string
	for i, t := range c.Tradeoffs {
		if t.Front {
			best = append(best, c.Points[i].Variant)
		}
	}
	return best
}

// costs is the section that says what calls and waiting cost together, where the
// scenario has a rate.
func costs(r *experiment.Result, c Comparisons) *section {
	if r.Exchange == 0 || len(c.Tradeoffs) == 0 {
		return nil
	}
	name, cost := column{title: "variant", left: true}, column{title: "cost"}
	var list []claim
	for i, p := range c.Points {
		e := c.Tradeoffs[i].Cost
		name.add(p.Variant, "")
		cost.add(humanParts(e.Centre, e.Lo, e.Hi, ""))
		list = append(list, claim{p.Variant, e})
	}
	s := &section{title: "cost in calls, a second until 99 % are done being worth " + Human(r.Exchange, "") + whereShown(r)}
	if slices.ContainsFunc(list, func(c claim) bool { return !math.IsInf(c.e.Centre, 1) }) { // else the line says it all
		s.columns = []column{name, cost}
		s.cutRows()
	}
	s.lines = append(s.lines, cheapest(list))
	return s
}

// cheapest names the least cost, and whether it is certain: no other interval
// reaches down to its own.
func cheapest(list []claim) string {
	least, _, _ := extremes(list)
	if math.IsNaN(least.e.Centre) {
		return "the cost is not known"
	}
	if math.IsInf(least.e.Centre, 1) {
		return "no variant has a finite cost"
	}
	var rivals []string
	for _, c := range list {
		if c.name != least.name && !math.IsNaN(c.e.Centre) {
			if !(least.e.Hi < c.e.Lo) { // nor when an interval is not available
				rivals = append(rivals, c.name)
			}
		}
	}
	if len(rivals) == 0 {
		return "the cheapest is " + least.name + ", certainly"
	}
	return "the cheapest seems to be " + least.name + ", but it may be " + strings.Join(some(rivals), " or ")
}
