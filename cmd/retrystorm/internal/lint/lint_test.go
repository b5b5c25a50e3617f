package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"retrystorm/scenarios"
)

// look lints a scenario.
func look(t *testing.T, src string) *Result {
	t.Helper()
	f, err := scenarios.Load("x.yaml", []byte(src), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := File("x.yaml", f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// of lists the findings of one check.
func (r *Result) of(check string) []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.Check != check })
}

// simple is a scenario with one hop: how clients arrive, the policy, and what
// the service is.
func simple(clients, policy, service string) string {
	return fmt.Sprintf(`name: x
clients: {%s, calls: api, policy: p}
services: {api: {%s}}
policies: {p: {%s}}
`, clients, service, policy)
}

const (
	down    = "faults: {f: down at 30s for 10s}"
	busy    = "faults: {f: down at 30s for 10s answer 503}"
	paused  = "faults: {f: pause at 30s for 10s}"
	steady  = "count: 10, arrival: poisson 50/s, network: 1ms"
	jitters = "backoff: full-jitter 100ms cap 1s"
)

// Each check has scenarios with a mistake, where it stands and what is said,
// and twins without it.
func TestChecks(t *testing.T) {
	for _, c := range []struct {
		name, check string
		bad         string
		severity    Severity
		at          string // path
		says        []string
		good        []string
	}{{
		name: "layers multiply", check: Amplification, severity: Problem,
		bad: chain(4, 4, 4, "any"), at: "policies.db.max_attempts",
		says: []string{"one request of clients becomes 64 calls to c: 4 x 4 x 4", "only from b to c it is 4"},
		good: []string{chain(1, 1, 4, "any"), chain(2, 2, 2, "any"), chain(4, 4, 4, "refused")},
	}, {
		name: "no limit", check: Amplification, severity: Problem,
		bad: simple(steady, "max_attempts: unlimited, "+jitters, down), at: "policies.p.max_attempts",
		says: []string{"there is no limit to the calls to api"},
		good: []string{
			simple(steady, "max_attempts: unlimited, deadline: 2s, backoff: fixed 500ms", down),
			simple(steady, "max_attempts: unlimited, "+jitters+", budget: ratio 20% floor 1/s scope all", down),
		},
	}, {
		name: "time limits attempts", check: Amplification, severity: Problem,
		bad: simple("count: 10", "max_attempts: unlimited, max_elapsed: 10s, backoff: fixed 500ms", down), at: "policies.p.max_attempts",
		says: []string{"becomes 21 calls to api: as many as fit into policies.p.max_elapsed 10s"},
		good: []string{simple("count: 10", "max_attempts: unlimited, max_elapsed: 4s, backoff: fixed 500ms", down)},
	}, {
		name: "mean waits", check: Amplification, severity: Problem,
		bad: simple("count: 10", "max_attempts: unlimited, deadline: 10s, backoff: full-jitter 1s factor 1", down), at: "policies.p.max_attempts",
		says: []string{"becomes about 20 calls", "with mean waits"},
		good: []string{simple("count: 10", "max_attempts: unlimited, deadline: 3s, backoff: full-jitter 1s factor 1", down)},
	}, {
		name: "attempts after the deadline", check: Deadline, severity: Problem,
		bad: simple(steady, "timeout: 1s, max_attempts: 5, deadline: 2s, backoff: fixed 100ms", paused), at: "policies.p.max_attempts",
		says: []string{"only 2 of 5 attempts can start within policies.p.deadline (2s) when they time out after 1s: attempt 3 would at 2.2s (1s + 100ms + 1s + 100ms)"},
		good: []string{
			simple(steady, "timeout: 1s, max_attempts: 2, deadline: 2s, backoff: fixed 100ms", paused),
			simple(steady, "timeout: 1s, max_attempts: 5, deadline: 2s, backoff: fixed 100ms, retry_on: [refused]", paused),
			simple(steady, "timeout: 1s, max_attempts: 5, deadline: 2s, backoff: fixed 100ms", down),           // no timeouts
			simple(steady, "timeout: 1s, max_attempts: unlimited, deadline: 2s, backoff: fixed 100ms", paused), // as many as fit
		},
	}, {
		name: "waits beyond max_elapsed", check: Deadline, severity: Problem,
		bad: simple(steady, "max_attempts: 5, max_elapsed: 6s, backoff: exponential 1s", down), at: "policies.p.max_attempts",
		says: []string{"only 3 of 5", "attempt 4 would at 7.006s"}, // 1 + 2 + 4, and 3 round trips
		good: []string{simple(steady, "max_attempts: 5, max_elapsed: 15.1s, backoff: exponential 1s", down)},
	}, {
		name: "attempts after the caller's timeout", check: Deadline, severity: Problem,
		bad: twoHops("timeout: 1s", "timeout: 400ms, max_attempts: 4, backoff: fixed 100ms"), at: "policies.inner.max_attempts",
		says: []string{"only 2 of 4 attempts can start within policies.outer.timeout (1s)"},
		good: []string{twoHops("timeout: 1s", "timeout: 400ms, max_attempts: 2, backoff: fixed 100ms")},
	}, {
		name: "inner timeout above the outer", check: Timeout, severity: Problem,
		bad: twoHops("timeout: 1s", "timeout: 5s"), at: "policies.inner.timeout",
		says: []string{"5s, is longer than policies.outer.timeout (1s)"},
		good: []string{twoHops("timeout: 5s", "timeout: 1s"), twoHops("", "timeout: 5s")},
	}, {
		name: "inner timeout above the outer layer", check: Timeout, severity: Problem,
		bad: layered("timeout: 1s", "timeout: 2s"), at: "policies.inner.timeout",
		says: []string{"2s, is longer than policies.outer.timeout (1s)"},
		good: []string{layered("timeout: 2s", "timeout: 1s")},
	}, {
		name: "timeout below the call", check: Timeout, severity: Problem,
		bad: simple("network: 30ms", "timeout: 100ms", "service_time: exponential 50ms"), at: "policies.p.timeout",
		says: []string{"takes 110ms on average when all is well (network 2 x 30ms + api 50ms), longer than the timeout of 100ms"},
		good: []string{simple("network: 30ms", "timeout: 200ms", "service_time: exponential 50ms")},
	}, {
		name: "silence without a timeout", check: NoTimeout, severity: Problem,
		bad: simple("", "max_attempts: 2", "faults: {f: errors answer silent}"), at: "policies.p",
		says: []string{"waits for ever for the answers that services.api.faults.f keeps back"},
		good: []string{simple("", "max_attempts: 2, timeout: 1s", "faults: {f: errors answer silent}"), simple("", "max_attempts: 2", down)},
	}, {
		name: "a full queue that is silent", check: NoTimeout, severity: Problem,
		bad: simple("", "max_attempts: 2", "workers: 1, service_time: 1s, queue: 1 full silent"), at: "policies.p",
		says: []string{"waits for ever where services.api.queue.full is silent"},
		good: []string{simple("", "max_attempts: 2, deadline: 1m", "workers: 1, service_time: 1s, queue: 1 full silent")},
	}, {
		name: "a pause without a timeout", check: NoTimeout, severity: Note,
		bad: simple("", "max_attempts: 2", "faults: {f: pause for 5s}"), at: "policies.p",
		says: []string{"for as long as services.api.faults.f lasts (5s)"},
		good: []string{simple("", "max_attempts: 2, timeout: 1s", "faults: {f: pause for 5s}")},
	}, {
		name: "floor above the ratio", check: BudgetFloor, severity: Problem,
		bad: simple(steady, "max_attempts: 3, "+jitters+", budget: ratio 20% floor 10/s", down), at: "policies.p.budget",
		says: []string{"10/s of retries to each of 10 processes, 100/s in all, which makes 5 requests/s: it allows 200% more calls, not 20%", "at most 1/s"},
		good: []string{
			simple(steady, "max_attempts: 3, "+jitters+", budget: ratio 20% floor 1/s", down),
			simple(steady, "max_attempts: 3, "+jitters+", budget: ratio 20% floor 10/s scope all", down),
			simple("processes: 1, "+steady, "max_attempts: 3, "+jitters+", budget: ratio 20% floor 10/s", down),
		},
	}, {
		name: "floor above what is in flight", check: BudgetFloor, severity: Note,
		bad: simple(steady, "max_attempts: 3, "+jitters+", budget: concurrent 20% floor 3", "service_time: 98ms"), at: "policies.p.budget",
		says: []string{"3 retries at once to each of 10 processes, where 0.5 requests are in flight when all is well (5/s x 100ms)"},
		good: []string{simple(steady, "max_attempts: 3, "+jitters+", budget: concurrent 20% floor 3 scope all", "service_time: 98ms")},
	}, {
		name: "a bucket that is never empty", check: BudgetIdle, severity: Problem,
		bad: simple("count: 1000", "max_attempts: 3, "+jitters+", budget: tokens 500 retry 5 timeout 5", down), at: "policies.p.budget",
		says: []string{"it allows 100 retries at once to each of 1000 processes, which can ask for 1 request x 2 = 2 retries"},
		good: []string{simple("count: 1000, processes: 1", "max_attempts: 3, "+jitters+", budget: tokens 500 retry 5 timeout 5", down)},
	}, {
		name: "a limit in flight that is never met", check: BudgetIdle, severity: Problem,
		bad: simple("count: 1000", "max_attempts: 3, "+jitters+", budget: concurrent 20% floor 3", down), at: "policies.p.budget",
		says: []string{"it allows 3 retries at once to each of 1000 processes, which can ask for 1 request in the whole run"},
		good: []string{simple("count: 1000, processes: 100", "max_attempts: 3, "+jitters+", budget: concurrent 20% floor 3", down)},
	}, {
		name: "a throttle that is never met", check: BudgetIdle, severity: Problem,
		bad: simple("count: 10, requests: 2", "max_attempts: 3, "+jitters+", budget: throttle 10", down), at: "policies.p.budget",
		says: []string{"it allows 4 retries at once to each of 10 processes, which can ask for 2 requests x 2 = 4 retries"},
		good: []string{simple("count: 10, requests: 3", "max_attempts: 3, "+jitters+", budget: throttle 10", down)},
	}, {
		name: "full buckets of many", check: BudgetBurst, severity: Note,
		bad: simple(steady, "max_attempts: 3, "+jitters+", budget: tokens 500 retry 5 timeout 10", down), at: "policies.p.budget",
		says: []string{"100 retries for each of 10 processes: 10 x 100 = 1000 before it says no; when everything fails it lasts 10s"},
		good: []string{simple("processes: 1, "+steady, "max_attempts: 3, "+jitters+", budget: tokens 500 retry 5 timeout 10", down)},
	}, {
		name: "a window that sees too little", check: Breaker, severity: Problem,
		bad: simple(steady, "max_attempts: 1, breaker: {kind: time, window: 10s, min_calls: 100}", down), at: "policies.p.breaker",
		says: []string{"a window of 10s sees about 50 calls of each of 10 processes (5/s), and min_calls is 100"},
		good: []string{
			simple(steady, "max_attempts: 2, backoff: full-jitter, breaker: {kind: time, window: 10s, min_calls: 100}", down),
			simple(steady, "max_attempts: 1, breaker: {kind: time, window: 20s, min_calls: 100}", down),
			simple(steady, "max_attempts: 1, breaker: {kind: time, window: 10s, min_calls: 100, scope: all}", down),
		},
	}, {
		name: "a breaker that sees too few calls", check: Breaker, severity: Problem,
		bad: simple("count: 100, requests: 5", "max_attempts: 3, "+jitters+", breaker: {kind: count, size: 20}", down), at: "policies.p.breaker",
		says: []string{"it never opens: it needs 20 calls, and each of 100 processes makes at most 15 in the whole run"},
		good: []string{simple("count: 100, requests: 7", "max_attempts: 3, "+jitters+", breaker: {kind: count, size: 20}", down)},
	}, {
		name: "more half open than looked at", check: Breaker, severity: Note,
		bad: simple(steady, "max_attempts: 1, breaker: {kind: count, size: 5, half_open: 20}", down), at: "policies.p.breaker.half_open",
		says: []string{"half open it lets 20 calls through, more than the 5 that it looks at"},
		good: []string{simple(steady, "max_attempts: 1, breaker: {kind: count, size: 50, half_open: 20}", down)},
	}, {
		name: "around one attempt", check: Breaker, severity: Note,
		bad: simple(steady, "max_attempts: 1, breaker: {kind: count, size: 50, wraps: request}", down), at: "policies.p.breaker.wraps",
		says: []string{"the same as attempts"},
		good: []string{simple(steady, "max_attempts: 2, "+jitters+", breaker: {kind: count, size: 50, wraps: request}", down)},
	}, {
		name: "one breaker for several", check: BreakerScope, severity: Problem,
		bad: siblings("keyed: policy"), at: "policies.p.breaker",
		says: []string{"one breaker for a and b"},
		good: []string{siblings("keyed: target")},
	}, {
		name: "hedges without a limit", check: Hedge, severity: Note,
		bad: simple(steady, "timeout: 1s, hedge: 50ms, cancel: running", "service_time: 10ms"), at: "policies.p.hedge",
		says: []string{"every call that takes longer than 50ms is hedged"},
		good: []string{simple(steady, "timeout: 1s, hedge: 50ms budget 5%, cancel: running", "service_time: 10ms")},
	}, {
		name: "hedges after a quantile", check: Hedge, severity: Note,
		bad: simple(steady, "timeout: 1s, hedge: p95, cancel: running", "service_time: 10ms"), at: "policies.p.hedge",
		says: []string{"hedges after p95 are 5% more calls"},
		good: []string{simple(steady, "timeout: 1s, hedge: p95 budget 5%, cancel: running", "service_time: 10ms")},
	}, {
		name: "hedges above capacity", check: Hedge, severity: Problem,
		bad: simple(steady, "timeout: 1s, hedge: 50ms budget 50%", "workers: 6, service_time: 100ms"), at: "policies.p.hedge",
		says: []string{"50/s + 50/s x 0.5 hedges = 75/s to api, which can serve 60/s"},
		good: []string{
			simple(steady, "timeout: 1s, hedge: 50ms budget 50%, cancel: running", "workers: 6, service_time: 100ms"),
			simple(steady, "timeout: 1s, hedge: 50ms budget 10%", "workers: 6, service_time: 100ms"),
		},
	}, {
		name: "no wait", check: Jitter, severity: Problem,
		bad: simple(steady, "max_attempts: 3", down), at: "policies.p.backoff",
		says: []string{"retries without a wait"},
		good: []string{
			simple(steady, "max_attempts: 3, "+jitters, down),
			simple(steady, "max_attempts: 1", down),
			simple(steady, "max_attempts: 3", "faults: {f: errors share 10%}"), // nobody fails together
		},
	}, {
		name: "no jitter", check: Jitter, severity: Problem,
		bad: simple("count: 10", "max_attempts: 5, backoff: exponential 1s", ""), at: "policies.p.backoff",
		says: []string{"no jitter", "after 1s, 2s, 4s, ..."},
		good: []string{
			simple("count: 10", "max_attempts: 5, backoff: equal-jitter 1s", ""),
			simple("count: 1", "max_attempts: 5, backoff: exponential 1s", down),
			simple("count: 10, arrival: burst spread 10s", "max_attempts: 5, backoff: exponential 1s", ""),
		},
	}, {
		name: "jitter that goes away", check: Jitter, severity: Problem,
		bad: simple(steady, "max_attempts: 9, backoff: {kind: custom, base: 1s, cap: 5s, cap_on: after, jitter: factor, lo: 0.5, hi: 1.5}", down), at: "policies.p.backoff",
		says: []string{"no jitter from retry 5 on: every wait is then exactly 5s"}, // 0.5 * 16 s > 5 s
		good: []string{
			simple(steady, "max_attempts: 9, backoff: {kind: custom, base: 1s, cap: 5s, cap_on: before, jitter: factor, lo: 0.5, hi: 1.5}", down),
			simple(steady, "max_attempts: 4, backoff: {kind: custom, base: 1s, cap: 5s, cap_on: after, jitter: factor, lo: 0.5, hi: 1.5}", down),
		},
	}, {
		name: "at the cap for ever", check: Jitter, severity: Note,
		bad: simple(steady, "max_attempts: 9, backoff: decorrelated-jitter 100ms cap 1s", down), at: "policies.p.backoff",
		says: []string{"from retry 3 on waits may be exactly 1s", "probability 0.69"}, // 2 / (3 - 0.1)
		good: []string{
			simple(steady, "max_attempts: 9, backoff: decorrelated-jitter 100ms", down),
			simple(steady, "max_attempts: 3, backoff: decorrelated-jitter 100ms cap 1s", down),
		},
	}, {
		name: "all at the moment of recovery", check: RetryAfter, severity: Problem,
		bad: asks("recovery", "", "retry_after: floor"), at: "services.api.faults.f.answer",
		says: []string{"at the moment of recovery", "policies.p adds no jitter"},
		good: []string{asks("recovery", ", spread: 10s", "retry_after: floor"), asks("recovery", "", "retry_after: floor jitter 50%"), asks("recovery", "", "retry_after: add")},
	}, {
		name: "all after the same wait", check: RetryAfter, severity: Problem,
		bad: asks("30s", "", "retry_after: replace"), at: "services.api.faults.f.answer",
		says: []string{"asked to wait 30s"},
		good: []string{asks("30s", ", spread: 10s", "retry_after: replace"), asks("30s", "", "retry_after: replace jitter 20%")},
	}, {
		name: "all for the same token", check: RetryAfter, severity: Problem,
		bad:  simple("count: 50", "max_attempts: 99, "+jitters+", retry_after: floor", "rate_limit: {kind: token-bucket, rate: 1/s, answer: 429 retry_after next-token}"),
		at:   "services.api.rate_limit.answer",
		says: []string{"n(n + 1)/2"},
		good: []string{simple("count: 50", "max_attempts: 99, "+jitters+", retry_after: floor jitter 100%", "rate_limit: {kind: token-bucket, rate: 1/s, answer: 429 retry_after next-token}")},
	}, {
		name: "too much load", check: Load, severity: Problem,
		bad: simple(steady, "max_attempts: 1", "workers: 4, service_time: 100ms"), at: "services.api.workers",
		says: []string{"api gets 50/s and can serve 40/s (125%), without a single retry"},
		good: []string{simple(steady, "max_attempts: 1", "workers: 6, service_time: 100ms")},
	}, {
		name: "too much for the rate limit", check: Load, severity: Problem,
		bad: simple(steady, "max_attempts: 1", "workers: 40, service_time: 100ms, rate_limit: {kind: fixed-window, limit: 20}"), at: "services.api.rate_limit",
		says: []string{"can serve 20/s (250%)"},
		good: []string{simple(steady, "max_attempts: 1", "workers: 40, service_time: 100ms, rate_limit: {kind: fixed-window, limit: 60}")},
	}, {
		name: "too much load for calls that slow each other", check: Load, severity: Problem,
		bad: simple(steady, "max_attempts: 1", "workers: 11, service_time: 100ms, slowdown: 20ms"), at: "services.api.slowdown",
		says: []string{"can serve 36.7/s"}, // 11 / (100 ms + 10 * 20 ms)
		good: []string{simple(steady, "max_attempts: 1", "workers: 11, service_time: 100ms, slowdown: 10ms")},
	}, {
		name: "a vulnerable load", check: Load, severity: Problem,
		bad: simple(steady, "timeout: 1s, max_attempts: 3, "+jitters, "workers: 10, service_time: 100ms"), at: "policies.p.max_attempts",
		says: []string{"50/s x 3 = 150/s, and it can serve 100/s; below 33.3/s it recovers by itself"},
		good: []string{
			simple(steady, "timeout: 1s, max_attempts: 3, "+jitters, "workers: 16, service_time: 100ms"),
			simple(steady, "timeout: 1s, max_attempts: 3, "+jitters, "service_time: 100ms, slowdown: 6ms"), // 166/s
			simple(steady, "timeout: 1s, max_attempts: 3, "+jitters+", budget: ratio 20% floor 0/s", "workers: 10, service_time: 100ms"),
			simple(steady, "max_attempts: 3, "+jitters, "workers: 10, service_time: 100ms"), // nobody gives up
			simple(steady, "timeout: 1s, max_attempts: 3, retry_on: [5xx], "+jitters, "workers: 10, service_time: 100ms"),
			simple(steady, "timeout: 1s, max_attempts: 3, "+jitters, "workers: 10, service_time: 100ms, queue: 20 full 404"), // 0.3 s
			simple("count: 10", "timeout: 1s, max_attempts: 3, "+jitters, "workers: 10, service_time: 100ms"),                // no rate
		},
	}, {
		name: "a vulnerable load with a breaker", check: Load, severity: Note,
		bad: simple(steady, "timeout: 1s, max_attempts: 3, "+jitters+", breaker: {kind: count, size: 20}", "workers: 10, service_time: 100ms"), at: "policies.p.max_attempts",
		says: []string{"unless policies.p.breaker opens"},
	}, {
		name: "nothing that is retried", check: NoEffect, severity: Note,
		bad: simple(steady, "timeout: 1s, max_attempts: 3, retry_on: [refused], "+jitters, busy), at: "policies.p.retry_on",
		says: []string{"calls from clients to api are never retried: all that makes them fail here is 503"},
		good: []string{
			simple(steady, "timeout: 1s, max_attempts: 3, retry_on: [503], "+jitters, busy),
			simple(steady, "timeout: 1s, max_attempts: 3, retry_on: [refused], "+jitters, ""), // nothing fails
			simple(steady, "max_attempts: 3, retry_on: [503], "+jitters+", budget: concurrent 0% floor 0", busy),
		},
	}, {
		name: "a budget of nothing", check: NoEffect, severity: Note,
		bad: simple(steady, "max_attempts: 3, retry_on: [503], "+jitters+", budget: concurrent 0% floor 0", busy), at: "policies.p.budget",
		says: []string{"never retried"},
		good: []string{simple(steady, "max_attempts: 3, retry_on: [503], "+jitters+", budget: concurrent 0% floor 1", busy)},
	}, {
		name: "twice what must not be", check: Idempotency, severity: Problem,
		bad: simple("idempotent: false, "+steady, "timeout: 1s, max_attempts: 3, "+jitters, down), at: "policies.p.retry_on",
		says: []string{"retried after reset, timeout, 5xx"},
		good: []string{
			simple(steady, "timeout: 1s, max_attempts: 3, "+jitters, down),
			simple("idempotent: false, "+steady, "timeout: 1s, max_attempts: 3, idempotent_only: true, "+jitters, down),
			simple("idempotent: false, "+steady, "timeout: 1s, max_attempts: 3, retry_on: [refused, 429], "+jitters, down),
		},
	}, {
		name: "two copies of what must not be", check: Idempotency, severity: Problem,
		bad: simple("idempotent: false, "+steady, "timeout: 1s, hedge: 50ms", down), at: "policies.p.hedge",
		says: []string{"both copies may be done"},
		good: []string{simple(steady, "timeout: 1s, hedge: 50ms", down)},
	}, {
		name: "a library with a defect", check: Defect, severity: Note,
		bad: simple(steady, "library: tenacity", down), at: "policies.p.library",
		says: []string{"tenacity: ", "there is no jitter"},
		good: []string{simple(steady, "library: tenacity-wait-random-exponential", down)},
	}, {
		name: "a setting without effect", check: NoEffect, severity: Note,
		bad: simple(steady, "max_attempts: 1, budget: ratio 20%", down), at: "policies.p.budget",
		says: []string{"max_attempts is 1"},
		good: []string{simple(steady, "max_attempts: 2, "+jitters+", budget: ratio 20%", down)},
	}} {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			found := look(t, c.bad).of(c.check)
			if len(found) != 1 {
				t.Fatalf("%d findings of %s, not 1:\n%v", len(found), c.check, found)
			}
			f := found[0]
			text := f.String()
			if f.Severity != c.severity || f.Path != c.at || f.Place.Line == 0 || f.Where != "" {
				t.Errorf("wrong severity, path or place; want %s of %s: %s", c.severity, c.at, text)
			}
			for _, s := range c.says {
				if !strings.Contains(text, s) {
					t.Errorf("%q is not said: %s", s, text)
				}
			}
			for i, good := range c.good {
				for _, f := range look(t, good).of(c.check) {
					if f.Path == c.at && f.Severity == c.severity {
						t.Errorf("false alarm in twin %d: %s", i+1, f)
					}
				}
			}
		})
	}
}

// chain is client -> a -> b -> c with retries at each hop; a and b retry what
// is named.
func chain(client, a, b int, on string) string {
	return fmt.Sprintf(`name: x
clients: {count: 10, calls: a, policy: {max_attempts: %d, retry_on: [%s], %s}}
services:
  a: {calls: b, policy: {max_attempts: %d, retry_on: [%s], %s}}
  b: {calls: c, policy: db}
  c: {}
policies: {db: {max_attempts: %d, %s}}
`, client, on, jitters, a, on, jitters, b, jitters)
}

// twoHops is client -> gateway -> db.
func twoHops(outer, inner string) string {
	return fmt.Sprintf(`name: x
clients: {calls: gateway, policy: outer}
services: {gateway: {calls: db, policy: inner}, db: {}}
policies: {outer: {%s}, inner: {%s}}
`, outer, inner)
}

// layered is a client with two policies.
func layered(outer, inner string) string {
	return fmt.Sprintf(`name: x
clients: {calls: db, policy: [outer, inner]}
services: {db: {}}
policies: {outer: {%s}, inner: {%s}}
`, outer, inner)
}

// siblings is a client that calls two services under one breaker.
func siblings(keyed string) string {
	return `name: x
target: a
clients: {arrival: poisson 100/s, calls: [a, b], policy: p}
services: {a: {}, b: {}}
policies: {p: {breaker: {kind: count, size: 20, ` + keyed + `}}}
`
}

// asks is a service that is down and asks for a wait.
func asks(wait, more, rule string) string {
	return simple(steady, "max_attempts: 3, "+jitters+", "+rule,
		"faults: {f: {kind: down, at: 30s, for: 10s, answer: {answer: 503, retry_after: "+wait+more+"}}}")
}

// calls are the calls to a service per request, by the rows of the table.
func (r *Result) calls(to string) (calls, average Count) {
	for _, c := range r.Calls {
		if c.To == to {
			calls, average = calls.plus(c.Calls), average.plus(c.Average)
		}
	}
	return calls, average
}

func TestLayersMultiply(t *testing.T) {
	for _, c := range []struct {
		attempts, depth int
		want            float64
	}{{3, 1, 3}, {3, 2, 9}, {3, 3, 27}, {3, 5, 243}, {4, 3, 64}, {4, 5, 1024}} {
		var b strings.Builder
		fmt.Fprintf(&b, "name: x\nclients: {calls: s1, policy: p}\npolicies: {p: {max_attempts: %d}}\nservices:\n", c.attempts)
		for i := 1; i < c.depth; i++ {
			fmt.Fprintf(&b, "  s%d: {calls: s%d, policy: p}\n", i, i+1)
		}
		fmt.Fprintf(&b, "  s%d: {}\n", c.depth)
		if got, _ := look(t, b.String()).calls(fmt.Sprintf("s%d", c.depth)); got != exactly(c.want) {
			t.Errorf("%d attempts at %d layers: %v calls, not %v", c.attempts, c.depth, got, c.want)
		}
	}
}

// Layers in one caller, hedges, steps of one service, and two ways to it.
func TestWaysAddAndLayersMultiply(t *testing.T) {
	r := look(t, `name: x
clients: {calls: [a, b], policy: [outer, inner]}
services:
  a: {calls: c, policy: inner}
  b: {calls: [{to: c, name: first}, {to: c, name: second}], policy: {hedge: 10ms max 2}}
  c: {}
policies: {outer: {max_attempts: 3}, inner: {max_attempts: 2}}
`)
	for to, want := range map[string]float64{"a": 6, "b": 6, "c": 6*2 + 6*3 + 6*3} {
		if got, _ := r.calls(to); got != exactly(want) {
			t.Errorf("%v calls to %s, not %v", got, to, want)
		}
	}
}

// An outer layer does not repeat what it does not retry.
func TestOnlyWhatIsRetriedMultiplies(t *testing.T) {
	for on, want := range map[string]float64{"any": 64, "5xx": 64, "refused": 4, "429": 4, "reset, 503": 4} {
		if got, _ := look(t, chain(4, 4, 4, on)).calls("c"); got != exactly(want) {
			t.Errorf("outer layers retry %s: %v calls, not %v", on, got, want)
		}
	}
}

// Only what can happen in the scenario multiplies, makes callers come back
// together, and keeps a service overloaded.
func TestOnlyWhatCanHappen(t *testing.T) {
	const waits = "backoff: fixed 100ms"
	mix := "faults: {f: {kind: errors, mix: {503: 60%, 404: 40%}}}"
	for _, c := range []struct {
		policy, service string
		want            float64
	}{
		{"retry_on: [refused]", busy, 1},
		{"retry_on: [503]", busy, 20},
		{"retry_on: [404]", mix, 20},
		{"retry_on: [500]", mix, 1},
		{"retry_on: [500]", "faults: {f: errors share 60%}", 20},
		{"retry_on: [500]", "faults: {f: errors share 0%}", 20}, // nothing fails: as if it did
		{"retry_on: [429]", "rate_limit: fixed-window 100", 20},
		{"retry_on: [5xx]", "rate_limit: fixed-window 100", 1},
		{"retry_on: [503]", "workers: 2, queue: 5", 20},
		{"retry_on: [503]", "workers: 2, queue: 5 full 429", 1},
		{"retry_on: [409]", "contention: optimistic", 20},
		{"retry_on: [reset]", "workers: 1, service_time: 1s, crash: 10", 20},
		{"retry_on: [reset], timeout: 1s", busy, 1},
		// Timeouts need a timeout, and something that takes as long.
		{"retry_on: [timeout], timeout: 1s", busy, 1},
		{"retry_on: [timeout], timeout: 1s", paused, 20},
		{"retry_on: [timeout], timeout: 20s", paused + ", rate_limit: fixed-window 100", 1},
		{"retry_on: [timeout], timeout: 1s", "rate_limit: fixed-window 100, service_time: exponential 100ms", 1}, // 0.7 s
		{"retry_on: [timeout], timeout: 1s", "rate_limit: fixed-window 100, service_time: exponential 200ms", 20},
		{"retry_on: [timeout], timeout: 1s", "workers: 10, queue: 80, service_time: 100ms", 1}, // 0.9 s
		{"retry_on: [timeout], timeout: 1s", "workers: 10, queue: 90, service_time: 100ms", 20},
		{"retry_on: [timeout], timeout: 1s", "workers: 10, queue: 10 order lifo, service_time: 100ms", 20},
		{"retry_on: [timeout], timeout: 1s", "rate_limit: fixed-window 100, faults: {f: slow factor 3}, service_time: 100ms", 1},
		{"retry_on: [timeout], timeout: 1s", "rate_limit: fixed-window 100, faults: {f: slow factor 30}, service_time: 100ms", 20},
		{"retry_on: [timeout], timeout: 1s", "faults: {f: down answer silent}", 20},
		// What else forbids retries.
		{"slower_than: 10ms", busy, 1},
		{"slower_than: 1ms", busy, 20},
		{"slower_than: 10ms", "service_time: 100ms, faults: {f: errors after_work true}", 20},
		{"faster_than: 1ms", busy, 1},
		{"faster_than: 10ms", busy, 20},
		{"budget: concurrent 0% floor 0", busy, 1},
		{"budget: ratio 0% floor 0/s", busy, 1},
		{"budget: window 0% floor 0/s", busy, 1},
		{"budget: throttle 2", busy, 1},
		{"timeout: 1s, budget: tokens 4 retry 1 timeout 5", paused, 1},
		{"timeout: 1s, budget: tokens 4 retry 1 timeout 2 scope request", paused, 20},
		{"budget: tokens 5 retry 5 scope request", busy, 20},
		{"retry_after: required", busy, 1},
		{"retry_after: required", strings.ReplaceAll(asking, "WAIT", "5s"), 20},
		{"retry_after: floor", strings.ReplaceAll(asking, "WAIT", "never"), 1},
		{"retry_after: floor cap 1s too_long give-up", strings.ReplaceAll(asking, "WAIT", "5s"), 1},
	} {
		r := look(t, simple(steady, "max_attempts: 20, "+waits+", "+c.policy, c.service))
		if got, _ := r.calls("api"); got.N != c.want {
			t.Errorf("%s, %s: %v calls, not %v", c.policy, c.service, got, c.want)
		}
		if got := len(r.of(Amplification)) > 0; got != (c.want > 1) {
			t.Errorf("%s, %s: amplification found: %v", c.policy, c.service, got)
		}
		if found := append(r.of(Jitter), r.of(Load)...); c.want == 1 && len(found) > 0 {
			t.Errorf("%s, %s: %v", c.policy, c.service, found)
		}
	}
}

const asking = "faults: {f: {kind: down, at: 30s, for: 10s, answer: {answer: 503, retry_after: WAIT}}}"

// Callers see a 502 of a service that cannot get what it needs, and they may
// wait for its retries until they time out.
func TestFailuresFromBelow(t *testing.T) {
	src := func(client, a string) string {
		return fmt.Sprintf("name: x\nclients: {count: 10, calls: a, policy: {max_attempts: 4, backoff: fixed 100ms, %s}}\n"+
			"services: {a: {calls: b, policy: {backoff: fixed 100ms, %s}}, b: {%s}}\n", client, a, busy)
	}
	for _, c := range []struct {
		client, a string
		want      float64
	}{
		{"retry_on: [502]", "max_attempts: 3", 12},
		{"retry_on: [503]", "max_attempts: 3", 3},
		{"retry_on: [502]", "max_attempts: 3, retry_on: [refused]", 4},
		{"retry_on: [timeout], timeout: 50ms", "max_attempts: 3", 12},
		{"retry_on: [timeout], timeout: 1s", "max_attempts: 3", 3},
	} {
		if got, _ := look(t, src(c.client, c.a)).calls("b"); got.N != c.want {
			t.Errorf("%s; %s: %v calls, not %v", c.client, c.a, got, c.want)
		}
	}
}

// Where nothing fails in the scenario it is said that this is only supposed.
func TestNothingFails(t *testing.T) {
	r := look(t, chain(4, 4, 4, "any"))
	if found := r.of(Amplification)[0].Message; !strings.HasPrefix(found, "nothing makes c fail here, but if something did, in any way that is retried, one request") {
		t.Error(found)
	}
	var text strings.Builder
	if err := r.Text(&text, 0); err != nil || !strings.Contains(text.String(), "nothing makes a, b, c fail here: these are the calls if something did") {
		t.Errorf("%v\n%s", err, &text)
	}
	r = look(t, simple(steady, "max_attempts: 20", busy))
	text.Reset()
	if err := r.Text(&text, 0); err != nil || strings.Contains(text.String(), "if something did") || r.Calls[0].Assumed {
		t.Errorf("%v\n%s", err, &text)
	}
}

// The ratio of a budget with a floor of 10/s for each process, by its rate.
func TestFloorDominatesAtLowRates(t *testing.T) {
	for rate, want := range map[string]string{"1/s": "11.2", "5/s": "3.2", "10/s": "2.2", "50/s": "1.4", "100/s": "1.3"} {
		r := look(t, simple("arrival: poisson "+rate, "max_attempts: 100, budget: ratio 20% floor 10/s", ""))
		if _, average := r.calls("api"); average.String() != want {
			t.Errorf("at %s: %v calls on average, not %s", rate, average, want)
		}
	}
}

func TestFindingsOfManyPointsAreOne(t *testing.T) {
	src := func(sweep string) string {
		return simple("count: 10, arrival: poisson 50/s", "timeout: 1s, max_attempts: 3, "+jitters, "workers: 10, service_time: 100ms") + sweep
	}
	for _, c := range []struct{ sweep, where string }{
		{"", ""},
		{"variants: {a: {}, b: {policies.p.max_attempts: 1}}\n", "variant a"},
		{"sweep: {clients.arrival.rate: [10/s, 40/s, 50/s]}\n", "clients.arrival.rate 40/s, 50/s; numbers of the first"},
		{"sweep: {clients.network: [0s, 1ms]}\n", ""},
		{
			"variants: {a: {}, b: {policies.p.max_attempts: 2}}\nsweep: {clients.arrival.rate: [40/s, 60/s]}\n",
			"variant a; numbers of the first",
		},
		{"sweep: {clients.arrival.rate: [40/s, 50/s]}\n", "numbers of clients.arrival.rate 40/s"},
		{
			"sweep: {services.api.workers: [6, 10, 60], clients.arrival.rate: [10/s, 50/s]}\n",
			"services.api.workers 6, 10, clients.arrival.rate 50/s; numbers of the first",
		},
	} {
		found := look(t, src(c.sweep)).of(Load)
		if len(found) == 0 || found[0].Where != c.where {
			t.Errorf("%swhere %q, not %q", c.sweep, found, c.where)
		}
	}
}

// A finding stands where the value was written that makes it one.
func TestPlaces(t *testing.T) {
	src := `name: x
clients: {count: 10, calls: db, policy: app}
services: {db: {}}
policies:
  base:
    max_attempts: 12
    backoff: full-jitter
  app: {extends: base}
variants:
  as-is: {}
  more: {policies.app.max_attempts: 20}
`
	found := look(t, src).of(Amplification)
	var got []string
	for _, f := range found {
		got = append(got, fmt.Sprint(f.Place.Line, " ", f.Where))
	}
	if want := []string{"6 variant as-is", "11 variant more"}; !slices.Equal(got, want) {
		t.Errorf("places %q, not %q", got, want)
	}
}

// Numbers at the edge of what a scenario may say.
func TestExtremes(t *testing.T) {
	for _, src := range []string{
		simple("count: 1000000", "timeout: 2000000h, deadline: 2000000h, max_attempts: unlimited, max_elapsed: 2000000h, backoff: exponential 2000000h", down),
		simple("arrival: closed", "timeout: 1ns, max_attempts: 1000000000, backoff: fixed 1ns, deadline: 2000000h", "service_time: 1ns"),
		simple("arrival: poisson 0.000001/s", "max_attempts: unlimited, backoff: decorrelated-jitter 1ns cap 2000000h, budget: ratio 0% floor 0/s", "service_time: pareto 1h"),
		simple("arrival: poisson 1000000/s", "max_attempts: 2, budget: tokens 5 retry 5 timeout 5, hedge: p99.9 max 100", "workers: 1, service_time: 0s"),
		layered("max_attempts: unlimited, backoff: fixed 2000000h", "max_attempts: unlimited, timeout: 2000000h, backoff: fixed 1s"),
	} {
		for _, f := range look(t, src).Findings {
			if text := f.String(); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "-") && strings.Contains(text, ": -") {
				t.Error(text)
			}
		}
	}
}
