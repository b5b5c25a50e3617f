package server

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"retrystorm/sim/random"
)

// The station's workers and queue against a list of calls and a set.
func TestQueueAgainstList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.Int64Range(1, 4).Draw(t, "workers")
		limit := rapid.Int64Range(-1, 5).Draw(t, "limit")
		order := rapid.SampledFrom([]string{"fifo", "lifo"}).Draw(t, "order")
		s := New(service(workers(w), waiting(Queue{Limit: limit, Order: order, Full: 503})), time.Hour)

		var queued []uint32
		busy := int64(0)
		next := func() {
			call, ok := s.Next()
			if want := busy < w && len(queued) > 0; ok != want {
				t.Fatalf("Next: %v, want %v", ok, want)
			}
			if !ok {
				return
			}
			busy++
			i := 0
			if order == "lifo" {
				i = len(queued) - 1
			}
			if call != queued[i] {
				t.Fatalf("Next is call %d, want %d", call, queued[i])
			}
			queued = slices.Delete(queued, i, i+1)
		}
		for call := range rapid.Uint32Range(1, 200).Draw(t, "steps") {
			if busy > 0 && rapid.Bool().Draw(t, "leave") {
				s.Leave()
				busy--
				next()
			} else {
				want := Answered
				switch {
				case busy < w:
					want, busy = Starts, busy+1
				case limit < 0 || int64(len(queued)) < limit:
					want, queued = Waits, append(queued, call)
				}
				if got := s.Arrive(0, call, 0, 0); got.Fate != want {
					t.Fatalf("call %d %v, want %v", call, got.Fate, want)
				}
			}
			if s.InService() != busy || s.Waiting() != int64(len(queued)) || s.Inside() != busy+int64(len(queued)) {
				t.Fatalf("%d in service and %d waiting, want %d and %d", s.InService(), s.Waiting(), busy, len(queued))
			}
		}
	})
}

// A station that was reset does what a new one does, whatever happened to it.
func TestReset(t *testing.T) {
	spec := service(
		workers(3),
		limited(RateLimit{Kind: "sliding-window", Limit: 3, Window: 3, Answer: 429, Scope: "client"}),
		crashing(Crash{Above: 4, Restart: 5, Ramp: 10}),
		faulty(
			Fault{Kind: "capacity", Share: 0.5, At: 3, For: 20, Ramp: 10},
			Fault{Kind: "errors", Share: 0.5, At: 10, For: 20},
			Fault{Kind: "pause", At: 5, For: 7},
			Fault{Kind: "down", At: 40, For: 7},
		))
	type state struct {
		Decision
		work, done, next time.Duration
		inside           int64
	}
	story := func(s *Station, seed uint64) (told []state) {
		for i := range 200 {
			now := time.Duration(i / 3)
			goTo(s, now)
			for _, ok := s.Next(); ok; _, ok = s.Next() {
			}
			key := random.Root(seed, uint64(i))
			d := s.Arrive(now, uint32(i), uint64(i%4), key)
			st := state{Decision: d}
			if d.Fate == Starts {
				st.work, st.done = s.Finish(now, 3)
			}
			if s.InService() > 0 && key.Draw(random.Order, 0)%3 > 0 {
				s.Leave()
			}
			st.next, _ = s.NextChange()
			st.inside = s.Inside()
			told = append(told, st)
		}
		return told
	}
	reused := New(spec, time.Hour)
	for seed := range uint64(20) {
		if got, want := story(reused, seed), story(New(spec, time.Hour), seed); !slices.Equal(got, want) {
			t.Fatalf("seed %d: a station that was reset differs from a new one", seed)
		}
		if seed == 0 && reused.crashes == 0 {
			t.Fatal("the story has no crash: it tests too little")
		}
		reused.Reset()
	}
}

func TestLeavePanicsWhenEmpty(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	New(service(), sec).Leave()
}

// An unlimited queue copes with the backlog of a bad day.
func TestDeepQueue(t *testing.T) {
	for _, order := range []string{"fifo", "lifo"} {
		s := New(service(workers(1), waiting(Queue{Limit: Unlimited, Order: order})), sec)
		const n = 200_000
		for i := range uint32(n + 1) {
			s.Arrive(0, i, 0, 0)
		}
		for i := range uint32(n) {
			s.Leave()
			want := i + 1
			if order == "lifo" {
				want = n - i
			}
			if call, ok := s.Next(); !ok || call != want {
				t.Fatalf("%s: %d, %v; want %d", order, call, ok, want)
			}
		}
	}
}

// busyStations are stations of every kind of hot path.
func busyStations() map[string]Spec {
	wide := func(kind, scope string) func(*Spec) {
		return limited(RateLimit{Kind: kind, Rate: 1e6, Burst: 10, Limit: 1000, Window: ms, Answer: 429, Scope: scope})
	}
	return map[string]Spec{
		"plain":          service(workers(10)),
		"lifo":           service(workers(10), waiting(Queue{Limit: 100, Order: "lifo", Full: 503})),
		"errors":         service(workers(10), faulty(Fault{Kind: "errors", Share: 0.1}, Fault{Kind: "slow", Factor: 3})),
		"pauses":         service(workers(10), faulty(Fault{Kind: "pause", At: time.Hour, For: 1})),
		"crash":          service(workers(10), crashing(Crash{Above: 15, Ramp: ms})),
		"token-bucket":   service(workers(10), wide("token-bucket", "all")),
		"fixed-window":   service(workers(10), wide("fixed-window", "all")),
		"sliding-window": service(workers(10), wide("sliding-window", "all")),
		"per-client":     service(workers(10), wide("token-bucket", "client")),
	}
}

// round is one call through a busy station; each takes a microsecond.
func round(s *Station, i uint64) {
	now := time.Duration(i) * time.Microsecond
	if at, ok := s.NextChange(); ok && at <= now {
		s.Change(now)
	}
	if s.Inside() > 12 {
		s.Leave()
		if _, ok := s.Next(); ok {
			s.Finish(now, ms)
		}
	}
	if d := s.Arrive(now, uint32(i), i%100, random.Root(1, i)); d.Fate == Starts {
		s.Finish(now, ms)
	}
}

func TestNoAllocations(t *testing.T) {
	for name, spec := range busyStations() {
		s := New(spec, 24*time.Hour)
		i := uint64(0)
		for ; i < 5000; i++ {
			round(s, i)
		}
		if n := testing.AllocsPerRun(2000, func() { round(s, i); i++ }); n != 0 {
			t.Errorf("%s: %v allocations a call", name, n)
		}
	}
}

func BenchmarkStation(b *testing.B) {
	for name, spec := range busyStations() {
		b.Run(name, func(b *testing.B) {
			s := New(spec, 1<<62)
			for i := uint64(0); b.Loop(); i++ {
				round(s, i)
			}
		})
	}
}
