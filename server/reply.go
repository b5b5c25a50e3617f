package server

import (
	"math/bits"
	"time"

	"retrystorm/sim/random"
)

// reply is a Reply made ready to give.
type reply struct {
	answer Answer
	asks   AskedKind
	form   Form
	delay  time.Duration
	spread time.Duration
	skew   time.Duration // below 0 when the callers are behind
}

// newReply makes a reply; where the spec names no answer it is other.
func newReply(spec Reply, other Answer) reply {
	r := reply{
		answer: spec.Answer, asks: spec.RetryAfter.Kind, form: formOf(spec.Form),
		delay: spec.RetryAfter.Delay, spread: spec.Spread, skew: spec.Skew,
	}
	if r.answer == OK {
		r.answer = other
	}
	if spec.Behind {
		r.skew = -r.skew
	}
	return r
}

// cause is a reply with the end of what caused it; the zero cause has none.
type cause struct {
	reply *reply
	end   time.Duration
}

// answer is OK when there is no cause.
func (c *cause) answer() Answer {
	if c.reply == nil {
		return OK
	}
	return c.reply.answer
}

// add keeps the stricter of two causes: silence over refusal over anything
// else, and of equals the first.
func (c *cause) add(r *reply, end time.Duration) {
	if r.answer.strictness() > c.answer().strictness() {
		*c = cause{r, end}
	}
}

func formOf(name string) Form {
	switch name {
	case "date":
		return FormDate
	case "ms":
		return FormMillis
	default:
		return FormSeconds
	}
}

// tell is what a caller is told to wait, in the reply's form, by the service's
// own clock.
func (r *reply) tell(now, wait time.Duration, key random.Key) time.Duration {
	wait = min(wait, longest)
	if r.spread > 0 {
		wait += time.Duration(random.Uniform(key.Draw(random.RetryAfter, 0), uint64(r.spread)+1))
	}
	return r.form.written(now, min(wait, longest))
}

// read is what the caller makes of it.
func (r *reply) read(told time.Duration) Hint {
	if r.form == FormDate {
		told = min(max(0, told-r.skew), longest)
	}
	return Hint{Wait: told, Form: r.form, Set: true}
}

// ask is what a reply asks a caller now, and what it is told by the service's
// own clock. End is when the reply's cause is over; 0: it has no end of its own.
func (s *Station) ask(now, end time.Duration, client uint64, key random.Key, r *reply) (Hint, time.Duration) {
	if r.asks == AskedNothing {
		return Hint{}, 0
	}
	wait, ok := s.wait(now, end, client, r)
	switch {
	case !ok:
		return Hint{}, 0
	case wait == Never:
		return Hint{Wait: Never, Form: r.form, Set: true}, Never
	default:
		told := r.tell(now, wait, key)
		return r.read(told), told
	}
}

// wait is the wait that a reply asks for, before it is spread and written; not
// ok: it asks for none.
func (s *Station) wait(now, end time.Duration, client uint64, r *reply) (time.Duration, bool) {
	switch r.asks {
	case AskedDelay:
		return r.delay, true
	case AskedToken:
		return s.rate.wait(now, client), true
	case AskedRecovery:
		if end == 0 {
			end = s.recovered(now)
		}
		return min(end, s.until) - now, end > now
	case AskedQueue:
		return s.backlog(), true
	case AskedNever:
		return Never, true
	default:
		return 0, false
	}
}

// recovered is when the last of the faults that are active is over, a restart
// being one of them; 0 if none is.
func (s *Station) recovered(now time.Duration) (end time.Duration) {
	for i := range s.faults {
		if f := &s.faults[i]; f.active(now) {
			end = max(end, f.to)
		}
	}
	if s.crashes > 0 && s.outage.active(now) {
		end = max(end, s.outage.to)
	}
	return end
}

// backlog is how long all workers need for the calls that wait, at least one
// mean service time.
func (s *Station) backlog() time.Duration {
	hi, lo := bits.Mul64(uint64(s.queue.n), uint64(s.mean))
	if hi >= uint64(s.workers) {
		return longest
	}
	n, _ := bits.Div64(hi, lo, uint64(s.workers))
	return max(s.mean, time.Duration(min(n, uint64(longest))))
}

// turnAway is the decision to answer a call instead of serving it.
func (s *Station) turnAway(now, end time.Duration, client uint64, key random.Key, r *reply) Decision {
	if r.asks == AskedNothing {
		return answered(r.answer, Hint{})
	}
	asked, _ := s.ask(now, end, client, key, r)
	return answered(r.answer, asked)
}
