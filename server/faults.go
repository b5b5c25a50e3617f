package server

import (
	"slices"
	"time"
)

type faultKind uint8

const (
	down faultKind = iota
	failing
	slow
	pause
	capacity
)

// fault is a Fault made ready to run.
type fault struct {
	kind      faultKind
	index     uint64        // its place in the spec, which its draws are named after
	from, to  time.Duration // of one that repeats, those of the last repetition so far
	first     time.Duration // when it starts for the first time
	every     time.Duration // from start to start; 0: once
	ramp      ramp          // starts at to
	reply     reply
	mix       []mixed // instead of reply
	share     float64 // of the calls that fail, or of the workers that are left
	workers   int64   // that capacity leaves
	factor    float64
	afterWork bool
	stored    bool // drawn for the request
}

// newFaults makes the faults of a replica that start before until.
func newFaults(spec Spec, replica, workers int64, until time.Duration) []fault {
	var faults []fault
	for i, f := range spec.Faults {
		if f.At >= until || f.Replicas != nil && replica >= *f.Replicas {
			continue
		}
		g := fault{
			index: uint64(i), from: f.At, to: f.end(), first: f.At, every: f.Every,
			share: f.Share, factor: f.Factor, afterWork: f.AfterWork, stored: f.Stored,
		}
		if g.to < until {
			g.ramp = newRamp(g.to, f.Ramp, workers, f.RampFrom)
		}
		switch f.Kind {
		case "down":
			g.kind, g.reply = down, newReply(f.Answer, Refused)
		case "errors":
			g.kind, g.reply, g.mix = failing, newReply(f.Answer, 500), newMix(f.Mix)
		case "slow":
			g.kind = slow
		case "pause":
			g.kind = pause
		case "capacity":
			g.kind = capacity
			g.workers = usable(workers, f.Share)
		}
		faults = append(faults, g)
	}
	return faults
}

// end is when a fault stops being active and its ramp starts.
func (f *Fault) end() time.Duration {
	if f.For <= 0 {
		return never
	}
	return plus(f.At, f.For)
}

// turn brings a fault that repeats to the last repetition that has started by
// now.
func (f *fault) turn(now time.Duration) {
	if f.every == 0 {
		return
	}
	later := f.first + max(0, now-f.first)/f.every*f.every - f.from
	f.from += later
	f.to += later
	f.ramp.at += later
}

// staff makes it a fault of that many workers.
func (f *fault) staff(workers int64) {
	f.ramp = f.ramp.of(workers)
	if f.kind == capacity {
		f.workers = usable(workers, f.share)
	}
}

func (f *fault) active(now time.Duration) bool { return f.from <= now && now < f.to }

// usable is how many workers the fault leaves at now.
func (f *fault) usable(now time.Duration) int64 {
	switch {
	case now >= f.to:
		return f.ramp.usable(now)
	case f.kind == capacity && f.active(now):
		return f.workers
	default:
		return everyone
	}
}

// next is the first instant after now at which the fault changes something.
func (f *fault) next(now time.Duration) time.Duration {
	switch {
	case now < f.from:
		return f.from
	case now < f.to:
		return f.to
	case f.every > 0:
		return min(f.ramp.next(now), plus(f.from, f.every))
	default:
		return f.ramp.next(now)
	}
}

// Span is the time a fault takes, its ramp included.
type Span struct {
	Name     string
	From, To time.Duration
}

// Harmless reports whether no call ever meets a fault, as where a sweep leaves it out.
func (spec Spec) Harmless(fault string) bool {
	return slices.ContainsFunc(spec.Faults, func(f Fault) bool {
		return f.Name == fault && f.Kind == "errors" && f.Share == 0
	})
}

// Reach is the share of the replicas that a fault is about.
func (spec Spec) Reach(f *Fault) float64 {
	if f.Replicas == nil {
		return 1
	}
	return float64(*f.Replicas) / float64(spec.Count())
}

// mostSpans is how many repetitions of a fault have a span each.
const mostSpans = 100

// Spans are the faults that start before until, in the order of the spec, cut
// off at until. One that repeats has a span for each repetition; if there would
// be more than mostSpans, one for all.
func (spec Spec) Spans(until time.Duration) []Span {
	var spans []Span
	for _, f := range spec.Faults {
		if f.At >= until {
			continue
		}
		length, repeats := plus(f.end(), f.Ramp)-f.At, int64(0)
		if f.Every > 0 {
			repeats = int64((until - 1 - f.At) / f.Every)
		}
		if repeats >= mostSpans {
			length += time.Duration(repeats) * f.Every
			repeats = 0
		}
		for k := range repeats + 1 {
			at := f.At + time.Duration(k)*f.Every
			spans = append(spans, Span{f.Name, at, min(until, plus(at, length))})
		}
	}
	return spans
}

// interval is [from, to).
type interval struct{ from, to time.Duration }

// pauseAfter is the first time, not over at t, at which nothing is worked on;
// an empty one at never if none is to come before the end of the run.
func (s *Station) pauseAfter(t time.Duration) interval {
	first := interval{never, never}
	for _, f := range s.pauses {
		p := interval{f.first, plus(f.first, f.to-f.from)}
		if f.to == never {
			// An endless pause ends with the run: what it holds up is due when
			// no event runs any more.
			p.to = s.until
		}
		if f.every > 0 && p.to <= t {
			later := ((t-p.to)/f.every + 1) * f.every
			p = interval{p.from + later, p.to + later}
		}
		if p.to > t && p.from < first.from && p.from < s.until {
			first = p
		}
	}
	return first
}
