package experiment

import (
	"fmt"
	"strings"
	"testing"
)

const dear = `name: dear
until: 100s
clients: {count: 10, arrival: %s, calls: web, policy: {%s}, network: %s}
services:
  web: {calls: [a, b]}
  a: {}
  b: {calls: c}
  c: {faults: {%s}}
target: a
`

// By hand: a request makes 4 calls, web, a, b and c; what meets the fault makes
// all of them again with each retry.
func TestExpense(t *testing.T) {
	const network = "500us" // there and back, and a millisecond for the rest: 2 ms
	for _, c := range []struct {
		arrival, policy, network, fault string
		want                            float64
	}{
		{"burst", "max_attempts: 1", network, "f: errors at 200s", 10 * 4},
		{"burst", "max_attempts: 4, backoff: fixed 1s", network, "f: errors for 50s", 10*4 + 10*3*4},
		// 20 s at one retry in 1.002 s: 19 of them.
		{"burst", "max_attempts: unlimited, backoff: fixed 1s", network, "f: down for 20s", 10*4 + 10*19*4},
		// 0.1, 0.2, ... 12.8 s: the eighth would come after 25.5 s.
		{"burst", "max_attempts: unlimited, backoff: exponential 100ms", network, "f: down for 20s", 10*4 + 10*7*4},
		// A tenth of 1,000 requests comes while it lasts.
		{"poisson 10/s", "max_attempts: 3, backoff: fixed 1s", network, "f: errors at 20s for 10s", 1000*4 + 100*2*4},
	} {
		e := mustNew(t, fmt.Sprintf(dear, c.arrival, c.policy, c.network, c.fault))
		if got := float64(e.costs[0]); got < c.want || got > c.want+1 {
			t.Errorf("%s, %s, %s: %v, want %v", c.arrival, c.policy, c.fault, got, c.want)
		}
	}
}

// What is tried again at once, for ever, is not counted one by one.
func TestExpenseOfNoWait(t *testing.T) {
	e := mustNew(t, fmt.Sprintf(dear, "burst", "max_attempts: unlimited, backoff: none", "500us", "f: down for 100s"))
	if got, want := float64(e.costs[0]), 10*4*50_000.0; !near(got, want, 0.01) {
		t.Errorf("%v, want about %v", got, want)
	}
}

// By hand, of 1000 requests a group.
func TestExpenseOfGraphs(t *testing.T) {
	const src = `name: x
until: 100s
clients: {arrival: burst, count: 1000, calls: %s}
services:
  web: {calls: [a, work, {parallel: [a, {to: b, share: 50%%, name: half}, {parallel: [{to: b, name: more}], name: inner}], need: first}, {to: jobs, optional: true}]}
  a: {}
  b: {}
  worker: {calls: {to: jobs, share: 25%%}}
  list: {}
queues:
  jobs: {to: worker, poison: 10%%, max_receives: 3, dead_letter: dead}
  dead: {}
target: a
%s`
	for _, c := range []struct {
		calls, more string
		want        float64
	}{
		{"a", "", 1},
		{"{to: a, share: 30%}", "", 0.3},
		// The message, 1.2 deliveries, each of which makes a quarter of a message.
		{"jobs", "", 1 + 1.2*1.25},
		{"dead", "", 1},
		// web, a, and in parallel a, half of b, b; then the message.
		{"web", "", 1 + 1 + 1 + 0.5 + 1 + 1 + 1.2*1.25},
		{"a", "actions: {again: rerun clients at 50s}", 1.5},
		{"a, classes: {p: 50%, q: {share: 50%, calls: [a, b]}}", "", 1.5},
	} {
		src := fmt.Sprintf(src, c.calls, c.more)
		src = strings.Replace(src, "inner}], need: first", "inner}], need: first, name: all-three", 1)
		src = strings.Replace(src, "parallel: [a,", "parallel: [{to: a, name: again},", 1)
		e := mustNew(t, src)
		if got := float64(e.costs[0]); !near(got, 1000*c.want, 0.005) {
			t.Errorf("%s %s: %v, want %v", c.calls, c.more, got, 1000*c.want)
		}
	}
}
