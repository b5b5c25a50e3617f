package sim_test

import (
	"cmp"
	"math"
	"slices"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"

	"pgregory.net/rapid"
)

// Replicas in the naive model: each is a site of its own, with the faults that
// are its own written out, and the books of the service are those of all its
// sites put together.

// replicate gives a site the others like it.
func (n *naive) replicate(s *site, spec server.Spec) {
	s.replicas = []*site{s}
	for k := int64(1); k < spec.Replicas; k++ {
		o := &site{
			name: s.name, index: s.index, replica: k, spec: spec, drop: s.drop, async: s.async, before: s.before, layers: s.layers,
			versions: map[uint64]uint32{}, locks: map[uint64][]*attempt{},
			admitted: map[uint64][]time.Duration{}, tokens: map[uint64]*level{},
			unanswered: map[*attempt]bool{},
		}
		s.replicas = append(s.replicas, o)
	}
	for _, o := range s.replicas {
		o.spec.Faults, o.numbers = nil, nil
		for i, f := range spec.Faults {
			if f.Replicas != nil && o.replica >= *f.Replicas {
				continue
			}
			for at := f.At; at < n.m.Until; at += f.Every {
				once := f
				once.At, once.Every = at, 0
				o.spec.Faults, o.numbers = append(o.spec.Faults, once), append(o.numbers, uint64(i))
				if f.Every == 0 {
					break
				}
			}
		}
		if beyondNaive(&spec) {
			o.station = server.NewReplica(spec, o.replica, n.m.Until)
			n.nextChange(o)
		} else {
			for _, at := range o.edges() {
				n.changeAt(o, at)
			}
		}
		set(&o.usableLog, 0, max(0, o.usable(-1)))
		set(&o.inLog, 0, 0)
		set(&o.waitLog, 0, 0)
	}
}

// choose says which replica a call goes to.
func (n *naive) choose(s *site, a *attempt) *site {
	inside := func(o *site) int { return len(o.inside) + len(o.queue) + len(o.parked) }
	open := slices.Clone(s.replicas)
	if len(open) > 1 {
		open = slices.DeleteFunc(open, func(o *site) bool { return o == a.avoid })
	}
	draw := func(index uint64, from []*site) *site {
		return from[random.Uniform(a.key.Draw(random.Replica, index), uint64(len(from)))]
	}
	switch s.spec.Balance {
	case "round-robin":
		for s.replicas[s.turn] == a.avoid && len(s.replicas) > 1 {
			s.turn = (s.turn + 1) % len(s.replicas)
		}
		a.at = s.replicas[s.turn]
		s.turn = (s.turn + 1) % len(s.replicas)
	case "least":
		least := inside(slices.MinFunc(open, func(a, b *site) int { return cmp.Compare(inside(a), inside(b)) }))
		a.at = draw(0, slices.DeleteFunc(open, func(o *site) bool { return inside(o) > least }))
	case "two-choices":
		a.at = draw(0, open)
		if open = slices.DeleteFunc(open, func(o *site) bool { return o == a.at }); len(open) > 0 {
			if b := draw(1, open); inside(b) < inside(a.at) {
				a.at = b
			}
		}
	default:
		a.at = draw(0, open)
	}
	return a.at
}

// tried is the replica that an attempt got to, through its layers.
func (a *attempt) tried() *site {
	if a.run == nil {
		return a.at
	}
	if len(a.run.flight) > 0 {
		return a.run.flight[0].tried()
	}
	return a.run.failedAt
}

// avoids is where a caller's next copy must not go.
func (c *caller) avoids() *site {
	if c.number > 1 && c.layer().policy.AvoidFailed {
		return c.failedAt
	}
	return c.avoid
}

// gather puts the logs of all replicas together.
func (s *site) gather() {
	for _, o := range s.replicas[1:] {
		s.arrivals, s.answers = append(s.arrivals, o.arrivals...), append(s.answers, o.answers...)
		s.usableLog, s.inLog, s.waitLog = plus(s.usableLog, o.usableLog), plus(s.inLog, o.inLog), plus(s.waitLog, o.waitLog)
		s.callLog = plus(s.callLog, o.callLog)
		for a := range o.unanswered {
			s.unanswered[a] = true
		}
		a, b := &s.rec, &o.rec
		a.Calls += b.Calls
		a.Retries += b.Retries
		for i, n := range b.Causes {
			a.Causes[i] += n
		}
		a.Succeeded += b.Succeeded
		a.Refused += b.Refused
		a.Reset += b.Reset
		a.Silent += b.Silent
		a.Status += b.Status
		a.Crashes += b.Crashes
		a.Expired += b.Expired
		a.Busy.Merge(b.Busy)
		a.Wasted.Merge(b.Wasted)
	}
}

// plus is the sum of two levels over time.
func plus(a, b []level) (sum []level) {
	var steps []level
	for _, log := range [][]level{a, b} {
		last := int64(0)
		for _, l := range log {
			steps = append(steps, level{l.at, l.n - last})
			last = l.n
		}
	}
	slices.SortStableFunc(steps, func(a, b level) int { return cmp.Compare(a.at, b.at) })
	n := int64(0)
	for _, l := range steps {
		n += l.n
		sum = append(sum, level{l.at, n})
	}
	return sum
}

// act schedules all steps of an action.
func (n *naive) act(i int) {
	a := n.m.Actions[i]
	n.rec.Actions = append(n.rec.Actions, sim.ActionRecord{Name: a.Name, EndedAt: sim.Never})
	first := n.sites[a.Place]
	at := func(t time.Duration, do func()) { n.at(t, onAct, uint32(i), 0, do) }
	at(a.At, func() {
		from, steps := first.spec.Workers, int64(1000)
		admit := 1.0
		if p := first.spec.Admit; p != nil {
			admit = *p
		}
		if a.Set == sim.SetWorkers {
			steps = min(steps, int64(math.Abs(a.Value-float64(from))))
			if a.Value < 0 || from < 0 {
				steps = 1
			}
		}
		steps = max(1, min(steps, int64(a.Over)))
		step := func(k int64) {
			value := admit + float64((a.Value-admit)*float64(k))/float64(steps)
			workers := (from*steps + (int64(a.Value)-from)*k) / steps // rounded down
			if k == steps {
				value, workers = a.Value, int64(a.Value)
				n.rec.Actions[i].EndedAt = n.now
			}
			for _, o := range first.replicas {
				if a.Set == sim.SetAdmit {
					n.admit(o, value)
				} else {
					n.staff(o, workers)
				}
			}
		}
		if a.Over == 0 {
			step(steps)
			return
		}
		for k := range steps {
			after := (int64(a.Over)*(k+1) + steps - 1) / steps
			at(a.At+time.Duration(after), func() { step(k + 1) })
		}
	})
}

func (n *naive) admit(s *site, share float64) {
	s.spec.Admit = &share
	if s.station != nil {
		s.station.SetAdmit(n.now, share)
	}
}

func (n *naive) staff(s *site, workers int64) {
	s.spec.Workers = workers
	if s.station != nil {
		s.station.SetWorkers(n.now, workers)
		n.nextChange(s)
	} else {
		edges := s.edges()
		if s.crashed {
			edges = append(edges, s.crashEdges()...)
		}
		for _, at := range edges {
			if at > n.now {
				n.changeAt(s, at)
			}
		}
	}
	n.next(s)
	set(&s.usableLog, n.now, max(0, s.usable(n.now)))
}

// replicas draws several of a service, and what may be said of some of them.
func (d *drawing) replicas(v *server.Spec) {
	t := d.T
	if v.Contention == nil && often(t, "replicated", 2) {
		v.Replicas = rapid.Int64Range(1, 4).Draw(t, "replicas")
		v.Balance = pick(t, "balance", "random", "round-robin", "least", "two-choices")
	}
	if often(t, "admits", 4) {
		v.Admit = new(pick(t, "admit", 0.5, 0, 0.9, 1))
	}
	if often(t, "in flight", 5) {
		v.InFlight = rapid.Int64Range(1, 6).Draw(t, "most in flight")
	}
	for i := range v.Faults {
		f := &v.Faults[i]
		if often(t, "some replicas", 2) {
			f.Replicas = new(rapid.Int64Range(1, max(1, v.Replicas)).Draw(t, "fault replicas"))
		}
		if f.For > 0 && often(t, "repeats", 3) {
			f.Every = f.For + f.Ramp + pick(t, "fault every", ms, 40*ms, 300*ms)
		}
	}
}

// actions draws what is set in the middle of a run.
func (d *drawing) actions(m *sim.Model) {
	t := d.T
	for range pick(t, "actions", 0, 0, 0, 1, 2) {
		a := sim.Action{
			Name: "set", Kind: sim.Set, Place: rapid.IntRange(0, len(m.Services)-1).Draw(t, "place"),
			At: pick(t, "act at", 0, 50*ms, 100*ms, s), Over: pick(t, "act over", 0, 0, 7, 30*ms, 500*ms),
		}
		if rapid.Bool().Draw(t, "set admit") {
			a.Set, a.Value = sim.SetAdmit, pick(t, "admit value", 0, 0.4, 1)
		} else {
			a.Set, a.Value = sim.SetWorkers, pick(t, "workers value", 1, 2, 7, 40, float64(server.Unlimited))
		}
		m.Actions = append(m.Actions, a)
	}
}
