package scenarios

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestOneLine checks that a one-line form is the map form it stands for.
func TestOneLine(t *testing.T) {
	const (
		network = "name: x\nclients: {calls: db, network: VALUE}\nservices: {db: {service_time: 1ms}}\n"
		arrival = "name: x\nclients: {calls: db, arrival: VALUE}\nservices: {db: {service_time: 1ms}}\n"
		points  = "name: x\nclients: {calls: db, arrival: {kind: profile, points: [VALUE]}}\nservices: {db: {service_time: 1ms}}\n"
		queue   = "name: x\nclients: {calls: db}\nservices: {db: {workers: 1, queue: VALUE}}\n"
		limit   = "name: x\nclients: {calls: db}\nservices: {db: {rate_limit: VALUE}}\n"
		rows    = "name: x\nclients: {calls: db}\nservices: {db: {contention: VALUE}}\n"
		crash   = "name: x\nclients: {calls: db}\nservices: {db: {crash: VALUE}}\n"
		fault   = "name: x\nclients: {calls: db}\nservices: {db: {workers: 2, faults: {f: VALUE}}}\n"
		backoff = "name: x\nclients: {calls: db, policy: {max_attempts: 3, backoff: VALUE}}\nservices: {db: {}}\n"
		policy  = "name: x\nclients: {calls: db, network: 1ms, policy: {max_attempts: 3, VALUE}}\nservices: {db: {}}\n"
		service = "name: x\nclients: {calls: db}\nservices: {db: {workers: 2, queue: {limit: 5}, rate_limit: token-bucket 5/s, VALUE}}\n"
		calls   = "name: x\nclients: {calls: VALUE}\nservices: {db: {}}\n"
	)
	for _, c := range []struct{ in, line, form string }{
		{network, "20ms", "{kind: constant, mean: 20ms}"},
		{network, "300/s", "{kind: constant, mean: 300/s}"},
		{network, "300/s", "{mean: 300/s}"},
		{network, "mean 20ms", "{mean: 20ms}"},
		{network, "uniform 10ms to 30ms", "{kind: uniform, from: 10ms, to: 30ms}"},
		{network, "uniform to 30ms", "{kind: uniform, to: 30ms}"},
		{network, "exponential 20ms", "{kind: exponential, mean: 20ms}"},
		{network, "exponential 300/s", "{kind: exponential, mean: 3333333ns}"},
		{network, "normal 10ms sd 2ms", "{kind: normal, mean: 10ms, sd: 2ms}"},
		{network, "abs-normal 10ms sd 2ms", "{kind: abs-normal, sd: 2ms, mean: 10ms}"},
		{network, "lognormal 20ms cv 0.5", "{kind: lognormal, mean: 20ms, cv: 0.5}"},
		{network, "pareto 20ms shape 2.5", "{kind: pareto, mean: 20ms}"},
		{network, "erlang 20ms k 2", "{kind: erlang, mean: 20ms}"},
		{network, `"exponential   20ms"`, "{kind: exponential, mean: 20ms}"},
		{arrival, "burst", "{}"},
		{arrival, "at 5s", "{at: 5s}"},
		{arrival, "burst at 5s spread 1m", "{kind: burst, at: 5s, spread: 1m}"},
		{arrival, "poisson 200/s", "{kind: poisson, rate: 200/s}"},
		{arrival, "poisson 200/s per client for 5s", "{kind: poisson, rate: 200/s, per: client, for: 5s}"},
		{arrival, "constant 1/s for none", "{kind: constant, rate: 1/s}"},
		{arrival, "every 10s phase aligned jitter 5%", "{kind: every, every: 10s, phase: aligned, jitter: 5%}"},
		{arrival, "closed think 5s", "{kind: closed, think: {kind: constant, mean: 5s}}"},
		{arrival, "closed", "{kind: closed, think: 0s}"},
		{points, "20s 80/s", "{at: 20s, rate: 80/s}"},
		{points, "at 20s rate 80/s", "{at: 20s, rate: 80/s}"},
		{queue, "400", "{limit: 400}"},
		{queue, "400 full 503", "{limit: 400, full: 503}"},
		{queue, "unlimited order lifo", "{order: lifo}"},
		{queue, "order lifo", "{order: lifo}"},
		{queue, "4e2 full silent", "{limit: 400, full: silent}"},
		{limit, "none", "none"},
		{limit, "token-bucket 100/s", "{kind: token-bucket, rate: 100/s, burst: 1, answer: 429}"},
		{limit, "fixed-window 100 window 2s", "{kind: fixed-window, limit: 100, window: 2s}"},
		{limit, "sliding-window 100 scope client answer refused", "{kind: sliding-window, limit: 100, scope: client, answer: refused}"},
		{rows, "optimistic", "{kind: optimistic}"},
		{rows, "lock rows 5", "{kind: lock, rows: 5}"},
		{crash, "500 restart 30s", "{above: 500}"},
		{crash, "500 ramp 5s ramp_from 10%", "{above: 500, ramp: 5s, ramp_from: 10%}"},
		{fault, "down at 0s for 30s answer refused ramp 30s ramp_from 10%", "{kind: down, for: 30s, answer: refused, ramp: 30s, ramp_from: 10%}"},
		{fault, "errors", "{kind: errors, share: 100%}"},
		{fault, "errors share 5% answer 503 after_work true", "{kind: errors, share: 5%, answer: 503, after_work: true}"},
		{fault, "slow factor 3 at 2m for 60s", "{kind: slow, factor: 3, at: 2m, for: 1m}"},
		{fault, "pause at 60s for 10s", "{kind: pause, at: 60s, for: 10s}"},
		{fault, "capacity share 30%", "{kind: capacity, share: 30%}"},
		{backoff, "none", "{}"},
		{backoff, "fixed 1s", "{kind: fixed, base: 1s}"},
		{backoff, "linear 1s cap none", "{kind: linear, base: 1s}"},
		{backoff, "full-jitter", "{kind: full-jitter, base: 100ms}"},
		{backoff, "full-jitter 5ms cap 2s first_exponent 1", "{kind: full-jitter, base: 5ms, cap: 2s, first_exponent: 1}"},
		{backoff, "equal-jitter 5ms factor 3", "{kind: equal-jitter, base: 5ms, factor: 3}"},
		{backoff, "decorrelated-jitter 5ms cap 2s", "{kind: decorrelated-jitter, base: 5ms, cap: 2s}"},
		{backoff, "proportional-jitter 1s lo 0.2 hi 2", "{kind: proportional-jitter, base: 1s, lo: 0.2, hi: 2}"},
		{backoff, "additive-jitter 1s spread 2s", "{kind: additive-jitter, base: 1s, spread: 2s}"},
		{backoff, "custom 1s growth walk hi 3 first 0s", "{kind: custom, base: 1s, growth: walk, hi: 3, first: 0s}"},
		{policy, "backoff_on: {429: full-jitter 1s cap 5s, 5xx: none}", "backoff_on: {429: {kind: full-jitter, base: 1s, cap: 5s}, 5xx: {}}"},
		{policy, "retry_after: floor", "retry_after: {kind: floor, answers: [429, 503], forms: [seconds, date]}"},
		{policy, "retry_after: band 5s cap 1m too_long give-up", "retry_after: {kind: band, cap: 1m, too_long: give-up}"},
		{policy, "retry_after: add jitter 20%", "retry_after: {kind: add, jitter: 20%, cap: none}"},
		{policy, "budget: ratio 20% floor 10/s", "budget: {kind: ratio, floor: 10/s}"},
		{policy, "budget: concurrent 0% floor 3 scope all", "budget: {kind: concurrent, ratio: 0%, floor: 3, scope: all}"},
		{policy, "budget: tokens 500 retry 14", "budget: {kind: tokens, retry: 14}"},
		{policy, "budget: throttle 10 per_success 0.5", "budget: {kind: throttle, tokens: 10, per_success: 0.5}"},
		{policy, "budget: none", "timeout: none"},
		{policy, "breaker: count 100 min_calls 10 keyed policy", "breaker: {kind: count, size: 100, failures: 50%, min_calls: 10, keyed: policy}"},
		{policy, "breaker: time 30s wraps retries", "breaker: {kind: time, window: 30s, wraps: retries}"},
		{policy, "breaker: consecutive 5 open 10s", "breaker: {kind: consecutive, size: 5, open: 10s, half_open: 10}"},
		{policy, "hedge: 50ms", "hedge: {after: 50ms, max: 1, budget: 100%}"},
		{policy, "hedge: p95 max 2 budget 5%", "hedge: {after: p95.0, max: 2, budget: 5%}"},
		{policy, "limiter: concurrency 50 when_full fail", "limiter: {kind: concurrency, limit: 50, when_full: fail}"},
		{policy, "limiter: rate 10/s burst 5", "limiter: {kind: rate, rate: 10/s, burst: 5}"},
		{policy, "limiter: aws-adaptive", "limiter: {kind: aws-adaptive, when_full: wait}"},
		{service, "limiter: concurrency 5", "limiter: {kind: concurrency, limit: 5, answer: 503}"},
		{service, "limiter: gradient max 50 answer refused", "limiter: {kind: gradient, max: 50, answer: {answer: refused}}"},
		{service, "shed: retries", "shed: {kind: retries, above: 80%, answer: {answer: 503, form: seconds}}"},
		{service, "shed: first-tries above 50% answer 429", "shed: {kind: first-tries, above: 50%, answer: 429}"},
		{service, "faults: {f: errors answer 503}", "faults: {f: {kind: errors, answer: {answer: 503, retry_after: none, skew: 0s}}}"},
		{service, "faults: {f: {kind: down, answer: 503 retry_after 30s spread 5s}}", "faults: {f: {kind: down, answer: {answer: 503, retry_after: 30s, spread: 5s}}}"},
		{service, "faults: {f: {kind: down, answer: 429 retry_after recovery form date skew 1s behind true}}", "faults: {f: {kind: down, answer: {answer: 429, retry_after: recovery, form: date, skew: 1s, behind: true}}}"},
		{service, "faults: {f: {kind: errors, mix: {503: 90%, 429: 10% retry_after 0s}}}", "faults: {f: {kind: errors, mix: {503: {share: 90%}, 429: {share: 10%, retry_after: 0s}}}}"},
		{calls, "db", "{to: db}"},
		{calls, "[db]", "[{to: db}]"},
	} {
		line, form := mustLoad(t, strings.ReplaceAll(c.in, "VALUE", c.line)), mustLoad(t, strings.ReplaceAll(c.in, "VALUE", c.form))
		if diff := cmp.Diff(line.Scenario, form.Scenario, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s is not %s:\n%s", c.line, c.form, diff)
		}
		long := mustLoad(t, string(line.Long()))
		if diff := cmp.Diff(line.Scenario, long.Scenario, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: the long form differs:\n%s\n%s", c.line, diff, line.Long())
		}
	}
}
