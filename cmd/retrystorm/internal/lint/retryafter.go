package lint

import (
	"fmt"

	"retrystorm/server"
	"retrystorm/strategies"
)

// retryAfter reports waits that bring all who are asked back at one moment.
func (v *view) retryAfter() {
	v.eachLayer(func(h *hop, i int) {
		l := &h.layers[i]
		r := &l.RetryAfter
		if r.Jitter > 0 || r.Kind == "ignore" || r.Kind == "add" && v.jitters(l) {
			return
		}
		for _, f := range v.failing[h.To] {
			why := v.together(h, &f)
			if why == "" || f.reply == nil || f.reply.Spread > 0 || !h.obeys(i, &f) {
				continue
			}
			message := ""
			switch f.reply.RetryAfter.Kind {
			case server.AskedRecovery:
				message = "all who are refused are asked to come back at the moment of recovery"
			case server.AskedToken:
				message = "all who are refused are told the same token: of n callers one gets it and n - 1 come back, n(n + 1)/2 calls in all"
			case server.AskedDelay:
				message = fmt.Sprintf("those who fail together are all asked to wait %s, and come back together", duration(f.reply.RetryAfter.Delay))
			default:
				continue
			}
			v.report(l.path, Finding{
				Check: RetryAfter, Severity: Problem, Path: f.path,
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

// obeys says whether a layer retries an answer and looks at its wait.
func (h *hop) obeys(i int, f *failure) bool {
	return h.retries(i, f) && h.layers[i].rules.Reads(f.outcome, formOf(f.reply))
}

func formOf(r *server.Reply) strategies.AskedForms {
	switch r.Form {
	case "date":
		return strategies.AskedDate
	case "ms":
		return strategies.AskedMillis
	}
	return strategies.AskedSeconds
}
