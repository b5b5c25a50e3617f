package server

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A call that comes when next-token says is admitted, and a nanosecond earlier
// it is not, however late in however long a run.
func TestNextToken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := RateLimit{
			Kind:   rapid.SampledFrom([]string{"token-bucket", "fixed-window", "sliding-window"}).Draw(t, "kind"),
			Scope:  rapid.SampledFrom([]string{"all", "client"}).Draw(t, "scope"),
			Burst:  rapid.Int64Range(1, 5).Draw(t, "burst"),
			Limit:  rapid.Int64Range(1, 5).Draw(t, "limit"),
			Window: time.Duration(rapid.Int64Range(1, 1e10).Draw(t, "window")),
			Rate:   float64(rapid.Int64Range(1, 1000).Draw(t, "tokens")) / float64(rapid.Int64Range(1, 1000).Draw(t, "seconds")),
		}
		early, late := newRateLimit(spec), newRateLimit(spec)
		now := time.Duration(rapid.Int64Range(0, int64(never/2)).Draw(t, "now"))
		const client = 7
		for range rapid.IntRange(1, 60).Draw(t, "calls") {
			now += time.Duration(rapid.Int64Range(0, 3e8).Draw(t, "wait"))
			wait := early.wait(now, client)
			admitted := early.admit(now, client)
			if late.admit(now, client) != admitted || admitted != (wait == 0) {
				t.Fatalf("at %d: admitted %v, but the wait was %d", now, admitted, wait)
			}
			if admitted {
				continue
			}
			if early.wait(now, client) != wait {
				t.Fatal("a refused call makes the wait longer")
			}
			// early is asked too early, and both when it is due.
			if wait > 1 && early.admit(now+wait-1, client) {
				t.Fatalf("at %d: admitted before the wait of %d is over", now, wait)
			}
			now += wait
			if !early.admit(now, client) || !late.admit(now, client) {
				t.Fatalf("at %d: not admitted after the wait of %d", now-wait, wait)
			}
		}
	})
}

// After 30 years of three tokens a second there is one at every third of a second.
func TestNextTokenAfterYears(t *testing.T) {
	l := newRateLimit(RateLimit{Kind: "token-bucket", Rate: 3, Burst: 2})
	start := time.Duration(1e18)
	for range 2 {
		l.admit(start, 0)
	}
	now := start
	for i := range 3_000_000 {
		wait := l.wait(now, 0)
		now += wait
		third := time.Duration(i+1) * sec / 3
		if (i+1)%3 != 0 {
			third++ // rounded up
		}
		if now != start+third || !l.admit(now, 0) {
			t.Fatalf("token %d is due at %v, want %v", i, now-start, third)
		}
	}
}
