package report

import (
	"slices"
	"strings"

	"retrystorm/experiment"
)

// crossings is the section that says where an expectation flips, nil without a
// bisection.
func crossings(r *experiment.Result) *section {
	if len(r.Crossings) == 0 {
		return nil
	}
	several := len(variants(r)) > 1
	s := &section{title: "where " + bisected(r) + " flips along " + r.Crossings[0].Axis}
	for _, c := range r.Crossings[:min(len(r.Crossings), mostRows)] {
		var at []string
		if several {
			at = append(at, c.Variant)
		}
		at = append(at, otherAxes(r, &c)...)
		line := flips(r, &c)
		if len(at) > 0 {
			line = strings.Join(at, ", ") + ": " + line
		}
		s.lines = append(s.lines, line)
	}
	if n := len(r.Crossings) - mostRows; n > 0 {
		s.lines = append(s.lines, counted(int64(n), "more bisection")+" left out")
	}
	return s
}

// bisected is the expectation of a bisection.
func bisected(r *experiment.Result) string {
	if w := r.Crossings[0].Where; w != "" {
		return w
	}
	return "the expectation"
}

// otherAxes are the axes that are not bisected, with their values.
func otherAxes(r *experiment.Result, c *experiment.Crossing) []string {
	axes := slices.DeleteFunc(slices.Clone(r.Axes), func(a string) bool { return a == c.Axis })
	var out []string
	for i, v := range c.Sweep {
		if i < len(axes) {
			out = append(out, axes[i]+" = "+v)
		}
	}
	return out
}

// flips says where the expectation holds.
func flips(r *experiment.Result, c *experiment.Crossing) string {
	line := holding(c)
	if c.From == "" {
		line = atEnds(r, c) + ": no crossing was looked for between them"
	}
	return line + " (" + strings.Join(append(enclosed(c), counted(int64(c.Evaluated), "value")+" tried"), "; ") + ")"
}

// holding is where an expectation that flips holds, as the means see it.
func holding(c *experiment.Crossing) string {
	switch {
	case c.Low == c.High:
		return "flips between " + c.From + " and " + c.To + ", but is " + ruled(c.Low) + " at both ends of the range"
	case c.Low == experiment.Fail || c.High == experiment.Pass:
		return "holds from " + c.To + ", not up to " + c.From
	}
	return "holds up to " + c.From + ", not from " + c.To
}

// atEnds is what is known of an expectation that does not flip from one end of
// the range to the other: it was tried nowhere else.
func atEnds(r *experiment.Result, c *experiment.Crossing) string {
	low, high := ends(r, c)
	switch {
	case c.Low != c.High:
		return "is " + ruled(c.Low) + " at " + low + " and " + ruled(c.High) + " at " + high + ", the ends of the range"
	case c.Low == experiment.Pass:
		return "holds at both ends of the range, " + low + " and " + high
	case c.Low == experiment.Fail:
		return "holds at neither end of the range, " + low + " and " + high
	}
	return "is " + ruled(c.Low) + " at both ends of the range, " + low + " and " + high
}

// ends are the first and the last value that were tried.
func ends(r *experiment.Result, c *experiment.Crossing) (low, high string) {
	axis := slices.Index(r.Axes, c.Axis)
	for i := range r.Points {
		p := &r.Points[i]
		if axis < 0 || p.Variant != c.Variant || !slices.Equal(slices.Delete(slices.Clone(p.Sweep), axis, axis+1), c.Sweep) {
			continue
		}
		if high = p.Sweep[axis]; low == "" {
			low = high
		}
	}
	return low, high
}

// enclosed is the interval of the crossing, if it has one.
func enclosed(c *experiment.Crossing) []string {
	switch {
	case c.Lo != "" && c.Hi != "":
		return []string{"95 %: between " + c.Lo + " and " + c.Hi}
	case c.Lo != "":
		return []string{"95 %: above " + c.Lo}
	case c.Hi != "":
		return []string{"95 %: below " + c.Hi}
	}
	return nil
}

// ruled is a ruling as an adjective.
func ruled(r experiment.Ruling) string {
	switch r {
	case experiment.Pass:
		return "true"
	case experiment.Fail:
		return "false"
	}
	return string(r)
}
