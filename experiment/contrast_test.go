package experiment

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// pointOf is a point with these columns as its runs.
func pointOf(variant string, metrics []Metric, columns ...[]float64) *Point {
	p := &Point{Variant: variant, Runs: make([]Run, len(columns[0]))}
	for m, values := range columns {
		for r, v := range values {
			p.Runs[r].Values = append(p.Runs[r].Values, v)
		}
		d := definition{Metric: metrics[m]}
		p.Estimates = append(p.Estimates, estimate(&d.Metric, values))
	}
	return p
}

// plus adds a constant and a little that goes up and down.
func plus(values []float64, shift, noise float64) []float64 {
	out := slices.Clone(values)
	for i := range out {
		out[i] += shift + noise*float64(i%2*2-1)
	}
	return out
}

func TestContrasts(t *testing.T) {
	metrics := []Metric{{Name: "calls"}, {Name: "p99", Infinite: true}, {Name: "stuck", Share: true}}
	calls := []float64{100, 110, 90, 105, 95, 100, 110, 90, 105, 95}
	p99 := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, inf}
	reference := pointOf("reference", metrics, calls, p99, ones(0, 10))
	others := []*Point{
		pointOf("equal", metrics, calls, p99, ones(0, 10)),
		pointOf("more calls", metrics, plus(calls, 20, 1), plus(p99, 1, 0), ones(10, 10)),
		pointOf("less calls", metrics, plus(calls, -20, 1), plus(p99, -1, 0), ones(5, 10)),
		pointOf("noise", metrics, plus(calls, 0.1, 1), plus(p99, 0, 0.5), ones(1, 10)),
		// The first 8 replications only, of which two are not available.
		pointOf("fewer runs", metrics, append([]float64{nan, nan}, plus(calls, 50, 1)[2:8]...), p99[:8], ones(0, 8)),
	}
	got := Contrasts(&Result{Metrics: metrics}, reference, others)
	for i, want := range [][3]int{{0, 0, 0}, {1, 1, 1}, {-1, -1, 0}, {0, 0, 0}, {1, 0, 0}} {
		for m, direction := range want {
			if c := got[i][m]; c.Direction != direction || c.Sign != (m > 0) {
				t.Errorf("%s, %s: %+v, want direction %d", others[i].Variant, metrics[m].Name, c, direction)
			}
		}
	}
	for m := range metrics {
		if c := got[0][m]; c.P != 1 || c.Adjusted != 1 || c.Equal != 10 {
			t.Errorf("equal in every pair, %s: %+v", metrics[m].Name, c)
		}
	}
	if c := got[4][0]; c.Pairs != 6 {
		t.Errorf("%d pairs, want those that both have", c.Pairs)
	}
	// p99: 9 finite pairs are different and one is equal: 2 x 2^-9, the least but
	// for its equal, of five.
	if c := got[1][1]; c.P != 2./512 || c.Adjusted != 5*2./512 {
		t.Errorf("p %v, adjusted %v", c.P, c.Adjusted)
	}
	if c := got[1][0]; !near(c.Ratio, 1.2, 1e-12) || !(1.15 < c.RatioLo && c.RatioLo < 1.2 && 1.2 < c.RatioHi && c.RatioHi < 1.25) {
		t.Errorf("ratio %v, %v to %v", c.Ratio, c.RatioLo, c.RatioHi)
	}
	for m, what := range []string{1: "infinite values", 2: "shares"} {
		if c := got[1][m]; m > 0 && (!same(c.RatioLo, nan) || !same(c.RatioHi, nan)) {
			t.Errorf("%s have no interval: %+v", what, c)
		}
	}
}

// One run of each says nothing, and neither do no others.
func TestContrastsOfLittle(t *testing.T) {
	metrics := []Metric{{Name: "calls"}}
	a, b := pointOf("a", metrics, []float64{1}), pointOf("b", metrics, []float64{2})
	got := Contrasts(&Result{Metrics: metrics}, a, []*Point{b})
	if c := got[0][0]; c.Direction != 0 || !same(c.Adjusted, nan) || c.Difference.Centre != 1 {
		t.Errorf("%+v", c)
	}
	if got := Contrasts(&Result{Metrics: metrics}, a, nil); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// Among five variants that are all like the reference, one or more are called
// different in at most 5 % of the experiments: 1000 show up to 7.1 % (three
// standard errors). Each comparison by itself has 5 %, so without Holm it would
// be some 17 %.
func TestContrastsKeepTheirLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	metrics := []Metric{{Name: "calls"}}
	const trials = 1000
	found := 0
	for range trials {
		luck := make([]float64, 10)
		for i := range luck {
			luck[i] = r.NormFloat64()
		}
		draw := func(name string) *Point {
			v := slices.Clone(luck)
			for i := range v {
				v[i] += r.NormFloat64()
			}
			return pointOf(name, metrics, v)
		}
		reference := draw("reference")
		others := []*Point{draw("a"), draw("b"), draw("c"), draw("d"), draw("e")}
		for _, c := range Contrasts(&Result{Metrics: metrics}, reference, others) {
			if c[0].Direction != 0 {
				found++
				break
			}
		}
	}
	if share := float64(found) / trials; share > 0.071 || share < 0.02 {
		t.Errorf("found one in %.3f of the experiments", share)
	}
}
