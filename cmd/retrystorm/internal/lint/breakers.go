package lint

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"retrystorm/strategies"
)

// breakers looks for breakers that cannot open, or stop too much.
func (v *view) breakers() {
	v.eachLayer(func(h *hop, i int) {
		l := &h.layers[i]
		b := l.Breaker
		if b == nil || l.MaxAttempts == 1 && b.Wraps == "retries" {
			return
		}
		v.neverOpens(h, l, b)
		v.severalTargets(l, b)
		if b.Kind != "time" && b.HalfOpen > b.Size && v.places.Wrote(l.field("breaker.half_open")) {
			v.report("", Finding{
				Check: Breaker, Severity: Note, Path: l.field("breaker.half_open"),
				Message: fmt.Sprintf("half open it lets %d calls through, more than the %d that it looks at", b.HalfOpen, b.Size),
				Fix:     "half_open of at most size",
			})
		}
		if b.Wraps == "request" && l.MaxAttempts == 1 && v.places.Wrote(l.field("breaker.wraps")) {
			v.report("", Finding{
				Check: Breaker, Severity: Note, Path: l.field("breaker.wraps"),
				Message: "wraps request is the same as attempts: max_attempts is 1, so a request is one attempt",
			})
		}
	})
}

// neverOpens reports a breaker that does not see enough calls to open.
func (v *view) neverOpens(h *hop, l *layer, b *strategies.Breaker) {
	who := v.holders(h, l, b.Scope, b.Keyed)
	per := 1.0 // calls of one run that it sees
	if b.Wraps != "request" {
		per = v.worst(h, v.failures(h)).calls.N
	}
	need := minCalls(b)
	fix := "fewer calls to decide on, a longer window, or a scope that more callers share"
	if most := who.total * per; most > 0 && most < float64(need) {
		v.report("", Finding{
			Check: Breaker, Severity: Problem, Path: l.field("breaker"),
			Message: fmt.Sprintf("it never opens: it needs %d calls, and %s makes at most %s in the whole run", need, who.each(), number(most)),
			Fix:     fix,
		})
		return
	}
	seen := float64(who.rate*b.Window.Seconds()) * per
	if b.Kind != "time" || who.rate == 0 || math.IsInf(seen, 1) || seen >= float64(need) {
		return
	}
	times := ""
	if per > 1 {
		times = fmt.Sprintf(" x %s attempts", number(per))
	}
	v.report("", Finding{
		Check: Breaker, Severity: Problem, Path: l.field("breaker"),
		Message: fmt.Sprintf("it hardly ever opens: a window of %s sees about %s of %s (%s%s), and min_calls is %d",
			duration(b.Window), counted(seen, "call"), who.each(), perSecond(who.rate), times, need),
		Fix: fix,
	})
}

func minCalls(b *strategies.Breaker) int64 {
	switch {
	case b.Kind == "consecutive":
		return b.Size
	case b.MinCalls != nil:
		return *b.MinCalls
	case b.Kind == "count":
		return b.Size
	}
	return 10
}

// severalTargets reports a breaker that one bad service opens for others.
func (v *view) severalTargets(l *layer, b *strategies.Breaker) {
	if b.Keyed != "policy" {
		return
	}
	var targets []string
	for i := range v.hops {
		h := &v.hops[i]
		if name := v.service(h).Name; v.alive(h) && h.has(l.Policy) && !slices.Contains(targets, name) {
			targets = append(targets, name)
		}
	}
	if len(targets) < 2 {
		return
	}
	v.report("", Finding{
		Check: BreakerScope, Severity: Problem, Path: l.field("breaker"),
		Message: "one breaker for " + strings.Join(targets, " and ") + ": when one of them fails, calls to the others stop too",
		Fix:     "keyed target",
	})
}
