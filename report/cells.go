package report

import (
	"math"
	"time"

	"retrystorm/experiment"
)

// kind is what the values of a column are.
type kind int

const (
	words    kind = iota // text
	whole64              // whole numbers
	unsigned             // whole numbers that need all 64 bits
	numeric              // numbers, +Inf for never; empty when not available
)

func (k kind) String() string {
	return [...]string{words: "text", whole64: "whole number", unsigned: "whole number", numeric: "number"}[k]
}

// cell is one value of a row. Its column knows its kind.
type cell struct {
	text string
	bits uint64 // of a whole number or of a float
}

func numberCell(x float64) cell {
	if x = Rounded(x); x == 0 {
		x = 0 // there is no -0 in a CSV file
	}
	return cell{bits: math.Float64bits(x)}
}

func (c cell) number() float64 { return math.Float64frombits(c.bits) }

// lines are rows of a table, cell after cell. Numbers have 9 digits from here
// on, whatever file they go to.
type lines struct {
	cells []cell
	head  []cell // what each row begins with
}

// of says which point the rows to come are about.
func (l *lines) of(r *experiment.Result, p *experiment.Point) {
	l.head = append(l.head[:0], cell{text: r.Scenario}, cell{text: p.Variant})
	for _, v := range p.Sweep {
		l.head = append(l.head, cell{text: v})
	}
	for i := range p.Sweep {
		x := math.NaN()
		if i < len(p.Numbers) {
			x = p.Numbers[i]
		}
		l.head = append(l.head, numberCell(x))
	}
}

// row begins a row.
func (l *lines) row() { l.cells = append(l.cells, l.head...) }

func (l *lines) text(values ...string) {
	for _, v := range values {
		l.cells = append(l.cells, cell{text: v})
	}
}

func (l *lines) whole(n int) { l.cells = append(l.cells, cell{bits: uint64(n)}) }

func (l *lines) unsigned(n uint64) { l.cells = append(l.cells, cell{bits: n}) }

func (l *lines) flag(yes bool) {
	n := 0
	if yes {
		n = 1
	}
	l.whole(n)
}

func (l *lines) number(values ...float64) {
	for _, v := range values {
		l.cells = append(l.cells, numberCell(v))
	}
}

func (l *lines) seconds(d time.Duration) { l.number(d.Seconds()) }
