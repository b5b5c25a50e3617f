package random

import "math"

// The exponential is tabulated at 2^(i/128), i = 0..127.
const (
	expCells = 128
	perCell  = expCells / math.Ln2        // cells per unit
	cellHi   = 0x1.62e42fefp-1 / expCells // log 2 / 128 in 33 bits: products with whole numbers up to 2^20 are exact
	cellLo   = math.Ln2/expCells - cellHi // and the rest
	magic    = 3 << 51                    // adding it rounds to an integer
	expMax   = 709.7827128933841          // above it Exp is infinite
	expMin   = -745.1332191019412         // below it Exp is zero
)

type expEntry struct{ hi, lo float64 } // 2^(i/128) = hi + lo

var expTable = makeExpTable()

// makeExpTable sums the Taylor series of exp(y), y = i/128 log 2, and keeps
// what its rounding leaves over.
func makeExpTable() (t [expCells]expEntry) {
	for i := range expCells {
		half := 1.0
		n := float64(i)
		if i > expCells/2 { // exp(y) = 2 exp(y - log 2) halves the series
			half, n = 2, n-expCells
		}
		hi, lo := float64(n*cellHi), float64(n*cellLo)
		y := hi + lo
		tail := 0.0
		for d := 20.0; d >= 3; d-- {
			tail = float64((1 + tail) * (y / d))
		}
		tail = float64((1 + tail) * float64(y*y) / 2)
		rest := lo + tail
		sum := 1 + (hi + rest)
		t[i] = expEntry{sum * half, (((1 - sum) + hi) + rest) * half}
	}
	return t
}

// Exp is e^x: x = (128 k + i) (log 2)/128 + r with |r| <= (log 2)/256, and
//
//	exp x = 2^k 2^(i/128) (1 + r + r^2/2 + ... + r^5/120).
//
// The error is below one unit in the last place.
func Exp(x float64) float64 {
	if !(x > -700 && x < 700) {
		switch {
		case x > expMax:
			return math.Inf(1)
		case x < expMin:
			return 0
		case x != x:
			return x
		}
	}
	n := (float64(x*perCell) + magic) - magic
	r := (x - float64(n*cellHi)) - float64(n*cellLo)
	cell := int64(n)
	e := &expTable[cell&(expCells-1)]
	r2 := float64(r * r)
	p := float64(r2*((1.0/24)+float64(r*(1.0/120)))) + (0.5 + float64(r*(1.0/6)))
	p = r + float64(r2*p)
	y := e.hi + (e.lo + float64(e.hi*p))
	k := cell >> 7
	if k < -1000 || k > 1000 {
		return math.Ldexp(y, int(k)) // bits only: portable
	}
	return y * math.Float64frombits(uint64(1023+k)<<52)
}

// Pow is x^y for x >= 0, as Exp(y Log(x)): the relative error grows with the
// exponent of the result, up to 2^-43 at the ends of the range.
func Pow(x, y float64) float64 {
	if y == 0 || x == 1 {
		return 1
	}
	return Exp(float64(y * Log(x)))
}
