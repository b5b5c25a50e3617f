package scenarios

import (
	"fmt"
	"math/big"
)

// maxSteps is how many values a bisection may choose from; a search among so
// many takes 40 of them.
const maxSteps = 1 << 40

// Bisect is a search for the value of one axis at which an expectation flips:
// in each cell (a variant at a row of the sweep without this axis), among values
// that lie within apart.
type Bisect struct {
	Axis  string
	Where Expectation
	// Steps is the number of the last value; the first is 0.
	Steps int

	axis axis
	span *span
}

// Value is the text of value k, from the beginning of the range to its end.
func (b *Bisect) Value(k int) string {
	if k >= b.Steps {
		return b.span.write(b.span.to)
	}
	x := new(big.Rat).SetInt64(int64(k))
	return b.span.write(x.Mul(x, b.span.step).Add(x, b.span.from))
}

// Bisect is what the scenario looks for, or nil.
func (f *File) Bisect() *Bisect { return f.bisect }

// Cells is in how many places a bisection looks; without one it is the number
// of points.
func (f *File) Cells() int { return product(len(f.variants), f.design.rows) }

// BisectPoint describes value k of the bisection in a cell. The ends are points
// as of [File.Points]; what lies between has the index and row of the first end.
func (f *File) BisectPoint(cell, k int) Point {
	return f.bisectSpot(cell, k).point(2*cell + k/f.bisect.Steps)
}

// ResolveBisect is the scenario of value k of the bisection in a cell.
func (f *File) ResolveBisect(cell, k int) (*Scenario, error) {
	if f.bisect == nil || cell < 0 || cell >= f.Cells() || k < 0 || k > f.bisect.Steps {
		return nil, fmt.Errorf("there is no value %d of a bisection in cell %d", k, cell)
	}
	return f.resolve(f.bisectSpot(cell, k))
}

func (f *File) bisectSpot(cell, k int) spot {
	row, b := cell%f.design.rows, f.bisect
	s := shaper{&report{}, f.specs}
	return spot{
		variant: f.variants[cell/f.design.rows],
		row:     2*row + k/b.Steps,
		values:  append(f.row(row), s.value(&b.axis, b.Value(k))),
	}
}

// bisect reads the axis of the section; decode reports what is missing.
func (s shaper) bisect(root *node) *Bisect {
	n := root.value("bisect")
	name, in := n.value("axis"), n.value("in")
	if name == nil || name.kind != scalarNode || in == nil || in.kind != scalarNode {
		return nil
	}
	b := &Bisect{Axis: name.text, axis: axis{name: name.text, at: name.at}}
	f, w := s.specs.resolve(pathNames(b.Axis))
	if w != nil {
		s.at(name.at, "bisect.axis", b.Axis, w.message, w.allowed)
		return nil
	}
	if !s.readBisected(b, in, n.value("within"), f.unit == "count") {
		return nil
	}
	for _, k := range []int{0, b.Steps} {
		text := b.Value(k)
		s.addValue(&b.axis, "bisect axis "+b.Axis, text, &node{kind: scalarNode, at: in.at, text: text})
	}
	if kind := root.value("design").scalar("kind"); fills(kind) {
		s.at(n.at, "bisect", "", "looks in every row of a grid or zip, and the design is "+kind, "grid, zip")
	}
	if len(b.axis.values) == 0 {
		return nil
	}
	return b
}

// readBisected reads the range and its steps.
func (s shaper) readBisected(b *Bisect, in, within *node, whole bool) bool {
	bad := func(n *node, field string, w wrong) bool {
		s.at(n.at, "bisect."+field, n.text, w.message, w.allowed)
		return false
	}
	const allowed = "LO..HI, as in 1s..5s"
	r, w := parseSpan(in.text, whole)
	switch {
	case w != nil:
		if w.allowed == sweepAllowed || w.allowed == rangeAllowed {
			w = &wrong{w.message, allowed}
		}
		return bad(in, "in", *w)
	case !r.open() || r.log:
		return bad(in, "in", wrong{"a range to look in has nothing behind it; within says how finely", allowed})
	case within == nil && !whole:
		s.at(in.at, "bisect.within", "", "missing: how closely to find it", "a quantity in the unit of the range")
		return false
	case within != nil && within.kind != scalarNode:
		return false
	}
	step, at, field := "1", in, "in"
	if within != nil {
		step, at, field = within.text, within, "within"
	}
	if r, w = parseSpan(in.text+" step "+step, whole); w != nil {
		return bad(at, field, wrong{"no distance within " + in.text, "above 0, in the unit of the range"})
	}
	b.span = r
	steps := new(big.Rat).Sub(r.to, r.from)
	steps.Quo(steps, r.step)
	n := new(big.Int).Add(steps.Num(), steps.Denom())
	n.Quo(n.Sub(n, big.NewInt(1)), steps.Denom()) // rounded up
	if !n.IsInt64() || n.Int64() > maxSteps {
		return bad(at, field, wrong{"too fine: more than 2^40 values", ""})
	}
	b.Steps = int(n.Int64())
	return true
}
