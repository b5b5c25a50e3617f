package strategies

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestValidate(t *testing.T) {
	good := Policy{
		MaxAttempts: 3, RetryOn: []string{"transient"}, LateAnswers: "ignore",
		Backoff: Backoff{Kind: "proportional-jitter", Base: 100 * ms, Cap: time.Second, Factor: 2, Lo: 0.5, Hi: 1},
	}
	tests := []struct {
		why    string
		change func(*Policy)
		want   []string // "field problem"
	}{
		{"nothing wrong", func(*Policy) {}, nil},
		{"unlimited is a count", func(p *Policy) { p.MaxAttempts = Unlimited }, nil},
		{"no attempt at all", func(p *Policy) { p.MaxAttempts = 0 }, []string{
			"max_attempts must be at least 1 (the first try counts), or unlimited",
		}},
		{"negative times", func(p *Policy) { p.Timeout, p.MaxElapsed = -1, -time.Second }, []string{
			"timeout must be at least 0s",
			"max_elapsed must be at least 0s",
		}},
		{"every unknown word is told", func(p *Policy) { p.RetryOn = []string{"timeout", "600", "silent"} }, []string{
			`retry_on "600" is not an outcome; allowed: ` + outcomeWords,
			`retry_on "silent" is not an outcome; allowed: ` + outcomeWords,
		}},
		{"attempts that are never made", func(p *Policy) { p.RetryOn = nil }, []string{
			"retry_on must name an outcome, or nothing is retried; for that, set max_attempts: 1",
		}},
		{"one attempt needs no outcomes", func(p *Policy) { p.RetryOn, p.MaxAttempts = nil, 1 }, nil},
		{"late answers", func(p *Policy) { p.LateAnswers = "drop" }, []string{
			"late_answers must be ignore or accept",
		}},
		{"kind", func(p *Policy) { p.Backoff.Kind = "full" }, []string{
			`backoff.kind must be one of none, fixed, linear, exponential, full-jitter, equal-jitter, ` +
				`decorrelated-jitter, proportional-jitter, additive-jitter, schedule, custom`,
		}},
		{"base above cap", func(p *Policy) { p.Backoff.Base = 2 * time.Second }, []string{
			"backoff.base must not be above cap (1s)",
		}},
		{"no cap, no limit", func(p *Policy) { p.Backoff.Base, p.Backoff.Cap = 2*time.Second, 0 }, nil},
		{"negative waits", func(p *Policy) { p.Backoff.Base, p.Backoff.Cap = -1, -1 }, []string{
			"backoff.base must be at least 0s",
			"backoff.cap must be at least 0s",
		}},
		{"a factor that shrinks", func(p *Policy) { p.Backoff.Factor = 0.5 }, []string{"backoff.factor must be at least 1: waits do not shrink"}},
		{"a factor that is none", func(p *Policy) { p.Backoff.Factor = math.NaN() }, []string{"backoff.factor must be at least 1: waits do not shrink"}},
		{"an infinite factor", func(p *Policy) { p.Backoff.Factor = math.Inf(1) }, []string{"backoff.factor must be at least 1: waits do not shrink"}},
		{"an exponent below 0", func(p *Policy) { p.Backoff.FirstExponent = -1 }, []string{"backoff.first_exponent must be at least 0"}},
		{"lo above hi", func(p *Policy) { p.Backoff.Lo = 1.5 }, []string{"backoff.hi must not be below lo (1.5)"}},
		{"lo and hi that are none", func(p *Policy) { p.Backoff.Lo, p.Backoff.Hi = math.NaN(), math.Inf(1) }, []string{
			"backoff.lo must be at least 0",
			"backoff.hi must be at least lo",
		}},
		{"negative lo and hi", func(p *Policy) { p.Backoff.Lo, p.Backoff.Hi = -2, -1 }, []string{
			"backoff.lo must be at least 0",
			"backoff.hi must be at least lo",
		}},
		{"negative spread", func(p *Policy) { p.Backoff.Kind, p.Backoff.Spread = "additive-jitter", -1 }, []string{
			"backoff.spread must be at least 0s",
		}},
		{"fields of another kind are not looked at", func(p *Policy) {
			p.Backoff = Backoff{Kind: "fixed", Base: ms, Factor: -1, FirstExponent: -1, Lo: 2, Hi: -1, Spread: -1}
		}, nil},
		{"none looks at nothing", func(p *Policy) { p.Backoff = Backoff{Kind: "none", Base: -1} }, nil},
	}
	for _, test := range tests {
		p := good
		test.change(&p)
		var got []string
		p.Validate(func(field, problem string) { got = append(got, field+" "+problem) })
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.why, diff)
		}
	}
}

// The axes of custom, each with what is wrong about it.
func TestValidateAxes(t *testing.T) {
	tests := []struct {
		why    string
		change func(*Backoff)
		want   []string
	}{
		{"the defaults are fine", func(*Backoff) {}, nil},
		{"words", func(b *Backoff) {
			b.Growth, b.Jitter, b.CapOn, b.AtCap, b.Round, b.Overflow = "cubic", "half", "x", "stop", "floor", "panic"
		}, []string{
			"growth must be one of constant, power, power-minus-one, polynomial, fibonacci, walk, polly",
			"jitter must be one of none, full, equal, factor, add, plus-minus, above",
			"cap_on must be one of before, after, both, state",
			"at_cap must be one of continue, stop-jitter, half, stay, end",
			"round must be one of none, down, nearest, up",
			"overflow must be one of saturate, at-once, timer",
		}},
		{"base above cap", func(b *Backoff) { b.Cap = ms }, []string{
			"base must not be above cap (1ms), or every wait is cut to it; cap_on: state leaves the first alone",
		}},
		{"gax-go has one that may be", func(b *Backoff) { b.Cap, b.CapOn = ms, "state" }, nil},
		{"min above cap", func(b *Backoff) { b.Cap, b.Min = s, 2*s }, []string{"min must not be above cap (1s), or every wait is the same"}},
		{"a jitter factor above 1", func(b *Backoff) { b.Jitter, b.Lo, b.Hi = "factor", -0.5, 2.5 }, []string{
			"lo must be at least 0: a jitter above 100% makes waits negative, and libraries then do not wait at all",
		}},
		{"negative numbers", func(b *Backoff) {
			b.FirstRepeats, b.First, b.Widen, b.Min, b.Steps, b.Values = -1, new(time.Duration(-1)), -1, -1, -2, 1
		}, []string{
			"first_repeats must be at least 0", "first must be at least 0s", "values must be at least 2, or unlimited",
			"widen must be at least 0s", "min must be at least 0s",
			"steps must be at least 1, or unlimited; for no retries at all, set max_attempts: 1",
		}},
		{"a polynomial", func(b *Backoff) { b.Growth, b.Degree, b.Offset, b.Factor = "polynomial", 0, -1, 0 }, []string{
			"degree must be at least 1", "offset must be at least 0s",
		}},
		{"a walk", func(b *Backoff) { b.Growth, b.LoOf, b.FirstLo, b.FirstHi, b.AtCap = "walk", "last", 2, 1, "end" }, []string{
			"lo_of must be one of base, previous", "first_hi must not be below first_lo (2)",
			"at_cap must be continue, stop-jitter or half with growth walk",
		}},
		{"lo and hi of a walk multiply different waits", func(b *Backoff) { b.Growth, b.Lo, b.Hi = "walk", 3, 2 }, nil},
		{"or the same", func(b *Backoff) { b.Growth, b.LoOf, b.Lo, b.Hi = "walk", "previous", 3, 2 }, []string{"hi must not be below lo (3)"}},
		{"walks are random already", func(b *Backoff) { b.Growth, b.Jitter = "walk", "full" }, []string{
			"jitter must be none with growth walk, which is random already",
		}},
		{"polly", func(b *Backoff) { b.Growth, b.AtCap, b.RoundSteps = "polly", "half", true }, []string{
			"at_cap must be continue with growth polly", "round_steps must be false with growth polly",
		}},
		{"no unit", func(b *Backoff) { b.Round, b.Unit = "down", 0 }, []string{"unit must be above 0s"}},
		{"no matter when nothing is rounded", func(b *Backoff) { b.Unit, b.From, b.Spread, b.Lo = 0, -1, -1, 2 }, nil},
		{"from and spread", func(b *Backoff) { b.Jitter, b.From = "above", -1 }, []string{"from must be at least 0s"}},
		{"sorted without an end", func(b *Backoff) { b.Sorted = true }, []string{"sorted must be false, or steps 1 to 64"}},
		{"sorted and long", func(b *Backoff) { b.Sorted, b.Steps = true, 65 }, []string{"sorted must be false, or steps 1 to 64"}},
		{"sorted with a first", func(b *Backoff) { b.Sorted, b.Steps, b.First = true, 3, new(time.Duration(0)) }, []string{"sorted must be false with first"}},
		{"a sorted walk", func(b *Backoff) { b.Sorted, b.Steps, b.Growth = true, 3, "walk" }, []string{"sorted must be false with growth walk"}},
		{"no list", func(b *Backoff) { *b = Backoff{Kind: "schedule", Steps: Unlimited} }, []string{"waits must be 1 to 64 waits"}},
		{"a long list", func(b *Backoff) {
			*b = Backoff{Kind: "schedule", Steps: Unlimited, Waits: make([]time.Duration, 65)}
		}, []string{"waits must be 1 to 64 waits"}},
		{"a bad list", func(b *Backoff) {
			*b = Backoff{Kind: "schedule", Waits: []time.Duration{s, -1}}
		}, []string{"waits must be at least 0s", "steps must be at least 1, or unlimited; for no retries at all, set max_attempts: 1"}},
	}
	for _, test := range tests {
		b := axes(test.change)
		var got []string
		b.Validate(func(field, problem string) { got = append(got, field+" "+problem) })
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.why, diff)
		}
	}
}

// The rest of a policy.
func TestValidateMore(t *testing.T) {
	tests := []struct {
		why    string
		change func(*Policy)
		want   []string
	}{
		{"words", func(p *Policy) { p.ElapsedCheck, p.Cancel = "never", "always" }, []string{
			"elapsed_check must be one of before-wait, after-wait", "cancel must be one of never, queued, running",
		}},
		{"times", func(p *Policy) { p.Deadline, p.SlowerThan, p.FasterThan = -1, -1, -1 }, []string{
			"deadline must be at least 0s", "slower_than must be at least 0s", "faster_than must be at least 0s",
		}},
		{"nothing is slower and faster", func(p *Policy) { p.SlowerThan, p.FasterThan = s, s }, []string{
			"slower_than must be below faster_than (1s), or nothing is retried",
		}},
		{"waits of some outcomes", func(p *Policy) {
			p.BackoffOn = []BackoffOn{{"429", Backoff{Kind: "fixed", Base: -1}}, {"throttled", Backoff{}}}
		}, []string{
			"backoff_on.429.base must be at least 0s",
			`backoff_on "throttled" is not an outcome; allowed: ` + outcomeWords,
		}},
		{"retry_after: a kind", func(p *Policy) { p.RetryAfter.Kind = "obey" }, []string{
			"retry_after.kind must be one of ignore, floor, replace, add, band, required",
		}},
		{"retry_after: ignored, and not looked at", func(p *Policy) { p.RetryAfter = RetryAfter{Kind: "ignore", Cap: -1} }, nil},
		{"retry_after: values", func(p *Policy) {
			p.RetryAfter = RetryAfter{
				Kind: "band", Cap: -1, Width: -1, TooLong: "never", Jitter: -0.1,
				Answers: []string{"4290"}, Forms: []string{"years"},
			}
		}, []string{
			"retry_after.cap must be at least 0s", "retry_after.too_long must be one of cut, give-up, ignore",
			"retry_after.width must be at least 0s", "retry_after.jitter must be 0% to 100000%",
			`retry_after.answers "4290" is not an outcome; allowed: ` + outcomeWords,
			"retry_after.forms must be some of seconds, date, ms",
		}},
		{"retry_after: a wait is not negative", func(p *Policy) {
			p.RetryAfter = RetryAfter{Kind: "add", Jitter: 1.5, Centred: true}
		}, []string{
			"retry_after.jitter must be 0% to 100%",
			"retry_after.answers must name an outcome, or nothing is read; for that, set kind: ignore",
			"retry_after.forms must be some of seconds, date, ms",
		}},
		{"what callers share", func(p *Policy) {
			p.Budget, p.Breaker, p.Limiter = &Budget{Kind: "b"}, &Breaker{Kind: "b"}, &Limiter{Kind: "l"}
			p.Hedge = &Hedge{Max: 1, Budget: 1, OnFailure: "panic"}
		}, []string{
			"budget.kind must be one of ratio, window, concurrent, tokens, throttle, failures",
			"breaker.kind must be one of count, time, consecutive",
			"hedge.on_failure must be one of send, wait",
			"limiter.kind must be one of concurrency, rate, aimd, gradient, aws-adaptive",
		}},
	}
	for _, test := range tests {
		p := Policy{MaxAttempts: 3, RetryOn: []string{"transient"}}
		test.change(&p)
		var got []string
		p.Validate(func(field, problem string) { got = append(got, field+" "+problem) })
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.why, diff)
		}
	}
}
