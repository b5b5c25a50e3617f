package findings

import (
	"math"
	"slices"
	"testing"
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
	} {
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
