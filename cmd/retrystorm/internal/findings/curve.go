package findings

import (
	"fmt"
	"math"

	"retrystorm/experiment"
	"retrystorm/report"
)

// curve claims a number at each point of the sweep.
type curve struct {
	text, metric, variant string
	want                  []float64
	within                float64 // as of a value
}

func (c curve) sentence() string { return c.text }

func (c curve) judge(in *inquiry) (verdict, error) {
	k, err := in.metric(c.metric)
	if err != nil {
		return verdict{}, err
	}
	at := points(in.result, c.variant)
	if len(at) != len(c.want) {
		return verdict{}, fmt.Errorf("findings: %d numbers are claimed of %s, which has %d points", len(c.want), c.variant, len(at))
	}
	signs := make([]int, len(at))
	worst := 0
	off := func(i int) float64 { return at[i].Estimates[k].Centre/c.want[i] - 1 }
	for i := range at {
		signs[i] = fits(at[i].Estimates[k], c.want[i], c.within)
		if math.Abs(off(i)) > math.Abs(off(worst)) {
			worst = i
		}
	}
	m, last := in.result.Metrics[k], len(at)-1
	v := verdict{Word: string(wordFor(signs))}
	if v.Word == string(experiment.OnlyWhen) {
		v.Word += fmt.Sprintf(" %s is %s", in.result.Axes[0], where(at, signs, 1))
	}
	v.Measured = fmt.Sprintf("%s %s%s, claimed %s, up to %s%s, claimed %s; at most %.1f %% off",
		c.metric, show(at[0].Estimates[k], m), place(in, at[0].Sweep[0]), report.Human(c.want[0], m.Unit),
		show(at[last].Estimates[k], m), place(in, at[last].Sweep[0]), report.Human(c.want[last], m.Unit), 100*math.Abs(off(worst)))
	if c.within > 0 {
		v.Measured += fmt.Sprintf(", within %g %%", 100*c.within)
	}
	return v, nil
}
