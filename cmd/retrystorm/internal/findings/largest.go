package findings

import (
	"fmt"
	"slices"
	"strings"

	"retrystorm/experiment"
)

// largest claims that a metric of a variant is more than each of its rivals, other
// metrics of the same runs.
type largest struct {
	text, metric string
	rivals       []string
	variant      string
}

func (c largest) sentence() string { return c.text }

func (c largest) judge(in *inquiry) (verdict, error) {
	k, err := in.metric(c.metric)
	if err != nil {
		return verdict{}, err
	}
	p, err := quoted(in.result, c.variant, "")
	if err != nil {
		return verdict{}, err
	}
	m := in.result.Metrics[k]
	var comparisons []experiment.Comparison
	var others []string
	for _, name := range c.rivals {
		r, err := in.metric(name)
		if err != nil {
			return verdict{}, err
		}
		comparisons = append(comparisons, experiment.Compare(m, values(p, r), values(p, k)))
		others = append(others, name+" "+show(p.Estimates[r], in.result.Metrics[r]))
	}
	f := experiment.Decide(-1, comparisons)
	return verdict{
		Word:     string(wordFor([]int{slices.Min(f.Signs)})),
		Measured: fmt.Sprintf("%s %s against %s", c.metric, show(p.Estimates[k], m), strings.Join(others, ", ")),
	}, nil
}
