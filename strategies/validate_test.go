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
				`decorrelated-jitter, proportional-jitter, additive-jitter`,
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
