package strategies

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Validate calls bad for every problem: the field by its name in the file, and
// what is allowed. Fields of the backoff are named backoff.base and so on.
func (p Policy) Validate(bad func(field, problem string)) {
	check := report(bad)
	check.duration("timeout", p.Timeout)
	check.that(p.MaxAttempts >= 1 || p.MaxAttempts == Unlimited,
		"max_attempts", "must be at least 1 (the first try counts), or unlimited")
	check.duration("max_elapsed", p.MaxElapsed)
	for _, word := range p.RetryOn {
		if _, err := ParseOutcomes([]string{word}); err != nil {
			bad("retry_on", err.Error())
		}
	}
	once := p.MaxAttempts >= 0 && p.MaxAttempts <= 1
	check.that(len(p.RetryOn) > 0 || once,
		"retry_on", "must name an outcome, or nothing is retried; for that, set max_attempts: 1")
	check.that(p.LateAnswers == "" || p.LateAnswers == "ignore" || p.LateAnswers == "accept",
		"late_answers", "must be ignore or accept")
	p.Backoff.Validate(func(field, problem string) { bad("backoff."+field, problem) })
}

// Validate is like [Policy.Validate] and looks at the fields that the kind uses.
func (b Backoff) Validate(bad func(field, problem string)) {
	k, ok := kindOf(b.Kind)
	if !ok {
		bad("kind", "must be one of "+kindNames())
		return
	}
	for _, field := range b.Kinds()[k][1:] {
		b.check(field, bad)
	}
}

func (b Backoff) check(field string, check report) {
	switch field {
	case "base":
		check.duration(field, b.Base)
		check.that(b.Cap <= 0 || b.Base <= b.Cap, field, fmt.Sprintf("must not be above cap (%v)", b.Cap))
	case "cap":
		check.duration(field, b.Cap)
	case "factor":
		check.that(b.Factor >= 1 && b.Factor <= math.MaxFloat64, field, "must be at least 1: waits do not shrink")
	case "first_exponent":
		check.that(b.FirstExponent >= 0, field, "must be at least 0")
	case "lo":
		check.that(b.Lo >= 0 && b.Lo <= math.MaxFloat64, field, "must be at least 0")
	case "hi":
		check.that(b.Hi >= 0 && b.Hi <= math.MaxFloat64, field, "must be at least lo")
		check.that(!(b.Hi >= 0 && b.Lo > b.Hi), field, fmt.Sprintf("must not be below lo (%v)", b.Lo))
	case "spread":
		check.duration(field, b.Spread)
	}
}

// report tells about one bad field. Its conditions say what is good, so that
// NaN is bad.
type report func(field, problem string)

func (r report) that(ok bool, field, problem string) {
	if !ok {
		r(field, problem)
	}
}

func (r report) duration(field string, d time.Duration) {
	r.that(d >= 0, field, "must be at least 0s")
}

func kindNames() string {
	var names []string
	for _, entry := range (Backoff{}).Kinds() {
		names = append(names, entry[0])
	}
	return strings.Join(names, ", ")
}
