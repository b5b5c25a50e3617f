package lint

import (
	"fmt"
	"time"
)

// queues compares what comes into a queue with what its consumers can do, and
// the time that a message is hidden with the time that it takes.
func (v *view) queues() {
	v.eachHop(func(h *hop) {
		if !v.isQueue(h.caller) {
			return
		}
		q := v.model.Services[h.caller].Backlog
		one := v.roundTrip(h.Step)
		field := func(name string) string { return h.path + "." + name }
		if load, most := v.offered(h.caller), float64(q.Consumers)/one; one > 0 && load >= most {
			v.report("", Finding{
				Check: Load, Severity: Problem, Path: field("consumers"),
				Message: fmt.Sprintf("%s gets %s, and %s can work on %s, as one takes %s on average: it gets longer and longer",
					h.from, perSecond(load), counted(float64(q.Consumers), "consumer"), perSecond(most), duration(seconds(one))),
				Fix: "more consumers, or less load",
			})
		}
		if batch := time.Duration(float64(q.Batch) * one * 1e9); batch >= q.Visibility && q.MaxReceives != 1 {
			v.report("", Finding{
				Check: Timeout, Severity: Problem, Path: field("visibility"),
				Message: fmt.Sprintf("what a consumer takes is worked on for %s on average when all is well, and hidden for %s: it is delivered again while it is being worked on",
					duration(batch), duration(q.Visibility)),
				Fix: "a visibility longer than the work takes",
			})
		}
		if s := v.service(h); !h.Idempotent && q.MaxReceives != 1 && !s.Inbox.On() {
			v.report("", Finding{
				Check: Idempotency, Severity: Problem, Path: h.path,
				Message: fmt.Sprintf("requests are not idempotent, but %s delivers a message at least once: %s may do it twice", h.from, s.Name),
				Fix:     "an inbox at services." + s.Name,
			})
		}
	})
}
