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
	}
}
