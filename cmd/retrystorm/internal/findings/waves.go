package findings

import (
	"fmt"
	"strings"
	"time"

	"retrystorm/experiment"
)

// waves claims that the retries come at these times and at no others: in the
// rows of the timeline that begin with them.
type waves struct {
	text, variant string
	at            []time.Duration
}

// Nearly all retries confirm waves; when most come at other times, they are
// refuted.
const (
	nearlyAll = 0.99
	halfOf    = 0.5
)

func (c waves) sentence() string { return c.text }

func (c waves) judge(in *inquiry) (verdict, error) {
	p, err := quoted(in.result, c.variant, "")
	if err != nil {
		return verdict{}, err
	}
	retries, inside := int64(0), int64(0)
	row := time.Duration(0)
	for _, t := range p.Timelines {
		if t.Service != in.result.Target {
			continue
		}
		row = t.Row
		for i, r := range t.Rows {
			retries += r.Retries
			for _, at := range c.at {
				if at/row == time.Duration(i) {
					inside += r.Retries
				}
			}
		}
	}
	share := float64(inside) / float64(max(retries, 1))
	v := verdict{Word: string(experiment.Undecided)}
	switch {
	case share >= nearlyAll:
		v.Word = string(experiment.Confirmed)
	case share < halfOf:
		v.Word = string(experiment.Refuted)
	}
	times := make([]string, len(c.at))
	for i, at := range c.at {
		times[i] = fmt.Sprintf("%g", at.Seconds())
	}
	v.Measured = fmt.Sprintf("%.3g %% of the retries come in the %v after %s s", 100*share, row, strings.Join(times, ", "))
	return v, nil
}
