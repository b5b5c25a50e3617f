package strategies

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Validate reports every field that is wrong, by its name in the file, with
// what is allowed. Fields of the backoff are called backoff.NAME.
func (p Policy) Validate(bad func(field, problem string)) {
	notNegative(bad, "timeout", p.Timeout)
	notNegative(bad, "max_elapsed", p.MaxElapsed)
	if p.MaxAttempts < 1 && p.MaxAttempts != Unlimited {
		bad("max_attempts", fmt.Sprintf("is %d; allowed: 1 or more (the first try counts), or unlimited", p.MaxAttempts))
	}
	for _, word := range p.RetryOn {
		if _, err := ParseOutcomes([]string{word}); err != nil {
			bad("retry_on", err.Error())
		}
	}
	if len(p.RetryOn) == 0 && (p.MaxAttempts > 1 || p.MaxAttempts == Unlimited) {
		bad("retry_on", "is empty, so nothing would be retried; name outcomes, or set max_attempts: 1")
	}
	switch p.LateAnswers {
	case "", "ignore", "accept":
	default:
		bad("late_answers", fmt.Sprintf("is %q; allowed: ignore, accept", p.LateAnswers))
	}
	p.Backoff.Validate(func(field, problem string) { bad("backoff."+field, problem) })
}

// Validate reports every field that is wrong among those its kind uses, by its
// name in the file, with what is allowed.
func (b Backoff) Validate(bad func(field, problem string)) {
	k, ok := kindOf(b.Kind)
	if !ok {
		bad("kind", fmt.Sprintf("is %q; allowed: %s", b.Kind, kindNames()))
		return
	}
	for _, field := range b.Kinds()[k][1:] {
		b.validateField(field, bad)
	}
}

func (b Backoff) validateField(field string, bad func(field, problem string)) {
	switch field {
	case "base":
		notNegative(bad, field, b.Base)
		if b.Cap > 0 && b.Base > b.Cap {
			bad(field, fmt.Sprintf("is %v, above cap %v; allowed: 0s to cap", b.Base, b.Cap))
		}
	case "cap":
		notNegative(bad, field, b.Cap)
	case "factor":
		if !(b.Factor >= 1) || math.IsInf(b.Factor, 0) { // not NaN either
			bad(field, fmt.Sprintf("is %v; allowed: 1 or more", b.Factor))
		}
	case "first_exponent":
		if b.FirstExponent < 0 {
			bad(field, fmt.Sprintf("is %d; allowed: 0 or more", b.FirstExponent))
		}
	case "lo":
		if !(b.Lo >= 0) || math.IsInf(b.Lo, 0) {
			bad(field, fmt.Sprintf("is %v; allowed: 0 to hi", b.Lo))
		}
	case "hi":
		if !(b.Hi >= 0) || math.IsInf(b.Hi, 0) {
			bad(field, fmt.Sprintf("is %v; allowed: lo or more", b.Hi))
		} else if b.Lo > b.Hi {
			bad(field, fmt.Sprintf("is %v, below lo %v; allowed: lo or more", b.Hi, b.Lo))
		}
	case "spread":
		notNegative(bad, field, b.Spread)
	}
}

func notNegative(bad func(field, problem string), field string, d time.Duration) {
	if d < 0 {
		bad(field, fmt.Sprintf("is %v; allowed: 0s or more", d))
	}
}

func kindNames() string {
	var names []string
	for _, entry := range (Backoff{}).Kinds() {
		names = append(names, entry[0])
	}
	return strings.Join(names, ", ")
}
