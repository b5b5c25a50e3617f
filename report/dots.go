package report

import (
	"io"
	"math"

	"gonum.org/v1/plot/vg"
)

// Dots is a picture with one row per variant: its values as marks over a
// common axis, and in words at the right. An infinite value is an arrow at
// the right edge.
type Dots struct {
	Title, Subtitle string
	X               Axis
	Rows            []Dot
	Keys            []Key
	TextHead        string // what the words at the right are
}

// Dot is one row.
type Dot struct {
	Group string // heading above the row, where it changes
	Name  string
	Style Style
	Marks []Mark
	Text  string // the values in words
}

// Mark is one value of a row with its interval; NaN where there is none.
type Mark struct {
	Value, Lo, Hi float64
	Hollow        bool
}

// Key explains marks.
type Key struct {
	Name   string
	Hollow bool
}

const (
	dotRow   vg.Length = 27 // at least
	dotRoomy vg.Length = 42 // where there is room
	dotGroup vg.Length = 24
	dotHead  vg.Length = 8  // more above the words at the right
	dotsMost           = 60 // rows that fit a picture that people still read
)

// WritePNG draws the picture.
func (d *Dots) WritePNG(w io.Writer) error { return d.drawn().writePNG(w) }

func (d *Dots) drawn() *page {
	c := dotChart{Dots: d}
	c.draw()
	return c.page
}

// dotChart is a Dots being drawn.
type dotChart struct {
	*Dots
	page        *page
	x           scale
	never       bool
	left, right vg.Length // edges of the axis
	edge        vg.Length // right edge of the data; beyond it is never
	bottom, top vg.Length
}

func (c *dotChart) draw() {
	head := headingHeight(c.Title, c.Subtitle)
	if c.TextHead != "" {
		head += dotHead
	}
	foot := margin + 34
	if len(c.Keys) > 0 {
		foot += legendLine + 6
	}
	n := vg.Length(len(c.Rows))
	room := max(dotRow, min(dotRoomy, (pageHeight-head-foot-c.groupsHeight())/max(1, n)))
	c.page = newPage(pageWidth, max(240, head+foot+c.groupsHeight()+vg.Length(n*room)))
	p := c.page
	c.top = p.Max.Y - head
	p.heading(c.Title, c.Subtitle)
	c.bottom = foot
	c.scale()
	c.edges()
	c.axis()
	p.write(c.TextHead, p.Max.X-margin, c.top+2, letters{size: tickSize, color: softColor, x: 1})
	step := vg.Length((c.top - c.bottom - c.groupsHeight()) / max(1, n))
	y := c.top
	for i := range c.Rows {
		if c.startsGroup(i) {
			p.write(c.Rows[i].Group, margin, y-dotGroup/2-2, letters{size: labelSize, bold: true, color: textColor, y: 0.45})
			y -= dotGroup
		}
		c.row(&c.Rows[i], y-vg.Length(step/2))
		y -= step
	}
	c.keys()
}

func (c *dotChart) startsGroup(i int) bool {
	return c.Rows[i].Group != "" && (i == 0 || c.Rows[i-1].Group != c.Rows[i].Group)
}

func (c *dotChart) groupsHeight() vg.Length {
	h := vg.Length(0)
	for i := range c.Rows {
		if c.startsGroup(i) {
			h += dotGroup
		}
	}
	return h
}

func (c *dotChart) scale() {
	var values []float64
	for _, r := range c.Rows {
		for _, m := range r.Marks {
			values = append(values, m.Value, m.Lo, m.Hi)
			c.never = c.never || math.IsInf(m.Value, 1) || math.IsInf(m.Hi, 1)
		}
	}
	c.x = newScale(c.X, values, 7)
}

// edges leaves room for the names at the left and the words at the right.
func (c *dotChart) edges() {
	var names, texts []string
	for _, r := range c.Rows {
		names, texts = append(names, r.Name), append(texts, r.Text)
	}
	texts = append(texts, c.TextHead)
	c.left = margin + c.page.widest(names, letters{size: labelSize}) + 12
	c.right = c.page.Max.X - margin - c.page.widest(texts, letters{size: labelSize}) - 14
	c.edge = c.right
	if c.never {
		c.edge -= 44
	}
}

func (c *dotChart) axis() {
	p := c.page
	free := vg.Length(0)
	label := letters{size: tickSize, color: textColor, x: 0.5, y: 1}
	write := func(s string, x vg.Length) {
		half := vg.Length(p.widthOf(s, label) / 2)
		if x-half > free {
			p.write(s, x, c.bottom-6, label)
			free = x + half + 6
		}
	}
	for _, t := range c.x.ticks {
		x := c.across(t.value)
		p.rule(x, c.bottom, x, c.top, gridColor, 0.8)
		write(t.text, x)
	}
	if c.never {
		p.rule(c.right, c.bottom, c.right, c.top, gridColor, 0.8)
		label.bold = true
		write("never", c.right-10)
	}
	p.rule(c.left, c.bottom, c.right, c.bottom, softColor, 1)
	p.write(c.x.title, (c.left+c.edge)/2, c.bottom-21, letters{size: labelSize, color: softColor, x: 0.5, y: 1})
}

func (c *dotChart) across(v float64) vg.Length {
	if math.IsInf(v, 1) {
		return c.right
	}
	return between(c.left, c.edge, c.x.at(v))
}

func (c *dotChart) row(r *Dot, y vg.Length) {
	p := c.page
	p.write(r.Name, c.left-10, y, letters{size: labelSize, color: textColor, x: 1, y: 0.45})
	p.write(r.Text, c.page.Max.X-margin, y, letters{size: labelSize, color: textColor, x: 1, y: 0.45})
	c.stem(r, y)
	for _, m := range r.Marks {
		if !math.IsNaN(m.Value) && !math.IsNaN(m.Lo) && !math.IsNaN(m.Hi) && m.Lo < m.Hi {
			c.whisker(m, r.Style, y)
		}
	}
	for _, m := range r.Marks {
		switch {
		case math.IsNaN(m.Value):
		case math.IsInf(m.Value, 1):
			p.arrow(vg.Point{X: c.right, Y: y}, r.Style.Color, true)
		default:
			p.marker(vg.Point{X: c.across(m.Value), Y: y}, r.Style, 4.6, m.Hollow)
		}
	}
}

// stem leads the eye: from zero to the mark, or from the first mark to the
// last.
func (c *dotChart) stem(r *Dot, y vg.Length) {
	from, to := c.right, c.left
	for _, m := range r.Marks {
		if !math.IsNaN(m.Value) {
			from, to = min(from, c.across(m.Value)), max(to, c.across(m.Value))
		}
	}
	if len(r.Marks) == 1 && !c.x.log {
		from = c.across(0)
	}
	if to > from {
		c.page.rule(from, y, to, y, r.Style.Color.faint(0x66), 3)
	}
}

func (c *dotChart) whisker(m Mark, s Style, y vg.Length) {
	lo, hi := c.across(m.Lo), c.across(m.Hi)
	if hi-lo < 10 {
		return // the marker covers it
	}
	c.page.rule(lo, y, hi, y, s.Color, 1.4)
	for _, x := range []vg.Length{lo, hi} {
		c.page.rule(x, y-4, x, y+4, s.Color, 1.4)
	}
}

func (c *dotChart) keys() {
	var list []entry
	for _, k := range c.Keys {
		e := entry{k.Name, swatchMarker, Style{Color: softColor}, true, false}
		if k.Hollow {
			e.swatch = swatchHollow
		}
		list = append(list, e)
	}
	if len(list) > 0 {
		c.page.legendRow(list, margin, c.page.Max.X-margin, margin-6)
	}
}
