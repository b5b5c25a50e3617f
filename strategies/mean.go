package strategies

import "time"

// points is how many waits an estimate of a mean looks at.
const points = 4096

// Mean is the expected wait before a retry, over all that happened before. To
// the nanosecond it is exact where the wait is uniform, with or without a cap
// and a least wait. For decorrelated-jitter, once the cap is within reach, it
// is exact to a relative 1e-9. For all else it is an estimate that is always
// the same: the mean of 4096 waits at uniform numbers that are equally far
// apart (polly: on a grid of 64 by 64 of them), or for walks and sorted waits
// of 4096 pseudorandom paths, of which only 256 steps are followed.
func (w *Waits) Mean(retry int64) time.Duration {
	retry = max(retry, 1)
	switch c := &w.curve; {
	case c.closed:
		return c.decorrelatedMean(retry)
	case w.plain:
		s := w.span(retry)
		return time.Duration(s.lo + (s.hi-s.lo)/2)
	case c.memory == differing:
		return c.pollyMean(retry)
	case c.memory != independent:
		return w.pathMean(min(retry, farthest))
	case retry == 1 && c.start >= 0:
		return time.Duration(c.fired(c.start))
	default:
		return c.aloneMean(w.span(retry))
	}
}

// aloneMean is the mean of what the draws from a span become.
func (c *curve) aloneMean(s span) time.Duration {
	switch {
	case s.lo == s.hi && !c.half:
		return time.Duration(c.fired(c.finish(s.lo)))
	case c.values == 0 && c.rounding == unrounded && !c.half && !c.timer:
		return s.meanWithin(c.least, c.most)
	}
	return average(func(i uint64) int64 { return c.fired(c.shape(s, equallyFar(i, points))) })
}

// meanWithin is the mean of max(least, min(most, U)) with U uniform on the span.
func (s span) meanWithin(least, most int64) time.Duration {
	all := s.hi - s.lo + 1
	below := min(max(least-s.lo, 0), all)
	above := min(max(s.hi-most, 0), all-below)
	between := all - below - above
	sum := float64(float64(below)*float64(least)) + float64(float64(above)*float64(most))
	if between > 0 {
		middle := (float64(max(s.lo, least)) + float64(min(s.hi, most))) / 2
		sum += float64(float64(between) * middle)
	}
	return time.Duration(nearest(sum / float64(all)))
}

// equallyFar is the middle of part i of n, n a power of 2.
func equallyFar(i, n uint64) uint64 {
	part := ^uint64(0)/n + 1
	return part*i + part/2
}

func average(wait func(i uint64) int64) time.Duration {
	sum := 0.0
	for i := range uint64(points) {
		sum += float64(wait(i))
	}
	return time.Duration(nearest(sum / points))
}

// pollyMean takes the mean over this and the last uniform number.
func (c *curve) pollyMean(retry int64) time.Duration {
	const side = 64
	n := uint64(retry - 1)
	switch {
	case n >= pollyEnd:
		return time.Duration(c.fired(c.pollyEnds(retry).lo))
	case n == 0:
		return average(func(i uint64) int64 {
			wait, _ := c.polly(0, equallyFar(i, points))
			return c.fired(wait)
		})
	}
	var before [side]uint64
	for i := range before {
		before[i] = 1
		if n > 1 || c.start < 0 {
			before[i] += (n-1)<<pollyDigits | equallyFar(uint64(i), side)>>(64-pollyDigits)
		}
	}
	return average(func(i uint64) int64 {
		wait, _ := c.polly(before[i/side], equallyFar(i%side, side))
		return c.fired(wait)
	})
}

// pathMean follows paths from the first retry on. Their first numbers are
// equally far apart.
func (w *Waits) pathMean(retry int64) time.Duration {
	return average(func(i uint64) int64 {
		var wait time.Duration
		u, memory := equallyFar(i, points), uint64(0)
		for k := int64(1); k <= retry; k++ {
			wait, memory = w.Next(k, memory, u)
			u = mixed(u)
		}
		return int64(wait)
	})
}
