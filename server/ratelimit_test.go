package server

import (
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestRateLimit(t *testing.T) {
	bucket := func(rate float64, burst int64) RateLimit {
		return RateLimit{Kind: "token-bucket", Rate: rate, Burst: burst}
	}
	fixed := RateLimit{Kind: "fixed-window", Limit: 2, Window: 10}
	sliding := RateLimit{Kind: "sliding-window", Limit: 2, Window: 10}
	type admitted = bool
	for _, test := range []struct {
		reason string
		limit  RateLimit
		times  []time.Duration
		want   []admitted
	}{
		{"a bucket starts full", bucket(1, 3), []time.Duration{0, 0, 0, 0}, []admitted{true, true, true, false}},
		{
			"a token is there when it is due, not before", bucket(100, 1),
			[]time.Duration{0, 10*ms - 1, 10 * ms, 10 * ms},
			[]admitted{true, false, true, false},
		},
		{
			"a third of a second, rounded up: a token is whole or not there", bucket(3, 1),
			[]time.Duration{0, 333_333_333, 333_333_334, 666_666_667, 666_666_668},
			[]admitted{true, false, true, false, true},
		},
		{
			"three a second for ever, without drift", bucket(3, 3),
			[]time.Duration{0, 0, 0, sec - 1, sec, sec, sec},
			[]admitted{true, true, true, true, true, true, false},
		},
		{"per minute", bucket(10.0/60, 1), []time.Duration{0, 6*sec - 1, 6 * sec}, []admitted{true, false, true}},
		{"a full bucket stays full", bucket(1, 2), []time.Duration{100 * sec, 100 * sec, 100 * sec}, []admitted{true, true, false}},
		{"one that refuses takes nothing", bucket(1, 1), []time.Duration{0, sec / 2, sec}, []admitted{true, false, true}},
		{"faster than the clock", bucket(4e9, 1), []time.Duration{0, 0, 1, 1, 2}, []admitted{true, false, true, false, true}},

		{
			"fixed windows begin at 0 and are half-open", fixed,
			[]time.Duration{0, 9, 9, 10, 10, 19, 20},
			[]admitted{true, true, false, true, true, false, true},
		},
		{
			"so twice the limit passes around an edge", fixed,
			[]time.Duration{9, 9, 10, 10},
			[]admitted{true, true, true, true},
		},
		{
			"a window after many empty ones", fixed,
			[]time.Duration{0, 0, 95, 95, 95},
			[]admitted{true, true, true, true, false},
		},

		{
			"a sliding window has no edge", sliding,
			[]time.Duration{9, 9, 10, 18, 19, 19, 19},
			[]admitted{true, true, false, false, true, true, false},
		},
		{
			"what was refused doesn't count", sliding,
			[]time.Duration{0, 5, 6, 7, 8, 9, 10, 10},
			[]admitted{true, true, false, false, false, false, true, false},
		},
	} {
		l := newRateLimit(test.limit)
		for range 2 { // the second time after a reset
			for i, now := range test.times {
				if got := l.admit(now, 0); got != test.want[i] {
					t.Errorf("%s: call %d at %d: %v, want %v", test.reason, i, now, got, test.want[i])
				}
			}
			l.reset()
		}
	}
}

// Scope client: nobody takes another's tokens; scope all: everybody does.
func TestScope(t *testing.T) {
	spec := RateLimit{Kind: "token-bucket", Rate: 1, Burst: 1, Scope: "client"}
	each := newRateLimit(spec)
	spec.Scope = "all"
	all := newRateLimit(spec)
	for client := range uint64(3) {
		if !each.admit(0, client) || each.admit(0, client) {
			t.Errorf("client %d doesn't have one token of its own", client)
		}
		if got := all.admit(0, client); got != (client == 0) {
			t.Errorf("client %d of all: %v", client, got)
		}
	}
}

// The dumb definitions: they remember everything.

func bucketOf(tokens, seconds, burst int64) func(now time.Duration) bool {
	level, last := big.NewRat(burst, 1), time.Duration(0)
	return func(now time.Duration) bool {
		level.Add(level, new(big.Rat).Mul(big.NewRat(tokens, seconds), big.NewRat(int64(now-last), 1e9)))
		if full := big.NewRat(burst, 1); level.Cmp(full) > 0 {
			level = full
		}
		last = now
		if level.Cmp(big.NewRat(1, 1)) < 0 {
			return false
		}
		level.Sub(level, big.NewRat(1, 1))
		return true
	}
}

func windowOf(limit int64, width time.Duration, sliding bool) func(now time.Duration) bool {
	var admitted []time.Duration
	return func(now time.Duration) bool {
		n := int64(0)
		for _, at := range admitted {
			if sliding && at > now-width || !sliding && at/width == now/width {
				n++
			}
		}
		if n < limit {
			admitted = append(admitted, now)
		}
		return n < limit
	}
}

func TestRateLimitAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := RateLimit{
			Kind:   rapid.SampledFrom([]string{"token-bucket", "fixed-window", "sliding-window"}).Draw(t, "kind"),
			Burst:  rapid.Int64Range(1, 4).Draw(t, "burst"),
			Limit:  rapid.Int64Range(1, 12).Draw(t, "limit"),
			Window: time.Duration(rapid.Int64Range(1, 30).Draw(t, "window")),
		}
		tokens := rapid.Int64Range(1, 1000).Draw(t, "tokens")
		seconds := rapid.Int64Range(1, 1000).Draw(t, "seconds")
		spec.Rate = float64(tokens) / float64(seconds)
		want := windowOf(spec.Limit, spec.Window, spec.Kind == "sliding-window")
		step := int64(1)
		if spec.Kind == "token-bucket" {
			want = bucketOf(tokens, seconds, spec.Burst)
			step = int64(time.Second) * seconds / tokens / 4
		}
		l := newRateLimit(spec)
		now := time.Duration(0)
		for range rapid.IntRange(1, 100).Draw(t, "calls") {
			now += time.Duration(rapid.Int64Range(0, 8).Draw(t, "wait") * step)
			if w, got := want(now), l.admit(now, 0); got != w {
				t.Fatalf("at %d: %v, want %v", now, got, w)
			}
		}
	})
}

// With a limit per client, each is limited as if alone, though meters of idle
// clients are given to others; and memory follows the active ones.
func TestClientsAsIfAlone(t *testing.T) {
	for _, kind := range []string{"token-bucket", "fixed-window", "sliding-window"} {
		spec := RateLimit{Kind: kind, Rate: 1e6, Burst: 3, Limit: 3, Window: 3000}
		spec.Scope = "client"
		l := newRateLimit(spec)
		const few = 64 // so that it looks often
		l.clients = newClients(few)
		spec.Scope = "all"
		alone := map[uint64]*rateLimit{}
		for i := range uint64(30_000) {
			now := time.Duration(i * 10)
			// The newest clients call often, and some old ones come back.
			client := i/20 + i*7919%5
			if i%11 == 0 {
				client /= 2
			}
			if alone[client] == nil {
				a := newRateLimit(spec)
				alone[client] = &a
			}
			if got, want := l.admit(now, client), alone[client].admit(now, 0); got != want {
				t.Fatalf("%s: call %d of client %d: %v, want %v", kind, i, client, got, want)
			}
		}
		if n := max(len(l.levels), len(l.windows), len(l.admits)); n > 4*few {
			t.Errorf("%s: %d meters for %d clients, few of them active", kind, n, len(alone))
		}
	}
}
