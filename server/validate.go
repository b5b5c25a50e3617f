package server

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

const (
	maxWaiting = 1_000_000_000
	maxRows    = 10_000_000
	// maxReplicas is a number that least still looks through in no time.
	maxReplicas = 10_000
	// minEvery is the least time between the repetitions of a fault, each of
	// which takes some events.
	minEvery = time.Millisecond
	// maxFill is the longest time, in seconds, in which a token bucket may
	// fill; it keeps times in nanoseconds within 62 bits.
	maxFill = 1e9
	maxRate = 1e9
)

// Validate calls bad for every problem of a service, with the path of the
// field within it and what is allowed there.
func (spec Spec) Validate(bad func(field, problem string)) {
	v := check{bad: bad}
	v.that(0 <= spec.Replicas && spec.Replicas <= maxReplicas, "replicas", "must be 1 to 10000")
	v.oneOf("balance", spec.Balance, balances...)
	if spec.Admit != nil {
		v.share("admit", *spec.Admit)
	}
	v.that(spec.Workers == Unlimited || 1 <= spec.Workers && spec.Workers <= maxWorkers,
		"workers", "must be 1 to 1e9, or unlimited")
	spec.ServiceTime.Validate(v.under("service_time").at)
	v.that(spec.Redraw == "" || spec.Redraw == "attempt" || spec.Redraw == "request", "redraw", "must be attempt or request")
	v.duration("slowdown", spec.Slowdown)
	spec.Queue.validate(v.under("queue"), &spec)
	v.that(spec.InFlight == Unlimited || 0 <= spec.InFlight && spec.InFlight <= maxWaiting,
		"in_flight", "must be 1 to 1e9, or unlimited")
	if spec.Limiter != nil {
		w := v.under("limiter")
		spec.Limiter.Spec.Validate(w.at)
		spec.Limiter.Answer.validate(w.under("answer"), &spec)
	}
	if spec.Shed != nil {
		spec.Shed.validate(v.under("shed"), &spec)
		v.that(spec.Queue.Limit >= 1, "shed", "needs a queue with a limit of at least 1, as above is a share of it")
	}
	if spec.RateLimit != nil {
		spec.RateLimit.validate(v.under("rate_limit"), &spec)
	}
	if spec.Contention != nil {
		spec.Contention.validate(v.under("contention"))
		v.that(spec.Count() == 1, "contention", "needs replicas: 1, as its rows are in one place; put them into a service that the replicas call")
	}
	if spec.Crash != nil {
		spec.Crash.validate(v.under("crash"))
	}
	for _, f := range spec.Faults {
		f.validate(v.under("faults."+f.Name), &spec)
	}
}

func (q Queue) validate(v check, spec *Spec) {
	v.that(q.Limit == Unlimited || 0 <= q.Limit && q.Limit <= maxWaiting,
		"limit", "must be 0 to 1e9, or unlimited")
	v.oneOf("order", q.Order, orders...)
	q.Full.validate(v.under("full"), spec)
	v.that(0 <= q.MaxWait && q.MaxWait <= never, "max_wait", "must be longer than 0s, or none: calls wait as long as it takes")
}

func (s Shed) validate(v check, spec *Spec) {
	v.that(s.Kind == "retries" || s.Kind == "first-tries", "kind", "must be retries or first-tries")
	v.share("above", s.Above)
	s.Answer.validate(v.under("answer"), spec)
}

func (l RateLimit) validate(v check, spec *Spec) {
	switch l.Kind {
	case "token-bucket":
		v.that(0 < l.Rate && l.Rate <= maxRate, "rate", "must be above 0/s and at most 1e9/s")
		v.that(l.Burst >= 1, "burst", "must be at least 1: an empty bucket admits nothing, ever")
		if l.Rate > 0 && l.Burst >= 1 {
			v.that(float64(l.Burst)/l.Rate <= maxFill, "burst", "must be at most 1e9 s x rate: the bucket would take more than 30 years to fill")
		}
	case "fixed-window", "sliding-window":
		v.that(l.Limit >= 1, "limit", "must be at least 1 call per window")
		v.positive("window", l.Window)
	default:
		v.at("kind", "must be token-bucket, fixed-window or sliding-window")
	}
	l.Answer.validate(v.under("answer"), spec)
	v.oneOf("scope", l.Scope, "all", "client")
	v.that(0 <= l.Ban && l.Ban <= never, "ban", "must be longer than 0s, or none")
	v.that(l.Ban <= 0 || l.Answer.RetryAfter.Kind != AskedNothing,
		"ban", "needs an answer that asks to wait, such as answer: 429 retry_after next-token")
}

func (c Contention) validate(v check) {
	switch c.Kind {
	case "optimistic", "write-only", "lock":
	default:
		v.at("kind", "must be optimistic, write-only or lock")
	}
	v.that(1 <= c.Rows && c.Rows <= maxRows, "rows", "must be 1 to 1e7")
}

func (c Crash) validate(v check) {
	v.that(c.Above >= 1, "above", "must be at least 1: the service has to survive one call")
	v.duration("restart", c.Restart)
	v.duration("ramp", c.Ramp)
	v.share("ramp_from", c.RampFrom)
}

func (f Fault) validate(v check, spec *Spec) {
	v.duration("at", f.At)
	v.that(0 <= f.For && f.For <= never, "for", "must be longer than 0s, or none: to the end of the run")
	v.duration("ramp", f.Ramp)
	v.share("ramp_from", f.RampFrom)
	f.validateEvery(v)
	if n := spec.Count(); f.Replicas != nil {
		v.that(1 <= *f.Replicas && *f.Replicas <= n, "replicas", fmt.Sprintf("must be 1 to %d, the replicas that there are", n))
	}
	switch f.Kind {
	case "down":
		f.Answer.or(Refused).validate(v.under("answer"), spec)
	case "errors":
		v.share("share", f.Share)
		f.validateMix(v, spec)
	case "slow":
		v.that(0 < f.Factor && f.Factor <= 1e9, "factor", "must be above 0 and at most 1e9")
	case "capacity":
		v.share("share", f.Share)
	case "pause":
	default:
		v.at("kind", "must be down, errors, slow, pause or capacity")
	}
}

// validateEvery checks that a repetition is over when the next one starts.
func (f Fault) validateEvery(v check) {
	switch {
	case f.Every == 0:
	case f.Every < minEvery || f.Every > never:
		v.at("every", "must be at least 1ms and at most 140 years, or none")
	case f.For <= 0:
		v.at("every", "needs for: a fault that lasts to the end of the run cannot come again")
	case f.Every <= plus(f.For, f.Ramp):
		v.at("every", "must be longer than for and ramp together: the time is from start to start")
	}
}

// validateMix checks what calls get that an errors fault fails.
func (f Fault) validateMix(v check, spec *Spec) {
	if len(f.Mix) == 0 {
		f.Answer.or(500).validate(v.under("answer"), spec)
		return
	}
	v.that(f.Answer.Answer == OK, "answer", "must not stand beside mix, which lists the answers")
	sum := 0.0
	for _, p := range f.Mix {
		w := v.under("mix." + p.Answer)
		w.share("share", p.Share)
		p.reply().validate(w, spec)
		sum += p.Share
	}
	v.that(math.Abs(sum-1) <= 1e-9, "mix", "must have shares that add up to 100%")
}

// check reports problems of fields under a path.
type check struct {
	bad  func(field, problem string)
	path string
}

func (v check) under(name string) check { return check{v.bad, v.path + name + "."} }

func (v check) at(field, problem string) { v.bad(v.path+field, problem) }

func (v check) that(ok bool, field, problem string) {
	if !ok {
		v.at(field, problem)
	}
}

// oneOf checks a choice; nothing said means the first.
func (v check) oneOf(field, got string, allowed ...string) {
	v.that(got == "" || slices.Contains(allowed, got), field, "must be "+oneOf(allowed))
}

func oneOf(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func (v check) duration(field string, d time.Duration) {
	v.that(0 <= d && d <= never, field, "must be 0s or longer, and at most 140 years")
}

func (v check) positive(field string, d time.Duration) {
	v.that(0 < d && d <= never, field, "must be longer than 0s, and at most 140 years")
}

func (v check) share(field string, x float64) {
	v.that(0 <= x && x <= 1, field, "must be 0% to 100%") // refuses NaN too
}
