package lint

import (
	"math"
	"slices"
	"time"

	"retrystorm/server"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// longest is a time that no timeout reaches.
const longest = time.Duration(math.MaxInt64)

// failure is a way in which the calls of a service fail.
type failure struct {
	outcome strategies.Outcome
	// The service's part of the time it takes, the shortest and the longest. A
	// timeout happens only to who waits less than the longest.
	quick, late time.Duration
	why         string        // what causes it, and whom it meets
	path        string        // of the answer, if it is one that a field names
	reply       *server.Reply // that answer
	together    bool          // it meets all callers at once
	overload    bool          // it comes of load, and outlasts what began it
	below       bool          // it comes of what the service calls
	assumed     bool          // nothing in the scenario causes it
}

// outcomes lists what an attempt can fail with. A caller's own rejections make
// no calls.
func outcomes() []strategies.Outcome {
	out := []strategies.Outcome{strategies.Refused, strategies.Reset, strategies.Timeout}
	for status := strategies.Outcome(400); status < 600; status++ {
		out = append(out, status)
	}
	return out
}

// badGateway is what a service answers whose own calls have failed.
const badGateway strategies.Outcome = 502

var (
	anyOutcome   = outcomes()
	assumed      = assume(anyOutcome...)
	assumedBelow = assume(badGateway, strategies.Timeout)
)

// assume makes failures that nothing causes.
func assume(outcomes ...strategies.Outcome) []failure {
	var out []failure
	for _, o := range outcomes {
		out = append(out, failure{outcome: o, late: longest, assumed: true})
	}
	return out
}

// failures are the ways in which the calls of a hop can fail; where nothing in
// the scenario makes them fail, all ways there are.
func (v *view) failures(h *hop) []failure {
	var out []failure
	for _, f := range v.failing[h.To] {
		if h.fails(0, &f) {
			out = append(out, f)
		}
	}
	if len(out) == 0 && !v.isQueue(h.To) {
		return assumed
	}
	return out
}

// fromBelow are those of the failures of a hop that come of what the service
// calls itself.
func (v *view) fromBelow(h *hop) []failure {
	var out []failure
	for _, f := range v.failing[h.To] {
		if f.below && h.fails(0, &f) {
			out = append(out, f)
		}
	}
	if len(out) == 0 {
		return assumedBelow
	}
	return out
}

// ofOverload keeps the failures that load alone causes.
func ofOverload(list []failure) []failure {
	return slices.DeleteFunc(slices.Clone(list), func(f failure) bool { return !f.overload })
}

// fails says whether a failure happens to layer i: a timeout only where somebody
// stops waiting.
func (h *hop) fails(i int, f *failure) bool {
	if f.outcome != strategies.Timeout {
		return true
	}
	for k := i; k < len(h.layers); k++ {
		l := &h.layers[k]
		if limit := firstOf(l.Timeout, l.Deadline); limit > 0 && limit < after(f.late, h.far()) {
			return true
		}
	}
	return false
}

// firstOf is the earlier of two limits, 0 being none.
func firstOf(a, b time.Duration) time.Duration {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// near and far are the shortest and the longest time that the network takes of
// a call.
func (h *hop) near() time.Duration { return after(least(h.Network), least(h.Network)) }

func (h *hop) far() time.Duration { return after(most(h.Network), most(h.Network)) }

// most is the longest that is drawn, but for one in millions.
func most(d random.Dist) time.Duration {
	switch d.Kind {
	case "constant", "":
		return d.Mean
	case "uniform":
		return d.To
	}
	return beyond(d.MeanSeconds(), d.Variance())
}

// beyond is six standard deviations above the mean.
func beyond(mean, variance float64) time.Duration {
	if math.IsNaN(variance) || math.IsInf(variance, 0) {
		return longest
	}
	return seconds(mean + float64(6*math.Sqrt(variance)))
}

// retries says whether a layer tries again after a failure, given the shortest
// and the longest time that it took.
func (l *layer) retries(f *failure, quick, late time.Duration) bool {
	if !l.rules.Retryable(f.outcome) || l.most(f.outcome) == 1 || l.Budget != nil && neverGrants(l.Budget, f.outcome) {
		return false
	}
	if l.SlowerThan > 0 && late <= l.SlowerThan || l.FasterThan > 0 && max(quick, l.SlowerThan) >= l.FasterThan {
		return false
	}
	asked := strategies.Failure{Outcome: f.outcome, Attempt: 1, Took: quick, Hinted: f.assumed}
	if l.SlowerThan > 0 {
		asked.Took = max(quick, l.SlowerThan+1)
	}
	if f.reply != nil && f.reply.RetryAfter.Kind != server.AskedNothing && l.rules.Reads(f.outcome, formOf(f.reply)) {
		asked.Hinted = true
		switch f.reply.RetryAfter.Kind {
		case server.AskedDelay:
			asked.Asked = f.reply.RetryAfter.Delay
		case server.AskedNever:
			asked.Asked = longest
		}
	}
	why := l.rules.Next(&asked, 0).Why
	return why != strategies.NotRetryable && why != strategies.RetryAfterTooLong
}

// neverGrants says whether a budget allows no retry after an outcome at all.
func neverGrants(b *strategies.Budget, o strategies.Outcome) bool {
	switch b.Kind {
	case "ratio", "window":
		return b.Ratio == 0 && floorRate(b) == 0
	case "concurrent":
		return b.Ratio == 0 && floorCount(b) == 0
	case "tokens":
		cost := b.Retry
		switch o {
		case strategies.Timeout:
			cost = b.Timeout
		case 429:
			cost = b.Throttled
		}
		return b.Tokens-cost < b.Reserve
	case "throttle":
		burst, _ := burstOf(b)
		return burst == 0
	}
	return false
}

// retriesAny says whether layer i of a hop retries anything that can happen.
func (v *view) retriesAny(h *hop, i int) bool {
	return slices.ContainsFunc(v.failures(h), func(f failure) bool { return h.retries(i, &f) })
}

// retries says whether layer i of a hop retries a failure.
func (h *hop) retries(i int, f *failure) bool {
	if !h.fails(i, f) {
		return false
	}
	l := &h.layers[i]
	quick, late := after(f.quick, h.near()), after(f.late, h.far())
	if f.outcome == strategies.Timeout && l.Timeout > 0 && l.Timeout < late {
		quick = l.Timeout
	}
	if l.Timeout > 0 {
		quick, late = min(quick, l.Timeout), min(late, l.Timeout)
	}
	if i < len(h.layers)-1 {
		late = longest // the inner layers may have waited
		if l.Timeout > 0 {
			late = l.Timeout
		}
	}
	return l.retries(f, quick, late)
}

// assumed says whether nothing in the scenario makes the calls of a hop fail.
func (v *view) assumed(h *hop) bool { return !v.isQueue(h.To) && v.failures(h)[0].assumed }
