package strategies

import (
	"math"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// limiter is a state with its rules.
type limiter struct {
	LimiterRules
	LimiterState
}

func newLimiter(spec Limiter) *limiter {
	l := &limiter{LimiterRules: spec.Compile()}
	l.Reset(&l.LimiterState)
	return l
}

func (l *limiter) acquire(now time.Duration) (time.Duration, bool) {
	return l.Acquire(&l.LimiterState, now)
}

func (l *limiter) release(now time.Duration, o Outcome) {
	l.Release(&l.LimiterState, now, o, 10*time.Millisecond)
}

// TestAdaptiveTrace: 10 answers per second, throttled at 5.0, 5.1 and 12.0 s,
// to the last digit of what botocore's classes did.
func TestAdaptiveTrace(t *testing.T) {
	l := newLimiter(Limiter{Kind: "aws-adaptive"})
	for _, row := range readRows(t, "testdata/aws_adaptive_botocore.csv") {
		var want [9]float64
		for i, cell := range row {
			var err error
			if want[i], err = strconv.ParseFloat(cell, 64); err != nil {
				t.Fatal(err)
			}
		}
		o := OK
		if want[1] == 1 {
			o = 429
		}
		l.release(time.Duration(math.Round(want[0]*10))*100*time.Millisecond, o)
		a := &l.adaptive
		enabled := 0.0
		if a.enabled {
			enabled = 1
		}
		got := [9]float64{want[0], want[1], a.measured, a.fill, a.size, a.tokens, a.top, a.reach, enabled}
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-9 {
				t.Errorf("at %s s, column %d: %v, want %v", row[0], i+1, got[i], want[i])
			}
		}
	}
}

// TestAdaptiveBurst: each throttled answer cuts, ten together by 0.7^10.
func TestAdaptiveBurst(t *testing.T) {
	l := newLimiter(Limiter{Kind: "aws-adaptive"})
	now := time.Duration(0)
	for ; now <= 10*time.Second; now += 100 * time.Millisecond {
		l.release(now, OK)
	}
	l.adaptive.measured = 10
	for i, want := range []float64{7, 4.9, 3.43, 2.401, 1.6807, 1.17649, 0.823543, 0.5764801, 0.5, 0.5} {
		l.release(now, 429)
		if got := l.adaptive.fill; math.Abs(got-want) > 1e-9 {
			t.Errorf("after %d throttled answers: %v/s, want %v", i+1, got, want)
		}
	}
}

// TestAdaptiveAcquire: nothing is held back before the first throttled answer;
// then the time to ask again is when there is a token.
func TestAdaptiveAcquire(t *testing.T) {
	l := newLimiter(Limiter{Kind: "aws-adaptive", WhenFull: "fail"})
	for range 1000 {
		if _, ok := l.acquire(0); !ok {
			t.Fatal("held back before anything was throttled")
		}
	}
	l.release(0, 429) // fills at 0.5/s from now on
	now := time.Duration(0)
	for i := range 10 {
		wait, ok := l.acquire(now)
		if ok || wait != 2*time.Second {
			t.Fatalf("%d: %v %t, want to ask again after 2s", i, wait, ok)
		}
		if _, ok := l.acquire(now + wait - 1); ok {
			t.Fatalf("%d: a token too early", i)
		}
		now += wait
		if _, ok := l.acquire(now); !ok {
			t.Fatalf("%d: no token at %v", i, now)
		}
	}
}

// TestAdaptiveNeverSticks: whatever happened, who asks again as told gets a
// token, within the time that the least rate needs.
func TestAdaptiveNeverSticks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLimiter(Limiter{Kind: "aws-adaptive"})
		now := time.Duration(0)
		for range rapid.IntRange(1, 50).Draw(t, "answers") {
			now += time.Duration(rapid.Int64Range(0, int64(10*time.Second)).Draw(t, "gap"))
			l.release(now, rapid.SampledFrom([]Outcome{OK, 429, Timeout}).Draw(t, "outcome"))
			a := &l.adaptive
			if !(a.fill >= leastFill && a.size >= leastSize && a.tokens >= 0 && a.tokens <= a.size) {
				t.Fatalf("fill %v, size %v, tokens %v", a.fill, a.size, a.tokens)
			}
		}
		asked := now
		for range 4 {
			wait, ok := l.acquire(asked)
			if ok {
				return
			}
			if wait <= 0 || wait > 2*time.Second {
				t.Fatalf("ask again after %v", wait)
			}
			asked += wait
		}
		t.Fatal("no token after asking 4 times as told")
	})
}

// TestRateWaits: who asks too early is told when to ask again, and takes nothing.
func TestRateWaits(t *testing.T) {
	l := newLimiter(Limiter{Kind: "rate", Rate: 10, Burst: 2, WhenFull: "wait"})
	for i, want := range []time.Duration{0, 0, 100, 100, 100} {
		if wait, ok := l.acquire(0); wait != want*time.Millisecond || ok != (want == 0) {
			t.Errorf("%d: %v %t, want %v", i, wait, ok, want*time.Millisecond)
		}
	}
	if wait, ok := l.acquire(60 * time.Millisecond); wait != 40*time.Millisecond || ok {
		t.Errorf("%v %t, want 40ms", wait, ok)
	}
	if _, ok := l.acquire(100 * time.Millisecond); !ok {
		t.Error("no token when it is due")
	}
	l = newLimiter(Limiter{Kind: "rate", Rate: 10, Burst: 2, WhenFull: "fail"})
	sent := 0
	for now := time.Duration(0); now < 10*time.Second; now += time.Millisecond {
		if _, ok := l.acquire(now); ok {
			sent++
		}
	}
	if sent != 101 { // 2 at once, and one every 100 ms from then on
		t.Errorf("%d sent in 10 s, want 101", sent)
	}
	if !l.FailsWhenFull() {
		t.Error("does not fail when full")
	}
}

func TestFlight(t *testing.T) {
	l := newLimiter(Limiter{Kind: "concurrency", Limit: 2})
	l.acquire(0)
	l.acquire(0)
	if wait, ok := l.acquire(0); ok || wait != Longest {
		t.Errorf("%v %t: a third got in", wait, ok)
	}
	l.release(0, 500)
	if _, ok := l.acquire(0); !ok {
		t.Error("no place after a release")
	}
	l.Cancel(&l.LimiterState)
	if _, ok := l.acquire(0); !ok {
		t.Error("no place after an attempt was canceled")
	}
}

// TestDrops: what counts as too much for the other end.
func TestDrops(t *testing.T) {
	for o, want := range map[Outcome]int64{Timeout: 9, Refused: 9, 429: 9, 503: 9, Reset: 10, 500: 10, 404: 10, OK: 10} {
		l := newLimiter(Limiter{Kind: "aimd", Limit: 10, Min: 1, Max: 10})
		l.acquire(0)
		l.release(0, o)
		if got := l.LimiterRules.flight.Limit(&l.LimiterState.flight); got != want {
			t.Errorf("%v: limit %d, want %d", o, got, want)
		}
	}
}

func TestLimiterReset(t *testing.T) {
	for _, spec := range limiters {
		l := newLimiter(spec)
		for range 30 {
			l.acquire(time.Hour)
			l.release(time.Hour, 429)
		}
		l.Reset(&l.LimiterState)
		if fresh := newLimiter(spec); l.LimiterState != fresh.LimiterState {
			t.Errorf("%s: after Reset %+v, when new %+v", spec.Kind, l.LimiterState, fresh.LimiterState)
		}
	}
}

var limiters = []Limiter{
	{Kind: "concurrency", Limit: 50},
	{Kind: "rate", Rate: 10, Burst: 5},
	{Kind: "aimd", Limit: 20, Min: 1, Max: 1000},
	{Kind: "gradient", Limit: 20, Min: 1, Max: 1000},
	{Kind: "aws-adaptive"},
}

func TestLimiterAllocatesNothing(t *testing.T) {
	for _, spec := range limiters {
		l := newLimiter(spec)
		i := 0
		if n := testing.AllocsPerRun(1000, func() {
			i++
			now := time.Duration(i) * time.Millisecond
			if _, ok := l.acquire(now); ok {
				l.release(now, Outcome(429*(i&1)))
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", spec.Kind, n)
		}
	}
}

func BenchmarkLimiter(b *testing.B) {
	for _, spec := range limiters {
		b.Run(spec.Kind, func(b *testing.B) {
			l := newLimiter(spec)
			now := time.Duration(0)
			for b.Loop() {
				now += time.Millisecond
				if _, ok := l.acquire(now); ok {
					l.release(now, OK)
				}
			}
		})
	}
}
