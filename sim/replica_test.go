package sim_test

import (
	"reflect"
	"testing"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/strategies"
)

// replicated is a service without limits and with n replicas, the first of which
// is down and answers so.
func replicated(n int64, balance string, answer server.Answer) server.Spec {
	spec := unlimited()
	spec.Replicas, spec.Balance = n, balance
	spec.Faults = []server.Fault{{Name: "dead", Kind: "down", Answer: server.Reply{Answer: answer}, Replicas: new(int64(1))}}
	return spec
}

// One of two replicas fails all calls, and there are two attempts. A retry that
// avoids it cannot fail, whatever it is that the first attempt meets, and
// whichever layer makes the retry. One that does not fails in half of the cases:
// of 10,000 requests a quarter, within 5 standard deviations of 43.
func TestAvoidFailed(t *testing.T) {
	const n = 10_000
	plain := retry(2, 100*ms, backoff("fixed", 10*ms, 0))
	plain.RetryOn = []string{"any"}
	avoiding, budgeted, single := plain, plain, plain
	avoiding.AvoidFailed = true
	budgeted.AvoidFailed, budgeted.Budget = true, &strategies.Budget{Kind: "tokens", Tokens: n, Retry: 1, Scope: "all"}
	single.MaxAttempts = 1
	for _, c := range []struct {
		name     string
		policies []strategies.Policy
		avoids   bool
	}{
		{"not at all", []strategies.Policy{plain}, false},
		{"a plain policy", []strategies.Policy{avoiding}, true},
		{"one with a budget", []strategies.Policy{budgeted}, true},
		{"an outer layer", []strategies.Policy{avoiding, single}, true},
		{"an inner layer", []strategies.Policy{single, avoiding}, true},
		{"a layer around one that does not", []strategies.Policy{avoiding, single, single}, true},
	} {
		for _, answer := range []server.Answer{server.Refused, server.Silent} {
			m := model(burst(n), plain, constant(ms), replicated(2, "random", answer))
			step := &m.Groups[0].Steps[0]
			step.Policies = nil
			for i, p := range c.policies {
				for range c.policies[i+1:] {
					p.Timeout *= 3 // than all of the layer within it takes
				}
				step.Policies = append(step.Policies, under(p)...)
			}
			rec := run(t, m, 1, 0)
			switch {
			case c.avoids && rec.Failed > 0:
				t.Errorf("%s, %v: %d requests failed", c.name, answer, rec.Failed)
			case !c.avoids && (rec.Failed < 2283 || rec.Failed > 2717):
				t.Errorf("%s, %v: %d requests failed", c.name, answer, rec.Failed)
			}
		}
	}
}

// A replica that refuses at once never has anybody inside, so whoever goes where
// the fewest are goes there. 100 calls/s of 100 ms leave 10 inside the other.
func TestLeastLovesTheDead(t *testing.T) {
	spec := replicated(2, "least", server.Refused)
	spec.ServiceTime = constant(100 * ms)
	g := poisson(100)
	g.Arrival.Kind, g.Arrival.For = "constant", 100*s
	rec := run(t, model(g, once, constant(0), spec), 1, 0)
	if rec.Failed < 9000 {
		t.Errorf("%d of %d requests failed, want nearly all", rec.Failed, rec.Requests)
	}
	spec.Balance = "round-robin"
	if rec = run(t, model(g, once, constant(0), spec), 1, 0); rec.Failed != rec.Requests/2 {
		t.Errorf("in turn %d of %d requests failed, want half", rec.Failed, rec.Requests)
	}
}

// Of 9 calls in turn to two replicas, the fifth to the first kills it, and the 4
// inside the other do not notice.
func TestCrashOfOneReplica(t *testing.T) {
	spec := unlimited()
	spec.Replicas, spec.Balance = 2, "round-robin"
	spec.ServiceTime = constant(s)
	spec.Crash = &server.Crash{Above: 4, Restart: 10 * s}
	rec := run(t, model(burst(9), once, constant(0), spec), 1, 0)
	if v := &rec.Services[0]; v.Crashes != 1 || v.Reset != 5 || v.Succeeded != 4 {
		t.Errorf("%d crashes, %d reset, %d succeeded; want 1, 5, 4", v.Crashes, v.Reset, v.Succeeded)
	}
}

// One replica is none, whatever chooses it.
func TestOneReplica(t *testing.T) {
	m := onePause(4, "ignore")
	want := *run(t, m, 1, 0)
	for _, balance := range []string{"random", "round-robin", "least", "two-choices"} {
		other := *m
		other.Services = append([]sim.Service(nil), m.Services...)
		other.Services[0].Spec.Replicas, other.Services[0].Spec.Balance = 1, balance
		if got := *run(t, &other, 1, 0); !reflect.DeepEqual(want, got) {
			t.Errorf("%s: not the same", balance)
		}
	}
}

func TestTraceOfReplicas(t *testing.T) {
	spec := replicated(2, "round-robin", server.Refused)
	spec.Admit = new(0.25)
	var lines []string
	_, err := new(sim.Runner).Run(model(burst(1), once, constant(0), spec), 1, 0, sim.Options{
		Trace: func(e sim.TraceEvent) { lines = append(lines, e.String()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "t=0.000000000s station db at replica 1: down, answers refused, lets in 25%"; len(lines) == 0 || lines[0] != want {
		t.Errorf("got %q, want %q", lines, want)
	}
	if want := "t=0.000000000s clients 1 request 1: clients > db attempt 1 arrives at replica 1, answered refused"; len(lines) < 3 || lines[2] != want {
		t.Errorf("got %q, want %q", lines, want)
	}
}
