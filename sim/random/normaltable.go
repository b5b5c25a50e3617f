package random

import (
	"math"
	"math/bits"
)

const (
	normalOctaves  = 12
	normalSegments = 64 // per octave
)

// cubic is a polynomial in t on [0, 1).
type cubic struct{ c0, c1, c2, c3 float64 }

// normalTable holds the upper quantile of the normal distribution for tails in
// [2^-14, 1/2), as cubics that meet it in value and slope at both ends. A
// segment is a 64th of an octave of the tail, so that relative steps are the
// same everywhere; the error is below 1e-9.
var normalTable = newNormalTable()

func newNormalTable() *[normalOctaves * normalSegments]cubic {
	var t [normalOctaves * normalSegments]cubic
	start := 0.25 // of the octave
	for o := range normalOctaves {
		width := float64(start / normalSegments)
		for s := range normalSegments {
			from := start + float64(width*float64(s))
			y0, y1 := -NormQuantile(from), -NormQuantile(from+width)
			m0, m1 := -width/normDensity(y0), -width/normDensity(y1)
			rise := y1 - y0
			t[o*normalSegments+s] = cubic{y0, m0, float64(3*rise) - float64(2*m0) - m1, m0 + m1 - float64(2*rise)}
		}
		start /= 2
	}
	return &t
}

// standardNormal is the standard normal variate of the draw u: NormQuantile of
// Unit(u) to nine digits, from a table. It rises with u, and is odd: ^u gives
// the same number with the other sign.
func standardNormal(u uint64) float64 {
	// No branch depends on the sign: it would be mispredicted every other time.
	upper := u >> 63
	tail := u ^ -upper // in units of 2^-64
	zeros := bits.LeadingZeros64(tail)
	if zeros > normalOctaves {
		return NormQuantile(Unit(u))
	}
	rest := tail << (zeros + 1) // what follows the leading one
	c := &normalTable[(zeros-1)*normalSegments+int(rest>>58)]
	t := float64(int64(rest<<6>>11)) * (1.0 / (1 << 53))
	z := (c.c0 + float64(c.c1*t)) + float64((c.c2+float64(c.c3*t))*float64(t*t))
	return math.Float64frombits(math.Float64bits(z) ^ (upper^1)<<63)
}
