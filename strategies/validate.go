package strategies

import (
	"fmt"
	"math"
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
	check.oneOf("elapsed_check", p.ElapsedCheck, "before-wait", "after-wait")
	check.duration("deadline", p.Deadline)
	check.outcomes("retry_on", p.RetryOn)
	once := p.MaxAttempts >= 0 && p.MaxAttempts <= 1
	check.that(len(p.RetryOn) > 0 || once,
		"retry_on", "must name an outcome, or nothing is retried; for that, set max_attempts: 1")
	check.duration("slower_than", p.SlowerThan)
	check.duration("faster_than", p.FasterThan)
	check.that(p.FasterThan <= 0 || p.SlowerThan < p.FasterThan,
		"slower_than", fmt.Sprintf("must be below faster_than (%v), or nothing is retried", p.FasterThan))
	check.that(p.LateAnswers == "" || p.LateAnswers == "ignore" || p.LateAnswers == "accept",
		"late_answers", "must be ignore or accept")
	check.oneOf("cancel", p.Cancel, "never", "queued", "running")
	p.Backoff.Validate(check.in("backoff"))
	for _, o := range p.BackoffOn {
		check.outcomes("backoff_on", []string{o.Outcome})
		o.Validate(check.in("backoff_on." + o.Outcome))
	}
	p.RetryAfter.Validate(check.in("retry_after"))
	p.validateShared(check)
}

// validateShared looks at what callers share.
func (p Policy) validateShared(check report) {
	if p.Budget != nil {
		p.Budget.Validate(check.in("budget"))
	}
	if p.Breaker != nil {
		p.Breaker.Validate(check.in("breaker"))
	}
	if p.Hedge != nil {
		p.Hedge.Validate(check.in("hedge"))
	}
	if p.Limiter != nil {
		p.Limiter.Validate(check.in("limiter"))
	}
}

// Validate is like [Policy.Validate] and looks at the fields that the kind uses.
func (a RetryAfter) Validate(bad func(field, problem string)) {
	check := report(bad)
	if _, ok := askedKindOf(a.Kind); !ok {
		check.fieldsOf(a.Kinds(), a.Kind)
		return
	}
	if a.Kind == "" || a.Kind == "ignore" {
		return
	}
	check.duration("cap", a.Cap)
	check.oneOf("too_long", a.TooLong, "cut", "give-up", "ignore")
	if a.Kind == "band" {
		check.duration("width", a.Width)
	}
	most := 1000.0
	if a.Centred {
		most = 1
	}
	check.within("jitter", a.Jitter, 0, most, fmt.Sprintf("must be 0%% to %v%%", 100*most))
	check.outcomes("answers", a.Answers)
	check.that(len(a.Answers) > 0, "answers", "must name an outcome, or nothing is read; for that, set kind: ignore")
	_, ok := ParseForms(a.Forms)
	check.that(ok && len(a.Forms) > 0, "forms", "must be some of seconds, date, ms")
}

// Validate is like [Policy.Validate] and looks at the fields that the kind
// uses, custom at those that its other axes use.
func (b Backoff) Validate(bad func(field, problem string)) {
	check := report(bad)
	k, ok := kindOf(b.Kind)
	if !ok {
		check.fieldsOf(b.Kinds(), b.Kind)
		return
	}
	for _, field := range b.Kinds()[k][1:] {
		if b.Kind != "custom" || b.uses(field) {
			b.check(field, check)
		}
	}
}

func (b Backoff) check(field string, check report) {
	switch field {
	case "base":
		check.duration(field, b.Base)
		if b.Kind == "custom" {
			b.checkCapped(check)
			return
		}
		check.that(b.Cap <= 0 || b.Base <= b.Cap, field, fmt.Sprintf("must not be above cap (%v)", b.Cap))
	case "cap":
		check.duration(field, b.Cap)
	case "factor":
		check.that(b.Factor >= 1 && b.Factor <= math.MaxFloat64, field, "must be at least 1: waits do not shrink")
	case "first_exponent":
		check.that(b.FirstExponent >= 0, field, "must be at least 0")
	case "lo":
		check.that(b.Lo >= 0 && b.Lo <= math.MaxFloat64, field, "must be at least 0"+b.ifJittered())
	case "hi":
		check.that(b.Hi >= 0 && b.Hi <= math.MaxFloat64, field, "must be at least lo")
		check.that(!(b.Hi >= 0 && b.Lo > b.Hi) || b.apart(), field, fmt.Sprintf("must not be below lo (%v)", b.Lo))
	case "spread":
		check.duration(field, b.Spread)
	case "waits":
		check.that(1 <= len(b.Waits) && len(b.Waits) <= tabled, field, fmt.Sprintf("must be 1 to %d waits", tabled))
		for _, wait := range b.Waits {
			check.duration(field, wait)
		}
	case "steps":
		check.that(b.Steps >= 1 || b.Steps == Unlimited,
			field, "must be at least 1, or unlimited; for no retries at all, set max_attempts: 1")
	default:
		b.checkAxis(field, check)
	}
}

// checkCapped: a base above the cap is a mistake where it makes all waits the
// same. Libraries say nothing.
func (b Backoff) checkCapped(check report) {
	if b.Cap <= 0 || b.CapOn == "state" || b.Growth == "polynomial" || b.Growth == "polly" {
		return
	}
	check.that(b.Base <= b.Cap, "base",
		fmt.Sprintf("must not be above cap (%v), or every wait is cut to it; cap_on: state leaves the first alone", b.Cap))
}

// ifJittered says what libraries do when a jitter of more than 100 % makes a
// wait negative.
func (b Backoff) ifJittered() string {
	if b.Kind == "custom" && b.Growth != "walk" {
		return ": a jitter above 100% makes waits negative, and libraries then do not wait at all"
	}
	return ""
}

// checkAxis looks at the fields that only custom has.
func (b Backoff) checkAxis(field string, check report) {
	switch field {
	case "first_repeats":
		check.that(b.FirstRepeats >= 0, field, "must be at least 0")
	case "growth":
		check.oneOf(field, b.Growth, "constant", "power", "power-minus-one", "polynomial", "fibonacci", "walk", "polly")
	case "degree":
		check.that(b.Degree >= 1, field, "must be at least 1")
	case "offset":
		check.duration(field, b.Offset)
	case "lo_of":
		check.oneOf(field, b.LoOf, "base", "previous")
	case "first_lo":
		check.that(b.FirstLo >= 0 && b.FirstLo <= math.MaxFloat64, field, "must be at least 0")
	case "first_hi":
		check.that(b.FirstHi >= 0 && b.FirstHi <= math.MaxFloat64, field, "must be at least first_lo")
		check.that(!(b.FirstHi >= 0 && b.FirstLo > b.FirstHi), field, fmt.Sprintf("must not be below first_lo (%v)", b.FirstLo))
	case "first":
		check.that(b.First == nil || *b.First >= 0, field, "must be at least 0s")
	case "jitter":
		check.oneOf(field, b.Jitter, "none", "full", "equal", "factor", "add", "plus-minus", "above")
		check.that(b.Jitter == "" || b.Jitter == "none" || !b.depends(),
			field, fmt.Sprintf("must be none with growth %s, which is random already", b.Growth))
	case "from":
		check.duration(field, b.From)
	case "values":
		check.that(b.Values >= 2 || b.Values == Unlimited, field, "must be at least 2, or unlimited")
	case "widen":
		check.duration(field, b.Widen)
	case "cap_on":
		check.oneOf(field, b.CapOn, "before", "after", "both", "state")
	case "at_cap":
		check.oneOf(field, b.AtCap, "continue", "stop-jitter", "half", "stay", "end")
		check.that(b.Growth != "walk" || b.AtCap != "stay" && b.AtCap != "end",
			field, "must be continue, stop-jitter or half with growth walk")
		check.that(b.Growth != "polly" || b.AtCap == "" || b.AtCap == "continue", field, "must be continue with growth polly")
	case "min":
		check.duration(field, b.Min)
		check.that(b.Cap <= 0 || b.Min <= b.Cap, field, fmt.Sprintf("must not be above cap (%v), or every wait is the same", b.Cap))
	case "round":
		check.oneOf(field, b.Round, "none", "down", "nearest", "up")
	case "unit":
		check.positive(field, b.Unit)
	case "round_steps":
		check.that(!b.RoundSteps || b.Growth == "" || b.Growth == "power", field, "must be false with growth "+b.Growth)
	case "overflow":
		check.oneOf(field, b.Overflow, "saturate", "at-once", "timer")
	case "sorted":
		check.that(!b.Sorted || !b.depends(), field, "must be false with growth "+b.Growth)
		check.that(!b.Sorted || 1 <= b.Steps && b.Steps <= tabled, field, fmt.Sprintf("must be false, or steps 1 to %d", tabled))
		check.that(!b.Sorted || b.First == nil, field, "must be false with first")
	}
}

// uses reports whether the axes of custom look at a field.
func (b Backoff) uses(field string) bool {
	switch field {
	case "factor":
		return b.Growth == "" || b.Growth == "power" || b.Growth == "power-minus-one" || b.Growth == "walk" && b.HiGrows
	case "degree", "offset":
		return b.Growth == "polynomial"
	case "lo", "hi":
		return b.Growth == "walk" || b.Jitter == "factor"
	case "lo_of", "first_lo", "first_hi":
		return b.Growth == "walk"
	case "spread":
		return b.Jitter == "add" || b.Jitter == "plus-minus"
	case "from":
		return b.Jitter == "above"
	case "unit":
		return b.RoundSteps || b.Round != "" && b.Round != "none"
	default:
		return true
	}
}

// depends reports whether a wait depends on the one before.
func (b Backoff) depends() bool {
	return b.Kind == "custom" && (b.Growth == "walk" || b.Growth == "polly")
}

// apart reports whether lo and hi multiply different waits.
func (b Backoff) apart() bool {
	return b.Growth == "walk" && b.LoOf != "previous" && b.Kind == "custom"
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

// in puts the name of a section before the fields.
func (r report) in(section string) report {
	return func(field, problem string) { r(section+"."+field, problem) }
}

func (r report) outcomes(field string, words []string) {
	for _, word := range words {
		if _, err := ParseOutcomes([]string{word}); err != nil {
			r(field, err.Error())
		}
	}
}
