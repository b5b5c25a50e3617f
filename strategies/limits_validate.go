package strategies

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Bounds of what is counted; they keep products within 63 bits.
const (
	maxCount    = 1_000_000_000
	maxCalls    = 1_000_000 // of a window that remembers each call
	maxHedges   = 100
	maxRatio    = 1000
	maxTokens   = 1_000_000_000
	maxThrottle = 1000 // tokens of gRPC
	maxRate     = 1e9  // per second
	minRate     = 1e-9
	maxFill     = 1e9 // seconds
)

// fieldsOf is the fields that a kind uses; of an unknown kind it tells what is
// allowed.
func (r report) fieldsOf(kinds [][]string, kind string) []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		if k[0] == kind {
			return k[1:]
		}
		names[i] = k[0]
	}
	r("kind", "must be one of "+strings.Join(names, ", "))
	return nil
}

// oneOf: the empty word is the default.
func (r report) oneOf(field, word string, words ...string) {
	r.that(word == "" || slices.Contains(words, word), field, "must be one of "+strings.Join(words, ", "))
}

func (r report) count(field string, n, most int64) {
	r.that(1 <= n && n <= most, field, fmt.Sprintf("must be 1 to %d", most))
}

func (r report) within(field string, x, lo, hi float64, problem string) {
	r.that(lo <= x && x <= hi, field, problem)
}

func (r report) positive(field string, d time.Duration) { r.that(d > 0, field, "must be above 0s") }

func (r report) keyed(keyed string) { r.oneOf("keyed", keyed, "target", "policy") }

// Validate calls bad for every field that the kind uses and cannot: its name in
// the file, and what is allowed.
func (b Budget) Validate(bad func(field, problem string)) {
	check := report(bad)
	for _, field := range check.fieldsOf(b.Kinds(), b.Kind) {
		b.check(field, check)
	}
}

func (b Budget) check(field string, check report) {
	switch field {
	case "ratio":
		if b.Kind == "concurrent" {
			check.within(field, b.Ratio, 0, 1, "must be 0% to 100%")
		} else {
			check.within(field, b.Ratio, 0, maxRatio, "must be 0% to 100000%")
		}
	case "floor":
		b.checkFloor(check)
	case "window":
		check.positive(field, b.Window)
	case "deposit":
		check.oneOf(field, b.Deposit, depositRequest, depositSuccess, depositFinal)
	case "per_request":
		check.that(0 < b.PerRequest && b.PerRequest <= 1, field, "must be above 0% and at most 100%; for no retries at all, set max_attempts: 1")
	case "tokens":
		if b.Kind == "throttle" {
			check.that(0 < b.Tokens && b.Tokens <= maxThrottle, field, "must be above 0 and at most 1000")
		} else {
			check.that(0 < b.Tokens && b.Tokens <= maxTokens, field, "must be above 0 and at most 1e9")
		}
	case "retry":
		check.amount(field, b.Retry)
		check.that(!(b.Retry > b.Tokens-b.Reserve), field, "must be at most tokens less reserve, or no retry is ever paid")
	case "timeout":
		check.amount(field, b.Timeout)
	case "throttled":
		check.amount(field, b.Throttled)
	case "success":
		check.amount(field, b.Success)
	case "request":
		check.amount(field, b.Request)
	case "reserve":
		check.amount(field, b.Reserve)
	case "per_success":
		check.amount(field, b.PerSuccess)
	case "scope":
		check.oneOf(field, b.Scope, "request", "client", "process", "all")
	case "keyed":
		check.keyed(b.Keyed)
	}
}

func (r report) amount(field string, x float64) {
	r.within(field, x, 0, maxTokens, "must be 0 to 1e9")
}

// checkFloor: a rate for budgets over time, a count for those of what is in
// flight.
func (b Budget) checkFloor(check report) {
	if b.Kind == "concurrent" {
		check.that(b.Floor.Rate == 0, "floor", "must be a number of retries at once, such as 3, not a rate")
		check.that(0 <= b.Floor.Count && b.Floor.Count <= maxCount, "floor", "must be 0 to 1e9")
		return
	}
	check.that(b.Floor.Count == 0, "floor", "must be a rate, such as 10/s, not a number of retries at once")
	check.within("floor", b.Floor.Rate, 0, maxRate, "must be 0/s to 1e9/s")
	check.that(b.Floor.Rate == 0 || b.Floor.Rate >= minRate, "floor", "must be 0/s, or at least 1e-9/s")
}

// Validate is like [Budget.Validate].
func (b Breaker) Validate(bad func(field, problem string)) {
	check := report(bad)
	for _, field := range check.fieldsOf(b.Kinds(), b.Kind) {
		b.check(field, check)
	}
}

func (b Breaker) check(field string, check report) {
	switch field {
	case "size":
		check.count(field, b.Size, maxCalls)
	case "window":
		check.positive(field, b.Window)
	case "failures":
		check.breaking(field, b.Failures)
	case "min_calls":
		if b.MinCalls != nil {
			check.count(field, *b.MinCalls, maxCount)
		}
	case "open":
		check.duration(field, b.Open)
	case "half_open":
		check.count(field, b.HalfOpen, maxCount)
	case "slow_call":
		check.duration(field, b.SlowCall)
	case "slow_calls":
		check.breaking(field, b.SlowCalls)
	case "failure_on":
		for _, word := range b.FailureOn {
			if _, err := ParseOutcomes([]string{word}); err != nil {
				check(field, err.Error())
			}
		}
		check.that(len(b.FailureOn) > 0, field, "must name an outcome, or nothing opens the breaker; for that, set breaker: none")
	case "wraps":
		check.oneOf(field, b.Wraps, "attempts", "request", "retries")
	case "scope":
		check.oneOf(field, b.Scope, "client", "process", "all")
	case "keyed":
		check.keyed(b.Keyed)
	}
}

func (r report) breaking(field string, share float64) {
	r.that(1.0/million <= share && share <= 1, field, "must be above 0% (at least 0.0001%) and at most 100%")
}

// Validate is like [Budget.Validate].
func (h Hedge) Validate(bad func(field, problem string)) {
	check := report(bad)
	check.duration("after", h.After.Delay)
	check.that(h.After.Quantile == 0 || 1.0/million <= h.After.Quantile && h.After.Quantile <= 1-1.0/million,
		"after", "must be a time, or a quantile from p0.0001 to p99.9999")
	check.that(h.After.Quantile == 0 || h.After.Delay == 0, "after", "must be a time or a quantile, not both")
	check.count("max", h.Max, maxHedges)
	check.that(1.0/million <= h.Budget && h.Budget <= 1, "budget", "must be above 0% (at least 0.0001%) and at most 100%")
	check.oneOf("on_failure", h.OnFailure, "send", "wait")
	check.oneOf("scope", h.Scope, "client", "process", "all")
	check.keyed(h.Keyed)
}

// Validate is like [Budget.Validate].
func (l Limiter) Validate(bad func(field, problem string)) {
	check := report(bad)
	for _, field := range check.fieldsOf(l.Kinds(), l.Kind) {
		l.check(field, check)
	}
}

func (l Limiter) check(field string, check report) {
	switch field {
	case "limit": // with min and max
		l.flight().Validate(check)
	case "rate":
		check.within(field, l.Rate, minRate, maxRate, "must be 1e-9/s to 1e9/s")
	case "burst":
		check.that(l.Burst >= 1, field, "must be at least 1: an empty bucket lets nothing go, ever")
		check.that(!(l.Rate > 0) || l.Burst < 1 || float64(l.Burst)/l.Rate <= maxFill, field,
			"must be at most 1e9 s x rate: the bucket would take more than 30 years to fill")
	case "when_full":
		check.oneOf(field, l.WhenFull, "wait", "fail")
	case "scope":
		check.oneOf(field, l.Scope, "client", "process", "all")
	case "keyed":
		check.keyed(l.Keyed)
	}
}
