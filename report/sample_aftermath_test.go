package report

import (
	"math"
	"time"

	"retrystorm/experiment"
	"retrystorm/sim"
)

// aftermathSample is about what happens after giving up: a path of three
// services, one behind a queue, dead letters that an operator sends back, and
// work that is done twice.
func aftermathSample() *experiment.Result {
	r := sample{variants: []string{"all-at-once", "fixed-rate", "small-first"}, runs: 20, worst: 2}.result()
	r.Scenario, r.Title, r.Target = "redrive", "a queue of failed jobs, and an operator", "worker"
	r.Epoch = time.Date(2026, 3, 1, 11, 0, 0, 0, time.UTC)
	for _, name := range []string{"duplicates", "dead_letters", "redriven"} {
		r.Metrics = append(r.Metrics, experiment.Metric{Name: name, Column: name, Help: name})
	}
	for _, name := range []string{"messages", "deliveries", "done", "dead_letters", "lost", "left"} {
		r.QueueMetrics = append(r.QueueMetrics, experiment.Metric{Name: name, Column: name, Help: name})
	}
	r.QueueMetrics = append(r.QueueMetrics, experiment.Metric{Name: "oldest", Column: "oldest_s", Unit: "s", Help: "oldest"})
	mean := func(x float64) experiment.Estimate {
		return experiment.Estimate{Centre: x, Lo: x - x/8, Hi: x + x/8, N: 20}
	}
	for i := range r.Points {
		p := &r.Points[i]
		bad := float64(3 - i)
		for range 3 {
			p.Estimates = append(p.Estimates, mean(10*bad))
			for k := range p.Runs {
				p.Runs[k].Values = append(p.Runs[k].Values, 10*bad)
			}
		}
		p.Timelines = nil
		for q, name := range []string{"api", "worker", "jobs", "dlq"} {
			t := experiment.Timeline{Service: name, Row: 10 * time.Second, Replications: 20, Limited: q < 2}
			for k := range 120 {
				var row sim.Row
				row.Arrivals = 20 * 70
				row.Causes[sim.First] = row.Arrivals
				row.Succeeded = row.Arrivals
				x := 0.0
				switch {
				case q == 2 && k >= 30:
					x = 400 * math.Max(0, 1-math.Abs(float64(k-50))/20)
					if k >= 80 {
						x += 300 * bad * math.Exp(-float64(k-80)/8)
					}
				case q == 3 && k >= 35:
					x = math.Min(900, 20*float64(k-35))
					if k >= 80 {
						x *= math.Exp(-float64(k-80) / (20 / bad))
					}
				case q == 1:
					x = 3 + 2*math.Sin(float64(k))
				}
				row.Waiting.Add(int64(20*x), int64(t.Row))
				t.Rows = append(t.Rows, row)
			}
			p.Timelines = append(p.Timelines, t)
		}
		p.Shading = []experiment.Span{{Name: "worker throttled", From: 300 * time.Second, To: 500 * time.Second}}
		p.Actions = []experiment.Span{{Name: "redrive", From: 800 * time.Second, To: 800 * time.Second}}
		p.Hops, p.Attribution = nil, nil
		hop := func(from, to string, first, calls float64, what string) {
			h := experiment.Hop{
				Edge: experiment.Edge{From: from, To: to, Policy: "app", Inner: true}, Requests: first, Calls: calls,
				Amplification: calls / 1000, Busy: calls / 10, Wasted: calls / 40, WastedShare: 0.25, Blocked: 0.1, Skipped: 3,
			}
			p.Hops = append(p.Hops, h)
			p.Attribution = append(p.Attribution, experiment.Attribution{Edge: h.Edge, What: "first", Estimate: mean(first)})
			if calls > first {
				p.Attribution = append(p.Attribution, experiment.Attribution{Edge: h.Edge, What: what, Estimate: mean(calls - first)})
			}
		}
		hop("clients", "api", 1000, 1000*(1+bad/10), "timeout")
		hop("api", "auth", 1000, 1000, "")
		hop("api", "jobs", 1000, 1050, "status")
		hop("auth", "db", 1000, 1000*bad, "status")
		hop("jobs", "worker", 1050, 1050*(1+bad), "redelivery")
		hop("worker", "db", 1050, 1100, "timeout")
		for q, name := range []string{"jobs", "dlq"} {
			g := experiment.Group{Name: name}
			for k := range r.QueueMetrics {
				x := bad * float64(1000-900*q-k)
				if name == "dlq" && (k == 1 || k == 2) || k == 4 {
					x = 0
				}
				g.Estimates = append(g.Estimates, mean(x))
			}
			p.Queues = append(p.Queues, g)
		}
		tally := func(place, what, why string, x float64) experiment.Tally {
			return experiment.Tally{Place: place, What: what, Why: why, Estimate: mean(x)}
		}
		p.Duplicates = []experiment.Tally{
			tally("worker", "timeout", "", 40*bad), tally("worker", "redelivery", "", 130.5*bad), tally("worker", "redrive", "", 25*(bad-1)),
		}
		p.DeadReasons = []experiment.Tally{
			tally("dlq", "timeout", "attempts", 60*bad), tally("dlq", "503", "attempts", 17*bad), tally("dlq", "503", "deadline", 2),
		}
		for k := range 2 {
			p.Dead = append(p.Dead, experiment.DeadLetter{
				Queue: "dlq", From: "jobs", Group: "clients", Client: int64(k), Request: int64(10 * k), To: "worker",
				Reason: "503", GaveUp: "attempts", Attempts: 3, Started: 301*time.Second + 5, First: 310 * time.Second, Last: 2 * time.Hour,
				Trace: 0xfedcba9876543210 + uint64(k), Payload: uint64(k),
			})
		}
		p.DeadMore = int64(i)
		p.Attempts = []experiment.Attempt{
			{Client: 0, At: 300 * time.Second, Outcome: "timeout"},
			{Client: 1, At: 300*time.Second + 25*time.Millisecond, Outcome: "ok"},
			{Client: 0, At: 301*time.Second + 123456, Retry: true, Outcome: "503"},
		}
	}
	return r
}
