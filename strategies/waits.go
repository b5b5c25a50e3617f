package strategies

import (
	"math"
	"math/bits"
	"time"
)

// Waits is a Backoff compiled: the waits before retry 1, 2, ... It is a plain
// value without pointers, read only once made, and 1 KiB large: pass a pointer.
type Waits struct {
	curve curve
	// flat: the last row of the table holds for every later retry too.
	flat  bool
	table [tabled]span
}

// tabled is how many retries are looked up. A wait that doubles reaches its
// cap, or Longest, within them.
const tabled = 64

// Compile makes the waits of a valid Backoff. It panics when Validate would
// find something to say.
func (b Backoff) Compile() Waits {
	b.Validate(invalid)
	w := Waits{curve: b.curve()}
	for i := range w.table {
		w.table[i] = w.curve.span(int64(i) + 1)
	}
	w.flat = w.table[tabled-1] == w.curve.span(math.MaxInt64)
	return w
}

func invalid(field, problem string) {
	panic("strategies: " + field + " " + problem)
}

// Next is the wait before a retry, 1 for the first. prev is the wait before
// the retry before (0 if there was none); only decorrelated-jitter asks for it.
// u is a uniform draw of 64 bits; the wait never falls when u grows.
func (w *Waits) Next(retry int64, prev time.Duration, u uint64) time.Duration {
	s := w.span(retry)
	if w.curve.kind == decorrelatedJitter {
		return w.decorrelated(prev, u)
	}
	return time.Duration(uniform(s.lo, s.hi, u))
}

// Min is the shortest wait possible before a retry.
func (w *Waits) Min(retry int64) time.Duration { return time.Duration(w.span(retry).lo) }

// Max is the longest wait possible before a retry.
func (w *Waits) Max(retry int64) time.Duration { return time.Duration(w.span(retry).hi) }

// Mean is the expected wait before a retry, over all that happened before. It
// is exact to the nanosecond, and for decorrelated-jitter, once the cap is
// within reach, to a relative 1e-9.
func (w *Waits) Mean(retry int64) time.Duration {
	if w.curve.kind == decorrelatedJitter {
		return w.curve.decorrelatedMean(max(retry, 1))
	}
	s := w.span(retry)
	return time.Duration(s.lo + (s.hi-s.lo)/2)
}

func (w *Waits) span(retry int64) span {
	switch i := uint64(max(retry, 1) - 1); {
	case i < tabled:
		return w.table[i]
	case w.flat:
		return w.table[tabled-1]
	default:
		return w.curve.span(retry)
	}
}

// decorrelated is min(cap, U(base, 3*prev)). Every wait of this kind lies
// between base and cap; prev is brought there, which starts the memory at base.
func (w *Waits) decorrelated(prev time.Duration, u uint64) time.Duration {
	c := &w.curve
	before := min(max(int64(prev), c.base), c.cap)
	return time.Duration(min(uniform(c.base, 3*before, u), c.cap))
}

// uniform spreads u over the whole numbers from lo to hi, both included: the
// high word of a product, a division into equal parts without a division.
func uniform(lo, hi int64, u uint64) int64 {
	part, _ := bits.Mul64(u, uint64(hi-lo)+1)
	return lo + int64(part)
}
