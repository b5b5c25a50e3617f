package random

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

const ms = time.Millisecond

// examples are distributions of every kind. Those with a fourth moment that is
// finite and not too wild are also tested on their variance.
var examples = []struct {
	name     string
	dist     Dist
	variance bool
}{
	{"constant", Dist{Kind: "constant", Mean: 20 * ms}, true},
	{"uniform", Dist{Kind: "uniform", From: 10 * ms, To: 30 * ms}, true},
	{"uniform-few", Dist{Kind: "uniform", From: 3, To: 5}, true},
	{"exponential", Dist{Kind: "exponential", Mean: 20 * ms}, true},
	{"normal", Dist{Kind: "normal", Mean: 10 * ms, SD: 2 * ms}, true},
	{"normal-cut", Dist{Kind: "normal", Mean: 1 * ms, SD: 2 * ms}, true},
	{"normal-half", Dist{Kind: "normal", SD: 2 * ms}, true},
	{"abs-normal", Dist{Kind: "abs-normal", Mean: 10 * ms, SD: 2 * ms}, true},
	{"abs-normal-half", Dist{Kind: "abs-normal", Mean: 1 * ms, SD: 2 * ms}, true},
	{"lognormal", Dist{Kind: "lognormal", Mean: 20 * ms, CV: 0.5}, true},
	{"lognormal-wide", Dist{Kind: "lognormal", Mean: 20 * ms, CV: 3}, false},
	{"pareto", Dist{Kind: "pareto", Mean: 20 * ms, Shape: 2.5}, false},
	{"pareto-light", Dist{Kind: "pareto", Mean: 20 * ms, Shape: 9}, true},
	{"erlang-1", Dist{Kind: "erlang", Mean: 20 * ms, K: 1}, true},
	{"erlang-2", Dist{Kind: "erlang", Mean: 20 * ms, K: 2}, true},
	{"erlang-20", Dist{Kind: "erlang", Mean: 20 * ms, K: 20}, true},
	{"erlang-1000", Dist{Kind: "erlang", Mean: 20 * ms, K: 1000}, true},
	{"file", Dist{Kind: "file", Values: []time.Duration{3 * ms, 1 * ms, 9 * ms, 3 * ms}}, true},
}

// Mean and variance of 200,000 fixed draws, within 4 standard errors of what
// Dist says. The draws are fixed, so this cannot flake.
func TestMoments(t *testing.T) {
	const n = 200_000
	list := draws(18, n)
	for _, c := range examples {
		s := c.dist.Sampler()
		mean, variance := c.dist.MeanSeconds(), c.dist.Variance()
		var m1, m2, m4 float64
		for _, u := range list {
			d := s.At(u).Seconds() - mean
			m1 += d / n
			m2 += d * d / n
			m4 += d * d * d * d / n
		}
		if z := m1 / math.Sqrt(m2/n); math.Abs(z) > 4 {
			t.Errorf("%s: mean %v off by %v: z = %.1f", c.name, mean, m1, z)
		}
		if z := (m2 - variance) / math.Sqrt((m4-m2*m2)/n); c.variance && math.Abs(z) > 4 {
			t.Errorf("%s: variance %v, want %v: z = %.1f", c.name, m2, variance, z)
		}
	}
}

// The middles of 2^16 equal shares of the draws integrate the quantile function
// with little error where it is bounded, so this is much sharper than sampling.
func TestMomentsByIntegration(t *testing.T) {
	const n = 1 << 16
	for _, c := range examples {
		if !c.variance {
			continue
		}
		s := c.dist.Sampler()
		mean, variance := c.dist.MeanSeconds(), c.dist.Variance()
		var m1, m2 float64
		for i := range uint64(n) {
			d := s.At(i<<48|1<<47).Seconds() - mean
			m1 += d / n
			m2 += d * d / n
		}
		if math.Abs(m1) > 1e-5*mean+0.5e-9 {
			t.Errorf("%s: mean %v off by %v", c.name, mean, m1)
		}
		if math.Abs(m2-variance) > 2e-3*variance+1e-9*mean {
			t.Errorf("%s: variance %v, want %v", c.name, m2, variance)
		}
	}
}

// The integral over z of an analytic function times the normal density: the
// trapezoidal rule converges faster than any power, so what remains is the
// error of the table.
func TestErlangTable(t *testing.T) {
	for _, k := range []int64{2, 3, 5, 10, 50, 300, 1000} {
		c := newErlangCurve(k)
		var m1, m2 float64
		const h = 1.0 / 67 // out of step with the cells
		for i := -8 * 67; i <= 8*67; i++ {
			z := float64(i) * h
			x := c.at(z)
			m1 += x * normDensity(z) * h
			m2 += (x - float64(k)) * (x - float64(k)) * normDensity(z) * h
		}
		if math.Abs(m1/float64(k)-1) > 1e-8 || math.Abs(m2/float64(k)-1) > 1e-7 {
			t.Errorf("k = %d: mean off by %.1e, variance by %.1e", k, m1/float64(k)-1, m2/float64(k)-1)
		}
		for z := -8.2; z < 8.2; z += 0.001 {
			if c.at(z+0.001) <= c.at(z) {
				t.Fatalf("k = %d: the quantile falls at z = %v", k, z)
			}
		}
	}
	// Quantiles of Erlang(2, 1): 1 - e^-x (1 + x) = p.
	c := newErlangCurve(2)
	for _, p := range []float64{1e-9, 1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-9} {
		x := c.at(NormQuantile(p))
		if got := -math.Expm1(-x) - x*math.Exp(-x); p < 0.5 && math.Abs(got/p-1) > 1e-6 || math.Abs(got-p) > 1e-9 {
			t.Errorf("the quantile of %v is %v, where the distribution function is %v", p, x, got)
		}
	}
}

// A larger draw never gives a smaller time: sorted draws, and neighbours.
func TestQuantilesAscend(t *testing.T) {
	list := draws(9, 50_000)
	for _, u := range list[:500] {
		for k := range uint64(50) {
			list = append(list, u&^4095+k<<12)
		}
	}
	list = append(list, 0, math.MaxUint64)
	slices.Sort(list)
	for _, c := range examples {
		if strings.HasPrefix(c.name, "abs-normal") {
			continue
		}
		s := c.dist.Sampler()
		last := time.Duration(0)
		for _, u := range list {
			d := s.At(u)
			if d < last {
				t.Errorf("%s: falls from %d to %d ns at %#x", c.name, last, d, u)
				break
			}
			last = d
		}
	}
}

func TestQuantiles(t *testing.T) {
	const half, tenth = 1 << 63, math.MaxUint64 / 10
	for _, c := range []struct {
		dist Dist
		u    uint64
		want float64 // seconds
	}{
		{Dist{}, half, 0},
		{Dist{Mean: time.Second}, tenth, 1},
		{Dist{Kind: "uniform", To: time.Second}, tenth, 0.1},
		{Dist{Kind: "exponential", Mean: time.Second}, half, math.Ln2},
		{Dist{Kind: "normal", Mean: time.Second, SD: time.Second}, tenth, 0},
		{Dist{Kind: "normal", Mean: 2 * time.Second, SD: time.Second}, tenth, 2 - 1.2815515655446004},
		{Dist{Kind: "abs-normal", Mean: time.Second, SD: time.Second}, tenth, 1.2815515655446004 - 1},
		{Dist{Kind: "lognormal", Mean: time.Second, CV: 1}, half, 1 / math.Sqrt2},
		{Dist{Kind: "pareto", Mean: 3 * time.Second, Shape: 1.5}, half, math.Pow(2, 1/1.5)},
		{Dist{Kind: "file", Values: []time.Duration{2e9, 1e9, 3e9}}, half, 2},
		{Dist{Kind: "file", Values: []time.Duration{2e9, 1e9, 3e9}}, tenth, 1},
	} {
		s := c.dist.Sampler()
		if got := s.At(c.u).Seconds(); math.Abs(got-c.want) > 1.5e-9 {
			t.Errorf("%+v: At(%#x) = %v s, want %v", c.dist, c.u, got, c.want)
		}
	}
}

func TestExtremes(t *testing.T) {
	for _, d := range []Dist{
		{Kind: "exponential", Mean: Max},
		{Kind: "normal", Mean: Max, SD: Max},
		{Kind: "abs-normal", Mean: Max, SD: Max},
		{Kind: "lognormal", Mean: Max, CV: 1000},
		{Kind: "pareto", Mean: Max, Shape: 1.0000001},
		{Kind: "erlang", Mean: Max, K: 2},
		{Kind: "uniform", To: Max},
	} {
		s := d.Sampler()
		for _, u := range []uint64{0, 1, 1 << 63, math.MaxUint64 - 1, math.MaxUint64} {
			if x := s.At(u); x < 0 || x > Max {
				t.Errorf("%s: At(%#x) = %d", d.Kind, u, x)
			}
		}
	}
}

func TestZero(t *testing.T) {
	for _, c := range []struct {
		dist Dist
		want bool
	}{
		{Dist{}, true},
		{Dist{Mean: 1}, false},
		{Dist{Kind: "exponential"}, true},
		{Dist{Kind: "lognormal", CV: 1}, true},
		{Dist{Kind: "pareto", Shape: 2}, true},
		{Dist{Kind: "erlang", K: 2}, true},
		{Dist{Kind: "uniform"}, true},
		{Dist{Kind: "uniform", To: 1}, false},
		{Dist{Kind: "normal"}, true},
		{Dist{Kind: "abs-normal", SD: 1}, false},
		{Dist{Kind: "file", Values: []time.Duration{0, 0}}, true},
		{Dist{Kind: "file", Values: []time.Duration{0, 1}}, false},
	} {
		if got := c.dist.Zero(); got != c.want {
			t.Errorf("%+v: Zero is %v", c.dist, got)
		}
		s := c.dist.Sampler()
		if c.want && (s.At(1) != 0 || s.At(math.MaxUint64) != 0) {
			t.Errorf("%+v draws something", c.dist)
		}
	}
}

// TestGoldenVariates pins the bits: run it on every architecture.
func TestGoldenVariates(t *testing.T) {
	var d digest
	list := draws(10, 20_000)
	for _, u := range list {
		x := Unit(u)
		for _, y := range []float64{Log(x), Exp(float64(40*x) - 20), Pow(x, float64(3*x)), NormQuantile(x), NormQuantile(x * x / 16), log1p(x), normCDF(float64(8 * x))} {
			d.add(math.Float64bits(y))
		}
	}
	if want := digest(0xf20e057893f05334); d != want {
		t.Errorf("functions: got %#x, want %#x", d, want)
	}
	d = 0
	for _, c := range examples {
		s := c.dist.Sampler()
		for _, u := range list {
			d.add(uint64(s.At(u)))
		}
		d.add(math.Float64bits(c.dist.MeanSeconds()))
		d.add(math.Float64bits(c.dist.Variance()))
	}
	if want := digest(0xcf3deda811fcd977); d != want {
		t.Errorf("variates: got %#x, want %#x", d, want)
	}
}

func TestDistValidate(t *testing.T) {
	for _, c := range []struct {
		dist Dist
		want string // fields that are bad
	}{
		{Dist{}, ""},
		{Dist{Kind: "constant", Mean: -1, Shape: -1}, "mean"},
		{Dist{Kind: "exponential", Mean: Max + 1}, "mean"},
		{Dist{Kind: "uniform", From: 2, To: 1, Mean: -1}, "to"},
		{Dist{Kind: "uniform", From: -2, To: -1}, "from to"},
		{Dist{Kind: "normal", Mean: -1, SD: -1}, "mean sd"},
		{Dist{Kind: "lognormal", CV: -1}, "cv"},
		{Dist{Kind: "lognormal", CV: math.NaN()}, "cv"},
		{Dist{Kind: "pareto", Shape: 1}, "shape"},
		{Dist{Kind: "pareto", Shape: math.Inf(1)}, "shape"},
		{Dist{Kind: "pareto", Shape: math.NaN()}, "shape"},
		{Dist{Kind: "erlang", K: 0}, "k"},
		{Dist{Kind: "erlang", K: 1001}, "k"},
		{Dist{Kind: "file"}, "file"},
		{Dist{Kind: "file", File: "a.csv"}, ""},
		{Dist{Kind: "gauss"}, "kind"},
	} {
		var got []string
		c.dist.Validate(func(field, problem string) {
			got = append(got, field)
			if !strings.HasPrefix(problem, "must") {
				t.Errorf("%+v: %s %s", c.dist, field, problem)
			}
		})
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: bad are %v, want %q", c.dist, got, c.want)
		}
	}
	for _, c := range examples {
		c.dist.Validate(func(field, problem string) { t.Errorf("%s: %s %s", c.name, field, problem) })
	}
}

func BenchmarkDist(b *testing.B) {
	for _, c := range examples {
		b.Run(c.name, func(b *testing.B) {
			s, key, sum := c.dist.Sampler(), Root(1), time.Duration(0)
			for i := range uint64(b.N) {
				sum += s.At(key.Draw(Service, i))
			}
			sink = uint64(sum)
		})
	}
}

func BenchmarkErlangTable(b *testing.B) {
	for _, k := range []int64{2, 1000} {
		b.Run(fmt.Sprint(k), func(b *testing.B) {
			for range b.N {
				sink = uint64(newErlangCurve(k)[0].value)
			}
		})
	}
}
