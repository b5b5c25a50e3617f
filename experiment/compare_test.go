package experiment

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPaired(t *testing.T) {
	// Differences 1, 2, 3, 4, 5: mean 3, standard error sqrt(0.5).
	c := Paired([]float64{11, 22, 33, 44, 55}, []float64{10, 20, 30, 40, 50})
	if c.Pairs != 5 || c.Greater != 5 || c.Less != 0 || c.Sign {
		t.Errorf("%+v", c)
	}
	if d := c.Difference; d.Centre != 3 || !near(d.Lo, 3-1.963243161, 1e-8) {
		t.Errorf("difference %+v", d)
	}
	if !near(c.Ratio, 1.1, 1e-12) || !near(c.Correlation, 1, 1e-12) {
		t.Errorf("ratio %v, correlation %v", c.Ratio, c.Correlation)
	}
	// P(|t(4)| > 4.242640687) = 0.01324
	if !near(c.P, 0.0132355, 1e-4) {
		t.Errorf("p = %v", c.P)
	}
}

func TestComparisons(t *testing.T) {
	for _, c := range []struct {
		name string
		by   func(a, b []float64) Comparison
		a, b []float64
		p    float64
		diff float64
	}{
		{"equal", Paired, []float64{1, 2}, []float64{1, 2}, 1, 0},
		{"always the same difference", Paired, []float64{3, 4}, []float64{1, 2}, 0, 2},
		{"one pair", Paired, []float64{3}, []float64{1}, nan, 2},
		{"none", Paired, nil, nil, nan, nan},
		{"infinite values have no mean", Paired, []float64{1, inf}, []float64{1, 2}, nan, nan},
		{"not available", Paired, []float64{nan, 1, 2}, []float64{1, 1, 2}, 1, 0},

		{"6 of 6", SignTest, []float64{1, 1, 1, 1, 1, 1}, []float64{2, 2, 2, 2, 2, inf}, 2. / 64, nan},
		{"5 of 6", SignTest, []float64{1, 1, 1, 1, 1, 9}, []float64{2, 2, 2, 2, 2, 8}, 14. / 64, -2. / 3},
		{"never on both sides is equal", SignTest, []float64{inf, 1, 1}, []float64{inf, 2, 2}, 0.5, nan},
		{"all equal", SignTest, []float64{inf, inf}, []float64{inf, inf}, 1, nan},
		{"nothing", SignTest, nil, nil, nan, nan},
	} {
		got := c.by(c.a, c.b)
		if !near(got.P, c.p, 1e-9) || !near(got.Difference.Centre, c.diff, 1e-9) {
			t.Errorf("%s: p %v (want %v), difference %v (want %v)", c.name, got.P, c.p, got.Difference.Centre, c.diff)
		}
	}
}

// The numbers are from the density of Student's t, integrated.
func TestUnpaired(t *testing.T) {
	// Variances 2.5 and 14, of means 0.5 and 7/3: standard error 1.68325.
	c := Unpaired([]float64{1, 2, nan, 3, 4, 5}, []float64{2, 4, 6, 8, 10, 12})
	if c.Pairs != 5 || c.Less+c.Equal+c.Greater != 0 || c.Sign || !near(c.Ratio, 3./7, 1e-12) || !same(c.Correlation, nan) {
		t.Errorf("%+v", c)
	}
	if d := c.Difference; d.Centre != -4 || !near(d.Lo, -4-3.983468696, 1e-9) || !near(d.Hi, -4+3.983468696, 1e-7) {
		t.Errorf("difference %+v", d)
	}
	if !near(c.DF, 6.972255730, 1e-9) || !near(c.P, 0.04928433821, 1e-8) {
		t.Errorf("df %v, p %v", c.DF, c.P)
	}
	for _, c := range []struct {
		name string
		a, b []float64
		p    float64
		diff float64
	}{
		{"equal and constant", []float64{1, 1}, []float64{1, 1, 1}, 1, 0},
		{"different and constant", []float64{1, 1}, []float64{2, 2, 2}, 0, -1},
		{"one value", []float64{1}, []float64{2, 3}, nan, -1.5},
		{"no value", []float64{nan}, []float64{2, 3}, nan, nan},
		{"infinite", []float64{1, inf}, []float64{2, 3}, nan, nan},
	} {
		got := Unpaired(c.a, c.b)
		if !same(got.P, c.p) || !same(got.Difference.Centre, c.diff) {
			t.Errorf("%s: p %v, difference %v", c.name, got.P, got.Difference.Centre)
		}
	}
}

// The bounds of the first two are the roots of (mean of a - r b)^2 = t^2 times
// its variance, found by bisection.
func TestRatioInterval(t *testing.T) {
	a, b := []float64{10, 12, 9, 14, 11}, []float64{5, 7, 4, 6, 6}
	for _, c := range []struct {
		name   string
		a, b   []float64
		paired bool
		lo, hi float64
	}{
		{"pairs", a, b, true, 1.686383217, 2.418654426},
		{"independent", a, b, false, 1.520727014, 2.665679729}, // 7.779 degrees of freedom
		{"pairs with gaps", append([]float64{nan, 9}, a...), append([]float64{7, nan}, b...), true, 1.686383217, 2.418654426},
		{"negative denominator", a, []float64{-5, -7, -4, -6, -6}, true, -2.418654426, -1.686383217},
		{"always three times", []float64{3, 6, 9}, []float64{1, 2, 3.}, true, nan, nan}, // mean b 2, standard error 0.58, t 4.3: may be 0
		{"always half", []float64{5, 6, 7}, []float64{10, 12, 14}, true, 0.5, 0.5},
		{"constant", []float64{3, 3}, []float64{2, 2}, true, 1.5, 1.5},
		{"constant and independent", []float64{3, 3}, []float64{2, 2}, false, 1.5, 1.5},
		{"nothing by nothing", []float64{0, 0}, []float64{0, 0}, true, nan, nan},
		{"infinite", []float64{1, inf}, []float64{2, 3}, true, nan, nan},
		{"one pair", []float64{1}, []float64{2}, true, nan, nan},
	} {
		if lo, hi := RatioInterval(c.a, c.b, c.paired); !near(lo, c.lo, 1e-8) || !near(hi, c.hi, 1e-8) {
			t.Errorf("%s: %v to %v, want %v to %v", c.name, lo, hi, c.lo, c.hi)
		}
	}
}

// Why Paired does not fall back to Welch's test where the correlation of the
// sample is not positive: it would be right too seldom. 4000 samples give the
// shares to within 0.014 (four standard errors).
func TestPairedKeepsItsLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	const trials, n = 4000, 10
	for _, correlation := range []float64{-0.5, 0, 0.5} {
		rest := math.Sqrt(1 - correlation*correlation)
		paired, fallback := 0, 0
		for range trials {
			a, b := make([]float64, n), make([]float64, n)
			for i := range a {
				a[i] = r.NormFloat64()
				b[i] = correlation*a[i] + rest*r.NormFloat64()
			}
			c := Paired(a, b)
			if c.P <= 0.05 {
				paired++
			}
			if c.Correlation <= 0 {
				c = Unpaired(a, b)
			}
			if c.P <= 0.05 {
				fallback++
			}
		}
		if share := float64(paired) / trials; math.Abs(share-0.05) > 0.014 {
			t.Errorf("correlation %v: %.3f false findings", correlation, share)
		}
		if share := float64(fallback) / trials; correlation < 0 && share < 0.08 {
			t.Errorf("correlation %v: %.3f false findings with Welch's test, which the comment says are 10 %%", correlation, share)
		}
	}
}

func TestCompareChoosesTheTest(t *testing.T) {
	v := []float64{1, 2}
	if Compare(Metric{}, v, v).Sign || !Compare(Metric{Infinite: true}, v, v).Sign || !Compare(Metric{Share: true}, v, v).Sign {
		t.Error("means are for metrics that are always finite and more than 0 or 1")
	}
}

func TestHolm(t *testing.T) {
	for _, c := range []struct{ in, want []float64 }{
		{nil, nil},
		{[]float64{0.03}, []float64{0.03}},
		{[]float64{0.01, 0.04, 0.03}, []float64{0.03, 0.06, 0.06}}, // 3 x 0.01, 2 x 0.03, max(0.06, 0.04)
		{[]float64{0.6, 0.5}, []float64{1, 1}},
		{[]float64{0.01, nan, 0.02}, []float64{0.02, nan, 0.02}},
	} {
		if got := Holm(c.in); !slices.EqualFunc(got, c.want, func(a, b float64) bool { return near(a, b, 1e-12) }) {
			t.Errorf("Holm(%v) = %v, want %v", c.in, got, c.want)
		}
	}
}

// Without any difference, a difference is found in 5 % of the cases, among ten
// comparisons too.
func TestFalseFindings(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const trials = 1000
	found := 0
	for range trials {
		p := make([]float64, 10)
		for i := range p {
			a, b := make([]float64, 10), make([]float64, 10)
			for j := range a {
				luck := 5 * r.NormFloat64() // common to the pair
				a[j], b[j] = luck+r.NormFloat64(), luck+r.NormFloat64()
			}
			p[i] = Paired(a, b).P
		}
		if slices.Min(Holm(p)) <= 0.05 {
			found++
		}
	}
	if share := float64(found) / trials; share < 0.025 || share > 0.075 {
		t.Errorf("found one in %.3f of the trials", share)
	}
}

func TestDecide(t *testing.T) {
	shifted := func(shift, noise float64) Comparison {
		a, b := make([]float64, 20), make([]float64, 20)
		for i := range a {
			a[i] = shift + noise*float64(i%2*2-1)
		}
		return Paired(a, b)
	}
	less, more, noisy, nil0 := shifted(-1, 0.1), shifted(1, 0.1), shifted(-0.1, 1), shifted(0, 1)
	for _, c := range []struct {
		name  string
		claim int
		in    []Comparison
		want  Verdict
		signs []int
	}{
		{"everywhere", -1, []Comparison{less, less}, Confirmed, []int{1, 1}},
		{"the opposite everywhere", 1, []Comparison{less, less}, Refuted, []int{-1, -1}},
		{"both occur", -1, []Comparison{less, more, noisy}, OnlyWhen, []int{1, -1, 0}},
		{"one is not certain", -1, []Comparison{less, noisy}, Undecided, []int{1, 0}},
		{"nothing to judge", -1, nil, Undecided, []int{}},
	} {
		f := Decide(c.claim, c.in)
		if f.Verdict != c.want || !slices.Equal(f.Signs, c.signs) {
			t.Errorf("%s: %s %v", c.name, f.Verdict, f.Signs)
		}
	}
	// 0.1 with a standard deviation of 1.026: (1.96 x 10.26)^2 = 404.
	if n := Decide(-1, []Comparison{noisy}).Need; n < 400 || n > 410 {
		t.Errorf("need %d", n)
	}
	if n := Decide(-1, []Comparison{noisy, nil0}).Need; n != 0 {
		t.Errorf("no difference: need %d", n)
	}
	// 15 of 20 pairs: (1.96 / (10 / sqrt(20)))^2 x 20 = 15.4, but 20 were not
	// enough at the level of ten comparisons.
	a, b := ones(15, 20), make([]float64, 20)
	for i := 15; i < 20; i++ {
		b[i] = 1
	}
	many := slices.Repeat([]Comparison{SignTest(a, b)}, 10)
	if f := Decide(1, many); f.Verdict != Undecided || f.Need < 21 || f.Need > 40 {
		t.Errorf("sign test: %s, need %d", f.Verdict, f.Need)
	}
}
