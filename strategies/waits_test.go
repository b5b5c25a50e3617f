package strategies

import (
	"math"
	"testing"
	"time"
)

const (
	ms     = time.Millisecond
	lowest = uint64(0)
	middle = uint64(1 << 63)
	top    = uint64(math.MaxUint64)
)

func TestNext(t *testing.T) {
	tests := []struct {
		why     string
		backoff Backoff
		retry   int64
		prev    time.Duration
		u       uint64
		want    time.Duration
	}{
		{"none does not wait, whatever else is set", Backoff{Kind: "none", Base: 100 * ms}, 3, 0, top, 0},
		{"the zero Backoff is none", Backoff{}, 1, 0, top, 0},

		{"fixed is fixed", Backoff{Kind: "fixed", Base: 100 * ms}, 9, 0, top, 100 * ms},
		{"a base of 0 waits 0", Backoff{Kind: "fixed"}, 9, 0, top, 0},

		{"linear starts at base", Backoff{Kind: "linear", Base: 100 * ms}, 1, 0, 0, 100 * ms},
		{"linear adds base", Backoff{Kind: "linear", Base: 100 * ms}, 7, 0, 0, 700 * ms},
		{"linear, one step later", Backoff{Kind: "linear", Base: 100 * ms, FirstExponent: 1}, 1, 0, 0, 200 * ms},
		{"linear, capped", Backoff{Kind: "linear", Base: 100 * ms, Cap: 250 * ms}, 3, 0, 0, 250 * ms},
		{"linear beyond the table", Backoff{Kind: "linear", Base: 100 * ms}, 1000, 0, 0, 100_000 * ms},
		{"linear saturates", Backoff{Kind: "linear", Base: 100 * ms}, math.MaxInt64, 0, 0, Longest},
		{"linear, both numbers huge", Backoff{Kind: "linear", Base: 1, FirstExponent: math.MaxInt64}, math.MaxInt64, 0, 0, Longest},

		{"first retry waits base", Backoff{Kind: "exponential", Base: 5 * ms, Factor: 2}, 1, 0, 0, 5 * ms},
		{"the public simulator waits twice that", Backoff{Kind: "exponential", Base: 5 * ms, Factor: 2, FirstExponent: 1}, 1, 0, 0, 10 * ms},
		{"2^9 times base", Backoff{Kind: "exponential", Base: 5 * ms, Factor: 2}, 10, 0, 0, 2560 * ms},
		{"capped", Backoff{Kind: "exponential", Base: 5 * ms, Factor: 2, Cap: 2000 * ms}, 10, 0, 0, 2000 * ms},
		{"factor 1.5, exact", Backoff{Kind: "exponential", Base: 512, Factor: 1.5}, 10, 0, 0, 19683},
		{"factor 1.5, 759.375 ns to the nearest", Backoff{Kind: "exponential", Base: 100, Factor: 1.5}, 6, 0, 0, 759},
		{"factor 1 never grows", Backoff{Kind: "exponential", Base: 5 * ms, Factor: 1}, math.MaxInt64, 0, 0, 5 * ms},
		{"a slow factor grows beyond the table", Backoff{Kind: "exponential", Base: 1 << 40, Factor: 1.0078125}, 65, 0, 0, 1809269359073},
		{"saturates", Backoff{Kind: "exponential", Base: 1, Factor: 2}, 62, 0, 0, Longest},
		{"stays saturated", Backoff{Kind: "exponential", Base: 1, Factor: 2}, math.MaxInt64, 0, 0, Longest},
		{"a base of 0 does not grow, even by infinity", Backoff{Kind: "exponential", Factor: 2}, math.MaxInt64, 0, 0, 0},
		{"exponents add without overflow", Backoff{Kind: "exponential", Base: 1, Factor: 2, FirstExponent: math.MaxInt64}, 2, 0, 0, Longest},
		{"retry 0 is taken as the first", Backoff{Kind: "exponential", Base: 5 * ms, Factor: 2}, 0, 0, 0, 5 * ms},

		{"full jitter from 0", Backoff{Kind: "full-jitter", Base: 100 * ms, Factor: 2}, 2, 0, lowest, 0},
		{"full jitter, middle", Backoff{Kind: "full-jitter", Base: 100 * ms, Factor: 2}, 2, 0, middle, 100 * ms},
		{"full jitter up to x", Backoff{Kind: "full-jitter", Base: 100 * ms, Factor: 2}, 2, 0, top, 200 * ms},
		{"two waits, one half of the numbers each", Backoff{Kind: "full-jitter", Base: 1, Factor: 2}, 1, 0, middle - 1, 0},
		{"two waits, one half of the numbers each", Backoff{Kind: "full-jitter", Base: 1, Factor: 2}, 1, 0, middle, 1},

		{"equal jitter from x/2", Backoff{Kind: "equal-jitter", Base: 100 * ms, Factor: 2}, 2, 0, lowest, 100 * ms},
		{"equal jitter up to x", Backoff{Kind: "equal-jitter", Base: 100 * ms, Factor: 2}, 2, 0, top, 200 * ms},
		{"an odd x reaches x", Backoff{Kind: "equal-jitter", Base: 7, Factor: 2}, 1, 0, top, 7},

		{"decorrelated from base", Backoff{Kind: "decorrelated-jitter", Base: 100 * ms}, 5, 1000 * ms, lowest, 100 * ms},
		{"decorrelated up to 3 x prev", Backoff{Kind: "decorrelated-jitter", Base: 100 * ms}, 5, 1000 * ms, top, 3000 * ms},
		{"its memory starts at base", Backoff{Kind: "decorrelated-jitter", Base: 100 * ms}, 1, 0, top, 300 * ms},
		{"k does not matter", Backoff{Kind: "decorrelated-jitter", Base: 100 * ms}, math.MaxInt64, 0, top, 300 * ms},
		{"the result is capped, not the range", Backoff{Kind: "decorrelated-jitter", Base: 100 * ms, Cap: 1000 * ms}, 9, 1000 * ms, 1 << 62, 825 * ms},
		{"capped", Backoff{Kind: "decorrelated-jitter", Base: 100 * ms, Cap: 1000 * ms}, 9, 1000 * ms, middle, 1000 * ms},
		{"saturates", Backoff{Kind: "decorrelated-jitter", Base: 100 * ms}, 9, math.MaxInt64, top, Longest},

		{"proportional from lo", Backoff{Kind: "proportional-jitter", Base: 100 * ms, Factor: 2, Lo: 0.8, Hi: 1.2}, 2, 0, lowest, 160 * ms},
		{"proportional up to hi", Backoff{Kind: "proportional-jitter", Base: 100 * ms, Factor: 2, Lo: 0.8, Hi: 1.2}, 2, 0, top, 240 * ms},
		{"cap before jitter", Backoff{Kind: "proportional-jitter", Base: 100 * ms, Factor: 2, Cap: 150 * ms, Lo: 0.8, Hi: 1.2}, 2, 0, top, 180 * ms},
		{"lo = hi = 0 never waits", Backoff{Kind: "proportional-jitter", Base: 100 * ms, Factor: 2}, 2, 0, top, 0},
		{"saturates", Backoff{Kind: "proportional-jitter", Base: 100 * ms, Factor: 2, Lo: 1, Hi: 1e300}, 2, 0, top, Longest},

		{"additive from x", Backoff{Kind: "additive-jitter", Base: 100 * ms, Factor: 2, Spread: 50 * ms}, 2, 0, lowest, 200 * ms},
		{"additive up to x + spread", Backoff{Kind: "additive-jitter", Base: 100 * ms, Factor: 2, Spread: 50 * ms}, 2, 0, top, 250 * ms},
		{"cap before jitter", Backoff{Kind: "additive-jitter", Base: 100 * ms, Factor: 2, Cap: 150 * ms, Spread: 50 * ms}, 2, 0, top, 200 * ms},
		{"saturates", Backoff{Kind: "additive-jitter", Base: ms, Factor: 2, Spread: math.MaxInt64}, 2, 0, top, Longest},
	}
	for _, test := range tests {
		w := test.backoff.Compile()
		if got, _ := w.Next(test.retry, uint64(test.prev), test.u); got != test.want {
			t.Errorf("%s: %+v: retry %d after %v with %#x waits %v, want %v",
				test.why, test.backoff, test.retry, test.prev, test.u, got, test.want)
		}
	}
}

func TestRange(t *testing.T) {
	spec := Backoff{Base: 100 * ms, Cap: 1000 * ms, Factor: 2, Lo: 0.5, Hi: 1.5, Spread: 40 * ms}
	tests := []struct {
		kind           string
		retry          int64
		min, mean, max time.Duration
	}{
		{"none", 4, 0, 0, 0},
		{"fixed", 4, 100 * ms, 100 * ms, 100 * ms},
		{"linear", 4, 400 * ms, 400 * ms, 400 * ms},
		{"exponential", 4, 800 * ms, 800 * ms, 800 * ms},
		{"full-jitter", 4, 0, 400 * ms, 800 * ms},
		{"equal-jitter", 4, 400 * ms, 600 * ms, 800 * ms},
		{"proportional-jitter", 4, 400 * ms, 800 * ms, 1200 * ms},
		{"additive-jitter", 4, 800 * ms, 820 * ms, 840 * ms},
		{"decorrelated-jitter", 1, 100 * ms, 200 * ms, 300 * ms},
		{"decorrelated-jitter", 2, 100 * ms, 350 * ms, 900 * ms},
	}
	for _, test := range tests {
		b := spec
		b.Kind = test.kind
		w := b.Compile()
		lo, mean, hi := w.Min(test.retry), w.Mean(test.retry), w.Max(test.retry)
		if lo != test.min || mean != test.mean || hi != test.max {
			t.Errorf("%s, retry %d: %v, %v, %v; want %v, %v, %v",
				test.kind, test.retry, lo, mean, hi, test.min, test.mean, test.max)
		}
	}
}

// At the ends of its range of caps the mean of decorrelated jitter has simple
// values to be held against.
func TestDecorrelatedMeanAtTheEnds(t *testing.T) {
	tests := []struct {
		why   string
		cap   time.Duration
		retry int64
		want  time.Duration
	}{
		{"cap = base leaves no choice", 1 * time.Second, 7, 1 * time.Second},
		{"U(1, 3) cut at 2 is (1.5 + 2) / 2", 2 * time.Second, 1, 1750 * ms},
		{"a cap that cannot be reached: 2 * 1.5^4 - 1", 100 * time.Second, 4, 9125 * ms},
		{"a cap that is just reached changes nothing", 81 * time.Second, 4, 9125 * ms},
		{"nor does one far away: 2 * 1.5^15 - 1", 14348907 * time.Second, 15, 874787780762},
		{"no cap: 2 * 1.5^10 - 1", 0, 10, 114330078125},
		{"no cap, for ever", 0, math.MaxInt64, Longest},
	}
	for _, test := range tests {
		w := Backoff{Kind: "decorrelated-jitter", Base: time.Second, Cap: test.cap}.Compile()
		if got := w.Mean(test.retry); (got - test.want).Abs() > 1+test.want/1e9 {
			t.Errorf("%s: cap %v, retry %d: mean %v, want %v", test.why, test.cap, test.retry, got, test.want)
		}
	}
}

// A stricter check than any sample: the law of uniform is known exactly.
func TestUniformIsFair(t *testing.T) {
	const n = 6
	var count [n]int
	for i := range 1 << 12 {
		count[uniform(10, 10+n-1, uint64(i)<<52)-10]++
	}
	for i, c := range count {
		if c != 1<<12/n && c != 1<<12/n+1 {
			t.Errorf("value %d comes %d times in %d", i, c, 1<<12)
		}
	}
	if got := uniform(0, math.MaxInt64, top); got != math.MaxInt64 {
		t.Errorf("the widest range ends at %d", got)
	}
}

func TestCompilePanicsOnInvalid(t *testing.T) {
	defer func() {
		want := "strategies: base must not be above cap (1s)"
		if got := recover(); got != want {
			t.Errorf("panic %v, want %q", got, want)
		}
	}()
	Backoff{Kind: "fixed", Base: 2 * time.Second, Cap: time.Second}.Compile()
}

func TestNextAllocatesNothing(t *testing.T) {
	failure := Failure{Outcome: 503, Attempt: 3, Memory: uint64(ms), Asked: s, Hinted: true}
	for _, b := range append(benchmarked(), Backoff{Kind: "linear", Base: ms}, Backoff{Kind: "decorrelated-jitter", Base: ms}) {
		rules := Policy{
			MaxAttempts: Unlimited, RetryOn: []string{"any"}, Backoff: b,
			BackoffOn:  []BackoffOn{{"429", b}},
			RetryAfter: RetryAfter{Kind: "band", Answers: []string{"503"}, Forms: []string{"ms"}, Jitter: 0.5},
		}.Compile()
		w := b.Compile()
		n := testing.AllocsPerRun(100, func() {
			rules.Next(&failure, middle)
			w.Next(1000, 0, middle)
		})
		if n != 0 {
			t.Errorf("%+v: %v allocations", b, n)
		}
	}
}

// benchmarked are custom waits of every sort.
func benchmarked() []Backoff {
	return []Backoff{sidekiq(), comb(), awsV1(), legacyAWS(), kafkajsWalk(), finagleGrowing(), pollyV2(s), nodeRetry()}
}

func BenchmarkCustom(b *testing.B) {
	for i, name := range []string{"round", "values", "half", "stop", "walk", "growing walk", "polly", "sorted"} {
		b.Run(name, func(b *testing.B) {
			w := benchmarked()[i].Compile()
			d := draws(0)
			var memory uint64
			for i := range b.N {
				k := int64(i&7) + 1
				if k == 1 {
					memory = 0
				}
				sink, memory = w.Next(k, memory, d.next())
			}
		})
	}
}

func BenchmarkNext(b *testing.B) {
	for _, entry := range Catalogue() {
		b.Run(entry.Name, func(b *testing.B) {
			w := entry.Default.Compile()
			d := draws(0)
			var memory uint64
			for i := range b.N {
				sink, memory = w.Next(int64(i&15)+1, memory&0xffffffff, d.next())
			}
		})
	}
}

func BenchmarkRulesNext(b *testing.B) {
	rules := Policy{
		MaxAttempts: Unlimited, RetryOn: []string{"transient"},
		Backoff: Backoff{Kind: "full-jitter", Base: 100 * ms, Cap: 20 * time.Second, Factor: 2},
	}.Compile()
	d := draws(0)
	for i := range b.N {
		sink = rules.Next(&Failure{Outcome: 503, Attempt: int64(i&15) + 1}, d.next()).Wait
	}
}

// sink keeps the compiler from dropping what a benchmark computes.
var sink time.Duration
