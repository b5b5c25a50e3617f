package findings

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"retrystorm/experiment"
	"retrystorm/report"
)

// less claims that a metric of variant a is less than that of variant b.
type less struct {
	text, metric, a, b string
	quote              string // the sweep value whose numbers are printed
}

func (c less) sentence() string { return c.text }

func (c less) judge(in *inquiry) (verdict, error) {
	return least{c.text, c.metric, c.a, []string{c.b}, c.quote}.judge(in)
}

// least claims that a metric of variant a is less than that of each of its
// rivals; by default those are all others. At a point of the sweep the opposite
// holds when any rival has certainly less.
type least struct {
	text, metric, a string
	rivals          []string
	quote           string // the sweep value whose numbers are printed
}

func (c least) sentence() string { return c.text }

func (c least) judge(in *inquiry) (verdict, error) {
	k, err := in.metric(c.metric)
	if err != nil {
		return verdict{}, err
	}
	if c.rivals == nil {
		c.rivals = slices.DeleteFunc(variants(in.result), func(v string) bool { return v == c.a })
	}
	m := in.result.Metrics[k]
	as := points(in.result, c.a)
	var comparisons []experiment.Comparison
	for i := range as {
		for _, b := range c.rivals {
			comparisons = append(comparisons, experiment.Compare(m, values(as[i], k), values(points(in.result, b)[i], k)))
		}
	}
	f := experiment.Decide(-1, comparisons)
	signs := make([]int, len(as))
	for i := range as {
		signs[i] = slices.Min(f.Signs[i*len(c.rivals) : (i+1)*len(c.rivals)])
	}
	word := wordFor(signs)
	v := verdict{Word: string(word)}
	if v.Measured, err = c.measured(in, k); err != nil {
		return v, err
	}
	if len(as) > 1 {
		v.Measured += "; " + tally(in.result.Axes[0], as, signs)
	}
	switch word {
	case experiment.OnlyWhen:
		s := stretches{in: in, at: as, signs: signs, variants: append([]string{c.a}, c.rivals...), holds: func(r *experiment.Result) bool {
			return !slices.ContainsFunc(c.rivals, func(b string) bool {
				return !fewer(experiment.Compare(m, values(points(r, c.a)[0], k), values(points(r, b)[0], k)))
			})
		}}
		when, err := s.when()
		if err != nil {
			return v, err
		}
		v.Word += " " + when
	case experiment.Undecided:
		if f.Need > 0 {
			v.Measured += fmt.Sprintf("; about %s replications would decide", report.Human(float64(f.Need), ""))
		}
	case experiment.Confirmed, experiment.Refuted:
	}
	return v, nil
}

// wordFor sums up where a claim holds (+1), and where the opposite does (-1).
func wordFor(signs []int) experiment.Verdict {
	holds, opposite := slices.Contains(signs, 1), slices.Contains(signs, -1)
	switch {
	case holds && opposite:
		return experiment.OnlyWhen
	case slices.Contains(signs, 0):
		return experiment.Undecided
	case holds:
		return experiment.Confirmed
	default:
		return experiment.Refuted
	}
}

// measured prints the numbers at the quoted point.
func (c least) measured(in *inquiry, k int) (string, error) {
	m := in.result.Metrics[k]
	pa, err := quoted(in.result, c.a, c.quote)
	if err != nil {
		return "", err
	}
	text := show(pa.Estimates[k], m)
	var others []string
	difference := ""
	for _, b := range c.rivals {
		pb, err := quoted(in.result, b, c.quote)
		if err != nil {
			return "", err
		}
		others = append(others, b+" "+show(pb.Estimates[k], m))
		difference = differenceOf(experiment.Compare(m, values(pa, k), values(pb, k)), m)
	}
	if len(c.rivals) == 1 {
		others[0] = strings.TrimPrefix(others[0], c.rivals[0]+" ")
		return fmt.Sprintf("%s %s against %s%s%s", c.metric, text, others[0], place(in, c.quote), difference), nil
	}
	return fmt.Sprintf("%s %s %s against %s%s", c.metric, c.a, text, strings.Join(others, ", "), place(in, c.quote)), nil
}

// differenceOf prints a paired difference with its interval, or the signs of the
// pairs where values can be infinite.
func differenceOf(c experiment.Comparison, m experiment.Metric) string {
	if c.Sign || math.IsNaN(c.Difference.Centre) {
		return fmt.Sprintf(" (less in %d of %d pairs, more in %d)", c.Less, c.Pairs, c.Greater)
	}
	return " (difference " + show(c.Difference, m) + ")"
}

// tally says at which values of the sweep a claim holds.
func tally(axis string, at []*experiment.Point, signs []int) string {
	var parts []string
	for _, p := range []struct {
		sign int
		what string
	}{{1, "holds"}, {-1, "the opposite holds"}, {0, "undecided"}} {
		if w := where(at, signs, p.sign); w != "" {
			parts = append(parts, p.what+" at "+w)
		}
	}
	return axis + ": " + strings.Join(parts, "; ")
}

// where names the values of the sweep with a sign, neighbours as a range.
func where(at []*experiment.Point, signs []int, sign int) string {
	var runs []string
	for i := 0; i < len(signs); i++ {
		if signs[i] != sign {
			continue
		}
		j := i
		for j+1 < len(signs) && signs[j+1] == sign {
			j++
		}
		run := at[i].Sweep[0]
		if j > i {
			run += " to " + at[j].Sweep[0]
		}
		runs = append(runs, run)
		i = j
	}
	return strings.Join(runs, ", ")
}

// variants are those of a result, in its order.
func variants(r *experiment.Result) []string {
	var list []string
	for _, p := range r.Points {
		if !slices.Contains(list, p.Variant) {
			list = append(list, p.Variant)
		}
	}
	return list
}
