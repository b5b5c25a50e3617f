package sim

import (
	"slices"

	"retrystorm/strategies"
)

// scope says who shares a state.
type scope uint8

const (
	byProcess scope = iota
	byClient
	byRequest
	byAll
)

func scopeOf(word string) scope {
	switch word {
	case "client":
		return byClient
	case "request":
		return byRequest
	case "all":
		return byAll
	default:
		return byProcess
	}
}

// pool holds the states of one mechanism of a policy, for one target or for
// all: one for each process, client, request or for everybody.
type pool[R, S any] struct {
	rules  R
	states []S
	scope  scope
	clear  func(*R, *S)
	rests  func(*R, *S) bool // nothing that was taken is out
	begins map[int]int       // per caller, where its part begins
}

// at is the state that a task uses.
func (p *pool[R, S]) at(base uint32, slot uint32, x *taskExtra) *S {
	switch p.scope {
	case byProcess:
		return &p.states[base+x.process]
	case byClient:
		return &p.states[base+x.member]
	case byRequest:
		return &p.states[slot]
	default:
		return &p.states[0]
	}
}

// begin makes the state of a request that has one of its own.
func (p *pool[R, S]) begin(slot uint32) {
	if p.scope != byRequest {
		return
	}
	for n := len(p.states); n <= int(slot); n++ {
		p.states = slices.Grow(p.states, 1)[:n+1] // with what the last run left
		p.clear(&p.rules, &p.states[n])
	}
	p.clear(&p.rules, &p.states[slot])
}

func (p *pool[R, S]) reset() {
	if p.scope == byRequest {
		p.states = p.states[:0]
	}
	for i := range p.states {
		p.clear(&p.rules, &p.states[i])
	}
}

func (p *pool[R, S]) idle() bool {
	for i := range p.states {
		if p.rests != nil && !p.rests(&p.rules, &p.states[i]) {
			return false
		}
	}
	return true
}

// join gives a caller its part of the states, and returns where it begins.
func (p *pool[R, S]) join(s *sharing) uint32 {
	if begin, ok := p.begins[s.caller]; ok {
		return uint32(begin)
	}
	begin, more := len(p.states), 0
	switch p.scope {
	case byProcess:
		more = s.processes
	case byClient:
		more = s.clients
	case byAll:
		begin, more = 0, 1-len(p.states)
	case byRequest:
	}
	p.begins[s.caller] = begin
	p.states = append(p.states, make([]S, more)...)
	return uint32(begin)
}

// bases are where a caller's part begins in each pool of a hop.
type bases struct{ budget, breaker, limiter, hedge uint32 }

// states are a pool, whatever is in it.
type states interface {
	reset()
	idle() bool
}

// sharing finds the pools of hops while a model is compiled.
type sharing struct {
	runner             *Runner
	caller             int // number of the group or service
	clients, processes int // of the caller
	policy             *Policy
	pools              map[poolKey]states
}

type poolKey struct {
	mechanism string
	policy    *Policy
	target    int
}

// find is the pool of a mechanism for a target, made if it isn't there yet.
func find[R, S any](s *sharing, mechanism, keyed, scope string, to int, rules R, clear func(*R, *S)) *pool[R, S] {
	key := poolKey{mechanism, s.policy, to}
	if keyed == "policy" {
		key.target = -1
	}
	if p, ok := s.pools[key]; ok {
		return p.(*pool[R, S])
	}
	p := &pool[R, S]{rules: rules, scope: scopeOf(scope), clear: clear, begins: map[int]int{}}
	if s.pools == nil {
		s.pools = map[poolKey]states{}
	}
	s.pools[key] = p
	s.runner.pools = append(s.runner.pools, p)
	return p
}

func budgetRests(_ *strategies.BudgetRules, s *strategies.BudgetState) bool { return s.Idle() }

func breakerRests(_ *strategies.BreakerRules, s *strategies.BreakerState) bool { return s.Idle() }

// compile gives a hop what its callers share.
func (s *sharing) compile(h *hop, p *strategies.Policy) {
	to := int(h.to)
	if b := p.Budget; b != nil {
		h.budget = find(s, "budget", b.Keyed, b.Scope, to, b.Compile(), (*strategies.BudgetRules).Reset)
		h.base.budget, h.budget.rests = h.budget.join(s), budgetRests
	}
	if b := p.Breaker; b != nil {
		h.breaker = find(s, "breaker", b.Keyed, b.Scope, to, b.Compile(), (*strategies.BreakerRules).Reset)
		h.base.breaker, h.breaker.rests = h.breaker.join(s), breakerRests
		h.wraps = wrapsOf(b.Wraps)
	}
	if l := p.Limiter; l != nil {
		h.limiter = find(s, "limiter", l.Keyed, l.Scope, to, l.Compile(), clearLine)
		h.base.limiter, h.limiter.rests = h.limiter.join(s), lineRests
	}
	if g := p.Hedge; g != nil {
		h.hedge = find(s, "hedge", g.Keyed, g.Scope, to, g.Compile(), (*strategies.HedgeRules).Reset)
		h.base.hedge = h.hedge.join(s)
	}
}

// wraps is what a breaker stops.
type wraps uint8

const (
	wrapsAttempts wraps = iota
	wrapsRequest
	wrapsRetries
)

func wrapsOf(word string) wraps {
	switch word {
	case "request":
		return wrapsRequest
	case "retries":
		return wrapsRetries
	default:
		return wrapsAttempts
	}
}
