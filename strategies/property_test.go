package strategies

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// simpleBackoff draws from all that Validate accepts of the kinds without axes,
// the extremes included.
func simpleBackoff(t *rapid.T) Backoff {
	duration := func(name string) time.Duration {
		return time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, name))
	}
	b := Backoff{
		Kind:          rapid.SampledFrom(Backoff{}.Kinds()[:9]).Draw(t, "kind")[0],
		Base:          duration("base"),
		Cap:           duration("cap"),
		Factor:        rapid.Float64Range(1, math.MaxFloat64).Draw(t, "factor"),
		FirstExponent: rapid.Int64Range(0, math.MaxInt64).Draw(t, "first_exponent"),
		Lo:            rapid.Float64Range(0, math.MaxFloat64).Draw(t, "lo"),
		Hi:            rapid.Float64Range(0, math.MaxFloat64).Draw(t, "hi"),
		Spread:        duration("spread"),
	}
	if b.Cap > 0 {
		b.Base, b.Cap = min(b.Base, b.Cap), max(b.Base, b.Cap)
	}
	if rapid.Bool().Draw(t, "slow") { // factors that people write are below 10
		b.Factor = 1 + math.Mod(b.Factor, 9)
	}
	b.Lo, b.Hi = min(b.Lo, b.Hi), max(b.Lo, b.Hi)
	b.Validate(func(field, problem string) { t.Fatalf("%s %s", field, problem) })
	return b
}

// limit is the longest wait the kind allows, whatever the retry.
func (b Backoff) limit() time.Duration {
	limit := min(b.Cap, Longest)
	if limit == 0 {
		limit = Longest
	}
	switch b.Kind {
	case "proportional-jitter": // to the accuracy of a float product
		return time.Duration(nearest(float64(limit) * b.Hi * (1 + 0x1p-50)))
	case "additive-jitter":
		return min(limit+min(b.Spread, Longest), Longest)
	default:
		return limit
	}
}

func TestWaitsStayInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := simpleBackoff(t)
		w := b.Compile()
		retry := rapid.Int64().Draw(t, "retry")
		memory := rapid.Uint64().Draw(t, "memory")
		u, v := rapid.Uint64().Draw(t, "u"), rapid.Uint64().Draw(t, "v")

		lo, hi := w.Min(retry), w.Max(retry)
		if lo < 0 || hi < lo || hi > b.limit() {
			t.Fatalf("range %d to %d, limit %d", lo, hi, b.limit())
		}
		if b.Kind != "decorrelated-jitter" {
			memory = 0
		}
		if b.Kind == "decorrelated-jitter" {
			hi = b.limit() // the range of a retry holds for the paths that lead there, not for any prev
		} else if mean := w.Mean(retry); mean < lo || mean > hi {
			t.Fatalf("mean %d outside %d to %d", mean, lo, hi)
		}
		short, _ := w.Next(retry, memory, min(u, v))
		long, _ := w.Next(retry, memory, max(u, v))
		if short < lo || long > hi {
			t.Fatalf("waits %d, %d outside %d to %d", short, long, lo, hi)
		}
		if short > long {
			t.Fatalf("not monotone in u: %d, then %d", short, long)
		}
	})
}

// The paths of decorrelated jitter do stay in the range of their retry.
func TestDecorrelatedPathsStayInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := simpleBackoff(t)
		b.Kind = "decorrelated-jitter"
		w := b.Compile()
		var wait time.Duration
		var memory uint64
		for i, u := range rapid.SliceOfN(rapid.Uint64(), 1, 100).Draw(t, "u") {
			retry := int64(i) + 1
			wait, memory = w.Next(retry, memory, u)
			if wait < w.Min(retry) || wait > w.Max(retry)+1<<9 { // 3^k * base is a float above 2^53
				t.Fatalf("retry %d waits %d, outside %d to %d", retry, wait, w.Min(retry), w.Max(retry))
			}
		}
	})
}

// The table is a shortcut: every row, and what lies beyond, is the formula.
func TestTableIsTheFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := simpleBackoff(t).Compile()
		retry := rapid.OneOf(rapid.Int64Range(1, 3*tabled), rapid.Int64Range(1, math.MaxInt64)).Draw(t, "retry")
		got, want := w.span(retry), w.beyond(retry)
		// Far out a slow factor may fall a rounding error short of its cap.
		if d := want.hi - got.hi; d > 1<<20 || d < -1<<20 {
			t.Fatalf("retry %d: %v, want %v", retry, got, want)
		}
	})
}

func TestRaise(t *testing.T) {
	for _, factor := range []float64{1, 1.01, 1.5, 2, math.Pi, 10} {
		product := 1.0
		for n := range int64(600) {
			if got := raise(factor, n); math.Abs(got-product) > 1e-12*product {
				t.Errorf("%v^%d = %v, want %v", factor, n, got, product)
			}
			product = float64(product * factor)
		}
	}
}

// Whatever is asked, the rules keep their limits.
func TestRulesKeepTheirLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Policy{
			MaxAttempts: rapid.OneOf(rapid.Just(int64(Unlimited)), rapid.Int64Range(1, math.MaxInt64)).Draw(t, "max_attempts"),
			MaxElapsed:  time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "max_elapsed")),
			RetryOn:     []string{"any"},
			Backoff:     simpleBackoff(t),
		}
		rules := p.Compile()
		f := Failure{
			Outcome: Outcome(rapid.Uint16().Draw(t, "outcome")),
			Attempt: rapid.Int64Range(1, math.MaxInt64-1).Draw(t, "attempt"),
			Elapsed: time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "elapsed")),
			Memory:  rapid.Uint64().Draw(t, "memory"),
		}
		next := rules.Next(&f, rapid.Uint64().Draw(t, "u"))
		wait, why := next.Wait, next.Why
		switch {
		case why != Retry:
			if wait != 0 {
				t.Fatalf("gives up (%v) after a wait of %d", why, wait)
			}
		case p.MaxAttempts != Unlimited && f.Attempt >= p.MaxAttempts:
			t.Fatalf("attempt %d of %d is followed by another", f.Attempt, p.MaxAttempts)
		case p.MaxElapsed > 0 && (f.Elapsed > p.MaxElapsed || wait > p.MaxElapsed-f.Elapsed):
			t.Fatalf("waits %d at %d of %d", wait, f.Elapsed, p.MaxElapsed)
		}
	})
}
