package sim

import (
	"slices"
	"time"

	"retrystorm/server"
	"retrystorm/strategies"
)

// Slice is an interval [From, To) of virtual time with counters of its own.
type Slice struct{ From, To time.Duration }

// Has reports whether t lies in it.
func (s Slice) Has(t time.Duration) bool { return s.From <= t && t < s.To }

// SliceRecord is what happened in a slice: requests belong to it by when they
// started, calls by when they reached the service, answers by when they were
// given, and attempts that were not made by when they would have been.
type SliceRecord struct {
	Slice
	All      GroupRecord   // has no name
	Groups   []GroupRecord // as in Record
	Services []SliceService
	Hops     []SliceHop // in the order of Record.Hops
}

// SliceService is what a service saw in a slice.
type SliceService struct {
	// The largest number of calls that arrived in one window, of those windows
	// that lie in the slice.
	PeakCalls, PeakRetries int64
	// Answers given: good ones, others, and calls that got none.
	Succeeded, Failed, Silent int64
}

// SliceHop is what happened on a hop in a slice.
type SliceHop struct {
	// Causes are the calls that reached the service; only those of inner layers
	// do.
	Causes   [Causes]int64
	Withheld [strategies.GiveUps]int64
}

// openSlices opens the books of a model's slices, on the memory of the last run.
func (b *recorder) openSlices(m *Model, old []SliceRecord) {
	if len(m.Slices) == 0 {
		return
	}
	b.Slices = sized(old, len(m.Slices))
	for i := range b.Slices {
		v := &b.Slices[i]
		v.Slice = m.Slices[i]
		v.All.reopen("")
		v.Groups = sized(v.Groups, len(b.Groups))
		for g := range v.Groups {
			v.Groups[g].reopen(b.Groups[g].Name)
		}
		v.Services = sized(v.Services, len(m.Services))
		clear(v.Services)
		v.Hops = sized(v.Hops, len(b.Hops))
		clear(v.Hops)
	}
}

// sized is a slice of n elements, on the memory of the old one and with what it
// holds.
func sized[T any](old []T, n int) []T {
	old = old[:cap(old)]
	return slices.Grow(old, max(0, n-len(old)))[:n]
}

// reopen empties the books of a group and keeps their memory.
func (g *GroupRecord) reopen(name string) {
	g.Completion.Reset()
	*g = GroupRecord{Name: name, Completion: g.Completion}
}

// The rest counts in the slices that something belongs to.

func (b *recorder) sliceStarted(t *task, class int) {
	for i := range b.Slices {
		if v := &b.Slices[i]; v.Has(t.started) {
			v.All.Requests++
			v.Groups[t.origin.group()].Requests++
			if class >= 0 {
				v.Groups[class].Requests++
			}
		}
	}
}

func (b *recorder) sliceEnded(t *task, class int, ok, good bool, took time.Duration) {
	for i := range b.Slices {
		v := &b.Slices[i]
		if !v.Has(t.started) {
			continue
		}
		v.All.end(ok, good)
		v.Groups[t.origin.group()].end(ok, good)
		if class >= 0 {
			v.Groups[class].end(ok, good)
		}
		if !ok {
			continue
		}
		v.All.Completion.Add(took)
		if len(v.Groups) > 1 {
			v.Groups[t.origin.group()].Completion.Add(took)
		}
		if class >= 0 {
			v.Groups[class].Completion.Add(took)
		}
	}
}

// end counts the end of a request.
func (g *GroupRecord) end(ok, good bool) {
	switch {
	case !ok:
		g.Failed++
	case good:
		g.Good++
		g.Succeeded++
	default:
		g.Succeeded++
	}
}

func (b *recorder) sliceUnfinished(t *task, class int) {
	for i := range b.Slices {
		if v := &b.Slices[i]; v.Has(t.started) {
			v.All.Unfinished++
			v.Groups[t.origin.group()].Unfinished++
			if class >= 0 {
				v.Groups[class].Unfinished++
			}
		}
	}
}

func (b *recorder) sliceArrived(now time.Duration, c *call) {
	for i := range b.Slices {
		if v := &b.Slices[i]; v.Has(now) {
			v.Hops[c.hop].Causes[c.cause%Causes]++
		}
	}
}

func (b *recorder) sliceWithheld(now time.Duration, hop uint16, why strategies.GiveUp) {
	for i := range b.Slices {
		if v := &b.Slices[i]; v.Has(now) {
			v.Hops[hop].Withheld[why]++
		}
	}
}

func (b *recorder) sliceAnswered(now time.Duration, service int, a server.Answer) {
	for i := range b.Slices {
		v := &b.Slices[i]
		if !v.Has(now) {
			continue
		}
		switch s := &v.Services[service]; a {
		case server.OK:
			s.Succeeded++
		case server.Silent:
			s.Silent++
		default:
			s.Failed++
		}
	}
}

// slicePeaks compares the window that ends with the largest so far of the slices
// that it lies in. The last window of a run may be cut by its end.
func (b *recorder) slicePeaks(until time.Duration) {
	for i := range b.Slices {
		v := &b.Slices[i]
		if b.windowEnd-b.window < v.From || min(b.windowEnd, until) > v.To {
			continue
		}
		for s := range b.meters {
			p := &v.Services[s]
			p.PeakCalls = max(p.PeakCalls, b.meters[s].calls)
			p.PeakRetries = max(p.PeakRetries, b.meters[s].retries)
		}
	}
}
