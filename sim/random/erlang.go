package random

import "math"

// erlangCurve is the quantile function of Erlang(k, 1), tabulated over the
// normal quantile z of the draw. The cube root of the quantile is nearly a
// straight line in z (Wilson and Hilferty 1931), so that a cubic per cell
// follows it to 1e-9.
type erlangCurve [erlangCells + 1]struct{ value, slope float64 } // slope per cell

const (
	erlangLast  = 8.25 // beyond every NormQuantile(Unit(u))
	erlangWidth = 1.0 / 32
	erlangCells = int(2 * erlangLast / erlangWidth)
)

// at is the quantile for z: cubic Hermite interpolation, cubed.
func (c *erlangCurve) at(z float64) float64 {
	x := float64((z + erlangLast) * (1 / erlangWidth))
	i := min(max(int(x), 0), erlangCells-1)
	t := x - float64(i)
	l, r := &c[i], &c[i+1]
	rise := r.value - l.value
	w := l.slope - rise
	bend := float64(w*(1-t)) + float64((rise-r.slope)*t)
	w = l.value + float64(rise*t) + float64(float64(t*(1-t))*bend)
	return float64(w * w * w)
}

// newErlangCurve solves z(x) = z for each z of the table, by Newton's method on
// the cube root of x and from the middle outwards, so that a neighbour and its
// slope give a good start.
func newErlangCurve(k int64) *erlangCurve {
	c := new(erlangCurve)
	g := newGamma(k)
	const middle = erlangCells / 2
	start := Pow(float64(k), 1.0/3)
	for i := middle; i <= erlangCells; i++ {
		start = c.solve(g, i, start)
	}
	start = c[middle].value - c[middle].slope
	for i := middle - 1; i >= 0; i-- {
		c.solve(g, i, start)
		start = c[i].value - c[i].slope
	}
	return c
}

// solve fills entry i and returns a guess for entry i+1.
func (c *erlangCurve) solve(g gamma, i int, w float64) float64 {
	want := float64(float64(i)*erlangWidth) - erlangLast
	slope := 0.0
	for range 60 {
		x := float64(w * w * w)
		z, dz := g.normal(x) // dz = dz/dx
		slope = 1 / (dz * 3 * w * w)
		next := w + float64((want-z)*slope)
		if next <= 0 {
			next = w / 2
		}
		if math.Abs(next-w) <= 1e-14*w {
			break
		}
		w = next
	}
	c[i].value, c[i].slope = w, float64(slope*erlangWidth)
	return w + c[i].slope
}

// gamma is the Erlang(k, 1) distribution.
type gamma struct{ k, logFactorial float64 } // log (k-1)!

func newGamma(k int64) gamma {
	g := gamma{k: float64(k)}
	for i := int64(2); i < k; i++ {
		g.logFactorial += Log(float64(i))
	}
	return g
}

// normal is the normal quantile z of the distribution function at x, and dz/dx
// = density(x) / normal density(z). The smaller tail is the one computed, so
// that neither loses its relative accuracy:
//
//	P(X > x)  = f(x) (1 + (k-1)/x + (k-1)(k-2)/x^2 + ...)
//	P(X <= x) = f(x) (x/k) (1 + x/(k+1) + x^2/((k+1)(k+2)) + ...)
//
// with the density f(x) = x^(k-1) e^-x / (k-1)!.
func (g gamma) normal(x float64) (z, slope float64) {
	f := Exp(float64((g.k-1)*Log(x)) - x - g.logFactorial)
	sum := 0.0
	if x >= g.k {
		for term, i := 1.0, g.k-1; term > sum*0x1p-54; i-- {
			sum += term
			term = float64(term*i) / x
		}
		z = -NormQuantile(float64(f * sum))
	} else {
		for term, i := x/g.k, g.k+1; term > sum*0x1p-54; i++ {
			sum += term
			term = float64(term*x) / i
		}
		z = NormQuantile(float64(f * sum))
	}
	return z, f / normDensity(z)
}
