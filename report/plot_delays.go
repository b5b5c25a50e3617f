package report

import (
	"io"
	"slices"
	"strings"
	"time"

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

// title says how long the first wait is, for whom, and when the retries end.
func (d *Delays) title() string {
	if len(d.Rows) == 0 {
		return d.Name + ": there are no waits"
	}
	first := d.Rows[0]
	seconds := func(t time.Duration) string { return Human(t.Seconds(), "s") }
	s := d.Name + ": the first wait is "
	switch {
	case first.Longest == 0:
		s = d.Name + ": the first retry comes at once"
	case first.Min == first.Longest:
		s += seconds(first.Longest) + " for everybody"
	default:
		s += Human(first.Mean/1e9, "s") + " on average, mostly " + seconds(first.P10) + " to " + seconds(first.P90)
	}
	if d.Stops != "" {
		s += "; " + d.Stops
	}
	return s
}

func (d *Delays) subtitle() string {
	s := strings.ReplaceAll(counted(int64(d.Samples), "sequence"), " ", "\u00a0")
	if d.Formula != "" {
		s = d.Formula + " · " + s
	}
	return s
}
