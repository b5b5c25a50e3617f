package findings

import (
	"fmt"

	"retrystorm/experiment"
)

// gaps claims that variant b spends much of its time in gaps, and variant a
// hardly any: rows of the timeline without a call in any replication. The last
// calls are left out, as they are rare whatever the strategy.
type gaps struct{ text, a, b string }

// most is the share of the calls that gaps looks at, in percent, and a tenth
// of the other's gaps is hardly any.
const (
	most      = 99
	hardlyAny = 10
)

func (c gaps) sentence() string { return c.text }

func (c gaps) judge(in *inquiry) (verdict, error) {
	a, b := gapShare(in.result, c.a), gapShare(in.result, c.b)
	v := verdict{
		Word: string(experiment.Undecided),
		Measured: fmt.Sprintf("while the first %d %% of the calls come, %.1f %% of the time of %s and %.1f %% of that of %s is without a call in any replication",
			most, 100*a, c.a, 100*b, c.b),
	}
	switch {
	case a >= b:
		v.Word = string(experiment.Refuted)
	case hardlyAny*a <= b:
		v.Word = string(experiment.Confirmed)
	}
	return v, nil
}

func gapShare(r *experiment.Result, variant string) float64 {
	var arrivals []int64
	total := int64(0)
	for _, t := range points(r, variant)[0].Timelines {
		if t.Service != r.Target {
			continue
		}
		for _, row := range t.Rows {
			arrivals = append(arrivals, row.Arrivals)
			total += row.Arrivals
		}
	}
	rows, empty, calls := 0, 0, int64(0)
	for _, n := range arrivals {
		if 100*calls >= most*total {
			break
		}
		rows++
		calls += n
		if n == 0 {
			empty++
		}
	}
	return float64(empty) / float64(max(rows, 1))
}
