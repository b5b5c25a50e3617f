package strategies

import (
	"math"
	"testing"
	"time"
)

// Bug reports about delays, of public libraries: what must hold here at the
// smallest input that shows the defect there.
func TestReportedDefects(t *testing.T) {
	capped := func(base, limit time.Duration) Backoff {
		return axes(func(b *Backoff) { b.Base, b.Cap = base, limit })
	}
	tests := []struct {
		report   string
		backoff  Backoff
		retry    int64
		min, max time.Duration
	}{
		{"Polly#2163: the difference of two infinities is no number", axes(func(b *Backoff) {
			b.Base, b.Growth, b.Cap, b.CapOn = 2*s, "polly", 30*s, "after"
		}), 1025, 30 * s, 30 * s},
		{"Polly#1866: the maximum is ignored on overflow", capped(2*s, 5*minute), 40, 5 * minute, 5 * minute},
		{"Polly.Contrib.WaitAndRetry#24: negative delays", pollyV2(s), 50, 0, Longest - Longest%100},
		{"Polly.Contrib.WaitAndRetry#24: and beyond", pollyV2(s), 1 << 31, Longest - Longest%100, Longest - Longest%100},
		{"aws-sdk-go-v2#3091: no jitter after retry 4", legacyAWS(), 5, 20 * s, 20 * s},
		{"aws-sdk-go-v2#3091, mended", Backoff{Kind: "full-jitter", Base: s, Factor: 2, FirstExponent: 1, Cap: 20 * s}, 5, 0, 20 * s},
		{"aws-sdk-java#874: int shift times base", capped(5*s, 20*s), 20, 20 * s, 20 * s},
		{"aws-sdk-java-v2#1453: the shift itself", capped(5*s, 20*s), 64, 20 * s, 20 * s},
		{"Dekaf#3068: shifts wrap at 64", capped(s, minute), 65, minute, minute},
		{"cenkalti/backoff#117, #139: the maximum limits the interval", axes(func(b *Backoff) {
			b.Base, b.Factor, b.Cap, b.Jitter, b.Lo, b.Hi, b.Widen = 800*ms, 1.5, 1200*ms, "factor", 0.5, 1.5, 1
		}), 2, 600 * ms, 1800*ms + 1},
		{"grpc-go#7514: full jitter up to 1.68", Backoff{Kind: "full-jitter", Base: 100 * ms, Factor: 2, Cap: s}, 1, 0, 100 * ms},
		{"grpc-go#7514: a fifth less or more from 1.69 on", Backoff{Kind: "proportional-jitter", Base: 100 * ms, Factor: 2, Cap: s, Lo: 0.8, Hi: 1.2}, 1, 80 * ms, 120 * ms},
		{"grpc-java#12639: 0.4 to 1.2", Backoff{Kind: "proportional-jitter", Base: 100 * ms, Factor: 2, Cap: s, Lo: 0.4, Hi: 1.2}, 1, 40 * ms, 120 * ms},
		{"tenacity#710: the power overflows before the zero multiplier acts", capped(0, minute), 1025, 0, 0},
		{"tenacity#710, with min", axes(func(b *Backoff) { b.Base, b.Cap, b.Min = 0, minute, s }), 1025, s, s},
		{"tenacity#487: min is the lower end", axes(func(b *Backoff) {
			b.Base, b.Cap, b.Jitter, b.From = 500*ms, 10*s, "above", s
		}), 9, s, 10 * s},
		{"tenacity#487: before that it only raised the upper end", axes(func(b *Backoff) {
			b.Base, b.Cap, b.Jitter = 500*ms, 10*s, "full"
		}), 9, 0, 10 * s},
		{"avast/retry-go#127: the first delay is not doubled", capped(s, 0), 1, s, s},
		{"avast/retry-go#30: negative at the 34th", capped(s, 0), 34, Longest, Longest},
		{"avast/retry-go#159: 0 at the 35th", capped(s, 0), 35, Longest, Longest},
		{"avast/retry-go#30, as it was: one doubling early, the last good one", axes(func(b *Backoff) {
			b.Base, b.FirstExponent, b.Overflow = s, 1, "at-once"
		}), 33, Longest, Longest},
		{"avast/retry-go#30, as it was: no wait at all", axes(func(b *Backoff) {
			b.Base, b.FirstExponent, b.Overflow = s, 1, "at-once"
		}), 34, 0, 0},
		{"dragonfly#4851: overflow before min()", axes(func(b *Backoff) {
			b.Base, b.Cap, b.Jitter = 30*ms, s, "equal"
		}), 39, 500 * ms, s},
		{"dragonfly#4851, as it was", axes(func(b *Backoff) {
			b.Base, b.Cap, b.Jitter, b.Overflow = 30*ms, s, "equal", "at-once"
		}), 40, 0, 0},
		{"urllib3#847, #3377: the first delay is 0", axes(func(b *Backoff) { b.First = new(time.Duration(0)) }), 1, 0, 0},
		{"urllib3#847, #3377: the second is doubled already", axes(func(b *Backoff) { b.First = new(time.Duration(0)) }), 2, 200 * ms, 200 * ms},
		{"spring-retry#126: jitter passes the maximum", axes(func(b *Backoff) {
			b.Base, b.Factor, b.Cap, b.CapOn, b.Jitter, b.Lo, b.Hi = 200*ms, 1.5, s, "both", "factor", 1, 1.5
		}), 20, s, s},
		{"spring-retry#391: multiplier 1 gives no jitter", axes(func(b *Backoff) {
			b.Base, b.Factor, b.Jitter, b.Lo, b.Hi = 2*s, 1, "factor", 1, 1
		}), 3, 2 * s, 2 * s},
		{"rails#38545: jitter on [0, 1.8)", axes(func(b *Backoff) {
			b.Base, b.Growth, b.Jitter, b.Spread = 3*s, "constant", "add", 1800*ms
		}), 1, 3 * s, 4800 * ms},
		{"aws-sdk-go-v2#2227: a cap below a second", Backoff{Kind: "full-jitter", Base: 100 * ms, Factor: 2, Cap: 100 * ms}, 1, 0, 100 * ms},
		{"aws-sdk-go-v2#2227, as it was", axes(func(b *Backoff) {
			b.Base, b.FirstExponent, b.Cap, b.Jitter, b.CapOn, b.AtCap = 100*ms, 1, 100*ms, "full", "after", "stop-jitter"
		}), 1, 100 * ms, 100 * ms},
		{"sethvargo/go-retry#12: overflow after 33 steps", capped(s, 0), 34, Longest, Longest},
		{"sethvargo/go-retry#39: jitter 0 is none", axes(func(b *Backoff) { b.Jitter, b.Spread = "plus-minus", 0 }), 2, 200 * ms, 200 * ms},
		{"sethvargo/go-retry 0.3.0: jitter near the end of the type", axes(func(b *Backoff) {
			b.Base, b.Jitter, b.Lo, b.Hi = s, "factor", 15.0/16, 17.0/16
		}), 35, Longest / 16 * 15, Longest},
		{"flowchartsman/retry#4: a cap below the first wait", axes(func(b *Backoff) {
			b.Base, b.Cap, b.CapOn, b.Jitter = ms, ms, "after", "equal"
		}), 35, ms, ms},
		{"sidekiq#6513: 200 values", sidekiq(), 20, (19*19*19*19 + 15) * s, (19*19*19*19 + 15 + 199) * s},
		{"azure-sdk-for-net#54349: the first retry waits 0.8 s", axes(func(b *Backoff) { b.Base = 800 * ms }), 1, 800 * ms, 800 * ms},
		{"azcore: a base of 0 is no delay, whatever the maximum", axes(func(b *Backoff) {
			b.Base, b.Cap, b.CapOn, b.Growth = 0, 1500*ms, "after", "power-minus-one"
		}), 5, 0, 0},
		{"openai-go#489: retry 35", capped(500*ms, 8*s), 35, 8 * s, 8 * s},
		{"container-libs#1072: a delay below 10 ns", axes(func(b *Backoff) { b.Base, b.Jitter, b.Lo, b.Hi = 9, "factor", 1, 1.1 }), 1, 9, 10},
		{"fluent-logger-forward-node#44: the timer", axes(func(b *Backoff) { b.Overflow = "timer" }), 26, ms, ms},
		{"node-retry: the last good timer", axes(func(b *Backoff) { b.Base, b.Overflow = s, "timer" }), 22, 1 << 21 * s, 1 << 21 * s},
		{"backon#184: jitter is as wide as the wait it is added to", axes(func(b *Backoff) {
			b.Cap, b.Jitter, b.Lo, b.Hi = 10*s, "factor", 1, 2
		}), 20, 10 * s, 20 * s},
		{"mastodon#22165: min acts on the jittered wait", axes(func(b *Backoff) {
			b.Jitter, b.Min = "full", 50*ms
		}), 2, 50 * ms, 200 * ms},
		{"pulsar#25669: the first delay has jitter", Backoff{Kind: "proportional-jitter", Base: 100 * ms, Factor: 2, Lo: 0.9, Hi: 1.1}, 1, 90 * ms, 110 * ms},
		{"EitherNet#60: jitter does not compound", Backoff{Kind: "proportional-jitter", Base: 100 * ms, Factor: 2, Lo: 0.9, Hi: 1.1}, 9, 23040 * ms, 28160 * ms},
		{"gax-go: the first may be above the maximum", axes(func(b *Backoff) {
			b.Base, b.Cap, b.CapOn, b.Jitter = 2*s, s, "state", "full"
		}), 1, 0, 2 * s},
		{"stripe-node: no jitter in the default", axes(func(b *Backoff) {
			b.Base, b.FirstRepeats, b.Cap, b.Jitter, b.Min = 500*ms, 1, 5*s, "equal", 500*ms
		}), 2, 500 * ms, 500 * ms},
		{"stripe-node: it would come with the third", axes(func(b *Backoff) {
			b.Base, b.FirstRepeats, b.Cap, b.Jitter, b.Min = 500*ms, 1, 5*s, "equal", 500*ms
		}), 3, 500 * ms, s},
		{"Envoy's documentation: 25 to 75 ms is not what the code does", axes(func(b *Backoff) {
			b.Base, b.Cap, b.Jitter, b.Round = 25*ms, 250*ms, "full", "down"
		}), 2, 0, 49 * ms},
		{"Finagle: constant after the ceiling", finagleGrowing(), 1 << 31, 10 * s, 10 * s},
	}
	for _, test := range tests {
		w := test.backoff.Compile()
		lo, hi := w.Min(test.retry), w.Max(test.retry)
		if test.backoff.AtCap == "stop-jitter" && test.backoff.Growth == "walk" {
			lo = hi // from far away the range is not known, but every path is there
		}
		if lo != test.min || hi != test.max {
			t.Errorf("%s: retry %d waits %v to %v, want %v to %v", test.report, test.retry, lo, hi, test.min, test.max)
		}
		if w.curve.memory != independent {
			continue
		}
		for _, u := range []uint64{lowest, middle, top} {
			if wait, _ := w.Next(test.retry, 0, u); wait < test.min || wait > test.max {
				t.Errorf("%s: retry %d waits %v with %#x", test.report, test.retry, wait, u)
			}
		}
	}
}

// Polly#2163 and Polly.Contrib.WaitAndRetry#24 on real paths.
func TestPollyNeverOverflows(t *testing.T) {
	capped := axes(func(b *Backoff) { b.Base, b.Growth, b.Cap, b.CapOn = 2*s, "polly", 30*s, "after" })
	for _, backoff := range []Backoff{capped, pollyV2(s), pollyV2(1), pollyV2(Longest)} {
		w := backoff.Compile()
		var wait time.Duration
		var memory uint64
		d := draws(11)
		for k := int64(1); k <= 2000; k++ {
			wait, memory = w.Next(k, memory, d.next())
			if wait < 0 || wait > w.Max(k) {
				t.Fatalf("base %v: retry %d waits %v", backoff.Base, k, wait)
			}
		}
		if want := min(w.Max(2000), Longest); wait != want {
			t.Errorf("base %v: in the end it waits %v, want %v", backoff.Base, wait, want)
		}
	}
}

// Dekaf#3068: no wrap anywhere, whatever doubles.
func TestWaitsNeverFall(t *testing.T) {
	for _, b := range []Backoff{
		axes(func(b *Backoff) { b.Base, b.Cap = ms, minute }),
		axes(func(b *Backoff) { b.RoundSteps, b.Factor = true, 1.01 }),
		axes(func(b *Backoff) { b.RoundSteps, b.Unit, b.Factor = true, 1, 1.0001 }),
		axes(func(b *Backoff) { b.Growth, b.FirstExponent = "power-minus-one", 3 }),
		axes(func(b *Backoff) { b.Growth, b.Degree, b.Offset = "polynomial", 9, s }),
		axes(func(b *Backoff) { b.Growth = "fibonacci" }),
		axes(func(b *Backoff) { b.Jitter, b.SpreadGrows = "add", true }),
	} {
		w := b.Compile()
		before := time.Duration(0)
		next := func(k int64) {
			wait, _ := w.Next(k, 0, middle)
			if wait < before {
				t.Fatalf("%+v: retry %d waits %v after %v", b, k, wait, before)
			}
			before = wait
		}
		for k := int64(1); k <= 400; k++ {
			next(k)
		}
		for k := int64(512); k > 0; k <<= 1 {
			next(k)
		}
		next(math.MaxInt64)
	}
}

// sidekiq#6513: an integer times n+1 is a comb of 10 values.
func TestComb(t *testing.T) {
	for _, test := range []struct {
		backoff Backoff
		values  int
	}{{comb(), 10}, {sidekiq(), 200}} {
		w := test.backoff.Compile()
		seen := map[time.Duration]bool{}
		d := draws(12)
		for range 5000 {
			wait, _ := w.Next(20, 0, d.next())
			seen[wait] = true
			if wait%s != 0 {
				t.Fatalf("%v is no whole number of seconds", wait)
			}
		}
		if len(seen) != test.values {
			t.Errorf("%d values, want %d", len(seen), test.values)
		}
	}
}

// node-retry#90: what is not a number is told when it is read.
func TestNotANumberIsRefused(t *testing.T) {
	nan := math.NaN()
	for field, change := range map[string]func(b *Backoff){
		"factor":   func(b *Backoff) { b.Factor = nan },
		"lo":       func(b *Backoff) { b.Jitter, b.Lo = "factor", nan },
		"hi":       func(b *Backoff) { b.Jitter, b.Hi = "factor", nan },
		"first_lo": func(b *Backoff) { b.Growth, b.FirstLo = "walk", nan },
		"first_hi": func(b *Backoff) { b.Growth, b.FirstHi = "walk", nan },
	} {
		var got []string
		axes(change).Validate(func(field, _ string) { got = append(got, field) })
		if len(got) != 1 || got[0] != field {
			t.Errorf("%s: told about %v", field, got)
		}
	}
}
