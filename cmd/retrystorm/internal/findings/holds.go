package findings

import (
	"fmt"

	"retrystorm/experiment"
)

// holds claims that what a scenario's bisection looks for holds for a variant,
// all along the axis. Its verdict is where that ends.
type holds struct{ text, variant string }

func (c holds) sentence() string { return c.text }

func (c holds) judge(in *inquiry) (verdict, error) {
	for i := range in.result.Crossings {
		if x := &in.result.Crossings[i]; x.Variant == c.variant {
			return along(x, points(in.result, c.variant)), nil
		}
	}
	return verdict{}, fmt.Errorf("findings: %s looks for no crossing of %s", in.result.Scenario, c.variant)
}

// along says what became of a search among the values that were tried.
func along(x *experiment.Crossing, at []*experiment.Point) verdict {
	first, last := at[0].Sweep[0], at[len(at)-1].Sweep[0]
	if x.From == "" {
		signs := map[experiment.Ruling]int{experiment.Pass: 1, experiment.Fail: -1}
		v := verdict{
			Word:     string(wordFor([]int{signs[x.Low], signs[x.High]})),
			Measured: fmt.Sprintf("%s at both ends of %s = %s..%s", x.Where, x.Axis, first, last),
		}
		switch v.Word {
		case string(experiment.Refuted):
			v.Measured = "not " + v.Measured
		case string(experiment.Undecided):
			v.Measured = "too noisy: " + v.Measured
		}
		return v
	}
	side, other, until := "up to", "not from", [2]string{x.From, x.To}
	if holdsHigh(x) {
		side, other, until = "from", "not up to", [2]string{x.To, x.From}
	}
	return verdict{
		Word: fmt.Sprintf("%s %s %s about %s", experiment.OnlyWhen, x.Axis, side, until[0]),
		Measured: fmt.Sprintf("%s %s %s, %s %s (95 %%: between %s and %s), looked for in %s..%s",
			x.Where, side, until[0], other, until[1], x.Lo, x.Hi, first, last),
	}
}

// holdsHigh reports that the condition holds at the upper end of the range.
func holdsHigh(x *experiment.Crossing) bool {
	return x.High == experiment.Pass || x.Low == experiment.Fail
}
