package scenarios

import (
	"fmt"
	"slices"

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
	z := &zero{v, v.graph.idempotent(), map[int]instant{}, map[*strategies.Policy]*haste{}}
	for _, g := range v.scenario.AllGroups() {
		for _, c := range g.callers() {
			z.callsOf(c, g.Idempotent)
		}
	}
	for i := range v.graph.count() {
		z.callsOf(v.graph.caller(i), z.idempotent[i])
	}
	for _, g := range v.scenario.AllGroups() {
		z.closedLoop(&g)
	}
}

// instant says what a call can come to without any time passing.
type instant struct {
	success bool
	failure []cause
}

// cause is one reason to fail at once.
type cause struct {
	replies []server.Reply // what the caller may be told: each time one of them
	why     string         // the field that answers
	local   bool           // no call is made: the caller's own breaker or limiter
}

// zero follows the call path for things that take no time.
type zero struct {
	*validator
	idempotent []bool // by service: all that gets there may be done twice
	known      map[int]instant
	policies   map[*strategies.Policy]*haste
}

// haste is what a policy does without waiting.
type haste struct {
	rules   strategies.Rules
	strict  strategies.Rules // for calls that must not be done twice
	endless bool             // attempts without end, and nothing but time stops them
}

func (z *zero) haste(p *strategies.Policy) *haste {
	if h := z.policies[p]; h != nil {
		return h
	}
	h := &haste{rules: unwrapped(*p).Compile()}
	h.strict = h.rules.NotIdempotent(*p)
	h.endless = noEnd(p.MaxAttempts) && !runsOut(p.Budget)
	z.policies[p] = h
	return h
}

// unwrapped is a policy whose waits do not wrap around to 0 after centuries:
// no run lasts long enough.
func unwrapped(p strategies.Policy) strategies.Policy {
	p.Backoff.Overflow = "saturate"
	p.BackoffOn = append([]strategies.BackoffOn(nil), p.BackoffOn...)
	for i := range p.BackoffOn {
		p.BackoffOn[i].Overflow = "saturate"
	}
	return p
}

// runsOut says whether a budget allows only so many retries in one instant.
func runsOut(b *strategies.Budget) bool {
	switch {
	case b == nil || b.Kind == "concurrent": // one at a time passes for ever
		return false
	case b.Kind == "tokens":
		return b.Retry > 0 && b.Timeout > 0 && b.Throttled > 0
	case b.Kind == "failures":
		return b.Ratio < 1
	}
	return true
}

// callsOf refuses steps that are tried again and again at one instant.
func (z *zero) callsOf(c caller, idempotent bool) {
	for step := range c.calls.Calls() {
		layers, _ := z.graph.layers(c, step)
		if !slices.ContainsFunc(layers, func(l layer) bool { return noEnd(l.MaxAttempts) }) {
			continue
		}
		z.hop(c, step, idempotent, func(l layer, by cause) {
			backoff := join(l.path, "backoff")
			message := fmt.Sprintf("no backoff, no network delay on the way to %s, and %s answers at once; give %s a wait, %s a delay, or a number of attempts",
				step.To, by.why, backoff, c.networkField())
			if by.local {
				message = fmt.Sprintf("no backoff, and %s rejects at once; give %s a wait, or a number of attempts", by.why, backoff)
			}
			z.bad(join(l.path, "max_attempts"), "retries without end that take no time: "+message, "")
		})
	}
}

// closedLoop refuses clients whose requests take no time and follow each other
// without a pause.
func (z *zero) closedLoop(g *NamedGroup) {
	if g.Arrival.Kind != "closed" || !alwaysZero(g.Arrival.Think) || !noEnd(g.requests()) {
		return
	}
	for _, c := range g.callers() {
		in, at := z.list(c, c.calls, g.Idempotent, false)
		if !in.success && len(in.failure) == 0 {
			continue
		}
		think := join(g.path(), "arrival.think")
		way := think + " or " + c.networkField() + " a time"
		switch to := z.graph.places[at.To]; {
		case len(in.failure) > 0 && in.failure[0].local:
			way = think + " a time, because " + in.failure[0].why + " rejects at once"
		case z.graph.service(to) != nil:
			way = fmt.Sprintf("%s, %s or services.%s.service_time a time", think, c.networkField(), at.To)
		}
		z.bad(think, "requests follow each other without end and take no time; give "+way, "above 0s")
		return
	}
}

// list is what steps can come to in no time, one after the other, and the call
// that decides it. A service's own work, where the steps name it, is quick or not.
func (z *zero) list(c caller, steps Steps, idempotent, quick bool) (instant, *Step) {
	in := instant{success: true}
	at := &Step{}
	for i := range steps {
		step := &steps[i]
		next, call := z.step(c, step, idempotent, quick)
		if step.Share < 1 { // sometimes it is left out; sometimes it is not
			next = instant{success: next.success || len(next.failure) > 0 || step.Share == 0}
		}
		if step.Optional {
			next = instant{success: next.success || len(next.failure) > 0}
		}
		if len(in.failure) == 0 {
			at = call
		}
		in.failure = append(in.failure, next.failure...)
		if in.success = next.success; !in.success {
			break
		}
	}
	return in, at
}

// step is what one step can come to in no time.
func (z *zero) step(c caller, step *Step, idempotent, quick bool) (instant, *Step) {
	switch {
	case step.Work:
		return instant{success: quick}, step
	case len(step.Parallel) == 0:
		return z.hop(c, step, idempotent, nil), step
	}
	var in instant
	var at *Step
	done, failed := 0, 0
	for i := range step.Parallel {
		next, call := z.list(c, step.Parallel[i:i+1], idempotent, quick)
		if at == nil || len(next.failure) > 0 && failed == 0 {
			at = call
		}
		if next.success {
			done++
		}
		if len(next.failure) > 0 {
			failed++
			in.failure = append(in.failure, next.failure...)
		}
	}
	need := step.Need.of(len(step.Parallel))
	in.success = done >= need
	if failed <= len(step.Parallel)-need {
		in.failure = nil
	}
	return in, at
}

// hop is what a step with its policies can come to in no time. It tells about
// every layer that tries again without end.
func (z *zero) hop(c caller, step *Step, idempotent bool, loops func(layer, cause)) instant {
	var in instant
	if alwaysZero(c.networkOf(step)) {
		in = z.instant(z.graph.places[step.To])
	}
	layers, _ := z.graph.layers(c, step)
	for i := len(layers) - 1; i >= 0; i-- {
		in.failure = z.through(layers[i], in.failure, idempotent, loops)
	}
	return in
}

// through is how a policy can fail at once, given how its attempts can.
func (z *zero) through(l layer, failure []cause, idempotent bool, loops func(layer, cause)) []cause {
	h := z.haste(l.Policy)
	rules := &h.rules
	if !idempotent {
		rules = &h.strict
	}
	rejected := func(field string) cause {
		return cause{why: join(l.path, field), local: true}
	}
	failure = failure[:len(failure):len(failure)]
	if b := l.Breaker; b != nil && b.Wraps != "request" && b.Wraps != "retries" {
		failure = append(failure, rejected("breaker"))
	}
	if l.Limiter != nil && l.Limiter.WhenFull == "fail" {
		failure = append(failure, rejected("limiter"))
	}
	var out []cause
	told := false
	for _, by := range failure {
		again, atOnce := by.retried(l.Policy, rules)
		if again && atOnce && h.endless && loops != nil && !told {
			told = true // one of them is enough to know what to change
			loops(l, by)
		}
		if !again || atOnce || l.MaxAttempts == 1 {
			out = append(out, by)
		}
	}
	if b := l.Breaker; b != nil && b.Wraps == "request" {
		out = append(out, rejected("breaker"))
	}
	return out
}

// retried says whether every attempt that fails like this is followed by
// another one, and whether that may be at once, however often.
func (by cause) retried(p *strategies.Policy, rules *strategies.Rules) (again, atOnce bool) {
	if p.SlowerThan > 0 { // it took no time
		return false, false
	}
	if by.local {
		return rules.Retryable(strategies.Rejected), noWait(rules, strategies.Rejected) && p.RetryAfter.Kind != "required"
	}
	again, atOnce = true, true
	for _, reply := range by.replies {
		r, at := retriedReply(p, rules, reply)
		again, atOnce = again && r, atOnce && at
	}
	return again, atOnce
}

func retriedReply(p *strategies.Policy, rules *strategies.Rules, reply server.Reply) (again, atOnce bool) {
	o := strategies.Outcome(reply.Answer)
	if !rules.Retryable(o) {
		return false, false
	}
	own := noWait(rules, o)
	if !reads(rules, reply) {
		return p.RetryAfter.Kind != "required", own
	}
	rule, asked := &p.RetryAfter, reply.RetryAfter
	isTime, never := asked.Kind == server.AskedDelay, asked.Kind == server.AskedNever
	tooLong := rule.Cap > 0 && (!isTime || asked.Delay > rule.Cap) // or may be
	switch {
	case tooLong && rule.TooLong == "ignore":
		return rule.Kind != "required", own
	case never && rule.Cap == 0 && rule.Kind != "band", tooLong && rule.TooLong == "give-up" && (isTime || never):
		return false, false
	case rule.Kind == "replace" || rule.Kind == "required":
		own = true
	}
	early := reply.Skew
	if reply.Form != "date" || reply.Behind {
		early = 0
	}
	return true, own && isTime && asked.Delay <= early
}

// reads says whether a policy looks at the wait that a reply asks for.
func reads(rules *strategies.Rules, reply server.Reply) bool {
	if reply.RetryAfter.Kind == server.AskedNothing {
		return false
	}
	form := strategies.AskedSeconds
	switch reply.Form {
	case "date":
		form = strategies.AskedDate
	case "ms":
		form = strategies.AskedMillis
	}
	return rules.Reads(strategies.Outcome(reply.Answer), form)
}

// noWait says whether the waits after an outcome are 0 in the end, and there is
// no end of them.
func noWait(rules *strategies.Rules, o strategies.Outcome) bool {
	w := rules.WaitsAfter(o)
	return w.Max(endless) == 0 && noEnd(w.Steps())
}

// instant is what a service or queue can answer at once.
func (z *zero) instant(i int) instant {
	if in, ok := z.known[i]; ok {
		return in
	}
	s := z.graph.service(i)
	if s == nil {
		return instant{success: true} // the message is stored
	}
	path := "services." + s.Name + "."
	in := instant{}
	fail := func(field string, replies ...server.Reply) {
		for _, r := range replies {
			if r.Answer == server.Silent {
				return // then, at the latest, the caller waits
			}
		}
		in.failure = append(in.failure, cause{replies: replies, why: path + field})
	}
	quick := alwaysZero(s.ServiceTime)
	for _, f := range s.Faults {
		switch {
		case f.Kind == "down":
			fail("faults."+f.Name, or(f.Answer, server.Refused))
		case f.Kind == "errors" && f.Share == 1 && (quick || !f.AfterWork):
			fail("faults."+f.Name, faultReplies(f)...)
		}
	}
	limited := s.Workers != server.Unlimited && s.Queue.Limit != server.Unlimited
	if limited {
		fail("queue.full", s.Queue.Full)
	}
	if limited && s.Shed != nil {
		fail("shed.answer", s.Shed.Answer)
	}
	if s.Limiter != nil {
		fail("limiter.answer", s.Limiter.Answer)
	}
	if s.RateLimit != nil {
		fail("rate_limit.answer", s.RateLimit.Answer)
	}
	if s.Crash != nil {
		fail("crash", server.Reply{Answer: server.Refused})
	}
	calls := s.Calls
	if !slices.ContainsFunc(calls, func(step Step) bool { return step.Work }) {
		calls = append(Steps{{Work: true, Share: 1}}, calls...)
	}
	below, _ := z.list(s.caller(), calls, z.idempotent[i], quick)
	if len(below.failure) > 0 {
		in.failure = append(in.failure, cause{replies: []server.Reply{{Answer: 500}}, why: below.failure[0].why})
	}
	in.success = below.success
	z.known[i] = in
	return in
}

// faultReplies are what calls may get from an errors fault.
func faultReplies(f server.Fault) []server.Reply {
	if len(f.Mix) == 0 {
		return []server.Reply{or(f.Answer, 500)}
	}
	var out []server.Reply
	for _, m := range f.Mix {
		r := server.Reply{RetryAfter: m.RetryAfter, Spread: m.Spread, Form: m.Form, Skew: m.Skew, Behind: m.Behind}
		if m.Share > 0 && r.Answer.UnmarshalText([]byte(m.Answer)) == nil {
			out = append(out, r)
		}
	}
	return out
}

func or(r server.Reply, otherwise server.Answer) server.Reply {
	if r.Answer == server.OK {
		r.Answer = otherwise
	}
	return r
}

func noEnd(n int64) bool { return n == random.Unlimited || n >= endless }

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
