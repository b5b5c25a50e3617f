package experiment

import (
	"slices"
	"testing"
)

func TestPrecisionReached(t *testing.T) {
	for _, c := range []struct {
		name string
		p    Precision
		e    Estimate
		want bool
	}{
		// 5 % of the truth is 0.05/1.05 = 4.76 % of the mean.
		{"relative", Precision{0.05, true}, Estimate{100, 95.3, 104.7, 0, 20}, true},
		{"relative, not yet", Precision{0.05, true}, Estimate{100, 95.2, 104.8, 0, 20}, false},
		{"relative to what is negative", Precision{0.05, true}, Estimate{-100, -104.7, -95.3, 0, 20}, true},
		{"relative to nothing", Precision{0.05, true}, Estimate{0, -1e-9, 1e-9, 0, 20}, false},
		{"nothing varies", Precision{0.05, true}, Estimate{0, 0, 0, 0, 20}, true},
		{"absolute", Precision{5, false}, Estimate{100, 95, 105, 0, 20}, true},
		{"absolute, not yet", Precision{5, false}, Estimate{100, 94, 105, 0, 20}, false},
		{"half the width of what is lopsided", Precision{5, false}, Estimate{100, 99, 108, 0, 20}, true},
		{"no interval", Precision{5, false}, Estimate{100, nan, nan, 0, 1}, false},
		{"nothing available", Precision{0.05, true}, unavailable(), false},
		{"infinite at one end", Precision{0.05, true}, Estimate{100, 95, inf, 0.3, 20}, false},
		{"infinite centre", Precision{0.05, true}, Estimate{inf, 95, inf, 0.6, 20}, false},
		{"infinite at both ends", Precision{0.05, true}, Estimate{inf, inf, inf, 1, 20}, true},
	} {
		if got := c.p.Reached(c.e); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestNextLook(t *testing.T) {
	for _, c := range []struct {
		most int
		want []int
	}{
		{200, []int{10, 15, 23, 35, 53, 80, 120, 180, 200}},
		{23, []int{10, 15, 23}},
		{10, []int{10}},
		{4, []int{4}},
	} {
		var got []int
		for n := 0; n < c.most; {
			n = NextLook(n, c.most)
			got = append(got, n)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("at most %d: %v, want %v", c.most, got, c.want)
		}
		if n := NextLook(c.most, c.most); n != c.most {
			t.Errorf("at most %d: then %d", c.most, n)
		}
	}
}
