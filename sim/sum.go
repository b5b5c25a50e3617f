package sim

import "math/bits"

// Sum is a 128-bit sum: areas under a backlog of a week overflow 64 bits.
type Sum struct{ Hi, Lo uint64 }

// Add adds n * d for n, d >= 0.
func (s *Sum) Add(n, d int64) {
	hi, lo := bits.Mul64(uint64(n), uint64(d))
	var carry uint64
	s.Lo, carry = bits.Add64(s.Lo, lo, 0)
	s.Hi += hi + carry
}

// Merge adds o.
func (s *Sum) Merge(o Sum) {
	var carry uint64
	s.Lo, carry = bits.Add64(s.Lo, o.Lo, 0)
	s.Hi += o.Hi + carry
}

// Sub subtracts o <= s.
func (s *Sum) Sub(o Sum) {
	var borrow uint64
	s.Lo, borrow = bits.Sub64(s.Lo, o.Lo, 0)
	s.Hi -= o.Hi + borrow
}

// Float is the sum as the nearest float, by two exact products.
func (s Sum) Float() float64 {
	return float64(float64(s.Hi)*(1<<64)) + float64(s.Lo)
}
