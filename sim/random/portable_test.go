package random

import (
	"math"
	"testing"
)

// draws gives n fixed draws. Tests that use them compute the same numbers each
// time, so whatever tolerance they pass once they pass always.
func draws(name uint64, n int) []uint64 {
	key := Root(1, name)
	list := make([]uint64, n)
	for i := range list {
		list[i] = key.Draw(Service, uint64(i))
	}
	return list
}

// digest is a hash of a sequence of words, for golden tests.
type digest uint64

func (d *digest) add(word uint64) { *d = digest(absorb(uint64(*d), word)) }

// ulps is the distance of got from want in units in the last place of want.
func ulps(got, want float64) float64 {
	if got == want || got != got && want != want {
		return 0
	}
	return math.Abs(got-want) / (math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want))
}

// within2 fails unless got is within 2 ulp of want: one for us, one for math.
func within2(t *testing.T, name string, x, got, want float64) {
	t.Helper()
	if e := ulps(got, want); !(e <= 2) {
		t.Errorf("%s(%g) = %v, math has %v: %.1f ulp off", name, x, got, want, e)
	}
}

func TestLogMatchesMath(t *testing.T) {
	check := func(x float64) {
		t.Helper()
		within2(t, "Log", x, Log(x), math.Log(x))
	}
	for _, u := range draws(1, 100_000) {
		x := Unit(u)
		check(x)
		check(1 - x*x/256)
		check(1 + x/128)
		check(math.Ldexp(1+x, int(u%2044)-1022)) // any normal number
	}
	for _, x := range []float64{1, 2, 0.5, math.Sqrt2, math.Sqrt2 / 2, math.MaxFloat64, 0x1p-1022, 0, -1, math.Inf(1), math.Inf(-1), math.NaN()} {
		check(x)
	}
	// Subnormal numbers, where math.Log of amd64 is far off.
	within2(t, "Log", 5e-324, Log(5e-324), -1074*math.Ln2)
	within2(t, "Log", 0x1p-1040, Log(0x1p-1040), -1040*math.Ln2)
}

func TestExpMatchesMath(t *testing.T) {
	check := func(x float64) {
		t.Helper()
		within2(t, "Exp", x, Exp(x), math.Exp(x))
	}
	for _, u := range draws(2, 100_000) {
		x := 2*Unit(u) - 1
		check(x)
		check(700 * x)
		check(x / 1024)
	}
	for _, x := range []float64{0, 1, -1, 709, -708, 710, -746, 1e300, -1e300, math.Inf(1), math.Inf(-1), 5e-324} {
		check(x)
	}
	if x := Exp(math.NaN()); x == x {
		t.Errorf("Exp(NaN) = %v", x)
	}
}

func TestPowMatchesMath(t *testing.T) {
	for _, u := range draws(3, 50_000) {
		x, y := 1000*Unit(u), 8*Unit(u<<30|1)-4
		if got, want := Pow(x, y), math.Pow(x, y); math.Abs(got/want-1) > 1e-14 {
			t.Fatalf("Pow(%v, %v) = %v, math has %v", x, y, got, want)
		}
	}
	for _, c := range []struct{ x, y, want float64 }{
		{0, 2, 0}, {0, -1, math.Inf(1)}, {0, 0, 1}, {1, math.Inf(1), 1}, {2, 10, 1024}, {4, 0.5, 2},
	} {
		if got := Pow(c.x, c.y); math.Abs(got-c.want) > 1e-12*c.want && got != c.want {
			t.Errorf("Pow(%v, %v) = %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

// The quantile is put back into the distribution function of package math; an
// error of z shows there multiplied by the density.
func TestNormQuantileMatchesMath(t *testing.T) {
	for _, u := range draws(4, 100_000) {
		p := Unit(u) / 2
		if u&1 == 0 {
			p = math.Ldexp(p, -int(u>>1%40)) // far tails too
		}
		z := -NormQuantile(p)
		off := math.Abs(math.Erfc(z/math.Sqrt2)/2-p) / (normDensity(z) * z)
		if z < 0.5 { // where erfc loses what p says
			off = math.Abs(z/(math.Sqrt2*math.Erfinv(1-2*p)) - 1)
		}
		if off > 2e-15 {
			t.Fatalf("NormQuantile(%g) = %v is off by %.1e of itself", p, -z, off)
		}
		if x := Unit(u); NormQuantile(1-x) != -NormQuantile(x) {
			t.Fatalf("NormQuantile is not odd at %v", x)
		}
	}
	if NormQuantile(0.5) != 0 || !math.IsInf(NormQuantile(0), -1) || !math.IsInf(NormQuantile(1), 1) {
		t.Error("NormQuantile is wrong at 0, 1/2 or 1")
	}
	for _, x := range []float64{-1, 2, math.NaN()} {
		if z := NormQuantile(x); z == z {
			t.Errorf("NormQuantile(%v) = %v, want NaN", x, z)
		}
	}
}

// Monotone between neighbours of the grid that Unit gives, at random places and
// where two formulas or table cells meet.
func TestMonotone(t *testing.T) {
	const one = 1 << 52
	places := []uint64{0, one / 2, one - 4000}
	for _, x := range []float64{0.075, 0.925, math.Exp(-25)} {
		places = append(places, uint64(x*one)-1000)
	}
	for j := range 256 {
		places = append(places, uint64((float64(j)+0.5)/512*one)-1000, uint64((float64(j)+128.5)/256*one)%one-1000)
	}
	for _, u := range draws(5, 500) {
		places = append(places, u>>12)
	}
	for _, v := range places {
		v = min(v, one-2001)
		l, z := math.Inf(-1), math.Inf(-1)
		for k := range uint64(2000) {
			x := Unit((v + k) << 12)
			if log := Log(x); log < l {
				t.Fatalf("Log falls at %v", x)
			} else {
				l = log
			}
			if q := NormQuantile(x); q < z {
				t.Fatalf("NormQuantile falls at %v", x)
			} else {
				z = q
			}
		}
	}
}

func TestNormCDF(t *testing.T) {
	for x := 0.0; x < 10; x += 0.01 {
		if got, want := normCDF(x), math.Erfc(-x/math.Sqrt2)/2; math.Abs(got-want) > 1e-15 {
			t.Fatalf("normCDF(%v) = %v, want %v", x, got, want)
		}
	}
}
