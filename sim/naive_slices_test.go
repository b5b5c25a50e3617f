package sim_test

import (
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/strategies"
)

// history is a request, for the books.
type history struct {
	group   int
	class   int // from 1
	counted bool
	started time.Duration
	ended   bool
	ok      bool
	took    time.Duration
}

// refusal is an attempt that was not made.
type refusal struct {
	at  time.Duration
	hop int
	why strategies.GiveUp
}

// withhold notes an attempt that is not made.
func (n *naive) withhold(c *caller, l *layer, why strategies.GiveUp) {
	n.hopOf(c, l).Withheld[why]++
	if c.counted {
		n.refusals = append(n.refusals, refusal{n.now, l.index, why})
	}
}

// slice makes the books of an interval out of the logs.
func (n *naive) slice(v sim.Slice) sim.SliceRecord {
	in := func(t time.Duration) bool { return v.From <= t && t < v.To }
	r := sim.SliceRecord{Slice: v, Hops: make([]sim.SliceHop, len(n.rec.Hops))}
	var requests []*history
	for _, h := range n.requests {
		if h.counted && in(h.started) {
			requests = append(requests, h)
		}
	}
	r.All = n.fates(requests, func(*history) bool { return true })
	for i, g := range n.m.Groups {
		x := n.fates(requests, func(h *history) bool { return h.group == i })
		x.Name = g.Name
		if len(n.rec.Groups) == 1 {
			x.Completion = sim.Times{}
		}
		r.Groups = append(r.Groups, x)
	}
	for i, g := range n.m.Groups {
		for k, c := range g.Classes {
			x := n.fates(requests, func(h *history) bool { return h.group == i && h.class == k+1 })
			x.Name = g.Name + "/" + c.Name
			r.Groups = append(r.Groups, x)
		}
	}
	for _, x := range n.refusals {
		if in(x.at) {
			r.Hops[x.hop].Withheld[x.why]++
		}
	}
	for _, s := range n.sites {
		var x sim.SliceService
		for _, a := range s.arrivals {
			if a.counted && in(a.at) {
				r.Hops[a.hop].Causes[a.cause]++
			}
		}
		for _, a := range s.answers {
			switch {
			case !a.counted || !in(a.at):
			case a.answer == server.OK:
				x.Succeeded++
			case a.answer == server.Silent:
				x.Silent++
			default:
				x.Failed++
			}
		}
		for from := time.Duration(0); from < n.m.Until; from += n.m.Window {
			to := min(from+n.m.Window, n.m.Until)
			if from < v.From || to > v.To {
				continue
			}
			calls, retries := s.peak(from, to)
			x.PeakCalls, x.PeakRetries = max(x.PeakCalls, calls), max(x.PeakRetries, retries)
		}
		r.Services = append(r.Services, x)
	}
	return r
}

// fates counts what became of some requests.
func (n *naive) fates(requests []*history, wanted func(*history) bool) (g sim.GroupRecord) {
	for _, h := range requests {
		switch {
		case !wanted(h):
			continue
		case !h.ended:
			g.Unfinished++
		case !h.ok:
			g.Failed++
		default:
			g.Succeeded++
			g.Completion.Add(h.took)
			if n.m.SLO == 0 || h.took <= n.m.SLO {
				g.Good++
			}
		}
		g.Requests++
	}
	return g
}

// peak counts the calls that reach the service in an interval.
func (s *site) peak(from, to time.Duration) (calls, retries int64) {
	for _, a := range s.arrivals {
		if a.counted && from <= a.at && a.at < to {
			calls++
			if a.retry {
				retries++
			}
		}
	}
	return calls, retries
}
