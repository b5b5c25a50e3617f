package server

import (
	"math"
	"slices"
	"testing"
	"time"

	"retrystorm/sim/random"

	"pgregory.net/rapid"
)

// cluster plays calls through replicas of one worker each, with services of 1 ms
// at the load, and returns the mean number of calls inside one of them, those of
// the first fifth of the run apart.
func cluster(balance string, replicas int, load float64, calls uint64) float64 {
	spec := service(workers(1))
	spec.Replicas, spec.Balance = int64(replicas), balance
	b := spec.Balancer()
	all, done := make([]*Station, replicas), make([]time.Duration, replicas)
	for k := range all {
		all[k], done[k] = NewReplica(spec, int64(k), never), never
	}
	gaps := random.Dist{Kind: "exponential", Mean: time.Duration(float64(ms) / (load * float64(replicas)))}.Sampler()
	work := random.Dist{Kind: "exponential", Mean: ms}.Sampler()
	key := func(call uint64) random.Key { return random.Root(7, call) }
	var now, began, arrival time.Duration
	var area float64
	inside := 0
	start := func(k int, call uint32) {
		_, done[k] = all[k].Finish(now, work.At(key(uint64(call)).Draw(random.Service, 0)))
	}
	for i := uint64(0); i < calls; {
		next, k := arrival, -1
		for j, at := range done {
			if at < next {
				next, k = at, j
			}
		}
		if i > calls/5 {
			area += float64(inside) * (next - now).Seconds()
		} else {
			began = next
		}
		now = next
		if k >= 0 {
			inside--
			all[k].Leave(now, 0, false)
			if done[k] = never; all[k].Waiting() > 0 {
				t, _ := all[k].Next(now)
				start(k, t.Call)
			}
			continue
		}
		inside++
		k = b.Pick(all, key(i), -1)
		if all[k].Arrive(now, Call{ID: uint32(i), Key: key(i)}).Fate == Starts {
			start(k, uint32(i))
		}
		arrival = now + gaps.At(key(i).Draw(random.Start, 0))
		i++
	}
	return area / (now - began).Seconds() / float64(replicas)
}

// With many replicas of one worker, the share of them with k calls or more tends
// to rho^(2^k - 1) if calls take the better of two (Vvedenskaya, Dobrushin and
// Karpelevich, "Queueing system with selection of the shortest of two queues",
// 1996; Mitzenmacher, "The power of two choices in randomized load balancing",
// 1996). If they take any it is rho^k: each replica is an M/M/1. If they take
// turns, each of n replicas is an E_n/M/1, with rho/(1-s) calls inside, where
// s = (1 + (1-s)/(rho n))^-n.
//
// The seed is fixed, so the test cannot flake; with six seeds the standard
// deviations were 4 % (random, round-robin) and 2 % (two choices), and 50
// replicas instead of ever so many added 3 % to two choices.
func TestBalanceInTheory(t *testing.T) {
	const load, replicas, calls = 0.9, 50, 400_000
	two := 0.0
	for k := 1.0; k < 12; k++ {
		two += math.Pow(load, math.Exp2(k)-1)
	}
	s := 0.5
	for range 1000 {
		s = math.Pow(1+(1-s)/(load*replicas), -replicas)
	}
	for _, test := range []struct {
		balance         string
		want, tolerance float64
	}{
		{"random", load / (1 - load), 0.12},
		{"two-choices", two, 0.08},
		{"round-robin", load / (1 - s), 0.12},
	} {
		if got := cluster(test.balance, replicas, load, calls); math.Abs(got/test.want-1) > test.tolerance {
			t.Errorf("%s: %.3f calls inside a replica, want %.3f within %v", test.balance, got, test.want, test.tolerance)
		}
	}
}

// Two queues of which calls join the shorter one are in heavy traffic as good as
// one queue for both workers (Foschini and Salz, "A basic dynamic routing problem
// and diffusion", 1978): an M/M/2, with rho/(1-rho^2) calls for each worker. They
// are never better, as a worker may be idle while a call waits for the other.
func TestLeastOfTwo(t *testing.T) {
	const load = 0.95
	least := cluster("least", 2, load, 400_000)
	pooled, apart := load/(1-load*load), load/(1-load)
	if least < pooled || least > 1.2*pooled {
		t.Errorf("%.3f calls inside a replica, want little more than the %.3f of one queue for both (apart: %.3f)", least, pooled, apart)
	}
}

// What is chosen is one of the best of those that may be, and each of them is
// chosen.
func TestBalancerAgainstRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := service(workers(1))
		spec.Balance = rapid.SampledFrom(balances).Draw(t, "balance")
		n := rapid.IntRange(1, 5).Draw(t, "replicas")
		var all []*Station
		for range n {
			s := New(spec, never)
			fill(s, 0, rapid.IntRange(0, 3).Draw(t, "inside"))
			all = append(all, s)
		}
		avoid := rapid.IntRange(-1, n-1).Draw(t, "avoid")
		var may []int
		for i := range n {
			if i != avoid || n == 1 {
				may = append(may, i)
			}
		}
		inside := func(i int) int64 { return all[i].Inside() }
		least, most := int64(99), int64(-1)
		for _, i := range may {
			least, most = min(least, inside(i)), max(most, inside(i))
		}
		heaviest := len(slices.DeleteFunc(slices.Clone(may), func(i int) bool { return inside(i) < most })) == 1
		want := slices.DeleteFunc(slices.Clone(may), func(i int) bool {
			switch spec.Balance {
			case "least":
				return inside(i) > least
			case "two-choices": // nobody loses but the only one that is fuller than all others
				return len(may) > 1 && heaviest && inside(i) == most
			}
			return false
		})
		b, times := spec.Balancer(), map[int]int{}
		const picks = 400 // each is missed with a chance of at most (1 - 1/10)^400 < 1e-18
		for k := range uint64(picks) {
			times[b.Pick(all, random.Root(3, k), avoid)]++
		}
		for i := range n {
			if got := times[i] > 0; got != slices.Contains(want, i) {
				t.Fatalf("%v of %d, not %d: got %v, want %v", spec.Balance, n, avoid, times, want)
			}
			if spec.Balance == "round-robin" && times[i] > 0 && avoid < 0 && abs(times[i]-picks/n) > 1 {
				t.Fatalf("round-robin: %v", times)
			}
		}
	})
}

func abs(n int) int { return max(n, -n) }

func TestPickAllocatesNothing(t *testing.T) {
	all := []*Station{New(service(), never), New(service(), never), New(service(), never)}
	for _, balance := range balances {
		spec := service()
		spec.Balance = balance
		b := spec.Balancer()
		if n := testing.AllocsPerRun(100, func() { b.Pick(all, 1, 1) }); n > 0 {
			t.Errorf("%s: %v allocations", balance, n)
		}
	}
}
