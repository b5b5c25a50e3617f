package strategies

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// customBackoff draws from all that Validate accepts of custom, the extremes
// included.
func customBackoff(t *rapid.T) Backoff {
	tame := rapid.Bool().Draw(t, "tame") // what people write
	duration := func(name string) time.Duration {
		if tame {
			return time.Duration(rapid.Int64Range(0, 10_000).Draw(t, name)) * ms
		}
		return time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, name))
	}
	number := func(name string, least float64) float64 {
		if tame {
			return least + float64(rapid.IntRange(0, 30).Draw(t, name))/10
		}
		return rapid.Float64Range(least, math.MaxFloat64).Draw(t, name)
	}
	count := func(name string, least int64) int64 {
		if tame {
			return rapid.Int64Range(least, least+5).Draw(t, name)
		}
		return rapid.Int64Range(least, math.MaxInt64).Draw(t, name)
	}
	word := func(name string, words ...string) string { return rapid.SampledFrom(words).Draw(t, name) }
	yes := func(name string) bool { return rapid.Bool().Draw(t, name) }
	b := Backoff{
		Kind: "custom", Base: duration("base"), Cap: duration("cap"), Factor: number("factor", 1),
		FirstExponent: count("first_exponent", 0), FirstRepeats: count("first_repeats", 0),
		Lo: number("lo", 0), Hi: number("hi", 0), Spread: duration("spread"),
		Growth: word("growth", "constant", "power", "power-minus-one", "polynomial", "fibonacci", "walk", "polly"),
		Degree: count("degree", 1), Offset: duration("offset"),
		LoOf: word("lo_of", "base", "previous"), FirstLo: number("first_lo", 0), FirstHi: number("first_hi", 0),
		HiGrows: yes("hi_grows"),
		Jitter:  word("jitter", "none", "full", "equal", "factor", "add", "plus-minus", "above"),
		From:    duration("from"), SpreadGrows: yes("spread_grows"), Values: Unlimited, Widen: duration("widen"),
		CapOn: word("cap_on", "before", "after", "both", "state"),
		AtCap: word("at_cap", "continue", "stop-jitter", "half", "stay", "end"),
		Min:   duration("min"), Round: word("round", "none", "down", "nearest", "up"), Unit: max(duration("unit"), 1),
		Overflow: word("overflow", "saturate", "at-once", "timer"), Steps: Unlimited,
	}
	if yes("has values") {
		b.Values = max(count("values", 2), 2)
	}
	if yes("has first") {
		b.First = new(duration("first"))
	}
	b.RoundSteps = b.Growth == "power" && yes("round_steps")
	b.Lo, b.Hi = min(b.Lo, b.Hi), max(b.Lo, b.Hi)
	b.FirstLo, b.FirstHi = min(b.FirstLo, b.FirstHi), max(b.FirstLo, b.FirstHi)
	if b.depends() {
		b.Jitter = "none"
		if b.AtCap == "stay" || b.AtCap == "end" || b.Growth == "polly" {
			b.AtCap = "continue"
		}
	} else if b.First == nil && rapid.IntRange(0, 9).Draw(t, "is sorted") == 0 {
		b.Sorted, b.Steps = true, rapid.Int64Range(1, tabled).Draw(t, "steps")
	}
	if b.Cap > 0 {
		b.Base, b.Min, b.Cap = min(b.Base, b.Cap), min(b.Min, b.Cap), max(b.Base, b.Cap)
	}
	b.Validate(func(field, problem string) { t.Fatalf("%s %s", field, problem) })
	return b
}

// monotone reports whether a longer draw never gives a shorter wait.
func (b Backoff) monotone() bool {
	return b.AtCap != "half" && b.Overflow != "timer" && !b.Sorted && b.Growth != "polly"
}

// Any number of the retry, of the memory and of the draw is fit for any axes.
func TestCustomStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := customBackoff(t)
		w := b.Compile()
		retry := rapid.OneOf(rapid.Int64Range(1, 100), rapid.Int64Range(1, 1<<31), rapid.Int64()).Draw(t, "retry")
		memory := rapid.OneOf(rapid.Just(uint64(0)), rapid.Uint64()).Draw(t, "memory")
		u, v := rapid.Uint64().Draw(t, "u"), rapid.Uint64().Draw(t, "v")
		if lo, hi := w.Min(retry), w.Max(retry); lo < 0 || hi < lo || hi > Longest {
			t.Fatalf("range %d to %d", lo, hi)
		}
		short, after := w.Next(retry, memory, min(u, v))
		long, _ := w.Next(retry, memory, max(u, v))
		if short < 0 || short > Longest || long < 0 || long > Longest {
			t.Fatalf("waits %d and %d", short, long)
		}
		if b.monotone() && short > long {
			t.Fatalf("not monotone in u: %d, then %d", short, long)
		}
		if again, _ := w.Next(retry+1, after, u); again < 0 || again > Longest {
			t.Fatalf("then waits %d", again)
		}
		if w.Steps() < 0 || w.Restart(retry)>>ownerShift != 0 && retry >= 0 && retry < 1<<ownerShift {
			t.Fatalf("%d steps, restart with %#x", w.Steps(), w.Restart(retry))
		}
	})
}

// The paths of any axes stay in the range of their retry, and restart within
// the range of the first.
func TestCustomPathsStayInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := customBackoff(t)
		w := b.Compile()
		var wait time.Duration
		var memory uint64
		slack := func(d time.Duration) time.Duration { return d>>40 + 2 } // of float products
		var k int64
		for _, u := range rapid.SliceOfN(rapid.Uint64(), 1, 100).Draw(t, "u") {
			k++
			wait, memory = w.Next(k, memory, u)
			if memory>>ownerShift != 0 {
				t.Fatalf("memory %#x needs more than %d bits", memory, ownerShift)
			}
			if lo, hi := w.Min(k), w.Max(k); wait < lo-slack(lo) || wait > hi+slack(hi) {
				t.Fatalf("retry %d waits %d, outside %d to %d", k, wait, lo, hi)
			}
		}
		if !b.HiGrows {
			wait, _ = w.Next(k+1, w.Restart(k), rapid.Uint64().Draw(t, "again"))
			if wait < w.Min(1) || wait > w.Max(1) {
				t.Fatalf("restarted waits %d, outside %d to %d", wait, w.Min(1), w.Max(1))
			}
		}
	})
}

// The mean is in the range. For walks and sorted waits it takes a while.
func TestCustomMeanIsInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := customBackoff(t)
		if b.Growth == "walk" || b.Sorted {
			t.Skip()
		}
		w := b.Compile()
		retry := rapid.OneOf(rapid.Int64Range(1, 100), rapid.Int64()).Draw(t, "retry")
		if lo, mean, hi := w.Min(retry), w.Mean(retry), w.Max(retry); mean < lo-lo>>40-1 || mean > hi+hi>>40+1 {
			t.Fatalf("mean %d of %d to %d", mean, lo, hi)
		}
	})
}

// The table is a shortcut for custom too.
func TestCustomTableIsTheFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := customBackoff(t)
		w := b.Compile()
		if w.curve.memory != independent {
			t.Skip()
		}
		retry := rapid.OneOf(rapid.Int64Range(1, 3*tabled), rapid.Int64Range(1, math.MaxInt64)).Draw(t, "retry")
		got, want := w.span(retry), w.curve.span(retry)
		// Far out a slow factor may fall a rounding error short of its cap.
		if d := want.hi - got.hi; (d > 1<<20 || d < -1<<20) && !b.RoundSteps {
			t.Fatalf("retry %d: %v, want %v", retry, got, want)
		}
	})
}
