package experiment

import (
	"maps"
	"slices"
	"strconv"

	"retrystorm/scenarios"
)

// bisection is what a bisection needs to know.
type bisection struct {
	*scenarios.Bisect
	where *condition
	cells int
	point func(cell, k int) scenarios.Point
}

// Bisects reports whether the experiment is a bisection.
func (e *Experiment) Bisects() bool { return e.bisect != nil }

// A cell is a variant at one combination of the other axes. It looks for three
// places on the grid of the bisected axis: where the condition flips, as the
// estimates see it, and on either side where the ruling becomes certain. So the
// interval is what a test at 5 % does not reject, value by value. All of it takes
// for granted that there is one crossing only.
type cell struct {
	index int
	steps int
	tried map[int]try
}

// try is the condition judged at a value.
type try struct {
	at     *place
	point  *Point
	holds  bool // as the estimates see it
	ruling Ruling
}

// certain reports that the ruling at a value is decided, for or against.
func (t *try) certain(holds bool) bool {
	return holds && t.ruling == Pass || !holds && t.ruling == Fail
}

// search is what is known of the crossing: three pairs of values that were
// tried, each with a change between them.
type search struct{ flip, low, high [2]int }

func (c *cell) search() (s search, crosses bool) {
	low := c.tried[0].holds
	if low == c.tried[c.steps].holds {
		return s, false
	}
	s.flip = c.leave(0, c.steps, func(t *try) bool { return t.holds == low })
	s.low = c.leave(0, s.flip[1], func(t *try) bool { return t.certain(low) })
	s.high = c.enter(s.flip[0], c.steps, func(t *try) bool { return t.certain(!low) })
	return s, true
}

// leave is where, going up from a, inside ceases to hold, among the values that
// were tried; the ends need not be looked at.
func (c *cell) leave(a, b int, inside func(*try) bool) [2]int {
	for _, k := range c.values() {
		if t := c.tried[k]; k > a && k < b {
			if !inside(&t) {
				return [2]int{a, k}
			}
			a = k
		}
	}
	return [2]int{a, b}
}

// enter is where, going down from b, inside ceases to hold.
func (c *cell) enter(a, b int, inside func(*try) bool) [2]int {
	for _, k := range slices.Backward(c.values()) {
		if t := c.tried[k]; k > a && k < b {
			if !inside(&t) {
				return [2]int{k, b}
			}
			b = k
		}
	}
	return [2]int{a, b}
}

// values are those that were tried, in order.
func (c *cell) values() []int { return slices.Sorted(maps.Keys(c.tried)) }

// next are the values to be tried before more can be said; none: it is over.
// The ends come first, then the crossing, then its interval.
func (c *cell) next() []int {
	if len(c.tried) == 0 {
		return []int{0, c.steps}
	}
	s, crosses := c.search()
	if !crosses {
		return nil
	}
	if k, more := halfway(s.flip); more {
		return []int{k}
	}
	var want []int
	for _, pair := range [][2]int{s.low, s.high} {
		if k, more := halfway(pair); more && !slices.Contains(want, k) {
			want = append(want, k)
		}
	}
	return want
}

func halfway(pair [2]int) (k int, more bool) {
	return pair[0] + (pair[1]-pair[0])/2, pair[1]-pair[0] > 1
}

// crossing is what a cell has found.
func (c *cell) crossing(b *bisection) Crossing {
	p := b.point(c.index, 0)
	n := len(p.Sweep) - 1
	out := Crossing{
		Variant: p.Variant, Sweep: p.Sweep[:n:n], Axis: b.Axis, Where: b.Where.Text,
		Low: c.tried[0].ruling, High: c.tried[c.steps].ruling, Evaluated: len(c.tried),
	}
	if s, crosses := c.search(); crosses {
		out.From, out.To, out.Lo, out.Hi = b.Value(s.flip[0]), b.Value(s.flip[1]), b.Value(s.low[0]), b.Value(s.high[1])
	}
	return out
}

// bisect tries values of all cells until each knows its crossing.
func (r *session) bisect() error {
	b := r.e.bisect
	var cells []*cell
	for i := range b.cells {
		if r.opt.Variants != nil && !slices.Contains(r.opt.Variants, b.point(i, 0).Variant) ||
			r.opt.Shard != nil && i%r.opt.Shard.N != r.opt.Shard.K-1 {
			continue
		}
		cells = append(cells, &cell{index: i, steps: b.Steps, tried: map[int]try{}})
	}
	r.last = b.point(b.cells-1, b.Steps).Sweep
	for {
		var places []*place
		var keep []func(*Point)
		for _, c := range cells {
			for _, k := range c.next() {
				at := placeOf(b.point(c.index, k), "b"+strconv.Itoa(c.index)+"-", k)
				at.cell, at.step = c.index, k
				places = append(places, &at)
				keep = append(keep, func(p *Point) { c.tried[k] = b.try(&at, p) })
			}
		}
		if len(places) == 0 {
			break
		}
		points, err := r.finish(places)
		for i, p := range points {
			if p != nil {
				keep[i](p)
			}
		}
		if err != nil {
			return err
		}
	}
	for _, c := range cells {
		for _, k := range c.values() {
			r.found = append(r.found, found{c.tried[k].at, c.tried[k].point})
		}
		r.crossings = append(r.crossings, c.crossing(b))
	}
	return nil
}

func (b *bisection) try(at *place, p *Point) try {
	ruling, holds := b.where.judge(p)
	return try{at, p, holds, ruling.Ruling}
}
