package findings

// backoff are findings about how clients wait.
func backoff() []Finding {
	return []Finding{
		{
			Name: "aws-occ", Title: "One contended row, 10 to 200 clients", Source: awsPost,
			Experiments: []Experiment{{
				Scenario: "aws-occ",
				Files:    []string{"scenario.yaml", "summary.csv", "calls.png", "completion.png", "finished.png"},
				Claims: []Claim{
					less{text: "Backoff without jitter needs fewer calls than none", metric: "total_calls", a: "exponential", b: "none", quote: "100"},
					less{text: "Jitter needs fewer calls than backoff alone", metric: "total_calls", a: "full-jitter", b: "exponential", quote: "100"},
					less{text: "Full jitter needs fewer calls than equal jitter", metric: "total_calls", a: "full-jitter", b: "equal-jitter", quote: "100"},
					less{text: "Full jitter needs fewer calls than decorrelated jitter", metric: "total_calls", a: "full-jitter", b: "decorrelated-jitter", quote: "100"},
					less{text: "Decorrelated jitter is done before full jitter", metric: "finished_at", a: "decorrelated-jitter", b: "full-jitter", quote: "100"},
					less{text: "Full jitter is done before equal jitter", metric: "finished_at", a: "full-jitter", b: "equal-jitter", quote: "100"},
					less{text: "Backoff without jitter is done last: after full jitter", metric: "finished_at", a: "full-jitter", b: "exponential", quote: "100"},
					less{text: "On a row without a capacity limit, no backoff at all is done first: before decorrelated jitter", metric: "finished_at", a: "none", b: "decorrelated-jitter", quote: "100"},
					same{text: "The first attempts are simultaneous whatever the jitter: the peak of all calls is that of backoff without", metric: "peak_load", a: "full-jitter", b: "exponential", within: 0.01, quote: "100"},
				},
			}},
		},
		{
			Name: "calls-over-time", Title: "When 100 contending clients call", Source: awsPost,
			Experiments: []Experiment{{
				Scenario: "calls-over-time",
				Files:    []string{"scenario.yaml", "summary.csv", "timeline.csv", "arrivals.png", "cdf.png"},
				Claims: []Claim{
					less{text: "Jitter flattens the clusters: after the first second, a lower peak than backoff alone", metric: "peak_after", a: "full-jitter", b: "exponential"},
					less{text: "Full jitter has a lower peak after the first second than equal jitter", metric: "peak_after", a: "full-jitter", b: "equal-jitter"},
					gaps{text: "Backoff alone leaves long gaps without a call between its clusters; full jitter hardly any", a: "full-jitter", b: "exponential"},
				},
			}},
		},
		{
			Name: "recovering-server", Title: "10,000 clients meet a database that was down for 30 s", Source: "the claims of the AWS post, on a server with a limited capacity",
			Experiments: []Experiment{
				{
					Scenario: "recovering-server",
					Files:    []string{"scenario.yaml", "summary.csv", "completion.csv", "timeline.csv", "calls.png", "completion.png", "arrivals.png", "cdf.png"},
					Claims: []Claim{
						same{text: "The peak is the first wave, the same for every strategy", metric: "peak_load", a: "full-jitter", b: "exponential", within: 0.01},
						less{text: "Full jitter needs fewer calls than exponential backoff", metric: "total_calls", a: "full-jitter", b: "exponential"},
						less{text: "Full jitter needs fewer calls than equal jitter", metric: "total_calls", a: "full-jitter", b: "equal-jitter"},
						less{text: "Full jitter needs fewer calls than decorrelated jitter", metric: "total_calls", a: "full-jitter", b: "decorrelated-jitter"},
						less{text: "Jitter lowers the peak of retries", metric: "peak_retry", a: "full-jitter", b: "exponential"},
						less{text: "Jitter lowers the peak after the end of the ramp at 60 s", metric: "peak_after", a: "full-jitter", b: "exponential"},
						less{text: "Jitter shortens completion p99", metric: "completion_p99", a: "full-jitter", b: "exponential"},
						less{text: "Decorrelated jitter has a shorter completion p99 than full jitter", metric: "completion_p99", a: "decorrelated-jitter", b: "full-jitter"},
						less{text: "With jitter 99 % of the requests are done sooner after the end of the ramp than with backoff alone", metric: "recovery", a: "full-jitter", b: "exponential"},
						less{text: "Backoff needs fewer calls than none", metric: "total_calls", a: "exponential", b: "none"},
					},
				},
				{
					Scenario: "crashing-server",
					Files:    []string{"scenario.yaml", "summary.csv", "timeline.csv", "calls.png", "completion.png", "arrivals.png"},
					Claims: []Claim{
						less{text: "If overload kills the server, retries without backoff kill it more often than full jitter", metric: "crashes", a: "full-jitter", b: "none"},
						less{text: "If overload kills the server, backoff without jitter kills it more often than full jitter", metric: "crashes", a: "full-jitter", b: "exponential"},
						less{text: "If overload kills the server, jitter has the shorter completion p99", metric: "completion_p99", a: "full-jitter", b: "exponential"},
						less{text: "If overload kills the server, full jitter kills it less often than equal jitter", metric: "crashes", a: "full-jitter", b: "equal-jitter"},
						less{text: "If overload kills the server, full jitter has a shorter completion p99 than equal jitter", metric: "completion_p99", a: "full-jitter", b: "equal-jitter"},
					},
				},
			},
		},
		{
			Name: "synchronised-waves", Title: "Clients that failed together return together", Source: "worked by hand; the expected maximum of a multinomial",
			Experiments: []Experiment{
				{
					Scenario: "synchronised-waves",
					Files:    []string{"scenario.yaml", "summary.csv", "completion.csv", "calls.png", "cdf.png", "arrivals.png", "timeline.csv"},
					Claims: []Claim{
						value{text: "1,000 clients in waves, 200 served a wave: 10,000 calls", metric: "total_calls", variant: "exponential", want: 10000},
						value{text: "The last wave comes at 52.7 s", metric: "completion_p99", variant: "exponential", want: 52.7},
						less{text: "Full jitter breaks up the waves: completion p99", metric: "completion_p99", a: "full-jitter", b: "exponential"},
						less{text: "Full jitter breaks up the waves: peak after the outage", metric: "peak_after", a: "full-jitter", b: "exponential"},
						less{text: "Full jitter lowers the peak of retries even at the start, when its first waits are short", metric: "peak_retry", a: "full-jitter", b: "exponential"},
						less{text: "Decorrelated jitter needs more calls here than backoff without jitter", metric: "total_calls", a: "exponential", b: "decorrelated-jitter"},
					},
				},
				{
					Scenario: "synchronised-failure",
					Files:    []string{"scenario.yaml", "summary.csv", "arrivals.png"},
					Claims: []Claim{
						value{text: "Without jitter every retry is in one window", metric: "peak_retry", variant: "fixed", want: 5000},
						value{text: "Equal jitter over 1 s: the fullest of 5 windows", metric: "peak_retry", variant: "equal-jitter", want: 10 * fullest(500, 5), within: 0.01},
						value{text: "Additive jitter U(0, 1 s): the fullest of 10 windows", metric: "peak_retry", variant: "additive-jitter", want: 10 * fullest(500, 10), within: 0.01},
					},
				},
			},
		},
		{
			Name: "backoff-cap", Title: "What a cap on the backoff is worth", Source: "AWS, Google and library documentation advise a cap; the price is arithmetic",
			Experiments: []Experiment{{
				Scenario: "backoff-cap",
				Files:    []string{"scenario.yaml", "summary.csv", "calls.png", "completion.png"},
				Claims: []Claim{
					less{text: "Without a cap, clients sleep through the recovery: full jitter with a cap of 20 s has the shorter completion p99", metric: "completion_p99", a: "full-jitter", b: "full-jitter-no-cap", quote: "5m"},
					less{text: "The same without jitter", metric: "completion_p99", a: "exponential", b: "exponential-no-cap", quote: "5m"},
					less{text: "The cap is paid for in calls", metric: "total_calls", a: "full-jitter-no-cap", b: "full-jitter", quote: "5m"},
				},
			}},
		},
	}
}
