package scenarios

import (
	"strings"
	"testing"
)

// TestZeroTime checks what stops retries that take no time, and what does not.
func TestZeroTime(t *testing.T) {
	const broken = "faults: {f: errors answer 503}"
	for _, c := range []struct {
		policy, service string
		stuck           bool
	}{
		{"", broken, true},
		{"backoff: fixed 1ns", broken, false},
		{"backoff: full-jitter 1ns", broken, false},
		{"backoff: {kind: schedule, waits: [0s, 0s, 1ns]}", broken, false},
		{"backoff: {kind: schedule, waits: [0s, 0s], steps: 2}", broken, false},
		{"backoff: custom 1s first 0s", broken, false},
		{"backoff: custom 1s overflow at-once", broken, false}, // only after centuries
		{"backoff: fixed 1s, backoff_on: {503: none}", broken, true},
		{"backoff: fixed 1s, backoff_on: {429: none}", broken, false},
		{"retry_on: [429]", broken, false},
		{"slower_than: 1ms", broken, false},
		{"faster_than: 1ms", broken, true},
		{"deadline: 1s", broken, true}, // no time passes
		{"max_elapsed: 1s", broken, true},
		{"budget: ratio 20%", broken, false},
		{"budget: tokens 500", broken, false},
		{"budget: tokens 500 retry 0", broken, true},
		{"budget: concurrent 20%", broken, true}, // one at a time for ever
		{"breaker: count 5 wraps retries", broken, true},
		{"breaker: count 5", "service_time: 1ms", true},
		{"breaker: count 5 wraps request", "service_time: 1ms", false},
		{"breaker: count 5, retry_on: [5xx]", "service_time: 1ms", false},
		{"breaker: count 5, backoff: fixed 1ms", "service_time: 1ms", false},
		{"breaker: count 5, backoff: fixed 1ms, backoff_on: {rejected: none}", "service_time: 1ms", true},
		{"limiter: rate 5/s", "service_time: 1ms", false},
		{"limiter: rate 5/s when_full fail", "service_time: 1ms", true},
		{"", "service_time: 1ms, limiter: concurrency 5", true},
		{"", "service_time: 1ms, workers: 1, queue: 5, shed: retries", true},
		{"retry_on: [429]", "service_time: 1ms, workers: 1, queue: 5, shed: retries answer 429", true},
		{"", "faults: {f: {kind: errors, mix: {503: 50%, 404: 50%}}}", false}, // sooner or later a 404
		{"retry_on: [any]", "faults: {f: {kind: errors, mix: {503: 50%, 404: 50%}}}", true},
		{"", "faults: {f: {kind: errors, mix: {503: 50%, silent: 50%}}}, service_time: 1ms", false},
		{"retry_after: floor", "faults: {f: {kind: errors, answer: 503 retry_after 1s}}", false},
		{"retry_after: floor", "faults: {f: {kind: errors, answer: 503 retry_after 1s form ms}}", true}, // not understood
		{"retry_after: {kind: floor, answers: [429]}", "faults: {f: {kind: errors, answer: 503 retry_after 1s}}", true},
		{"retry_after: floor, backoff: fixed 1s", "faults: {f: {kind: errors, answer: 503 retry_after 0s}}", false},
		{"retry_after: replace, backoff: fixed 1s", "faults: {f: {kind: errors, answer: 503 retry_after 0s}}", true},
		{"retry_after: replace, backoff: fixed 1s", "faults: {f: {kind: errors, answer: 503 retry_after 5s form date skew 5s}}", true},
		{"retry_after: replace, backoff: fixed 1s", "faults: {f: {kind: errors, answer: 503 retry_after 5s form date skew 5s behind true}}", false},
		{"retry_after: required", broken, false},
		{"retry_after: required", "faults: {f: {kind: errors, answer: 503 retry_after 1s}}", false},
		{"retry_after: replace cap 1s too_long ignore", "faults: {f: {kind: errors, answer: 503 retry_after 5s}}", true},
		{"retry_after: replace cap 1s too_long give-up", "faults: {f: {kind: errors, answer: 503 retry_after 5s}}", false},
		{"retry_after: replace cap 1s", "faults: {f: {kind: errors, answer: 503 retry_after 5s}}", false},
		{"retry_after: floor", "faults: {f: {kind: errors, answer: 503 retry_after never}}", false},
		{"idempotent_only: true", broken, true},
	} {
		src := "name: x\nclients: {calls: db, policy: {max_attempts: unlimited, " + c.policy + "}}\nservices: {db: {" + c.service + "}}\n"
		_, err := Load("x.yaml", []byte(strings.Replace(src, ", }", "}", 1)), nil, nil)
		switch {
		case err != nil && !strings.Contains(err.Error(), "retries without end that take no time"):
			t.Errorf("%s: %v", c.policy, err)
		case (err != nil) != c.stuck:
			t.Errorf("{%s} against {%s}: %v, want stuck %v", c.policy, c.service, err, c.stuck)
		}
	}
	// What must not be done twice is not retried.
	const careful = "name: x\nclients: {idempotent: false, calls: db, policy: {max_attempts: unlimited, idempotent_only: true}}\nservices: {db: {faults: {f: errors answer 503}}}\n"
	mustLoad(t, careful)
	if _, err := Load("x.yaml", []byte(careful), nil, []string{"services.db.faults.f.answer=refused"}); err == nil {
		t.Error("a refusal does no harm and may be retried")
	}
}
