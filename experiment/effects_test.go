package experiment

import (
	"math"
	"testing"
)

// morris is a design of k axes at levels 0, 1/3, 2/3 and 1 with every start and
// every order of the axes, so that effects come out as their exact means over
// the grid. It is more than anybody would run.
func morris(k int) (trajectories [][]int, unit [][]float64) {
	orders := [][]int{{}}
	for a := range k {
		var longer [][]int
		for _, o := range orders {
			for at := range len(o) + 1 {
				longer = append(longer, append(append(append([]int{}, o[:at]...), a), o[at:]...))
			}
		}
		orders = longer
	}
	starts := 1
	for range k {
		starts *= 4
	}
	for s := range starts {
		for _, order := range orders {
			place := make([]int, k)
			for a, rest := 0, s; a < k; a, rest = a+1, rest/4 {
				place[a] = rest % 4
			}
			add := func() int {
				row := make([]float64, k)
				for a, level := range place {
					row[a] = float64(level) / 3
				}
				unit = append(unit, row)
				return len(unit) - 1
			}
			rows := []int{add()}
			for _, a := range order {
				place[a] = (place[a] + 2) % 4 // by 2/3, up or down
				rows = append(rows, add())
			}
			trajectories = append(trajectories, rows)
		}
	}
	return trajectories, unit
}

// designed is a result of one metric for each function, a variant each.
func designed(axes []string, unit [][]float64, functions ...func(x []float64) float64) *Result {
	r := &Result{Axes: axes, Metrics: []Metric{{Name: "y"}}}
	for i, f := range functions {
		for _, x := range unit {
			r.Points = append(r.Points, Point{Variant: string(rune('A' + i)), Estimates: []Estimate{{Centre: f(x)}}})
		}
	}
	return r
}

func TestEffectsOfALine(t *testing.T) {
	trajectories, unit := morris(3)
	r := designed([]string{"a", "b", "c"}, unit,
		func(x []float64) float64 { return 5 + 3*x[0] - 2*x[1] },
		func(x []float64) float64 { return x[0] * x[1] }, // effect of a: b, of mean 1/2
	)
	got := Effects(r, trajectories, unit)
	n := len(trajectories)
	sd := math.Sqrt(5. / 36 * float64(n) / float64(n-1)) // of 0, 1/3, 2/3, 1
	half := 1.96 * sd / math.Sqrt(float64(n))
	want := []Effect{
		{"A", "y", "a", 3, 3, 3, 3, 0, n},
		{"A", "y", "b", 2, 2, 2, -2, 0, n},
		{"A", "y", "c", 0, 0, 0, 0, 0, n},
		{"B", "y", "a", 0.5, 0.5 - half, 0.5 + half, 0.5, sd, n},
		{"B", "y", "b", 0.5, 0.5 - half, 0.5 + half, 0.5, sd, n},
		{"B", "y", "c", 0, 0, 0, 0, 0, n},
	}
	if len(got) != len(want) {
		t.Fatalf("%d effects, want %d", len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		close := func(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }
		if g.Variant != w.Variant || g.Metric != w.Metric || g.Axis != w.Axis || g.Trajectories != w.Trajectories ||
			!close(g.MuStar, w.MuStar, 1e-12) || !close(g.Mu, w.Mu, 1e-12) || !close(g.Sigma, w.Sigma, 1e-12) ||
			!close(g.Lo, w.Lo, 1e-3) || !close(g.Hi, w.Hi, 1e-3) {
			t.Errorf("%+v, want %+v", g, w)
		}
	}
}

// Ishigami and Homma's function, sin x1 + 7 sin^2 x2 + 0.1 x3^4 sin x1 on
// [-pi, pi]^3. At -pi, -pi/3, pi/3 and pi the sine is 0, -s, s and 0 with s^2 =
// 3/4, and the mean of x^4 is pi^4 (1 + 1/81)/2. One step of 2/3 changes sin x1 by
// s, sin^2 x2 by 3/4, and x3^4 by 80/81 pi^4 while |sin x1| is s/2 on average. The
// mean sizes of 3/2 of these are 7.704, 7.875 and 6.249: SALib's tests have 7.70,
// 7.875 and 6.29 from a sample, to within 10 %.
func TestEffectsOfIshigami(t *testing.T) {
	trajectories, unit := morris(3)
	r := designed([]string{"x1", "x2", "x3"}, unit, func(x []float64) float64 {
		at := func(i int) float64 { return math.Pi * (2*x[i] - 1) }
		return math.Sin(at(0)) + 7*math.Pow(math.Sin(at(1)), 2) + 0.1*math.Pow(at(2), 4)*math.Sin(at(0))
	})
	s, pi4 := math.Sqrt(0.75), math.Pow(math.Pi, 4)
	want := []float64{
		1.5 * s * (1 + 0.1*pi4*(1+1./81)/2),
		1.5 * 7 * 0.75,
		1.5 * 0.1 * pi4 * 80 / 81 * s / 2,
	}
	for i, e := range Effects(r, trajectories, unit) {
		if !near(e.MuStar, want[i], 1e-12) || math.Abs(e.Mu) > e.MuStar {
			t.Errorf("%s: %v, want %v", e.Axis, e.MuStar, want[i])
		}
	}
}

// Sobol's g function, the product of (|4 x_i - 2| + a_i)/(1 + a_i). The absolute
// value is 2 at the ends and 2/3 between, and 4/3 on average; one step of 2/3
// changes it by 4/3. So the effects are exact, and fall as a_i grows.
func TestEffectsOfSobolsG(t *testing.T) {
	a := []float64{0, 1, 4.5, 9}
	trajectories, unit := morris(4)
	factor := func(i int, v float64) float64 { return (v + a[i]) / (1 + a[i]) }
	r := designed([]string{"0", "1", "4.5", "9"}, unit, func(x []float64) float64 {
		y := 1.0
		for i := range a {
			y *= factor(i, math.Abs(4*x[i]-2))
		}
		return y
	})
	last := math.Inf(1)
	for i, e := range Effects(r, trajectories, unit) {
		want := 2 / (1 + a[i])
		for j := range a {
			if j != i {
				want *= factor(j, 4./3)
			}
		}
		if !near(e.MuStar, want, 1e-12) || e.Hi >= last {
			t.Errorf("a = %s: %+v, want %v", e.Axis, e, want)
		}
		last = e.Lo
	}
}

func TestEffectsLeaveOutWhatIsNotFinite(t *testing.T) {
	trajectories := [][]int{{0, 1, 2}, {3, 4, 5}}
	unit := [][]float64{{0, 0}, {0.5, 0}, {0.5, 0.5}, {1, 1}, {1, 0.5}, {0.5, 0.5}}
	values := []float64{1, 3, inf, inf, nan, 8}
	r := &Result{Axes: []string{"a", "b"}, Metrics: []Metric{{Name: "y"}}}
	for _, v := range values {
		r.Points = append(r.Points, Point{Variant: "A", Estimates: []Estimate{{Centre: v}}})
	}
	got := Effects(r, trajectories, unit)
	if a := got[0]; a.MuStar != 4 || a.Mu != 4 || !same(a.Hi, nan) || !same(a.Sigma, nan) || a.Trajectories != 1 {
		t.Errorf("%+v", a)
	}
	if b := got[1]; !same(b.MuStar, nan) || !same(b.Lo, nan) || b.Trajectories != 0 {
		t.Errorf("%+v", b)
	}
	if e := Effects(&Result{}, nil, nil); e != nil {
		t.Errorf("no points: %v", e)
	}
}
