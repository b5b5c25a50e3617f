package server

import (
	"slices"
	"testing"
	"time"

	"retrystorm/sim/random"
)

// asks is a 503 with a rule for the wait.
func asks(kind AskedKind) Reply { return Reply{Answer: 503, RetryAfter: Asked{Kind: kind}, Form: "ms"} }

func asksFor(d time.Duration) Reply {
	return Reply{Answer: 503, RetryAfter: Asked{Kind: AskedDelay, Delay: d}}
}

func served(mean time.Duration) func(*Spec) {
	return func(s *Spec) { s.ServiceTime.Kind, s.ServiceTime.Mean = "constant", mean }
}

func TestAsked(t *testing.T) {
	full := func(r Reply, limit int64) func(*Spec) { return waiting(Queue{Limit: limit, Full: r}) }
	window := func(r Reply) func(*Spec) {
		return limited(RateLimit{Kind: "fixed-window", Limit: 2, Window: 10 * sec, Answer: r})
	}
	date := func(d, skew time.Duration, behind bool) Reply {
		r := asksFor(d)
		r.Form, r.Skew, r.Behind = "date", skew, behind
		return r
	}
	down := func(r Reply, at, length time.Duration) Fault {
		return Fault{Kind: "down", Answer: r, At: at, For: length, Ramp: 5 * sec}
	}
	errors := func(r Reply, afterWork bool) Fault {
		return Fault{Kind: "errors", Share: 1, Answer: r, For: 8 * sec, AfterWork: afterWork}
	}
	yes := func(d time.Duration, f Form) Hint { return Hint{d, f, true} }

	for _, test := range []struct {
		reason string
		spec   Spec
		before int
		now    time.Duration
		want   Hint
	}{
		{"nothing", service(faulty(down(says(503), 0, sec))), 0, 0, Hint{}},
		{"a time", service(faulty(down(asksFor(30*sec), 0, sec))), 0, 0, yes(30*sec, FormSeconds)},
		{"0s is a wait too", service(faulty(down(asksFor(0), 0, sec))), 0, 0, yes(0, FormSeconds)},
		{"whole seconds, rounded up", service(faulty(down(asksFor(sec+1), 0, sec))), 0, 0, yes(2*sec, FormSeconds)},
		{"whole ms, rounded up", service(faulty(down(asks(AskedRecovery), 0, ms+1))), 0, 0, yes(2*ms, FormMillis)},
		{"a date, rounded up", service(faulty(down(date(sec, 0, false), 0, 0))), 0, 1500 * ms, yes(1500*ms, FormDate)},
		{"a whole date", service(faulty(down(date(1500*ms, 0, false), 0, 0))), 0, 1500 * ms, yes(1500*ms, FormDate)},
		{"clocks ahead see it earlier", service(faulty(down(date(10*sec, 3*sec, false), 0, 0))), 0, 0, yes(7*sec, FormDate)},
		{"even in the past: no wait", service(faulty(down(date(2*sec, 3*sec, false), 0, 0))), 0, 0, yes(0, FormDate)},
		{"clocks behind see it later", service(faulty(down(date(10*sec, 3*sec, true), 0, 0))), 0, 0, yes(13*sec, FormDate)},
		{"never", service(faulty(down(asks(AskedNever), 0, 0))), 0, 5, yes(Never, FormMillis)},
		{"centuries are cut", service(faulty(down(asksFor(never), 0, 0))), 0, 0, yes(roundUp(longest, sec), FormSeconds)},

		{"recovery: the end of the fault without its ramp", service(faulty(down(asks(AskedRecovery), 0, 8*sec))), 0, 3 * sec, yes(5*sec, FormMillis)},
		{"of the fault that answers", service(faulty(
			down(asks(AskedRecovery), 0, 8*sec), down(says(503), 0, 100*sec), errors(says(500), false))), 0, 0, yes(8*sec, FormMillis)},
		{"a fault without end ends with the run", service(faulty(down(asks(AskedRecovery), 0, 0))), 0, 10 * sec, yes(990*sec, FormMillis)},
		{"recovery of errors", service(faulty(errors(asks(AskedRecovery), false))), 0, sec, yes(7*sec, FormMillis)},
		{"after the work: as it was at arrival", service(faulty(errors(asks(AskedRecovery), true))), 0, sec, yes(7*sec, FormMillis)},
		{"a full queue: the last active fault", service(workers(1), full(asks(AskedRecovery), 0), faulty(
			Fault{Kind: "pause", For: 6 * sec}, Fault{Kind: "slow", Factor: 2, For: 9 * sec},
			Fault{Kind: "capacity", At: 1, For: 90 * sec})), 1, 0, yes(9*sec, FormMillis)},
		{"not in the ramp", service(workers(1), full(asks(AskedRecovery), 0), faulty(
			Fault{Kind: "pause", For: 6 * sec, Ramp: 5 * sec})), 1, 6 * sec, Hint{}},
		{"nor without faults", service(workers(1), full(asks(AskedRecovery), 0)), 1, 0, Hint{}},
		{"a rate limit too", service(window(asks(AskedRecovery)), faulty(Fault{Kind: "slow", Factor: 2, For: 4 * sec})), 2, sec, yes(3*sec, FormMillis)},

		{"queue: 4 waiting x 30 ms / 2 workers", service(workers(2), served(30*ms), full(asks(AskedQueue), 4)), 6, 0, yes(60*ms, FormMillis)},
		{"at least one service", service(workers(10), served(30*ms), full(asks(AskedQueue), 4)), 14, 0, yes(30*ms, FormMillis)},
		{"when nobody waits as well", service(workers(10), served(30*ms), faulty(down(asks(AskedQueue), 0, 0))), 0, 0, yes(30*ms, FormMillis)},
		{"a queue of years", service(workers(1), served(random.Max), full(asks(AskedQueue), 100)), 101, 0, yes(roundUp(longest, ms), FormMillis)},

		{"next-token: the end of the window", service(window(asks(AskedToken))), 2, 3 * sec, yes(7*sec, FormMillis)},
		{"by other answers: none is left", service(workers(1), window(says(429)), faulty(down(asks(AskedToken), 3*sec, sec))), 2, 3 * sec, yes(7*sec, FormMillis)},
		{"by other answers: one is left", service(workers(1), window(says(429)), full(asks(AskedToken), 0)), 1, 3 * sec, yes(7*sec, FormMillis)},
	} {
		s := New(test.spec, 1000*sec)
		goTo(s, 0)
		if test.before > 0 {
			fill(s, 0, test.before)
		}
		goTo(s, test.now)
		d := s.Arrive(test.now, Call{ID: 99, Key: random.Root(2)})
		if d.Asked != test.want {
			t.Errorf("%s: %v asks for %v, want %v", test.reason, d, d.Asked, test.want)
		}
		if d.Asked.Set && d.Answer < 400 {
			t.Errorf("%s: %v asks to wait", test.reason, d.Answer)
		}
	}
}

// Spread adds U(0, spread), by the call's own draw.
func TestSpread(t *testing.T) {
	r := asksFor(10 * sec)
	r.Spread, r.Form = 4*sec, "ms"
	s := New(service(faulty(Fault{Kind: "down", Answer: r})), sec)
	goTo(s, 0)
	const n = 20_000
	least, most, sum := never, time.Duration(0), time.Duration(0)
	for i := range uint64(n) {
		c := Call{Key: random.Root(3, i)}
		wait := s.Arrive(0, c).Asked.Wait
		if again := s.Arrive(ms, c).Asked.Wait; again != wait {
			t.Fatalf("the same call is asked for %v and %v", wait, again)
		}
		least, most, sum = min(least, wait), max(most, wait), sum+wait
	}
	if least < 10*sec || least > 10*sec+10*ms || most > 14*sec || most < 14*sec-10*ms {
		t.Errorf("from %v to %v, want 10s to 14s", least, most)
	}
	// The mean of n draws has a deviation of 4 s / sqrt(12 n) = 8 ms.
	if mean := sum / n; (mean - 12*sec).Abs() > 35*ms {
		t.Errorf("mean %v, want 12s", mean)
	}
}

// What the queue drops, it answers as if it were full.
func TestDroppedAsks(t *testing.T) {
	r := asks(AskedQueue)
	s := New(service(workers(1), served(20*ms), waiting(Queue{Limit: 9, Full: r, MaxWait: 10 * ms})), sec)
	fill(s, 0, 4)
	s.Leave(10*ms+1, 0, false)
	var got []Taken
	for {
		next, ok := s.Next(10*ms + 1)
		if !ok {
			break
		}
		got = append(got, next)
	}
	want := []Taken{
		{1, true, 503, Hint{40 * ms, FormMillis, true}},
		{2, true, 503, Hint{20 * ms, FormMillis, true}},
		{3, true, 503, Hint{20 * ms, FormMillis, true}},
	}
	if !slices.Equal(got, want) || s.InService() != 0 {
		t.Errorf("got %v, want %v", got, want)
	}
}
