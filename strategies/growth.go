package strategies

import (
	"math"
	"math/bits"
)

// x is the wait before retry k before its jitter.
func (c *curve) x(k int64) int64 {
	raw := c.raw(k)
	if c.free && k == 1 {
		return min(raw, int64(Longest))
	}
	return min(raw, c.limit)
}

// raw is x without its cap; it saturates at 2^63-1.
func (c *curve) raw(k int64) int64 {
	n := plus(max(min(k, c.stay)-1-c.repeats, 0), c.first)
	switch c.growth {
	case power:
		if c.step > 0 {
			return c.stepped(n)
		}
		return grow(c.base, c.factor, n)
	case powerMinusOne:
		if c.base == 0 || n == 0 || c.factor == 1 {
			return 0
		}
		return nanoseconds(float64(c.base) * (raise(c.factor, n) - 1))
	case polynomial:
		return plus(c.offset, times(c.base, raiseWhole(n, c.degree)))
	case fibonacci:
		return times(c.base, fibonacciOf(n))
	default:
		return c.base
	}
}

// lastBelow is the last retry whose x, without its cap, is below the limit; 0
// if there is none, and the largest number there is if x never gets there.
func (c *curve) lastBelow(limit int64) int64 {
	below, above := int64(0), int64(math.MaxInt64)
	if c.raw(above) < limit {
		return above
	}
	for above-below > 1 {
		if k := below + (above-below)/2; c.raw(k) < limit {
			below = k
		} else {
			above = k
		}
	}
	return below
}

// stepsKept is how many steps round_steps rounds one by one. After that x is
// long, and what rounding takes from it is little.
const stepsKept = 256

// stepped is base * factor^n, rounded down at every step. The steps are taken
// in the library's own units, so that the products round as they do there.
func (c *curve) stepped(n int64) int64 {
	if n == 0 {
		return c.base
	}
	x := c.base / c.step
	for range min(n, stepsKept) {
		product := float64(x) * c.factor
		if product >= 1<<63 {
			return math.MaxInt64
		}
		next := max(int64(product), x) // a long number may lose more than it grows
		if next == x {
			return times(x, c.step) // for ever
		}
		x = next
	}
	x = times(x, c.step)
	if n > stepsKept {
		x = grow(x, c.factor, n-stepsKept)
		x -= x % c.step
	}
	return x
}

// grow is base * factor^n, to the nearest nanosecond. It is exact while the
// product has at most 53 significant bits, as for factor 2 and a base below 104
// days.
func grow(base int64, factor float64, n int64) int64 {
	if base == 0 || n == 0 || factor == 1 {
		return base // 0 * infinity is not a number, and a long base not a float
	}
	return nanoseconds(float64(base) * raise(factor, n))
}

// raise is factor^n by repeated squaring: at most 126 products, infinite when
// it overflows. Products alone round alike everywhere; math.Pow does not.
func raise(factor float64, n int64) float64 {
	p := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			p *= factor
		}
		factor *= factor
	}
	return p
}

// raiseWhole is x^n by repeated squaring; it saturates.
func raiseWhole(x, n int64) int64 {
	p := int64(1)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			p = times(p, x)
		}
		x = times(x, x)
	}
	return p
}

// fibonacciOf is 1, 2, 3, 5, 8, ... for n = 0, 1, 2, ...; it saturates.
func fibonacciOf(n int64) int64 {
	a, b := int64(1), int64(2)
	for ; n > 0 && a < math.MaxInt64; n-- {
		a, b = b, plus(a, b)
	}
	return a
}

// plus is a + b, neither of them negative; it saturates.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// times is a * b, neither of them negative; it saturates.
func times(a, b int64) int64 {
	over, low := bits.Mul64(uint64(a), uint64(b))
	if over > 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(low)
}

// scale is a * f to the nearest nanosecond, exactly when f is whole; it saturates.
func scale(a int64, f float64) int64 {
	if f < 1<<53 && f == math.Trunc(f) {
		return times(a, int64(f))
	}
	if a == 0 {
		return 0 // f may be infinite
	}
	return nanoseconds(float64(a) * f)
}

// nanoseconds is x to the nearest whole number; it saturates.
func nanoseconds(x float64) int64 {
	if x >= 1<<63 {
		return math.MaxInt64
	}
	return int64(math.Round(x))
}

// nearest is x to the nearest nanosecond, at most Longest.
func nearest(x float64) int64 { return min(nanoseconds(x), int64(Longest)) }
