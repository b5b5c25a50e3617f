package server

import (
	"math"
	"testing"
	"time"

	"retrystorm/sim/random"
)

// waits are the waiting times, in ms, of an M/M/1 queue with services of 1 ms.
type waits struct {
	inside       float64 // mean number
	mean, square float64
	first, retry float64 // means of those that are first tries, and that are not
}

// mm1 plays n calls through one worker, a third of them retries.
func mm1(s *Station, load float64, n uint32) (w waits) {
	gaps := random.Dist{Kind: "exponential", Mean: time.Duration(float64(ms) / load)}.Sampler()
	work := random.Dist{Kind: "exponential", Mean: ms}.Sampler()
	var (
		now, arrival, done time.Duration
		area, retries      float64
		began              = make([]time.Duration, n)
		keys               = make([]random.Key, n)
	)
	for i := range keys {
		keys[i] = random.Root(5, uint64(i))
	}
	start := func(call uint32) {
		x := (now - began[call]).Seconds() * 1e3
		w.mean += x / float64(n)
		w.square += x * x / float64(n)
		if isRetry(keys[call]) {
			w.retry += x
			retries++
		} else {
			w.first += x
		}
		_, done = s.Finish(now, work.At(keys[call].Draw(random.Service, 0)))
	}
	for i := uint32(0); i < n || s.Inside() > 0; {
		next := arrival
		busy := s.InService() > 0
		if busy && (done <= arrival || i == n) {
			next = done
		}
		area += float64(s.Inside()) * (next - now).Seconds()
		now = next
		if busy && now == done {
			s.Leave(now, 0, false)
			if t, ok := s.Next(now); ok {
				start(t.Call)
			}
			continue
		}
		patience := time.Duration(keys[i].Draw(random.Phase, 0) % uint64(20*ms))
		c := Call{ID: i, Key: keys[i], Retry: isRetry(keys[i]), Deadline: now + patience}
		began[i] = now
		if d := s.Arrive(now, c); d.Fate == Starts {
			start(i)
		}
		i++
		arrival = now + gaps.At(keys[i-1].Draw(random.Start, 0))
	}
	w.inside = area / now.Seconds()
	w.retry /= retries
	w.first /= float64(n) - retries
	return w
}

func isRetry(k random.Key) bool { return k.Draw(random.Class, 0)%3 == 0 }

// The order in which one worker takes its calls, as long as it does not look
// at their work, changes neither the mean number inside, r/(1-r), nor the mean
// wait, r/(1-r) service times; but it changes the spread of the waits. With
// w = 2r/(1-r)^2 the mean square of the wait for fifo, that of random order is
// w/(1-r/2) (Kingman, "On queues in which customers are served in random order",
// 1962) and that of lifo w/(1-r). With two classes, a and b, the favoured one
// waits r/(1-ra) and the other r/((1-ra)(1-r)) (Cobham, "Priority assignment in
// waiting line problems", 1954).
func TestOrdersInTheory(t *testing.T) {
	const load, n = 0.6, 400_000
	squares := map[string]float64{"fifo": 1, "random": 1 / (1 - load/2), "lifo": 1 / (1 - load)}
	for _, order := range orders {
		if order == "codel" {
			continue // it drops
		}
		s := New(service(workers(1), waiting(Queue{Limit: Unlimited, Order: order})), never)
		w := mm1(s, load, n)
		near := func(what string, got, want, tolerance float64) {
			if math.Abs(got/want-1) > tolerance {
				t.Errorf("%s: %s is %.3f, want %.3f within %v", order, what, got, want, tolerance)
			}
		}
		near("the mean number inside", w.inside, load/(1-load), 0.03)
		near("the mean wait", w.mean, load/(1-load), 0.03)
		if x := squares[order]; x > 0 {
			near("the mean square of the wait", w.square, x*2*load/((1-load)*(1-load)), 0.05)
		}
		switch order {
		case "first-tries":
			near("the mean wait of first tries", w.first, load/(1-load*2/3), 0.03)
			near("the mean wait of retries", w.retry, load/(1-load*2/3)/(1-load), 0.03)
		case "retries-first":
			near("the mean wait of first tries", w.first, load/(1-load/3)/(1-load), 0.03)
			near("the mean wait of retries", w.retry, load/(1-load/3), 0.03)
		}
	}
}
