package findings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"retrystorm/experiment"
)

// stretches are the parts of a sweep in which a claim holds.
type stretches struct {
	in    *inquiry
	at    []*experiment.Point
	signs []int // +1: it holds, -1: the opposite is certain
	// holds looks at a result of the variants at one more value.
	holds    func(*experiment.Result) bool
	variants []string
}

// when says for which values of the sweep a claim holds, with the crossings
// found by bisection, to 1 %, where the axis is a whole number of something. Only a point at which the
// opposite is certain ends a stretch; one that is undecided does not. Values
// that are in no order are listed.
func (s *stretches) when() (string, error) {
	axis := s.in.result.Axes[0]
	if !ordered(s.at) {
		return axis + " is " + where(s.at, s.signs, 1), nil
	}
	var parts []string
	for i := 0; i < len(s.signs); i++ {
		if s.signs[i] != 1 {
			continue
		}
		first, last := i, i
		for ; i < len(s.signs) && s.signs[i] != -1; i++ {
			if s.signs[i] == 1 {
				last = i
			}
		}
		from, err := s.edge(first, -1)
		if err != nil {
			return "", err
		}
		to, err := s.edge(last, +1)
		if err != nil {
			return "", err
		}
		switch {
		case from == "":
			parts = append(parts, fmt.Sprintf("%s up to %s", axis, to))
		case to == "":
			parts = append(parts, fmt.Sprintf("%s from %s", axis, from))
		default:
			parts = append(parts, fmt.Sprintf("%s from %s to %s", axis, from, to))
		}
	}
	return strings.Join(parts, ", and "), nil
}

// ordered reports that all values of a sweep begin with a number.
func ordered(at []*experiment.Point) bool {
	return !slices.ContainsFunc(at, func(p *experiment.Point) bool {
		return strings.Trim(p.Sweep[0][:1], "0123456789") != ""
	})
}

// edge is where the claim ceases to hold, going from point i in a direction:
// between it and the next point at which the opposite is certain. It is empty
// when there is none.
func (s *stretches) edge(i, step int) (string, error) {
	j := i + step
	for j >= 0 && j < len(s.signs) && s.signs[j] != -1 {
		j += step
	}
	if j < 0 || j >= len(s.signs) {
		return "", nil
	}
	holds, unit := whole(s.at[i].Sweep[0])
	fails, other := whole(s.at[j].Sweep[0])
	if holds < 0 || fails < 0 || unit != other {
		i, j = min(i, j), max(i, j)
		return fmt.Sprintf("between %s and %s", s.at[i].Sweep[0], s.at[j].Sweep[0]), nil
	}
	for max(holds, fails)-min(holds, fails) > max(1, min(holds, fails)/100) {
		middle := (holds + fails) / 2
		r, err := s.in.rerun(strconv.Itoa(middle)+unit, s.variants...)
		if err != nil {
			return "", err
		}
		if s.holds(r) {
			holds = middle
		} else {
			fails = middle
		}
	}
	return fmt.Sprintf("about %d%s", holds, unit), nil
}

// fewer reports that A seems less than B, as the test of the claim looks at
// it: by the majority of the pairs, or by the mean.
func fewer(c experiment.Comparison) bool {
	if c.Sign {
		return c.Less > c.Greater
	}
	return c.Difference.Centre < 0
}

// whole is a whole number and its unit; -1 when it is none.
func whole(text string) (n int, unit string) {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	n, err := strconv.Atoi(text[:digits])
	if err != nil || strings.HasPrefix(text[digits:], ".") {
		return -1, ""
	}
	return n, text[digits:]
}
