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
