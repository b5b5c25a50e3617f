package report

import (
	"math"
	"slices"
	"testing"
)

// Names stand beside their points and cover nothing, or there is a legend.
func TestPlaceNames(t *testing.T) {
	figure := func(points ...XY) *Figure {
		p := Panel{Series: []Series{{Points: []XY{{1, 1}, {50, 1}}, Step: true, Bare: true}}}
		for i, pt := range points {
			p.Series = append(p.Series, Series{Name: manyVariants(20)[i], Points: []XY{pt}, Loose: true})
		}
		return &Figure{Panels: []Panel{p}, Named: true}
	}
	never := math.Inf(1)
	d := newDrawing(figure(XY{1, 1}, XY{1.2, 1}, XY{50, 1}, XY{25, 9}, XY{25, never}, XY{30, 9}))
	d.draw()
	if len(d.names) != 6 || d.legend != nil {
		t.Fatalf("%d names, %d entries in a legend", len(d.names), len(d.legend))
	}
	for i, a := range d.names {
		if a.x1 > d.page.Max.X || a.y1 > d.page.Max.Y || a.x0 < 0 {
			t.Errorf("%s is outside: %v", a.text, a.rectangle)
		}
		for _, b := range d.names[:i] {
			if a.overlaps(b.rectangle) {
				t.Errorf("%s covers %s", a.text, b.text)
			}
		}
	}
	same := slices.Repeat([]XY{{5, 5}}, 12)
	if d = newDrawing(figure(same...)); len(d.legend) != 12 {
		t.Fatalf("%d entries in the legend", len(d.legend))
	}
	if d.draw(); d.names != nil || len(d.legend) != 12 {
		t.Errorf("%d names, %d entries in the legend", len(d.names), len(d.legend))
	}
}

// The page has room for the longest legend.
func TestLegendFits(t *testing.T) {
	p := Panel{}
	for _, v := range manyVariants(mostVariants) {
		p.Series = append(p.Series, Series{Name: v, Points: []XY{{1, 1}, {2, 2}}})
	}
	d := newDrawing(&Figure{Title: "many", Panels: []Panel{p}})
	d.draw()
	if bottom := d.top - legendLine*mostVariants; bottom < 0 {
		t.Errorf("the legend ends %v below the page", -bottom)
	}
}
