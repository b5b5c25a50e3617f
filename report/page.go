package report

import (
	"image/color"
	"io"
	"math"
	"strings"

	stdfont "golang.org/x/image/font"
	units "golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// page is a picture being drawn: points from the lower left corner, two
// pixels a point, the fonts that come with the plotting library.
type page struct {
	draw.Canvas
	img  *vgimg.Canvas
	text text.Plain
}

const (
	pageWidth  vg.Length = 800 // 1600 pixels
	pageHeight vg.Length = 450
	margin     vg.Length = 22
	dpi                  = 144
)

func newPage(w, h vg.Length) *page {
	img := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi))
	return &page{draw.New(img), img, text.Plain{Fonts: font.NewCache(liberation.Collection())}}
}

func (p *page) writePNG(w io.Writer) error {
	_, err := vgimg.PngCanvas{Canvas: p.img}.WriteTo(w)
	return err
}

// letters is how a text looks and which of its points is put in place:
// x from 0 (left) to 1 (right), y from 0 (bottom) to 1 (top).
type letters struct {
	size  vg.Length
	bold  bool
	color color.Color
	x, y  float64
	up    bool // turned to read from below
}

func (p *page) style(l letters) draw.TextStyle {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: l.size}
	if l.bold {
		f.Weight = stdfont.WeightBold
	}
	s := draw.TextStyle{
		Color: l.color, Font: f, Handler: p.text,
		XAlign: draw.XAlignment(-l.x), YAlign: draw.YAlignment(-l.y),
	}
	return s
}

func (p *page) write(s string, x, y vg.Length, l letters) {
	if s == "" {
		return
	}
	style := p.style(l)
	face := p.text.Fonts.Lookup(style.Font, l.size)
	scale := l.size / vg.Length(face.Face.UnitsPerEm())
	along := vg.Length(-style.Width(s) * vg.Length(l.x))
	above := l.size - face.Extents().Ascent - vg.Length(style.Height(s)*vg.Length(l.y))
	p.SetColor(l.color)
	p.Fill(outline(&face, s, func(u, v units.Int26_6) vg.Point {
		a, b := along+vg.Length(vg.Length(u)*scale), above+vg.Length(vg.Length(v)*scale)
		if l.up {
			return vg.Point{X: x - b, Y: y + a}
		}
		return vg.Point{X: x + a, Y: y + b}
	}))
}

func (p *page) widthOf(s string, l letters) vg.Length {
	return p.style(l).Width(s)
}

// widest is the width of the widest of some texts.
func (p *page) widest(texts []string, l letters) vg.Length {
	w := vg.Length(0)
	for _, s := range texts {
		w = max(w, p.widthOf(s, l))
	}
	return w
}

// shortened leaves out the middle of a text that is wider than w: long names
// often differ at the end.
func (p *page) shortened(s string, w vg.Length, l letters) string {
	if p.widthOf(s, l) <= w {
		return s
	}
	all := []rune(s)
	for keep := len(all) - 1; ; keep-- {
		short := string(all[:(keep+1)/2]) + "…" + string(all[len(all)-keep/2:])
		if keep <= 2 || p.widthOf(short, l) <= w {
			return short
		}
	}
}

// wrap breaks s into lines no wider than w.
func (p *page) wrap(s string, w vg.Length, l letters) []string {
	var lines []string
	line := ""
	for _, word := range p.words(s, w, l) {
		longer := strings.TrimPrefix(line+" "+word, " ")
		if line != "" && p.widthOf(longer, l) > w {
			lines = append(lines, strings.TrimSuffix(line, " ·"))
			longer = word
		}
		line = longer
	}
	return append(lines, line)
}

// words are the parts between which s may break. Parts that should not break,
// but are wider than w, do so at their commas, or else at their blanks; what has
// none is shortened.
func (p *page) words(s string, w vg.Length, l letters) []string {
	const blank = "\u00a0"
	words := strings.Split(s, " ")
	for _, at := range []string{"," + blank, blank} {
		var finer []string
		for _, word := range words {
			if p.widthOf(word, l) > w {
				finer = append(finer, strings.Split(strings.ReplaceAll(word, at, strings.TrimSuffix(at, blank)+" "), " ")...)
			} else {
				finer = append(finer, word)
			}
		}
		words = finer
	}
	for i := range words {
		words[i] = p.shortened(words[i], w, l)
	}
	return words
}

// heading writes title and subtitle; what is below it is left.
func (p *page) heading(title, subtitle string) (top vg.Length) {
	big := letters{size: 17, bold: true, color: textColor, y: 1}
	small := letters{size: 11, color: softColor, y: 1}
	y := p.Max.Y - margin
	for _, s := range p.wrap(title, p.Max.X-2*margin, big) {
		p.write(s, margin, y, big)
		y -= 21
	}
	for _, s := range p.wrap(subtitle, p.Max.X-2*margin, small) {
		p.write(s, margin, y-2, small)
		y -= 14.5
	}
	return y - 12
}

// headingHeight is what heading needs.
func headingHeight(title, subtitle string) vg.Length {
	p := newPage(pageWidth, 1)
	return p.Max.Y - p.heading(title, subtitle)
}

// between is the place at share u of the way. The conversion of the product
// forbids to fuse it with the sum, which some architectures would do and
// others not.
func between(from, to vg.Length, u float64) vg.Length {
	return from + vg.Length((to-from)*vg.Length(u))
}

// line strokes a line through points.
func (p *page) line(pts []vg.Point, s Style, width vg.Length) {
	if len(pts) < 2 {
		return
	}
	p.StrokeLines(draw.LineStyle{Color: s.Color, Width: width, Dashes: s.Dashes}, pts)
}

func (p *page) rule(x0, y0, x1, y1 vg.Length, c color.Color, width vg.Length) {
	p.StrokeLine2(draw.LineStyle{Color: c, Width: width}, x0, y0, x1, y1)
}

func (p *page) box(x0, y0, x1, y1 vg.Length, c color.Color) {
	p.FillPolygon(c, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
}

// marker draws the point of a series; hollow ones have a white inside.
func (p *page) marker(at vg.Point, s Style, r vg.Length, hollow bool) {
	if s.Marker == Cross {
		r = vg.Length(r * 0.85)
		width := vg.Length(1.9)
		if hollow {
			width = 1
		}
		p.rule(at.X-r, at.Y-r, at.X+r, at.Y+r, s.Color, width)
		p.rule(at.X-r, at.Y+r, at.X+r, at.Y-r, s.Color, width)
		return
	}
	path := markerPath(at, s.Marker, r)
	fill, edge := white, s.Color
	if !hollow {
		fill, edge = edge, fill // a white rim keeps markers apart from lines
	}
	p.SetColor(fill)
	p.Fill(path)
	p.SetLineStyle(draw.LineStyle{Color: edge, Width: 1.3})
	if !hollow {
		p.SetLineWidth(0.5)
	}
	p.Stroke(path)
}

func markerPath(at vg.Point, m Marker, r vg.Length) vg.Path {
	corners := func(pts ...[2]vg.Length) vg.Path {
		var path vg.Path
		for i, c := range pts {
			pt := vg.Point{X: at.X + vg.Length(r*c[0]), Y: at.Y + vg.Length(r*c[1])}
			if i == 0 {
				path.Move(pt)
			} else {
				path.Line(pt)
			}
		}
		path.Close()
		return path
	}
	switch m {
	case Square:
		return corners([2]vg.Length{-.88, -.88}, [2]vg.Length{.88, -.88}, [2]vg.Length{.88, .88}, [2]vg.Length{-.88, .88})
	case Triangle:
		return corners([2]vg.Length{-1.1, -.75}, [2]vg.Length{1.1, -.75}, [2]vg.Length{0, 1.15})
	case TriangleDown:
		return corners([2]vg.Length{-1.1, .75}, [2]vg.Length{1.1, .75}, [2]vg.Length{0, -1.15})
	case Diamond:
		return corners([2]vg.Length{0, -1.25}, [2]vg.Length{1.1, 0}, [2]vg.Length{0, 1.25}, [2]vg.Length{-1.1, 0})
	}
	var path vg.Path
	path.Move(vg.Point{X: at.X + r, Y: at.Y})
	path.Arc(at, r, 0, 2*math.Pi)
	path.Close()
	return path
}

// arrow points from the tip's back to the tip: up, or right.
func (p *page) arrow(tip vg.Point, c color.Color, right bool) {
	const long, half, shaft = 7, 3.4, 11
	turn := func(along, across vg.Length) vg.Point {
		if right {
			return vg.Point{X: tip.X - along, Y: tip.Y + across}
		}
		return vg.Point{X: tip.X + across, Y: tip.Y - along}
	}
	p.FillPolygon(c, []vg.Point{tip, turn(long, -half), turn(long, half)})
	p.StrokeLines(draw.LineStyle{Color: c, Width: 1.6}, []vg.Point{turn(long-1, 0), turn(shaft, 0)})
}
