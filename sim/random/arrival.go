package random

import (
	"math"
	"slices"
	"time"
)

// Kind is the kind of a Process.
type Kind uint8

// The kinds of arrival processes.
const (
	Burst    Kind = iota // every client once, within a spread
	Every                // every client by its own clock
	Closed               // every client again when its last request is done
	Poisson              // the group, at random
	Constant             // the group, evenly spaced
	Profile              // the group, at random with a rate that changes
	Trace                // the group, at given times
)

// forever is the end of a process without one.
const forever time.Duration = math.MaxInt64

// Process says when the requests of one group start. It is a pure value: what
// happened so far and the draws are passed in. Requests start in [at, at + for).
type Process struct {
	kind   Kind
	at     time.Duration
	end    time.Duration // no request starts at or after it
	count  int64         // clients
	rate   float64       // of the group, per second
	spread uint64        // of burst, in ns
	period time.Duration // of every
	random bool          // whether the phase of every is
	jitter uint64        // longest delay of a tick of every, in ns
	think  Sampler
	ramps  []ramp          // of profile
	times  []time.Duration // of trace
}

// Process prepares a, which must be valid, for a group of count clients.
func (a Arrival) Process(count int64) Process {
	p := Process{at: a.At, end: forever, count: count}
	if a.For > 0 && a.For < forever-a.At {
		p.end = a.At + a.For
	}
	of := 1.0 // rates are per group or per client
	if a.Per == "client" {
		of = float64(count)
	}
	switch a.Kind {
	case "every":
		p.kind, p.period, p.random = Every, a.Every, a.Phase != "aligned"
		p.jitter = uint64(nanoseconds(a.Jitter * float64(a.Every)))
	case "closed":
		p.kind, p.think = Closed, a.Think.Sampler()
	case "poisson":
		p.kind, p.rate = Poisson, a.Rate*of
	case "constant":
		p.kind, p.rate = Constant, a.Rate*of
	case "profile":
		p.kind, p.ramps = Profile, ramps(a.Points, of)
	case "trace":
		p.kind, p.times = Trace, a.Times
	default:
		p.end = forever
		p.spread = uint64(a.Spread)
	}
	return p
}

// Kind is the kind of the process.
func (p *Process) Kind() Kind { return p.kind }

// Open reports whether requests come from the group as a whole, one after the
// other (Next), whatever becomes of them. Otherwise each client has its own
// (Start, Tick, Think).
func (p *Process) Open() bool { return p.kind >= Poisson }

// Next is the time of arrival i = 0, 1, ... of an open process, given that of
// the arrival before (of no meaning for the first) and a draw of its own; not
// ok when no more come.
func (p *Process) Next(i int64, prev time.Duration, u uint64) (at time.Duration, ok bool) {
	if i == 0 {
		prev = p.at
	}
	switch p.kind {
	case Poisson: // gaps are exponential
		at = later(prev, nanoseconds(-Log(Unit(^u))*(1e9/p.rate)))
	case Constant: // each from the start, so that rounding does not add up
		at = later(p.at, nanoseconds(float64(i)*1e9/p.rate))
	case Profile:
		at = p.nextOfProfile(prev, -Log(Unit(^u)))
	case Trace:
		if i >= int64(len(p.times)) {
			return 0, false
		}
		at = later(p.at, p.times[i])
	default:
		return 0, false
	}
	return at, at < p.end
}

// Need is how many arrivals are expected between arrival i - 1 of a process with
// a rate, or its start, and arrival i, given the draw of that.
func (p *Process) Need(i int64, u uint64) float64 {
	switch {
	case p.kind != Constant:
		return -Log(Unit(^u))
	case i == 0:
		return 0
	default:
		return 1
	}
}

// After is the first time at which so many arrivals of a process with a rate are
// expected to have come since t.
func (p *Process) After(t time.Duration, need float64) time.Duration {
	t = max(t, p.at)
	if p.kind == Profile {
		return p.nextOfProfile(t, need)
	}
	return later(t, nanoseconds(need*(1e9/p.rate)))
}

// later is t + d, or forever.
func later(t, d time.Duration) time.Duration {
	if d >= Max || t >= forever-d {
		return forever
	}
	return t + d
}

// Start is when the client makes its first request, for processes that are not
// open: burst at + U(0, spread), closed at once, every at the start of the
// client's clock (its tick 0, not delayed).
func (p *Process) Start(client int64, u uint64) time.Duration {
	switch p.kind {
	case Every:
		return p.Tick(0, u, 0)
	case Burst:
		return later(p.at, time.Duration(Uniform(u, p.spread)))
	}
	return p.at
}

// Tick is tick j = 0, 1, ... of a client of every: at + phase + j period, late
// by U(0, jitter) of a period. The phase is U(0, period) unless aligned. Late
// rather than moved either way: no tick comes before at, and ticks keep their
// order. phase is the client's draw, the same for all ticks; jitter is the
// tick's own.
func (p *Process) Tick(j int64, phase, jitter uint64) time.Duration {
	if p.period <= 0 || j > int64((forever-p.at)/p.period)-2 {
		return forever
	}
	at := p.at + time.Duration(j)*p.period + time.Duration(Uniform(jitter, p.jitter))
	if p.random {
		at += time.Duration(Uniform(phase, uint64(p.period)))
	}
	return at
}

// Think is how long a client of closed waits after a request.
func (p *Process) Think(u uint64) time.Duration { return p.think.At(u) }

// Ended reports whether no request starts at t any more because t is past the
// end that for gives.
func (p *Process) Ended(t time.Duration) bool { return t >= p.end }

// Until is the last time up to until at which requests may start: none starts
// after it.
func (p *Process) Until(until time.Duration) time.Duration {
	last := min(p.end, until)
	switch p.kind {
	case Burst:
		last = min(last, later(p.at, time.Duration(p.spread)))
	case Trace:
		if len(p.times) == 0 {
			return min(last, p.at)
		}
		last = min(last, later(p.at, p.times[len(p.times)-1]))
	case Profile:
		if r := p.ramps[len(p.ramps)-1]; r.rate == 0 { // for ever
			last = min(last, later(p.at, r.from))
		}
	}
	return last
}

// RateAt is the expected number of requests per second at t, of the whole
// group; 0 for the kinds that have no rate: burst, closed and trace.
func (p *Process) RateAt(t time.Duration) float64 {
	if t < p.at || t >= p.end {
		return 0
	}
	switch p.kind {
	case Poisson, Constant:
		return p.rate
	case Every:
		return float64(p.count) / p.period.Seconds()
	case Profile:
		t -= p.at
		return p.ramps[rampAt(p.ramps, t)].rateAt(t)
	}
	return 0
}

// Integral is the expected number of requests that start in [from, to); 0 for
// closed, where it depends on the answers.
func (p *Process) Integral(from, to time.Duration) float64 {
	from, to = max(from, p.at), min(to, p.end)
	if from >= to {
		return 0
	}
	switch p.kind {
	case Poisson, Constant, Every:
		return p.RateAt(from) * (to - from).Seconds()
	case Profile:
		return p.profileIntegral(from-p.at, to-p.at)
	case Burst:
		if p.spread == 0 { // all at once
			if from > p.at {
				return 0
			}
			return float64(p.count)
		}
		to = min(to, p.at+time.Duration(p.spread))
		return float64(p.count) * float64(max(to-from, 0)) / float64(p.spread)
	case Trace:
		i, _ := slices.BinarySearch(p.times, from-p.at)
		j, _ := slices.BinarySearch(p.times, to-p.at)
		return float64(j - i)
	}
	return 0
}
