package findings

import "time"

// telescoped is (1 - f^n)/(1 - f): the calls of n attempts that fail
// independently with probability f.
func telescoped(f float64, n int) float64 {
	power := 1.0
	for range n {
		power = float64(power * f)
	}
	return (1 - power) / (1 - f)
}

// The expected number of balls in the fullest of m bins into which n balls fall at
// random. The tests work it out, which is too long for every start of the program.
const (
	fullestOf500In5     = 111.75837484817575
	fullestOf500In10    = 61.15306899846258
	fullestOf10000In100 = 125.95939071378484
)

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

// betterOfTwo is the mean time in the system, in service times, at the shorter of
// two of very many queues: the sum of load^(2^i - 2) for i = 1, 2, ...
func betterOfTwo(load float64) float64 {
	sum, power := 0.0, load // load^(2^i - 1)
	for power > 1e-15 {
		sum += power / load
		power = float64(float64(power*power) * load)
	}
	return sum
}

// seconds are times.
func seconds(list ...int) []time.Duration {
	times := make([]time.Duration, len(list))
	for i, s := range list {
		times[i] = time.Duration(s) * time.Second
	}
	return times
}
