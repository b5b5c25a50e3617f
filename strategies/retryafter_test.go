package strategies

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// asking is a policy with waits of 1, 2, 4, ... s that reads what it is asked.
func asking(change func(a *RetryAfter)) Policy {
	a := RetryAfter{Kind: "floor", Answers: []string{"429", "503"}, Forms: []string{"seconds", "date"}, TooLong: "cut", Width: 5 * s}
	change(&a)
	return Policy{
		MaxAttempts: Unlimited, RetryOn: []string{"transient"}, RetryAfter: a,
		Backoff: Backoff{Kind: "exponential", Base: s, Factor: 2},
	}
}

// What libraries make of a wait that the server asks for.
func TestRetryAfter(t *testing.T) {
	const nothing = -1
	kind := func(k string) Policy { return asking(func(a *RetryAfter) { a.Kind = k }) }
	capped := func(k string, limit time.Duration, tooLong string) Policy {
		return asking(func(a *RetryAfter) { a.Kind, a.Cap, a.TooLong = k, limit, tooLong })
	}
	jittered := func(k string, share float64, centred bool) Policy {
		return asking(func(a *RetryAfter) { a.Kind, a.Jitter, a.Centred = k, share, centred })
	}
	okhttp := asking(func(a *RetryAfter) {
		a.Kind, a.Cap, a.TooLong, a.Answers = "required", 1, "give-up", []string{"503"}
	})
	tests := []struct {
		library string
		policy  Policy
		outcome Outcome
		asked   time.Duration
		draw    uint64
		want    time.Duration
		why     GiveUp
	}{
		{"botocore and many: ignored", kind("ignore"), 503, time.Hour, 0, 4 * s, Retry},
		{"no rule is ignore", Policy{MaxAttempts: 9, RetryOn: []string{"503"}}, 503, time.Hour, 0, 0, Retry},

		{"go-retryablehttp: replaces, no upper limit (#295)", kind("replace"), 429, time.Hour, 0, time.Hour, Retry},
		{"replaces with less", kind("replace"), 429, s, 0, s, Retry},
		{"undici#5519: 0 is at once", kind("replace"), 429, 0, 0, 0, Retry},
		{"nothing asked: the formula (supabase-js#2634)", kind("replace"), 429, nothing, 0, 4 * s, Retry},
		{"not on this answer", kind("replace"), 500, time.Hour, 0, 4 * s, Retry},
		{"go-retryablehttp 0.7.8 overflows at 9223372037 s; here it is for ever", kind("replace"), 503, math.MaxInt64, 0, 0, RetryAfterTooLong},
		{"a negative wait is none", kind("replace"), 503, -5 * s, 0, 0, Retry},

		{"urllib3 2: capped at 21,600 s", capped("replace", 6*time.Hour, "cut"), 503, 24 * time.Hour, 0, 6 * time.Hour, Retry},
		{"just at the cap", capped("replace", 6*time.Hour, "give-up"), 503, 6 * time.Hour, 0, 6 * time.Hour, Retry},
		{"Envoy: above 300 s it is ignored", capped("replace", 300*s, "ignore"), 503, 301 * s, 0, 4 * s, Retry},
		{"Envoy: up to 300 s it holds", capped("replace", 300*s, "ignore"), 503, 300 * s, 0, 300 * s, Retry},
		{"got, azcore: too long is the end", capped("replace", minute, "give-up"), 503, minute + 1, 0, 0, RetryAfterTooLong},
		{"for ever, cut", capped("replace", minute, "cut"), 503, math.MaxInt64, 0, minute, Retry},

		{"AWS 2.1: held in [t, t + 5 s], below", kind("band"), 503, s, 0, 4 * s, Retry},
		{"AWS 2.1: inside", kind("band"), 503, 6 * s, 0, 6 * s, Retry},
		{"AWS 2.1: above", kind("band"), 503, time.Hour, 0, 9 * s, Retry},
		{"AWS 2.1: for ever", kind("band"), 503, math.MaxInt64, 0, 9 * s, Retry},
		{"aws-sdk-go: added", kind("add"), 503, 10 * s, 0, 14 * s, Retry},

		{"Temporal, stripe-python 5: raises it", kind("floor"), 503, 10 * s, 0, 10 * s, Retry},
		{"does not lower it", kind("floor"), 503, s, 0, 4 * s, Retry},
		{"axios-retry: up to a fifth more", jittered("floor", 0.2, false), 503, 10 * s, top, 12 * s, Retry},
		{"axios-retry: never less", jittered("floor", 0.2, false), 503, 10 * s, 0, 10 * s, Retry},
		{"failsafe-go: may go below the server's wish", jittered("replace", 0.1, true), 503, 10 * s, 0, 9 * s, Retry},
		{"failsafe-go: or above", jittered("replace", 0.1, true), 503, 10 * s, top, 11 * s, Retry},
		{"all of it", jittered("replace", 1, true), 503, 10 * s, 0, 0, Retry},
		{"jitter of nothing", jittered("replace", 0.5, false), 503, 0, top, 0, Retry},
		{"Envoy: up to half more", jittered("replace", 0.5, false), 503, s, top, 1500 * ms, Retry},
		{"the longest wait with jitter", jittered("replace", 1, false), 503, Longest - 1, top, Longest, Retry},

		{"client-go REST: nothing asked, no retry", kind("required"), 503, nothing, 0, 0, RetryAfterTooLong},
		{"client-go REST: asked", kind("required"), 503, 10 * s, 0, 10 * s, Retry},
		{"client-go REST: other outcomes cannot ask", kind("required"), Refused, nothing, 0, 4 * s, Retry},
		{"OkHttp: a 503 only at once", okhttp, 503, 0, 0, 0, Retry},
		{"OkHttp: not a second later", okhttp, 503, s, 0, 0, RetryAfterTooLong},
		{"OkHttp: not unasked", okhttp, 503, nothing, 0, 0, RetryAfterTooLong},
		{"required, and too long to be read", capped("required", s, "ignore"), 503, 2 * s, 0, 0, RetryAfterTooLong},
	}
	for _, test := range tests {
		rules := test.policy.Compile()
		f := Failure{Outcome: test.outcome, Attempt: 3, AskedDraw: test.draw}
		if test.asked != nothing {
			f.Asked, f.Hinted = test.asked, true
		}
		got := rules.Next(&f, middle)
		if test.policy.Backoff.Kind == "" {
			test.want = 0
		}
		if got.Wait != test.want || got.Why != test.why {
			t.Errorf("%s: %v, %v; want %v, %v", test.library, got.Wait, got.Why, test.want, test.why)
		}
	}
}

// Which forms a library understands, and on which answers it looks.
func TestReads(t *testing.T) {
	aws := asking(func(a *RetryAfter) { a.Kind, a.Forms, a.Answers = "band", []string{"ms"}, []string{"any"} })
	clientGo := asking(func(a *RetryAfter) {
		a.Kind, a.Forms, a.Answers = "required", []string{"seconds"}, []string{"429", "5xx"}
	})
	tests := []struct {
		why    string
		policy Policy
		on     Outcome
		form   AskedForms
		want   bool
	}{
		{"seconds on 503", asking(func(*RetryAfter) {}), 503, AskedSeconds, true},
		{"a date on 429", asking(func(*RetryAfter) {}), 429, AskedDate, true},
		{"no header in ms", asking(func(*RetryAfter) {}), 503, AskedMillis, false},
		{"not on 500", asking(func(*RetryAfter) {}), 500, AskedSeconds, false},
		{"ignored", asking(func(a *RetryAfter) { a.Kind = "ignore" }), 503, AskedSeconds, false},
		{"AWS 2.1 has a header of its own", aws, 500, AskedMillis, true},
		{"and looks at no other", aws, 503, AskedSeconds, false},
		{"client-go: 5xx", clientGo, 500, AskedSeconds, true},
		{"client-go, aws-sdk-go, OkHttp: no date", clientGo, 503, AskedDate, false},
	}
	for _, test := range tests {
		r := test.policy.Compile()
		if got := r.Reads(test.on, test.form); got != test.want {
			t.Errorf("%s: %v", test.why, got)
		}
	}
	if _, ok := ParseForms([]string{"seconds", "years"}); ok {
		t.Error("years are no form")
	}
}

// gRPC, cenkalti v5: after a wait that was asked for the exponent starts again.
func TestAskedWaitRestarts(t *testing.T) {
	policy := asking(func(a *RetryAfter) { a.Kind, a.Restart, a.Cap, a.TooLong = "replace", true, minute, "ignore" })
	rules := policy.Compile()
	f := Failure{Outcome: 503}
	steps := []struct {
		asked time.Duration // 0: nothing
		want  time.Duration
	}{
		{0, s},
		{0, 2 * s},
		{30 * s, 30 * s},
		{0, s},
		{0, 2 * s},
		{time.Hour, 4 * s}, // ignored: as if nothing had been asked
		{0, 8 * s},
		{10 * s, 10 * s},
		{20 * s, 20 * s},
		{0, s},
	}
	for i, step := range steps {
		f.Attempt, f.Asked, f.Hinted = int64(i)+1, step.asked, step.asked > 0
		next := rules.Next(&f, middle)
		if next.Wait != step.want {
			t.Errorf("retry %d waits %v, want %v", i+1, next.Wait, step.want)
		}
		f.Memory = next.Memory
	}
}

// An asked wait is judged by the clock like any other.
func TestAskedWaitAndTime(t *testing.T) {
	p := asking(func(a *RetryAfter) { a.Kind = "replace" })
	p.MaxElapsed, p.Deadline = minute, 2*minute
	rules := p.Compile()
	for asked, want := range map[time.Duration]GiveUp{minute: Retry, minute + 1: TimeExhausted} {
		if got := rules.Next(&Failure{Outcome: 503, Attempt: 1, Asked: asked, Hinted: true}, 0); got.Why != want {
			t.Errorf("%v: %v, want %v", asked, got.Why, want)
		}
	}
}

func TestAskedWaitsStayInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy := asking(func(a *RetryAfter) {
			a.Kind = rapid.SampledFrom(RetryAfter{}.Kinds()).Draw(t, "kind")[0]
			a.Cap = time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "cap"))
			a.TooLong = rapid.SampledFrom([]string{"cut", "give-up", "ignore"}).Draw(t, "too_long")
			a.Width = time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "width"))
			a.Jitter, a.Centred = rapid.Float64Range(0, 1).Draw(t, "jitter"), rapid.Bool().Draw(t, "centred")
			a.Restart = rapid.Bool().Draw(t, "restart")
		})
		policy.Backoff = customBackoff(t)
		rules := policy.Compile()
		next := rules.Next(&Failure{
			Outcome: 503, Attempt: rapid.Int64Range(1, 1<<40).Draw(t, "attempt"), Memory: rapid.Uint64().Draw(t, "memory"),
			Asked: time.Duration(rapid.Int64().Draw(t, "asked")), Hinted: rapid.Bool().Draw(t, "hinted"),
			AskedDraw: rapid.Uint64().Draw(t, "draw"),
		}, rapid.Uint64().Draw(t, "u"))
		if next.Wait < 0 || next.Wait > Longest || next.Why != Retry && next.Wait != 0 {
			t.Fatalf("%+v", next)
		}
	})
}
