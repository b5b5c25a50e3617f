package event

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
)

func zpat[T any, Q queue[T]](p string, n int) (float64, int) {
	q := Q(new(T))
	r := rand.New(rand.NewPCG(5, 5))
	ops := 0
	pop := func() Event { e, _ := q.Pop(); ops++; return e }
	t0 := cpu()
	switch p {
	case "instant-desc", "instant-asc", "instant-rand", "instant-dup":
		q.Push(Event{At: 5})
		pop()
		for i := range n {
			k := uint64(i)
			switch p {
			case "instant-desc":
				k = uint64(n - i)
			case "instant-rand":
				k = r.Uint64()
			case "instant-dup":
				k = 7
			}
			q.Push(Event{At: 5, Key: k})
		}
		for q.Len() > 0 {
			pop()
		}
	case "instant-chain": // herd, each pushes another at same instant, random key
		for i := range n {
			q.Push(Event{At: 5, Key: r.Uint64(), Gen: uint32(i)})
		}
		left := 2 * n
		for q.Len() > 0 {
			e := pop()
			if left > 0 {
				left--
				e.Key = r.Uint64()
				q.Push(e)
			}
		}
	case "skew": // log-uniform ns to days
		for i := range n {
			q.Push(Event{At: time.Duration(r.Int64() >> r.IntN(60)) >> 10, Key: uint64(i)})
		}
		for range 2 * n {
			e := pop()
			e.At += time.Duration(r.Int64()>>10) >> r.IntN(53)
			if e.At < 0 { e.At = 1<<63-1 }
			q.Push(e)
		}
	case "bursts":
		for i := range n {
			q.Push(Event{At: time.Duration(i%10)*10*time.Second + time.Duration(r.IntN(1e6)), Key: uint64(i)})
		}
		for range 3 * n {
			e := pop()
			e.At = e.At.Truncate(10*time.Second) + 100*time.Second + time.Duration(r.IntN(1e6))
			q.Push(e)
		}
	case "waves": // each instant 40 events
		for i := range n {
			q.Push(Event{At: time.Duration(i/40) * time.Millisecond, Key: r.Uint64()})
		}
		for range 3 * n {
			e := pop()
			e.At += time.Duration(n/40) * time.Millisecond
			e.Key *= 0x9e3779b97f4a7c15
			q.Push(e)
		}
	case "waves20": // each instant 20 events
		for i := range n {
			q.Push(Event{At: time.Duration(i/20) * time.Millisecond, Key: r.Uint64()})
		}
		for range 3 * n {
			e := pop()
			e.At += time.Duration(n/20) * time.Millisecond
			e.Key *= 0x9e3779b97f4a7c15
			q.Push(e)
		}
	case "regimes": // dense then sparse alternately
		for i := range n {
			q.Push(Event{At: time.Duration(i), Key: uint64(i)})
		}
		for j := range 4 * n {
			e := pop()
			if j/n%2 == 0 {
				e.At += time.Duration(r.Int64N(3600e9))
			} else {
				e.At += time.Duration(r.Int64N(1e3))
			}
			q.Push(e)
		}
	case "boundary": // just below a power of two
		now := time.Duration(1<<40 - 1)
		q.Push(Event{At: now})
		pop()
		for i := range n {
			q.Push(Event{At: now + time.Duration(i&1)+ time.Duration(i&2)<<30, Key: uint64(i)})
			if i%3 == 0 {
				now = pop().At
			}
		}
		for q.Len() > 0 {
			pop()
		}
	case "next": // one always next, far others
		for i := range n {
			q.Push(Event{At: time.Hour + time.Duration(r.Int64N(1e12)), Key: uint64(i)})
		}
		q.Push(Event{At: 1})
		for range 3 * n {
			e := pop()
			e.At += 1
			q.Push(e)
		}
	case "fill": // fill a window wide open, 70 at a time, pop 1
		for i := range n {
			q.Push(Event{At: time.Duration(r.Int64N(1e15)), Key: uint64(i)})
		}
		for range n / 70 {
			e := pop()
			for range 70 {
				f := e
				f.At += time.Duration(r.Int64() >> r.IntN(63))>>8
				f.Key = r.Uint64()
				q.Push(f)
			}
			for range 69 {
				pop()
			}
		}
	}
	return float64(cpu()-t0) / float64(ops), ops
}

func TestZX(t *testing.T) {
	runtime.LockOSThread()
	for _, p := range []string{"instant-desc", "instant-asc", "instant-rand", "instant-dup", "instant-chain", "skew", "bursts", "waves", "waves20", "regimes", "boundary", "next", "fill"} {
		for _, n := range []int{1000, 100000, 1000000} {
			w, _ := zpat[Set](p, n)
			h, _ := zpat[heap4](p, n)
			fmt.Printf("%-15s %8d wheel %7.1f heap %7.1f ratio %.2f\n", p, n, w, h, w/h)
		}
	}
}
