package lint

import (
	"fmt"
	"strings"
	"time"

	"retrystorm/server"
	"retrystorm/strategies"
)

// deadlines finds attempts that cannot fit the time there is.
func (v *view) deadlines() {
	for i := range v.hops {
		h := &v.hops[i]
		above := v.above(h)
		for k := range h.layers {
			outer := h.around(k)
			outer = outer.narrower(above.left, above.by)
			v.misfit(h, k, outer)
		}
	}
}

// above is the time that the callers of a service leave it for its own calls:
// the longest any of them waits.
func (v *view) above(h *hop) window {
	var longest window
	if h.caller < 0 || v.isQueue(h.caller) { // consumers have as long as they like
		return longest
	}
	for i := range v.hops {
		o := &v.hops[i]
		if o.To != h.caller || !v.alive(o) {
			continue
		}
		w := o.around(len(o.layers))
		if w.left == 0 {
			return window{}
		}
		if w.left > longest.left {
			longest = w
		}
	}
	return longest
}

// alive says whether any request gets to the caller of a hop.
func (v *view) alive(h *hop) bool {
	if h.caller < 0 {
		return true
	}
	for i := range v.groups {
		if v.groups[i].base[h.caller] > 0 {
			return true
		}
	}
	return false
}

// misfit reports a layer whose last attempts never start: not when they fail
// at once, or not when they time out.
func (v *view) misfit(h *hop, i int, outer window) {
	l := &h.layers[i]
	for _, f := range v.typical(h, i) {
		each, when := after(f.quick, h.near()), ""
		if f.outcome == strategies.Timeout {
			if l.Timeout == 0 {
				continue
			}
			each, when = l.Timeout, " when they time out after "+duration(l.Timeout)
		}
		most := l.most(f.outcome)
		if most > farthest || most == 1 {
			continue // as many as fit are wanted
		}
		got := l.fits(most, each, l.rules.WaitsAfter(f.outcome).Min, outer)
		if got.by == "" || f.outcome == strategies.Timeout && got.by == outer.by && l.Timeout >= outer.left {
			continue // the latter is a finding of its own
		}
		v.report(got.by, Finding{
			Check: Deadline, Severity: Problem, Path: l.field(l.attemptsField()),
			Message: fmt.Sprintf("only %d of %d attempts can start within %s (%s)%s: attempt %d would at %s%s; the others never run",
				got.n, most, got.by, duration(got.limit), when, got.n+1, duration(got.start), l.sum(got.n, each, f.outcome)),
			Fix: fmt.Sprintf("%s %d, shorter timeouts or waits, or a longer %s", l.attemptsField(), got.n, fieldOf(got.by)),
		})
		return
	}
}

// typical are the failures of a layer that take least and most: one that comes
// at once, and a timeout, if they are retried.
func (v *view) typical(h *hop, i int) []failure {
	var atOnce, timeout []failure
	for _, f := range v.failures(h) {
		switch {
		case !h.retries(i, &f):
		case f.outcome == strategies.Timeout:
			timeout = []failure{f}
		case len(atOnce) == 0 || f.quick < atOnce[0].quick:
			atOnce = []failure{f}
		}
	}
	return append(atOnce, timeout...)
}

// attemptsField is the field that says how many attempts are wanted.
func (l *layer) attemptsField() string {
	if l.MaxAttempts == strategies.Unlimited {
		return "backoff"
	}
	return "max_attempts"
}

// sum writes how the start of the attempt after n comes about.
func (l *layer) sum(n int64, each time.Duration, o strategies.Outcome) string {
	if n > 3 {
		return ""
	}
	var parts []string
	w := l.rules.WaitsAfter(o)
	for k := int64(1); k <= n; k++ {
		for _, d := range []time.Duration{each, w.Min(k)} {
			if d > 0 {
				parts = append(parts, duration(d))
			}
		}
	}
	if len(parts) < 2 {
		return ""
	}
	return " (" + strings.Join(parts, " + ") + ")"
}

// timeouts compares the timeouts of a hop with those around it, with the time
// a call takes, and with answers that never come.
func (v *view) timeouts() {
	for i := range v.hops {
		h := &v.hops[i]
		if !v.alive(h) {
			continue
		}
		v.tooLong(h)
		v.tooShort(h)
		v.endless(h)
	}
}

// tooLong reports inner timeouts that an outer one always beats.
func (v *view) tooLong(h *hop) {
	above := v.above(h)
	for k := range h.layers {
		l := &h.layers[k]
		outer := h.around(k).narrower(above.left, above.by)
		if l.Timeout == 0 || outer.left == 0 || l.Timeout < outer.left {
			continue
		}
		than := fmt.Sprintf("is longer than %s (%s)", outer.by, duration(outer.left))
		if l.Timeout == outer.left {
			than = "is not shorter than " + outer.by
		}
		if outer.by == l.field("timeout") {
			than = "is the same at the layer above"
		}
		v.report(outer.by+" "+h.path, Finding{
			Check: Timeout, Severity: Problem, Path: l.field("timeout"),
			Message: fmt.Sprintf("the timeout of %s calling %s, %s, %s: the caller above gives up first, and the work is for nobody",
				h.from, v.service(h).Name, duration(l.Timeout), than),
			Fix: "inner timeouts shorter than outer ones, by enough for a retry",
		})
	}
}

// tooShort reports a timeout that a call of mean length does not meet.
func (v *view) tooShort(h *hop) {
	need := seconds(v.roundTrip(h.Step))
	for k := range h.layers {
		l := &h.layers[k]
		for _, field := range []string{"timeout", "deadline"} {
			limit := l.Timeout
			if field == "deadline" {
				limit = l.Deadline
			}
			if limit == 0 || need < limit {
				continue
			}
			s := v.service(h)
			sum := fmt.Sprintf("network 2 x %s + %s %s", duration(seconds(h.Network.MeanSeconds())), s.Name, duration(seconds(v.nominal[h.To])))
			v.report(h.path+" "+s.Name, Finding{
				Check: Timeout, Severity: Problem, Path: l.field(field),
				Message: fmt.Sprintf("a call from %s to %s takes %s on average when all is well (%s), longer than the %s of %s",
					h.from, s.Name, duration(need), sum, field, duration(limit)),
				Fix: "a " + field + " above what healthy calls take",
			})
		}
	}
}

// endless reports hops without a timeout to services that can be silent.
func (v *view) endless(h *hop) {
	if h.around(len(h.layers)).left > 0 {
		return
	}
	s := v.service(h)
	where := h.path + ".policy"
	if len(h.layers) > 0 {
		where = h.layers[len(h.layers)-1].path
	}
	for _, f := range s.Spec.Faults {
		fault := "services." + s.Name + ".faults." + f.Name
		switch {
		case f.Kind == "pause":
			v.report(fault, Finding{
				Check: NoTimeout, Severity: Note, Path: where,
				Message: fmt.Sprintf("%s waits for %s without a timeout or deadline, for as long as %s lasts%s", h.from, s.Name, fault, lasts(f.For)),
				Fix:     "a timeout",
			})
		case f.Answer.Answer == server.Silent || silentPart(f):
			v.report(fault, Finding{
				Check: NoTimeout, Severity: Problem, Path: where,
				Message: fmt.Sprintf("%s waits for ever for the answers that %s keeps back: there is no timeout and no deadline", h.from, fault),
				Fix:     "a timeout",
			})
		}
	}
	for _, r := range silentReplies(s.Name, &s.Spec) {
		v.report(r, Finding{
			Check: NoTimeout, Severity: Problem, Path: where,
			Message: fmt.Sprintf("%s waits for ever where %s is silent: there is no timeout and no deadline", h.from, r),
			Fix:     "a timeout",
		})
	}
}

func lasts(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return " (" + duration(d) + ")"
}

func silentPart(f server.Fault) bool {
	for _, m := range f.Mix {
		if m.Share > 0 && m.Answer == server.Silent.String() {
			return true
		}
	}
	return false
}

// silentReplies lists the answers of a service that are silence.
func silentReplies(name string, s *server.Spec) []string {
	var out []string
	add := func(r server.Reply, field string) {
		if r.Answer == server.Silent {
			out = append(out, "services."+name+"."+field)
		}
	}
	if s.Workers != server.Unlimited && (s.Queue.Limit != server.Unlimited || s.Queue.MaxWait > 0 || s.Queue.Order == "codel") {
		add(s.Queue.Full, "queue.full")
	}
	if s.Limiter != nil {
		add(s.Limiter.Answer, "limiter.answer")
	}
	if s.Shed != nil {
		add(s.Shed.Answer, "shed.answer")
	}
	if s.RateLimit != nil {
		add(s.RateLimit.Answer, "rate_limit.answer")
	}
	return out
}
