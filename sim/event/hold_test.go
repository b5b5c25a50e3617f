package event

import (
	"math/rand/v2"
	"testing"
	"time"
)

// queue is what the benchmarks and tests need of a set of pending events. It is
// a constraint, so calls through it are direct.
type queue[T any] interface {
	*T
	Push(Event)
	Pop() (Event, bool)
	Len() int
	Reset()
}

// increments is a table of times until the next event, the same for all
// structures. Its size is fixed so that walking it costs next to nothing.
type increments [1 << 16]time.Duration

// exponential increments have a mean of one second.
func exponential() *increments {
	r := rand.New(rand.NewPCG(1, 1))
	t := new(increments)
	for i := range t {
		t[i] = time.Duration(r.ExpFloat64() * float64(time.Second))
	}
	return t
}

// retry increments are backoffs with full jitter, capped at 30 s, before
// retries 0 to 13 alike: a third of them is below 50 ms.
func retry() *increments {
	r := rand.New(rand.NewPCG(2, 2))
	t := new(increments)
	for i := range t {
		t[i] = time.Duration(r.Int64N(int64(min(30*time.Second, 5*time.Millisecond<<r.IntN(14)))))
	}
	return t
}

var sizes = []struct {
	name string
	n    int
}{{"1e3", 1e3}, {"1e4", 1e4}, {"1e5", 1e5}, {"1e6", 1e6}}

// BenchmarkHold compares the set with a plain 4-ary heap by the hold model: pop
// an event, push it again some time later. An operation is one hold.
func BenchmarkHold(b *testing.B) {
	b.Run("wheel", benchmarkHold[Set])
	b.Run("heap", benchmarkHold[heap4])
}

func benchmarkHold[T any, Q queue[T]](b *testing.B) {
	b.Run("exponential", func(b *testing.B) {
		table := exponential()
		for _, s := range sizes {
			b.Run(s.name, func(b *testing.B) { hold[T, Q](b, s.n, table) })
		}
	})
	b.Run("retry", func(b *testing.B) {
		table := retry()
		for _, s := range sizes {
			b.Run(s.name, func(b *testing.B) { hold[T, Q](b, s.n, table) })
		}
	})
	b.Run("cancel", func(b *testing.B) {
		table := retry()
		for _, s := range sizes {
			b.Run(s.name, func(b *testing.B) { cancel[T, Q](b, s.n, table) })
		}
	})
}

func hold[T any, Q queue[T]](b *testing.B, n int, table *increments) {
	q := Q(new(T))
	k := 0
	next := func() time.Duration {
		k++
		return table[k%len(table)]
	}
	for i := range n {
		q.Push(Event{At: next(), Key: uint64(i) << 20})
	}
	run := func(holds int) {
		for range holds {
			e, _ := q.Pop()
			e.At += next()
			q.Push(e)
		}
	}
	run(2 * n) // into the steady state
	b.ResetTimer()
	run(b.N)
}

// cancel measures timers that mostly end early. Each live event starts a
// request: a completion and a timeout of one second, of which the later one is
// dead when it comes. An operation is one live event.
func cancel[T any, Q queue[T]](b *testing.B, n int, table *increments) {
	q := Q(new(T))
	k := 0
	gen := make([]uint32, n)
	request := func(now time.Duration, ref uint32) {
		k++
		gen[ref]++
		e := Event{At: now + table[k%len(table)], Key: uint64(ref) << 20, Ref: ref, Gen: gen[ref]}
		q.Push(e)
		e.At = now + time.Second
		e.Key++
		q.Push(e)
	}
	for i := range n {
		request(0, uint32(i))
	}
	run := func(live int) {
		for live > 0 {
			e, _ := q.Pop()
			if e.Gen == gen[e.Ref] {
				request(e.At, e.Ref)
				live--
			}
		}
	}
	run(2 * n)
	b.ResetTimer()
	run(b.N)
}

// BenchmarkHerd is the hold model with all events at one instant, in another
// order each time.
func BenchmarkHerd(b *testing.B) {
	b.Run("wheel", benchmarkHerd[Set])
	b.Run("heap", benchmarkHerd[heap4])
}

func benchmarkHerd[T any, Q queue[T]](b *testing.B) {
	for _, s := range sizes {
		b.Run(s.name, func(b *testing.B) {
			q := Q(new(T))
			for i := range s.n {
				q.Push(Event{Key: uint64(i) * 0x9e3779b97f4a7c15})
			}
			run := func(holds int) {
				for range holds {
					e, _ := q.Pop()
					e.At += time.Second
					e.Key *= 0x9e3779b97f4a7c15
					q.Push(e)
				}
			}
			run(s.n)
			b.ResetTimer()
			run(b.N)
		})
	}
}

// BenchmarkSmall runs tiny models one after the other in the same set: 100
// pending events, 1000 in all. An operation is one event.
func BenchmarkSmall(b *testing.B) {
	b.Run("wheel", benchmarkSmall[Set])
	b.Run("heap", benchmarkSmall[heap4])
}

func benchmarkSmall[T any, Q queue[T]](b *testing.B) {
	q := Q(new(T))
	table := retry()
	k := 0
	for done := 0; done < b.N; done += 1000 {
		q.Reset()
		for i := range 100 {
			k++
			q.Push(Event{At: table[k%len(table)], Key: uint64(i) << 20})
		}
		for range 1000 {
			k++
			e, _ := q.Pop()
			e.At += table[k%len(table)]
			q.Push(e)
		}
	}
}
