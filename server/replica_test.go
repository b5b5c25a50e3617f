package server

import (
	"slices"
	"testing"
	"time"

	"retrystorm/sim/random"

	"pgregory.net/rapid"
)

func TestFaultsOfSomeReplicas(t *testing.T) {
	spec := service(workers(4), faulty(
		Fault{Kind: "down", At: 1, For: 2},
		Fault{Kind: "capacity", Share: 0.5, At: 5, For: 2, Replicas: new(int64(2))},
	))
	spec.Replicas = 3
	first := []change{{1, 4, Refused}, {3, 4, OK}, {5, 2, OK}, {7, 4, OK}}
	for k, want := range [][]change{first, first, first[:2]} {
		if got := changes(NewReplica(spec, int64(k), 100)); !slices.Equal(got, want) {
			t.Errorf("replica %d: got %v, want %v", k, got, want)
		}
	}
}

// A fault that repeats is as many faults as it has repetitions. So are its draws.
func TestFaultsThatRepeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		few := func(name string, least int) time.Duration {
			return time.Duration(rapid.IntRange(least, 9).Draw(t, name))
		}
		var some []Fault
		for range rapid.IntRange(1, 3).Draw(t, "faults") {
			f := Fault{
				Kind: rapid.SampledFrom([]string{"down", "slow", "pause", "capacity"}).Draw(t, "kind"),
				At:   few("at", 0), For: few("for", 1), Ramp: few("ramp", 0), RampFrom: 0.2, Share: 0.3, Factor: 3,
			}
			if rapid.Bool().Draw(t, "repeats") {
				f.Every = f.For + f.Ramp + few("every", 1)
			}
			some = append(some, f)
		}
		const until = 60
		var written []Fault
		for _, f := range some {
			every := f.Every
			f.Every = 0
			for ; f.At < until; f.At += every {
				if written = append(written, f); every == 0 {
					break
				}
			}
		}
		edit := []func(*Spec){workers(7), func(s *Spec) { s.Slowdown = 1 }}
		got, want := New(service(append(edit, faulty(some...))...), until), New(service(append(edit, faulty(written...))...), until)
		for now := range time.Duration(until) {
			goTo(got, now)
			goTo(want, now)
			a, _ := got.Down()
			if b, _ := want.Down(); a != b || got.Usable() != want.Usable() {
				t.Fatalf("at %d: %v with %d workers, want %v with %d", now, a, got.Usable(), b, want.Usable())
			}
			demand := few("demand", 0)
			work, done := got.Finish(now, demand)
			if w, d := want.Finish(now, demand); work != w || min(done, until) != min(d, until) {
				t.Fatalf("at %d: %d work until %d, want %d until %d", now, work, done, w, d)
			}
		}
		a, b, _ := got.FaultsEnd()
		if c, d, _ := want.FaultsEnd(); a != c || b != d {
			t.Fatalf("faults from %d to %d, want %d to %d", a, b, c, d)
		}
	})
}

func TestSpansOfRepetitions(t *testing.T) {
	spans := func(f Fault, until time.Duration) []Span {
		f.Name = "x"
		return service(faulty(f)).Spans(until)
	}
	f := Fault{Kind: "slow", Factor: 2, At: 10, For: 3, Ramp: 1, Every: 10}
	if got, want := spans(f, 32), []Span{{"x", 10, 14}, {"x", 20, 24}, {"x", 30, 32}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := spans(f, 30), []Span{{"x", 10, 14}, {"x", 20, 24}}; !slices.Equal(got, want) {
		t.Errorf("the end is not in it: got %v, want %v", got, want)
	}
	if got := spans(f, 1010); len(got) != 100 || got[99] != (Span{"x", 1000, 1004}) {
		t.Errorf("a hundred have a span each: got %d, %v", len(got), got[len(got)-1])
	}
	if got, want := spans(f, 1011), []Span{{"x", 10, 1011}}; !slices.Equal(got, want) {
		t.Errorf("more have one: got %v, want %v", got, want)
	}
}

func TestAdmit(t *testing.T) {
	spec := service(faulty(Fault{Kind: "down", At: 5, For: 1, Answer: says(503)}))
	spec.Admit = new(0.3)
	s := New(spec, 100)
	in := func(now time.Duration, n uint64) (in int) {
		goTo(s, now)
		for i := range n {
			k := random.Root(4, i)
			switch d := s.Arrive(now, Call{ID: uint32(i), Key: k}); {
			case d.Fate == Starts:
				s.Leave(now, 0, false)
				if in++; random.Unit(k.Draw(random.Admit, 0)) >= s.Admit() {
					t.Errorf("%v is let in", k)
				}
			case d.Answer != Refused && now != 5:
				t.Errorf("answered %v", d.Answer)
			}
		}
		return in
	}
	// 10,000 calls: 3000 within five standard deviations of 46.
	if n := in(0, 10_000); n < 2770 || n > 3230 {
		t.Errorf("%d of 10000 are let in", n)
	}
	if d := func() Decision { goTo(s, 5); return s.Arrive(5, Call{}) }(); d.Answer != 503 {
		t.Errorf("a service that is down says %v, want 503 whatever it lets in", d.Answer)
	}
	for share, want := range map[float64]int{0: 0, 1: 100} {
		if s.SetAdmit(7, share); in(7, 100) != want {
			t.Errorf("share %v does not let in %d", share, want)
		}
	}
	if s.Reset(); s.Admit() != 0.3 {
		t.Errorf("a station as new lets in %v", s.Admit())
	}
}

// More or fewer workers are what a station would have been that had so many from
// the beginning.
func TestSetWorkers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.SampledFrom([]int64{1, 2, 5, 30, 4000, Unlimited})
		kind := rapid.SampledFrom([]string{"capacity", "slow"}).Draw(t, "kind")
		f := Fault{Kind: kind, Factor: 2, Share: 0.4, At: 10, For: 30, Ramp: 40, RampFrom: 0.3}
		crash := Crash{Above: 3, Restart: 5, Ramp: 50, RampFrom: 0.1}
		before, after := count.Draw(t, "before"), count.Draw(t, "after")
		a := New(service(workers(before), faulty(f), crashing(crash)), 100)
		b := New(service(workers(after), faulty(f), crashing(crash)), 100)
		dies, sets := time.Duration(rapid.IntRange(0, 99).Draw(t, "dies")), time.Duration(rapid.IntRange(0, 99).Draw(t, "sets"))
		for now := range time.Duration(100) {
			goTo(a, now)
			goTo(b, now)
			if now == sets {
				a.SetWorkers(now, after)
			}
			if now == dies {
				fill(a, now, 4)
				fill(b, now, 4)
			}
			x, p := a.NextChange()
			y, q := b.NextChange()
			if now >= sets && (a.Usable() != b.Usable() || x != y || p != q) {
				t.Fatalf("at %d: %d workers until %v, want %d until %v", now, a.Usable(), x, b.Usable(), y)
			}
		}
		if a.Reset(); a.Workers() != before {
			t.Fatalf("a station as new has %d workers, want %d", a.Workers(), before)
		}
	})
}

func TestInFlight(t *testing.T) {
	spec := service(workers(1), waiting(Queue{Limit: 1, Full: says(429)}), crashing(Crash{Above: 4, Restart: 1}))
	spec.InFlight = 3
	s := New(spec, 100)
	arrive := func(id uint32, want Fate) {
		t.Helper()
		if d := s.Arrive(0, Call{ID: id}); d.Fate != want || want == Answered && d.Answer != 429 {
			t.Fatalf("call %d: %v %v, want %v", id, d.Fate, d.Answer, want)
		}
	}
	arrive(0, Starts)
	s.Park()
	arrive(1, Starts)
	arrive(2, Waits)
	arrive(3, Answered) // three are inside
	s.LeaveParked(0, 0, false)
	arrive(4, Answered) // two are, but the queue is full
	s.Park()
	if next, ok := s.Next(0); !ok || next.Call != 2 {
		t.Fatalf("got %v, want the one that waits: the worker is free", next)
	}
	arrive(5, Waits)
	if f := s.Resume(0, Call{ID: 1}); f != Waits || s.Waiting() != 2 {
		t.Fatalf("%v: it waits past the limit", f)
	}
	arrive(6, Answered)
	if s.Inside() != 3 || s.Parked() != 0 {
		t.Fatalf("%d inside, %d parked", s.Inside(), s.Parked())
	}
	s.Leave(0, 0, false)
	for _, want := range []uint32{5, 1} {
		if next, ok := s.Next(0); !ok || next.Call != want {
			t.Fatalf("got %v, want %d", next, want)
		}
		s.Leave(0, 0, false)
	}
	arrive(7, Starts)
	s.Park()
	if f := s.Resume(0, Call{ID: 7}); f != Starts {
		t.Fatalf("%v: a worker is free", f)
	}
}

// Calls that are parked count for a crash, and die in it.
func TestCrashOfParked(t *testing.T) {
	s := New(service(workers(1), crashing(Crash{Above: 2, Restart: 10})), 100)
	fill(s, 0, 1)
	s.Park()
	fill(s, 0, 1)
	if d := s.Arrive(0, Call{ID: 2}); d.Fate != Crashes || s.Inside() != 0 || s.Parked() != 0 {
		t.Errorf("%v, %d inside", d.Fate, s.Inside())
	}
}

func TestCapacityOfReplicas(t *testing.T) {
	spec := service(workers(3))
	spec.ServiceTime = random.Dist{Kind: "constant", Mean: 10 * ms}
	spec.Replicas = 4
	if got, ok := spec.Capacity(); !ok || got != 1200 {
		t.Errorf("capacity %v, want 4 x 3 / 10 ms = 1200/s", got)
	}
	spec.RateLimit = &RateLimit{Kind: "token-bucket", Rate: 100, Burst: 1, Scope: "all"}
	if got, ok := spec.Capacity(); !ok || got != 400 {
		t.Errorf("capacity %v, want 4 x 100/s", got)
	}
}
