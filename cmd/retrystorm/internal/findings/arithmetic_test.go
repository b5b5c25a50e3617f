package findings

import (
	"math"
	"slices"
	"testing"

	"retrystorm/sim/random"
)

// mostOf is the expected maximum over all m^n ways to throw n balls.
func mostOf(n, m int) float64 {
	bins := make([]int, m)
	sum, ways := 0, 0
	var throw func(left int)
	throw = func(left int) {
		if left == 0 {
			top := 0
			for _, b := range bins {
				top = max(top, b)
			}
			sum += top
			ways++
			return
		}
		for i := range bins {
			bins[i]++
			throw(left - 1)
			bins[i]--
		}
	}
	throw(n)
	return float64(sum) / float64(ways)
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

func TestFullest(t *testing.T) {
	for _, c := range []struct {
		n, m int
		want float64
	}{
		{1, 1, 1},
		{5, 1, 5},
		{7, 2, mostOf(7, 2)},
		{6, 4, mostOf(6, 4)},
		{3, 9, mostOf(3, 9)},
		{9, 3, mostOf(9, 3)},
		// Exact values of 1,000 balls in 100 and 50 bins, 6 digits.
		{1000, 100, 18.7617},
		{1000, 50, 30.7240},
		{500, 5, fullestOf500In5},
		{500, 10, fullestOf500In10},
	} {
		if testing.Short() && c.n > 10 {
			continue
		}
		if got := fullest(c.n, c.m); math.Abs(got-c.want) > 1e-5*c.want {
			t.Errorf("fullest(%d, %d) = %v, want %v", c.n, c.m, got, c.want)
		}
	}
}

func TestTelescoped(t *testing.T) {
	for _, c := range []struct {
		f    float64
		n    int
		want float64
	}{
		{0.5, 1, 1},
		{0.5, 3, 1.75},
		{0.9, 64, 9.988210},
		{0.99, 64, 47.44035},
	} {
		if got := telescoped(c.f, c.n); math.Abs(got-c.want) > 1e-4 {
			t.Errorf("telescoped(%v, %d) = %v, want %v", c.f, c.n, got, c.want)
		}
	}
}

func TestWaited(t *testing.T) {
	for _, c := range []struct {
		got, want []float64
	}{
		{waited(1, 2, 4), []float64{1000, 3000, 7000, 15000}},
		{waited(0.5, 2, 3), []float64{500, 1500, 3500}},
		{decorrelated(4), []float64{2000, 5500, 11250, 20375}}, // 2 * 1.5^k - 1
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}

func TestBetterOfTwo(t *testing.T) {
	// 1 + 0.64 + 0.8^6 + 0.8^14 + 0.8^30 + ..., and nothing ahead of anybody.
	for load, want := range map[float64]float64{0.8: 1.947, 1e-9: 1} {
		if got := betterOfTwo(load); math.Abs(got-want) > 1e-3 {
			t.Errorf("load %g: %g, want %g", load, got, want)
		}
	}
}
