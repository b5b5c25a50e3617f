package experiment

import (
	"slices"

	"retrystorm/sim"
)

// estimates summarises all metrics of a point. Quantiles are those of the pooled
// times, with intervals by sectioning.
func (e *Experiment) estimates(runs []Run, p *pool) []Estimate {
	out := estimates(e.metrics, runs)
	section(e.metrics, out, runs, func(d *definition) *sim.Times {
		if d.parts == (parts{}) {
			return &p.completion
		}
		i := slices.IndexFunc(e.stores, func(s *definition) bool { return s.parts == d.parts })
		if i < len(p.stores) {
			return &p.stores[i].Completion
		}
		return &sim.Times{}
	})
	return out
}

// section puts the quantiles of pooled times in their place.
func section(metrics []definition, out []Estimate, runs []Run, of func(*definition) *sim.Times) {
	values := make([]float64, len(runs))
	for i := range metrics {
		d := &metrics[i]
		if d.Quantile == 0 {
			continue
		}
		times := of(d)
		if times.Len() == 0 {
			continue
		}
		for r := range runs {
			values[r] = runs[r].Values[i]
		}
		out[i] = Sectioned(quantile(times, times.Len(), d.Quantile), values)
	}
}

// findStores lists the parts whose times have to be pooled by themselves, by one
// metric of each.
func (e *Experiment) findStores() {
	for i := range e.metrics {
		d := &e.metrics[i]
		if d.Quantile == 0 || d.parts == (parts{}) ||
			slices.ContainsFunc(e.stores, func(s *definition) bool { return s.parts == d.parts }) {
			continue
		}
		e.stores = append(e.stores, d)
	}
}

// store adds the times of a replication to the stores of a pool.
func (e *Experiment) store(p *pool, rec *sim.Record, m *sim.Model) {
	if len(e.stores) == 0 {
		return
	}
	addTimes(&p.stores, len(e.stores), func(i int) *sim.Times {
		if v, ok := e.stores[i].view(rec, m); ok {
			return v.completion
		}
		return &sim.Times{}
	})
}
