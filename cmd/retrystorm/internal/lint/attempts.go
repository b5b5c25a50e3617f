package lint

import (
	"fmt"
	"math"
	"time"

	"retrystorm/sim/random"
	"retrystorm/strategies"
)

var inf = math.Inf(1)

// farthest is how many attempts are counted one by one; more are as bad as no
// limit.
const farthest = 100_000

// window is the time in which attempts may start.
type window struct {
	left time.Duration // none starts then or later; 0: no limit
	by   string        // the field that says so
}

// narrower is the tighter of two.
func (w window) narrower(left time.Duration, by string) window {
	if left > 0 && (w.left == 0 || left < w.left) {
		return window{left, by}
	}
	return w
}

// fit is how many attempts can start.
type fit struct {
	n     int64
	by    string        // what keeps the next one from starting; "" if nothing does
	limit time.Duration // that field's value
	start time.Duration // when it would
}

// fits counts attempts that take each and then wait, up to most. Outer is what
// others say about the time.
func (l *layer) fits(most int64, each time.Duration, wait func(retry int64) time.Duration, outer window) fit {
	if !l.timed(outer) {
		return fit{n: most}
	}
	start := time.Duration(0)
	for n := int64(1); n < most; n++ {
		failed := after(start, each)
		next := after(failed, wait(n))
		switch {
		case l.MaxElapsed > 0 && l.ElapsedCheck == "before-wait" && failed >= l.MaxElapsed,
			l.MaxElapsed > 0 && l.ElapsedCheck != "before-wait" && next > l.MaxElapsed:
			return fit{n, l.field("max_elapsed"), l.MaxElapsed, next}
		case l.Deadline > 0 && next >= l.Deadline:
			return fit{n, l.field("deadline"), l.Deadline, next}
		case outer.left > 0 && next >= outer.left:
			return fit{n, outer.by, outer.left, next}
		case n == farthest, n == 64 && next == 0: // it stays so
			return fit{n: most}
		}
		start = next
	}
	return fit{n: most}
}

// after is t + d, or the longest time there is.
func after(t, d time.Duration) time.Duration {
	if t > math.MaxInt64-d {
		return math.MaxInt64
	}
	return t + d
}

// timed says whether time limits the attempts at all.
func (l *layer) timed(outer window) bool { return l.MaxElapsed > 0 || l.Deadline > 0 || outer.left > 0 }

// most is the number of attempts whatever their time, after an outcome.
func (l *layer) most(o strategies.Outcome) int64 {
	n := l.MaxAttempts
	if n == strategies.Unlimited {
		n = math.MaxInt64
	}
	if steps := l.rules.WaitsAfter(o).Steps(); steps < n-1 {
		n = steps + 1
	}
	return max(n, 1)
}

// factor is what a layer multiplies calls by.
type factor struct {
	hop      *hop
	layer    *layer
	attempts Count // of one run, when all of them fail
	average  Count // of many, as far as a budget says
	hedges   int64
	why      string // what bounds the attempts, if not their number
	budget   string // what bounds the average, if anything
}

// calls is what one run of the layer comes to.
func (f *factor) calls() Count { return f.attempts.times(exactly(float64(1 + f.hedges))) }

// repeats says whether it multiplies anything.
func (f *factor) repeats() bool { return f.calls().N > 1 }

// worst is what a hop multiplies calls by.
type worst struct {
	calls   Count
	average Count
	factors []factor // the outermost first
	// attempts are the calls of one run, if the hop is made at all.
	attempts Count
}

// worst finds the failure after which a hop makes most calls.
func (v *view) worst(h *hop, list []failure) worst {
	best := worst{calls: exactly(1), average: exactly(1)}
	for i := range h.layers {
		best.factors = append(best.factors, factor{hop: h, layer: &h.layers[i], attempts: exactly(1), average: exactly(1)})
	}
	for k := range list {
		if k > 0 && h.alike(&list[k], &list[k-1]) {
			continue
		}
		if w, ok := v.worstAfter(h, &list[k]); ok && w.calls.N > best.calls.N {
			best = w
		}
	}
	return best
}

// alike says whether all policies treat two assumed statuses alike.
func (h *hop) alike(a, b *failure) bool {
	if !a.assumed || !b.assumed || a.outcome < 400 || b.outcome < 400 {
		return false
	}
	for i := range h.layers {
		l := &h.layers[i]
		if l.rules.WaitsAfter(a.outcome) != l.rules.WaitsAfter(b.outcome) || h.retries(i, a) != h.retries(i, b) {
			return false
		}
	}
	return true
}

// worstAfter is what a hop comes to when every attempt fails in one way, as
// fast as it can.
func (v *view) worstAfter(h *hop, failed *failure) (worst, bool) {
	w := worst{calls: exactly(1), average: exactly(1), factors: make([]factor, len(h.layers))}
	o := failed.outcome
	each, given := after(failed.quick, h.near()), false
	for i := len(h.layers) - 1; i >= 0; i-- {
		l := &h.layers[i]
		f := &w.factors[i]
		*f = factor{hop: h, layer: l, attempts: exactly(1), average: exactly(1), hedges: l.hedges()}
		if limit := firstOf(l.Timeout, l.Deadline); o == strategies.Timeout && !given && limit > 0 && h.fails(i, failed) {
			each, given = max(each, limit), true // the innermost that gives up
		}
		if l.Timeout > 0 {
			each = min(each, l.Timeout)
		}
		each = max(each, l.SlowerThan)
		if h.retries(i, failed) && !(l.FasterThan > 0 && each >= l.FasterThan) {
			f.count(o, each, h.around(i))
			if i > 0 { // there is a layer that looks at it
				each = f.lasts(o, each)
			}
		}
		f.average = f.calls()
		v.bounded(h, f)
		w.calls, w.average = w.calls.times(f.calls()), w.average.times(f.average)
	}
	return w, h.fails(0, failed)
}

// around is the time that the layers outside of layer i leave it.
func (h *hop) around(i int) window {
	var w window
	for k := range i {
		l := &h.layers[k]
		w = w.narrower(l.Timeout, l.field("timeout")).narrower(l.Deadline, l.field("deadline"))
	}
	return w
}

// count finds the number of attempts that take each. Where time limits them it
// is that with mean waits: the shortest of all waits are drawn by nobody.
func (f *factor) count(o strategies.Outcome, each time.Duration, outer window) {
	l := f.layer
	most, waits := l.most(o), l.rules.WaitsAfter(o)
	f.attempts = exactly(inf)
	if most <= farthest {
		f.attempts = exactly(float64(most))
	}
	if !l.timed(outer) {
		return
	}
	got := l.fits(most, each, meanWait(waits), outer)
	if got.by == "" {
		return
	}
	f.attempts = exactly(float64(got.n))
	f.why = "as many as fit into " + got.by + " " + duration(got.limit)
	shortest := l.fits(most, each, waits.Min, outer)
	switch {
	case shortest.by == "" && most > farthest:
		f.attempts.About = true
		f.why += " with mean waits"
	case shortest.n != got.n:
		f.attempts.About = true
		f.why += fmt.Sprintf(" with mean waits, %s with the shortest", number(float64(shortest.n)))
	}
}

// lasts is how long a run of the layer takes when each attempt takes each, with
// mean waits; those of many attempts do not matter, they are beyond all timeouts.
func (f *factor) lasts(o strategies.Outcome, each time.Duration) time.Duration {
	const many = 1000
	waits := meanWait(f.layer.rules.WaitsAfter(o))
	n := int64(min(f.attempts.N, many))
	total := float64(n) * each.Seconds()
	for k := int64(1); k < n; k++ {
		total += waits(k).Seconds()
	}
	return seconds(total)
}

// meanWait is the mean wait before a retry; far retries have that of an
// earlier one.
func meanWait(w *strategies.Waits) func(int64) time.Duration {
	const known = 32
	last := time.Duration(0)
	return func(retry int64) time.Duration {
		if retry <= known {
			last = w.Mean(retry)
		}
		return last
	}
}

// hedges is how many extra calls an attempt may make.
func (l *layer) hedges() int64 {
	h := l.Hedge
	late := h != nil && h.After.Quantile == 0 && (l.Timeout > 0 && h.After.Delay >= l.Timeout || l.Deadline > 0 && h.After.Delay >= l.Deadline)
	if h == nil || h.Budget == 0 || late {
		return 0
	}
	return h.Max
}

// least is the shortest that is drawn, where that is easily said.
func least(d random.Dist) time.Duration {
	switch d.Kind {
	case "constant", "":
		return d.Mean
	case "uniform":
		return d.From
	}
	return 0
}
