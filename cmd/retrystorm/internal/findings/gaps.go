package findings

import (
	"fmt"

	"retrystorm/experiment"
)

// gaps claims that variant a spends less time in gaps than variant b: rows of
// the timeline, before the last call, with less than a tenth of the mean rate.
type gaps struct{ text, a, b string }

func (c gaps) sentence() string { return c.text }

func (c gaps) judge(in *inquiry) (verdict, error) {
	a, b := gapShare(in.result, c.a), gapShare(in.result, c.b)
	v := verdict{
		Word: string(experiment.Refuted),
		Measured: fmt.Sprintf("%.1f %% against %.1f %% of the time until the last call with less than a tenth of the mean rate",
			100*a, 100*b),
	}
	if a < b {
		v.Word = string(experiment.Confirmed)
	}
	return v, nil
}

func gapShare(r *experiment.Result, variant string) float64 {
	var arrivals []int64
	total, last := int64(0), 0
	for _, t := range points(r, variant)[0].Timelines {
		if t.Service != r.Target {
			continue
		}
		for i, row := range t.Rows {
			arrivals = append(arrivals, row.Arrivals)
			total += row.Arrivals
			if row.Arrivals > 0 {
				last = i
			}
		}
	}
	quiet := 0
	for _, n := range arrivals[:last] {
		if 10*n*int64(last) < total {
			quiet++
		}
	}
	return float64(quiet) / float64(max(last, 1))
}
