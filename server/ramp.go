package server

import (
	"math"
	"math/bits"
	"sort"
	"time"
)

const (
	// never is later than any event, with room to add to it.
	never time.Duration = 1 << 62
	// maxSteps bounds the changes a ramp makes.
	maxSteps = 1000
	// whole is a share of 100 %: shares are taken to one part in 10^9, so
	// that 29 % of 100 workers are 29 and not, as in binary fractions, 28.
	whole = 1_000_000_000
	// maxWorkers keeps workers * whole within 63 bits.
	maxWorkers = 1_000_000_000
	// everyone is the number of usable workers when there is no limit.
	everyone = math.MaxInt64
)

// plus is a + b, at most never.
func plus(a, b time.Duration) time.Duration {
	if a >= never-b {
		return never
	}
	return a + b
}

func parts(share float64) int64 { return int64(math.Round(float64(share * whole))) }

// usable is how many of the workers a share leaves: at least one.
func usable(workers int64, share float64) int64 { return usableParts(workers, parts(share)) }

func usableParts(workers, parts int64) int64 {
	if workers == everyone {
		return everyone
	}
	return max(1, workers*parts/whole)
}

// ramp is capacity that climbs back to all workers, linearly in time. The
// n-th worker becomes usable at the first whole nanosecond at which the share
// is n/workers. A ramp over more than maxSteps workers visits maxSteps levels
// instead, evenly spaced, each at its own instant.
//
// Nothing is stored per step; instants are computed when asked for. The zero
// ramp has no steps: whoever asks it gets all workers.
type ramp struct {
	at      time.Duration // when it starts
	length  time.Duration
	workers int64
	from    int64 // parts of whole, at the start
	low     int64 // workers at the start
	steps   int64
}

func newRamp(at, length time.Duration, workers int64, from float64) ramp {
	if at >= never {
		length = 0
	}
	r := ramp{at: at, length: length, from: parts(from)}
	return r.of(workers)
}

// of is the same ramp to that many workers.
func (r ramp) of(workers int64) ramp {
	r.workers, r.low, r.steps = workers, usableParts(workers, r.from), 0
	if r.length > 0 {
		r.steps = min(workers-r.low, maxSteps) // 0 when unlimited
	}
	return r
}

// level is how many workers are usable from when(step) on.
func (r *ramp) level(step int64) int64 {
	hi, lo := bits.Mul64(uint64(r.workers-r.low), uint64(step))
	n, _ := bits.Div64(hi, lo, uint64(r.steps))
	return r.low + int64(n)
}

// when is the instant of a step, the first being 1: rounded up, as before it
// the level isn't reached.
func (r *ramp) when(step int64) time.Duration {
	missing := uint64(r.level(step)*whole - r.workers*r.from)
	all := uint64(r.workers * (whole - r.from))
	hi, lo := bits.Mul64(uint64(r.length), missing)
	x, rest := bits.Div64(hi, lo, all) // missing <= all, so x <= length
	if rest > 0 {
		x++
	}
	return plus(r.at, time.Duration(x))
}

// step is the last one that has happened by now.
func (r *ramp) step(now time.Duration) int64 {
	return int64(sort.Search(int(r.steps), func(i int) bool { return r.when(int64(i)+1) > now }))
}

// usable is the number of workers at now, which isn't before the ramp.
func (r *ramp) usable(now time.Duration) int64 {
	if r.steps == 0 {
		return everyone
	}
	return r.level(r.step(now))
}

// next is the first step after now; never if there is none.
func (r *ramp) next(now time.Duration) time.Duration {
	if step := r.step(now); step < r.steps {
		return r.when(step + 1)
	}
	return never
}
