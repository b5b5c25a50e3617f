package lint

import (
	"fmt"
	"math"

	"retrystorm/strategies"
)

// budgets looks at what budgets allow.
func (v *view) budgets() {
	v.eachLayer(func(h *hop, i int) {
		l := &h.layers[i]
		b := l.Budget
		if b == nil || b.Scope == "request" || !v.retriesAny(h, i) {
			return
		}
		who := v.holders(h, l, b.Scope, b.Keyed)
		if v.idleBudget(l, b, who) {
			return
		}
		switch b.Kind {
		case "ratio", "window":
			v.floor(l, b, who)
		case "concurrent":
			v.floorInFlight(h, l, b, who)
		case "tokens", "throttle":
			v.burst(l, b, who)
		}
	})
}

// eachHop visits the hops that requests get to.
func (v *view) eachHop(visit func(h *hop)) {
	for i := range v.hops {
		if h := &v.hops[i]; v.alive(h) {
			visit(h)
		}
	}
}

// eachLayer visits their layers.
func (v *view) eachLayer(visit func(h *hop, i int)) {
	v.eachHop(func(h *hop) {
		for k := range h.layers {
			visit(h, k)
		}
	})
}

// each names the holders of a state, as in "each of 50 processes".
func (who *holder) each() string {
	switch {
	case who.what == everybody:
		return who.what
	case who.n == 1:
		return "the " + who.what
	}
	return "each of " + counted(who.n, who.what)
}

// floor reports a floor that is above the ratio at the rate of its holder.
func (v *view) floor(l *layer, b *strategies.Budget, who holder) {
	floor := floorRate(b)
	share := who.floorShare(b)
	if who.rate == 0 || share <= b.Ratio {
		return
	}
	retries := ""
	if who.n > 1 {
		retries = fmt.Sprintf(", %s in all", perSecond(floor*who.n))
	}
	v.report("", Finding{
		Check: BudgetFloor, Severity: Problem, Path: l.field("budget"),
		Message: fmt.Sprintf("the floor allows %s of retries to %s%s, which makes %s: it allows %s more calls, not %s",
			perSecond(floor), who.each(), retries, counted(who.rate, "request")+"/s", percent(share), percent(b.Ratio)),
		Fix: fmt.Sprintf("a floor of at most %s, or a scope that more requests share", perSecond(float64(b.Ratio*who.rate))),
	})
}

// floorInFlight reports a floor that is as high as what is in flight when all
// is well.
func (v *view) floorInFlight(h *hop, l *layer, b *strategies.Budget, who holder) {
	inFlight := float64(who.rate * v.roundTrip(h.Step))
	floor := float64(floorCount(b))
	if inFlight == 0 || floor < inFlight || floor == 0 {
		return
	}
	v.report("", Finding{
		Check: BudgetFloor, Severity: Note, Path: l.field("budget"),
		Message: fmt.Sprintf("the floor allows %s at once to %s, where %s requests are in flight when all is well (%s x %s): it is the floor that holds, not %s",
			counted(floor, "retry"), who.each(), number(inFlight), perSecond(who.rate), duration(seconds(v.roundTrip(h.Step))), percent(b.Ratio)),
		Fix: "a lower floor, or a scope that more requests share",
	})
}

// idleBudget reports a budget that allows more than its holder can ask for.
func (v *view) idleBudget(l *layer, b *strategies.Budget, who holder) bool {
	n := float64(l.MaxAttempts - 1)
	if l.MaxAttempts == strategies.Unlimited || who.total == 0 || math.IsInf(who.total, 1) {
		return false
	}
	most := who.total * n
	allowed, unit := 0.0, "retries at once"
	switch b.Kind {
	case "ratio":
		allowed = math.Floor(float64(floorRate(b) * b.Window.Seconds()))
	case "window":
		allowed, unit = max(math.Floor(floorRate(b)), 1), "retries in each second"
		if floorRate(b) == 0 {
			allowed = 0
		}
	case "concurrent":
		allowed, most = float64(floorCount(b)), who.total
	case "tokens", "throttle":
		allowed, _ = burstOf(b)
	}
	if most > allowed {
		return false
	}
	ask := fmt.Sprintf("%s x %s = %s retries", counted(who.total, "request"), number(n), number(most))
	if b.Kind == "concurrent" {
		ask = counted(who.total, "request")
	}
	v.report("", Finding{
		Check: BudgetIdle, Severity: Problem, Path: l.field("budget"),
		Message: fmt.Sprintf("the budget never says no: it allows %s %s to %s, which can ask for %s in the whole run",
			number(allowed), unit, who.each(), ask),
		Fix: "a smaller budget, or a scope that more callers share",
	})
	return true
}

// burst says what a full bucket allows.
func (v *view) burst(l *layer, b *strategies.Budget, who holder) {
	burst, _ := burstOf(b)
	if who.n < 2 || burst == 0 || math.IsInf(burst, 1) {
		return
	}
	lasts := ""
	if l.MaxAttempts > 1 && who.rate > 0 {
		t := burst / float64(who.rate*float64(l.MaxAttempts-1))
		lasts = fmt.Sprintf("; when everything fails it lasts %s", duration(seconds(t)))
	}
	v.report("", Finding{
		Check: BudgetBurst, Severity: Note, Path: l.field("budget"),
		Message: fmt.Sprintf("a full bucket is %s for %s: %s x %s = %s before it says no%s",
			counted(burst, "retry"), who.each(), number(who.n), number(burst), number(who.n*burst), lasts),
		Fix: "a smaller bucket, or fewer that have their own",
	})
}
