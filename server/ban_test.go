package server

import (
	"slices"
	"testing"
	"time"
)

// The life of a ban, call by call: when, who, and what the call is told to wait
// (-1: it is served).
func TestBan(t *testing.T) {
	const served = -1
	type visit struct {
		at     time.Duration
		client uint64
		want   time.Duration
	}
	wait := func(d time.Duration) Reply {
		return Reply{Answer: 429, RetryAfter: Asked{Kind: AskedDelay, Delay: d}, Form: "ms"}
	}
	// One call in 10 s for all together.
	window := func(answer Reply, scope string) Spec {
		return service(limited(RateLimit{
			Kind: "fixed-window", Limit: 1, Window: 10 * sec, Answer: answer, Scope: scope, Ban: 60 * sec,
		}))
	}
	token := Reply{Answer: 429, RetryAfter: Asked{Kind: AskedToken}, Form: "ms"}
	for _, test := range []struct {
		reason string
		spec   Spec
		visits []visit
	}{
		{
			"who waits as long as asked is not banned", window(token, "all"),
			[]visit{{0, 1, served}, {1 * sec, 2, 9 * sec}, {10 * sec, 2, served}, {10 * sec, 1, 10 * sec}, {20 * sec, 1, served}},
		},
		{
			"who comes back earlier is, from then on, with all calls", window(token, "all"),
			[]visit{{0, 1, served}, {1 * sec, 2, 9 * sec}, {10*sec - 1, 2, 60 * sec}, {10 * sec, 2, 60 * sec}, {69 * sec, 2, 1 * sec}},
		},
		{
			"to the nanosecond", window(token, "all"),
			[]visit{{0, 1, served}, {5 * sec, 1, 5 * sec}, {6 * sec, 1, 60 * sec}, {66*sec - 1, 1, ms}, {66 * sec, 1, served}},
		},
		{
			"others are not, though they share the limit", window(token, "all"),
			[]visit{{0, 1, served}, {5 * sec, 1, 5 * sec}, {6 * sec, 1, 60 * sec}, {7 * sec, 2, 3 * sec}, {10 * sec, 2, served}},
		},
		{
			"a banned call takes nothing from the limit", window(token, "all"),
			[]visit{{0, 1, served}, {5 * sec, 1, 5 * sec}, {6 * sec, 1, 60 * sec}, {10 * sec, 1, 56 * sec}, {10 * sec, 2, served}},
		},
		{
			"coming back again and again makes it no longer", window(token, "all"),
			[]visit{{0, 1, served}, {1 * sec, 1, 9 * sec}, {2 * sec, 1, 60 * sec}, {3 * sec, 1, 59 * sec}, {61 * sec, 1, 1 * sec}, {62 * sec, 1, served}},
		},
		{
			"afterwards everything begins anew", window(wait(15*sec), "all"),
			[]visit{{0, 1, served}, {1 * sec, 1, 15 * sec}, {2 * sec, 1, 60 * sec}, {62 * sec, 1, served}, {63 * sec, 1, 15 * sec}, {64 * sec, 1, 60 * sec}},
		},
		{
			"what is asked later counts", window(wait(2*sec), "all"),
			[]visit{{0, 1, served}, {1 * sec, 1, 2 * sec}, {3 * sec, 1, 2 * sec}, {5*sec - 1, 1, 60 * sec}},
		},
		{
			"with a limit per client too", window(token, "client"),
			[]visit{{0, 1, served}, {0, 2, served}, {1 * sec, 1, 9 * sec}, {2 * sec, 1, 60 * sec}, {2 * sec, 2, 8 * sec}},
		},
		{
			"never means never", window(Reply{Answer: 429, RetryAfter: Asked{Kind: AskedNever}, Form: "ms"}, "all"),
			[]visit{{0, 1, served}, {1, 2, Never}, {1000 * sec, 2, 60 * sec}, {1060 * sec, 2, served}},
		},
		{
			"by the service's clock: callers whose clocks are ahead come too early",
			window(Reply{Answer: 429, RetryAfter: Asked{Kind: AskedToken}, Form: "date", Skew: 2 * sec}, "all"),
			[]visit{{0, 1, served}, {1 * sec, 2, 7 * sec}, {8 * sec, 2, 58 * sec}},
		},
	} {
		s := New(test.spec, never)
		for range 2 { // the second time after a reset
			for i, v := range test.visits {
				d := s.Arrive(v.at, Call{Client: v.client})
				got := d.Asked.Wait
				if d.Fate == Starts {
					got = served
				} else if !d.Asked.Set {
					t.Errorf("%s: call %d asks for nothing", test.reason, i)
				}
				if got != v.want {
					t.Errorf("%s: call %d at %v: %v, want %v", test.reason, i, v.at, got, v.want)
				}
			}
			s.Reset()
		}
	}
}

// Clients that are neither asked to wait nor banned are forgotten.
func TestBansForget(t *testing.T) {
	b := newBans(10 * ms)
	for i := range uint64(200_000) {
		now := time.Duration(i) * time.Microsecond
		b.tell(now, now+ms, i)
		if i%3 == 0 && i > 500 {
			rest, banned := b.rest(now, i-500) // told 500 us ago
			if !banned || rest != 10*ms {
				t.Fatalf("client %d: %v, %v", i-500, rest, banned)
			}
		}
	}
	if n := len(b.records); n > 16*fewClients {
		t.Errorf("%d records for 200000 clients, few of them active", n)
	}
}

// A service that is down says so to the banned, too.
func TestBanAfterDown(t *testing.T) {
	s := New(service(
		limited(RateLimit{
			Kind: "fixed-window", Limit: 1, Window: sec, Ban: 60 * sec,
			Answer: Reply{Answer: 429, RetryAfter: Asked{Kind: AskedToken}},
		}),
		faulty(Fault{Kind: "down", At: 3 * ms, For: ms, Answer: says(503)}),
	), never)
	var got []Answer
	for i := range 5 {
		goTo(s, time.Duration(i)*ms)
		got = append(got, s.Arrive(time.Duration(i)*ms, Call{}).Answer)
	}
	if want := []Answer{OK, 429, 429, 503, 429}; !slices.Equal(got, want) {
		t.Errorf("answers %v, want %v", got, want)
	}
}
