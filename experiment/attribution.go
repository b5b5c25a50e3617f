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

// of are metrics of a part of the clients' requests.
func of(metrics []definition, p parts) []definition {
	out := slices.Clone(metrics)
	for i := range out {
		out[i].parts[byGroup], out[i].parts[byClass] = p[byGroup], p[byClass]
	}
	return out
}

// groupNames are the groups of clients, and the classes of their requests after
// them, in the order of records; none where there is one group without classes.
func groupNames(m *sim.Model) []parts {
	var groups, classes []parts
	for i := range m.Groups {
		g := &m.Groups[i]
		groups = append(groups, parts{byGroup: g.Name})
		for k := range g.Classes {
			classes = append(classes, parts{byGroup: g.Name, byClass: g.Classes[k].Name})
		}
	}
	if len(groups)+len(classes) < 2 {
		return nil
	}
	return append(groups, classes...)
}

// member are the completion times of a group or class, where they are kept.
func (p *pool) member(i int) *sim.Times {
	if i >= len(p.members) {
		return &sim.Times{}
	}
	return &p.members[i].Completion
}

// groupsOf summarises the groups of clients, where there are several.
func (e *Experiment) groupsOf(m *sim.Model, done []replication, ends []ending, p *pool) []Group {
	var out []Group
	for i, name := range groupNames(m) {
		for _, end := range ends {
			var runs []Run
			for _, r := range end.replications {
				runs = append(runs, done[r].groups[i])
			}
			g := Group{Name: name.group(), Outcome: end.name, Estimates: estimates(e.groupMetrics, runs)}
			if len(ends) == 1 {
				section(e.groupMetrics, g.Estimates, runs, func(*definition) *sim.Times { return p.member(i) })
			}
			out = append(out, g)
		}
	}
	return out
}
