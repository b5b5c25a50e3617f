package scenarios

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"retrystorm/sim/random"
)

// design is how the axes make rows, without what a bisection adds.
type design struct {
	kind string
	rows int
	// units are the rows of latin, sobol and morris one after the other: a place
	// from 0 to 1 for each axis.
	units        []float64
	trajectories [][]int
}

// arrange makes the rows of the sweep. Where it cannot, the rest of the file is
// looked at without the sweep.
func (f *File) arrange(r *report, d Design) {
	p := planner{report: r, File: f, asked: d, at: f.root.at}
	if n := f.root.value("design"); n != nil {
		p.at = n.at
	}
	f.design = design{kind: d.Kind, rows: 1}
	if len(f.axes) > 0 && p.arrange() {
		return
	}
	if d.Kind != "" && d.Kind != "grid" && f.root.value("sweep") == nil {
		p.bad("there is no sweep with axes to arrange", "")
	}
	f.axes, f.design = nil, design{kind: "grid", rows: 1}
}

// planner makes the rows of a sweep.
type planner struct {
	*report
	*File
	asked Design
	at    place // of the design
}

func (p *planner) bad(message, allowed string) {
	p.report.at(p.at, "design", p.asked.Kind, message, allowed)
}

func (p *planner) note(message string) {
	p.add(Problem{File: p.at.file, Line: p.at.line, Col: p.at.col, Path: "design", Value: p.asked.Kind, Message: message, Warning: true})
}

func (p *planner) arrange() bool {
	switch {
	case p.asked.Kind == "grid":
		for _, a := range p.axes {
			p.design.rows = product(p.design.rows, len(a.values))
		}
		return true
	case p.asked.Kind == "zip":
		return p.zip()
	case p.asked.Kind == "morris" && p.asked.Trajectories > 0:
		return p.morris()
	case p.asked.Rows > 0:
		return p.fill()
	}
	return false // what is wrong has been said
}

func (p *planner) zip() bool {
	first := p.axes[0]
	for _, a := range p.axes[1:] {
		if len(a.values) != len(first.values) {
			p.bad(fmt.Sprintf("axes that walk together have the same number of values, and %s has %d while %s has %d",
				first.name, len(first.values), a.name, len(a.values)), "")
			return false
		}
	}
	p.design.rows = len(first.values)
	return true
}

// fits reports more rows than are possible, before they are made.
func (p *planner) fits(rows int) bool {
	points := product(len(p.variants), rows)
	if points > p.limit() {
		p.tooMany(p.report, points)
		return false
	}
	return true
}

// fill makes the rows of latin and sobol; those with equal values are run once.
func (p *planner) fill() bool {
	rows := int(p.asked.Rows)
	if !p.fits(rows) {
		return false
	}
	column := latin
	if p.asked.Kind == "sobol" {
		if column = sobol; len(p.axes) > sobolAxes {
			p.bad(fmt.Sprintf("%d axes are too many for a Sobol sequence", len(p.axes)), fmt.Sprintf("up to %d axes", sobolAxes))
			return false
		}
		if rows&(rows-1) != 0 {
			n := bits.Len(uint(rows))
			p.note(fmt.Sprintf("%d rows of a Sobol sequence are less even than %d or %d: a power of two", rows, 1<<(n-1), 1<<n))
		}
	}
	columns := make([]func(row int) float64, len(p.axes))
	for j, a := range p.axes {
		columns[j] = column(p.axisKey(a.name), j, rows)
	}
	seen := map[string]bool{}
	for row := range rows {
		unit := make([]float64, len(columns))
		for j, at := range columns {
			unit[j] = at(row)
		}
		if name := p.rowName(unit); !seen[name] {
			seen[name] = true
			p.design.units = append(p.design.units, unit...)
		}
	}
	if p.design.rows = len(seen); p.design.rows < rows {
		p.note(fmt.Sprintf("after rounding %d of %d rows are different; each is run once", p.design.rows, rows))
	}
	return true
}

// axisKey draws for an axis: what it draws depends on no other axis.
func (p *planner) axisKey(name string) random.Key {
	var words []uint64
	for _, b := range []byte(p.asked.Kind + "\x00" + name) {
		words = append(words, uint64(b))
	}
	return random.Root(uint64(p.Scenario.Seed), words...)
}

// rowName tells rows apart.
func (p *planner) rowName(unit []float64) string {
	texts := make([]string, len(unit))
	for j := range p.axes {
		texts[j] = p.axes[j].text(unit[j])
	}
	return strings.Join(texts, "\x00")
}

// latin is one axis of a Latin hypercube (McKay, Beckman and Conover 1979): a
// permutation of the n equal parts of the axis, and a place inside each.
func latin(key random.Key, _, n int) func(row int) float64 {
	parts := make([]int32, n)
	for i := range parts {
		k := int(random.Uniform(key.Draw(random.Design, uint64(2*i)), uint64(i+1)))
		parts[i] = parts[k]
		parts[k] = int32(i)
	}
	return func(row int) float64 {
		inside := random.Unit(key.Draw(random.Design, uint64(2*row+1)))
		return (float64(parts[row]) + float64(inside)) / float64(n)
	}
}

// sobol is one axis of a Sobol sequence under a digital shift: the key draws
// bits that are added to those of all rows.
func sobol(key random.Key, axis, _ int) func(row int) float64 {
	directions, shift := directions(axis), key.Draw(random.Design, 0)
	return func(row int) float64 {
		x := shift
		for k := 0; row>>k > 0; k++ {
			if row>>k&1 == 1 {
				x ^= directions[k]
			}
		}
		return random.Unit(x)
	}
}

// The design of Morris ("Factorial sampling plans for preliminary computational
// experiments", 1991): on a grid of 4 levels, trajectories of steps by 2/3 of
// the range, each along another axis.
const (
	morrisLevels = 4
	morrisStep   = morrisLevels / 2
)

// morris makes trajectories from draws for each axis: where it begins, whether
// it steps up or down, and when its turn is. Places that several trajectories
// come to are one row.
func (p *planner) morris() bool {
	if !p.fits(product(int(p.asked.Trajectories), len(p.axes)+1)) {
		return false
	}
	keys := make([]random.Key, len(p.axes))
	for j := range p.axes {
		a := &p.axes[j]
		if keys[j] = p.axisKey(a.name); !a.steps() {
			p.bad("a step along "+a.name+" must change its value", "an axis with two values or more")
			return false
		}
	}
	rows := map[string]int{}
	visit := func(levels []int) int {
		unit := make([]float64, len(levels))
		for j, level := range levels {
			unit[j] = atLevel(level)
		}
		name := p.rowName(unit)
		row, known := rows[name]
		if !known {
			row = len(rows)
			rows[name] = row
			p.design.units = append(p.design.units, unit...)
		}
		return row
	}
	for t := range int(p.asked.Trajectories) {
		levels, steps, order := walk(keys, t)
		places := []int{visit(levels)}
		for _, j := range order {
			levels[j] += steps[j]
			places = append(places, visit(levels))
		}
		p.design.trajectories = append(p.design.trajectories, places)
	}
	p.design.rows = len(rows)
	return true
}

// walk draws a trajectory: where each axis begins, its step, and the order.
func walk(keys []random.Key, t int) (levels, steps, order []int) {
	levels, steps, order = make([]int, len(keys)), make([]int, len(keys)), make([]int, len(keys))
	draw := func(axis, what int) uint64 { return keys[axis].Draw(random.Design, uint64(3*t+what)) }
	for j := range keys {
		order[j], steps[j] = j, morrisStep
		levels[j] = int(random.Uniform(draw(j, 0), morrisStep))
		if random.Uniform(draw(j, 1), 2) == 1 {
			levels[j], steps[j] = levels[j]+morrisStep, -morrisStep
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(draw(a, 2), draw(b, 2)) })
	return levels, steps, order
}

func atLevel(level int) float64 { return float64(level) / (morrisLevels - 1) }

// index is the value of a list at u, from 0 to 1: the one in whose equal part of
// it u lies.
func (a *axis) index(u float64) int { return min(int(u*float64(len(a.values))), len(a.values)-1) }

func (a *axis) text(u float64) string {
	if a.span != nil {
		return a.span.write(a.span.at(u))
	}
	return a.values[a.index(u)].text
}

// place is where the value at u lies, from 0 to 1: rounded values are not where
// they were drawn.
func (a *axis) place(u float64) float64 {
	if a.span != nil {
		return a.span.place(a.span.at(u))
	}
	return float64(a.index(u)) / float64(len(a.values)-1)
}

// steps says whether the steps of morris change the value.
func (a *axis) steps() bool {
	for level := range morrisLevels - morrisStep {
		if a.text(atLevel(level)) == a.text(atLevel(level+morrisStep)) {
			return false
		}
	}
	return true
}

// row gives each axis its value in a row of the design.
func (f *File) row(i int) []axisValue {
	out := make([]axisValue, len(f.axes), len(f.axes)+1) // and that of a bisection
	for j := len(f.axes) - 1; j >= 0; j-- {
		switch a := &f.axes[j]; {
		case f.design.kind == "zip":
			out[j] = a.values[i]
		case f.design.kind == "grid":
			out[j] = a.values[i%len(a.values)]
			i /= len(a.values)
		case a.span == nil:
			out[j] = a.values[a.index(f.unit(i)[j])]
		default:
			s := shaper{&report{}, f.specs}
			out[j] = s.value(a, a.text(f.unit(i)[j]))
		}
	}
	return out
}

// unit is where a row was drawn.
func (f *File) unit(row int) []float64 {
	n := len(f.axes)
	return f.design.units[row*n : (row+1)*n : (row+1)*n]
}

// Rows is how many rows the sweep has: combinations of a value of each axis. A
// bisection doubles them.
func (f *File) Rows() int {
	if f.bisect != nil {
		return product(f.design.rows, 2)
	}
	return f.design.rows
}

// Design says how the axes make points: grid, zip, latin, sobol, morris, or
// bisect, whatever the rows that the bisection looks in are.
func (f *File) Design() string {
	if f.bisect != nil {
		return "bisect"
	}
	return f.design.kind
}

// Unit is where a row of latin, sobol or morris lies in the unit cube, a
// coordinate for each axis; of other designs it is nil. For morris it is where
// the values lie after rounding, of a list at equal distances: by that much a
// step moves.
func (f *File) Unit(row int) []float64 {
	if f.design.units == nil {
		return nil
	}
	out := slices.Clone(f.unit(row))
	if f.design.kind == "morris" {
		for j := range out {
			out[j] = f.axes[j].place(out[j])
		}
	}
	return out
}

// Trajectories are those of morris: the rows of the places that each comes to,
// one more than there are axes. From one to the next, one axis changes.
func (f *File) Trajectories() [][]int { return f.design.trajectories }
