package sim_test

import (
	"fmt"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// TestNaiveModelShared holds what came of comparing the models where callers
// share: what random models have found, and what a look at the rules has.
func TestNaiveModelShared(t *testing.T) {
	step := func(to int, network time.Duration, policies ...strategies.Policy) sim.Step {
		st := sim.Step{To: to, Network: constant(network)}
		for _, p := range policies {
			st.Policies = append(st.Policies, &sim.Policy{Policy: p})
		}
		return st
	}
	path := func(g sim.Group, specs []server.Spec, nested []sim.Step, steps ...sim.Step) *sim.Model {
		g.Name, g.Steps = "clients", steps
		m := &sim.Model{Until: 3 * s, Window: 100 * ms, Groups: []sim.Group{g}}
		for i, spec := range specs {
			m.Services = append(m.Services, sim.Service{Name: fmt.Sprint(i), Spec: spec})
		}
		m.Services[0].Steps = nested
		return m
	}
	plain := func(attempts int64, timeout, wait time.Duration) strategies.Policy {
		return retry(attempts, timeout, backoff("fixed", wait, 0))
	}
	limited := func(p strategies.Policy, n int64, full string) strategies.Policy {
		p.Limiter = &strategies.Limiter{Kind: "concurrency", Limit: n, WhenFull: full, Scope: "all", Keyed: "target"}
		return p
	}
	broken := func(p strategies.Policy, wraps string) strategies.Policy {
		p.Breaker = &strategies.Breaker{Kind: "consecutive", Size: 1, Open: s, HalfOpen: 1, FailureOn: []string{"any"}, Wraps: wraps, Scope: "all", Keyed: "target"}
		return p
	}
	hedged := func(p strategies.Policy, after time.Duration, n int64, failed string) strategies.Policy {
		p.Hedge = &strategies.Hedge{After: strategies.After{Delay: after}, Max: n, Budget: 1, OnFailure: failed, Scope: "all", Keyed: "target"}
		return p
	}
	by := func(p strategies.Policy, d time.Duration) strategies.Policy {
		p.Deadline = d
		return p
	}
	read := func(p strategies.Policy) strategies.Policy {
		p.RetryAfter = strategies.RetryAfter{Kind: "floor", Answers: []string{"any"}, Forms: []string{"seconds", "date", "ms"}, TooLong: "cut"}
		return p
	}
	failing := with(unlimited(), server.Fault{Kind: "errors", Share: 1, Answer: server.Reply{Answer: 500}})
	slow := working(server.Unlimited, s)
	one := func(spec server.Spec) []server.Spec { return []server.Spec{spec} }
	again := sim.Group{Count: 6, Requests: 3, Arrival: random.Arrival{Kind: "closed", Think: constant(10 * ms)}}

	cases := map[string]*sim.Model{}
	shared := &sim.Policy{Policy: limited(plain(1, 0, 0), 1, "wait")}
	twice := path(at(0), one(unlimited()), nil, sim.Step{Policies: []*sim.Policy{shared}})
	crowd := burst(3)
	crowd.Name, crowd.Steps = "crowd", []sim.Step{{Policies: []*sim.Policy{shared, shared}}}
	twice.Groups = append(twice.Groups, crowd)
	cases["a burst starts after all others"] = twice

	left := plain(1, 50*ms, 0)
	left.Cancel = "running"
	cases["a retry is sent before its instant's cancellations"] = path(at(0), []server.Spec{working(9, 10*ms), failing},
		[]sim.Step{step(1, 0, plain(9, 0, 20*ms))}, step(0, 10*ms, left))

	stale := path(at(0), []server.Spec{working(9, 45*ms), working(9, 40*ms)},
		[]sim.Step{step(1, 0, hedged(plain(1, 0, 0), 50*ms, 1, "wait"))}, step(0, 0, plain(1, 0, 0)))
	early := at(ms)
	early.Name, early.Steps = "early", []sim.Step{step(1, 0, hedged(plain(1, 0, 0), 50*ms, 1, "wait"))}
	stale.Groups = append(stale.Groups, early)
	cases["a hedge is not that of the slot's last owner"] = stale

	cases["a retry that is stopped leaves the outcome"] = path(burst(3), one(failing), nil,
		step(0, 0, plain(2, 0, 10*ms), broken(plain(3, 0, 10*ms), "retries")))
	cases["a request that was rejected has an outcome"] = path(burst(3), one(slow), nil,
		step(0, 0, limited(broken(plain(2, 0, 10*ms), "request"), 1, "fail")))
	cases["no hedge in place of an attempt that was rejected"] = path(burst(3), one(working(9, 50*ms)), nil,
		step(0, 0, hedged(limited(plain(2, 0, 10*ms), 1, "fail"), 10*ms, 2, "send")))
	refused := plain(3, 0, 10*ms)
	refused.Budget = &strategies.Budget{Kind: "concurrent", Floor: strategies.Floor{Set: true}, Scope: "all", Keyed: "target"}
	cases["an attempt that was not sent has not failed"] = path(burst(3), one(failing), nil, step(0, 0, refused))
	cases["what an outer attempt holds comes back when the inner one is rejected"] = path(burst(3), one(failing), nil,
		step(0, 0, limited(plain(2, 0, 10*ms), 1, "wait"), broken(plain(1, 0, 0), "attempts")))
	untimed := limited(plain(3, 0, 10*ms), 1, "fail")
	untimed.SlowerThan = 5 * ms
	cases["an attempt that was rejected took no time"] = path(at(0, 20*ms, 30*ms), one(slow), nil, step(0, 0, untimed))

	rated := hedged(by(plain(2, 0, 10*ms), 50*ms), 10*ms, 2, "wait")
	rated.Limiter = &strategies.Limiter{Kind: "rate", Rate: 10, Burst: 1, WhenFull: "wait", Scope: "all", Keyed: "target"}
	cases["the deadline holds for a hedge that waits"] = path(at(0, ms, 200*ms), one(slow), nil, step(0, 0, rated))
	cases["no hedge at the deadline"] = path(burst(3), one(slow), nil, step(0, 0, hedged(by(plain(2, 0, 10*ms), 50*ms), 20*ms, 9, "send")))
	lagging := hedged(by(plain(1, 0, 0), 60*ms), 5*ms, 2, "wait") // they take 60, 55 and 50 ms
	lagging.Breaker = &strategies.Breaker{
		Kind: "count", Size: 2, Failures: 1, SlowCall: 52 * ms, SlowCalls: 1, Open: s, HalfOpen: 1,
		FailureOn: []string{"5xx"}, Wraps: "attempts", Scope: "all", Keyed: "target",
	}
	cases["copies time out in the order in which they were made"] = path(at(0, 100*ms), one(slow), nil, step(0, 0, lagging))
	rated.Hedge = &strategies.Hedge{After: strategies.After{Delay: 10 * ms}, Max: 2, Budget: 1, OnFailure: "send", Scope: "all", Keyed: "target"}
	cases["a hedge that was not sent has not failed"] = path(at(0), one(with(working(9, 20*ms), server.Fault{Kind: "errors", Share: 1, AfterWork: true})), nil, step(0, 0, rated))
	cases["nobody is sent at its deadline"] = path(burst(3), one(working(9, 100*ms)), nil, step(0, 0, by(limited(plain(1, 0, 0), 1, "wait"), 100*ms)))

	adaptive := by(plain(9, 0, 20*ms), 700*ms)
	adaptive.Limiter = &strategies.Limiter{Kind: "aws-adaptive", WhenFull: "wait", Scope: "all", Keyed: "target"}
	throttling := unlimited()
	throttling.RateLimit = &server.RateLimit{Kind: "token-bucket", Rate: 5, Burst: 2, Answer: server.Reply{Answer: 429}, Scope: "all"}
	cases["a line goes on when its first one leaves"] = path(again, one(throttling), nil, step(0, 10*ms, adaptive))

	cases["an abandoned caller gives back from the inside out"] = path(burst(4), one(unlimited()), nil,
		sim.Step{Policies: []*sim.Policy{{Policy: limited(plain(2, 50*ms, 10*ms), 2, "wait")}, {}}})
	same := cases["an abandoned caller gives back from the inside out"].Groups[0].Steps[0].Policies
	same[1] = same[0]

	crashing := working(9, 10*ms)
	crashing.Crash = &server.Crash{Above: 3, Restart: 50 * ms}
	cases["the order in which a crash ends callers"] = path(at(0, 0, 0, 50*ms, 500*ms, 500*ms, 500*ms, 550*ms), []server.Spec{crashing, slow},
		[]sim.Step{step(1, 5*ms, limited(plain(2, 300*ms, 10*ms), 1, "wait"))}, step(0, 5*ms, plain(3, 0, 20*ms)))

	written := unlimited()
	written.ServiceTime = random.Dist{Kind: "file", Values: []time.Duration{0, 20 * ms, 60 * ms}}
	written.Contention = &server.Contention{Kind: "write-only", Rows: 1}
	cases["a hedge knows what its caller knows"] = path(again, one(written), nil, step(0, 5*ms, hedged(plain(4, 50*ms, 10*ms), 10*ms, 2, "wait")))

	asked := server.Reply{Answer: 503, RetryAfter: server.Asked{Kind: server.AskedDelay, Delay: s}}
	impatient := with(working(1, 50*ms), server.Fault{Kind: "errors", Share: 1, For: 100 * ms, AfterWork: true, Answer: asked})
	impatient.Queue.MaxWait = 10 * ms
	cases["a call that is dropped asks for nothing"] = path(burst(3), one(impatient), nil, step(0, 0, read(plain(3, 0, 20*ms))))
	dying := with(working(1, 50*ms), server.Fault{Kind: "errors", Share: 1, AfterWork: true, Answer: asked})
	dying.Crash = &server.Crash{Above: 2, Restart: 10 * ms}
	cases["nor does one that is lost in a crash"] = path(burst(3), one(dying), nil, step(0, 0, read(plain(3, 0, 20*ms))))
	never := server.Reply{Answer: 429, RetryAfter: server.Asked{Kind: server.AskedNever}, Form: "date"}
	cases["never is never, however it is written"] = path(at(0), one(with(unlimited(), server.Fault{Kind: "errors", Share: 1, Answer: never})), nil,
		step(0, 10*ms, read(plain(3, 0, 20*ms))))

	earliest := working(1, 30*ms)
	earliest.Queue.Order = "deadline"
	steady := sim.Group{Count: 1, Arrival: random.Arrival{Kind: "poisson", Rate: 30, Per: "all", For: s}}
	cases["each copy has a deadline of its own"] = path(steady, one(earliest), nil, step(0, 5*ms, hedged(plain(2, 90*ms, 10*ms), 20*ms, 2, "wait")))

	earning := plain(3, 20*ms, 10*ms)
	earning.RetryOn = []string{"timeout"}
	earning.Budget = &strategies.Budget{Kind: "ratio", Ratio: 0.5, Floor: strategies.Floor{Set: true}, Window: 10 * s, Deposit: "final", PerRequest: 1, Scope: "all", Keyed: "target"}
	both := &sim.Policy{Policy: earning}
	unlearnt := path(at(0, 0, 0, 0), one(slow), nil, sim.Step{Policies: []*sim.Policy{{Policy: plain(3, 15*ms, 10*ms)}, both}})
	asks := at(300*ms, 300*ms)
	asks.Name, asks.Steps = "asks", []sim.Step{{Policies: []*sim.Policy{both}}}
	unlearnt.Groups = append(unlearnt.Groups, asks)
	cases["a request that was abandoned earns nothing"] = unlearnt
	sluggish := plain(1, 0, 0)
	sluggish.Breaker = &strategies.Breaker{
		Kind: "count", Size: 1, Failures: 1, SlowCall: 5 * ms, SlowCalls: 1, Open: s, HalfOpen: 1,
		FailureOn: []string{"any"}, Wraps: "request", Scope: "all", Keyed: "target",
	}
	cases["a request that was abandoned was not slow"] = path(at(0, 0), one(slow), nil, step(0, 0, plain(3, 15*ms, 10*ms), sluggish))

	for name, m := range cases {
		t.Run(name, func(t *testing.T) {
			var used sim.Runner // for several replications, as in experiments
			for seed := range uint64(5) {
				compare(t, m, seed, new(sim.Runner), &used)
			}
		})
	}
}
