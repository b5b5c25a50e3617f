package scenarios

import (
	"fmt"

	"retrystorm/server"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// endless is how many repetitions within one instant are as bad as no end.
const endless = 100_000

// zeroTime refuses repetitions that take no time: the virtual clock would
// stand still. It errs on the careful side: what may answer at once is taken
// to do so for ever.
func (v *validator) zeroTime() {
	z := &zero{v, map[int]instant{}}
	for _, c := range v.callers() {
		for i := range c.calls {
			z.retries(c, &c.calls[i])
		}
	}
	z.closedLoop()
}

// instant says what a service can answer without any time passing.
type instant struct {
	success bool
	failure []server.Answer
	why     string // the field that answers at once
}

// zero follows the call path for things that take no time.
type zero struct {
	*validator
	known map[int]instant
}

// retries refuses a step that is tried again and again at one instant.
func (z *zero) retries(c caller, step *Step) {
	p, _ := z.graph.policy(step, c.policy)
	if !noEnd(p.MaxAttempts) || !noWait(p.Backoff) || !z.noNetwork(c, step) {
		return
	}
	in := z.instant(z.graph.services[step.To])
	if !retried(p, in.failure) {
		return
	}
	path := z.policyPath(c, step)
	z.bad(join(path, "max_attempts"), fmt.Sprintf(
		"retries without end that take no time: no backoff, no network delay on the way to %s, and %s answers at once; give %s a wait, %s a delay, or a number of attempts",
		step.To, in.why, join(path, "backoff"), join(c.path, "network")), "")
}

// closedLoop refuses clients whose requests take no time and follow each other
// without a pause.
func (z *zero) closedLoop() {
	c := &z.scenario.Clients
	if c.Arrival.Kind != "closed" || !alwaysZero(c.Arrival.Think) || !noEnd(c.requests()) {
		return
	}
	group := z.callers()[0]
	for i := range group.calls {
		step := &group.calls[i]
		success, failure, _ := z.hop(group, step)
		if failure || success && i == len(group.calls)-1 {
			z.bad("clients.arrival.think", fmt.Sprintf(
				"requests follow each other without end and take no time; give clients.arrival.think, clients.network or services.%s.service_time a time", step.To), "above 0s")
			return
		}
		if !success {
			return
		}
	}
}

// hop says whether a call with its retries can succeed, or fail, in no time.
func (z *zero) hop(c caller, step *Step) (success, failure bool, why string) {
	if !z.noNetwork(c, step) {
		return false, false, ""
	}
	p, _ := z.graph.policy(step, c.policy)
	in := z.instant(z.graph.services[step.To])
	once := p.MaxAttempts == 1 || noWait(p.Backoff) || anyNotRetried(p, in.failure)
	return in.success, len(in.failure) > 0 && once, in.why
}

// instant is what service i can answer at once.
func (z *zero) instant(i int) instant {
	if in, ok := z.known[i]; ok {
		return in
	}
	s := &z.scenario.Services[i]
	path := "services." + s.Name + "."
	in := instant{success: true}
	fail := func(a server.Answer, field string) {
		if a == server.Silent {
			return
		}
		in.failure = append(in.failure, a)
		if in.why == "" {
			in.why = path + field
		}
	}
	quick := alwaysZero(s.ServiceTime)
	for _, f := range s.Faults {
		switch {
		case f.Kind == "down":
			fail(or(f.Answer, server.Refused), "faults."+f.Name)
		case f.Kind == "errors" && f.Share == 1 && (quick || !f.AfterWork):
			fail(or(f.Answer, 500), "faults."+f.Name)
		}
	}
	if s.Workers != server.Unlimited && s.Queue.Limit != server.Unlimited {
		fail(s.Queue.Full, "queue.full")
	}
	if s.RateLimit != nil {
		fail(s.RateLimit.Answer, "rate_limit.answer")
	}
	if s.Crash != nil {
		fail(server.Refused, "crash")
	}
	in.success = quick
	if quick {
		group := caller{"services." + s.Name, s.Calls, s.Policy, s.Network}
		for k := range s.Calls {
			ok, failed, why := z.hop(group, &s.Calls[k])
			if failed && in.success {
				fail(500, "calls")
				in.why = why
			}
			in.success = in.success && ok
		}
	}
	z.known[i] = in
	return in
}

func or(a, otherwise server.Answer) server.Answer {
	if a == server.OK {
		return otherwise
	}
	return a
}

func (z *zero) noNetwork(c caller, step *Step) bool {
	if step.Network != nil {
		return alwaysZero(*step.Network)
	}
	return alwaysZero(c.network)
}

// policyPath is where the policy of a step is written.
func (v *validator) policyPath(c caller, step *Step) string {
	ref, path := step.Policy, join(c.path, "calls."+step.address()+".policy")
	if ref == nil {
		ref, path = c.policy, join(c.path, "policy")
	}
	if ref != nil && ref.Inline == nil {
		return "policies." + ref.Name
	}
	return path
}

func noEnd(n int64) bool { return n == random.Unlimited || n >= endless }

// noWait says whether every wait of a backoff is 0.
func noWait(b strategies.Backoff) bool {
	switch b.Kind {
	case "none":
		return true
	case "additive-jitter":
		return b.Base == 0 && b.Spread == 0
	case "proportional-jitter":
		return b.Base == 0 || b.Hi == 0
	}
	return b.Base == 0
}

// alwaysZero says whether every draw is 0.
func alwaysZero(d random.Dist) bool {
	switch d.Kind {
	case "uniform":
		return d.To == 0
	case "normal", "abs-normal":
		return d.Mean == 0 && d.SD == 0
	case "file":
		for _, x := range d.Values {
			if x > 0 {
				return false
			}
		}
		return true
	}
	return d.Mean == 0
}

// retried says whether a policy tries again after one of the answers.
func retried(p *strategies.Policy, answers []server.Answer) bool {
	set, _ := strategies.ParseOutcomes(p.RetryOn)
	for _, a := range answers {
		if set.Has(outcome(a)) {
			return true
		}
	}
	return false
}

func anyNotRetried(p *strategies.Policy, answers []server.Answer) bool {
	set, _ := strategies.ParseOutcomes(p.RetryOn)
	for _, a := range answers {
		if !set.Has(outcome(a)) {
			return true
		}
	}
	return false
}

// outcome is how a caller sees an answer that comes.
func outcome(a server.Answer) strategies.Outcome {
	switch a {
	case server.Refused:
		return strategies.Refused
	case server.Reset:
		return strategies.Reset
	}
	return strategies.Outcome(a)
}
