package report

import (
	"io"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
)

// WritePNG draws the waits: the median in two bands, the mean, and the longest.
// The shortest of a sample says little, and on a logarithmic axis takes much.
func (d *Delays) WritePNG(w io.Writer) error { return d.figure().WritePNG(w) }

func (d *Delays) figure() *Figure {
	dotted, dashed := []vg.Length{1.5, 2}, []vg.Length{6, 3}
	median := d.line("median, and 80 % and 98 % of all", Style{blue, nil, Circle}, func(r Delay) float64 { return float64(r.Median) })
	inner, outer := median, median
	inner.Name, inner.Bare, outer.Name, outer.Bare = "", true, "", true
	var ends, ticks []float64
	for i, row := range d.Rows {
		inner.Lo, inner.Hi = append(inner.Lo, row.P10.Seconds()), append(inner.Hi, row.P90.Seconds())
		outer.Lo, outer.Hi = append(outer.Lo, row.P01.Seconds()), append(outer.Hi, row.P99.Seconds())
		ends = append(ends, row.P10.Seconds(), row.Longest.Seconds())
		ticks = append(ticks, float64(i+1))
	}
	longest := d.line("longest", Style{grey, dotted, Square}, func(r Delay) float64 { return float64(r.Longest) })
	mean := d.line("mean", Style{vermilion, dashed, Triangle}, func(r Delay) float64 { return r.Mean })
	longest.Thin, longest.Bare, mean.Thin, mean.Bare = true, true, true, true
	series := []Series{outer, inner, longest, median, mean}
	if d.fixed() {
		series = []Series{median}
	}
	return &Figure{
		Title:    d.title(),
		Subtitle: d.subtitle(),
		X:        Axis{Label: "retry", Fit: true, Ticks: ticks},
		Y:        Axis{Label: "wait before it", Unit: "s", Log: spread(ends)},
		Panels:   []Panel{{Series: series}},
	}
}

// fixed reports whether everybody waits the same.
func (d *Delays) fixed() bool {
	return !slices.ContainsFunc(d.Rows, func(r Delay) bool { return r.Min != r.Longest })
}

func (d *Delays) line(name string, style Style, value func(Delay) float64) Series {
	s := Series{Name: name, Style: style}
	for i, row := range d.Rows {
		s.Points = append(s.Points, XY{float64(i + 1), value(row) / 1e9})
	}
	return s
}

// title says how long one waits in all, and whether everybody does.
func (d *Delays) title() string {
	total := 0.0
	for _, row := range d.Rows {
		total += row.Mean / 1e9
	}
	s := d.Name + ": " + counted(int64(len(d.Rows)), "wait") + ", " + Human(total, "s") + " in all"
	switch {
	case len(d.Rows) == 0:
		return d.Name + ": there are no retries"
	case d.fixed():
		return s + ", the same for everybody"
	default:
		return s + " on average"
	}
}

func (d *Delays) subtitle() string {
	s := strings.ReplaceAll(counted(int64(d.Samples), "sequence"), " ", "\u00a0")
	if d.Formula != "" {
		s = d.Formula + " · " + s
	}
	return s
}
