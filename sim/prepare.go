package sim

import (
	"fmt"
	"math"
	"time"

	"retrystorm/server"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// hop is a Step, compiled.
type hop struct {
	rules strategies.Rules
	net   random.Sampler
	to    int32
	still bool // the network takes no time
	last  bool // no step after this one
}

// place is a Service, compiled, in the state of the run.
type place struct {
	station    *server.Station
	rows       *server.Rows
	service    random.Sampler
	rowCount   uint64
	optimistic bool          // reads before it writes
	lock       bool          // waits for the row
	first, end int           // its steps are hops[first:end]
	scheduled  time.Duration // when its pending change event pops; -1: there is none
	in, out    int64         // calls that reached it, calls it is done with
}

// group is a Group, compiled, in the state of the run.
type group struct {
	process random.Process
	arrival random.Kind
	key     random.Key // of the group's own draws
	first   int        // its steps begin at hops[first]
	next    int64      // index of the next arrival of an open process
	made    []uint32   // requests made so far, per client, where one makes several
	end     time.Duration
	limit   int64 // requests per client; random.Unlimited
}

// prepare compiles the model, unless it is the one of the last run, and sets
// everything back to time zero.
func (r *Runner) prepare(m *Model, seed, replication uint64) error {
	r.now, r.alive, r.ahead, r.beyond = 0, 0, 0, false
	r.set.Reset()
	r.arrived = -1
	r.slots.reset()
	r.flying = 0
	if r.model != m {
		if err := r.compile(m); err != nil {
			return err
		}
	}
	for i := range r.places {
		p := &r.places[i]
		p.station.Reset()
		if p.rows != nil {
			p.rows.Reset()
		}
		p.scheduled, p.in, p.out = -1, 0, 0
	}
	for i := range r.groups {
		g := &r.groups[i]
		g.key = random.Root(seed, replication, uint64(i))
		g.next = 0
		clear(g.made)
	}
	r.rowKey = random.Root(seed, replication)
	r.rec.reset(m, r)
	return nil
}

func (r *Runner) compile(m *Model) error {
	r.model = nil
	r.places, r.groups, r.hops, r.hopNames = nil, nil, nil, nil
	if len(m.Groups) > maxGroups {
		return fmt.Errorf("sim: %d groups; at most %d", len(m.Groups), maxGroups)
	}
	for i := range m.Groups {
		g := &m.Groups[i]
		if g.Count > clientMask {
			return fmt.Errorf("sim: group %s has %d clients; at most %d", g.Name, g.Count, clientMask)
		}
		c := group{
			process: g.Arrival.Process(g.Count), first: len(r.hops), limit: g.Requests,
			end: m.Until,
		}
		c.arrival = c.process.Kind()
		if f := g.Arrival.For; f > 0 {
			c.end = min(m.Until, g.Arrival.At+f)
		}
		if !c.process.Open() && (g.Requests != 1 || c.arrival == random.Every) {
			c.made = make([]uint32, g.Count)
		}
		if err := r.compileSteps(m, g.Steps); err != nil {
			return err
		}
		r.nameHops(m, g.Name, g.Steps)
		r.groups = append(r.groups, c)
	}
	for i := range m.Services {
		s := &m.Services[i]
		p := place{
			station: server.New(s.Spec, m.Until),
			service: s.Spec.ServiceTime.Sampler(),
			first:   len(r.hops),
		}
		if k := s.Spec.Contention; k != nil {
			p.rows = server.NewRows(*k)
			p.rowCount = uint64(k.Rows)
			p.optimistic, p.lock = k.Kind == "optimistic", k.Kind == "lock"
		}
		if err := r.compileSteps(m, s.Steps); err != nil {
			return err
		}
		r.nameHops(m, s.Name, s.Steps)
		p.end = len(r.hops)
		r.places = append(r.places, p)
	}
	r.findTrigger(m)
	r.model = m
	return nil
}

func (r *Runner) nameHops(m *Model, from string, steps []Step) {
	for _, s := range steps {
		r.hopNames = append(r.hopNames, HopRecord{From: from, To: m.Services[s.To].Name})
	}
}

// findTrigger takes the hull of the faults, the spikes of profiles, and the
// scenario's own trigger.
func (r *Runner) findTrigger(m *Model) {
	r.hasTrigger, r.triggerStart, r.triggerEnd = false, 0, 0
	add := func(from, to time.Duration) {
		if !r.hasTrigger {
			r.hasTrigger, r.triggerStart = true, from
		}
		r.triggerStart, r.triggerEnd = min(r.triggerStart, from), max(r.triggerEnd, to)
	}
	for i := range r.places {
		if from, to, ok := r.places[i].station.FaultsEnd(); ok {
			add(from, to)
		}
	}
	for i := range m.Groups {
		if from, to, ok := m.Groups[i].Arrival.Spikes(m.Until); ok {
			add(from, to)
		}
	}
	if t := m.Trigger; t != nil {
		add(t.At, t.At+t.For)
	}
}

func (r *Runner) compileSteps(m *Model, steps []Step) error {
	for i := range steps {
		s := &steps[i]
		r.hops = append(r.hops, hop{
			rules: s.Policy.Compile(),
			net:   s.Network.Sampler(),
			to:    int32(s.To),
			still: s.Network.Zero(),
			last:  i == len(steps)-1,
		})
	}
	if len(r.hops) > math.MaxUint16 {
		return fmt.Errorf("sim: more than %d steps", math.MaxUint16)
	}
	return nil
}
