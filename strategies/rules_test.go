package strategies

import (
	"math"
	"testing"
	"time"
)

func TestRulesNext(t *testing.T) {
	four := Policy{
		MaxAttempts: 4, MaxElapsed: time.Second, RetryOn: []string{"transient"},
		Backoff: Backoff{Kind: "exponential", Base: 100 * ms, Factor: 2},
	}
	endless := Policy{MaxAttempts: Unlimited, RetryOn: []string{"timeout"}, Backoff: Backoff{Kind: "decorrelated-jitter", Base: 100 * ms}}
	tests := []struct {
		because string
		policy  Policy
		failure Failure
		u       uint64
		wait    time.Duration
		why     GiveUp
	}{
		{"the zero policy makes one attempt", Policy{RetryOn: []string{"any"}}, Failure{Timeout, 1, 0, 0}, 0, 0, AttemptsExhausted},
		{"no outcome named, no retry", Policy{}, Failure{Timeout, 1, 0, 0}, 0, 0, NotRetryable},
		{"attempt 1 failed: retry 1 after base", four, Failure{503, 1, 0, 0}, 0, 100 * ms, Retry},
		{"attempt 3 failed: the last retry", four, Failure{Refused, 3, 300 * ms, 0}, 0, 400 * ms, Retry},
		{"4 attempts are 3 retries", four, Failure{503, 4, 0, 0}, 0, 0, AttemptsExhausted},
		{"a client error will not get better", four, Failure{404, 1, 0, 0}, 0, 0, NotRetryable},
		{"a success is never retried", four, Failure{OK, 1, 0, 0}, 0, 0, NotRetryable},
		{"the first reason is told", four, Failure{404, 4, time.Hour, 0}, 0, 0, NotRetryable},
		{"attempts before time", four, Failure{503, 4, time.Hour, 0}, 0, 0, AttemptsExhausted},
		{"a retry at max_elapsed may start", four, Failure{503, 3, 600 * ms, 0}, 0, 400 * ms, Retry},
		{"a nanosecond later not", four, Failure{503, 3, 600*ms + 1, 0}, 0, 0, TimeExhausted},
		{"too late before the wait", four, Failure{503, 1, time.Hour, 0}, 0, 0, TimeExhausted},
		{"unlimited attempts, no time limit", endless, Failure{Timeout, math.MaxInt64 - 1, Longest, 0}, 0, 100 * ms, Retry},
		{"the memory is the request's", endless, Failure{Timeout, 2, 0, 200 * ms}, top, 600 * ms, Retry},
	}
	for _, test := range tests {
		rules := test.policy.Compile()
		wait, why := rules.Next(test.failure, test.u)
		if wait != test.wait || why != test.why {
			t.Errorf("%s: %+v: %v, %v; want %v, %v", test.because, test.failure, wait, why, test.wait, test.why)
		}
	}
}

func TestCompileRules(t *testing.T) {
	r := Policy{Timeout: time.Second, LateAnswers: "accept"}.Compile()
	if r.Timeout != time.Second || !r.AcceptLate {
		t.Errorf("timeout %v, accept late answers %v", r.Timeout, r.AcceptLate)
	}
	if r := (Policy{LateAnswers: "ignore"}).Compile(); r.Timeout != 0 || r.AcceptLate {
		t.Errorf("timeout %v, accept late answers %v", r.Timeout, r.AcceptLate)
	}
}

func TestGiveUpString(t *testing.T) {
	for g, want := range map[GiveUp]string{
		Retry: "retry", NotRetryable: "not-retryable", AttemptsExhausted: "attempts-exhausted", TimeExhausted: "time-exhausted",
	} {
		if got := g.String(); got != want {
			t.Errorf("%d is %q, want %q", g, got, want)
		}
	}
}
