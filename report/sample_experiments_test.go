package report

import (
	"math"
	"slices"
	"strconv"

	"retrystorm/experiment"
)

// comparisonsOf compares the points of a sample by rules that are enough for
// pictures and tables.
func comparisonsOf(r *experiment.Result) Comparisons {
	c := Comparisons{Points: at(r, severest(r))}
	c.Contrasts = make([][]experiment.Contrast, len(c.Points))
	if len(c.Points) < 2 {
		return c
	}
	c.Reference = c.Points[0].Variant
	for i := 1; i < len(c.Points); i++ {
		for m := range r.Metrics {
			c.Contrasts[i] = append(c.Contrasts[i], contrastOf(r.Metrics[m], m, c.Points[i], c.Points[0]))
		}
	}
	calls, done := metricIndex(r, "total_calls"), metricIndex(r, "completion_p99")
	worse := func(p, q *experiment.Point, m int) bool { return p.Estimates[m].Centre > q.Estimates[m].Centre }
	for _, p := range c.Points {
		t := experiment.Tradeoff{Front: true, Calls: p.Estimates[calls], Completion: p.Estimates[done]}
		for _, q := range c.Points {
			if t.Front && (worse(p, q, calls) && !worse(q, p, done) || worse(p, q, done) && !worse(q, p, calls)) {
				t.Front, t.By = false, q.Variant
			}
		}
		cost := func(calls, seconds float64) float64 { return calls + r.Exchange*seconds }
		t.Cost = experiment.Estimate{
			Centre: cost(t.Calls.Centre, t.Completion.Centre),
			Lo:     cost(t.Calls.Lo, t.Completion.Lo), Hi: cost(t.Calls.Hi, t.Completion.Hi),
		}
		c.Tradeoffs = append(c.Tradeoffs, t)
	}
	return c
}

func contrastOf(metric experiment.Metric, m int, p, q *experiment.Point) experiment.Contrast {
	column := func(p *experiment.Point) (out []float64) {
		for _, run := range p.Runs {
			out = append(out, run.Values[m])
		}
		return out
	}
	c := experiment.Contrast{Comparison: experiment.Compare(metric, column(p), column(q))}
	spread := 0.04 * c.Ratio
	c.RatioLo, c.RatioHi, c.Adjusted = c.Ratio-spread, c.Ratio+spread, c.P
	if c.P <= 0.05 {
		c.Direction = 1
		if c.Less > c.Greater {
			c.Direction = -1
		}
	}
	return c
}

// tradesSample has variants that are good at different things.
func tradesSample() *experiment.Result {
	r := strategiesSample().result()
	r.Exchange = 100
	for k, factor := range map[int]float64{3: 0.4, 1: 2.5} { // done earlier or later than their calls suggest
		p := &r.Points[k]
		for i := range p.Runs {
			p.Runs[i].Values[6] *= factor
		}
		p.Estimates = sampleEstimates(p.Runs)
	}
	for i := range r.Points[2].Runs { // as many retries at the peak, or nearly
		r.Points[2].Runs[i].Values[4] = r.Points[0].Runs[i].Values[4] * (1 + 0.001*float64(i%3-1))
	}
	r.Points[2].Estimates = sampleEstimates(r.Points[2].Runs)
	for i := range r.Points {
		for k := range r.Points[i].Completion {
			q := &r.Points[i].Completion[k]
			q.Lo, q.Hi = 0.85*q.Seconds, 1.2*q.Seconds
		}
	}
	r.Points[0].Imprecise, r.Points[0].Replications = true, 500
	return r
}

// gatesSample has an expectation for each ruling, and things to escape.
func gatesSample() *experiment.Result {
	r := sample{variants: []string{"none", "full-jitter"}, clients: []string{"10", "100", "1_000"}, runs: 20, worst: 4}.result()
	r.Title = "a title with | pipes, `ticks`, <b>tags</b> & @everyone, see #12"
	r.ScenarioYAML = []byte("name: recovering-server\n# a fence in it:\n# ```\nseed: 7\n")
	points := []string{"none[clients.count=10]", "none[clients.count=100]", "full-jitter[clients.count=10]"}
	cases := func(rulings ...experiment.Ruling) (out []experiment.Case) {
		for i, k := range rulings {
			out = append(out, experiment.Case{Point: points[i], Ruling: k, Detail: "12.6 s [12, 13] against 2 s", Need: 40 * (i + 1)})
		}
		return out
	}
	r.Expectations = []experiment.Judgement{
		{Text: "total_calls > 0", Line: 30, Col: 5, Ruling: experiment.Pass, Detail: "holds at 6 points", Cases: cases(experiment.Pass, experiment.Pass)},
		{
			Text: "completion_p99 < 2s", Line: 31, Col: 5, Ruling: experiment.Fail, Detail: points[1] + ": 12.6 s [12, 13] against 2 s",
			Cases: cases(experiment.Pass, experiment.Fail, experiment.Unclear),
		},
		{
			Text: "recovery[none] < 1.05 * recovery[full-jitter]", Line: 32, Col: 5, Ruling: experiment.Unclear, Need: 80,
			Detail: points[0] + ": 12.6 s [11, 13] against 12.2 s", Cases: cases(experiment.Unclear),
		},
		{Text: "total_calls < 1.1 * baseline", Ruling: experiment.Skipped, Detail: "no baseline was given", Cases: cases(experiment.Skipped)},
	}
	r.Notes = []string{"none: 3 of 20 replications locked in"}
	return r
}

// screeningSample is of a Morris design with three axes.
func screeningSample() *experiment.Result {
	r := &experiment.Result{
		Scenario: "screening", Seed: 1, Replications: 4, Target: "db", Design: morris, Metrics: sampleMetrics(),
		Axes: []string{"clients.count", "services.db.workers", "policies.app.timeout"},
	}
	s := sample{variants: []string{"base"}, runs: 4, worst: 1}
	for k := range 40 {
		clients, workers, timeout := 10+k*37%91, 1+k*13%8, 100+k*29%900
		sweep := []string{strconv.Itoa(clients), strconv.Itoa(workers), strconv.Itoa(timeout) + "ms"}
		p := s.point("base", sweep, float64(clients), 1+float64(timeout)/500/float64(workers))
		r.Points = append(r.Points, p)
	}
	for m, metric := range []string{"total_calls", "completion_p99", "peak_load"} {
		for i, axis := range r.Axes {
			size := []float64{3100, 4.2, 880}[m] * []float64{0.4, 1, 0.07}[(i+m)%3]
			r.Sensitivity = append(r.Sensitivity, experiment.Effect{
				Variant: "base", Metric: metric, Axis: axis,
				MuStar: size, Lo: 0.8 * size, Hi: 1.2 * size, Mu: -size, Sigma: size * (0.5 + 0.7*float64(i%2)), Trajectories: 10,
			})
		}
	}
	r.Sensitivity[3].Trajectories = 7
	r.Sensitivity[8].MuStar, r.Sensitivity[8].Lo, r.Sensitivity[8].Hi = math.NaN(), math.NaN(), math.NaN()
	r.Sensitivity[8].Trajectories = 0
	return r
}

// bisectionSample looks for the load that locks in.
func bisectionSample() *experiment.Result {
	r := &experiment.Result{
		Scenario: "congestion", Title: "Which load locks in?", Seed: 1, Replications: 10, Target: "db", Design: "bisect",
		Metrics: sampleMetrics(), Axes: []string{"clients.arrival.rate"},
	}
	s := sample{variants: []string{"none", "full-jitter", "fixed"}, runs: 10, worst: 1}
	for v, variant := range s.variants {
		for _, rate := range []float64{200, 250, 275, 278, 281, 284, 287, 300, 400} {
			p := s.point(variant, []string{Number(rate) + "/s"}, rate, 1+(rate-190)/100)
			if v < 2 && rate+float64(v)*12 > 280 {
				for i := range p.Runs {
					p.Runs[i].Values[7] = math.Inf(1)
				}
				p.Estimates = sampleEstimates(p.Runs)
			}
			p.Numbers = []float64{rate}
			r.Points = append(r.Points, p)
		}
	}
	one := experiment.Crossing{
		Variant: "none", Axis: r.Axes[0], Where: "recovery == never", Low: experiment.Fail, High: experiment.Pass,
		From: "278/s", To: "281/s", Lo: "275/s", Hi: "284/s", Evaluated: 9,
	}
	two := one
	two.Variant, two.From, two.To, two.Lo, two.Hi = "full-jitter", "250/s", "275/s", "", "278/s"
	three := experiment.Crossing{Variant: "fixed", Axis: r.Axes[0], Where: one.Where, Low: experiment.Fail, High: experiment.Fail, Evaluated: 2}
	r.Crossings = []experiment.Crossing{one, two, three}
	return r
}

// longSample is a sweep of many points of two variants.
func longSample(places int) *experiment.Result {
	short := sample{variants: []string{"none", "full-jitter"}, clients: []string{"10"}, runs: 2, worst: 4}.result()
	r := *short
	r.Points = nil
	for _, p := range short.Points {
		for k := range places {
			q := p
			q.Sweep = []string{strconv.Itoa(k + 1)}
			q.Estimates = slices.Clone(p.Estimates)
			q.Estimates[0].Centre += float64(k)
			q.Replications = 2
			if k < places-1 { // brief
				q.Runs, q.Timelines, q.Completion, q.Hops, q.Attribution = nil, nil, nil, nil, nil
			}
			r.Points = append(r.Points, q)
		}
	}
	return &r
}

// zipSample has two axes that move together.
func zipSample() *experiment.Result {
	r := sample{variants: []string{"none", "full-jitter"}, clients: []string{"10", "20", "50", "100"}, runs: 4, worst: 2}.result()
	r.Design, r.Axes = zipped, append(r.Axes, "services.db.workers")
	for i := range r.Points {
		p := &r.Points[i]
		p.Sweep = append(slices.Clone(p.Sweep), strconv.Itoa(1+i%4))
	}
	return r
}
