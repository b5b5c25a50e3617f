package findings

import (
	"fmt"
	"slices"

	"retrystorm/experiment"
	"retrystorm/report"
)

// flips claims where the condition of a bisection flips.
type flips struct {
	text, variant string
	sweep         []string // of the other axes
	want          string   // as in the scenario: 7.14%
	// within is the share of the number that the interval of the crossing may
	// miss it by.
	within float64
}

func (c flips) sentence() string { return c.text }

func (c flips) judge(in *inquiry) (verdict, error) {
	x, err := crossing(in.result, c.variant, c.sweep)
	if err != nil {
		return verdict{}, err
	}
	v := verdict{
		Word:     string(experiment.Refuted),
		Measured: fmt.Sprintf("%s, claimed %s, within %g %%", found(x), c.want, 100*c.within),
	}
	if x.From == "" {
		return v, nil
	}
	var at [3]float64
	for i, text := range []string{x.Lo, c.want, x.Hi} {
		ok := false
		if at[i], _, ok = report.Quantity(text); !ok {
			return v, fmt.Errorf("findings: %s is no quantity", text)
		}
	}
	lo, want, hi := at[0], at[1], at[2]
	slack := float64(c.within * want)
	switch {
	case lo >= want-slack && hi <= want+slack:
		v.Word = string(experiment.Confirmed)
	case lo <= want+slack && hi >= want-slack:
		v.Word = string(experiment.Undecided)
	}
	return v, nil
}

// prevents claims that the condition of a bisection never holds. It says up to
// which value of the axis that is so.
type prevents struct {
	text, variant string
	sweep         []string
}

func (c prevents) sentence() string { return c.text }

func (c prevents) judge(in *inquiry) (verdict, error) {
	x, err := crossing(in.result, c.variant, c.sweep)
	if err != nil {
		return verdict{}, err
	}
	v := verdict{Word: string(experiment.Undecided), Measured: found(x)}
	switch {
	case x.Low == experiment.Fail && x.High == experiment.Fail:
		v.Word = string(experiment.Confirmed)
	case x.Low == experiment.Pass && x.High == experiment.Pass:
		v.Word = string(experiment.Refuted)
	case x.Low == experiment.Fail && x.High == experiment.Pass:
		v.Word = fmt.Sprintf("%s %s up to about %s", experiment.OnlyWhen, x.Axis, x.From)
	case x.Low == experiment.Pass && x.High == experiment.Fail:
		v.Word = fmt.Sprintf("%s %s from about %s", experiment.OnlyWhen, x.Axis, x.To)
	}
	return v, nil
}

// crossing is what a bisection found for a variant.
func crossing(r *experiment.Result, variant string, sweep []string) (*experiment.Crossing, error) {
	for i := range r.Crossings {
		if x := &r.Crossings[i]; x.Variant == variant && slices.Equal(x.Sweep, sweep) {
			return x, nil
		}
	}
	return nil, fmt.Errorf("findings: no crossing of %s %v in %s", variant, sweep, r.Scenario)
}

// found says where a condition flips, or that it does not.
func found(x *experiment.Crossing) string {
	if x.From == "" {
		return fmt.Sprintf("%s: %s at both ends of %s", x.Where, x.Low, x.Axis)
	}
	return fmt.Sprintf("%s flips at %s %s to %s [%s, %s]", x.Where, x.Axis, x.From, x.To, x.Lo, x.Hi)
}
