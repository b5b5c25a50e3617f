package event

import (
	"math/rand/v2"
	"testing"
	"time"
)

func exponentials() []time.Duration {
	r := rand.New(rand.NewPCG(1, 2))
	t := make([]time.Duration, 1<<16)
	for i := range t {
		t[i] = time.Duration(r.ExpFloat64() * 1e9)
	}
	return t
}

func retries() []time.Duration {
	r := rand.New(rand.NewPCG(3, 4))
	t := make([]time.Duration, 1<<16)
	for i := range t {
		t[i] = time.Duration(r.Int64N(int64(min(30*time.Second, 5*time.Millisecond<<r.IntN(14)))))
	}
	return t
}

type pending interface{ *Set | *heap4 }

type queue[T any] interface {
	*T
	Push(Event)
	Pop() (Event, bool)
	Len() int
}

func hold[T any, Q queue[T]](b *testing.B, n int, inc []time.Duration) {
	q := Q(new(T))
	var k int
	next := func() time.Duration { k++; return inc[k&(1<<16-1)] }
	for i := range n {
		q.Push(Event{At: next(), Key: uint64(i) << 20, Ref: uint32(i)})
	}
	for range 2 * n {
		e, _ := q.Pop()
		e.At += next()
		q.Push(e)
	}
	b.ResetTimer()
	for range b.N {
		e, _ := q.Pop()
		e.At += next()
		q.Push(e)
	}
}

func cancel[T any, Q queue[T]](b *testing.B, n int, inc []time.Duration) {
	q := Q(new(T))
	var k int
	next := func() time.Duration { k++; return inc[k&(1<<16-1)] }
	gen := make([]uint32, n)
	for i := range n {
		q.Push(Event{At: next(), Key: uint64(i) << 20, Ref: uint32(i)})
	}
	live := func() {
		for {
			e, _ := q.Pop()
			if gen[e.Ref] != e.Gen {
				continue
			}
			e.Gen++
			gen[e.Ref] = e.Gen
			at := e.At
			e.At = at + next()
			e.Key &^= 1
			q.Push(e)
			e.At = at + time.Second
			e.Key |= 1
			q.Push(e)
			return
		}
	}
	for range 2 * n {
		live()
	}
	b.ResetTimer()
	for range b.N {
		live()
	}
}

func run[T any, Q queue[T]](b *testing.B) {
	exp, ret := exponentials(), retries()
	sizes := []struct {
		name string
		n    int
	}{{"1e3", 1e3}, {"1e4", 1e4}, {"1e5", 1e5}, {"1e6", 1e6}}
	b.Run("exponential", func(b *testing.B) {
		for _, s := range sizes {
			b.Run(s.name, func(b *testing.B) { hold[T, Q](b, s.n, exp) })
		}
	})
	b.Run("retry", func(b *testing.B) {
		for _, s := range sizes {
			b.Run(s.name, func(b *testing.B) { hold[T, Q](b, s.n, ret) })
		}
	})
	b.Run("cancel", func(b *testing.B) {
		for _, s := range sizes {
			b.Run(s.name, func(b *testing.B) { cancel[T, Q](b, s.n, ret) })
		}
	})
}

func BenchmarkHold(b *testing.B) {
	b.Run("wheel", func(b *testing.B) { run[Set, *Set](b) })
	b.Run("heap", func(b *testing.B) { run[heap4, *heap4](b) })
}
