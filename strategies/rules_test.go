package strategies

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
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
		{"the zero policy makes one attempt", Policy{RetryOn: []string{"any"}}, Failure{Outcome: Timeout, Attempt: 1}, 0, 0, AttemptsExhausted},
		{"no outcome named, no retry", Policy{}, Failure{Outcome: Timeout, Attempt: 1}, 0, 0, NotRetryable},
		{"attempt 1 failed: retry 1 after base", four, Failure{Outcome: 503, Attempt: 1}, 0, 100 * ms, Retry},
		{"attempt 3 failed: the last retry", four, Failure{Outcome: Refused, Attempt: 3, Elapsed: 300 * ms}, 0, 400 * ms, Retry},
		{"4 attempts are 3 retries", four, Failure{Outcome: 503, Attempt: 4}, 0, 0, AttemptsExhausted},
		{"a client error will not get better", four, Failure{Outcome: 404, Attempt: 1}, 0, 0, NotRetryable},
		{"a success is never retried", four, Failure{Outcome: OK, Attempt: 1}, 0, 0, NotRetryable},
		{"the first reason is told", four, Failure{Outcome: 404, Attempt: 4, Elapsed: time.Hour}, 0, 0, NotRetryable},
		{"attempts before time", four, Failure{Outcome: 503, Attempt: 4, Elapsed: time.Hour}, 0, 0, AttemptsExhausted},
		{"a retry at max_elapsed may start", four, Failure{Outcome: 503, Attempt: 3, Elapsed: 600 * ms}, 0, 400 * ms, Retry},
		{"a nanosecond later not", four, Failure{Outcome: 503, Attempt: 3, Elapsed: 600*ms + 1}, 0, 0, TimeExhausted},
		{"too late before the wait", four, Failure{Outcome: 503, Attempt: 1, Elapsed: time.Hour}, 0, 0, TimeExhausted},
		{"unlimited attempts, no time limit", endless, Failure{Outcome: Timeout, Attempt: math.MaxInt64 - 1, Elapsed: Longest}, 0, 100 * ms, Retry},
		{"the memory is the request's", endless, Failure{Outcome: Timeout, Attempt: 2, Memory: uint64(200 * ms)}, top, 600 * ms, Retry},
	}
	for _, test := range tests {
		rules := test.policy.Compile()
		got := rules.Next(&test.failure, test.u)
		if got.Wait != test.wait || got.Why != test.why {
			t.Errorf("%s: %+v: %v, %v; want %v, %v", test.because, test.failure, got.Wait, got.Why, test.wait, test.why)
		}
	}
}

// Rules that only some policies have.
func TestRulesNextMore(t *testing.T) {
	policy := func(change func(*Policy)) Policy {
		p := Policy{
			MaxAttempts: Unlimited, RetryOn: []string{"transient"},
			Backoff: Backoff{Kind: "exponential", Base: 100 * ms, Factor: 2},
		}
		change(&p)
		return p
	}
	slow := policy(func(p *Policy) { p.SlowerThan = s })
	fast := policy(func(p *Policy) { p.FasterThan = s })
	before := policy(func(p *Policy) { p.MaxElapsed, p.ElapsedCheck = s, "before-wait" })
	deadline := policy(func(p *Policy) { p.Deadline = s })
	both := policy(func(p *Policy) { p.Deadline, p.MaxElapsed = s, s })
	three := policy(func(p *Policy) { p.Backoff = Backoff{Kind: "schedule", Waits: []time.Duration{s}, Steps: 3} })
	throttled := policy(func(p *Policy) {
		p.BackoffOn = []BackoffOn{
			{"429", Backoff{Kind: "fixed", Base: 2 * s}},
			{"5xx", Backoff{Kind: "schedule", Waits: []time.Duration{3 * s}, Steps: 2}},
			{"any", Backoff{Kind: "fixed", Base: 4 * s}},
		}
	})
	tests := []struct {
		because string
		policy  Policy
		failure Failure
		wait    time.Duration
		why     GiveUp
	}{
		{"slow enough", slow, Failure{Outcome: Timeout, Attempt: 1, Took: s + 1}, 100 * ms, Retry},
		{"not slower than that", slow, Failure{Outcome: Timeout, Attempt: 1, Took: s}, 0, NotRetryable},
		{"fast enough", fast, Failure{Outcome: Timeout, Attempt: 1, Took: s - 1}, 100 * ms, Retry},
		{"not faster than that", fast, Failure{Outcome: Timeout, Attempt: 1, Took: s}, 0, NotRetryable},
		{"the coming wait overshoots", before, Failure{Outcome: 503, Attempt: 9, Elapsed: s - 1}, 25600 * ms, Retry},
		{"the time is up", before, Failure{Outcome: 503, Attempt: 9, Elapsed: s}, 0, TimeExhausted},
		{"before the deadline", deadline, Failure{Outcome: 503, Attempt: 1, Elapsed: 900*ms - 1}, 100 * ms, Retry},
		{"no retry starts at the deadline", deadline, Failure{Outcome: 503, Attempt: 1, Elapsed: 900 * ms}, 0, DeadlineExceeded},
		{"after the deadline", deadline, Failure{Outcome: 503, Attempt: 1, Elapsed: time.Hour}, 0, DeadlineExceeded},
		{"at max_elapsed is in time, at the deadline not", both, Failure{Outcome: 503, Attempt: 1, Elapsed: 900 * ms}, 0, DeadlineExceeded},
		{"time before deadline", both, Failure{Outcome: 503, Attempt: 1, Elapsed: s}, 0, TimeExhausted},
		{"the last wait of a list", three, Failure{Outcome: 503, Attempt: 3}, s, Retry},
		{"none after it", three, Failure{Outcome: 503, Attempt: 4}, 0, AttemptsExhausted},
		{"a wait of its own", throttled, Failure{Outcome: 429, Attempt: 1}, 2 * s, Retry},
		{"and steps of its own", throttled, Failure{Outcome: 500, Attempt: 3}, 0, AttemptsExhausted},
		{"the first entry holds", throttled, Failure{Outcome: 503, Attempt: 2}, 3 * s, Retry},
		{"a later one", throttled, Failure{Outcome: Refused, Attempt: 9}, 4 * s, Retry},
		{"a wait does not make it retryable", throttled, Failure{Outcome: 404, Attempt: 1}, 0, NotRetryable},
	}
	for _, test := range tests {
		rules := test.policy.Compile()
		got := rules.Next(&test.failure, middle)
		if got.Wait != test.wait || got.Why != test.why {
			t.Errorf("%s: %v, %v; want %v, %v", test.because, got.Wait, got.Why, test.wait, test.why)
		}
	}
	for _, p := range []Policy{slow, fast} {
		if r := p.Compile(); !r.Timed() {
			t.Errorf("does not ask how long the attempt took: %+v", p)
		}
	}
	other := throttled.Compile()
	if a, b := other.WaitsAfter(429).Max(1), other.WaitsAfter(404).Max(1); a != 2*s || b != 4*s {
		t.Errorf("waits after 429 %v, after 404 %v", a, b)
	}
	if r := deadline.Compile(); r.Timed() || r.Retryable(404) || !r.Retryable(503) || r.Waits().Max(3) != 400*ms {
		t.Error("the rules do not say what they are")
	}
}

// linkerd#2369: retries go on for hours past a budget of seconds.
func TestDeadlineIsAHardStop(t *testing.T) {
	for _, kind := range []string{"none", "fixed", "full-jitter", "decorrelated-jitter"} {
		rules := Policy{
			MaxAttempts: Unlimited, RetryOn: []string{"any"}, Deadline: 5 * s,
			Backoff: Backoff{Kind: kind, Base: 100 * ms, Factor: 2},
		}.Compile()
		f := Failure{Outcome: 503, Attempt: 1}
		d := draws(31)
		for range 10_000 {
			next := rules.Next(&f, d.next())
			if next.Why != Retry {
				if next.Why != DeadlineExceeded {
					t.Errorf("%s: gives up for %v", kind, next.Why)
				}
				break
			}
			f.Attempt, f.Memory = f.Attempt+1, next.Memory
			if f.Elapsed += next.Wait + ms; f.Elapsed-ms >= 5*s {
				t.Fatalf("%s: a retry starts at %v", kind, f.Elapsed)
			}
		}
	}
}

// Waits that depend on each other do not go on from another's wait.
func TestMemoriesAreKeptApart(t *testing.T) {
	rules := Policy{
		MaxAttempts: Unlimited, RetryOn: []string{"any"},
		Backoff: Backoff{Kind: "decorrelated-jitter", Base: 100 * ms},
		BackoffOn: []BackoffOn{
			{"429", Backoff{Kind: "exponential", Base: s, Factor: 2}},
			{"503", axes(func(b *Backoff) { b.Base, b.Growth, b.Hi = s, "walk", 10 })},
		},
	}.Compile()
	f := Failure{}
	steps := []struct {
		outcome Outcome
		want    time.Duration
	}{
		{Timeout, 300 * ms},
		{Timeout, 900 * ms},
		{429, 4 * s},        // the third retry: a wait of ns is no number of a retry
		{503, s},            // the first wait of this walk
		{503, 10 * s},       // from its own
		{Timeout, 300 * ms}, // begins again
	}
	for i, step := range steps {
		f.Outcome, f.Attempt = step.outcome, int64(i)+1
		next := rules.Next(&f, top)
		if next.Wait != step.want {
			t.Errorf("retry %d after %v waits %v, want %v", i+1, step.outcome, next.Wait, step.want)
		}
		f.Memory = next.Memory
	}
}

// A call that must not be done twice is tried again only when it surely was
// not done.
func TestNotIdempotent(t *testing.T) {
	p := Policy{MaxAttempts: 3, RetryOn: []string{"any"}, IdempotentOnly: true}
	r := p.Compile()
	careful := r.NotIdempotent(p)
	for o, want := range map[Outcome]bool{Refused: true, Rejected: true, Reset: false, Timeout: false, 409: false, 503: false} {
		if careful.Retryable(o) != want || !r.Retryable(o) {
			t.Errorf("%v: retried %v, idempotent %v", o, careful.Retryable(o), r.Retryable(o))
		}
	}
	p.IdempotentOnly = false
	if same := r.NotIdempotent(p); !same.Retryable(503) {
		t.Error("a policy that does not care does")
	}
	p.RetryOn = []string{"503"}
	r, p.IdempotentOnly = p.Compile(), true
	if none := r.NotIdempotent(p); none.Retryable(Refused) || none.Retryable(503) {
		t.Error("it retries what retry_on does not name")
	}
}

func TestCompileRules(t *testing.T) {
	r := Policy{Timeout: time.Second, LateAnswers: "accept"}.Compile()
	if r.Timeout != time.Second || !r.AcceptLate {
		t.Errorf("timeout %v, accept late answers %v", r.Timeout, r.AcceptLate)
	}
	for cancel, want := range map[string][2]bool{"": {}, "never": {}, "queued": {true, false}, "running": {true, true}} {
		if r := (Policy{Cancel: cancel}).Compile(); [2]bool{r.CancelQueued, r.CancelRunning} != want {
			t.Errorf("cancel %q: %v, %v", cancel, r.CancelQueued, r.CancelRunning)
		}
	}
	if r := (Policy{LateAnswers: "ignore"}).Compile(); r.Timeout != 0 || r.AcceptLate {
		t.Errorf("timeout %v, accept late answers %v", r.Timeout, r.AcceptLate)
	}
}

func TestGiveUpString(t *testing.T) {
	want := []string{
		"retry", "not-retryable", "attempts", "elapsed", "deadline", "retry-after",
		"budget", "breaker", "limiter", "hedge-budget", "unknown",
	}
	for g := Retry; g <= GiveUps; g++ {
		if got := g.String(); got != want[g] {
			t.Errorf("%d is %q, want %q", g, got, want[g])
		}
	}
}

// TestNextBasic: the short path of common rules decides as the long one does.
func TestNextBasic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Policy{
			MaxAttempts: rapid.SampledFrom([]int64{1, 2, 5, Unlimited}).Draw(t, "attempts"),
			MaxElapsed:  rapid.SampledFrom([]time.Duration{0, ms, time.Second}).Draw(t, "elapsed"),
			Deadline:    rapid.SampledFrom([]time.Duration{0, ms, time.Second}).Draw(t, "deadline"),
			RetryOn:     []string{rapid.SampledFrom([]string{"any", "transient", "timeout"}).Draw(t, "on")},
			Backoff: Backoff{
				Kind: rapid.SampledFrom([]string{"none", "fixed", "exponential", "full-jitter", "schedule"}).Draw(t, "kind"),
				Base: 100 * ms, Factor: 2, Waits: []time.Duration{ms, time.Second}, Steps: rapid.Int64Range(1, 9).Draw(t, "steps"),
			},
		}
		short := p.Compile()
		if !short.basic {
			t.Fatal("not basic")
		}
		long := short
		long.basic = false
		f := Failure{
			Outcome: rapid.SampledFrom([]Outcome{Refused, Timeout, 404, 503}).Draw(t, "outcome"),
			Attempt: rapid.Int64Range(1, 100).Draw(t, "attempt"),
			Elapsed: time.Duration(rapid.Int64Range(0, int64(2*time.Second)).Draw(t, "elapsed so far")),
		}
		u := rapid.Uint64().Draw(t, "u")
		if got, want := short.Next(&f, u), long.Next(&f, u); got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
	})
}
