package server

import (
	"cmp"
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
	index     uint64 // its place in the spec, which its draws are named after
	from, to  time.Duration
	ramp      ramp // starts at to
	reply     reply
	mix       []mixed // instead of reply
	share     float64 // of the calls that fail
	workers   int64   // that capacity leaves
	factor    float64
	afterWork bool
	stored    bool // drawn for the request
}

// newFaults makes the faults that start before until.
func newFaults(spec Spec, workers int64, until time.Duration) []fault {
	var faults []fault
	for i, f := range spec.Faults {
		if f.At >= until {
			continue
		}
		g := fault{
			index: uint64(i), from: f.At, to: f.end(),
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
	default:
		return f.ramp.next(now)
	}
}

// Span is the time a fault takes, its ramp included.
type Span struct {
	Name     string
	From, To time.Duration
}

// Spans are the faults that start before until, in the order of the spec, cut
// off at until.
func (spec Spec) Spans(until time.Duration) []Span {
	var spans []Span
	for _, f := range spec.Faults {
		if f.At < until {
			spans = append(spans, Span{f.Name, f.At, min(until, plus(f.end(), f.Ramp))})
		}
	}
	return spans
}

// interval is [from, to).
type interval struct{ from, to time.Duration }

// pauses are the times at which nothing is worked on: ascending, apart from
// each other.
func pauses(faults []fault, until time.Duration) []interval {
	var all []interval
	for _, f := range faults {
		if f.kind == pause {
			// An endless pause ends with the run: what it holds up is due when
			// no event runs any more.
			to := f.to
			if to == never {
				to = until
			}
			all = append(all, interval{f.from, to})
		}
	}
	slices.SortFunc(all, func(a, b interval) int { return cmp.Compare(a.from, b.from) })
	merged := all[:0]
	for _, p := range all {
		if n := len(merged); n > 0 && p.from <= merged[n-1].to {
			merged[n-1].to = max(merged[n-1].to, p.to)
		} else {
			merged = append(merged, p)
		}
	}
	return merged
}
