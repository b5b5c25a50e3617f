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
		{"the first try counts", func(p *Policy) { p.MaxAttempts = 0 }, []string{
			"max_attempts is 0; allowed: 1 or more (the first try counts), or unlimited",
		}},
		{"negative times", func(p *Policy) { p.Timeout, p.MaxElapsed = -1, -time.Second }, []string{
			"timeout is -1ns; allowed: 0s or more",
			"max_elapsed is -1s; allowed: 0s or more",
		}},
		{"every unknown word is told", func(p *Policy) { p.RetryOn = []string{"timeout", "600", "silent"} }, []string{
			`retry_on "600" is not an outcome; allowed: ` + outcomeWords,
			`retry_on "silent" is not an outcome; allowed: ` + outcomeWords,
		}},
		{"attempts that are never made", func(p *Policy) { p.RetryOn = nil }, []string{
			"retry_on is empty, so nothing would be retried; name outcomes, or set max_attempts: 1",
		}},
		{"one attempt needs no outcomes", func(p *Policy) { p.RetryOn, p.MaxAttempts = nil, 1 }, nil},
		{"late answers", func(p *Policy) { p.LateAnswers = "drop" }, []string{
			`late_answers is "drop"; allowed: ignore, accept`,
		}},
		{"kind", func(p *Policy) { p.Backoff.Kind = "full" }, []string{
			`backoff.kind is "full"; allowed: none, fixed, linear, exponential, full-jitter, equal-jitter, ` +
				`decorrelated-jitter, proportional-jitter, additive-jitter`,
		}},
		{"base above cap", func(p *Policy) { p.Backoff.Base = 2 * time.Second }, []string{
			"backoff.base is 2s, above cap 1s; allowed: 0s to cap",
		}},
		{"no cap, no limit", func(p *Policy) { p.Backoff.Base, p.Backoff.Cap = 2*time.Second, 0 }, nil},
		{"negative waits", func(p *Policy) { p.Backoff.Base, p.Backoff.Cap = -1, -1 }, []string{
			"backoff.base is -1ns; allowed: 0s or more",
			"backoff.cap is -1ns; allowed: 0s or more",
		}},
		{"a factor that shrinks", func(p *Policy) { p.Backoff.Factor = 0.5 }, []string{"backoff.factor is 0.5; allowed: 1 or more"}},
		{"a factor that is none", func(p *Policy) { p.Backoff.Factor = math.NaN() }, []string{"backoff.factor is NaN; allowed: 1 or more"}},
		{"an infinite factor", func(p *Policy) { p.Backoff.Factor = math.Inf(1) }, []string{"backoff.factor is +Inf; allowed: 1 or more"}},
		{"an exponent below 0", func(p *Policy) { p.Backoff.FirstExponent = -1 }, []string{"backoff.first_exponent is -1; allowed: 0 or more"}},
		{"lo above hi", func(p *Policy) { p.Backoff.Lo = 1.5 }, []string{"backoff.hi is 1, below lo 1.5; allowed: lo or more"}},
		{"lo and hi that are none", func(p *Policy) { p.Backoff.Lo, p.Backoff.Hi = math.NaN(), math.Inf(1) }, []string{
			"backoff.lo is NaN; allowed: 0 to hi",
			"backoff.hi is +Inf; allowed: lo or more",
		}},
		{"negative lo and hi", func(p *Policy) { p.Backoff.Lo, p.Backoff.Hi = -2, -1 }, []string{
			"backoff.lo is -2; allowed: 0 to hi",
			"backoff.hi is -1; allowed: lo or more",
		}},
		{"negative spread", func(p *Policy) { p.Backoff.Kind, p.Backoff.Spread = "additive-jitter", -1 }, []string{
			"backoff.spread is -1ns; allowed: 0s or more",
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
