package lint

import (
	"slices"

	"retrystorm/scenarios"
	"retrystorm/sim"
	"retrystorm/sim/random"
)

// taken visits the calls among steps with the share of those who make them, and
// whether their failure is ignored.
func taken(steps []sim.Step, share float64, ignored bool, visit func(step *sim.Step, share float64, ignored bool)) {
	for i := range steps {
		s := &steps[i]
		switch left, skip := float64(share*(1-s.Skip)), ignored || s.Optional; {
		case s.Work:
		case len(s.Parallel) > 0:
			taken(s.Parallel, left, skip, visit)
		default:
			visit(s, left, skip)
		}
	}
}

// steps adds up the mean times of steps, of parallel ones that of the last that
// is needed.
func (v *view) steps(steps []sim.Step) float64 {
	total := 0.0
	for i := range steps {
		s, mean := &steps[i], 0.0
		switch {
		case s.Work:
		case len(s.Parallel) > 0:
			var times []float64
			for k := range s.Parallel {
				times = append(times, v.steps(s.Parallel[k:k+1]))
			}
			slices.Sort(times)
			mean = times[min(s.Need, len(times))-1]
		default:
			mean = v.roundTrip(s)
		}
		total += float64((1 - s.Skip) * mean)
	}
	return total
}

// isQueue says whether a place is a queue. A call to one is over when the message
// is stored.
func (v *view) isQueue(place int) bool { return place >= 0 && v.model.Services[place].Backlog != nil }

// deliveries is how often a queue delivers a message that nobody can work on.
func (v *view) deliveries(queue int) Count {
	if n := v.model.Services[queue].Backlog.MaxReceives; n != random.Unlimited {
		return exactly(float64(n))
	}
	return exactly(inf)
}

// classHops adds the calls of the classes of a group that has some, in the
// place of its own.
func (v *view) classHops(h hop, g *sim.Group, written *scenarios.NamedGroup) {
	for i := range g.Classes {
		c, w := &g.Classes[i], &written.Classes[i]
		h.from = g.Name + "/" + c.Name
		h.share, h.cost = c.Share, costOf(g.Cost)*costOf(c.Cost)
		h.path = groupPath(written.Name)
		steps, calls := c.Steps, w.Calls
		if len(calls) == 0 {
			calls = written.Calls
		} else {
			h.path += ".classes." + c.Name
		}
		if steps == nil {
			steps = g.Steps
		}
		h.policies = groupPath(written.Name)
		if w.Policy != nil {
			h.policies += ".classes." + c.Name
		}
		v.addHops(h, steps, calls)
	}
}

func groupPath(name string) string {
	if name == "clients" {
		return name
	}
	return "groups." + name
}

func costOf(x float64) float64 {
	if x == 0 {
		return 1
	}
	return x
}

// again is how often a queue makes a hop for one message when all of them fail;
// 1 for others. Consumers that are slow bring no more load.
func (v *view) again(h *hop, overload bool) Count {
	if !v.isQueue(h.caller) || overload {
		return exactly(1)
	}
	return v.deliveries(h.caller)
}

// made multiplies a hop by how often it is made: for a share of requests, and
// for each delivery of a message.
func (w *worst) made(h *hop, deliveries Count) {
	w.attempts = w.calls.times(deliveries)
	for _, f := range []factor{{hop: h, attempts: exactly(h.share)}, {hop: h, attempts: deliveries}} {
		if f.attempts.N == 1 {
			continue
		}
		if f.attempts.N > 1 {
			f.why = "deliveries of " + h.from
		}
		f.average = f.attempts
		w.calls, w.average = w.calls.times(f.attempts), w.average.times(f.attempts)
		w.factors = append([]factor{f}, w.factors...)
	}
}
