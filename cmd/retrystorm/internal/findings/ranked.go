package findings

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"retrystorm/experiment"
)

// ranked claims that a metric differs by no more than a factor between the
// variants, and lists them in order. It is for scenarios without a sweep.
type ranked struct {
	text, metric string
	factor       float64
}

func (c ranked) sentence() string { return c.text }

func (c ranked) judge(in *inquiry) (verdict, error) {
	k, err := in.metric(c.metric)
	if err != nil {
		return verdict{}, err
	}
	m := in.result.Metrics[k]
	var list []*experiment.Point
	for i := range in.result.Points {
		list = append(list, &in.result.Points[i])
	}
	slices.SortStableFunc(list, func(a, b *experiment.Point) int {
		return cmp.Compare(a.Estimates[k].Centre, b.Estimates[k].Centre)
	})
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.Variant + " " + show(p.Estimates[k], m)
	}
	least, most := list[0].Estimates[k], list[len(list)-1].Estimates[k]
	v := verdict{Word: string(experiment.Undecided), Measured: c.metric + ": " + strings.Join(names, "; ")}
	switch {
	case least.Hi > 0 && most.Lo > c.factor*least.Hi, least.Hi == 0 && most.Lo > 0:
		v.Word = string(experiment.Refuted)
	case most.Hi <= c.factor*least.Lo:
		v.Word = string(experiment.Confirmed)
	}
	if ratio := most.Centre / least.Centre; !math.IsNaN(ratio) && !math.IsInf(ratio, 0) {
		v.Measured += fmt.Sprintf(" (a factor of %.3g)", ratio)
	}
	return v, nil
}
