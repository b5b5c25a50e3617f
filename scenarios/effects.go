package scenarios

import (
	"retrystorm/server"
	"retrystorm/strategies"
)

// Notes about settings that do nothing.

func (v *validator) policyAdvice(path string, p *Policy) {
	once := p.MaxAttempts == 1
	field := func(name string) string { return join(path, name) }
	v.idleIf(once && p.Backoff.Kind != "none", field("backoff"), "has no effect: max_attempts is 1, so nothing is retried")
	for _, name := range []string{"retry_on", "max_elapsed", "idempotent_only", "slower_than", "faster_than", "backoff_on", "retry_after"} {
		v.idleIf(once, field(name), "has no effect: max_attempts is 1, so nothing is retried")
	}
	v.idleIf(once && p.Budget != nil, field("budget"), "has no effect: max_attempts is 1, so nothing is retried")
	if !once {
		v.retryAdvice(path, p)
	}
	v.idleIf(p.Timeout >= v.scenario.Until, field("timeout"), "has no effect: not shorter than the run")
	v.idleIf(p.MaxElapsed >= v.scenario.Until, field("max_elapsed"), "has no effect: not shorter than the run")
	v.idleIf(p.Deadline >= v.scenario.Until, field("deadline"), "has no effect: not shorter than the run")
	v.idleIf(p.MaxElapsed == 0, field("elapsed_check"), "has no effect: there is no max_elapsed")
	v.idleIf(p.Timeout == 0 && p.Deadline == 0 && p.LateAnswers == "accept", field("late_answers"), "has no effect: without a timeout no answer is late")
	v.idleIf(givesUp(&p.Policy) && p.LateAnswers == "accept" && p.Cancel == "running", field("late_answers"),
		"has next to no effect: with cancel running only what was answered before the service heard of it comes late")
	v.idleIf(!givesUp(&p.Policy) && p.Cancel != "never", field("cancel"), "has no effect: without a timeout, a deadline or hedges no call is given up")
	v.idleIf(p.RetryAfter.Cap == 0, field("retry_after.too_long"), "has no effect: there is no cap")
	v.idleIf(p.RetryAfter.Jitter == 0, field("retry_after.centred"), "has no effect: there is no jitter")
	v.idleIf(p.Backoff.Kind == "custom" && p.Backoff.Cap == 0, field("backoff.cap_on"), "has no effect: there is no cap")
	v.idleIf(p.Backoff.Kind == "custom" && p.Backoff.Cap == 0, field("backoff.at_cap"), "has no effect: there is no cap")
	jitter := p.Backoff.Kind == "proportional-jitter" || p.Backoff.Kind == "custom" && p.Backoff.Jitter == "factor"
	v.idleIf(jitter && p.Backoff.Lo == p.Backoff.Hi, field("backoff.lo"), "there is no jitter: lo and hi are the same")
	if b := p.Breaker; b != nil {
		v.idleIf(once && b.Wraps == "retries", field("breaker"), "has no effect: it stops only retries, and max_attempts is 1")
		v.breakerAdvice(path, p)
	}
	if h := p.Hedge; h != nil {
		v.idleIf(p.Timeout > 0 && h.After.Quantile == 0 && h.After.Delay >= p.Timeout, field("hedge.after"), "has no effect: the attempt is over by then, after a timeout of "+FormatDuration(p.Timeout))
		v.idleIf(p.Deadline > 0 && h.After.Quantile == 0 && h.After.Delay >= p.Deadline, field("hedge.after"), "has no effect: the request is over by then, after a deadline of "+FormatDuration(p.Deadline))
		v.idleIf(h.Budget == 0, field("hedge"), "has no effect: its budget is 0%")
	}
}

func (v *validator) serviceAdvice(s *Service) {
	path := "services." + s.Name
	unlimited := s.Workers == server.Unlimited
	v.idleIf(unlimited, join(path, "queue"), "has no effect: workers are unlimited, so nobody waits")
	v.idleIf(s.Workers == 1 && s.Slowdown > 0, join(path, "slowdown"), "has no effect: one worker never has company")
	alone := !s.Calls.hasCalls()
	for _, name := range []string{"policy", "network", "blocking"} {
		v.idleIf(alone, join(path, name), "has no effect: the service calls nobody")
	}
	v.idleIf(s.Shed != nil && (unlimited || s.Queue.Limit == server.Unlimited), join(path, "shed"), "has no effect: a share of a queue without a limit is never reached")
	v.idleIf(s.Expired.Kind == "drop" && unlimited, join(path, "expired"), "has no effect: workers are unlimited, so nobody waits")
	v.idleIf(s.Blocking && s.InFlight != server.Unlimited, join(path, "in_flight"), "has no effect: the service is blocking, so its workers and its queue are the limit")
	v.idleIf(s.Replicas <= 1, join(path, "balance"), "has no effect: there is one replica")
	for _, name := range []string{"order", "max_wait"} {
		v.idleIf(s.Queue.Limit == 0 && !unlimited, join(path, "queue."+name), "has no effect: the limit is 0, so nobody waits")
	}
	if s.Crash != nil {
		v.idleIf(unlimited && s.Crash.Ramp > 0, join(path, "crash.ramp"), "has no effect: workers are unlimited")
	}
	for _, f := range s.Faults {
		path := join(path, "faults."+f.Name)
		v.idleIf(f.At >= v.scenario.Until, path, "has no effect: it begins when the run is over")
		v.idleIf(unlimited && f.Ramp > 0, join(path, "ramp"), "has no effect: workers are unlimited")
		v.idleIf(f.For == 0 && f.Ramp > 0, join(path, "ramp"), "has no effect: the fault never ends")
		v.idleIf(unlimited && f.Kind == "capacity", path, "has no effect: workers are unlimited")
		v.idleIf(f.Kind == "capacity" && f.Share == 1, path, "has no effect: all workers are left")
		for _, m := range f.Mix {
			v.idleIf(m.Share == 0, join(path, "mix."+m.Answer), "no call gets this answer: its share is 0%")
		}
	}
}

// placed is an answer, and where it is written.
type placed struct {
	server.Reply
	path string
}

// replies lists what a service may answer besides what was asked for.
func (s *Service) replies() []placed {
	path := "services." + s.Name + "."
	var out []placed
	if s.Workers != server.Unlimited && (s.Queue.Limit != server.Unlimited || s.Queue.MaxWait > 0 || s.Queue.Order == "codel") {
		out = append(out, placed{s.Queue.Full, path + "queue.full"})
	}
	if s.Limiter != nil {
		out = append(out, placed{s.Limiter.Answer, path + "limiter.answer"})
	}
	if s.Shed != nil {
		out = append(out, placed{s.Shed.Answer, path + "shed.answer"})
	}
	if s.RateLimit != nil {
		out = append(out, placed{s.RateLimit.Answer, path + "rate_limit.answer"})
	}
	for _, f := range s.Faults {
		at := path + "faults." + f.Name
		switch {
		case f.Kind == "down":
			out = append(out, placed{or(f.Answer, server.Refused), at + ".answer"})
		case f.Kind == "errors" && len(f.Mix) == 0:
			out = append(out, placed{or(f.Answer, 500), at + ".answer"})
		case f.Kind == "errors":
			for _, r := range faultReplies(f) {
				out = append(out, placed{r, at + ".mix." + r.Answer.String()})
			}
		}
	}
	return out
}

// silence warns of answers that never come where nobody stops waiting.
func (v *validator) silence(c caller, step *Step) {
	layers, _ := v.graph.layers(c, step)
	for _, l := range layers {
		if l.Timeout > 0 || l.Deadline > 0 {
			return
		}
	}
	_, where := c.policyOf(step)
	if len(layers) > 0 {
		where = layers[len(layers)-1].path
	}
	service := v.graph.service(v.graph.places[step.To])
	if service == nil {
		return // a queue answers at once
	}
	for _, r := range service.replies() {
		if r.Answer == server.Silent {
			at := locate(v.root, r.path)
			v.add(Problem{
				File: at.file, Line: at.line, Col: at.col, Path: r.path, Value: server.Silent.String(), Warning: true,
				Message: "whoever is not answered waits for ever: there is no timeout in " + where,
			})
		}
	}
}

// asked notes waits that servers ask for and nobody obeys, and rules for waits
// that nobody asks for.
func (v *validator) asked() {
	services := v.scenario.Services
	heeded, called := map[string]bool{}, make([]bool, len(services))
	given := map[*strategies.Policy]bool{} // policies that meet an answer they read
	for _, c := range v.scenario.callers() {
		for step := range c.calls.Calls() {
			to := v.graph.places[step.To]
			if v.graph.service(to) == nil {
				continue
			}
			called[to] = true
			layers, _ := v.graph.layers(c, step)
			for _, l := range layers {
				for _, r := range services[to].replies() {
					if obeys(l.Policy, r.Reply) {
						heeded[r.path], given[l.Policy] = true, true
					}
				}
			}
		}
	}
	for i := range services {
		for _, r := range services[i].replies() {
			v.idleIf(called[i] && !heeded[r.path] && r.RetryAfter.Kind != server.AskedNothing, join(r.path, "retry_after"),
				"nobody obeys it: no policy of a caller looks at it on this answer; see retry_after in policies")
		}
	}
	v.eachPolicy(func(path string, p *Policy) {
		v.idleIf(p.RetryAfter.Kind != "ignore" && p.MaxAttempts != 1 && !given[&p.Policy], join(path, "retry_after"),
			"has no effect: no service that is called under this policy asks for a wait that it looks at")
	})
}

// obeys says whether a policy looks at the wait that an answer asks for, where
// it tries again after such an answer at all.
func obeys(p *strategies.Policy, r server.Reply) bool {
	if p.MaxAttempts == 1 || r.RetryAfter.Kind == server.AskedNothing || p.RetryAfter.Kind == "ignore" {
		return false
	}
	on, err := strategies.ParseOutcomes(p.RetryAfter.Answers)
	form, ok := strategies.ParseForms([]string{r.Form})
	forms, okToo := strategies.ParseForms(p.RetryAfter.Forms)
	return err == nil && ok && okToo && on.Has(strategies.Outcome(r.Answer)) && forms&form != 0
}

// shared notes processes where nothing is shared by them.
func (v *validator) shared() {
	for _, g := range v.scenario.AllGroups() {
		shares := false
		for _, c := range g.callers() {
			for _, l := range v.graph.layersOf(c) {
				shares = shares || l.Budget != nil && l.Budget.Scope == "process" || l.Breaker != nil && l.Breaker.Scope == "process" ||
					l.Hedge != nil && l.Hedge.Scope == "process" || l.Limiter != nil && l.Limiter.Scope == "process"
			}
		}
		v.idleIf(!shares, join(g.path(), "processes"), "has no effect: no policy of the group has a state that a process shares")
	}
}
