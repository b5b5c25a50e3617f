package report

import (
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/plot/vg"

	"retrystorm/experiment"
)

// Figure is a picture of lines: one panel, or small multiples that share
// their axes.
type Figure struct {
	Title    string // what the picture says
	Subtitle string // what it is made of
	X, Y     Axis
	Panels   []Panel
	// Named puts the names of the series beside their points, where all of them
	// find room; otherwise there is a legend.
	Named bool
	// BarsTitle is what the bars beside the panels are.
	BarsTitle string
}

// Panel is one set of axes.
type Panel struct {
	Title  string
	Short  string // the title where there is not enough room for it
	Series []Series
	Spans  []experiment.Span // shaded, X being seconds
	Levels []Level
	// Moments are marked, X being seconds.
	Moments []Moment
	Bars    []Bar // to its right
	// X is an axis of its own; nil: the figure's, for all panels together.
	X *Axis
	// Ranges are shaded, from the bottom to the top.
	Ranges []Range
}

// Range is a part of the X axis, with a value in it that is marked.
type Range struct {
	Style        Style
	From, To, At float64
}

// Series is one line. A Y of +Inf is drawn as an arrow at the top edge; NaN
// leaves a gap.
type Series struct {
	Name   string
	Style  Style
	Points []XY
	Lo, Hi []float64 // interval of each point; nil: none
	Step   bool      // each value holds until the next point
	Fill   bool      // the area below is tinted
	Solid  bool      // steps without an outline: the area below hides what is behind
	Thin   bool      // a second thought, drawn without weight
	Bare   bool      // no markers
	Loose  bool      // no line: what lies between the points means nothing
	// Area is an outline that is tinted.
	Area []XY
	// Apart are values that belong to the series but not to its line:
	// replications that ended the other way. They are drawn hollow.
	Apart []XY
}

// XY is a point.
type XY struct{ X, Y float64 }

// Level is a horizontal line with a name.
type Level struct {
	Name string
	Y    float64
}

// Moment is a vertical line with a name.
type Moment struct {
	Name string
	At   time.Duration
}

// WritePNG draws the figure.
func (f *Figure) WritePNG(w io.Writer) error { return f.drawn().writePNG(w) }

func (f *Figure) drawn() *page {
	d := newDrawing(f)
	d.draw()
	return d.page
}

// drawing is a figure being drawn.
type drawing struct {
	*Figure
	page  *page
	x     []scale // of each panel
	y     scale
	never bool      // some value is infinite: a lane for arrows is kept free
	inset vg.Length // between the edges of a panel and its data, for markers

	titles        []string // of the panels
	names         []nameTag
	bars          bars
	columns, rows int
	legend        []entry
	left, right   vg.Length // edges of the panels
	bottom, top   vg.Length
	gap           vg.Length // between rows
}

const (
	tickSize   vg.Length = 10.5
	labelSize  vg.Length = 11.5
	lane       vg.Length = 22 // height of the lane for arrows
	panelGap   vg.Length = 26
	ownAxis    vg.Length = 34 // height of ticks and title below a panel
	columnGap  vg.Length = 20
	leastPanel vg.Length = 96
	areaAlpha            = 0x50 // of what is below a line
)

func newDrawing(f *Figure) *drawing {
	d := &drawing{Figure: f, columns: 1, gap: panelGap}
	d.page = newPage(pageWidth, 1) // to measure texts
	d.bars = d.barsOf()
	if len(f.Panels) > 5 && d.bars.count == 0 || len(f.Panels) > 1 && d.ownAxes() {
		d.columns = 2
	}
	if d.ownAxes() {
		d.gap += ownAxis
	}
	d.rows = max(1, (len(f.Panels)+d.columns-1)/d.columns)
	d.scales()
	d.legend = legendOf(f)
	head := headingHeight(f.Title, f.Subtitle)
	least := max(leastPanel, vg.Length(barLine*vg.Length(d.bars.count)))
	need := head + 70 + vg.Length(vg.Length(d.rows)*(least+d.gap))
	if d.legendBeside() {
		need = max(need, head+margin+vg.Length(legendLine*vg.Length(len(d.legend))))
	}
	d.page = newPage(pageWidth, max(pageHeight, need))
	return d
}

func (d *drawing) ownAxes() bool {
	return slices.ContainsFunc(d.Panels, func(p Panel) bool { return p.X != nil })
}

// scales fits the axes to everything that will be drawn.
func (d *drawing) scales() {
	var common, ys []float64
	own := make([][]float64, len(d.Panels))
	for k, p := range d.Panels {
		for _, s := range p.Series {
			for i, pt := range append(slices.Clone(s.Points), s.Apart...) {
				own[k], ys = append(own[k], pt.X), append(ys, pt.Y)
				d.never = d.never || math.IsInf(pt.Y, 1)
				if !s.Bare {
					d.inset = 14
				}
				if i < len(s.Lo) && i < len(s.Hi) {
					ys = append(ys, s.Lo[i], s.Hi[i])
				}
			}
		}
		for _, r := range p.Ranges {
			own[k] = append(own[k], r.From, r.To, r.At)
		}
		for _, l := range p.Levels {
			ys = append(ys, l.Y)
		}
		common = append(common, own[k]...)
	}
	n := 7
	if d.rows > 1 {
		n = 4
	}
	d.y = newScale(d.Y, ys, n)
	shared := newScale(d.X, common, 8/d.columns)
	for k, p := range d.Panels {
		if p.X != nil {
			d.x = append(d.x, newScale(*p.X, own[k], 6))
		} else {
			d.x = append(d.x, shared)
		}
	}
}

func (d *drawing) draw() {
	p := d.page
	d.top = p.heading(d.Title, d.Subtitle)
	d.left = margin + 26 + max(26, p.widest(d.yTexts(), letters{size: tickSize}))
	d.right = p.Max.X - margin - d.barsWidth()
	d.bottom = margin + 33
	if d.names = d.placeNames(); d.names != nil {
		d.legend = nil
	}
	d.drawLegend()
	if d.hasPanelTitles() {
		d.top -= 14
	}
	p.write(d.y.title, margin, (d.top+d.bottom)/2, letters{size: labelSize, color: softColor, x: 0.5, y: 1, up: true})
	if !d.ownAxes() {
		p.write(d.x[0].title, (d.left+d.right)/2, d.bottom-20, letters{size: labelSize, color: softColor, x: 0.5, y: 1})
	}
	if d.bars.count > 0 {
		p.write(d.BarsTitle, d.right+20, d.top+5, letters{size: labelSize, color: softColor})
	}
	d.titles = d.fitTitles()
	for i := range d.Panels {
		d.panel(i)
	}
}

// fitTitles are the titles of the panels as far as there is room: the short ones
// where one does not fit, and different ones where they differ.
func (d *drawing) fitTitles() []string {
	label := panelLabel()
	rooms, short := make([]vg.Length, len(d.Panels)), false
	for i, p := range d.Panels {
		f := d.frame(i)
		rooms[i] = f.x1 - f.x0
		if _, text := d.highest(p.Series); text != "" {
			rooms[i] -= d.page.widthOf(text, cutLabel()) + 12
		}
		short = short || p.Short != "" && d.page.widthOf(p.Title, label) > rooms[i]
	}
	full, fit := make([]string, len(d.Panels)), make([]string, len(d.Panels))
	alike := false
	for i, p := range d.Panels {
		full[i] = p.Title
		if short && p.Short != "" {
			full[i] = p.Short
		}
		fit[i] = d.page.shortened(full[i], rooms[i], label)
		k := slices.Index(fit[:i], fit[i])
		alike = alike || k >= 0 && full[k] != full[i]
	}
	if alike {
		for i := range fit {
			fit[i] = d.page.shortened(strconv.Itoa(i+1)+": "+full[i], rooms[i], label)
		}
	}
	return fit
}

func panelLabel() letters { return letters{size: labelSize, bold: true, color: textColor} }
func cutLabel() letters   { return letters{size: tickSize, color: softColor, x: 1} }

func (d *drawing) hasPanelTitles() bool {
	return d.bars.count > 0 || d.Y.Most > 0 || slices.ContainsFunc(d.Panels, func(p Panel) bool { return p.Title != "" })
}

func (d *drawing) yTexts() []string {
	texts := []string{}
	for _, t := range d.y.ticks {
		texts = append(texts, t.text)
	}
	if d.never {
		texts = append(texts, "never")
	}
	return texts
}

// frame is where one panel's data lies.
type frame struct {
	x0, y0, x1, y1 vg.Length
	top            vg.Length // of the lane for arrows; y1 without one
	x              scale
}

func (d *drawing) frame(i int) frame {
	row, column := i/d.columns, i%d.columns
	w := (d.right - d.left - vg.Length(columnGap*vg.Length(d.columns-1))) / vg.Length(d.columns)
	h := (d.top - d.bottom - vg.Length(d.gap*vg.Length(d.rows-1))) / vg.Length(d.rows)
	f := frame{x: d.x[i], x0: d.left + vg.Length(vg.Length(column)*(w+columnGap))}
	f.x1 = f.x0 + w
	f.top = d.top - vg.Length(vg.Length(row)*(h+d.gap))
	f.y0 = f.top - h
	f.y1 = f.top
	if d.never {
		f.y1 -= lane
	}
	return f
}

func (d *drawing) point(f frame, p XY) vg.Point {
	return vg.Point{X: d.across(f, p.X), Y: d.height(f, p.Y)}
}

func (d *drawing) across(f frame, x float64) vg.Length {
	return between(f.x0+d.inset, f.x1-d.inset, f.x.at(x))
}

func (d *drawing) height(f frame, y float64) vg.Length {
	if math.IsInf(y, 1) {
		return f.top
	}
	return between(f.y0, f.y1, d.y.at(y))
}

func (d *drawing) panel(i int) {
	f, panel := d.frame(i), d.Panels[i]
	d.spans(f, panel.Spans)
	d.ranges(f, panel.Ranges)
	d.axes(f, i)
	for _, l := range panel.Levels {
		y := d.height(f, l.Y)
		d.page.line([]vg.Point{{X: f.x0, Y: y}, {X: f.x1, Y: y}}, levelStyle(), 1.3)
	}
	for _, s := range panel.Series {
		d.band(f, s)
	}
	for _, m := range panel.Moments {
		x := d.across(f, m.At.Seconds())
		d.page.line([]vg.Point{{X: x, Y: f.y0}, {X: x, Y: f.top}}, momentStyle(), 1.3)
	}
	for _, s := range panel.Series {
		if !s.Solid && !s.Loose {
			d.curve(f, s)
		}
	}
	d.markers(f, panel.Series)
	for _, n := range d.names {
		d.page.box(n.x0, n.y0, n.x1, n.y1, white.faint(0xc0)) // over the line of the front
		d.page.write(n.text, n.x0, (n.y0+n.y1)/2, letters{size: legendSize, color: textColor, y: 0.45})
	}
	d.cut(f, panel.Series)
	d.barsBeside(f, panel.Bars)
	d.page.write(d.titles[i], f.x0, f.top+5, panelLabel())
}

func momentStyle() Style { return Style{Color: wine, Dashes: []vg.Length{1.5, 2}} }

func levelStyle() Style { return Style{Color: softColor, Dashes: []vg.Length{4, 3}} }

func (d *drawing) spans(f frame, spans []experiment.Span) {
	for _, s := range spans {
		x0 := d.across(f, s.From.Seconds())
		x1 := d.across(f, s.To.Seconds())
		if s.To > s.From {
			d.page.box(x0, f.y0, max(x1, x0+1), f.top, shade)
		}
	}
}

// ranges shades parts of the X axis, and marks the values in them.
func (d *drawing) ranges(f frame, list []Range) {
	for _, r := range list {
		x0, x1 := d.across(f, r.From), d.across(f, r.To)
		d.page.box(x0, f.y0, max(x1, x0+1), f.top, r.Style.Color.faint(0x38))
	}
	for _, r := range list {
		x := d.across(f, r.At)
		d.page.line([]vg.Point{{X: x, Y: f.y0}, {X: x, Y: f.top}}, Style{Color: r.Style.Color, Dashes: levelStyle().Dashes}, 1.3)
	}
}

// axes draws grid and ticks; in small multiples only the outer panels carry
// the numbers.
func (d *drawing) axes(f frame, i int) {
	p := d.page
	label := letters{size: tickSize, color: textColor, x: 1, y: 0.45}
	for _, t := range d.y.ticks {
		y := d.height(f, t.value)
		p.rule(f.x0, y, f.x1, y, gridColor, 0.8)
		if i%d.columns == 0 {
			p.write(t.text, f.x0-6, y, label)
		}
	}
	if d.never {
		p.rule(f.x0, f.top, f.x1, f.top, gridColor, 0.8)
		if i%d.columns == 0 {
			p.write("never", f.x0-6, f.top-5, letters{size: tickSize, bold: true, color: textColor, x: 1, y: 0.45})
		}
	}
	p.rule(f.x0, f.y0, f.x1, f.y0, softColor, 1)
	own := d.Panels[i].X != nil
	below := own || i+d.columns >= len(d.Panels)
	label = letters{size: tickSize, color: textColor, x: 0.5, y: 1}
	free := f.x0 - 30
	for _, t := range f.x.ticks {
		x := d.across(f, t.value)
		p.rule(x, f.y0, x, f.y0-3.5, softColor, 1)
		half := vg.Length(p.widthOf(t.text, label) / 2)
		if below && x-half > free {
			p.write(t.text, x, f.y0-6, label)
			free = x + half + 6
		}
	}
	if own {
		p.write(f.x.title, (f.x0+f.x1)/2, f.y0-20, letters{size: labelSize, color: softColor, x: 0.5, y: 1})
	}
}

// band tints the interval of a line, wherever there is one.
func (d *drawing) band(f frame, s Series) {
	if s.Fill {
		d.area(f, s)
	}
	if s.Solid {
		d.solid(f, s)
	}
	if len(s.Area) > 2 {
		var pts []vg.Point
		for _, p := range s.Area {
			pts = append(pts, d.point(f, p))
		}
		d.page.FillPolygon(s.Style.Color.faint(0x28), pts)
	}
	n := min(len(s.Points), len(s.Lo), len(s.Hi))
	known := func(i int) bool {
		return !math.IsNaN(s.Lo[i]) && !math.IsNaN(s.Hi[i]) && !math.IsInf(s.Lo[i], 1) && !math.IsNaN(s.Points[i].Y)
	}
	for from := 0; from < n; from++ {
		if !known(from) {
			continue
		}
		to := from
		for to+1 < n && known(to+1) && !s.Loose {
			to++
		}
		var pts []vg.Point
		for i := from; i <= to; i++ {
			pts = append(pts, d.point(f, XY{s.Points[i].X, s.Hi[i]}))
		}
		for i := to; i >= from; i-- {
			pts = append(pts, d.point(f, XY{s.Points[i].X, s.Lo[i]}))
		}
		if from == to { // a band without width is a bar
			d.page.rule(pts[0].X, pts[1].Y, pts[0].X, pts[0].Y, s.Style.Color, 1.4)
		} else {
			d.page.FillPolygon(s.Style.Color.faint(0x38), pts)
		}
		from = to
	}
}

func (d *drawing) area(f frame, s Series) {
	pts := d.path(f, s)
	if len(pts) < 2 {
		return
	}
	pts = append(pts, vg.Point{X: pts[len(pts)-1].X, Y: f.y0}, vg.Point{X: pts[0].X, Y: f.y0})
	d.page.FillPolygon(s.Style.Color.faint(areaAlpha), pts)
}

// solid fills below the steps; where a value is not available it leaves a gap.
func (d *drawing) solid(f frame, s Series) {
	var pts []vg.Point
	flush := func() {
		if len(pts) > 0 {
			pts = append(pts, vg.Point{X: pts[len(pts)-1].X, Y: f.y0}, vg.Point{X: pts[0].X, Y: f.y0})
			d.page.FillPolygon(s.Style.Color, pts)
		}
		pts = nil
	}
	for k := range len(s.Points) - 1 {
		y := s.Points[k].Y
		if math.IsNaN(y) {
			flush()
			continue
		}
		pts = append(pts, d.point(f, s.Points[k]), d.point(f, XY{s.Points[k+1].X, y}))
	}
	flush()
}

// cut says how high the highest value is that does not fit the panel.
func (d *drawing) cut(f frame, series []Series) {
	at, text := d.highest(series)
	if text == "" {
		return
	}
	d.page.arrow(vg.Point{X: d.across(f, at.X), Y: f.top}, textColor, false)
	d.page.write(text, f.x1, f.top+5, cutLabel())
}

// highest is the highest value that does not fit the panel, with the remark that
// says so; that is empty when all do.
func (d *drawing) highest(series []Series) (at XY, remark string) {
	at.Y = d.y.hi
	for _, s := range series {
		for _, p := range s.Points {
			if p.Y > at.Y {
				at = p
			}
		}
	}
	if d.Y.Most == 0 || at.Y == d.y.hi {
		return at, ""
	}
	return at, "cut off: up to " + about(at.Y, d.Y.Unit)
}

// path is the line through the finite points of a series without gaps.
func (d *drawing) path(f frame, s Series) []vg.Point {
	var pts []vg.Point
	for _, p := range s.Points {
		if math.IsNaN(p.Y) || math.IsInf(p.Y, 0) {
			continue
		}
		at := d.point(f, p)
		if s.Step && len(pts) > 0 {
			pts = append(pts, vg.Point{X: at.X, Y: pts[len(pts)-1].Y})
		}
		pts = append(pts, at)
	}
	return pts
}

// curve draws the line. Where it leaves for infinity it goes to the top edge
// in a thinner stroke.
func (d *drawing) curve(f frame, s Series) {
	width := vg.Length(2)
	if s.Thin {
		width = 1.1
	}
	part := Series{Step: s.Step}
	flush := func() {
		d.page.line(d.path(f, part), s.Style, width)
		part.Points = nil
	}
	for i, p := range s.Points {
		if math.IsNaN(p.Y) {
			flush()
			continue
		}
		if i > 0 && !math.IsNaN(s.Points[i-1].Y) && math.IsInf(p.Y, 1) != math.IsInf(s.Points[i-1].Y, 1) {
			flush()
			ends := []vg.Point{d.point(f, s.Points[i-1]), d.point(f, p)}
			d.page.line(ends, Style{Color: s.Style.Color, Dashes: []vg.Length{1.5, 2.5}}, 1.2)
		}
		part.Points = append(part.Points, p)
	}
	flush()
}

// markers draws the points of all series. Arrows of several series would
// cover each other, so they stand side by side, unless each has its name beside it.
func (d *drawing) markers(f frame, series []Series) {
	endless := func(s Series) bool {
		up := func(p XY) bool { return math.IsInf(p.Y, 1) }
		return slices.ContainsFunc(s.Points, up) || slices.ContainsFunc(s.Apart, up)
	}
	arrows := vg.Length(0)
	for _, s := range series {
		if endless(s) && d.names == nil {
			arrows++
		}
	}
	place := -max(0, arrows-1) / 2
	for _, s := range series {
		d.points(f, s, vg.Length(place*min(5.5, 28/max(1, arrows))))
		if endless(s) && d.names == nil {
			place++
		}
	}
}

// points draws the markers and arrows of one series.
func (d *drawing) points(f frame, s Series, shift vg.Length) {
	for _, p := range s.Points {
		at := d.point(f, p)
		switch {
		case math.IsNaN(p.Y):
		case math.IsInf(p.Y, 1):
			at.X += shift
			d.page.arrow(at, s.Style.Color, false)
		case !s.Bare:
			d.page.marker(at, s.Style, 3.6, false)
		}
	}
	for _, p := range s.Apart {
		switch at := d.point(f, p); {
		case math.IsNaN(p.Y):
		case math.IsInf(p.Y, 1):
			at.X += shift
			d.page.arrow(at, s.Style.Color, false)
		default:
			d.page.marker(at, s.Style, 3.6, true)
		}
	}
}
