package report

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/vg"
)

// Style is how a variant looks in every picture: colour, dash and marker, so
// that colour is never the only difference.
type Style struct {
	Color  Hue
	Dashes []vg.Length
	Marker Marker
}

// Marker is the shape of a point.
type Marker int

// The markers.
const (
	Circle Marker = iota
	Square
	Triangle
	Diamond
	TriangleDown
	Cross
)

func (m Marker) String() string {
	return [...]string{"circle", "square", "triangle", "diamond", "triangle-down", "cross"}[m]
}

// Styles gives every variant its style. The strategies have theirs for good,
// so that pictures of different experiments can be laid side by side; other
// variants take what is left, in order, and then the same colours with other
// dashes and markers.
func Styles(variants []string) map[string]Style {
	styles, taken := map[string]Style{}, map[Hue]bool{}
	for _, v := range variants {
		if s, ok := strategyStyle(v); ok {
			styles[v] = s
			taken[s.Color] = true
		}
	}
	free := freeStyles()
	next := 0
	for _, v := range variants {
		if _, ok := styles[v]; ok {
			continue
		}
		for k := 0; k < len(free) && taken[free[next%len(free)].Color]; k++ {
			next++
		}
		s := free[next%len(free)]
		if round := next / len(free); round > 0 {
			other := free[(next+round)%len(free)]
			s.Dashes, s.Marker = other.Dashes, other.Marker
		}
		styles[v] = s
		next++
	}
	return styles
}

// Hue is an opaque colour, 0xRRGGBB.
type Hue uint32

// The colours are those of Okabe and Ito and of Paul Tol, which people with
// any kind of colour vision tell apart; yellow is left out, it is invisible on
// a projector.
const (
	black     Hue = 0x222222
	grey      Hue = 0x808080
	silver    Hue = 0xbdbdbd
	blue      Hue = 0x0072b2
	vermilion Hue = 0xd55e00
	green     Hue = 0x009e73
	purple    Hue = 0xcc79a7
	orange    Hue = 0xe69f00
	sky       Hue = 0x56b4e9
	wine      Hue = 0x882255
	indigo    Hue = 0x332288
	olive     Hue = 0x999933
	teal      Hue = 0x44aa99
	brown     Hue = 0x661100
)

// The colours of everything that is not data.
const (
	white     Hue = 0xffffff
	textColor Hue = 0x222222
	softColor Hue = 0x606060
	gridColor Hue = 0xe4e4e4
	shade     Hue = 0xeeeae0
)

// onBlack is a colour of data as it looks on a dark page, where the dark ones
// would not be seen.
func (h Hue) onBlack() Hue {
	switch h {
	case black:
		return 0xe8e8e8
	case grey:
		return 0xa3a3a3
	case blue:
		return 0x4c9be8
	case vermilion:
		return 0xf2793a
	case green:
		return 0x2fbf93
	case wine:
		return 0xd9669b
	case indigo:
		return 0x9485ea
	case olive:
		return 0xbdbd55
	case brown:
		return 0xcf7b5f
	}
	return h
}

func (h Hue) hex() string { return fmt.Sprintf("#%06x", uint32(h)) }

// RGBA makes a Hue a color.Color.
func (h Hue) RGBA() (r, g, b, a uint32) { return h.faint(0xff).RGBA() }

// faint is the colour for areas behind lines.
func (h Hue) faint(alpha uint8) color.NRGBA {
	return color.NRGBA{uint8(h >> 16), uint8(h >> 8), uint8(h), alpha}
}

func strategyStyle(name string) (Style, bool) {
	dashed, dotted := []vg.Length{6, 3}, []vg.Length{1.5, 2}
	mixed := []vg.Length{8, 3, 1.5, 3}
	switch name {
	case "none":
		return Style{black, nil, Square}, true
	case "fixed":
		return Style{grey, dashed, Diamond}, true
	case "linear":
		return Style{sky, mixed, Cross}, true
	case "exponential":
		return Style{vermilion, dashed, Triangle}, true
	case "full-jitter":
		return Style{blue, nil, Circle}, true
	case "equal-jitter":
		return Style{green, mixed, Diamond}, true
	case "decorrelated-jitter":
		return Style{purple, nil, TriangleDown}, true
	case "proportional-jitter":
		return Style{orange, dashed, Square}, true
	case "additive-jitter":
		return Style{wine, dotted, Diamond}, true
	}
	return Style{}, false
}

func freeStyles() []Style {
	dashed, dotted := []vg.Length{6, 3}, []vg.Length{1.5, 2}
	mixed := []vg.Length{8, 3, 1.5, 3}
	return []Style{
		{blue, nil, Circle},
		{vermilion, dashed, Triangle},
		{green, mixed, Diamond},
		{purple, nil, TriangleDown},
		{black, dotted, Square},
		{orange, dashed, Cross},
		{sky, mixed, Circle},
		{indigo, nil, Triangle},
		{olive, dashed, Diamond},
		{wine, dotted, Square},
		{teal, nil, TriangleDown},
		{brown, mixed, Cross},
		{grey, dotted, Circle},
	}
}
