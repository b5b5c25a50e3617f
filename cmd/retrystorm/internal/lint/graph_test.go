package lint

import (
	"strings"
	"testing"
)

// By hand: what one request comes to when all calls that can fail do.
func TestGraphsMultiply(t *testing.T) {
	const src = `name: x
until: 1h
clients: {arrival: poisson 10/s, calls: CALLS, policy: four}
services:
  web: {policy: two, calls: [a, work, {parallel: [{to: a, name: again}, {to: b, share: 50%}], need: first, name: both}]}
  a: {faults: {f: errors}}
  b: {faults: {f: errors}}
  worker: {calls: a, policy: two}
queues:
  jobs: {to: worker, max_receives: 3, policy: two}
  audit: {to: b}
policies:
  four: {max_attempts: 4, backoff: fixed 1s}
  two: {max_attempts: 2, backoff: fixed 1s}
target: a
`
	for _, c := range []struct {
		calls, to string
		want      float64
	}{
		{"a", "a", 4},
		{"{to: a, share: 25%}", "a", 1},
		// 4 runs of web, each with 2 attempts at a, 2 in parallel, and half of 2 at b.
		{"web", "web", 4},
		{"web", "a", 16},
		{"web", "b", 4},
		{"{parallel: [a, b, {to: a, name: more}]}", "a", 8},
		// A message is stored at once; its 3 deliveries are 2 calls each, of 2 each.
		{"jobs", "jobs", 1},
		{"jobs", "worker", 6},
		{"jobs", "a", 12},
		{"a, classes: {buy: {share: 25%, calls: [a, b], policy: two}, look: 75%}", "a", 0.25*2 + 0.75*4},
	} {
		r := look(t, strings.Replace(src, "CALLS", c.calls, 1))
		if calls, _ := r.calls(c.to); calls.N != c.want {
			t.Errorf("%s: %v calls to %s, want %v\n%+v", c.calls, calls, c.to, c.want, r.Calls)
		}
	}
	r := look(t, strings.Replace(src, "CALLS", "audit", 1))
	if calls, _ := r.calls("b"); !calls.unlimited() {
		t.Errorf("a message that fails is delivered %v times, want no limit", calls)
	}
	if f := r.of(Amplification); len(f) != 1 || f[0].Path != "queues.audit.max_receives" {
		t.Errorf("%+v", f)
	}
}

// A request that costs more is more load, and each replica serves its part.
func TestLoadOfGraphs(t *testing.T) {
	for src, overloaded := range map[string]bool{
		"clients: {arrival: poisson 50/s, calls: a}\nservices: {a: {workers: 1, service_time: 10ms}}":                                                                    false,
		"clients: {arrival: poisson 50/s, cost: 3, calls: a}\nservices: {a: {workers: 1, service_time: 10ms}}":                                                           true,
		"clients: {arrival: poisson 50/s, cost: 3, calls: a}\nservices: {a: {replicas: 2, workers: 1, service_time: 10ms}}":                                              false,
		"clients: {arrival: poisson 50/s, classes: {big: 20% cost 6, small: 80%}, calls: a}\nservices: {a: {workers: 1, service_time: 10ms}}":                            true,
		"clients: {arrival: poisson 50/s, calls: {to: a, share: 50%}}\nservices: {a: {workers: 1, service_time: 30ms}}":                                                  false,
		"clients: {arrival: poisson 50/s, calls: q}\nservices: {a: {workers: 9, service_time: 30ms}}\nqueues: {q: {to: a, consumers: 1}}":                                true,
		"clients: {arrival: poisson 50/s, calls: q}\nservices: {a: {workers: 9, service_time: 30ms}}\nqueues: {q: {to: a, consumers: 2}}":                                false,
		"clients: {arrival: poisson 50/s, calls: w}\nservices: {w: {calls: {parallel: [a, b]}}, a: {workers: 1, service_time: 30ms}, b: {service_time: 1ms}}\ntarget: a": true,
	} {
		if f := look(t, "name: x\n"+src+"\n").of(Load); (len(f) > 0) != overloaded {
			t.Errorf("%s: %+v", src, f)
		}
	}
}

func TestQueues(t *testing.T) {
	const src = "name: x\nclients: {idempotent: false, arrival: poisson 1/s, calls: q}\nservices: {a: {service_time: 40s}}\nqueues: {q: {to: a, consumers: 99}}\n"
	r := look(t, src)
	if f := r.of(Timeout); len(f) != 1 || f[0].Path != "queues.q.visibility" || !strings.Contains(f[0].Message, "worked on for 40s on average when all is well, and hidden for 30s") {
		t.Errorf("%+v", f)
	}
	if f := r.of(Idempotency); len(f) != 1 || !strings.Contains(f[0].Message, "a may do it twice") {
		t.Errorf("%+v", f)
	}
	good := strings.Replace(strings.Replace(src, "40s}", "20s, inbox: unique}", 1), "99", "99, max_receives: 5", 1)
	if f := look(t, good).Findings; len(f) != 0 {
		t.Errorf("%+v", f)
	}
}

// Several ways to one service: their sum, in the order of the calls, with no
// advice that holds for one of them only. What fails at some point of the
// experiment is not said to fail nowhere.
func TestSeveralWays(t *testing.T) {
	r := look(t, `name: x
clients: {count: 10, calls: web, policy: three}
services:
  web: {policy: three, calls: {parallel: [a, b, c]}}
  a: {calls: db}
  b: {calls: db}
  c: {calls: db}
  db: {faults: {f: errors}}
policies: {three: {max_attempts: 3, backoff: full-jitter 1s}}
variants: {healthy: {services.db.faults.f.share: 0%}, broken: {}}
`)
	var ways []string
	for _, c := range r.Calls {
		if c.To == "db" && !c.Assumed {
			ways = append(ways, c.From)
		}
	}
	if strings.Join(ways, " ") != "a b c" {
		t.Errorf("ways in the order %v", ways)
	}
	for _, f := range r.of(Amplification) {
		if !strings.Contains(f.Message, "becomes 27 calls to db: 3 x 3 on the way with most") || f.Fix != "retry in one place; or a budget" {
			t.Errorf("%+v", f)
		}
		if strings.HasPrefix(f.Message, "nothing makes") != (f.Where == "variant healthy") {
			t.Errorf("%+v", f)
		}
	}
	var text strings.Builder
	if err := r.Text(&text, 0); err != nil || strings.Contains(text.String(), "these are the calls if something did") {
		t.Errorf("%v\n%s", err, &text)
	}
}
