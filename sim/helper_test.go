package sim_test

import (
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

const (
	ms = time.Millisecond
	s  = time.Second
)

func constant(d time.Duration) random.Dist { return random.Dist{Kind: "constant", Mean: d} }

func exponential(d time.Duration) random.Dist { return random.Dist{Kind: "exponential", Mean: d} }

// unlimited is a service that any number of calls can be in.
func unlimited() server.Spec { return workers(server.Unlimited) }

// workers is a service with n workers and an endless queue.
func workers(n int64) server.Spec {
	return server.Spec{
		Workers: n, ServiceTime: constant(0),
		Queue: server.Queue{Limit: server.Unlimited, Order: "fifo", Full: server.Reply{Answer: 503}},
	}
}

// retry is a policy that retries all transient outcomes.
func retry(attempts int64, timeout time.Duration, b strategies.Backoff) strategies.Policy {
	return strategies.Policy{
		Timeout: timeout, MaxAttempts: attempts, RetryOn: []string{"transient"}, Backoff: b, LateAnswers: "ignore",
	}
}

// backoff is a strategy with factor 2.
func backoff(kind string, base, limit time.Duration) strategies.Backoff {
	return strategies.Backoff{
		Kind: kind, Base: base, Cap: limit, Factor: 2, Lo: 0.5, Hi: 1, Waits: []time.Duration{base},
		Values: strategies.Unlimited, Unit: ms, Steps: strategies.Unlimited,
	}
}

// under is what a step with one policy has.
func under(p strategies.Policy) []*sim.Policy { return []*sim.Policy{{Policy: p}} }

// model is one group that calls one service.
func model(g sim.Group, policy strategies.Policy, network random.Dist, spec server.Spec) *sim.Model {
	g.Name = "clients"
	g.Steps = []sim.Step{{Name: "db", To: 0, Policies: under(policy), Network: network}}
	return &sim.Model{
		Until: time.Hour, Window: 100 * ms, Groups: []sim.Group{g},
		Services: []sim.Service{{Name: "db", Spec: spec}},
	}
}

func burst(n int64) sim.Group {
	return sim.Group{Count: n, Requests: 1, Arrival: random.Arrival{Kind: "burst"}}
}

func poisson(rate float64) sim.Group {
	return sim.Group{Count: 1, Requests: random.Unlimited, Arrival: random.Arrival{Kind: "poisson", Rate: rate, Per: "all"}}
}

func run(t testing.TB, m *sim.Model, seed, replication uint64) *sim.Record {
	t.Helper()
	var r sim.Runner
	rec, err := r.Run(m, seed, replication, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// quantile is the completion quantile by rank, over the successful.
func quantile(rec *sim.Record, q float64) time.Duration {
	n := rec.Completion.Len()
	k := int64(q * float64(n))
	if float64(k) < q*float64(n) {
		k++
	}
	return rec.Completion.Rank(k)
}
