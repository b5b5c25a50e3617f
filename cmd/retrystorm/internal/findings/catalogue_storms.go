package findings

// storms are findings about retries that keep a service down, and hedges.
func storms() []Finding {
	return []Finding{
		{
			Name: "immediate-retries", Title: "Up to which load immediate retries let go of a service", Source: "Bronson et al., \"Metastable Failures in Distributed Systems\" (HotOS 2021); fluid limit",
			Experiments: []Experiment{
				{
					Scenario: "immediate-retries",
					Files:    []string{"scenario.yaml", "summary.csv", "bisect.png"},
					Claims: []Claim{
						holds{text: "Without retries a pause of 5 s is over within a minute (fluid limit: up to 281/s)", variant: "no-retries"},
						holds{text: "One retry at once does not change that (fluid limit: up to 141/s)", variant: "one-retry"},
						holds{text: "nor do three (fluid limit: up to 72/s)", variant: "three-retries"},
						holds{text: "Backoff with full jitter saves the three", variant: "three-with-backoff"},
						holds{text: "A short queue saves them: what is accepted is answered in time", variant: "three-and-a-short-queue"},
					},
				},
			},
		},
		{
			Name: "hedging", Title: "A second call after 60 ms", Source: "Dean and Barroso, \"The tail at scale\", CACM 56(2), 2013",
			Experiments: []Experiment{
				{
					Scenario: "hedging",
					Files:    []string{"scenario.yaml", "summary.csv", "attribution.csv", "completion.png", "calls.png"},
					Claims: []Claim{
						less{text: "A hedge shortens completion p99", metric: "completion_p99", a: "hedge", b: "no-hedge", quote: "400/s"},
						less{text: "A budget of 5 % keeps most of that: still shorter than without", metric: "completion_p99", a: "at-most-5-percent", b: "no-hedge", quote: "400/s"},
						less{text: "If the losers are not cancelled, a hedge still shortens completion p99", metric: "completion_p99", a: "not-cancelled", b: "no-hedge", quote: "700/s"},
						value{text: "A hedge after the live p95 adds 5 % of calls", metric: "amplification", variant: "hedge-p95", at: "400/s", want: 1.05, within: 0.01},
					},
				},
				{
					Scenario: "hedging-when-slow",
					Files:    []string{"scenario.yaml", "summary.csv", "bisect.png"},
					Claims: []Claim{
						holds{text: "After half a minute at a quarter of its speed a server is well within a minute, without hedges", variant: "no-hedge"},
						holds{text: "Hedges that are not cancelled do not change that", variant: "hedge"},
						holds{text: "nor do hedges whose losers are cancelled", variant: "hedge-cancelled"},
						holds{text: "nor do hedges of at most 5 %, not cancelled", variant: "at-most-5-percent"},
						value{text: "A hedge after the old p95 adds 5 % of calls, at 100/s with that half minute", metric: "amplification", variant: "hedge", at: "100/s", want: 1.05, within: 0.01},
						value{text: "A budget of 5 % holds while the server is slow", metric: "amplification", variant: "at-most-5-percent", at: "100/s", want: 1.05, within: 0.01},
					},
				},
			},
		},
		{
			Name: "congestion-collapse", Title: "Timeouts with retries keep a slow server down", Source: "Marc Brooker's public simulator (mbrooker/simulator_example); worked example",
			Experiments: []Experiment{
				{
					Scenario: "congestion-collapse",
					Files:    []string{"scenario.yaml", "summary.csv", "timeline.csv", "outcomes.csv", "arrivals.png"},
					Claims: []Claim{
						value{text: "Five busy seconds lock the server in: 17 of 20 published runs", metric: "locked_in", variant: "no-backoff", want: 0.85, published: 20},
						less{text: "Backoff with jitter lets it recover", metric: "locked_in", a: "backoff-and-jitter", b: "no-backoff"},
					},
				},
				{
					Scenario: "one-pause",
					Files:    []string{"scenario.yaml", "summary.csv", "timeline.csv", "arrivals.png"},
					Claims: []Claim{
						value{text: "One pause of 1 s at 70 % load locks in: 210 of 420 requests complete", metric: "succeeded", variant: "as-is", want: 210},
						value{text: "with an amplification of 2.5", metric: "amplification", variant: "as-is", want: 2.5},
						value{text: "Accepting late answers saves 17 of them", metric: "succeeded", variant: "accept-late", want: 227},
					},
				},
			},
		},
	}
}
