package strategies

import (
	"math"
	"math/bits"
	"time"
)

// Longest is the longest wait there is, about 73 years. Waits stop growing
// there; it lies beyond the end of any run, and three of them do not overflow.
const Longest time.Duration = 1 << 61

// kind is Backoff.Kind in one byte.
type kind uint8

const (
	none kind = iota
	fixed
	linear
	exponential
	fullJitter
	equalJitter
	decorrelatedJitter
	proportionalJitter
	additiveJitter
)

// kindOf is none for the empty string, so that the zero Backoff retries at once.
func kindOf(name string) (k kind, ok bool) {
	for i, entry := range (Backoff{}).Kinds() {
		if entry[0] == name {
			return kind(i), true
		}
	}
	return none, name == ""
}

// curve is a Backoff in numbers that cannot overflow: durations are whole
// nanoseconds up to Longest, and a cap that is not there is Longest.
type curve struct {
	kind   kind
	base   int64
	cap    int64
	factor float64
	first  int64 // first_exponent
	lo, hi float64
	spread int64
}

func (b Backoff) curve() curve {
	k, _ := kindOf(b.Kind)
	c := curve{
		kind:   k,
		base:   int64(min(b.Base, Longest)),
		cap:    int64(min(b.Cap, Longest)),
		factor: b.Factor,
		first:  b.FirstExponent,
		lo:     b.Lo,
		hi:     b.Hi,
		spread: int64(min(b.Spread, Longest)),
	}
	if c.cap == 0 {
		c.cap = int64(Longest)
	}
	return c
}

// span holds the shortest and the longest wait before one retry.
type span struct{ lo, hi int64 }

// span is the range of the wait before retry k, over which every kind is
// uniform except decorrelated-jitter, whose range this is over all its paths.
func (c *curve) span(k int64) span {
	switch c.kind {
	case none:
		return span{}
	case fixed:
		return span{c.base, c.base}
	case linear:
		x := c.linear(k)
		return span{x, x}
	case exponential:
		x := c.exponential(k)
		return span{x, x}
	case fullJitter:
		return span{0, c.exponential(k)}
	case equalJitter:
		x := c.exponential(k)
		return span{x / 2, x}
	case decorrelatedJitter:
		return span{c.base, grow(c.base, 3, k, c.cap)}
	case proportionalJitter:
		x := c.exponential(k)
		return span{nearest(float64(x) * c.lo), nearest(float64(x) * c.hi)}
	case additiveJitter:
		x := c.exponential(k)
		return span{x, min(x+c.spread, int64(Longest))}
	default:
		panic("strategies: unknown kind of backoff")
	}
}

// linear is min(cap, base * (k+first_exponent)).
func (c *curve) linear(k int64) int64 {
	over, x := bits.Mul64(uint64(c.base), uint64(k)+uint64(c.first)) // two int64 fit a uint64
	if over > 0 || x > uint64(c.cap) {
		return c.cap
	}
	return int64(x)
}

// exponential is x = min(cap, base * factor^(k-1+first_exponent)).
func (c *curve) exponential(k int64) int64 {
	n := k - 1
	if n > math.MaxInt64-c.first {
		n = math.MaxInt64
	} else {
		n += c.first
	}
	return grow(c.base, c.factor, n, c.cap)
}

// grow is min(limit, base * factor^n), to the nearest nanosecond. It is exact
// while the product has at most 53 significant bits, as for factor 2 and a base
// below 104 days.
func grow(base int64, factor float64, n, limit int64) int64 {
	if base == 0 || n == 0 || factor == 1 {
		return base // 0 * infinity is not a number, and a long base not a float
	}
	return min(nearest(float64(base)*power(factor, n)), limit)
}

// power is factor^n by repeated squaring: at most 126 products, infinite when
// it overflows. Products alone round alike everywhere; math.Pow does not.
func power(factor float64, n int64) float64 {
	p := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			p *= factor
		}
		factor *= factor
	}
	return p
}

// nearest is x to the nearest nanosecond, at most Longest.
func nearest(x float64) int64 {
	if x >= float64(Longest) {
		return int64(Longest)
	}
	return int64(math.Round(x))
}
