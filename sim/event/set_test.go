package event

import (
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
)

const day = 24 * time.Hour

// failer is a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// both is a set and the oracle, which get the same pushes and pops.
type both struct {
	set  Set
	heap heap4
	now  time.Duration
}

func (b *both) push(at time.Duration, key uint64) {
	e := Event{At: at, Key: key}
	b.set.Push(e)
	b.heap.Push(e)
}

// pop fails the test unless the set and the oracle agree.
func (b *both) pop(t failer) {
	t.Helper()
	got, gotOK := b.set.Pop()
	want, wantOK := b.heap.Pop()
	if got.At != want.At || got.Key != want.Key || gotOK != wantOK {
		t.Fatalf("Pop() = %v, %v, want %v, %v", got, gotOK, want, wantOK)
	}
	if b.set.Len() != b.heap.Len() {
		t.Fatalf("Len() = %d, want %d", b.set.Len(), b.heap.Len())
	}
	if gotOK {
		b.now = got.At
	}
}

// drain pops everything and once more.
func (b *both) drain(t failer) {
	t.Helper()
	for range b.heap.Len() + 1 {
		b.pop(t)
	}
}

func (b *both) reset() {
	b.set.Reset()
	b.heap.Reset()
	b.now = 0
}

// after returns the time that comes d after now, or the end of time.
func (b *both) after(d time.Duration) time.Duration {
	if d > math.MaxInt64-b.now {
		return math.MaxInt64
	}
	return b.now + d
}

func TestEventIsSmall(t *testing.T) {
	if got := unsafe.Sizeof(Event{}); got != 24 {
		t.Errorf("an event takes %d bytes, want 24", got)
	}
}

func TestBefore(t *testing.T) {
	sorted := []Event{{At: 0, Key: 3}, {At: 1, Key: 0}, {At: 1, Key: math.MaxUint64}, {At: math.MaxInt64, Key: 0}}
	for i, a := range sorted {
		for j, b := range sorted {
			if got, want := a.Before(b), i < j; got != want {
				t.Errorf("%v.Before(%v) = %v, want %v", a, b, got, want)
			}
		}
	}
	if (Event{Ref: 1}).Before(Event{Ref: 2, Gen: 1}) {
		t.Error("the payload takes part in the order")
	}
}

func TestZeroValue(t *testing.T) {
	var s Set
	if e, ok := s.Pop(); ok || e != (Event{}) || s.Len() != 0 {
		t.Errorf("a new set has %v, %v, length %d", e, ok, s.Len())
	}
	s.Reset()
	// Events with and without time and key, each the first of a new set.
	for _, e := range []Event{{}, {Key: 1}, {At: 1}, {At: math.MaxInt64, Key: math.MaxUint64, Ref: 1, Gen: 2}} {
		var s Set
		s.Push(e)
		if s.Len() != 1 {
			t.Errorf("Len() = %d, want 1", s.Len())
		}
		if got, ok := s.Pop(); !ok || got != e {
			t.Errorf("Pop() = %v, %v, want %v", got, ok, e)
		}
		if _, ok := s.Pop(); ok || s.Len() != 0 {
			t.Error("the set isn't empty after its only event")
		}
	}
}

func TestPushBeforeThePresentPanics(t *testing.T) {
	rejected := func(s *Set, at time.Duration) {
		t.Helper()
		n := s.Len()
		defer func() {
			t.Helper()
			message, _ := recover().(string)
			if !strings.HasPrefix(message, "event: ") {
				t.Errorf("push at %v: panic %q, want one that begins with the package", at, message)
			}
			if s.Len() != n {
				t.Errorf("push at %v: a rejected event changed the length", at)
			}
		}()
		s.Push(Event{At: at})
	}
	var s Set
	rejected(&s, -1)
	rejected(&s, math.MinInt64)
	s.Push(Event{At: 10 * day})
	rejected(&s, -1)
	s.Pop()
	rejected(&s, 10*day-1)
	rejected(&s, 0)
	rejected(&s, math.MinInt64)
	s.Push(Event{At: 10 * day})
	s.Pop()
	s.Reset()
	rejected(&s, -1)
	s.Push(Event{At: 0})
}

func TestSmallerKeyAtTheSameInstantComesNext(t *testing.T) {
	var s Set
	for _, key := range []uint64{30, 10, 20} {
		s.Push(Event{At: 5, Key: key})
	}
	var got []uint64
	pop := func() {
		e, _ := s.Pop()
		got = append(got, e.Key)
	}
	pop()
	pop()
	s.Push(Event{At: 5, Key: 1})
	s.Push(Event{At: 5, Key: 25})
	pop()
	pop()
	pop()
	if diff := cmp.Diff([]uint64{10, 20, 1, 25, 30}, got); diff != "" {
		t.Error(diff)
	}
}

func TestDuplicatesAllComeOut(t *testing.T) {
	for _, n := range []int{2, 40, 1000, 20_000} {
		var s Set
		s.Push(Event{At: 1})
		s.Pop()
		// In the window, where there is little room, and after it.
		for _, at := range []time.Duration{1, 2 * time.Second} {
			seen := make([]bool, n)
			for i := range n {
				s.Push(Event{At: at, Key: 7, Ref: uint32(i)})
			}
			for range n {
				e, ok := s.Pop()
				if !ok || e.At != at || e.Key != 7 || seen[e.Ref] {
					t.Fatalf("%d duplicates at %v: got %v, %v", n, at, e, ok)
				}
				seen[e.Ref] = true
			}
		}
		if s.Len() != 0 {
			t.Fatalf("%d events left", s.Len())
		}
	}
}

func TestWholeRange(t *testing.T) {
	var b both
	times := []time.Duration{math.MaxInt64, 0, 1, 7 * day, math.MaxInt64 - 1, 1 << 62, 1<<62 - 1, 365 * 200 * day}
	for shift := range 63 {
		times = append(times, 1<<shift, 1<<shift-1, 1<<shift+1)
	}
	keys := []uint64{math.MaxUint64, 0, 1, 1 << 63, 1<<63 - 1}
	for range 3 {
		for _, at := range times {
			for _, key := range keys {
				b.push(at, key)
			}
		}
		b.drain(t)
		b.reset()
	}
	// One at a time, so that the set is empty in between.
	for shift := range 63 {
		b.push(1<<shift, 1)
		b.push(1<<shift, 0)
		b.pop(t)
		b.push(1<<shift, math.MaxUint64)
		b.drain(t)
	}
	b.push(math.MaxInt64, 1)
	b.push(math.MaxInt64, 0)
	b.drain(t)
}

func TestHerdAtOneInstant(t *testing.T) {
	sizes := []int{chunkLen + 1, 1000, 20_000}
	if !testing.Short() {
		sizes = append(sizes, 1_000_000)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range sizes {
		var b both
		for _, at := range []time.Duration{0, time.Second} {
			for i := range n {
				b.push(at, uint64(r.IntN(4))<<60|uint64(i)<<20)
			}
			b.drain(t)
		}
	}
}

// Pushes into the instant that is being drained must all find their place, and
// with this many, a quadratic algorithm would not end.
func TestPushIntoThePresentInstant(t *testing.T) {
	n := 50_000
	if testing.Short() {
		n = 5000
	}
	r := rand.New(rand.NewPCG(3, 4))
	orders := map[string]func(i int) uint64{
		"ascending":   func(i int) uint64 { return uint64(i) },
		"descending":  func(i int) uint64 { return uint64(n - i) },
		"random":      func(int) uint64 { return r.Uint64() },
		"few":         func(int) uint64 { return r.Uint64N(3) },
		"equal":       func(int) uint64 { return 1 << 40 },
		"alternating": func(i int) uint64 { return 1<<32 + uint64(i)*uint64(i%2*2-1) },
	}
	for name, key := range orders {
		t.Run(name, func(t *testing.T) {
			var b both
			for _, herd := range []int{1, 100, n} {
				at := b.after(time.Second)
				for range herd {
					b.push(at, r.Uint64())
				}
				b.pop(t)
				for i := range n {
					b.push(at, key(i))
					if i%8 == 0 {
						b.pop(t)
					}
				}
				b.push(at+1, 0)
				b.drain(t)
			}
		})
	}
}

// Pushes at the present instant, but behind the keys that are being drained.
func TestPushBehindTheWindow(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for pops := range 3 * chunkLen {
		var b both
		for range 5000 {
			b.push(time.Second, 1<<60|r.Uint64()>>10)
		}
		for range pops {
			b.pop(t)
		}
		for range 4 * frontLen {
			b.push(b.after(0), r.Uint64()>>4)
			b.push(b.after(0), r.Uint64()>>r.IntN(64))
		}
		b.drain(t)
	}
}

// A window that is far too wide for what comes must become narrow.
func TestPushIntoAWideWindow(t *testing.T) {
	const n = 20_000
	r := rand.New(rand.NewPCG(5, 6))
	var b both
	for _, spread := range []time.Duration{1, 100, time.Microsecond, time.Second, day} {
		b.push(b.after(time.Hour), 0)
		b.push(b.after(100*day), 0)
		b.pop(t)
		for range n {
			b.push(b.after(time.Duration(r.Int64N(int64(spread)))), r.Uint64())
		}
		b.drain(t)
	}
}

func TestSkewedMixes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	mixes := map[string]func() time.Duration{
		"nanoseconds to days": func() time.Duration { return time.Duration(r.Int64N(1 << r.IntN(50))) },
		"two ends":            func() time.Duration { return time.Duration(r.Int64N(2)) * 30 * day },
		"bursts":              func() time.Duration { return time.Duration(r.Int64N(20))*time.Minute + time.Duration(r.IntN(50)) },
		"regimes":             nil,
	}
	calls := 0
	mixes["regimes"] = func() time.Duration {
		calls++
		if calls/20_000%2 == 0 {
			return time.Duration(r.IntN(100))
		}
		return time.Duration(r.Int64N(int64(time.Hour)))
	}
	for name, next := range mixes {
		t.Run(name, func(t *testing.T) {
			var b both
			for _, n := range []int{20, 500, 20_000} {
				for range n {
					b.push(b.after(next()), r.Uint64())
				}
				for range 2 * n {
					b.pop(t)
					b.push(b.after(next()), r.Uint64())
				}
			}
			b.drain(t)
		})
	}
}

func TestEmptyThenRefill(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	var b both
	for range 200 {
		for range r.IntN(300) {
			b.push(b.after(time.Duration(r.Int64N(1<<r.IntN(40)))), r.Uint64())
		}
		b.drain(t)
	}
}

// A reset set must go on exactly as a new one, even where the order is
// unspecified.
func TestResetForgets(t *testing.T) {
	program := func(s *Set) (popped []Event) {
		r := rand.New(rand.NewPCG(11, 12))
		var now time.Duration
		for i := range 5000 {
			s.Push(Event{At: now + time.Duration(r.IntN(3)<<r.IntN(30)), Key: r.Uint64N(3), Ref: uint32(i)})
			if r.IntN(10) < 9 {
				e, _ := s.Pop()
				now = e.At
				popped = append(popped, e)
			}
		}
		return popped
	}
	var s Set
	want := program(&s)
	for i := range 5000 {
		s.Push(Event{At: day + time.Duration(i)<<22, Key: uint64(i)})
	}
	for range 4000 {
		s.Pop()
	}
	for range 200 {
		e, _ := s.Pop()
		for range 5 {
			s.Push(e)
		}
	}
	s.Reset()
	if s.Len() != 0 {
		t.Fatalf("Len() = %d after Reset", s.Len())
	}
	if diff := cmp.Diff(want, program(&s)); diff != "" {
		t.Error(diff)
	}
}

func TestNothingIsAllocatedPerEvent(t *testing.T) {
	for name, table := range map[string]*increments{"exponential": exponential(), "retry": retry()} {
		var s Set
		k := 0
		next := func() time.Duration {
			k++
			return table[k%len(table)]
		}
		run := func() {
			for i := range 2000 {
				s.Push(Event{At: next(), Key: uint64(i)})
			}
			for range 10_000 {
				e, _ := s.Pop()
				e.At += next()
				s.Push(e)
			}
			for range 500 { // a herd
				s.Push(Event{At: time.Hour, Key: uint64(next())})
			}
			s.Reset()
		}
		for range 3 {
			run()
		}
		if got := testing.AllocsPerRun(5, run); got != 0 {
			t.Errorf("%s: %v allocations in a run, want 0", name, got)
		}
	}
}

func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("pushes millions of events")
	}
	const n = 1_000_000
	const limit = n * 24 * 13 / 10
	for name, at := range map[string]func(i int) time.Duration{
		"burst": func(int) time.Duration { return time.Second },
		"even":  func(i int) time.Duration { return time.Duration(i) * time.Millisecond },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s := new(Set)
		for i := range n {
			s.Push(Event{At: at(i), Key: uint64(i) << 20})
		}
		for range n / 2 {
			s.Pop()
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > limit {
			t.Errorf("%s: %d bytes allocated for %d events, want at most %d", name, got, n, limit)
		}
	}
}

// The width of the slots must follow the events, in both directions.
func TestWidthFollowsTheEvents(t *testing.T) {
	table := exponential()
	for _, n := range []int{300, 10_000} {
		var s Set
		var now time.Duration
		k := 0
		for _, mean := range []time.Duration{time.Second, time.Hour, time.Minute, 40 * time.Millisecond, 100 * time.Microsecond, 3 * time.Second} {
			push := func() {
				k++
				s.Push(Event{At: now + time.Duration(table[k%len(table)].Seconds()*float64(mean)), Key: uint64(k)})
			}
			pop := func() {
				e, _ := s.Pop()
				now = e.At
			}
			for s.Len() > 0 {
				pop()
			}
			for range n {
				push()
			}
			hold := func(holds int) (windows int) {
				for range holds {
					if s.left == 0 {
						windows++
					}
					pop()
					push()
				}
				return windows
			}
			hold(10 * n) // to learn
			if per := 5 * n / max(1, hold(5*n)); per < 4 || per > 30 {
				t.Errorf("%d events, %v on average: %d events in a window, want 4 to 30", n, mean, per)
			}
		}
	}
}
