package findings

// layers are findings about retries in several layers.
func layers() []Finding {
	return []Finding{
		{
			Name: "nested-layers", Title: "Retries at three layers", Source: arithmetic + "; Amazon Builders' Library, \"Timeouts, retries and backoff with jitter\"",
			Experiments: []Experiment{
				{
					Scenario: "nested-layers",
					Files:    []string{"scenario.yaml", "summary.csv", "hops.csv", "amplification.png"},
					Claims: []Claim{
						value{text: "4 attempts at three layers make 4 x 4 x 4 calls of one", metric: "amplification", variant: "four-attempts", want: 64},
						value{text: "\"4 retries\" are 5 attempts: 5 x 5 x 5", metric: "amplification", variant: "four-retries", want: 125},
						value{text: "Retrying at one layer only costs its attempts", metric: "amplification", variant: "one-layer", want: 4},
					},
				},
				{
					Scenario: "independent-failures",
					Files:    []string{"scenario.yaml", "summary.csv", "calls.png"},
					Claims: []Claim{
						same{text: "Under independent failures nesting costs nothing: as many calls as one layer with 64 attempts", metric: "amplification", a: "nested", b: "one-layer", within: 0.03, quote: "90%"},
						value{text: "(1 - f^64)/(1 - f) calls per request at f = 90 %", metric: "amplification", variant: "nested", at: "90%", want: telescoped(0.9, 64), within: 0.01},
						value{text: "(1 - f^64)/(1 - f) calls per request at f = 99 %", metric: "amplification", variant: "nested", at: "99%", want: telescoped(0.99, 64), within: 0.01},
					},
				},
			},
		},
		{
			Name: "which-layer", Title: "Retry in one layer only: in which?", Source: "Amazon Builders' Library, \"Timeouts, retries and backoff with jitter\", which advises a single point in the stack",
			Experiments: []Experiment{
				{
					Scenario: "which-layer",
					Files:    []string{"scenario.yaml", "summary.csv", "hops.csv"},
					Claims: []Claim{
						same{text: "It makes no difference for the database: as many calls from the innermost layer as from the outermost, within 1 %", metric: "total_calls", a: "innermost", b: "outermost", within: 0.01, quote: "db-flaky"},
						less{text: "Retries of the innermost layer spare the one above: fewer calls to orders than from the outermost", metric: "total_calls[service=orders]", a: "innermost", b: "outermost", quote: "db-flaky"},
						same{text: "and as few requests fail, within 10 %", metric: "failed_share", a: "innermost", b: "outermost", within: 0.1, quote: "db-flaky"},
						less{text: "Retries of the outermost layer fail fewer requests than those of the innermost", metric: "failed_share", a: "outermost", b: "innermost", quote: "orders-flaky"},
						less{text: "Requests that succeed are done sooner with retries of the innermost layer: success p99", metric: "success_p99", a: "innermost", b: "outermost", quote: "db-flaky"},
						less{text: "Retries everywhere fail fewer requests than those of the outermost layer", metric: "failed_share", a: "everywhere", b: "outermost", quote: "db-away"},
						less{text: "at the price of more calls to the database", metric: "total_calls", a: "outermost", b: "everywhere", quote: "db-away"},
						less{text: "and of a higher peak there", metric: "peak_load", a: "outermost", b: "everywhere", quote: "db-away"},
					},
				},
			},
		},
	}
}
