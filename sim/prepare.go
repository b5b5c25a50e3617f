package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"retrystorm/server"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// hop is a Step, compiled; a step with several policies is several hops, one
// for each layer.
type hop struct {
	rules strategies.Rules
	net   random.Sampler
	to    int32
	next  int32 // the next step's hop; 0: this is the last
	inner int32 // the next layer's hop; 0: the calls of this one reach the service
	// name is what draws are named after: the number of the step, so that layers
	// around it do not change what a call draws; of an outer layer, with its depth.
	name uint32
	// branches are the first hops of the steps of a fork, and need how many must
	// succeed.
	branches []int32
	need     int32
	skip     float64        // share of requests that do without
	optional bool           // its failure is ignored
	still    bool           // the network takes no time
	expires  bool           // attempts may time out
	gated    bool           // attempts have to ask others, or are not calls
	avoids   bool           // retries go to another replica
	poison   *server.Poison // of the messages that it is about; nil: none
	dead     *queue         // where calls go that are given up; nil: nowhere

	// What its callers share with others, and where in each their part begins.
	budget  *pool[strategies.BudgetRules, strategies.BudgetState]
	breaker *pool[strategies.BreakerRules, strategies.BreakerState]
	limiter *pool[strategies.LimiterRules, line]
	hedge   *pool[strategies.HedgeRules, strategies.HedgeState]
	base    bases
	wraps   wraps // the breaker
}

// place is a Service, compiled, in the state of the run.
type place struct {
	queue      *queue            // it is one; then there is no more
	station    *server.Station   // of the first replica
	stations   []*server.Station // of all, where there are several
	replicas   []replica
	balancer   server.Balancer
	usable     int64 // workers of all replicas that may be busy now; 0 when there is no limit
	rows       *server.Rows
	inbox      *inbox // nil: nobody counts what is done
	service    random.Sampler
	rowCount   uint64
	optimistic bool          // reads before it writes
	lock       bool          // waits for the row
	drop       bool          // drops work whose caller has left
	refuses    bool          // refuses work that cannot be done in time
	refusing   time.Duration // how long a worker is busy with that
	mean       time.Duration // service time
	curious    bool          // asks who calls, and until when
	redraws    bool          // the demand belongs to the request
	timed      bool          // asks how long calls were inside
	async      bool          // calls that wait for others have no worker
	// The first steps before and after its own work; noHop if there are none.
	before, after int32
	in, out       int64 // calls that reached it, calls it is done with
}

// noHop is the index of no hop.
const noHop = -1

// group is a Group, compiled, in the state of the run.
type group struct {
	process random.Process
	arrival random.Kind
	key     random.Key // of the group's own draws
	first   int        // its steps begin at hops[first]
	// Arrivals of an open process belong to this many clients, in turn or at
	// random; clients live in this many processes.
	clients, processes uint64
	next               int64    // index of the next arrival of an open process
	tempo              *tempo   // where an action sets its rate
	made               []uint32 // requests made so far, per client, where one makes several
	end                time.Duration
	limit              int64 // requests per client; random.Unlimited

	cost    float64 // of its requests, without classes
	classes []class
	entry   int // of its first class in Record.Groups

	rerun
}

// prepare compiles the model, unless it is the one of the last run, and sets
// everything back to time zero.
func (r *Runner) prepare(m *Model, seed, replication uint64) error {
	r.now, r.alive, r.ahead, r.beyond = 0, 0, 0, false
	r.redone, r.open = 0, 0
	r.set.Reset()
	r.sent = -1
	r.slots.reset()
	r.extras.reset()
	r.flying = 0
	if r.model != m {
		if err := r.compile(m); err != nil {
			return err
		}
	}
	for _, p := range r.pools {
		p.reset()
	}
	for i := range r.places {
		p := &r.places[i]
		p.reset()
		if p.rows != nil {
			p.rows.Reset()
		}
		if p.inbox != nil {
			p.inbox.reset()
		}
		p.in, p.out = 0, 0
		if p.queue != nil {
			p.queue.reset()
		}
	}
	for i := range r.groups {
		g := &r.groups[i]
		g.key = random.Root(seed, replication, uint64(i))
		g.next = 0
		if g.tempo != nil {
			*g.tempo = tempo{factor: 1}
		}
		clear(g.made)
		g.rerun.reset()
	}
	r.rowKey = random.Root(seed, replication)
	r.rec.reset(m, r)
	return nil
}

func (r *Runner) compile(m *Model) error {
	r.model = nil
	r.places, r.groups, r.hops, r.hopNames, r.pools = nil, nil, nil, nil, nil
	if err := r.makeQueues(m); err != nil {
		return err
	}
	r.cycled = nil
	r.rich, r.steps, r.costs = isRich(m), 0, false
	s := sharing{runner: r}
	if len(m.Groups) > maxGroups {
		return fmt.Errorf("sim: %d groups; at most %d", len(m.Groups), maxGroups)
	}
	for i := range m.Groups {
		g := &m.Groups[i]
		if g.Count > clientMask {
			return fmt.Errorf("sim: group %s has %d clients; at most %d", g.Name, g.Count, clientMask)
		}
		c := group{
			process: g.Arrival.Process(g.Count), limit: g.Requests, end: m.Until,
		}
		c.arrival = c.process.Kind()
		if f := g.Arrival.For; f > 0 {
			c.end = min(m.Until, g.Arrival.At+f)
		}
		if !c.process.Open() && (g.Requests != 1 || c.arrival == random.Every) {
			c.made = make([]uint32, g.Count)
		}
		if m.reruns(i) && !c.process.Open() && c.arrival != random.Every {
			c.made, c.rerun = make([]uint32, g.Count), newRerun(g.Count)
		}
		if setsRate(m, i) && c.process.Open() && c.arrival != random.Trace {
			c.tempo = new(tempo)
		}
		c.clients, c.processes = uint64(g.Count), uint64(cmp.Or(g.Processes, g.Count))
		s.caller, s.clients, s.processes = i, int(g.Count), int(c.processes)
		c.first = int(r.compileSteps(m, g.Name, g.Steps, &s))
		r.groups = append(r.groups, c)
	}
	for i := range m.Services {
		v := &m.Services[i]
		p := place{
			replicas: newReplicas(v.Spec, m.Until),
			balancer: v.Spec.Balancer(),
			service:  v.Spec.ServiceTime.Sampler(),
			async:    v.Async,
			drop:     v.Expired.Kind == "drop", timed: v.Spec.Limiter != nil,
			curious: v.Spec.Queue.Order == "deadline" || v.Spec.Shares(),
			redraws: v.Spec.Redraw == "request",
			refuses: v.Expired.Kind == "refuse" && r.rich, refusing: v.Expired.Time, mean: meanService(&v.Spec),
		}
		p.station = p.replicas[0].Station
		for k := range p.replicas {
			if len(p.replicas) > 1 {
				p.stations = append(p.stations, p.replicas[k].Station)
			}
		}
		if l := v.Spec.RateLimit; l != nil {
			p.curious = p.curious || l.Scope == "client" || l.Ban > 0
		}
		if k := v.Spec.Contention; k != nil {
			p.rows = server.NewRows(*k)
			p.rowCount = uint64(k.Rows)
			p.optimistic, p.lock = k.Kind == "optimistic", k.Kind == "lock"
		}
		if p.inbox = newInbox(m, v); p.inbox != nil && p.inbox.cycle > 0 {
			r.cycled = append(r.cycled, p.inbox)
		}
		s.caller, s.clients, s.processes = len(m.Groups)+i, 1, 1
		before, after := aroundWork(v.Steps)
		first := len(r.hops)
		p.before = r.compileSteps(m, v.Name, before, &s)
		p.after = r.compileSteps(m, v.Name, after, &s)
		if p.queue = r.queues[i]; p.queue != nil {
			p.queue.join(r.hops[first:], int(p.after))
		}
		r.places = append(r.places, p)
	}
	r.compileClasses(m, &s)
	if err := r.compileActs(m); err != nil {
		return err
	}
	if len(r.hops) > math.MaxUint16 {
		return fmt.Errorf("sim: more than %d steps", math.MaxUint16)
	}
	r.findTrigger(m)
	r.model = m
	return nil
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

// once is the policy of a step that names none: one attempt.
var once = strategies.Policy{MaxAttempts: 1, RetryOn: []string{"transient"}}

// aroundWork splits a service's steps by its own work, which comes first where
// nothing else is said.
func aroundWork(steps []Step) (before, after []Step) {
	for i := range steps {
		if steps[i].Work {
			return steps[:i], steps[i+1:]
		}
	}
	return nil, steps
}

// compileSteps appends a caller's hops, each step leading to the next, and
// returns the first.
func (r *Runner) compileSteps(m *Model, from string, steps []Step, share *sharing) int32 {
	first, last := int32(noHop), int32(noHop)
	for i := range steps {
		at := r.compileStep(m, from, &steps[i], share)
		if last == noHop {
			first = at
		} else {
			r.hops[last].next = at
		}
		last = at
	}
	return first
}

// compileStep appends the hops of a step, and returns the first.
func (r *Runner) compileStep(m *Model, from string, s *Step, share *sharing) int32 {
	first := len(r.hops)
	if len(s.Parallel) > 0 {
		r.hops = append(r.hops, hop{
			rules: once.Compile(), name: r.steps, gated: true, skip: s.Skip, optional: s.Optional, need: int32(s.Need),
		})
		r.hopNames = append(r.hopNames, HopRecord{From: from})
		r.steps++
		branches := make([]int32, len(s.Parallel))
		for i := range s.Parallel {
			branches[i] = r.compileStep(m, from, &s.Parallel[i], share)
		}
		r.hops[first].branches = branches
		return int32(first)
	}
	layers := max(len(s.Policies), 1)
	for layer := range layers {
		name, policy := "", &once
		if len(s.Policies) > 0 {
			share.policy = s.Policies[layer]
			name, policy = share.policy.Name, &share.policy.Policy
		}
		h := hop{rules: policy.Compile(), to: int32(s.To), name: r.steps | uint32(layers-1-layer)<<16, avoids: policy.AvoidFailed}
		if !s.Idempotent {
			h.rules = h.rules.NotIdempotent(*policy)
		}
		innermost := layer == layers-1
		if policy.DeadLetter != "" {
			h.dead = r.queueNamed(m, policy.DeadLetter)
		}
		if innermost {
			h.net, h.still = s.Network.Sampler(), s.Network.Zero()
		} else {
			h.inner = int32(first + layer + 1)
		}
		if layer == 0 {
			h.skip, h.optional = s.Skip, s.Optional
		}
		h.expires = h.rules.Timeout > 0 || h.rules.Deadline < math.MaxInt64 || h.rules.Propagate
		share.compile(&h, policy)
		h.gated = !innermost || h.rules.Timed() || h.budget != nil || h.breaker != nil || h.limiter != nil || h.hedge != nil
		r.hops = append(r.hops, h)
		r.hopNames = append(r.hopNames, HopRecord{
			From: from, To: m.Services[s.To].Name, Policy: name, Layer: layer, Inner: innermost,
		})
	}
	r.steps++
	return int32(first)
}

// isRich reports whether slots of the model need extras.
func isRich(m *Model) bool {
	rich := func(steps []Step) bool {
		for i := range steps {
			s := &steps[i]
			if s.Work && i > 0 || len(s.Parallel) > 0 || len(s.Policies) > 1 || slices.ContainsFunc(s.Policies, (*Policy).rich) {
				return true
			}
		}
		return false
	}
	if len(m.Actions) > 0 || slices.ContainsFunc(m.Services, func(v Service) bool { return v.Backlog != nil }) {
		return true
	}
	for i := range m.Groups {
		g := &m.Groups[i]
		if rich(g.Steps) || slices.ContainsFunc(g.Classes, func(c Class) bool { return rich(c.Steps) }) {
			return true
		}
	}
	for i := range m.Services {
		if v := &m.Services[i]; rich(v.Steps) || v.Async || v.Spec.Limiter != nil || v.Spec.Replicas > 1 || v.counts() {
			return true
		}
	}
	return false
}

// rich reports whether the policy has more than the basics.
func (p *Policy) rich() bool {
	asks := p.RetryAfter.Kind != "" && p.RetryAfter.Kind != "ignore"
	cancels := p.Cancel != "" && p.Cancel != "never"
	timed := p.SlowerThan > 0 || p.FasterThan > 0
	return asks || cancels || timed || p.Propagate || p.DeadLetter != "" ||
		p.Budget != nil || p.Breaker != nil || p.Limiter != nil || p.Hedge != nil
}
