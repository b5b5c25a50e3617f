package server

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"retrystorm/sim/random"
)

// Every order against the dumb queue: arrivals, turns and removals in any order.
func TestOrders(t *testing.T) {
	for _, order := range orders {
		if order == "random" {
			continue // see below
		}
		t.Run(order, func(t *testing.T) {
			drops := 0
			rapid.Check(t, func(t *rapid.T) {
				const w = 2
				q := dumb{order: order, maxWait: never}
				spec := Queue{Limit: Unlimited, Order: order, Full: says(503)}
				if rapid.Bool().Draw(t, "max_wait") {
					spec.MaxWait = time.Duration(rapid.IntRange(1, 400).Draw(t, "ms")) * ms
					q.maxWait = spec.MaxWait
				}
				s := New(service(workers(w), waiting(spec)), time.Hour)
				busy, now, id := 0, time.Duration(0), uint32(0)
				for range rapid.IntRange(1, 300).Draw(t, "steps") {
					now += time.Duration(rapid.IntRange(0, 6).Draw(t, "wait")) * ms
					switch rapid.IntRange(0, 9).Draw(t, "step") {
					case 0:
						call := uint32(rapid.IntRange(0, int(id)+2).Draw(t, "call"))
						if got, want := s.Remove(call), q.remove(call); got != want {
							t.Fatalf("Remove(%d) is %v, want %v", call, got, want)
						}
					case 1, 2, 3, 4:
						if busy == 0 {
							continue
						}
						s.Leave(now, 0, false)
						busy--
						for _, want := range q.dequeue(now) {
							if got, ok := s.Next(now); !ok || got != want {
								t.Fatalf("at %v: Next is %v, %v; want %v", now, got, ok, want)
							}
							if want.Dropped {
								drops++
							} else {
								busy++
							}
						}
						if got, ok := s.Next(now); ok {
							t.Fatalf("at %v: Next is %v, want none", now, got)
						}
					default:
						id++
						c := Call{
							ID: id, Retry: rapid.Bool().Draw(t, "retry"),
							Deadline: time.Duration(rapid.IntRange(0, 5).Draw(t, "deadline")),
						}
						if d := s.Arrive(now, c); d.Fate == Waits {
							q.push(now, c)
						} else {
							busy++
						}
					}
					if s.Waiting() != int64(len(q.calls)) || s.InService() != int64(busy) {
						t.Fatalf("%d wait, %d in service; want %d, %d", s.Waiting(), s.InService(), len(q.calls), busy)
					}
				}
			})
			if drops == 0 && !testing.Short() { // few draws may miss it
				t.Error("no call was dropped: this tests too little")
			}
		})
	}
}

// In random order each of those that wait is as likely to be next, whether they
// came early or late and whatever was removed.
func TestRandomOrder(t *testing.T) {
	const runs, n = 60_000, 6
	var first, last [n]float64
	for run := range uint64(runs) {
		s := New(service(workers(1), waiting(Queue{Limit: Unlimited, Order: "random"})), sec)
		s.Arrive(0, Call{ID: 100})
		arrive := func(id uint32, time uint64) { s.Arrive(0, Call{ID: id, Key: random.Root(run, uint64(id), time)}) }
		take := func() uint32 {
			s.Leave(0, 0, false)
			next, _ := s.Next(0)
			return next.Call
		}
		for id := range uint32(3) {
			arrive(id, 0)
		}
		arrive(50, 0)
		for id := uint32(3); id < n; id++ {
			arrive(id, 0)
		}
		if !s.Remove(50) || s.Remove(50) {
			t.Fatal("a call can be removed once")
		}
		got := take()
		first[got]++
		arrive(got, 1)
		for range n - 1 {
			take()
		}
		last[take()]++
	}
	for name, counts := range map[string][n]float64{"first": first, "last": last} {
		sum := 0.0
		for _, x := range counts {
			sum += (x - runs/n) * (x - runs/n) / (runs / n)
		}
		if sum > 20.5 { // chi-square, 5 degrees of freedom: 0.1 %
			t.Errorf("%s: %v, chi-square %.1f", name, counts, sum)
		}
	}
}

// Removing from the middle of a deep queue takes no walk through it: with one
// this would take minutes.
func TestRemoveFromDeepQueue(t *testing.T) {
	deadline := func(i uint32) time.Duration { return time.Duration(1 + i*2654435761>>12) }
	for _, order := range orders {
		s := New(service(workers(1), waiting(Queue{Limit: Unlimited, Order: order, Full: says(503)})), time.Hour)
		const n = 100_000
		for i := range uint32(n + 1) {
			s.Arrive(0, Call{ID: i, Key: random.Root(uint64(i)), Deadline: deadline(i), Retry: i%2 == 0})
		}
		for i := range uint32(n / 2) {
			if !s.Remove(2*i + 1) {
				t.Fatalf("%s: call %d does not wait", order, 2*i+1)
			}
		}
		seen, last := make([]bool, n+1), time.Duration(0)
		for range n / 2 {
			s.Leave(0, 0, false)
			next, ok := s.Next(0)
			if !ok || next.Call%2 != 0 || seen[next.Call] {
				t.Fatalf("%s: next is %v, %v", order, next, ok)
			}
			seen[next.Call] = true
			if due := deadline(next.Call); order == "deadline" && due < last {
				t.Fatalf("a call due at %d comes after one due at %d", due, last)
			} else {
				last = due
			}
		}
		if s.Waiting() != 0 {
			t.Errorf("%s: %d still wait", order, s.Waiting())
		}
	}
}
