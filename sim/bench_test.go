package sim_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// recovering is n clients that meet a database which was down for 30 s, scaled
// so that the time to serve them all does not depend on n.
func recovering(n int64) *sim.Model {
	spec := server.Spec{
		Workers:     max(n/100, 1),
		ServiceTime: random.Dist{Kind: "lognormal", Mean: 20 * ms, CV: 0.5},
		Queue:       server.Queue{Limit: n / 25, Order: "fifo", Full: server.Reply{Answer: 503}},
		Faults: []server.Fault{{
			Name: "outage", Kind: "down", For: 30 * s, Answer: server.Reply{Answer: server.Refused}, Ramp: 30 * s, RampFrom: 0.1,
		}},
	}
	m := model(burst(n), retry(strategies.Unlimited, s, backoff("full-jitter", 100*ms, 20*s)), constant(25*ms), spec)
	m.Until = 10 * time.Minute
	return m
}

// BenchmarkRun is the whole simulation of one hop with an outage, timeouts and
// full jitter, with all metrics on: ns per event, events per second, and the
// bytes a client takes.
func BenchmarkRun(b *testing.B) {
	for _, n := range []int64{1e3, 1e4, 1e5, 1e6} {
		b.Run(fmt.Sprintf("clients=%.0e", float64(n)), func(b *testing.B) {
			m := recovering(n)
			var r sim.Runner
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			events, calls := int64(0), int64(0)
			for i := 0; b.Loop(); i++ {
				rec, err := r.Run(m, 1, uint64(i), sim.Options{})
				if err != nil {
					b.Fatal(err)
				}
				events += rec.Events
				calls += rec.Services[0].Calls
			}
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
			b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(calls), "ns/call")
			b.ReportMetric(float64(after.HeapSys-min(before.HeapSys, after.HeapSys))/float64(n), "B/client")
		})
	}
}

// BenchmarkGraph is three services under 50,000 requests/s, open loop: two in a
// row, and one that asks two others at once before its own work.
func BenchmarkGraph(b *testing.B) {
	for name, steps := range map[string][]sim.Step{
		"chain":    {{To: 1}, {To: 2}},
		"parallel": {{Parallel: []sim.Step{{To: 1}, {To: 2}}, Need: 2}, {Work: true}},
	} {
		b.Run(name, func(b *testing.B) {
			m := graphAt(50_000, steps)
			m.Until = s
			var r sim.Runner
			events := int64(0)
			for i := 0; b.Loop(); i++ {
				rec, err := r.Run(m, 1, uint64(i), sim.Options{})
				if err != nil {
					b.Fatal(err)
				}
				events += rec.Events
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
		})
	}
}

// graphAt is three services under a rate of requests, each 70 % busy, with
// timeouts and retries on every hop.
func graphAt(rate float64, steps []sim.Step) *sim.Model {
	policy := under(retry(3, s, backoff("full-jitter", 100*ms, s)))
	hop := func(st *sim.Step) { st.Policies, st.Network = policy, exponential(ms) }
	for i := range steps {
		hop(&steps[i])
		for k := range steps[i].Parallel {
			hop(&steps[i].Parallel[k])
		}
	}
	m := graph(poisson(rate), 0, 0, 0)
	for i := range m.Services {
		m.Services[i].Spec = workers(int64(rate / 50))
		m.Services[i].Spec.ServiceTime = exponential(14 * ms)
	}
	m.Services[0].Spec.Workers = server.Unlimited
	m.Services[0].Steps = steps
	m.Groups[0].Steps = []sim.Step{{To: 0}}
	hop(&m.Groups[0].Steps[0])
	return m
}

// BenchmarkOCC is one replication of the AWS figure at 100 clients.
func BenchmarkOCC(b *testing.B) {
	for _, kind := range []string{"none", "exponential", "full-jitter"} {
		b.Run(kind, func(b *testing.B) {
			wait := backoff(kind, 5*ms, 2*s)
			wait.FirstExponent = 1
			m := occ(100, random.Dist{Kind: "abs-normal", Mean: 10 * ms, SD: 2 * ms}, wait)
			var r sim.Runner
			calls := int64(0)
			for i := 0; b.Loop(); i++ {
				rec, err := r.Run(m, 1, uint64(i), sim.Options{})
				if err != nil {
					b.Fatal(err)
				}
				calls += rec.Services[0].Calls
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(calls), "ns/call")
		})
	}
}
