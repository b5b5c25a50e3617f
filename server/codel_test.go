package server

import (
	"slices"
	"testing"
	"time"

	"retrystorm/sim/random"
)

// CoDel by hand: a worker takes a call every ms from a queue that is always
// too long. At 10 ms the first call has waited 5 ms; an interval later the first
// one is dropped, then after 100, 70.71, 57.74, 50, 44.72 ms.
func TestCodelByHand(t *testing.T) {
	var c codel
	var got []int
	for i := range 500 {
		now := time.Duration(i) * ms
		waited := min(now/2, 50*ms)
		for c.drops(now, waited, 100) {
			got = append(got, i)
		}
	}
	// 110; next 210; then 280.711, 338.446, 388.446, 433.167, 473.992
	if want := []int{110, 210, 281, 339, 389, 434, 474}; !slices.Equal(got, want) {
		t.Errorf("dropped at %v ms, want %v", got, want)
	}
	if c.drops(500*ms, 4*ms, 100) || c.dropping {
		t.Error("a call that waited less than the target ends the dropping")
	}
	// Above again: it drops after an interval, at the rate where it had ended
	// (7 - 1 drops), since that is less than 16 intervals ago.
	got = got[:0]
	for i := 501; i < 700; i++ {
		for c.drops(time.Duration(i)*ms, 50*ms, 100) {
			got = append(got, i)
		}
	}
	// 601; next +100/sqrt 6 = 641.825; then 641.825 + 37.796 = 679.621
	if want := []int{601, 642, 680}; !slices.Equal(got, want) {
		t.Errorf("dropped again at %v ms, want %v", got, want)
	}
	if c.drops(700*ms, 50*ms, 1) {
		t.Error("dropped though one call only is behind")
	}
}

// control is the whole part of 10^8/sqrt(n), exactly.
func TestCodelControl(t *testing.T) {
	check := func(n int64) {
		d := int64(control(n))
		// d <= 10^8/sqrt(n) < d+1, squared; both sides fit in 63 bits.
		if square := int64(1e16) / n; d*d > square || (d+1)*(d+1) <= square {
			t.Fatalf("control(%d) is %d", n, d)
		}
	}
	for n := int64(1); n < 200_000; n++ {
		check(n)
	}
	for n := int64(1); n > 0 && n < 2e16; n = n*3 + 1 {
		check(n)
	}
}

// Bad and good times, each of up to 4 s, against the RFC.
func TestCodelAgainstRFC(t *testing.T) {
	for _, maxWait := range []time.Duration{0, 40 * ms} {
		s := New(service(workers(1), waiting(Queue{Limit: Unlimited, Order: "codel", Full: says(503), MaxWait: maxWait})), 1<<62)
		q := dumb{order: "codel", maxWait: never}
		if maxWait > 0 {
			q.maxWait = maxWait
		}
		key := random.Root(1)
		drawn := uint64(0)
		draw := func(n uint64) uint64 {
			drawn++
			return random.Uniform(key.Draw(random.Class, drawn), n)
		}
		now, id, most := time.Duration(0), uint32(0), 0
		arrive := func() {
			id = (id + 1) % 100_000
			if s.Arrive(now, Call{ID: id}).Fate == Waits {
				q.push(now, Call{ID: id})
			}
		}
		for range 40 {
			for range draw(4000) { // bad
				now += ms
				arrive()
				if draw(10) == 0 {
					arrive()
				}
				step(t, s, &q, now)
				most = max(most, q.codel.count)
			}
			switch draw(3) {
			case 0: // all go away
				for len(q.calls) > 0 {
					if call := q.calls[0].ID; !s.Remove(call) || !q.remove(call) {
						t.Fatalf("call %d does not wait", call)
					}
				}
			case 1: // some are left
				for len(q.calls) > 3 {
					step(t, s, &q, now)
				}
			default:
				for len(q.calls) > 0 {
					step(t, s, &q, now)
				}
			}
			now += time.Duration(draw(4000)) * ms
			for range draw(9) { // the first of these takes long
				arrive()
			}
			now += time.Duration(draw(200)) * ms
		}
		if most < 10 {
			t.Errorf("only %d drops in a row: this tests too little", most)
		}
	}
}

// step frees the worker and compares what leaves the queue.
func step(t *testing.T, s *Station, q *dumb, now time.Duration) {
	t.Helper()
	if s.InService() > 0 {
		s.Leave(now, 0, false)
	}
	for _, want := range q.dequeue(now) {
		if got, ok := s.Next(now); !ok || got != want {
			t.Fatalf("at %v: Next is %v, %v; want %v", now, got, ok, want)
		}
	}
	if got, ok := s.Next(now); ok {
		t.Fatalf("at %v: Next is %v, want none", now, got)
	}
}
