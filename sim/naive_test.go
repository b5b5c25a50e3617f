package sim_test

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// naive is the model written down a second time, from the rules and not from
// the engine, as plainly as possible: one sorted list of closures, one event
// for every message and timer, cancelled when not needed any more, faults as
// formulas of time, a log of everything and books that are made from it at the
// end. It shares the engine's random numbers, so that all integers must agree.
type naive struct {
	m      *sim.Model
	steps  uint64
	now    time.Duration
	list   []*happening
	groups []random.Key
	rowKey random.Key
	sites  []*site
	rec    sim.Record // its counters; the rest is made at the end
	took   []time.Duration

	succeeded []time.Duration // when
	started   []time.Duration // when
	requests  []*history
	refusals  []refusal
	alive     []level // requests
	toTheEnd  bool
	waiting   map[*caller]bool // callers of requests that have not ended
	ahead     int              // starts to come
	calls     int              // attempts that somebody or something still waits for
	ids       uint32           // attempts made
	births    []birth
	tick      int // at inboxes

	budgets  map[shared]*strategies.BudgetState
	breakers map[shared]*strategies.BreakerState
	hedged   map[shared]*strategies.HedgeState
	lines    map[shared]*line
}

// Ranks of the events of one instant.
const (
	onChange = iota
	onAct
	onDone
	onAnswer
	onTimeout
	onStart
	onSend
	onHedge
	onCancel
	onArrive
)

type happening struct {
	at     time.Duration
	rank   int
	client uint32
	key    random.Key
	do     func()
}

func (n *naive) at(at time.Duration, rank int, client uint32, key random.Key, do func()) *happening {
	h := &happening{at, rank, client, key, do}
	i, _ := slices.BinarySearchFunc(n.list, h, func(a, b *happening) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank),
			cmp.Compare(a.client, b.client), cmp.Compare(a.key, b.key))
	})
	n.list = slices.Insert(n.list, i, h)
	return h
}

func (n *naive) cancel(h *happening) {
	if i := slices.Index(n.list, h); i >= 0 {
		n.list = slices.Delete(n.list, i, i+1)
	}
}

// level is a number from an instant on.
type level struct {
	at time.Duration
	n  int64
}

// set logs a new level.
func set(log *[]level, at time.Duration, n int64) { *log = append(*log, level{at, n}) }

// area is the integral of the log over [from, to).
func area(log []level, from, to time.Duration) (sum sim.Sum) {
	for i, l := range log {
		end := to
		if i+1 < len(log) {
			end = min(to, log[i+1].at)
		}
		if start := max(from, l.at); start < end {
			sum.Add(l.n, int64(end-start))
		}
	}
	return sum
}

// site is a service.
type site struct {
	name                      string
	index                     int
	replica                   int64
	replicas                  []*site  // of the first one
	turn                      int      // of round-robin
	numbers                   []uint64 // of its faults, in the spec
	spec                      server.Spec
	drop                      bool
	before, layers            []*layer // its steps before and after its own work
	async                     bool
	parked                    []*attempt      // inside, without a worker
	calling                   int64           // in service, waiting for others
	station                   *server.Station // decides if it knows more than the naive model
	change                    *happening      // of the station
	inside                    []*attempt      // in service
	queue                     []*attempt
	versions                  map[uint64]uint32
	locks                     map[uint64][]*attempt // the first has it
	admitted                  map[uint64][]time.Duration
	tokens                    map[uint64]*level
	crashed                   bool
	crashAt                   time.Duration
	usableLog, inLog, waitLog []level
	callLog                   []level
	arrivals                  []arrival
	answers                   []answered
	rec                       sim.ServiceRecord
	unanswered                map[*attempt]bool
	works                     []*work
}

type arrival struct {
	at             time.Duration
	hop            int
	cause          sim.Cause
	retry, counted bool
}

type answered struct {
	at   time.Duration
	fate int // good, good for nobody, bad

	answer  server.Answer
	counted bool
}

// mostEvents is how many events the naive model runs at most.
const mostEvents = 50_000

// runNaive is nil if that takes too long.
func runNaive(m *sim.Model, seed, replication uint64) (*sim.Record, []time.Duration) {
	n := newNaive(m, seed, replication)
	if n == nil {
		return nil, nil
	}
	return &n.rec, n.took
}

// newNaive is the naive model after its run.
func newNaive(m *sim.Model, seed, replication uint64) *naive {
	n := &naive{
		m: m, rowKey: random.Root(seed, replication), waiting: map[*caller]bool{},
		budgets: map[shared]*strategies.BudgetState{}, breakers: map[shared]*strategies.BreakerState{},
		hedged: map[shared]*strategies.HedgeState{}, lines: map[shared]*line{},
	}
	n.rec.Done99 = sim.Never
	set(&n.alive, 0, 0)
	var paths [][]*layer
	for i, g := range m.Groups {
		n.groups = append(n.groups, random.Root(seed, replication, uint64(i)))
		paths = append(paths, n.compileSteps(i, g.Name, g.Steps))
		n.rec.Groups = append(n.rec.Groups, sim.GroupRecord{Name: g.Name})
	}
	for i, v := range m.Services {
		before, after := split(v.Steps)
		s := &site{
			name: v.Name, index: i, spec: v.Spec, drop: v.Expired.Kind == "drop", async: v.Async,
			before:   n.compileSteps(len(m.Groups)+i, v.Name, before),
			layers:   n.compileSteps(len(m.Groups)+i, v.Name, after),
			versions: map[uint64]uint32{}, locks: map[uint64][]*attempt{},
			admitted: map[uint64][]time.Duration{}, tokens: map[uint64]*level{},
			unanswered: map[*attempt]bool{},
		}
		n.sites = append(n.sites, s)
		n.replicate(s, v.Spec)
	}
	for i := range m.Actions {
		n.act(i)
	}
	for i, paths := range n.compileClasses(paths) {
		n.open(i, paths)
	}
	for events := 0; len(n.waiting)+n.ahead+n.calls > 0; events++ {
		if events > mostEvents {
			return nil
		}
		if len(n.list) == 0 || n.list[0].at >= m.Until {
			n.now = m.Until
			break
		}
		h := n.list[0]
		n.list = n.list[1:]
		n.now = h.at
		h.do()
	}
	if n.toTheEnd {
		n.now = m.Until
	}
	n.books()
	return n
}

// open lets the requests of a group come.
func (n *naive) open(i int, paths [][]*layer) {
	g := &n.m.Groups[i]
	p := g.Arrival.Process(g.Count)
	end := n.m.Until
	if g.Arrival.For > 0 {
		end = min(end, g.Arrival.At+g.Arrival.For)
	}
	start := func(client uint32, at time.Duration, do func()) {
		if at < end {
			n.ahead++
			n.at(at, onStart, client, n.groups[i], func() { n.ahead--; do() })
		} else if end == n.m.Until {
			n.toTheEnd = true // somebody would come later
		}
	}
	request := func(client, number uint32, after func()) {
		c := &caller{
			group: i, client: client, request: number, counted: n.now >= n.m.Warmup, started: n.now,
			key: n.groups[i].Child(uint64(client), uint64(number), 1), class: n.classOf(i, client, number),
		}
		c.layers = paths[c.class]
		c.member = n.member(c)
		processes := uint64(g.Processes)
		if processes == 0 {
			processes = uint64(max(g.Count, 1))
		}
		c.process = c.member * processes / uint64(max(g.Count, 1))
		n.started = append(n.started, n.now)
		n.births = append(n.births, birth{i, client, number, n.now})
		c.history = &history{group: i, class: c.class, counted: c.counted, started: n.now}
		n.requests = append(n.requests, c.history)
		n.waiting[c] = true
		set(&n.alive, n.now, int64(len(n.waiting)))
		if c.counted {
			n.rec.Requests++
			n.rec.Groups[i].Requests++
		}
		c.after = func(out strategies.Outcome) { n.requestEnded(c, out == strategies.OK); after() }
		n.beginStep(c)
	}
	switch g.Arrival.Kind {
	case "poisson", "constant", "profile", "trace":
		var next func(k int64, prev time.Duration)
		next = func(k int64, prev time.Duration) {
			at, ok := p.Next(k, prev, n.groups[i].Draw(random.Start, uint64(k)))
			if ok {
				start(uint32(k), at, func() { request(uint32(k), 0, func() {}); next(k+1, at) })
			}
		}
		next(0, 0)
	case "every":
		for c := range uint32(g.Count) {
			key := n.groups[i].Child(uint64(c), 0, 0)
			var tick func(k uint32)
			tick = func(k uint32) {
				if g.Requests != random.Unlimited && int64(k) >= g.Requests {
					return
				}
				late := key.Draw(random.Jitter, uint64(k))
				if k == 0 {
					late = 0
				}
				start(c, p.Tick(int64(k), key.Draw(random.Start, 0), late), func() { request(c, k, func() {}); tick(k + 1) })
			}
			tick(0)
		}
	default: // burst, closed
		var once func(c, k uint32)
		again := func(c, k uint32, at time.Duration) {
			if g.Requests == random.Unlimited || int64(k) < g.Requests {
				start(c, at, func() { once(c, k) })
			}
		}
		once = func(c, k uint32) {
			request(c, k, func() {
				think := n.groups[i].Child(uint64(c), uint64(k+1), 0).Draw(random.Think, 0)
				again(c, k+1, n.now+p.Think(think))
			})
		}
		if g.Arrival.Kind == "burst" && g.Arrival.Spread == 0 {
			start(math.MaxUint32, p.Start(0, 0), func() {
				for c := range uint32(g.Count) {
					once(c, 0)
				}
			})
			return
		}
		for c := range uint32(g.Count) {
			again(c, 0, p.Start(int64(c), n.groups[i].Child(uint64(c), 0, 0).Draw(random.Start, 0)))
		}
	}
}

func (n *naive) requestEnded(c *caller, ok bool) {
	delete(n.waiting, c)
	set(&n.alive, n.now, int64(len(n.waiting)))
	if ok {
		n.succeeded = append(n.succeeded, n.now)
	}
	c.history.ended, c.history.ok, c.history.took = true, ok, n.now-c.started
	if !c.counted {
		return
	}
	n.rec.FinishedAt = n.now
	took := n.now - c.started
	if !ok {
		n.rec.Failed++
		n.rec.Groups[c.group].Failed++
		return
	}
	n.rec.Succeeded++
	n.rec.Groups[c.group].Succeeded++
	if n.m.SLO == 0 || took <= n.m.SLO {
		n.rec.Good++
		n.rec.Groups[c.group].Good++
	}
	n.took = append(n.took, took)
}

// member is which client of its group a caller belongs to. Arrivals of an open
// process have no client of their own.
func (n *naive) member(c *caller) uint64 {
	g := n.m.Groups[c.group]
	switch g.Arrival.Kind {
	case "constant", "trace":
		return uint64(c.client) % uint64(g.Count)
	case "poisson", "profile":
		return random.Uniform(n.groups[c.group].Draw(random.Member, uint64(c.client)), uint64(g.Count))
	default:
		return uint64(c.client)
	}
}

// The service's side.

// count runs do if the attempt's request started after the warm-up.
func (n *naive) count(a *attempt, do func()) {
	if a.by.counted {
		do()
	}
}

func (n *naive) arrive(s *site, a *attempt) {
	s = n.choose(s, a)
	retry := a.cause != sim.First
	a.arrived = n.now
	s.arrivals = append(s.arrivals, arrival{n.now, a.layer.index, a.cause, retry, a.by.counted})
	n.count(a, func() {
		s.rec.Calls++
		s.rec.Causes[a.cause]++
		if retry {
			s.rec.Retries++
		}
	})
	s.unanswered[a] = true
	if n.turnedAway(s, a) {
		return
	}
	if s.station != nil {
		n.askStation(s, a)
		return
	}
	if d := s.down(n.now); d != server.OK {
		n.reply(s, a, d)
		return
	}
	if p := s.spec.Admit; p != nil && random.Unit(a.key.Draw(random.Admit, 0)) >= *p {
		n.reply(s, a, server.Refused)
		return
	}
	if l := s.spec.RateLimit; l != nil && !s.admit(n.now, uint64(a.by.group)<<32|n.member(a.by)) {
		n.reply(s, a, l.Answer.Answer)
		return
	}
	var atOnce, later []server.Answer
	for i, f := range s.spec.Faults {
		if f.Kind != "errors" || !active(f, n.now) || random.Unit(a.key.Draw(random.Error, s.numbers[i])) >= f.Share {
			continue
		}
		answer := cmp.Or(f.Answer.Answer, 500)
		if f.AfterWork {
			later = append(later, answer)
		} else {
			atOnce = append(atOnce, answer)
		}
	}
	if len(atOnce) > 0 {
		n.reply(s, a, worst(atOnce))
		return
	}
	a.answer = worst(later)
	free := s.usable(n.now) == server.Unlimited || int64(len(s.inside)) < s.usable(n.now)
	crowded := s.spec.InFlight > 0 && int64(len(s.inside)+len(s.queue)+len(s.parked)) >= s.spec.InFlight
	if q := s.spec.Queue; crowded || !free && q.Limit != server.Unlimited && int64(len(s.queue)) >= q.Limit {
		n.reply(s, a, q.Full.Answer)
		return
	}
	if k := s.spec.Crash; k != nil && int64(len(s.inside)+len(s.queue)+len(s.parked)) >= k.Above {
		n.crash(s, a)
		return
	}
	if free {
		n.serve(s, a)
		return
	}
	s.queue = append(s.queue, a)
	set(&s.waitLog, n.now, int64(len(s.queue)))
}

// next lets waiting calls start.
func (n *naive) next(s *site) {
	if s.station != nil {
		n.nextOfStation(s)
		return
	}
	for len(s.queue) > 0 && (s.usable(n.now) == server.Unlimited || int64(len(s.inside)) < s.usable(n.now)) {
		i := 0
		if s.spec.Queue.Order == "lifo" {
			i = len(s.queue) - 1
		}
		a := s.queue[i]
		s.queue = slices.Delete(s.queue, i, i+1)
		set(&s.waitLog, n.now, int64(len(s.queue)))
		if s.drop && !a.awaited() {
			n.expired(s, a)
			n.reply(s, a, server.Silent)
			continue
		}
		n.serve(s, a)
	}
}

func (n *naive) serve(s *site, a *attempt) {
	if n.refuses(s, a) || !n.begins(s, a) {
		return
	}
	s.inside = append(s.inside, a)
	set(&s.inLog, n.now, int64(len(s.inside)))
	if len(s.before) > 0 && !a.prepared && !a.refused {
		n.callOthers(s, a, s.before, func() { n.backToWork(s, a) })
		return
	}
	n.lockAndWork(s, a)
}

func (n *naive) lockAndWork(s *site, a *attempt) {
	if k := s.spec.Contention; k != nil && k.Kind == "lock" && !a.refused {
		row := n.row(s, a.by, a.layer)
		s.locks[row] = append(s.locks[row], a)
		if len(s.locks[row]) > 1 {
			return
		}
	}
	n.work(s, a)
}

func (n *naive) work(s *site, a *attempt) {
	a.began = n.now
	if s.station != nil {
		var done time.Duration
		a.work, done = s.station.Finish(n.now, n.demand(s, a))
		a.working = true
		a.done = n.at(done, onDone, a.by.client, a.key, func() { n.finished(s, a) })
		return
	}
	factor := 1.0
	for _, f := range s.spec.Faults {
		if f.Kind == "slow" && active(f, n.now) {
			factor *= f.Factor
		}
	}
	a.work = time.Duration(math.Round(float64(n.demand(s, a)) * factor))
	a.work += s.spec.Slowdown * time.Duration(len(s.inside)-1)
	a.left, a.working = a.work, true
	if !s.paused(n.now) {
		n.resume(s, a)
	}
}

func (n *naive) resume(s *site, a *attempt) {
	a.since = n.now
	a.done = n.at(n.now+a.left, onDone, a.by.client, a.key, func() { n.finished(s, a) })
}

func (n *naive) finished(s *site, a *attempt) {
	a.done, a.working = nil, false
	n.worked(s, a, a.work, !a.awaited())
	if k := s.spec.Contention; k != nil && !a.refused {
		row := n.row(s, a.by, a.layer)
		if k.Kind == "lock" {
			s.locks[row] = s.locks[row][1:]
			if len(s.locks[row]) > 0 {
				n.work(s, s.locks[row][0])
			}
		} else {
			switch {
			case a.answer != server.OK:
			case a.version != s.versions[row]:
				a.answer = 409
			default:
				s.versions[row]++
			}
			a.version = s.versions[row]
		}
	}
	if len(s.layers) == 0 || a.answer != server.OK {
		n.leaves(s, a)
		return
	}
	n.callOthers(s, a, s.layers, func() { n.leaves(s, a) })
}

// worked counts service time.
func (n *naive) worked(s *site, a *attempt, work time.Duration, wasted bool) {
	n.count(a, func() {
		h := &n.rec.Hops[a.layer.index]
		s.rec.Busy.Add(1, int64(work))
		h.Busy.Add(1, int64(work))
		if wasted {
			s.rec.Wasted.Add(1, int64(work))
			h.Wasted.Add(1, int64(work))
		}
	})
}

func (n *naive) leaves(s *site, a *attempt) {
	n.settle(a, a.answer == a.promised && !a.refused)
	n.out(s, a, a.answer != server.OK)
	n.reply(s, a, a.answer)
	n.next(s)
}

// out takes a call out of service.
func (n *naive) out(s *site, a *attempt, dropped bool) {
	if slices.Contains(s.parked, a) {
		n.unpark(s, a)
		if s.station != nil {
			s.station.LeaveParked(n.now, n.now-a.arrived, dropped)
		}
		return
	}
	s.inside = slices.DeleteFunc(s.inside, func(b *attempt) bool { return a == b })
	set(&s.inLog, n.now, int64(len(s.inside)))
	if s.station != nil {
		s.station.Leave(n.now, n.now-a.arrived, dropped)
	}
}

// cancelled runs when a service hears that a call's caller has left.
func (n *naive) cancelled(s *site, a *attempt) {
	running := a.layer.policy.Cancel == "running" && s.spec.Contention == nil
	switch {
	case slices.Contains(s.queue, a):
		s.queue = slices.DeleteFunc(s.queue, func(b *attempt) bool { return a == b })
		set(&s.waitLog, n.now, int64(len(s.queue)))
		if s.station != nil && !s.station.Remove(a.id) {
			panic("a call that waits does not")
		}
		n.reply(s, a, server.Silent)
	case (slices.Contains(s.inside, a) || slices.Contains(s.parked, a)) && running:
		if c := a.children; c != nil {
			n.called(s, a)
			n.abandon(c)
		} else {
			n.cancel(a.done)
			a.done, a.working = nil, false
			n.worked(s, a, min(a.work, n.now-a.began), true)
		}
		n.out(s, a, true)
		n.reply(s, a, server.Silent)
		n.next(s)
	}
}

func (n *naive) reply(s *site, a *attempt, answer server.Answer) {
	n.settle(a, false)
	a.answer, a.replied = answer, true
	delete(s.unanswered, a)
	fate := 2
	if answer == server.OK {
		fate = 0
		if !a.awaited() {
			fate = 1
		}
	}
	s.answers = append(s.answers, answered{n.now, fate, answer, a.by.counted})
	n.count(a, func() {
		switch answer {
		case server.OK:
			s.rec.Succeeded++
		case server.Refused:
			s.rec.Refused++
		case server.Reset:
			s.rec.Reset++
		case server.Silent:
			s.rec.Silent++
		default:
			s.rec.Status++
		}
	})
	if answer == server.Silent {
		n.lost(a)
		return
	}
	net := a.layer.step.Network.Sampler()
	n.at(n.now+net.At(a.key.Draw(random.NetworkBack, 0)), onAnswer, a.by.client, a.key, func() { n.answer(a) })
}

// lost ends an attempt without an answer.
func (n *naive) lost(a *attempt) {
	a.lost = true
	if !a.awaited() {
		n.calls--
	}
}

func (n *naive) crash(s *site, last *attempt) {
	s.rec.Crashes++
	dead := slices.Concat(s.inside, s.queue, s.parked)
	slices.SortFunc(dead, func(a, b *attempt) int {
		return cmp.Or(cmp.Compare(a.by.client, b.by.client), cmp.Compare(a.key, b.key))
	})
	s.inside, s.queue, s.parked = nil, nil, nil
	clear(s.locks)
	set(&s.inLog, n.now, 0)
	set(&s.waitLog, n.now, 0)
	s.crashed, s.crashAt = true, n.now
	for _, a := range dead {
		n.cancel(a.done)
		a.done, a.working = nil, false
		if c := a.children; c != nil {
			n.called(s, a)
			n.abandon(c)
		}
	}
	for _, a := range append(dead, last) {
		a.hinted = false
		n.reply(s, a, server.Reset)
	}
	if s.station != nil {
		n.nextChange(s)
		set(&s.usableLog, n.now, max(0, s.usable(n.now)))
		return
	}
	for _, at := range s.crashEdges() {
		n.changeAt(s, at)
	}
	set(&s.usableLog, n.now, max(0, s.usable(n.now)))
}

func (n *naive) changeAt(s *site, at time.Duration) {
	n.at(at, onChange, uint32(s.index), random.Key(s.replica), func() {
		for _, a := range s.inside {
			switch paused := s.paused(n.now); {
			case paused && a.done != nil:
				a.left -= n.now - a.since
				n.cancel(a.done)
				a.done = nil
			case !paused && a.done == nil && a.working:
				n.resume(s, a)
			}
		}
		n.next(s)
		set(&s.usableLog, n.now, max(0, s.usable(n.now)))
	})
}

// Faults are formulas of time.

const forever = time.Duration(math.MaxInt64)

func until(f server.Fault) time.Duration {
	if f.For == 0 {
		return forever
	}
	return f.At + f.For
}

func active(f server.Fault, now time.Duration) bool { return f.At <= now && now < until(f) }

// worst is the answer that wins: silence over refusal over anything else.
func worst(answers []server.Answer) server.Answer {
	for _, a := range []server.Answer{server.Silent, server.Refused} {
		if slices.Contains(answers, a) {
			return a
		}
	}
	return append(answers, server.OK)[0]
}

func (s *site) down(now time.Duration) server.Answer {
	if s.station != nil {
		a, _ := s.station.Down()
		return a
	}
	var answers []server.Answer
	for _, f := range s.spec.Faults {
		if f.Kind == "down" && active(f, now) {
			answers = append(answers, cmp.Or(f.Answer.Answer, server.Refused))
		}
	}
	if s.restarting(now) {
		answers = append(answers, server.Refused)
	}
	return worst(answers)
}

func (s *site) restarting(now time.Duration) bool {
	return s.crashed && now < s.crashAt+s.spec.Crash.Restart
}

func (s *site) paused(now time.Duration) bool {
	return slices.ContainsFunc(s.spec.Faults, func(f server.Fault) bool { return f.Kind == "pause" && active(f, now) })
}

func (s *site) workers() int64 { return s.spec.Workers }

// share is max(1, floor(workers * share)), with the share in parts of a billion.
func (s *site) share(share float64) int64 {
	return max(1, s.workers()*int64(math.Round(share*1e9))/1e9)
}

// climbing is the number of workers on a ramp that starts at an instant.
func (s *site) climbing(now, at, length time.Duration, from float64) int64 {
	if now >= at+length {
		return s.workers()
	}
	// floor(w (from + (1 - from) (now - at) / length))
	parts := int64(math.Round(from * 1e9))
	x := big.NewInt(1e9 - parts)
	x.Mul(x, big.NewInt(int64(now-at)))
	y := big.NewInt(parts)
	x.Add(x, y.Mul(y, big.NewInt(int64(length))))
	x.Mul(x, big.NewInt(s.workers()))
	z := big.NewInt(1e9)
	x.Quo(x, z.Mul(z, big.NewInt(int64(length))))
	return max(1, x.Int64())
}

func (s *site) usable(now time.Duration) int64 {
	if s.station != nil {
		return s.station.Usable()
	}
	if s.restarting(now) {
		return 0
	}
	n := s.workers()
	if n == server.Unlimited {
		return n
	}
	for _, f := range s.spec.Faults {
		switch to := until(f); {
		case now >= to:
			n = min(n, s.climbing(now, to, f.Ramp, f.RampFrom))
		case f.Kind == "capacity" && active(f, now):
			n = min(n, s.share(f.Share))
		}
	}
	if s.crashed {
		k := s.spec.Crash
		n = min(n, s.climbing(now, s.crashAt+k.Restart, k.Ramp, k.RampFrom))
	}
	return n
}

// edges are the instants at which a fault or its ramp changes something.
func (s *site) edges() []time.Duration {
	var all []time.Duration
	for _, f := range s.spec.Faults {
		all = append(all, f.At)
		if to := until(f); to < forever {
			all = append(all, to)
			all = append(all, s.rampEdges(to, f.Ramp, f.RampFrom)...)
		}
	}
	return all
}

func (s *site) crashEdges() []time.Duration {
	k := s.spec.Crash
	up := s.crashAt + k.Restart
	return append(s.rampEdges(up, k.Ramp, k.RampFrom), up)
}

// rampEdges are the first instants at which there are 2, 3, ... workers.
func (s *site) rampEdges(at, length time.Duration, from float64) []time.Duration {
	var all []time.Duration
	if s.workers() == server.Unlimited {
		return nil
	}
	for w := int64(2); w <= s.workers(); w++ {
		lo, hi := at, at+length // not enough before lo, enough at hi
		for lo < hi {
			if mid := lo + (hi-lo)/2; s.climbing(mid, at, length, from) >= w {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		all = append(all, lo)
	}
	return all
}

// admit asks the rate limit, which remembers all it ever let in.
func (s *site) admit(now time.Duration, client uint64) bool {
	l := s.spec.RateLimit
	if l.Scope != "client" {
		client = 0
	}
	if l.Kind == "token-bucket" {
		// A token is 10^10 drops, so that rates with one decimal are exact.
		const token = 10_000_000_000
		b := s.tokens[client]
		if b == nil {
			b = &level{now, l.Burst * token}
			s.tokens[client] = b
		}
		b.n = min(l.Burst*token, b.n+int64(now-b.at)*int64(math.Round(l.Rate*10)))
		b.at = now
		if b.n < token {
			return false
		}
		b.n -= token
		return true
	}
	from := now - now%l.Window - 1
	if l.Kind == "sliding-window" {
		from = now - l.Window
	}
	in := 0
	for _, t := range s.admitted[client] {
		if t > from {
			in++
		}
	}
	if int64(in) == l.Limit {
		return false
	}
	s.admitted[client] = append(s.admitted[client], now)
	return true
}

// books makes the rest of the record out of the logs.
func (n *naive) books() {
	b, m := &n.rec, n.m
	b.EndedAt = n.now
	for _, v := range n.sites {
		v.gather()
	}
	for c := range n.waiting {
		if c.counted {
			b.Unfinished++
			b.Groups[c.group].Unfinished++
		}
	}
	if len(n.started) > 0 {
		b.LastArrival = slices.Max(n.started)
	}
	n.trigger()
	if burst := n.allBurst(); burst > 0 {
		if k := burst - burst/100; int64(len(n.succeeded)) >= k {
			b.Done99 = n.succeeded[k-1]
		}
	}
	if b.HasTrigger {
		for from := time.Duration(0); from < m.Until && from <= n.now; from += s {
			if from == n.now && n.now == m.Until {
				break
			}
			to := from + s
			alive := int64(0)
			for _, l := range n.alive {
				if l.at < to {
					alive = l.n
				}
			}
			b.Bins = append(b.Bins, sim.Bin{Started: within(n.started, from, to), Succeeded: within(n.succeeded, from, to), Unfinished: alive})
		}
	}
	windows := int64((n.now + m.Window - 1) / m.Window)
	if n.now < m.Until {
		windows = int64(n.now/m.Window) + 1
	}
	for b.Row = m.Window; (windows*int64(m.Window)+int64(b.Row)-1)/int64(b.Row) >= 600; {
		b.Row *= 2
	}
	n.classBooks()
	for _, v := range n.sites {
		v.books(n, windows)
		v.rec.Effects = v.effects()
		b.Services = append(b.Services, v.rec)
	}
	for _, v := range m.Slices {
		b.Slices = append(b.Slices, n.slice(v))
	}
}

func within(times []time.Duration, from, to time.Duration) (n int64) {
	for _, t := range times {
		if from <= t && t < to {
			n++
		}
	}
	return n
}

func (n *naive) trigger() {
	b, m := &n.rec, n.m
	add := func(from, to time.Duration) {
		if !b.HasTrigger {
			b.HasTrigger, b.TriggerStart, b.TriggerEnd = true, from, to
		}
		b.TriggerStart, b.TriggerEnd = min(b.TriggerStart, from), max(b.TriggerEnd, to)
	}
	for _, v := range n.sites {
		for _, f := range v.spec.Faults {
			if f.At >= m.Until {
				continue
			}
			if to := until(f); to < forever {
				add(f.At, min(m.Until, to+f.Ramp))
			} else {
				add(f.At, m.Until)
			}
		}
	}
	for _, g := range m.Groups {
		if from, to, ok := g.Arrival.Spikes(m.Until); ok {
			add(from, to)
		}
	}
	if m.Trigger != nil {
		add(m.Trigger.At, m.Trigger.At+m.Trigger.For)
	}
}

func (n *naive) allBurst() (requests int64) {
	for _, g := range n.m.Groups {
		if g.Arrival.Kind != "burst" || g.Requests == random.Unlimited {
			return 0
		}
		requests += g.Count * g.Requests
	}
	return requests
}

func (v *site) books(n *naive, windows int64) {
	b := &n.rec
	v.rec.Blocked = v.blocked(n.m.Warmup, n.now)
	for a := range v.unanswered {
		n.count(a, func() { v.rec.Inside++ })
	}
	for k := range windows {
		from := time.Duration(k) * n.m.Window
		to := from + n.m.Window
		calls, retries := v.peak(from, to)
		v.rec.PeakCalls = max(v.rec.PeakCalls, calls)
		v.rec.PeakRetries = max(v.rec.PeakRetries, retries)
		if b.HasTrigger && from >= b.TriggerEnd {
			v.rec.PeakAfter = max(v.rec.PeakAfter, calls)
		}
	}
	for from := time.Duration(0); from < time.Duration(windows)*n.m.Window; from += b.Row {
		to := from + b.Row
		var row sim.Row
		for _, a := range v.arrivals {
			if from <= a.at && a.at < to {
				row.Arrivals++
				row.Causes[a.cause]++
				if a.retry {
					row.Retries++
				}
			}
		}
		for _, a := range v.answers {
			if from <= a.at && a.at < to {
				*[]*int64{&row.Succeeded, &row.Wasted, &row.Failed}[a.fate]++
			}
		}
		to = min(to, n.now)
		row.InService, row.Waiting, row.Capacity = area(v.inLog, from, to), area(v.waitLog, from, to), area(v.usableLog, from, to)
		v.rec.Timeline = append(v.rec.Timeline, row)
	}
}

// observed is what two runs of one model are compared by.
type observed struct {
	Record sim.Record
	Took   []time.Duration
	// Sliced are the times of slices: of all, then of each group.
	Sliced [][]time.Duration `json:",omitempty"`
}

func observe(rec *sim.Record, took []time.Duration) observed {
	o := observed{Record: *rec, Took: took}
	o.Took = append(o.Took, sorted(&rec.Completion)...)
	slices.Sort(o.Took)
	// How many events the engine needed is its own business.
	o.Record.Events, o.Record.Completion = 0, sim.Times{}
	o.Record.Groups = slices.Clone(o.Record.Groups)
	for i := range o.Record.Groups {
		o.Record.Groups[i].Completion = sim.Times{}
	}
	o.Record.Slices = slices.Clone(o.Record.Slices)
	for i := range o.Record.Slices {
		v := &o.Record.Slices[i]
		o.Sliced = append(o.Sliced, sorted(&v.All.Completion))
		v.All.Completion, v.Groups = sim.Times{}, slices.Clone(v.Groups)
		for g := range v.Groups {
			o.Sliced = append(o.Sliced, sorted(&v.Groups[g].Completion))
			v.Groups[g].Completion = sim.Times{}
		}
	}
	if len(o.Record.Bins) == 0 {
		o.Record.Bins = nil
	}
	return o
}

// sorted lists all times.
func sorted(times *sim.Times) (out []time.Duration) {
	for k := range times.Len() {
		out = append(out, times.Rank(k+1))
	}
	return out
}

// differs lists where the engine and the rules differ.
func differs(want, got observed) string {
	if alike(reflect.ValueOf(want), reflect.ValueOf(got)) { // much faster
		return ""
	}
	var r reporter
	gocmp.Equal(want, got, cmpopts.IgnoreFields(sim.Record{}, "Completion"), cmpopts.IgnoreFields(sim.GroupRecord{}, "Completion"),
		cmpopts.IgnoreFields(sim.QueueRecord{}, "Delay"), cmpopts.EquateEmpty(), gocmp.Reporter(&r))
	return strings.Join(r.lines, "\n")
}

// alike reports whether differs has nothing to say: times are compared elsewhere,
// and an empty list is as good as none.
func alike(a, b reflect.Value) bool {
	switch {
	case a.Type() == reflect.TypeFor[sim.Times]():
		return true
	case a.Kind() == reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !alike(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case a.Kind() == reflect.Struct:
		for i := range a.NumField() {
			if !alike(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	default:
		return a.Comparable() && b.Comparable() && a.Equal(b)
	}
}

// reporter collects one line per difference.
type reporter struct {
	path  gocmp.Path
	lines []string
}

func (r *reporter) PushStep(p gocmp.PathStep) { r.path = append(r.path, p) }
func (r *reporter) PopStep()                  { r.path = r.path[:len(r.path)-1] }

func (r *reporter) Report(res gocmp.Result) {
	if !res.Equal() {
		want, got := r.path.Last().Values()
		r.lines = append(r.lines, fmt.Sprintf("%#v: %v by the rules, %v in the engine", r.path, want, got))
	}
}

// compare runs the model both ways and fails when they differ.
func compare(t rapid.TB, m *sim.Model, seed uint64, runners ...*sim.Runner) {
	t.Helper()
	rec, took := runNaive(m, seed, 1)
	if rec == nil {
		return
	}
	want := observe(rec, took)
	for i, r := range runners {
		var opt sim.Options
		if (seed+uint64(i))%2 == 1 { // who looks on changes nothing
			opt.Trace = func(sim.TraceEvent) {}
		}
		got, err := r.Run(m, seed, 1, opt)
		if err != nil {
			t.Fatalf("runner %d: %v\n%s", i, err, spell(reflect.ValueOf(*m)))
		}
		if diff := differs(want, observe(got, nil)); diff != "" {
			t.Fatalf("runner %d:\n%s\n%s", i, diff, spell(reflect.ValueOf(*m)))
		}
	}
}

// TestNaiveModel compares the engine with the naive model on random small
// models: on fresh memory, and on a Runner that has run all the models before.
func TestNaiveModel(t *testing.T) {
	var used sim.Runner
	rapid.Check(t, func(t *rapid.T) {
		var fresh sim.Runner
		m, seed := drawModel(t), rapid.Uint64Range(0, 3).Draw(t, "seed")
		compare(t, m, seed, &fresh, &used)
		compare(t, m, seed+1, &used)
	})
}

// TestNaiveModelFound holds what random models have found.
func TestNaiveModelFound(t *testing.T) {
	step := func(to int, p strategies.Policy, network time.Duration) sim.Step {
		return sim.Step{To: to, Policies: under(p), Network: constant(network)}
	}
	path := func(g sim.Group, specs []server.Spec, nested []sim.Step, steps ...sim.Step) *sim.Model {
		g.Name, g.Steps = "clients", steps
		m := &sim.Model{Until: 2 * s, Window: 100 * ms, Groups: []sim.Group{g}}
		for i, spec := range specs {
			m.Services = append(m.Services, sim.Service{Name: fmt.Sprint(i), Spec: spec})
		}
		m.Services[0].Steps = nested
		return m
	}
	failing := unlimited()
	failing.Faults = []server.Fault{{Name: "broken", Kind: "errors", Share: 1, Answer: server.Reply{Answer: 503}}}
	contended := func(kind string, d time.Duration) server.Spec {
		spec := working(server.Unlimited, d)
		spec.Contention = &server.Contention{Kind: kind, Rows: 1}
		return spec
	}
	elapsed := retry(4, 0, backoff("fixed", 50*ms, 0))
	elapsed.MaxElapsed = 100 * ms
	crashing := workers(1)
	crashing.Crash = &server.Crash{Above: 3, Restart: s}
	mixed := contended("write-only", 0)
	mixed.Workers, mixed.Queue.Order = 2, "lifo"
	mixed.ServiceTime = random.Dist{Kind: "file", Values: []time.Duration{0, 10 * ms}}
	again := sim.Group{Count: 26, Requests: 3, Arrival: random.Arrival{Kind: "closed", Think: constant(10 * ms)}}
	legs := random.Dist{Kind: "file", Values: []time.Duration{0, 30 * ms}}
	late := retry(2, 20*ms, backoff("fixed", 10*ms, 0))
	late.LateAnswers = "accept"

	cases := map[string]*sim.Model{
		"max_elapsed counts from the start of the request": path(burst(3),
			[]server.Spec{working(server.Unlimited, 80*ms), failing}, nil, step(0, once, 0), step(1, elapsed, 0)),
		"a lock has no versions": path(burst(5), []server.Spec{contended("lock", 10*ms)}, nil, step(0, once, 10*ms)),
		"a service without work of its own that calls others can be late": path(burst(3),
			[]server.Spec{unlimited(), working(1, 100*ms)}, []sim.Step{step(1, once, 0)}, step(0, retry(2, 50*ms, backoff("none", 0, 0)), 0)),
		"an answer without work can be late on its way": path(burst(3),
			[]server.Spec{unlimited()}, nil, step(0, retry(2, 50*ms, backoff("fixed", 20*ms, 0)), 30*ms)),
		"a write knows what an answer told, not what is on its way": path(burst(5),
			[]server.Spec{contended("write-only", 10*ms)}, nil, step(0, retry(4, 50*ms, backoff("fixed", 20*ms, 0)), 30*ms)),
		"a version is not taken from one service to the next": path(burst(5),
			[]server.Spec{contended("write-only", 10*ms), contended("write-only", 60*ms)}, nil,
			step(0, retry(9, 0, backoff("none", 0, 0)), ms), step(1, retry(4, 50*ms, backoff("fixed", 20*ms, 0)), ms)),
		"what was sent before a crash in its instant goes on": path(burst(5),
			[]server.Spec{crashing, working(server.Unlimited, 10*ms)}, []sim.Step{step(1, once, 10*ms)}, step(0, once, 0)),
		"a retry is sent before a call arrives whose answer would make it needless": path(burst(20),
			[]server.Spec{unlimited()}, nil, sim.Step{Policies: under(late), Network: legs}),
		"work that takes no time is done in the order of the calls": path(again, []server.Spec{mixed}, nil, step(0, once, 0)),
		"calls from before the warm-up are not inside":              path(at(0, 50*ms, 90*ms, 100*ms, 500*ms), []server.Spec{working(1, s)}, nil, step(0, once, 0)),
	}
	cases["calls from before the warm-up are not inside"].Warmup = 100 * ms
	for name, m := range cases {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(5) {
				compare(t, m, seed, new(sim.Runner))
			}
		})
	}
}

// spell prints a model as Go, without what is zero, to be pasted into a test.
func spell(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		return "&" + spell(v.Elem())
	case reflect.Slice:
		var items []string
		for i := range v.Len() {
			items = append(items, spell(v.Index(i)))
		}
		return v.Type().String() + "{" + strings.Join(items, ", ") + "}"
	case reflect.Struct:
		var fields []string
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				fields = append(fields, v.Type().Field(i).Name+": "+spell(f))
			}
		}
		return v.Type().String() + "{" + strings.Join(fields, ", ") + "}"
	case reflect.Int64:
		if d, ok := v.Interface().(time.Duration); ok && d%ms == 0 {
			return fmt.Sprintf("%d * ms", d/ms)
		}
	}
	return fmt.Sprintf("%#v", v.Interface())
}
