package lint

import (
	"fmt"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/strategies"
)

// answer is an answer that asks for a wait.
type answer struct {
	server.Reply
	path string
}

// retryAfter reports waits that bring all who are asked back at one moment.
func (v *view) retryAfter() {
	v.eachLayer(func(h *hop, l *layer) {
		r := &l.RetryAfter
		if l.MaxAttempts == 1 || r.Jitter > 0 || r.Kind == "ignore" || r.Kind == "add" && v.jitters(l) {
			return
		}
		why := v.together(h)
		for _, a := range asking(v.service(h)) {
			if a.Spread > 0 || !l.obeys(&a.Reply) || why == "" {
				continue
			}
			message := ""
			switch a.RetryAfter.Kind {
			case server.AskedRecovery:
				message = "all who are refused are asked to come back at the moment of recovery"
			case server.AskedToken:
				message = "all who are refused are told the same token: of n callers one gets it and n - 1 come back, n(n + 1)/2 calls in all"
			case server.AskedDelay:
				message = fmt.Sprintf("those who fail together are all asked to wait %s, and come back together", duration(a.RetryAfter.Delay))
			default:
				continue
			}
			v.report(l.path, Finding{
				Check: RetryAfter, Severity: Problem, Path: a.path,
				Message: message + "; " + l.path + " adds no jitter",
				Because: why,
				Fix:     "retry_after with jitter in the policy, or spread in the answer",
			})
		}
	})
}

// jitters says whether the policy's own waits differ.
func (v *view) jitters(l *layer) bool {
	w := l.rules.Waits()
	return w.Min(1) != w.Max(1)
}

// obeys says whether a policy retries an answer and looks at its wait.
func (l *layer) obeys(r *server.Reply) bool {
	o := outcomeOf(r.Answer)
	form := strategies.AskedSeconds
	switch r.Form {
	case "date":
		form = strategies.AskedDate
	case "ms":
		form = strategies.AskedMillis
	}
	return l.rules.Retryable(o) && l.rules.Reads(o, form)
}

func outcomeOf(a server.Answer) strategies.Outcome {
	switch a {
	case server.Refused:
		return strategies.Refused
	case server.Reset:
		return strategies.Reset
	}
	return strategies.Outcome(a)
}

// asking lists the answers of a service that ask for a wait.
func asking(s *sim.Service) []answer {
	path := "services." + s.Name + "."
	var out []answer
	add := func(r server.Reply, otherwise server.Answer, field string) {
		if r.Answer == server.OK {
			r.Answer = otherwise
		}
		if r.RetryAfter.Kind != server.AskedNothing {
			out = append(out, answer{r, path + field})
		}
	}
	spec := &s.Spec
	if spec.Workers != server.Unlimited && (spec.Queue.Limit != server.Unlimited || spec.Queue.MaxWait > 0 || spec.Queue.Order == "codel") {
		add(spec.Queue.Full, 503, "queue.full")
	}
	if spec.Limiter != nil {
		add(spec.Limiter.Answer, 503, "limiter.answer")
	}
	if spec.Shed != nil {
		add(spec.Shed.Answer, 503, "shed.answer")
	}
	if spec.RateLimit != nil {
		add(spec.RateLimit.Answer, 429, "rate_limit.answer")
	}
	for _, f := range spec.Faults {
		at := "faults." + f.Name
		switch {
		case f.Kind == "down":
			add(f.Answer, server.Refused, at+".answer")
		case f.Kind == "errors" && len(f.Mix) == 0:
			add(f.Answer, 500, at+".answer")
		case f.Kind == "errors":
			for _, m := range f.Mix {
				var a server.Answer
				if m.Share > 0 && a.UnmarshalText([]byte(m.Answer)) == nil {
					add(server.Reply{Answer: a, RetryAfter: m.RetryAfter, Spread: m.Spread, Form: m.Form}, a, at+".mix."+m.Answer)
				}
			}
		}
	}
	return out
}
