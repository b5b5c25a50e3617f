package server

import (
	"slices"
	"testing"

	"retrystorm/sim/limit"
	"retrystorm/sim/random"
)

func TestShed(t *testing.T) {
	// One in service, then those that wait: 0, 1, 2, ...
	fates := func(kind string, above float64, limit int64) (first, retry []Answer) {
		for behind := range int(limit) + 1 {
			for _, isRetry := range []bool{false, true} {
				s := New(service(
					workers(1), waiting(Queue{Limit: limit, Full: says(503)}),
					shedding(Shed{Kind: kind, Above: above, Answer: says(429)}),
				), sec)
				for i := range 1 + behind {
					// The other kind is never shed.
					s.Arrive(0, Call{ID: uint32(i), Retry: kind == "first-tries"})
				}
				a := s.Arrive(0, Call{ID: 99, Retry: isRetry}).Answer
				if isRetry {
					retry = append(retry, a)
				} else {
					first = append(first, a)
				}
			}
		}
		return first, retry
	}
	for _, test := range []struct {
		kind        string
		above       float64
		limit       int64
		first, shed []Answer
	}{
		{"retries", 0.8, 5, []Answer{OK, OK, OK, OK, OK, 503}, []Answer{OK, OK, OK, OK, 429, 429}},
		{"retries", 0.5, 3, []Answer{OK, OK, OK, 503}, []Answer{OK, OK, 429, 429}}, // from 1.5 on
		{"retries", 1, 2, []Answer{OK, OK, 503}, []Answer{OK, OK, 429}},
		{"retries", 0, 1, []Answer{OK, 503}, []Answer{429, 429}},
		{"first-tries", 0.5, 2, []Answer{OK, OK, 503}, []Answer{OK, 429, 429}},
	} {
		first, retry := fates(test.kind, test.above, test.limit)
		if test.kind == "first-tries" {
			first, retry = retry, first
		}
		if !slices.Equal(first, test.first) || !slices.Equal(retry, test.shed) {
			t.Errorf("%s above %v of %d: %v, and %v are shed; want %v and %v",
				test.kind, test.above, test.limit, first, retry, test.first, test.shed)
		}
	}
}

func limitOf(s *Station) int64 { return s.limiter.rules.Limit(&s.limiter.state) }

// Everybody who was let in is counted until they leave, however they do.
func TestLimiterCounts(t *testing.T) {
	s := New(service(
		workers(2), waiting(Queue{Limit: 2, Full: says(503), MaxWait: ms}),
		limiting(limit.Spec{Kind: "concurrency", Limit: 5}), crashing(Crash{Above: 1000}),
	), sec)
	s.limiter.reply.answer = 429 // to tell it from the full queue's
	full := func(want ...Answer) {
		t.Helper()
		var got []Answer
		for range want {
			got = append(got, s.Arrive(0, Call{ID: uint32(100 + len(got))}).Answer)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("answers %v, want %v", got, want)
		}
	}
	fill(s, 0, 4)
	full(503, 503, 503) // each gives its place back at once
	s.Leave(0, 0, false)
	if next, _ := s.Next(0); next != (Taken{Call: 2}) {
		t.Fatalf("next is %v", next)
	}
	if !s.Remove(3) || s.Remove(3) {
		t.Fatal("call 3 waits")
	}
	full(OK, OK, 503) // wait
	if s.Inside() != 4 || s.limiter.rules.InFlight(&s.limiter.state) != 4 {
		t.Fatalf("%d inside, %d counted", s.Inside(), s.limiter.rules.InFlight(&s.limiter.state))
	}
	s.Leave(2*ms, 0, true)
	for range 2 {
		if next, ok := s.Next(2 * ms); !ok || !next.Dropped || next.Answer != 503 {
			t.Fatalf("next is %v, %v; want it dropped", next, ok)
		}
	}
	if s.Inside() != 1 || s.limiter.rules.InFlight(&s.limiter.state) != 1 {
		t.Errorf("%d inside, %d counted", s.Inside(), s.limiter.rules.InFlight(&s.limiter.state))
	}
}

func TestLimiterAnswers(t *testing.T) {
	s := New(service(limiting(limit.Spec{Kind: "concurrency", Limit: 3}), crashing(Crash{Above: 2})), sec)
	if d := fill(s, 0, 3); d.Fate != Crashes {
		t.Errorf("the third call %v", d.Fate)
	}
	if d := fill(s, 0, 3); d.Fate != Crashes {
		t.Errorf("after a crash nobody is inside, but the third call %v", d.Fate)
	}
	s = New(service(workers(1), limiting(limit.Spec{Kind: "concurrency", Limit: 3})), sec)
	fill(s, 0, 3)
	if d := s.Arrive(0, Call{ID: 9}); d != (Decision{Fate: Answered, Answer: 503}) {
		t.Errorf("the fourth call gets %v", d)
	}
	if s.Waiting() != 2 {
		t.Errorf("%d wait", s.Waiting())
	}
}

// A limit that adapts goes down by what fails, is dropped, removed or refused by
// the queue; and a crash makes it as new.
func TestLimiterAdapts(t *testing.T) {
	for _, test := range []struct {
		reason string
		drop   func(s *Station)
		want   int64
	}{
		{"success: one up, as half of it is used", func(s *Station) { s.Leave(ms, ms, false) }, 10},
		{"failure", func(s *Station) { s.Leave(ms, ms, true) }, 9},
		{"removed", func(s *Station) { s.Remove(5) }, 9},
		{"the queue is full", func(s *Station) { s.Arrive(0, Call{ID: 50, Key: random.Root(1)}) }, 9},
		{"dropped", func(s *Station) { s.inService--; s.Next(sec) }, 9},
	} {
		s := New(service(
			workers(3), waiting(Queue{Limit: 4, Full: says(503), MaxWait: ms}), crashing(Crash{Above: 7}),
			limiting(limit.Spec{Kind: "aimd", Limit: 10, Min: 1, Max: 100}),
		), sec)
		fill(s, 0, 7)
		test.drop(s)
		if got := limitOf(s); got != test.want {
			t.Errorf("%s: the limit is %d, want %d", test.reason, got, test.want)
		}
		s.die(0)
		if limitOf(s) != 10 {
			t.Errorf("%s: the limit is %d after a crash", test.reason, limitOf(s))
		}
	}
}
