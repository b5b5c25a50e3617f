package server

import (
	"testing"
	"time"

	"retrystorm/sim/limit"
	"retrystorm/sim/random"
)

// busyStations are stations of every kind of hot path.
func busyStations() map[string]Spec {
	wide := func(kind, scope string) func(*Spec) {
		return limited(RateLimit{Kind: kind, Rate: 1e6, Burst: 10, Limit: 1000, Window: ms, Answer: says(429), Scope: scope})
	}
	return map[string]Spec{
		"plain":          service(workers(10)),
		"lifo":           service(workers(10), waiting(Queue{Limit: 100, Order: "lifo", Full: says(503)})),
		"errors":         service(workers(10), faulty(Fault{Kind: "errors", Share: 0.1}, Fault{Kind: "slow", Factor: 3})),
		"pauses":         service(workers(10), faulty(Fault{Kind: "pause", At: time.Hour, For: 1})),
		"crash":          service(workers(10), crashing(Crash{Above: 15, Ramp: ms})),
		"token-bucket":   service(workers(10), wide("token-bucket", "all")),
		"fixed-window":   service(workers(10), wide("fixed-window", "all")),
		"sliding-window": service(workers(10), wide("sliding-window", "all")),
		"per-client":     service(workers(10), wide("token-bucket", "client")),
		"mix":            service(workers(10), faulty(Fault{Kind: "errors", Share: 0.1, Mix: []MixPart{{Answer: "503", Share: 0.5}, {Answer: "429", Share: 0.5}}})),
		"retry-after":    service(workers(10), faulty(Fault{Kind: "errors", Share: 0.1, Answer: Reply{Answer: 503, RetryAfter: Asked{Kind: AskedDelay, Delay: sec}, Spread: sec}})),
		"ban":            service(workers(10), limited(RateLimit{Kind: "token-bucket", Rate: 9e5, Burst: 10, Ban: ms, Answer: asks(AskedToken)})),
		"limiter":        service(workers(10), limiting(limit.Spec{Kind: "aimd", Limit: 20, Min: 1, Max: 100})),
		"shed":           service(workers(10), waiting(Queue{Limit: 10}), shedding(Shed{Kind: "retries", Above: 0.1, Answer: says(503)})),
	}
}

// round is one call through a busy station; each takes a microsecond.
func round(s *Station, i uint64) {
	now := time.Duration(i) * time.Microsecond
	if at, ok := s.NextChange(); ok && at <= now {
		s.Change(now)
	}
	if s.Inside() > 12 {
		s.Leave(0, 0, false)
		if _, ok := s.Next(now); ok {
			s.Finish(now, ms)
		}
	}
	if d := s.Arrive(now, Call{ID: uint32(i), Client: i % 100, Key: random.Root(1, i)}); d.Fate == Starts {
		s.Finish(now, ms)
	}
}

func TestNoAllocations(t *testing.T) {
	for name, spec := range busyStations() {
		s := New(spec, 24*time.Hour)
		i := uint64(0)
		for ; i < 5000; i++ {
			round(s, i)
		}
		if n := testing.AllocsPerRun(2000, func() { round(s, i); i++ }); n != 0 {
			t.Errorf("%s: %v allocations a call", name, n)
		}
	}
}

// shop is a busy station whose calls' numbers are used again.
type shop struct {
	s    *Station
	free []uint32
	in   ring[uint32]
}

func newShop(order string) *shop {
	p := &shop{s: New(service(workers(10), waiting(Queue{Limit: Unlimited, Order: order, Full: says(503)})), 1<<62)}
	for i := range uint32(200) {
		p.free = append(p.free, i)
	}
	return p
}

// round is one call through the shop, and at times one that goes away before
// its turn.
func (p *shop) round(i uint64) {
	now := time.Duration(i) * time.Microsecond
	for p.s.Inside() > 100 {
		p.s.Leave(now, ms, false)
		p.free = append(p.free, p.in.pop())
		p.next(now)
	}
	key := random.Root(1, i)
	call := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	if d := p.s.Arrive(now, Call{ID: call, Key: key, Retry: i%5 == 0, Deadline: now + time.Duration(key>>40)}); d.Fate == Starts {
		p.in.push(call)
	}
	if i%16 == 0 && p.s.Remove(call) {
		p.free = append(p.free, call)
	}
}

func (p *shop) next(now time.Duration) {
	for {
		t, ok := p.s.Next(now)
		switch {
		case !ok:
			return
		case t.Dropped:
			p.free = append(p.free, t.Call)
		default:
			p.in.push(t.Call)
		}
	}
}

func TestOrdersDoNotAllocate(t *testing.T) {
	for _, order := range orders {
		p := newShop(order)
		i := uint64(0)
		for ; i < 5000; i++ {
			p.round(i)
		}
		if n := testing.AllocsPerRun(2000, func() { p.round(i); i++ }); n != 0 {
			t.Errorf("%s: %v allocations a call", order, n)
		}
	}
}

// BenchmarkOrder is a call through a queue of about 90.
func BenchmarkOrder(b *testing.B) {
	for _, order := range orders {
		b.Run(order, func(b *testing.B) {
			p := newShop(order)
			for i := uint64(0); b.Loop(); i++ {
				p.round(i)
			}
		})
	}
}

func BenchmarkStation(b *testing.B) {
	for name, spec := range busyStations() {
		b.Run(name, func(b *testing.B) {
			s := New(spec, 1<<62)
			for i := uint64(0); b.Loop(); i++ {
				round(s, i)
			}
		})
	}
}
