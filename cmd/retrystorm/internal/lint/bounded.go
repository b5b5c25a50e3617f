package lint

import (
	"fmt"
	"math"

	"retrystorm/strategies"
)

// bounded lowers the average of a layer to what its budgets allow.
func (v *view) bounded(h *hop, f *factor) {
	attempts, extra := f.attempts, float64(f.hedges)
	if b := f.layer.Budget; b != nil && attempts.N > 1 {
		if more, why, ok := v.extra(h, f.layer, b); ok && 1+more < attempts.N {
			attempts, f.budget = exactly(1+more), why
		}
	}
	if hedge := f.layer.Hedge; hedge != nil && extra > hedge.Budget {
		extra = hedge.Budget
	}
	f.average = attempts.times(exactly(1 + extra))
}

// extra is how many retries a budget allows for each request, on average over
// the run, when everything fails. It is not ok when that has no bound that
// arithmetic knows.
func (v *view) extra(h *hop, l *layer, b *strategies.Budget) (perRun float64, why string, ok bool) {
	who := v.holders(h, l, b.Scope, b.Keyed)
	if b.Scope == "request" {
		return 0, "", false
	}
	switch b.Kind {
	case "ratio":
		floor := who.floorShare(b)
		ratio := b.Ratio
		if b.Deposit == "success" || b.Deposit == "final" {
			ratio = 0 // failures earn nothing
		}
		return ratio + floor, fmt.Sprintf("ratio %s + floor %s", percent(ratio), percent(floor)), !math.IsInf(floor, 1)
	case "window":
		floor := who.floorShare(b)
		return max(b.Ratio, floor), fmt.Sprintf("ratio %s or floor %s", percent(b.Ratio), percent(floor)), !math.IsInf(floor, 1)
	case "failures":
		return max(b.Ratio-1, 0), "a ratio of " + percent(b.Ratio) + " of calls that may have failed", true
	case "tokens", "throttle":
		burst, earned := burstOf(b)
		if who.total == 0 || math.IsInf(who.total, 1) || math.IsInf(burst, 1) {
			return 0, "", false
		}
		return earned + burst/who.total, fmt.Sprintf("a bucket of %s for %s in the run", counted(burst, "retry"), counted(who.total, "request")), true
	}
	return 0, "", false
}

// floorShare is what the floor of a budget over time allows of the requests.
func (who *holder) floorShare(b *strategies.Budget) float64 {
	rate := floorRate(b)
	switch {
	case rate == 0:
		return 0
	case who.rate == 0:
		return inf
	}
	return rate / who.rate
}

func floorRate(b *strategies.Budget) float64 {
	if b.Floor.Set {
		return b.Floor.Rate
	}
	return 10
}

func floorCount(b *strategies.Budget) int64 {
	if b.Floor.Set {
		return b.Floor.Count
	}
	return 3
}

// burstOf is how many retries a full bucket of tokens allows at once, and how
// many each request earns by itself.
func burstOf(b *strategies.Budget) (burst, earned float64) {
	if b.Kind == "throttle" { // a failure costs 1; above half there are retries
		return max(math.Ceil(b.Tokens/2)-1, 0), 0
	}
	cost := min(b.Retry, b.Timeout, b.Throttled)
	if cost <= 0 {
		return inf, 0
	}
	return max(math.Floor((b.Tokens-b.Reserve)/cost), 0), b.Request / cost
}
