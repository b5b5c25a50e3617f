package experiment

import (
	"slices"

	"retrystorm/sim"
	"retrystorm/strategies"
)

// attribute counts, hop by hop, why calls were made and why others were not.
func attribute(done []replication, ends []ending) []Attribution {
	var out []Attribution
	if len(done) == 0 {
		return nil
	}
	for _, end := range ends {
		values := make([]float64, len(end.replications))
		for i := range done[0].hops {
			a := Attribution{Outcome: end.name, Edge: edge(&done[0].hops[i])}
			add := func(what string, of func(*sim.HopRecord) int64) {
				for k, r := range end.replications {
					values[k] = float64(of(&done[r].hops[i]))
				}
				if slices.Max(values) > 0 {
					a.What, a.Estimate = what, Mean(values)
					out = append(out, a)
				}
			}
			for c := range sim.Causes {
				add(c.String(), func(h *sim.HopRecord) int64 { return h.Causes[c] })
			}
			a.Withheld = true
			for g := strategies.Retry + 1; g < strategies.GiveUps; g++ {
				add(g.String(), func(h *sim.HopRecord) int64 { return h.Withheld[g] })
			}
		}
	}
	return out
}

// ofGroups are the metrics that groups have: what became of their requests.
func ofGroups(metrics []definition) []definition {
	return slices.DeleteFunc(metrics, func(d definition) bool { return d.per[byGroup] != ofAll })
}

// of are metrics of a group.
func of(metrics []definition, group string) []definition {
	out := slices.Clone(metrics)
	for i := range out {
		out[i].parts[byGroup] = group
	}
	return out
}

// groupsOf summarises the groups of clients, where there are several.
func (e *Experiment) groupsOf(m *sim.Model, done []replication, ends []ending, p *pool) []Group {
	if len(m.Groups) < 2 {
		return nil
	}
	var out []Group
	for i := range m.Groups {
		for _, end := range ends {
			var runs []Run
			for _, r := range end.replications {
				runs = append(runs, done[r].groups[i])
			}
			g := Group{Name: m.Groups[i].Name, Outcome: end.name, Estimates: estimates(e.groupMetrics, runs)}
			if len(ends) == 1 {
				section(e.groupMetrics, g.Estimates, runs, func(*definition) *sim.Times { return &p.members[i].Completion })
			}
			out = append(out, g)
		}
	}
	return out
}
