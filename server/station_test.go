package server

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"retrystorm/sim/limit"
	"retrystorm/sim/random"
)

// The station's workers and queue against a list of calls and a set.
func TestQueueAgainstList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.Int64Range(1, 4).Draw(t, "workers")
		limit := rapid.Int64Range(-1, 5).Draw(t, "limit")
		order := rapid.SampledFrom([]string{"fifo", "lifo"}).Draw(t, "order")
		s := New(service(workers(w), waiting(Queue{Limit: limit, Order: order, Full: says(503)})), time.Hour)

		var queued []uint32
		busy := int64(0)
		next := func() {
			next, ok := s.Next(0)
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
			if next != (Taken{Call: queued[i]}) {
				t.Fatalf("Next is %v, want %d", next, queued[i])
			}
			queued = slices.Delete(queued, i, i+1)
		}
		for call := range rapid.Uint32Range(1, 200).Draw(t, "steps") {
			if busy > 0 && rapid.Bool().Draw(t, "leave") {
				s.Leave(0, 0, false)
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
				if got := s.Arrive(0, Call{ID: call}); got.Fate != want {
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
	token := Reply{Answer: 429, RetryAfter: Asked{Kind: AskedToken}, Spread: 3}
	plain := service(
		workers(3),
		limited(RateLimit{Kind: "sliding-window", Limit: 3, Window: 3, Answer: says(429), Scope: "client"}),
		crashing(Crash{Above: 4, Restart: 5, Ramp: 10}),
		faulty(
			Fault{Kind: "capacity", Share: 0.5, At: 3, For: 20, Ramp: 10},
			Fault{Kind: "errors", Share: 0.5, At: 10, For: 20},
			Fault{Kind: "pause", At: 5, For: 7},
			Fault{Kind: "down", At: 40, For: 7},
		))
	specs := []Spec{plain}
	for _, order := range orders {
		specs = append(specs, service(
			workers(3), waiting(Queue{Limit: 9, Order: order, Full: says(503), MaxWait: 4}), crashing(Crash{Above: 7, Restart: 5}),
			limited(RateLimit{Kind: "sliding-window", Limit: 3, Window: 3, Answer: token, Scope: "client", Ban: 2}),
			limiting(limit.Spec{Kind: "aimd", Limit: 9, Min: 2, Max: 10}),
			shedding(Shed{Kind: "retries", Above: 0.6, Answer: says(503)}),
		))
	}
	type state struct {
		Decision
		taken            Taken
		removed          bool
		work, done, next time.Duration
		inside           int64
	}
	story := func(s *Station, seed uint64) (told []state) {
		for i := range 200 {
			now := time.Duration(i / 3)
			goTo(s, now)
			st := state{}
			for next, ok := s.Next(now); ok; next, ok = s.Next(now) {
				st.taken = next
			}
			key := random.Root(seed, uint64(i))
			d := s.Arrive(now, Call{ID: uint32(i), Client: uint64(i % 9), Key: key, Retry: i%2 == 0})
			st.Decision = d
			if d.Fate == Starts {
				st.work, st.done = s.Finish(now, 3)
			}
			if s.InService() > 0 && key.Draw(random.Order, 0)%3 > 0 {
				s.Leave(now, 1, key.Draw(random.Order, 0)%3 > 1)
			}
			if key.Draw(random.Cache, 0)%8 == 0 {
				st.removed = s.Remove(uint32(i) - uint32(key.Draw(random.Cache, 1)%4))
			}
			st.next, _ = s.NextChange()
			st.inside = s.Inside()
			told = append(told, st)
		}
		return told
	}
	for i, spec := range specs {
		reused, crashes := New(spec, time.Hour), int64(0)
		for seed := range uint64(20) {
			if got, want := story(reused, seed), story(New(spec, time.Hour), seed); !slices.Equal(got, want) {
				t.Fatalf("spec %d, seed %d: a station that was reset differs from a new one", i, seed)
			}
			crashes += reused.crashes
			reused.Reset()
		}
		if crashes == 0 {
			t.Fatalf("spec %d: the stories have no crash: they test too little", i)
		}
	}
}

func TestLeavePanicsWhenEmpty(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	New(service(), sec).Leave(0, 0, false)
}

// An unlimited queue copes with the backlog of a bad day.
func TestDeepQueue(t *testing.T) {
	for _, order := range []string{"fifo", "lifo"} {
		s := New(service(workers(1), waiting(Queue{Limit: Unlimited, Order: order})), sec)
		const n = 200_000
		for i := range uint32(n + 1) {
			s.Arrive(0, Call{ID: i})
		}
		for i := range uint32(n) {
			s.Leave(0, 0, false)
			want := i + 1
			if order == "lifo" {
				want = n - i
			}
			if next, ok := s.Next(0); !ok || next.Call != want {
				t.Fatalf("%s: %v, %v; want %d", order, next, ok, want)
			}
		}
	}
}
