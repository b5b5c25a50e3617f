package server

import "fmt"

// or is the reply with an answer in place of none.
func (r Reply) or(answer Answer) Reply {
	if r.Answer == OK {
		r.Answer = answer
	}
	return r
}

func (r Reply) validate(v check, spec *Spec) {
	status := 400 <= r.Answer && r.Answer <= 599
	v.that(status || r.Answer == Refused || r.Answer == Reset || r.Answer == Silent,
		"answer", "must be refused, reset, silent, or a status 400 to 599")
	asks := r.RetryAfter.Kind != AskedNothing
	v.that(status || !asks, "retry_after",
		fmt.Sprintf("needs a status to go with, such as 429 or 503: %v carries nothing", r.Answer))
	switch r.RetryAfter.Kind {
	case AskedDelay:
		v.duration("retry_after", r.RetryAfter.Delay)
	case AskedToken:
		v.that(spec.RateLimit != nil, "retry_after", "must not be next-token in a service without a rate_limit")
	case AskedQueue:
		v.that(spec.Workers != Unlimited, "retry_after", "must not be queue in a service with unlimited workers, where nobody waits")
	}
	v.duration("spread", r.Spread)
	v.oneOf("form", r.Form, "seconds", "date", "ms")
	v.duration("skew", r.Skew)
	v.that(r.Skew <= 0 || r.Form == "date", "skew", "needs form date: only a date is read by the caller's clock")
}
