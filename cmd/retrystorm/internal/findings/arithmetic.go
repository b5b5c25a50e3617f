package findings

import (
	"time"

	"retrystorm/sim/random"
)

// telescoped is (1 - f^n)/(1 - f): the calls of n attempts that fail
// independently with probability f.
func telescoped(f float64, n int) float64 {
	power := 1.0
	for range n {
		power = float64(power * f)
	}
	return (1 - power) / (1 - f)
}

// fullest is the expected number of balls in the fullest of m bins into which
// n balls fall at random. Given their sum, independent Poisson counts are
// multinomial, so P(max <= k) is the chance that m Poisson(n/m) counts of at
// most k sum to n, over the chance that any m such counts do.
func fullest(n, m int) float64 {
	mean := float64(n) / float64(m)
	counts := make([]float64, n+1) // Poisson(n/m)
	p := random.Exp(-mean)
	for i := range counts {
		counts[i] = p
		p = float64(p*mean) / float64(i+1)
	}
	all := sumOf(counts, m)
	expected := 0.0
	for k := range n {
		// E max = sum over k >= 0 of P(max > k).
		below := sumOf(counts[:k+1], m) / all
		expected += 1 - below
		if k > n/m && 1-below < 1e-15 {
			break
		}
	}
	return expected
}

// sumOf is the chance that m counts with this distribution sum to n, where n+1
// is the capacity of the slice.
func sumOf(counts []float64, m int) float64 {
	n := cap(counts) - 1
	sum := []float64{1}
	for range m {
		next := make([]float64, min(n+1, len(sum)+len(counts)-1))
		for i, a := range sum {
			for j, b := range counts {
				if i+j <= n {
					next[i+j] += float64(a * b)
				}
			}
		}
		sum = next
	}
	if len(sum) <= n {
		return 0
	}
	return sum[n]
}

// waited is how long 1,000 requests wait in all, with 1, 2, ... n retries whose
// mean waits grow from first by a factor: in seconds.
func waited(first, factor float64, n int) []float64 {
	sums := make([]float64, n)
	total, mean := 0.0, first
	for i := range sums {
		total += mean
		sums[i] = 1000 * total
		mean = float64(mean * factor)
	}
	return sums
}

// decorrelated is the same for decorrelated jitter of 1 s. As each wait is
// U(1, 3 x the wait before), its mean m becomes (1 + 3 m)/2.
func decorrelated(n int) []float64 {
	sums := make([]float64, n)
	total, mean := 0.0, 1.0
	for i := range sums {
		mean = float64((1 + float64(3*mean)) / 2)
		total += mean
		sums[i] = 1000 * total
	}
	return sums
}

// seconds are times.
func seconds(list ...int) []time.Duration {
	times := make([]time.Duration, len(list))
	for i, s := range list {
		times[i] = time.Duration(s) * time.Second
	}
	return times
}
