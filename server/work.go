package server

import (
	"math"
	"math/bits"
	"time"
)

// Finish says how much work a call in service is that begins now with such a
// demand, and when it is done. What that depends on is fixed at the start: the
// slow faults of the moment, the other calls in service, and the pauses to come.
func (s *Station) Finish(now, demand time.Duration) (work, done time.Duration) {
	if s.steady {
		return demand, now + demand
	}
	return s.finish(now, demand)
}

func (s *Station) finish(now, demand time.Duration) (work, done time.Duration) {
	work = plus(times(demand, s.factor), s.congestion())
	left := work
	for {
		p := s.pauseAfter(now)
		if plus(now, left) < p.from || p.from == never {
			break
		}
		left -= max(0, p.from-now) // 0: it starts in the pause
		now = p.to
	}
	return work, plus(now, left)
}

// congestion is the extra work for the other calls in service.
func (s *Station) congestion() time.Duration {
	hi, lo := bits.Mul64(uint64(s.slowdown), uint64(max(0, s.inService-1)))
	if hi > 0 || lo > uint64(never) {
		return never
	}
	return time.Duration(lo)
}

// times is demand * factor, rounded.
func times(demand time.Duration, factor float64) time.Duration {
	if factor == 1 {
		return demand
	}
	x := math.Round(float64(float64(demand) * factor))
	if x >= float64(never) {
		return never
	}
	return time.Duration(x)
}
