package experiment

import (
	"slices"

	"retrystorm/sim"
)

// estimates summarises all metrics of a point.
func (e *Experiment) estimates(m *sim.Model, runs []Run, p *pool) []Estimate {
	out := estimates(e.metrics, runs)
	section(e.metrics, out, runs, &p.completion)
	for i := range m.Groups {
		if len(p.members) > 0 {
			section(ofOne(e.metrics, m.Groups[i].Name), out, runs, &p.members[i].Completion)
		}
	}
	return out
}

// section puts quantiles of the pooled times in the place of means of
// quantiles, with intervals by sectioning. It looks at metrics of all requests;
// what is of a part, or of a window of time, is summarised by medians.
func section(metrics []definition, out []Estimate, runs []Run, times *sim.Times) {
	if times.Len() == 0 {
		return
	}
	values := make([]float64, len(runs))
	for i := range metrics {
		d := &metrics[i]
		if d.Quantile == 0 || d.parts != (parts{}) {
			continue
		}
		for r := range runs {
			values[r] = runs[r].Values[i]
		}
		out[i] = Sectioned(quantile(times, times.Len(), d.Quantile), values)
	}
}

// ofOne are the metrics with those of a group in the place of those of all,
// and none where there is no such.
func ofOne(metrics []definition, group string) []definition {
	out := slices.Clone(metrics)
	for i := range out {
		if out[i].parts == (parts{byGroup: group}) {
			out[i].parts = parts{}
		} else {
			out[i].Quantile = 0
		}
	}
	return out
}
