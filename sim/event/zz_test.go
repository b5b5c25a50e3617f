package event

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

func cpu() time.Duration {
	var t syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, 3, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}

type zq interface {
	Push(Event)
	Pop() (Event, bool)
}

func zhold[T any, Q queue[T]](n, N int, inc *increments) func() float64 {
	q := Q(new(T))
	k := 0
	next := func() time.Duration { k++; return inc[k&(1<<16-1)] }
	for i := range n {
		q.Push(Event{At: next(), Key: uint64(i) << 20, Ref: uint32(i)})
	}
	step := func(N int) {
		for range N {
			e, _ := q.Pop()
			e.At += next()
			q.Push(e)
		}
	}
	step(2 * n)
	return func() float64 {
		t := cpu()
		step(N)
		return float64((cpu() - t).Nanoseconds()) / float64(N)
	}
}

func zcancel[T any, Q queue[T]](n, N int, inc *increments) func() float64 {
	q := Q(new(T))
	k := 0
	next := func() time.Duration { k++; return inc[k&(1<<16-1)] }
	gen := make([]uint32, n)
	for i := range n {
		q.Push(Event{At: next(), Key: uint64(i) << 20, Ref: uint32(i)})
	}
	step := func(N int) {
		for N > 0 {
			e, _ := q.Pop()
			if gen[e.Ref] != e.Gen {
				continue
			}
			N--
			e.Gen++
			gen[e.Ref] = e.Gen
			at := e.At
			e.At = at + next()
			e.Key &^= 1
			q.Push(e)
			e.At = at + time.Second
			e.Key |= 1
			q.Push(e)
		}
	}
	step(2 * n)
	return func() float64 {
		t := cpu()
		step(N)
		return float64((cpu() - t).Nanoseconds()) / float64(N)
	}
}

func zherd[T any, Q queue[T]](n, N int, inc *increments) func() float64 {
	q := Q(new(T))
	for i := range n {
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
	run(n)
	return func() float64 {
		t := cpu()
		run(N)
		return float64((cpu() - t).Nanoseconds()) / float64(N)
	}
}

func zsmall[T any, Q queue[T]](n, N int, table *increments) func() float64 {
	q := Q(new(T))
	k := 0
	return func() float64 {
		t := cpu()
	for done := 0; done < N; done += 10*n {
		q.Reset()
		for i := range n {
			k++
			q.Push(Event{At: table[k%len(table)], Key: uint64(i) << 20})
		}
		for range 10*n {
			k++
			e, _ := q.Pop()
			e.At += table[k%len(table)]
			q.Push(e)
		}
	}
		return float64((cpu() - t).Nanoseconds()) / float64(N)
	}
}

func TestZZ(t *testing.T) {
	if os.Getenv("ZZ") == "" {
		t.Skip()
	}
	runtime.LockOSThread()
	debug.SetGCPercent(-1)
	exp, ret := exponential(), retry()
	for _, n := range []int{10, 30, 100, 1000, 10000, 100000, 1000000} {
		for _, d := range []string{"exp", "retry", "cancel", "herd", "small", "smallexp"} {
			name := fmt.Sprintf("%s/%d", d, n)
			if f := os.Getenv("ZZ"); f != "all" && !slices.ContainsFunc(strings.Split(f, ","), func(x string) bool { return strings.HasPrefix(name+"$", x) }) {
				continue
			}
			N, rounds := 1000000, 7
			if n == 1000000 {
				rounds = 5
			}
			var w, h func() float64
			switch d {
			case "exp":
				w, h = zhold[Set, *Set](n, N, exp), zhold[heap4, *heap4](n, N, exp)
			case "retry":
				w, h = zhold[Set, *Set](n, N, ret), zhold[heap4, *heap4](n, N, ret)
			case "herd":
				w, h = zherd[Set, *Set](n, N, ret), zherd[heap4, *heap4](n, N, ret)
			case "small":
				w, h = zsmall[Set, *Set](n, N, ret), zsmall[heap4, *heap4](n, N, ret)
			case "smallexp":
				w, h = zsmall[Set, *Set](n, N, exp), zsmall[heap4, *heap4](n, N, exp)
			default:
				N /= 2
				w, h = zcancel[Set, *Set](n, N, ret), zcancel[heap4, *heap4](n, N, ret)
			}
			var a, b []float64
			for range rounds {
				a = append(a, w())
				b = append(b, h())
			}
			slices.Sort(a)
			slices.Sort(b)
			fmt.Printf("%-15s wheel %6.1f heap %6.1f ratio %.3f  (min %.1f %.1f)\n", name, a[rounds/2], b[rounds/2], a[rounds/2]/b[rounds/2], a[0], b[0])
		}
	}
}
