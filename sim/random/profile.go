package random

import (
	"math"
	"sort"
	"time"
)

// ramp is a stretch of a profile on which the rate is linear: rate + slope s,
// s seconds after from. Times count from the start of the process.
type ramp struct {
	from, to    time.Duration
	rate, slope float64 // per second, per second squared
}

// ramps turns the corners of a profile into stretches without gaps that cover
// [0, forever): the first rate holds before the first corner, the last one
// after the last. Steps leave no stretch.
func ramps(points []Point, of float64) []ramp {
	var list []ramp
	first, last := points[0], points[len(points)-1]
	if first.At > 0 {
		list = append(list, ramp{0, first.At, first.Rate * of, 0})
	}
	for i, b := range points[1:] {
		a := points[i]
		if a.At < b.At {
			slope := (b.Rate - a.Rate) * of / (b.At - a.At).Seconds()
			list = append(list, ramp{a.At, b.At, a.Rate * of, slope})
		}
	}
	return append(list, ramp{last.At, forever, last.Rate * of, 0})
}

// rampAt is the index of the stretch that holds t.
func rampAt(list []ramp, t time.Duration) int {
	return sort.Search(len(list)-1, func(i int) bool { return t < list[i].to })
}

// rateAt is the rate at t; rounding never makes it negative.
func (r *ramp) rateAt(t time.Duration) float64 {
	return max(0, r.rate+float64(r.slope*(t-r.from).Seconds()))
}

// area is the integral of the rate over [a, b), both within the stretch.
func (r *ramp) area(a, b time.Duration) float64 {
	return float64((r.rateAt(a) + r.rateAt(b)) / 2 * (b - a).Seconds())
}

// nextOfProfile is the first time at which the integral of the rate from prev
// on reaches need, a unit exponential: the next point of a Poisson process
// with that rate (Çinlar, "Introduction to stochastic processes", 1975).
// Stretch by stretch, so that no large integral loses the last bits of time.
func (p *Process) nextOfProfile(prev time.Duration, need float64) time.Duration {
	t := prev - p.at
	for i := rampAt(p.ramps, t); i < len(p.ramps); i++ {
		r := &p.ramps[i]
		rate := r.rateAt(t)
		if area := r.area(t, r.to); area > need {
			// need = rate s + slope s^2 / 2, solved without cancellation.
			root := math.Sqrt(max(0, float64(rate*rate)+2*float64(r.slope*need)))
			s := 2 * need / (rate + root)
			return later(p.at, min(t+nanoseconds(s*1e9), r.to))
		} else {
			need -= area
		}
		t = r.to
	}
	return forever
}

// profileIntegral is the integral of the rate over [from, to), which count
// from the start of the process.
func (p *Process) profileIntegral(from, to time.Duration) float64 {
	sum := 0.0
	for i := range p.ramps {
		r := &p.ramps[i]
		if a, b := max(from, r.from), min(to, r.to); a < b {
			sum += r.area(a, b)
		}
	}
	return sum
}

// Spikes is the span, up to until, in which the rate of a profile is above its
// first value: from the first time it rises to the last time it falls back.
// Not ok when there is none, or a is no profile.
func (a Arrival) Spikes(until time.Duration) (from, to time.Duration, ok bool) {
	if a.Kind != "profile" || len(a.Points) == 0 {
		return 0, 0, false
	}
	base := a.Points[0].Rate
	end := until
	if a.For > 0 && a.For < until-a.At {
		end = a.At + a.For
	}
	for _, r := range ramps(a.Points, 1) {
		start, stop := r.from, r.to
		switch rise := r.rateAt(stop) - base; {
		case r.slope == 0 && r.rate <= base:
			continue
		case r.slope > 0 && r.rate < base: // crosses upwards, if at all
			if rise <= 0 {
				continue
			}
			start += nanoseconds((base - r.rate) / r.slope * 1e9)
		case r.slope < 0 && rise < 0: // crosses downwards, if it was above
			if r.rate <= base {
				continue
			}
			stop = r.from + nanoseconds((base-r.rate)/r.slope*1e9)
		}
		start, stop = later(a.At, start), min(later(a.At, stop), end)
		if start >= stop {
			continue
		}
		if !ok {
			from, ok = start, true
		}
		to = stop
	}
	return from, to, ok
}
