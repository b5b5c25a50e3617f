package report

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// nameTag is the name of a series where it is written.
type nameTag struct {
	rectangle
	text string
}

// rectangle is a part of a page that is taken.
type rectangle struct{ x0, y0, x1, y1 vg.Length }

func (r rectangle) overlaps(o rectangle) bool {
	return r.x0 < o.x1 && o.x0 < r.x1 && r.y0 < o.y1 && o.y0 < r.y1
}

const (
	tagHeight vg.Length = 12
	markRoom  vg.Length = 6 // half of a marker, with some air
)

// placeNames finds room for the names of the points of a single panel, each beside
// its point; nil when one has none.
func (d *drawing) placeNames() []nameTag {
	if !d.Named || len(d.Panels) != 1 {
		return nil
	}
	f := d.frame(0)
	type dot struct {
		at   vg.Point
		name string
	}
	var dots []dot
	var taken, lines []rectangle
	for _, s := range d.Panels[0].Series {
		for i, p := range d.path(f, s) {
			if q := d.path(f, s)[max(0, i-1)]; !s.Loose {
				lines = append(lines, rectangle{min(p.X, q.X) - 1, min(p.Y, q.Y) - 1, max(p.X, q.X) + 1, max(p.Y, q.Y) + 1})
			}
		}
		for i, p := range append(slices.Clone(s.Points), s.Apart...) {
			if !s.Loose || math.IsNaN(p.Y) {
				continue
			}
			at := d.point(f, p)
			if math.IsInf(p.Y, 1) {
				at.Y -= markRoom // the middle of the arrow
			}
			taken = append(taken, rectangle{at.X - markRoom, at.Y - markRoom, at.X + markRoom, at.Y + markRoom})
			if i == 0 {
				dots = append(dots, dot{at, s.Name})
			}
		}
	}
	var tags []nameTag
	for _, p := range dots {
		w := d.page.widthOf(p.name, letters{size: legendSize})
		bounds := rectangle{f.x0, f.y0, d.page.Max.X - margin/2, f.top + margin/2}
		spot, ok := freeSpot(p.at, w, bounds, append(slices.Clone(taken), lines...))
		if !ok { // a line may pass behind
			spot, ok = freeSpot(p.at, w, bounds, taken)
		}
		if !ok {
			return nil
		}
		taken = append(taken, spot)
		tags = append(tags, nameTag{spot, p.name})
	}
	return tags
}

// freeSpot is the first place beside a point at which a text so wide lies within
// the bounds and covers nothing that is taken.
func freeSpot(at vg.Point, w vg.Length, bounds rectangle, taken []rectangle) (spot rectangle, ok bool) {
	const half = tagHeight / 2
	right, left, middle := at.X+markRoom+2, at.X-markRoom-2-w, at.X-vg.Length(w/2)
	over, under := at.Y+markRoom, at.Y-markRoom-tagHeight
	for _, corner := range []vg.Point{
		{X: right, Y: at.Y - half},
		{X: left, Y: at.Y - half},
		{X: middle, Y: over},
		{X: middle, Y: under},
		{X: right - markRoom, Y: over - 2},
		{X: right - markRoom, Y: under + 2},
		{X: left + markRoom, Y: over - 2},
		{X: left + markRoom, Y: under + 2},
	} {
		spot = rectangle{corner.X, corner.Y, corner.X + w, corner.Y + tagHeight}
		inside := spot.x0 >= bounds.x0 && spot.x1 <= bounds.x1 && spot.y0 >= bounds.y0 && spot.y1 <= bounds.y1
		if inside && !slices.ContainsFunc(taken, spot.overlaps) {
			return spot, true
		}
	}
	return rectangle{}, false
}
