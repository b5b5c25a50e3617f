package findings

import (
	"fmt"
	"strconv"
	"strings"

	"retrystorm/experiment"
)

// when says for which values of the sweep a claim holds, with the crossings
// found by bisection, to 1 %, where the axis is a whole number of something. Only a point at which the
// opposite is certain ends a stretch; one that is undecided does not.
func (c less) when(in *inquiry, metric int, at []*experiment.Point, signs []int) (string, error) {
	axis := in.result.Axes[0]
	var parts []string
	for i := 0; i < len(signs); i++ {
		if signs[i] != 1 {
			continue
		}
		first, last := i, i
		for ; i < len(signs) && signs[i] != -1; i++ {
			if signs[i] == 1 {
				last = i
			}
		}
		from, err := c.edge(in, metric, at, signs, first, -1)
		if err != nil {
			return "", err
		}
		to, err := c.edge(in, metric, at, signs, last, +1)
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

// edge is where the claim ceases to hold, going from point i in a direction:
// between it and the next point at which the opposite is certain. It is empty
// when there is none.
func (c less) edge(in *inquiry, metric int, at []*experiment.Point, signs []int, i, step int) (string, error) {
	j := i + step
	for j >= 0 && j < len(signs) && signs[j] != -1 {
		j += step
	}
	if j < 0 || j >= len(signs) {
		return "", nil
	}
	holds, unit := whole(at[i].Sweep[0])
	fails, other := whole(at[j].Sweep[0])
	if holds < 0 || fails < 0 || unit != other {
		i, j = min(i, j), max(i, j)
		return fmt.Sprintf("between %s and %s", at[i].Sweep[0], at[j].Sweep[0]), nil
	}
	for max(holds, fails)-min(holds, fails) > max(1, min(holds, fails)/100) {
		middle := (holds + fails) / 2
		r, err := in.rerun(strconv.Itoa(middle)+unit, c.a, c.b)
		if err != nil {
			return "", err
		}
		a, b := points(r, c.a)[0], points(r, c.b)[0]
		if fewer(experiment.Compare(r.Metrics[metric], values(a, metric), values(b, metric))) {
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
