package random

import (
	"hash/fnv"
	"math"
	"testing"
)

// draws gives n fixed draws: tests with them cannot flake.
func draws(name uint64, n int) []uint64 {
	key := Root(1, name)
	list := make([]uint64, n)
	for i := range list {
		list[i] = key.Draw(Service, uint64(i))
	}
	return list
}

// ulps is the distance of got from want in units in the last place of want.
func ulps(got, want float64) float64 {
	if got == want || got != got && want != want {
		return 0
	}
	return math.Abs(got-want) / (math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want))
}

func TestLogMatchesMath(t *testing.T) {
	worst := 0.0
	check := func(x float64) {
		t.Helper()
		e := ulps(Log(x), math.Log(x))
		worst = max(worst, e)
		if e > 2 {
			t.Fatalf("Log(%g) = %v, math has %v: %.1f ulp", x, Log(x), math.Log(x), e)
		}
	}
	for _, u := range draws(1, 200_000) {
		check(Unit(u))
		check(1 - Unit(u)*Unit(u>>32<<32|7)/256)                       // near 1
		check(1 + Unit(u)/128)                                         // near 1
		check(math.Ldexp(1+Unit(u), int(u%2044)-1022)) // any normal number
	}
	for _, x := range []float64{1, 2, 0.5, math.Sqrt2, math.Sqrt2 / 2, 5e-324, math.MaxFloat64, 0, -1, math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-1022} {
		check(x)
	}
	t.Logf("worst error %.2f ulp", worst)
}

func TestExpMatchesMath(t *testing.T) {
	worst := 0.0
	check := func(x float64) {
		t.Helper()
		e := ulps(Exp(x), math.Exp(x))
		worst = max(worst, e)
		if e > 2 {
			t.Fatalf("Exp(%g) = %v, math has %v: %.1f ulp", x, Exp(x), math.Exp(x), e)
		}
	}
	for _, u := range draws(2, 200_000) {
		check(1500*Unit(u) - 750)
		check(2*Unit(u) - 1)
		check((2*Unit(u) - 1) / 1024)
	}
	for _, x := range []float64{0, 1, -1, 709.78, -745.1, 710, -746, 1e300, -1e300, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324} {
		check(x)
	}
	t.Logf("worst error %.2f ulp", worst)
}

func TestNormQuantile(t *testing.T) {
	worst := 0.0
	for _, u := range draws(3, 400_000) {
		x := Unit(u) / 2
		if u&1 == 0 { // far tails too
			x = math.Ldexp(x, -int(u>>1%40))
		}
		z := -NormQuantile(x)
		phi := math.Exp(-z*z/2) / sqrt2Pi
		e := math.Abs(math.Erfc(z/math.Sqrt2)/2-x) / (phi * z) // relative error of z
		if z < 0.5 {
			e = math.Abs(z/(math.Sqrt2*math.Erfinv(1-2*x)) - 1)
		}
		if e > worst { worst = e; t.Log(x, e) }
		worst = max(worst, e)
	}
	t.Logf("worst relative %.3g", worst)
	// minimal gaps
	bad := 0
	minGap := 10.0
	for _, u := range draws(4, 2000) {
		for k := range uint64(500) {
			v := (u>>12 + k)
			if v+1 >= 1<<52 { break }
			a, b := NormQuantile(Unit(v<<12)), NormQuantile(Unit((v+1)<<12))
			if b <= a { bad++ }
			g := (b-a)/0x1p-52*math.Exp(-a*a/2)/sqrt2Pi
			minGap = min(minGap, g)
		}
	}
	t.Log(bad, minGap)
}

var _ = fnv.New64a
