package strategies

import (
	"math"

	"retrystorm/sim/random"
)

// The waits of polly are differences of one function,
//
//	F(t) = 2^t tanh(sqrt(4t)), F(0) = 0,
//
// at t = k-1+U, times base/1.4. What a request remembers is the last t, as a
// fixed-point number with 32 binary digits after the point, plus 1. An exact
// first wait leaves t = 0 behind.
const (
	pollyDigits = 32
	pollyScale  = 1.4
	// pollyEnd is the retry from which the wait is the longest there is. The
	// function overflows soon after.
	pollyEnd = 1000
)

// polly is the next wait, and the memory.
func (c *curve) polly(memory, u uint64) (int64, uint64) {
	n, before := uint64(0), 0.0
	switch {
	case memory > 0:
		t := memory - 1
		n, before = t>>pollyDigits+1, pollyF(min(t, pollyEnd<<pollyDigits))
	case c.start >= 0:
		return c.start, 1
	}
	n = min(n, pollyEnd)
	t := n<<pollyDigits | u>>(64-pollyDigits)
	if n == pollyEnd {
		return c.difference(math.MaxFloat64), t + 1
	}
	return c.difference(pollyF(t) - before), t + 1
}

// difference is the wait that a difference of F means.
func (c *curve) difference(d float64) int64 {
	return c.finish(nearest(float64(max(d, 0)*float64(c.base)) / pollyScale))
}

// pollyF is F of a fixed-point number.
func pollyF(t uint64) float64 {
	const point = 1 << pollyDigits
	whole, rest := t>>pollyDigits, float64(t%point)/point
	e := random.Exp(-4 * math.Sqrt(float64(t)/point)) // tanh y = (1 - e^-2y) / (1 + e^-2y)
	return math.Ldexp(random.Exp(float64(rest*math.Ln2)), int(whole)) * (1 - e) / (1 + e)
}

// pollyEnds is the range of the wait before retry k.
func (c *curve) pollyEnds(k int64) span {
	n := uint64(max(k, 1) - 1)
	at := func(n uint64) float64 { return pollyF(n << pollyDigits) }
	switch {
	case n >= pollyEnd:
		longest := c.difference(math.MaxFloat64)
		return span{longest, longest}
	case n == 0 && c.start >= 0:
		return span{c.start, c.start}
	case n == 0:
		return span{c.difference(0), c.difference(at(1))}
	case n == 1 && c.start >= 0:
		return span{c.difference(at(1)), c.difference(at(2))}
	default:
		return span{c.difference(0), c.difference(at(n+1) - at(n-1))}
	}
}
