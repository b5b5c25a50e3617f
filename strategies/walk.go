package strategies

// What a walk remembers is the wait before, in nanoseconds; 0 before the first.
// begun stands for a walk that has had its wait of 0, or the exact first one.
const begun = uint64(Longest) + 1

// walk is the next wait of a walk.
func (c *curve) walk(retry int64, memory, u uint64) (int64, uint64) {
	if memory == 0 && c.start >= 0 {
		return c.start, begun
	}
	var wait int64
	if s, stopped := c.stride(retry, memory); stopped {
		wait = c.finish(c.cap)
	} else {
		wait = c.shape(s, u)
	}
	return wait, remembered(wait)
}

func remembered(wait int64) uint64 {
	if wait == 0 {
		return begun
	}
	return uint64(wait)
}

// stride is the range of the next wait; stopped: it is the cap, without jitter.
func (c *curve) stride(retry int64, memory uint64) (s span, stopped bool) {
	lo, hi, limit := int64(0), int64(0), c.limit
	if memory == 0 || memory == begun {
		lo, hi = scale(c.base, c.startLo), scale(c.base, c.startHi)
		if c.free {
			limit = int64(Longest)
		}
	} else {
		before := int64(min(memory, uint64(Longest)))
		lo = c.base
		if c.ofPrevious {
			lo = before
		}
		lo, hi = scale(lo, c.lo), c.longest(before, retry)
	}
	hi = max(lo, hi)
	if c.stop && hi > c.cap {
		return span{}, true
	}
	hi = min(hi, limit)
	return c.open(min(lo, hi), hi), false
}

// longest is the upper end after a wait.
func (c *curve) longest(before, retry int64) int64 {
	if !c.hiGrows || c.hi == 0 {
		return scale(before, c.hi)
	}
	return scale(before, float64(c.hi*raise(c.factor, max(retry, 1)-1)))
}

// reachAll fills a table with the ranges of the waits, over all paths.
func (c *curve) reachAll(table *[tabled]span) {
	next := 0
	if c.start >= 0 {
		table[0] = span{c.start, c.start}
		next = 1
	}
	table[next] = c.reach(int64(next)+1, begun)
	for i := next + 1; i < tabled; i++ {
		table[i] = c.reachFrom(int64(i)+1, table[i-1])
	}
}

// reach is the range of the waits with this memory.
func (c *curve) reach(retry int64, memory uint64) span {
	s, stopped := c.stride(retry, memory)
	if stopped {
		s = span{c.cap, c.cap}
	}
	return c.ends(s)
}

// reachFrom is the range of the waits after waits of some range.
func (c *curve) reachFrom(retry int64, before span) span {
	low := c.reach(retry, uint64(max(before.lo, 1)))
	high := c.reach(retry, remembered(before.hi))
	s := span{min(low.lo, high.lo), max(low.hi, high.hi)}
	if before.lo == 0 { // it begins again
		again := c.reach(retry, begun)
		s = span{min(s.lo, again.lo), max(s.hi, again.hi)}
	}
	return s
}

// farthest is how far the range of a walk is followed. An end that still moves
// there has all the room there is.
const farthest = 256

// far is the range at a retry beyond the table, whose last row is s.
func (c *curve) far(retry int64, s span) span {
	for k := int64(tabled + 1); k <= min(retry, farthest); k++ {
		next := c.reachFrom(k, s)
		if next == s {
			return s
		}
		if k == farthest {
			return span{min(next.lo, c.finish(0)), max(next.hi, c.finish(int64(Longest)))}
		}
		s = next
	}
	return s
}
