package report

import (
	"math"
	"slices"
	"strconv"
	"time"

	"retrystorm/experiment"
	"retrystorm/sim"
)

// sample describes a result made by hand: no simulation, but numbers of the
// right shape and size.
type sample struct {
	variants []string
	clients  []string // values of a sweep axis; nil: no sweep
	regions  []string // values of a second axis
	runs     int
	worst    float64 // how much worse each variant is than the one after it
	never    bool    // nothing ever succeeds
	zero     bool    // nothing ever happens
	split    bool    // of the first variant, some runs lock in
}

func sampleMetrics() []experiment.Metric {
	return []experiment.Metric{
		{Name: "total_calls", Column: "total_calls", Help: "calls that reached the target"},
		{Name: "amplification", Column: "amplification", Help: "total calls / requests started"},
		{Name: "peak_load", Column: "peak_load_per_s", Unit: "/s", Help: "most calls in a window / its width"},
		{Name: "peak_load_x", Column: "peak_load_x", Unit: "x", Help: "peak load / nominal capacity"},
		{Name: "peak_retry", Column: "peak_retry_per_s", Unit: "/s", Help: "the same of retries"},
		{Name: "completion_p50", Column: "completion_p50_s", Unit: "s", Infinite: true, Help: "half are done within"},
		{Name: "completion_p99", Column: "completion_p99_s", Unit: "s", Infinite: true, Help: "99 % are done within"},
		{Name: "recovery", Column: "recovery_s", Unit: "s", Infinite: true, Help: "time from the end of the trigger"},
		{Name: "locked_in", Column: "locked_in", Share: true, Help: "1 when it never recovers"},
		{Name: "failed_share", Column: "failed_share", Help: "failed / started"},
	}
}

func (s sample) result() *experiment.Result {
	r := &experiment.Result{
		Scenario: "recovering-server", Title: "10,000 clients meet a database that was down for 30 s",
		Hash: "3f1b", Seed: 7, Replications: int64(s.runs), Target: "db", Metrics: sampleMetrics(),
		ScenarioYAML: []byte("name: recovering-server\n"),
		Command:      "retrystorm run recovering-server --seed 7",
	}
	clients, regions := []string{""}, []string{""}
	if s.clients != nil {
		r.Axes, clients = append(r.Axes, "clients.count"), s.clients
	}
	if s.regions != nil {
		r.Axes, regions = append(r.Axes, "services.db.workers"), s.regions
	}
	for i, v := range s.variants {
		for _, c := range clients {
			for _, g := range regions {
				var sweep []string
				size := 50.0
				if c != "" {
					sweep = append(sweep, c)
					if n, _, ok := Quantity(c); ok {
						size = n
					}
				}
				if g != "" {
					sweep = append(sweep, g)
					if n, _, ok := Quantity(g); ok {
						size *= n
					}
				}
				r.Points = append(r.Points, s.point(v, sweep, size, math.Pow(s.worst, float64(len(s.variants)-1-i))))
			}
		}
	}
	return r
}

func (s sample) point(variant string, sweep []string, size, bad float64) experiment.Point {
	p := experiment.Point{Variant: variant, Sweep: sweep, Replications: s.runs, ExactCompletion: true}
	for _, v := range sweep {
		x, _, ok := Quantity(v)
		if !ok {
			x = math.NaN()
		}
		p.Numbers = append(p.Numbers, x)
	}
	var locked, free []experiment.Run
	for k := range s.runs {
		noise := 1 + 0.02*math.Sin(float64(7*k)+bad)
		calls := math.Round(size * bad * 12 * noise)
		run := experiment.Run{Seed: uint64(1000 + k), Values: []float64{
			calls, calls / size, 40 * size * noise, 40 * size * noise / (20 * size), 10 * size * bad * noise,
			0.7 * noise * bad, 3.1 * noise * bad, 12 * bad * noise, 0, 0.01 * bad,
		}}
		if s.never || bad > 50 {
			for i := 5; i < 8; i++ {
				run.Values[i] = math.Inf(1)
			}
			run.Values[8] = 1
		}
		if s.zero {
			run.Values = make([]float64, len(run.Values))
		}
		if s.split && variant == s.variants[0] && k%3 == 1 {
			run.Values[0] *= 9
			run.Values[1] *= 9
			run.Values[6], run.Values[7], run.Values[8] = math.Inf(1), math.Inf(1), 1
			locked = append(locked, run)
		} else {
			free = append(free, run)
		}
		p.Runs = append(p.Runs, run)
	}
	p.Estimates = sampleEstimates(p.Runs)
	if len(locked) > 0 && len(free) > 0 {
		p.Outcomes = []experiment.Outcome{
			{Name: "recovered", Replications: len(free), Estimates: sampleEstimates(free)},
			{Name: "locked in", Replications: len(locked), Estimates: sampleEstimates(locked)},
		}
	}
	s.details(&p, size, bad)
	s.attribute(&p, size, bad)
	return p
}

func sampleEstimates(runs []experiment.Run) []experiment.Estimate {
	var out []experiment.Estimate
	for i, m := range sampleMetrics() {
		var values []float64
		never := 0
		for _, run := range runs {
			values = append(values, run.Values[i])
			if math.IsInf(run.Values[i], 1) {
				never++
			}
		}
		slices.Sort(values)
		n := len(values)
		e := experiment.Estimate{Centre: values[n/2], Lo: values[0], Hi: values[n-1], N: n}
		if m.Infinite {
			e.InfShare = float64(never) / float64(n)
		} else {
			sum := 0.0
			for _, v := range values {
				sum += v
			}
			e.Centre = sum / float64(n)
			half := (values[n-1] - values[0]) / 2
			e.Lo, e.Hi = e.Centre-half, e.Centre+half
		}
		if n == 1 {
			e.Lo, e.Hi = math.NaN(), math.NaN()
		}
		out = append(out, e)
	}
	return out
}

func (s sample) details(p *experiment.Point, size, bad float64) {
	t := experiment.Timeline{Service: "db", Row: 400 * time.Millisecond, Replications: int64(s.runs), Limited: true}
	rows := 20 + min(280, int(40*bad))
	for k := range rows {
		var row sim.Row
		if !s.zero {
			age := float64(k) / float64(rows)
			row.Retries = int64(size * float64(s.runs) * (4 + 2*math.Sin(float64(k))) * (1 - age) * math.Min(bad, 8))
			row.Arrivals = row.Retries + int64(size*3)
			if k == 0 {
				row.Arrivals += int64(size * 40 * float64(s.runs))
			}
			if !s.never && k > 75/4 {
				row.Succeeded = min(row.Arrivals, int64(size*8*float64(s.runs)))
			}
			row.Causes[sim.First] = row.Arrivals - row.Retries
			row.Causes[sim.AfterStatus] = row.Retries / 4
			row.Causes[sim.Hedged] = row.Retries / 20
			row.Causes[sim.AfterTimeout] = row.Retries - row.Retries/4 - row.Retries/20
			row.Failed = row.Arrivals - row.Succeeded
			row.InService.Add(30*int64(s.runs), int64(t.Row))
			row.Waiting.Add(int64(k), int64(t.Row)/3)
		}
		row.Capacity.Add(100*int64(s.runs), int64(t.Row))
		t.Rows = append(t.Rows, row)
	}
	p.Timelines = []experiment.Timeline{t, {Service: "cache", Row: time.Second, Replications: int64(s.runs), Rows: make([]sim.Row, 2)}}
	p.Shading = []experiment.Span{{Name: "outage", From: 0, To: 8 * time.Second}}
	for i := 1; i <= 100; i++ {
		q := experiment.Quantile{Q: float64(i) / 100, Seconds: 0.3 * bad * math.Exp(float64(i)/40)}
		if s.never || s.zero || bad > 8 && i > 80 {
			q.Seconds = math.Inf(1)
		}
		q.Lo, q.Hi = 0.9*q.Seconds, 1.1*q.Seconds
		p.Completion = append(p.Completion, q)
	}
	for i, to := range []string{"api", "db"} {
		a := math.Pow(bad, float64(i+1)/2)
		if s.zero {
			a = 0
		}
		from := []string{"clients", "api"}[i]
		p.Hops = append(p.Hops, experiment.Hop{
			Edge: experiment.Edge{From: from, To: to, Policy: "app", Inner: true}, Calls: a * size, Amplification: a,
			Timeouts: a * size / 2, Refused: a * size / 3, Reset: 1, Status: 2.5, Late: a * size / 7, Withheld: a * size / 9,
		})
	}
}

// attribute adds why calls were made and others not.
func (s sample) attribute(p *experiment.Point, size, bad float64) {
	endings := []string{""}
	if len(p.Outcomes) > 0 {
		endings = []string{p.Outcomes[0].Name, p.Outcomes[1].Name}
	}
	for k, ending := range endings {
		for _, h := range p.Hops {
			add := func(withheld bool, what string, n float64) {
				if n = math.Round(n * float64(1+k)); n > 0 && !s.zero {
					e := experiment.Estimate{Centre: n, Lo: 0.9 * n, Hi: 1.1 * n, N: s.runs}
					p.Attribution = append(p.Attribution, experiment.Attribution{
						Outcome: ending, Edge: h.Edge, Withheld: withheld, What: what, Estimate: e,
					})
				}
			}
			add(false, "first", size)
			add(false, "timeout", 7*size*(bad-1))
			add(false, "status", 2*size*(bad-1))
			add(false, "hedge", 0.4*size*(bad-1))
			add(true, "attempts", size*bad/9)
			add(true, "budget", size*(bad-1)/3)
		}
	}
}

// strategiesSample is the comparison everybody knows.
func strategiesSample() sample {
	return sample{
		variants: []string{"none", "exponential", "equal-jitter", "decorrelated-jitter", "full-jitter"},
		runs:     20, worst: 1.9,
	}
}

// smallSample is small enough for golden files that people read.
func smallSample() *experiment.Result {
	r := sample{variants: []string{"none", "full-jitter"}, clients: []string{"10", "1_000"}, runs: 3, worst: 4, split: true}.result()
	for i := range r.Points {
		p := &r.Points[i]
		p.Timelines[0].Rows = p.Timelines[0].Rows[:3]
		p.Completion = p.Completion[97:]
	}
	r.Points[3].Runs[1].Values[7] = math.NaN()
	r.Points[3].Estimates[7].N--
	r.Points[0].Timelines[0].Rows[0].Waiting = sim.Sum{Hi: 5, Lo: 77}
	r.Points[0].Completion[2].Seconds = math.Inf(1)
	r.Notes = []string{"none: 1 of 3 replications locked in"}
	r.Expectations = []experiment.Judgement{
		{Text: "total_calls[full-jitter] < total_calls[none]", Line: 31, Ruling: experiment.Unclear},
		{Text: "completion_p99 < 2s", Line: 32, Ruling: experiment.Fail, Detail: "none[clients.count=10]: 12.6 s"},
	}
	return r
}

func manyVariants(n int) []string {
	out := []string{
		"none", "fixed", "linear", "exponential", "full-jitter", "equal-jitter", "decorrelated-jitter",
		"proportional-jitter", "additive-jitter",
	}
	for i := len(out); i < n; i++ {
		out = append(out, "budget-"+strconv.Itoa(10*i)+"-percent")
	}
	return out[:n]
}

// mechanismsSample has every cause and every reason, layers and two groups.
func mechanismsSample() *experiment.Result {
	r := sample{variants: []string{"no-defence", "all-defences"}, runs: 20, worst: 2}.result()
	r.GroupMetrics = []experiment.Metric{
		{Name: "requests", Column: "requests", Help: "requests started"},
		{Name: "failed_share", Column: "failed_share", Help: "failed / started"},
		{Name: "completion_p99", Column: "completion_p99_s", Unit: "s", Infinite: true, Help: "99 % are done within"},
	}
	for i := range r.Points {
		p := &r.Points[i]
		rows := p.Timelines[0].Rows
		for k := range rows {
			for c := range sim.Causes {
				rows[k].Causes[c] = rows[k].Arrivals / int64(sim.Causes)
			}
			rows[k].Causes[sim.First] += rows[k].Arrivals % int64(sim.Causes)
		}
		inner := &p.Hops[1]
		outer := *inner
		outer.Policy, outer.Inner, inner.Policy, inner.Layer = "sdk", false, "mesh", 1
		p.Hops = []experiment.Hop{p.Hops[0], outer, *inner}
		p.Attribution = nil
		for _, h := range p.Hops {
			add := func(withheld bool, what string, n float64) {
				p.Attribution = append(p.Attribution, experiment.Attribution{
					Edge: h.Edge, Withheld: withheld, What: what,
					Estimate: experiment.Estimate{Centre: n, Lo: 0.9 * n, Hi: 1.1 * n, N: 20},
				})
			}
			for c, what := range causeNames() {
				add(false, what, float64(10_000*(i+1)/(c*c+1)))
			}
			for g, what := range reasonNames()[1:] {
				if i > 0 || g < 2 {
					add(true, what, float64(40*(g+1)*(g+1)*(i+1)))
				}
			}
		}
		for k, name := range []string{"web", "batch"} {
			p.Groups = append(p.Groups, experiment.Group{Name: name, Estimates: []experiment.Estimate{
				{Centre: 1000, Lo: 1000, Hi: 1000, N: 20},
				{Centre: 0.1 * float64(k), Lo: 0.09 * float64(k), Hi: 0.11 * float64(k), N: 20},
				{Centre: 3 + float64(k), Lo: 2.9, Hi: math.Inf(1), InfShare: 0.1 * float64(k), N: 20},
			}})
		}
	}
	return r
}
