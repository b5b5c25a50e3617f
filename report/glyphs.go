package report

import (
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	units "golang.org/x/image/math/fixed"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// Texts are filled outlines. The usual way to draw them flattens curves in
// floating point, with other last bits on other processors, which show in the
// grey of some pixels; paths are flattened in integers.

// outline gives the outline of a text: units of the font, y up, from the
// start of the baseline; place puts a point on the page.
func outline(face *plotfont.Face, s string, place func(x, y units.Int26_6) vg.Point) vg.Path {
	var path vg.Path
	var buffer sfnt.Buffer
	em := units.Int26_6(face.Face.UnitsPerEm()) // so that lengths are units of the font
	at := units.Int26_6(0)
	var last sfnt.GlyphIndex
	for i, r := range s {
		glyph, err := face.Face.GlyphIndex(&buffer, r)
		if err != nil {
			continue // the fonts that come with the library have no such errors
		}
		if i > 0 {
			if kern, err := face.Face.Kern(&buffer, last, glyph, em, font.HintingNone); err == nil {
				at += kern
			}
		}
		segments, err := face.Face.LoadGlyph(&buffer, glyph, em, nil)
		if err == nil {
			appendGlyph(&path, segments, func(p units.Point26_6) vg.Point { return place(at+p.X, -p.Y) })
		}
		if advance, err := face.Face.GlyphAdvance(&buffer, glyph, em, font.HintingNone); err == nil {
			at += advance
		}
		last = glyph
	}
	return path
}

func appendGlyph(path *vg.Path, segments sfnt.Segments, place func(units.Point26_6) vg.Point) {
	for i, s := range segments {
		a := s.Args
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				path.Close()
			}
			path.Move(place(a[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(place(a[0]))
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(place(a[0]), place(a[1]))
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(place(a[0]), place(a[1]), place(a[2]))
		}
	}
	if len(segments) > 0 {
		path.Close()
	}
}
