package strategies

import (
	"math"
	"time"
)

// Waits is a Backoff compiled: the waits before retry 1, 2, ... It is a plain
// value without pointers, read only once made, and 1 KiB large: pass a pointer.
type Waits struct {
	// plain: every wait is a draw from its span, and nothing is done to it.
	plain bool
	// flat: the last row of the table holds for every later retry too.
	flat  bool
	steps int64
	curve curve
	// The ranges of the draws; for waits that depend on each other, of the waits.
	table [tabled]span
}

// tabled is how many retries are looked up. A wait that doubles reaches its
// cap, or Longest, within them.
const tabled = 64

// Compile makes the waits of a valid Backoff. It panics when Validate would
// find something to say, except that no values and no steps are all of them.
func (b Backoff) Compile() Waits {
	b = b.filled()
	b.Validate(invalid)
	w := Waits{curve: b.curve()}
	w.steps = w.curve.end(b)
	w.plain = w.curve.plain()
	w.tabulate(b.Waits)
	return w
}

// filled has what the zero values mean.
func (b Backoff) filled() Backoff {
	if b.Values == 0 {
		b.Values = Unlimited
	}
	if b.Steps == 0 {
		b.Steps = Unlimited
	}
	return b
}

// tabulate fills the table; waits is the list of a schedule.
func (w *Waits) tabulate(waits []time.Duration) {
	c := &w.curve
	switch {
	case len(waits) > 0 && c.growth == scheduled:
		for i := range w.table {
			wait := whole(waits[min(i, len(waits)-1)])
			w.table[i] = span{wait, wait}
		}
		w.flat = true
	case c.memory == sorting:
		w.table = c.sortedEnds()
		w.flat = true
	case c.memory == walking && !c.closed:
		c.reachAll(&w.table)
	default:
		for i := range w.table {
			w.table[i] = w.beyond(int64(i) + 1)
		}
		w.flat = w.table[tabled-1] == w.beyond(math.MaxInt64)
	}
}

func invalid(field, problem string) {
	panic("strategies: " + field + " " + problem)
}

// plain reports whether nothing is done to a draw.
func (c *curve) plain() bool {
	return c.memory == independent && c.most == int64(Longest) && c.least == 0 && c.values == 0 &&
		c.rounding == unrounded && !c.half && !c.timer && c.jitter != plusMinusJitter && c.widen == 0
}

// end is how many waits there are.
func (c *curve) end(b Backoff) int64 {
	n := int64(math.MaxInt64)
	if (b.Kind == "custom" || b.Kind == "schedule") && b.Steps != Unlimited {
		n = b.Steps
	}
	if b.Kind == "custom" && b.AtCap == "end" {
		if last := c.lastBelow(c.cap + 1); last < math.MaxInt64 {
			n = min(n, max(last-1, 0))
		}
	}
	return n
}

// Next is the wait before a retry, 1 for the first, and what the request has to
// remember for the next one; memory is what the last call returned, 0 at first.
// u is a uniform draw of 64 bits. The wait never falls when u grows, except
// that at_cap half draws again, that overflow timer fires early, and that the
// first draw of sorted waits decides all of them.
func (w *Waits) Next(retry int64, memory, u uint64) (time.Duration, uint64) {
	if w.plain {
		s := w.span(retry - int64(memory))
		return time.Duration(uniform(s.lo, s.hi, u)), memory
	}
	if w.curve.closed {
		wait := w.curve.decorrelate(memory, u)
		return time.Duration(wait), uint64(wait)
	}
	var wait int64
	switch c := &w.curve; c.memory {
	case walking:
		wait, memory = c.walk(retry, memory, u)
	case differing:
		wait, memory = c.polly(memory, u)
	case sorting:
		wait, memory = c.sorted(retry, memory, u)
	default:
		wait = w.alone(retry-int64(memory), u)
	}
	return time.Duration(w.curve.fired(wait)), memory
}

// alone is a wait that does not depend on another.
func (w *Waits) alone(retry int64, u uint64) int64 {
	if retry <= 1 && w.curve.start >= 0 {
		return w.curve.start
	}
	return w.curve.shape(w.span(retry), u)
}

// Restart is the memory that makes the waits after a retry begin again.
func (w *Waits) Restart(retry int64) uint64 {
	switch w.curve.memory {
	case independent:
		return uint64(retry)
	case sorting:
		return restartSorted(retry)
	default:
		return 0
	}
}

// Steps is how many waits there are: there is no retry after the last. Without
// an end it is the largest number there is.
func (w *Waits) Steps() int64 { return w.steps }

// Min is the shortest wait possible before a retry.
func (w *Waits) Min(retry int64) time.Duration { return time.Duration(w.ends(retry).lo) }

// Max is the longest wait possible before a retry.
func (w *Waits) Max(retry int64) time.Duration { return time.Duration(w.ends(retry).hi) }

func (w *Waits) ends(retry int64) span {
	s := w.span(retry)
	c := &w.curve
	if c.memory == independent && !w.plain && (retry > 1 || c.start < 0) {
		s = c.ends(s)
	}
	if c.timer && s.hi > lastTimer {
		if s.lo > lastTimer {
			return span{firedEarly, firedEarly}
		}
		return span{min(s.lo, firedEarly), lastTimer}
	}
	return s
}

func (w *Waits) span(retry int64) span {
	switch i := uint64(max(retry, 1) - 1); {
	case i < tabled:
		return w.table[i]
	case w.flat:
		return w.table[tabled-1]
	default:
		return w.beyond(retry)
	}
}

// beyond is the span of a retry that is not in the table.
func (w *Waits) beyond(retry int64) span {
	switch c := &w.curve; {
	case c.closed:
		return c.decorrelated(retry)
	case c.memory == walking:
		return c.far(retry, w.table[tabled-1])
	case c.memory == differing:
		return c.pollyEnds(retry)
	default:
		return c.span(retry)
	}
}
