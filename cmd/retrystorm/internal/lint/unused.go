package lint

import (
	"fmt"
	"slices"
	"strings"
)

// unused notes retries that are never made, because nothing that can happen is
// tried again.
func (v *view) unused() {
	v.eachLayer(func(h *hop, i int) {
		l := &h.layers[i]
		if l.MaxAttempts == 1 || v.assumed(h) || v.retriesAny(h, i) {
			return
		}
		var words []string
		field := "retry_on"
		for _, f := range v.failures(h) {
			if word := f.outcome.String(); h.fails(i, &f) && !slices.Contains(words, word) {
				words = append(words, word)
			}
			if l.rules.Retryable(f.outcome) {
				field = l.forbids(&f)
			}
		}
		if len(words) == 0 {
			return
		}
		v.report(h.path+" "+v.service(h).Name, Finding{
			Check: NoEffect, Severity: Note, Path: l.field(field),
			Message: fmt.Sprintf("calls from %s to %s are never retried: all that makes them fail here is %s, and the policy does not try again after that",
				h.from, v.service(h).Name, strings.Join(words, ", ")),
		})
	})
}

// forbids is the field that keeps an outcome of retry_on from being retried.
func (l *layer) forbids(f *failure) string {
	switch {
	case l.Budget != nil && neverGrants(l.Budget, f.outcome):
		return "budget"
	case l.RetryAfter.Kind != "ignore" && l.SlowerThan == 0 && l.FasterThan == 0:
		return "retry_after"
	case l.SlowerThan > 0:
		return "slower_than"
	case l.FasterThan > 0:
		return "faster_than"
	}
	return "retry_on"
}
