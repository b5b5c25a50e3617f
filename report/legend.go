package report

import (
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
)

// entry is one line of a legend.
type entry struct {
	name   string
	swatch swatch
	style  Style
	bare   bool
	thin   bool
}

// swatch is what stands before the name.
type swatch int

const (
	swatchLine swatch = iota
	swatchMarker
	swatchHollow
	swatchBox
	swatchArea
)

const (
	legendSize   vg.Length = 11
	legendLine   vg.Length = 18
	legendSample vg.Length = 26
)

// legendOf lists everything in a figure that needs a name, once. A name that
// has several colours, as in small multiples, stands for none of them.
func legendOf(f *Figure) []entry {
	var list []entry
	add := func(e entry) {
		if e.name == "" {
			return
		}
		i := slices.IndexFunc(list, func(x entry) bool { return x.name == e.name })
		switch {
		case i < 0:
			list = append(list, e)
		case list[i].style.Color != e.style.Color:
			list[i].style = Style{Color: grey}
		}
	}
	for _, p := range f.Panels {
		for _, s := range p.Series {
			e := entry{s.Name, swatchLine, s.Style, s.Bare, s.Thin}
			switch {
			case s.Solid:
				e.swatch = swatchBox
			case s.Fill:
				e.swatch = swatchArea
			case s.Loose:
				e.swatch = swatchMarker
			}
			add(e)
		}
	}
	for _, p := range f.Panels {
		for _, l := range p.Levels {
			add(entry{l.Name, swatchLine, levelStyle(), true, true})
		}
		for _, m := range p.Moments {
			add(entry{momentName(f, m.Name), swatchLine, momentStyle(), true, true})
		}
		for _, s := range p.Spans {
			add(entry{spanName(f, s.Name), swatchBox, Style{Color: shade}, true, false})
		}
	}
	if len(list) == 1 && list[0].swatch != swatchBox {
		return nil // there is nothing to tell apart
	}
	return list
}

// mostSpans is how many shaded times have names of their own: all have the same
// colour.
const mostSpans = 3

// spanName names a shaded time, all of them together when there are many.
func spanName(f *Figure, name string) string {
	var names []string
	together := "faults"
	for _, p := range f.Panels {
		for _, s := range p.Spans {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
			if s.Name == "trigger" || strings.HasSuffix(s.Name, " spike") {
				together = "faults and spikes"
			}
		}
	}
	if len(names) > mostSpans {
		return together
	}
	return humanName(name)
}

// momentName names a moment, all of them together when there are many.
func momentName(f *Figure, name string) string {
	var names []string
	for _, p := range f.Panels {
		for _, m := range p.Moments {
			names = addNew(names, m.Name)
		}
	}
	if len(names) > mostSpans {
		return "what operators do"
	}
	return name
}

// drawLegend puts the legend to the right of a single panel, below several and
// where bars take the room.
func (d *drawing) drawLegend() {
	if len(d.legend) == 0 {
		return
	}
	widest := d.page.Max.X - 2*margin - legendSample - 24
	if d.legendBeside() {
		widest /= 3 // the panel needs room too
	}
	for i := range d.legend {
		d.legend[i].name = d.page.shortened(d.legend[i].name, widest, letters{size: legendSize})
	}
	if !d.legendBeside() {
		d.bottom += d.page.legendRow(d.legend, margin, d.page.Max.X-margin, margin) + 4
		return
	}
	d.right -= d.page.legendWidth(d.legend) + 16
	d.page.legendColumn(d.legend, d.right+16, d.top)
}

func (d *drawing) legendBeside() bool { return len(d.Panels) == 1 && d.bars.count == 0 }

func (p *page) legendWidth(list []entry) vg.Length {
	w := vg.Length(0)
	for _, e := range list {
		w = max(w, p.widthOf(e.name, letters{size: legendSize}))
	}
	return w + legendSample + 6
}

func (p *page) legendColumn(list []entry, x, y vg.Length) {
	for i, e := range list {
		p.entry(e, x, y-vg.Length(legendLine*(vg.Length(i)+0.5)))
	}
}

// legendRow writes the entries side by side upwards from y, in as many rows
// as they need, and says how high they are.
func (p *page) legendRow(list []entry, left, right, y vg.Length) (height vg.Length) {
	rows := [][]entry{nil}
	x := left
	for _, e := range list {
		w := p.entryWidth(e)
		if x+w > right && x > left {
			rows = append(rows, nil)
			x = left
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		x += w
	}
	height = vg.Length(legendLine * vg.Length(len(rows)))
	for i, row := range rows {
		x := left
		for _, e := range row {
			p.entry(e, x, y+height-vg.Length(legendLine*(vg.Length(i)+0.5)))
			x += p.entryWidth(e)
		}
	}
	return height
}

func (p *page) entryWidth(e entry) vg.Length {
	return legendSample + 6 + p.widthOf(e.name, letters{size: legendSize}) + 18
}

// entry draws one entry; y is its middle.
func (p *page) entry(e entry, x, y vg.Length) {
	middle := vg.Point{X: x + legendSample/2, Y: y}
	width := vg.Length(2)
	if e.thin {
		width = 1.2
	}
	switch e.swatch {
	case swatchLine:
		p.line([]vg.Point{{X: x, Y: y}, {X: x + legendSample, Y: y}}, e.style, width)
		if !e.bare {
			p.marker(middle, e.style, 3.6, false)
		}
	case swatchMarker, swatchHollow:
		p.marker(middle, e.style, 4.4, e.swatch == swatchHollow)
	case swatchBox:
		p.box(x+2, y-6, x+legendSample-2, y+6, e.style.Color)
	case swatchArea:
		p.box(x, y-6, x+legendSample, y+4, e.style.Color.faint(areaAlpha))
		p.line([]vg.Point{{X: x, Y: y + 4}, {X: x + legendSample, Y: y + 4}}, e.style, width)
	}
	p.write(e.name, x+legendSample+6, y, letters{size: legendSize, color: textColor, y: 0.45})
}
