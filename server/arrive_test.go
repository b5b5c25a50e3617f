package server

import (
	"math"
	"testing"
	"time"

	"retrystorm/sim/random"
)

func TestArrive(t *testing.T) {
	small := waiting(Queue{Limit: 1, Order: "fifo", Full: says(503)})
	full := func(a Answer) func(*Spec) { return waiting(Queue{Limit: 1, Order: "fifo", Full: says(a)}) }
	none := limited(RateLimit{Kind: "fixed-window", Limit: 1, Window: time.Hour, Answer: says(429), Scope: "all"})
	down := Fault{Kind: "down"}
	errs := Fault{Kind: "errors", Share: 1}
	late := Fault{Kind: "errors", Share: 1, Answer: says(Reset), AfterWork: true}

	for _, test := range []struct {
		reason string
		spec   Spec
		before int // calls that arrived before, at the same time
		now    time.Duration
		want   Decision
	}{
		{"a free worker", service(workers(1)), 0, 0, Decision{Fate: Starts}},
		{"unlimited workers are always free", service(), 1000, 0, Decision{Fate: Starts}},
		{"busy: the queue", service(workers(1)), 1, 0, Decision{Fate: Waits}},
		{"the limit counts waiting calls only", service(workers(2), small), 2, 0, Decision{Fate: Waits}},
		{"a full queue answers", service(workers(2), small), 3, 0, Decision{Answered, false, 503, Hint{}}},
		{"no queue at all", service(workers(1), waiting(Queue{Limit: 0, Full: says(Refused)})), 1, 0, Decision{Answered, false, Refused, Hint{}}},
		{"full, reset", service(workers(1), full(Reset)), 2, 0, Decision{Answered, false, Reset, Hint{}}},
		{"full, silent: nothing comes back", service(workers(1), full(Silent)), 2, 0, Decision{Lost, false, Silent, Hint{}}},

		{"down refuses unless it says otherwise", service(faulty(down)), 0, 0, Decision{Answered, false, Refused, Hint{}}},
		{"down with a status", service(faulty(Fault{Kind: "down", Answer: says(503)})), 0, 0, Decision{Answered, false, 503, Hint{}}},
		{"down in silence", service(faulty(Fault{Kind: "down", Answer: says(Silent)})), 0, 0, Decision{Lost, false, Silent, Hint{}}},
		{"not down before the fault", service(faulty(Fault{Kind: "down", At: 10, For: 5})), 0, 9, Decision{Fate: Starts}},
		{"down from its first instant", service(faulty(Fault{Kind: "down", At: 10, For: 5})), 0, 10, Decision{Answered, false, Refused, Hint{}}},
		{"down to its last nanosecond", service(faulty(Fault{Kind: "down", At: 10, For: 5})), 0, 14, Decision{Answered, false, Refused, Hint{}}},
		{"a call at the end meets the recovered service", service(faulty(Fault{Kind: "down", At: 10, For: 5})), 0, 15, Decision{Fate: Starts}},
		{"silence over refusal", service(faulty(Fault{Kind: "down", Answer: says(Silent)}, down)), 0, 0, Decision{Lost, false, Silent, Hint{}}},
		{"refusal over a status, in any order", service(faulty(Fault{Kind: "down", Answer: says(503)}, down)), 0, 0, Decision{Answered, false, Refused, Hint{}}},
		{"refusal over a reset", service(faulty(Fault{Kind: "down", Answer: says(Reset)}, down)), 0, 0, Decision{Answered, false, Refused, Hint{}}},
		{"among equals the first", service(faulty(Fault{Kind: "down", Answer: says(503)}, Fault{Kind: "down", Answer: says(500)})), 0, 0, Decision{Answered, false, 503, Hint{}}},
		{"down over the rate limit", service(faulty(down), none), 5, 0, Decision{Answered, false, Refused, Hint{}}},
		{"down over errors", service(faulty(errs, down)), 0, 0, Decision{Answered, false, Refused, Hint{}}},
		{"down over pause", service(faulty(Fault{Kind: "pause"}, down)), 0, 0, Decision{Answered, false, Refused, Hint{}}},
		{"down over a full queue", service(faulty(Fault{Kind: "down", At: 1}), workers(1), waiting(Queue{Full: says(503)})), 0, 1, Decision{Answered, false, Refused, Hint{}}},

		{"a pause takes calls in", service(workers(1), faulty(Fault{Kind: "pause"})), 0, 0, Decision{Fate: Starts}},
		{"a pause queues calls", service(workers(1), faulty(Fault{Kind: "pause"})), 1, 0, Decision{Fate: Waits}},

		{"above the rate limit", service(none), 1, 0, Decision{Answered, false, 429, Hint{}}},
		{"the rate limit over errors", service(none, faulty(Fault{Kind: "errors", Share: 1, At: 1})), 1, 0, Decision{Answered, false, 429, Hint{}}},
		{"silent rate limit", service(limited(RateLimit{Kind: "fixed-window", Limit: 1, Window: 1, Answer: says(Silent)})), 1, 0, Decision{Lost, false, Silent, Hint{}}},

		{"errors answer 500 unless they say otherwise", service(faulty(errs)), 0, 0, Decision{Answered, false, 500, Hint{}}},
		{"errors in silence", service(faulty(Fault{Kind: "errors", Share: 1, Answer: says(Silent)})), 0, 0, Decision{Lost, false, Silent, Hint{}}},
		{"no share, no errors", service(faulty(Fault{Kind: "errors", Share: 0})), 0, 0, Decision{Fate: Starts}},
		{"errors after work are served first", service(workers(1), faulty(late)), 0, 0, Decision{Starts, true, Reset, Hint{}}},
		{"errors after work queue as others do", service(workers(1), faulty(late)), 1, 0, Decision{Waits, true, Reset, Hint{}}},
		{"errors after work may find the queue full", service(workers(1), small, faulty(late)), 2, 0, Decision{Answered, false, 503, Hint{}}},
		{"silence after work", service(faulty(Fault{Kind: "errors", Share: 1, Answer: says(Silent), AfterWork: true})), 0, 0, Decision{Starts, true, Silent, Hint{}}},
		{"an error at once over one after work", service(faulty(late, errs)), 0, 0, Decision{Answered, false, 500, Hint{}}},
		{"the strictest error", service(faulty(errs, Fault{Kind: "errors", Share: 1, Answer: says(Refused)})), 0, 0, Decision{Answered, false, Refused, Hint{}}},
		{"errors over a full queue", service(workers(1), waiting(Queue{Full: says(503)}), faulty(errs)), 0, 0, Decision{Answered, false, 500, Hint{}}},

		{"as many inside as it survives", service(workers(1), crashing(Crash{Above: 3})), 2, 0, Decision{Fate: Waits}},
		{"one more kills it", service(workers(1), crashing(Crash{Above: 3, Restart: 1})), 3, 0, Decision{Crashes, false, Reset, Hint{}}},
		{"calls in service alone can kill it", service(crashing(Crash{Above: 3, Restart: 1})), 3, 0, Decision{Crashes, false, Reset, Hint{}}},
		{"a call that gets an error does not", service(crashing(Crash{Above: 0}), faulty(errs)), 0, 0, Decision{Answered, false, 500, Hint{}}},
		{"a call that finds the queue full does not", service(workers(1), small, crashing(Crash{Above: 2})), 2, 0, Decision{Answered, false, 503, Hint{}}},
		{"a call that will fail after work does", service(crashing(Crash{Above: 1, Restart: 1}), faulty(late)), 1, 0, Decision{Crashes, false, Reset, Hint{}}},
	} {
		s := New(test.spec, time.Hour)
		goTo(s, test.now)
		fill(s, test.now, test.before)
		if got := s.Arrive(test.now, Call{ID: 99, Key: random.Root(2)}); got != test.want {
			t.Errorf("%s: got %v, want %v", test.reason, got, test.want)
		}
	}
}

// Each fault draws on its own, under its own index, and a call's luck depends
// on nothing but its key.
func TestErrorShares(t *testing.T) {
	at20 := Fault{Kind: "errors", Share: 0.2, Answer: says(500)}
	at50 := Fault{Kind: "errors", Share: 0.5, Answer: says(503)}
	const n = 100_000
	failures := func(spec Spec) (count map[Decision]float64, which [n]Decision) {
		s := New(spec, sec)
		goTo(s, 0)
		count = map[Decision]float64{}
		for i := range which {
			d := s.Arrive(0, Call{Key: random.Root(7, uint64(i))})
			which[i] = d
			count[d]++
		}
		return count, which
	}
	_, alone := failures(service(faulty(at20)))
	both, pair := failures(service(faulty(at20, at50)))
	for d, p := range map[Decision]float64{
		{Answered, false, 500, Hint{}}: 0.2,       // the first of equals
		{Answered, false, 503, Hint{}}: 0.8 * 0.5, // the second only
		{Fate: Starts}:                 0.8 * 0.5,
	} {
		if z := (both[d] - n*p) / math.Sqrt(n*p*(1-p)); math.Abs(z) > 4.5 {
			t.Errorf("%v: %v of %v, want a share of %v (z = %.1f)", d, both[d], n, p, z)
		}
	}
	for i := range alone {
		if (alone[i].Answer == 500) != (pair[i].Answer == 500) {
			t.Fatalf("call %d: another fault changed its luck with the first", i)
		}
	}
}

func TestFateString(t *testing.T) {
	for f, want := range []string{"answered", "lost", "waits", "starts", "crashes", "unknown"} {
		if got := Fate(f).String(); got != want {
			t.Errorf("fate %d is %q, want %q", f, got, want)
		}
	}
}
