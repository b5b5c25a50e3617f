package random

import "math"

// ln2 in two parts. The upper one ends in zeros, so that its product with an
// exponent is exact.
const (
	ln2Hi = 0x1.62e42fefa3800p-1
	ln2Lo = math.Ln2 - ln2Hi
)

// The logarithm is tabulated at c = j/256 for c around [sqrt(1/2), sqrt(2)], at
// the index j modulo 256.
const (
	logFirst = 181                // the smallest j
	logLast  = 363                // the largest
	logLow   = 0x3fe6a09e667f3bcd // the bits of sqrt(1/2)
	logRound = 3 << 43            // adding it rounds to a multiple of 1/256
)

type logEntry struct{ inv, hi, lo float64 } // 1/c and log c = hi + lo

var logTable = makeLogTable()

// makeLogTable computes log c = 2 atanh(s), s = (c-1)/(c+1), by its series
// 2 (s + s^3/3 + s^5/5 + ...). s is the ratio of two small integers: its upper
// bits and the remainder are exact, so the only sizable rounding error is that
// of the cubic term, far below the last bit of the sum.
func makeLogTable() (t [256]logEntry) {
	for j := logFirst; j <= logLast; j++ {
		p, q := float64(j-256), float64(j+256)
		s := p / q
		hi := math.Float64frombits(math.Float64bits(s) &^ (1<<20 - 1))
		lo := (p - float64(hi*q)) / q
		s2 := float64(s * s)
		tail := 0.0
		for n := 27; n >= 3; n -= 2 {
			tail = float64(s2*tail) + 1/float64(n)
		}
		tail = float64(float64(s*s2) * tail)
		// Cut to multiples of 2^-42, like ln2Hi, so that sums of the two are exact.
		top := float64(math.Floor(float64(2*hi*(1<<42))) / (1 << 42))
		t[j%256] = logEntry{256 / float64(j), top, float64(2*hi) - top + float64(2*(lo+tail))}
	}
	return t
}

// Log is the natural logarithm: x = 2^k m with m in [sqrt(1/2), sqrt(2)), the
// nearest c = j/256, r = (m-c)/c, and
//
//	log x = k log 2 + log c + (r - r^2/2 + ... + r^7/7).
//
// The error is about one unit in the last place, also near 1 (where c = 1 and r
// is exact), so that -Log(Unit(u)) never falls while u does. Negative numbers
// and NaN give NaN, 0 gives -Inf.
func Log(x float64) float64 {
	b := math.Float64bits(x)
	k := 0.0
	if b-1<<52 >= 0x7fe<<52 { // zero, subnormal, negative, infinite or NaN
		switch {
		case x == 0:
			return math.Inf(-1)
		case !(x > 0):
			return math.NaN()
		case x > math.MaxFloat64:
			return x
		}
		b = math.Float64bits(x * (1 << 52))
		k = -52
	}
	shift := int64(b-logLow) >> 52
	k += float64(shift)
	m := math.Float64frombits(b - uint64(shift)<<52)
	rounded := m + logRound
	e := &logTable[uint8(math.Float64bits(rounded))]
	r := float64((m - (rounded - logRound)) * e.inv)
	r2 := float64(r * r)
	// The series from r^3 on, its terms in pairs.
	p := float64(r2*(1.0/7)) + (0.2 - float64(r*(1.0/6)))
	p = float64(p*r2) + ((1.0 / 3) - float64(r*0.25))
	small := float64(float64(r*r2)*p) - float64(0.5*r2)
	return (float64(k*ln2Hi) + e.hi) + (r + (small + (float64(k*ln2Lo) + e.lo)))
}

// log1p is log(1 + x) for x >= 0 with full relative accuracy: the rounding
// error of 1 + x is divided out (Goldberg, "What every computer scientist
// should know about floating-point arithmetic", theorem 4).
func log1p(x float64) float64 {
	y := 1 + x
	if y == 1 {
		return x
	}
	return Log(y) * x / (y - 1)
}
