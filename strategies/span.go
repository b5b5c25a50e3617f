package strategies

import (
	"math"
	"math/bits"
)

// span holds the shortest and the longest wait before one retry.
type span struct{ lo, hi int64 }

// span is the range that the wait before retry k is drawn from, uniformly,
// before anything is done to the draw. The lower end may be negative.
func (c *curve) span(k int64) span {
	if k == 1 && c.start >= 0 {
		return span{c.start, c.start}
	}
	if c.wraps || c.stop {
		switch raw := c.raw(k); {
		case c.wraps && raw == math.MaxInt64:
			return span{}
		case c.stop && raw > c.cap:
			return span{c.cap, c.cap}
		}
	}
	s := c.jittered(c.x(k), k)
	return c.open(s.lo, s.hi)
}

// jittered is the range of the jitter around x.
func (c *curve) jittered(x, k int64) span {
	switch c.jitter {
	case fullJitter:
		return span{0, x}
	case equalJitter:
		return span{x / 2, x}
	case factorJitter:
		return span{nearest(float64(x) * c.lo), nearest(float64(x) * c.hi)}
	case addJitter:
		return span{x, min(x+c.width(k), int64(Longest))}
	case plusMinusJitter:
		return span{x - c.width(k), min(x+c.width(k), int64(Longest))}
	case aboveJitter:
		return span{c.from, max(c.from, x)}
	default:
		return span{x, x}
	}
}

// width is the spread of retry k.
func (c *curve) width(k int64) int64 {
	if c.grows {
		return min(times(c.spread, k), int64(Longest))
	}
	return c.spread
}

// open makes the range from lo to hi wider, and leaves out the end that
// rounding would give no more than one nanosecond of room.
func (c *curve) open(lo, hi int64) span {
	hi = plus(hi, c.widen)
	if lo < hi && c.unit > 1 && c.values == 0 {
		switch c.rounding {
		case roundDown:
			hi--
		case roundUp:
			lo++
		}
	}
	return span{lo, hi}
}

// pick draws from a span.
func (c *curve) pick(s span, u uint64) int64 {
	if c.values == 0 {
		return uniform(s.lo, s.hi, u)
	}
	i, _ := bits.Mul64(u, c.values)
	over, low := bits.Mul64(uint64(s.hi-s.lo), i)
	part, _ := bits.Div64(over, low, c.values-1)
	return s.lo + int64(part)
}

// shape is the wait that a draw from a span becomes, before the library's
// number or timer overflows.
func (c *curve) shape(s span, u uint64) int64 {
	wait := c.pick(s, u)
	if c.half && wait > c.cap {
		wait = uniform(c.cap/2, c.cap, mixed(u))
	}
	return c.finish(wait)
}

// finish keeps a wait within its limits and rounds it.
func (c *curve) finish(wait int64) int64 {
	wait = max(min(wait, c.most), c.least)
	if c.rounding != unrounded {
		wait = min(c.rounded(wait), max(c.most, c.least))
	}
	return min(wait, int64(Longest))
}

func (c *curve) rounded(wait int64) int64 {
	over := wait % c.unit
	switch c.rounding {
	case roundNearest:
		if over >= c.unit-over {
			return wait + (c.unit - over)
		}
	case roundUp:
		if over > 0 {
			return wait + (c.unit - over)
		}
	}
	return wait - over
}

// A timer that counts ms in 32 bits: its longest wait, and what it makes of
// longer ones.
const (
	lastTimer  = (1<<31 - 1) * 1_000_000
	firedEarly = 1_000_000
)

// fired is when the timer fires that is set to a wait.
func (c *curve) fired(wait int64) int64 {
	if c.timer && wait > lastTimer {
		return firedEarly
	}
	return wait
}

// ends are the shortest and the longest wait that a span becomes.
func (c *curve) ends(s span) span {
	lo, hi := s.lo, s.hi
	if c.half && hi > c.cap {
		lo, hi = min(lo, c.cap/2), c.cap
	}
	return span{c.finish(lo), c.finish(hi)}
}

// uniform spreads u over the whole numbers from lo to hi, both included: the
// high word of a product, a division into equal parts without a division.
func uniform(lo, hi int64, u uint64) int64 {
	part, _ := bits.Mul64(u, uint64(hi-lo)+1)
	return lo + int64(part)
}

// mixed makes another uniform number of a uniform one (the last step of splitmix64).
func mixed(u uint64) uint64 {
	u += 0x9e3779b97f4a7c15
	u = (u ^ u>>30) * 0xbf58476d1ce4e5b9
	u = (u ^ u>>27) * 0x94d049bb133111eb
	return u ^ u>>31
}
