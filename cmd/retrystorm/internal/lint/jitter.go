package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"retrystorm/strategies"
)

// looked is how many retries the look for jitter follows.
const looked = 64

// jitter reports waits that are the same for all who failed together.
func (v *view) jitter() {
	v.eachHop(func(h *hop) {
		failures := v.failures(h)
		for i := range h.layers {
			v.jitterOf(h, i, failures)
		}
	})
}

// jitterOf looks at the waits of a layer, those without an outcome of their own
// first.
func (v *view) jitterOf(h *hop, i int, failures []failure) {
	l := &h.layers[i]
	var seen []*strategies.Waits
	for _, own := range []bool{false, true} {
		for k := range failures {
			f := &failures[k]
			w := l.rules.WaitsAfter(f.outcome)
			if own == (w == l.rules.Waits()) || slices.Contains(seen, w) || !h.retries(i, f) {
				continue
			}
			why := v.together(h, f)
			if why == "" {
				continue
			}
			seen = append(seen, w)
			retries := min(l.most(f.outcome)-1, looked)
			v.fixedWaits(l, w, retries, why)
			if !own {
				v.sticky(l, retries)
			}
		}
	}
}

func (v *view) fixedWaits(l *layer, w *strategies.Waits, retries int64, why string) {
	first := retries + 1 // the first retry from which all waits are fixed
	for first > 1 && w.Min(first-1) == w.Max(first-1) {
		first--
	}
	f := Finding{Check: Jitter, Severity: Problem, Path: l.field("backoff"), Because: why, Fix: "a jitter, such as full-jitter"}
	kind := "fixed"
	switch {
	case first > retries:
		return
	case first == 1 && w.Max(retries) == 0:
		kind = "at once"
		f.Message = "retries without a wait: those who fail together retry together, at once"
		f.Fix = "a backoff with jitter, such as full-jitter 100ms cap 20s"
	case first == 1:
		f.Message = "no jitter: those who fail together retry together, after " + listWaits(w, retries)
	case retries-first < 1 && retries > 2:
		return // one wait at the end
	default:
		kind = "late"
		f.Message = fmt.Sprintf("no jitter from retry %d on: every wait is then exactly %s", first, duration(w.Min(first)))
		if w.Min(retries) != w.Min(first) {
			f.Message = fmt.Sprintf("no jitter from retry %d on: the waits are then the same for all, %s and so on", first, duration(w.Min(first)))
		}
		f.Fix = "jitter that is applied after the cap"
	}
	v.report(kind, f)
}

// listWaits writes the first waits.
func listWaits(w *strategies.Waits, retries int64) string {
	const shown = 3
	var out strings.Builder
	for k := int64(1); k <= min(retries, shown); k++ {
		if k > 1 {
			out.WriteString(", ")
		}
		out.WriteString(duration(w.Min(k)))
	}
	if retries > shown {
		out.WriteString(", ...")
	}
	return out.String()
}

// sticky notes decorrelated jitter at its cap, where most waits are the cap.
func (v *view) sticky(l *layer, retries int64) {
	b := &l.Backoff
	if b.Kind != "decorrelated-jitter" || b.Cap <= b.Base {
		return
	}
	reach, k := b.Base, int64(0)
	for reach < b.Cap && k <= retries {
		reach, k = 3*min(reach, time.Duration(1<<60)), k+1
	}
	if k > retries {
		return
	}
	again := 2 / (3 - b.Base.Seconds()/b.Cap.Seconds())
	v.report("sticky", Finding{
		Check: Jitter, Severity: Note, Path: l.field("backoff"),
		Message: fmt.Sprintf("from retry %d on waits may be exactly %s: after such a wait the next is the same with probability %s", k, duration(b.Cap), number(again)),
		Fix:     "full-jitter, which spreads waits up to the cap",
	})
}
