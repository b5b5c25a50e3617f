package experiment

import (
	"cmp"
	"math"
	"slices"

	"retrystorm/sim"
	"retrystorm/strategies"
)

// counted is how often something happened in one place in a replication; what
// it is stays a number until it is summarised.
type counted struct {
	Place, What, Why int
	N                int64
}

func (c *counted) compare(o counted) int {
	return cmp.Or(cmp.Compare(c.Place, o.Place), cmp.Compare(c.What, o.What), cmp.Compare(c.Why, o.Why))
}

// duplicated are the duplicates of a replication, by service and cause.
func duplicated(rec *sim.Record) []counted {
	var out []counted
	for i := range rec.Services {
		for c, n := range rec.Services[i].Effects.Duplicates {
			if n > 0 {
				out = append(out, counted{Place: i, What: c, N: n})
			}
		}
	}
	return out
}

// died are the dead letters of a replication, by queue, outcome and why it was
// the last.
func died(rec *sim.Record) []counted {
	var out []counted
	for i := range rec.Queues {
		for _, r := range rec.Queues[i].Reasons {
			if r.Count > 0 {
				out = append(out, counted{i, int(r.Outcome), int(r.Why), r.Count})
			}
		}
	}
	return out
}

// tallies summarises counts of replications, ending by ending, in the order of
// places; what never happened is left out.
func tallies(done []replication, ends []ending, of func(*replication) []counted, name func(counted) Tally) []Tally {
	var out []Tally
	for _, end := range ends {
		var all []counted
		for _, r := range end.replications {
			all = append(all, of(&done[r])...)
		}
		slices.SortFunc(all, func(a, b counted) int { return a.compare(b) })
		all = slices.CompactFunc(all, func(a, b counted) bool { return a.compare(b) == 0 })
		for _, c := range all {
			values := make([]float64, len(end.replications))
			for k, r := range end.replications {
				for _, o := range of(&done[r]) {
					if c.compare(o) == 0 {
						values[k] += float64(o.N)
					}
				}
			}
			t := name(c)
			t.Outcome, t.Estimate = end.name, Mean(values)
			out = append(out, t)
		}
	}
	return out
}

func duplicateTallies(m *sim.Model, done []replication, ends []ending) []Tally {
	return tallies(done, ends, func(r *replication) []counted { return r.duplicates }, func(c counted) Tally {
		return Tally{Place: m.Services[c.Place].Name, What: sim.Cause(c.What).String()}
	})
}

func deadTallies(m *sim.Model, done []replication, ends []ending) []Tally {
	queues := queueNames(m)
	return tallies(done, ends, func(r *replication) []counted { return r.died }, func(c counted) Tally {
		return Tally{Place: queues[c.Place], What: strategies.Outcome(c.What).String(), Why: strategies.GiveUp(c.Why).String()}
	})
}

// queueNames are the queues of a model, in the order of its records.
func queueNames(m *sim.Model) []string {
	var out []string
	for i := range m.Services {
		if m.Services[i].Backlog != nil {
			out = append(out, m.Services[i].Name)
		}
	}
	return out
}

// mostDead is how many dead letters of a point are kept: enough to look at, and
// few enough for a sweep.
const mostDead = 1000

// deadOf are the first dead letters of a replication that was asked for them,
// and how many more there were.
func deadOf(rec *sim.Record) (list []DeadLetter, more int64) {
	for i := range rec.Dead {
		d := &rec.Dead[i]
		if len(list) == mostDead {
			return list, int64(len(rec.Dead) - mostDead)
		}
		list = append(list, DeadLetter{
			Queue: d.Queue, From: d.From, Group: d.Group, Client: d.Client, Request: d.Request, To: d.To,
			Reason: d.Outcome.String(), GaveUp: d.Why.String(), Attempts: d.Attempts,
			Started: d.Started, First: d.First, Last: d.Last, Trace: d.Trace, Payload: d.Payload,
		})
	}
	return list, 0
}

// ofQueues are the metrics that every queue has.
func ofQueues(f features) []definition {
	return slices.DeleteFunc(featured(f), func(d definition) bool { return !d.queued })
}

// ofQueue are metrics of a queue.
func ofQueue(metrics []definition, queue string) []definition {
	out := slices.Clone(metrics)
	for i := range out {
		out[i].parts[byService] = queue
	}
	return out
}

// queuesOf summarises the queues, if there are any.
func (e *Experiment) queuesOf(m *sim.Model, done []replication, ends []ending) []Group {
	var out []Group
	for i, name := range queueNames(m) {
		for _, end := range ends {
			var runs []Run
			for _, r := range end.replications {
				runs = append(runs, done[r].queues[i])
			}
			out = append(out, Group{Name: name, Outcome: end.name, Estimates: estimates(e.queueMetrics, runs)})
		}
	}
	return out
}

// blocked is the share of the time in which all workers of a service waited for
// others, over all replications.
func (p *pool) blocked(service int) float64 {
	if service < 0 || service >= len(p.waits) || p.watched <= 0 {
		return math.NaN()
	}
	return float64(p.waits[service]) / float64(p.watched)
}
