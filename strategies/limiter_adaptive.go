package strategies

import (
	"math"
	"time"

	"retrystorm/sim/random"
)

// Constants of aws-adaptive.
const (
	cubicScale   = 0.4
	cubicBeta    = 0.7
	rateSlot     = 500 * time.Millisecond // in which the rate is measured
	rateNew      = 0.8                    // weight of a measurement
	leastFill    = 0.5                    // per second
	leastSize    = 1.0                    // of the bucket
	rateHeadroom = 2                      // fills at most this many times the measured rate
)

// adaptive limits the rate of sending by what was throttled before, as
// botocore's adaptive mode does (retries/adaptive.py, throttling.py, bucket.py;
// 1.43.67). The rate grows like TCP Cubic's window,
//
//	r = 0.4 ((t - t0) - k)^3 + w,   k = (0.3 w / 0.4)^(1/3),
//
// with w the rate at which it was throttled last, at t0; each throttled answer
// sets r to 0.7 of the rate. A bucket fills at r, at least 0.5/s and at most
// twice the measured rate of answers. It holds nothing back until the first
// throttled answer. Time starts at 0.
type adaptive struct {
	slot     time.Duration // number of the slot in which answers are counted
	count    int64         // answers since the last measurement
	measured float64       // rate of answers

	top       float64 // w
	reach     float64 // k, seconds
	throttled time.Duration

	fill, size, tokens float64
	filled             time.Duration
	started, enabled   bool
}

// answered takes the end of an attempt, whatever it was.
func (a *adaptive) answered(now time.Duration, throttled bool) {
	a.measure(now)
	rate := a.cubic(now)
	if throttled {
		a.top = a.measured
		if a.enabled {
			a.top = min(a.measured, a.fill)
		}
		a.reach = random.Pow(float64(a.top*(1-cubicBeta))/cubicScale, 1.0/3)
		a.throttled = now
		a.enabled = true
		rate = float64(cubicBeta * a.top)
	}
	a.fillAt(now, min(rate, float64(rateHeadroom*a.measured)))
}

// measure counts an answer; the rate is known anew when a slot is over.
func (a *adaptive) measure(now time.Duration) {
	a.count++
	slot := now / rateSlot
	if slot <= a.slot {
		return
	}
	rate := float64(a.count) / ((slot - a.slot) * rateSlot).Seconds()
	a.measured = float64(rateNew*rate) + float64((1-rateNew)*a.measured)
	a.count = 0
	a.slot = slot
}

func (a *adaptive) cubic(now time.Duration) float64 {
	x := (now - a.throttled).Seconds() - a.reach
	return float64(cubicScale*float64(float64(x*x)*x)) + a.top
}

// fillAt sets the rate at which the bucket fills.
func (a *adaptive) fillAt(now time.Duration, rate float64) {
	a.refill(now)
	a.fill = max(rate, leastFill)
	a.size = max(rate, leastSize)
	a.tokens = min(a.tokens, a.size)
}

func (a *adaptive) refill(now time.Duration) {
	if a.started {
		a.tokens = min(a.size, a.tokens+float64(a.fill*(now-a.filled).Seconds()))
	}
	a.started = true
	a.filled = now
}

// acquire takes a token, or says when to ask again.
func (a *adaptive) acquire(now time.Duration) (wait time.Duration, ok bool) {
	if !a.enabled {
		return 0, true
	}
	a.refill(now)
	if a.tokens >= 1 {
		a.tokens--
		return 0, true
	}
	return max(1, time.Duration(math.Ceil(float64((1-a.tokens)/a.fill*float64(time.Second))))), false
}
