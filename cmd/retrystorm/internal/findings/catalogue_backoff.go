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
					least{text: "Of all strategies, full jitter needs the least calls", metric: "total_calls", a: "full-jitter", quote: "100"},
					least{text: "Of all strategies, full jitter has the best completion p99", metric: "completion_p99", a: "full-jitter", quote: "100"},
					least{text: "Of all strategies, decorrelated jitter has the shortest mean time to completion", metric: "success_mean", a: "decorrelated-jitter", quote: "100"},
					least{text: "Of those that back off, full jitter has the best completion p99", metric: "completion_p99", a: "full-jitter", rivals: []string{"exponential", "equal-jitter", "decorrelated-jitter"}, quote: "100"},
					least{text: "Of those that back off, decorrelated jitter has the shortest mean time to completion", metric: "success_mean", a: "decorrelated-jitter", rivals: []string{"exponential", "full-jitter", "equal-jitter"}, quote: "100"},
					same{text: "U(x/2, x) counts as full jitter: as many calls, within 5 %", metric: "total_calls", a: "equal-jitter", b: "full-jitter", within: 0.05, quote: "100"},
					same{text: "U(x/2, x) counts as full jitter: the last client is done as soon, within 5 %", metric: "finished_at", a: "equal-jitter", b: "full-jitter", within: 0.05, quote: "100"},
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
						least{text: "Of all strategies, full jitter needs the least calls", metric: "total_calls", a: "full-jitter"},
						least{text: "Of all strategies, full jitter has the least peak of retries", metric: "peak_retry", a: "full-jitter"},
						least{text: "Of all strategies, full jitter has the best completion p99", metric: "completion_p99", a: "full-jitter"},
						least{text: "Of all strategies, decorrelated jitter has the shortest mean time to completion", metric: "success_mean", a: "decorrelated-jitter"},
						same{text: "U(x/2, x) counts as full jitter: as many calls, within 5 %", metric: "total_calls", a: "equal-jitter", b: "full-jitter", within: 0.05},
						same{text: "U(x/2, x) counts as full jitter: the same peak of retries, within 5 %", metric: "peak_retry", a: "equal-jitter", b: "full-jitter", within: 0.05},
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
			Name: "hard-outage", Title: "A service that is away for a minute and then has room for everybody", Source: "the claims of the AWS post, in a total outage; exact expectations by numeric integration",
			Experiments: []Experiment{
				{
					Scenario: "hard-outage",
					Files:    []string{"scenario.yaml", "summary.csv", "completion.csv", "arrivals.png"},
					Claims: []Claim{
						value{text: "Without jitter clients call at 0, 1, 3, 7, 15, 31 and 61 s: 7 calls each", metric: "amplification", variant: "exponential", want: 7},
						value{text: "Equal jitter: 7.117 calls fail, one succeeds", metric: "amplification", variant: "equal-jitter", want: 8.11703416138, within: 0.01},
						value{text: "Full jitter: 8.630 calls fail", metric: "amplification", variant: "full-jitter", want: 9.62964404276, within: 0.01},
						value{text: "Decorrelated jitter: 8.555 calls fail", metric: "amplification", variant: "decorrelated-jitter", want: 9.55462, within: 0.015},
						least{text: "Of all strategies, full jitter needs the least calls", metric: "total_calls", a: "full-jitter"},
						less{text: "It needs fewer calls than no backoff", metric: "total_calls", a: "full-jitter", b: "none"},
						least{text: "Of all strategies, full jitter has the least peak of retries", metric: "peak_retry", a: "full-jitter"},
						least{text: "Of all strategies, full jitter has the best completion p99", metric: "completion_p99", a: "full-jitter"},
						less{text: "It has a better completion p99 than equal jitter", metric: "completion_p99", a: "full-jitter", b: "equal-jitter"},
						least{text: "Of all strategies, decorrelated jitter has the shortest mean time to completion", metric: "success_mean", a: "decorrelated-jitter"},
						same{text: "U(x/2, x) counts as full jitter: as many calls, within 5 %", metric: "total_calls", a: "equal-jitter", b: "full-jitter", within: 0.05},
						same{text: "U(x/2, x) counts as full jitter: the same peak of retries, within 5 %", metric: "peak_retry", a: "equal-jitter", b: "full-jitter", within: 0.05},
					},
				},
			},
		},
		{
			Name: "formula-waits", Title: "The four formulas, and how long they wait", Source: awsPost + "; the Builders' Library article has neither formula nor comparison",
			Experiments: []Experiment{
				{
					Scenario: "formula-waits",
					Files:    []string{"scenario.yaml", "summary.csv"},
					Claims: []Claim{
						curve{text: "Exponential: 1, 2, 4, ... s before retry 1, 2, 3, ...", metric: "finished_at", variant: "exponential", want: waited(1, 2, 10)},
						curve{text: "Full jitter waits half of that on average", metric: "finished_at", variant: "full-jitter", want: waited(0.5, 2, 10), within: 0.03},
						curve{text: "Equal jitter waits three quarters of it", metric: "finished_at", variant: "equal-jitter", want: waited(0.75, 2, 10), within: 0.03},
						curve{text: "Decorrelated jitter: 2 * 1.5^k - 1 s before retry k, on average", metric: "finished_at", variant: "decorrelated-jitter", want: decorrelated(10), within: 0.06},
						less{text: "Decorrelated jitter sleeps less than full jitter", metric: "finished_at", a: "decorrelated-jitter", b: "full-jitter", quote: "2"},
						less{text: "Decorrelated jitter sleeps less than equal jitter", metric: "finished_at", a: "decorrelated-jitter", b: "equal-jitter", quote: "2"},
						less{text: "Decorrelated jitter sleeps less than backoff without jitter", metric: "finished_at", a: "decorrelated-jitter", b: "exponential", quote: "2"},
					},
				},
			},
		},
		{
			Name: "backoff-waves", Title: "When clients that fail together come back, by doubling waits", Source: "arithmetic; " + awsPost,
			Experiments: []Experiment{
				{
					Scenario: "backoff-waves",
					Files:    []string{"scenario.yaml", "summary.csv", "arrivals.png"},
					Claims: []Claim{
						waves{text: "Exponential backoff alone leaves waves at 2, 4, 8 and 16 s", variant: "exponential", at: seconds(2, 4, 8, 16)},
						waves{text: "The waves are at the sums: 1, 3, 7, 15 and 31 s", variant: "exponential", at: seconds(1, 3, 7, 15, 31)},
						value{text: "Each of them is everybody: 1,000 calls in 100 ms", metric: "peak_retry", variant: "exponential", want: 10000},
						waves{text: "With full jitter the waves are still there", variant: "full-jitter", at: seconds(1, 3, 7, 15, 31)},
						waves{text: "With equal jitter the waves are still there", variant: "equal-jitter", at: seconds(1, 3, 7, 15, 31)},
						less{text: "Full jitter lowers the peak of retries", metric: "peak_retry", a: "full-jitter", b: "exponential"},
						less{text: "Equal jitter, which leaves a gap before its first retries, has the lower peak", metric: "peak_retry", a: "equal-jitter", b: "full-jitter"},
						least{text: "Of all strategies, decorrelated jitter has the least peak of retries", metric: "peak_retry", a: "decorrelated-jitter"},
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
						value{text: "Equal jitter over 1 s: the fullest of 5 windows", metric: "peak_retry", variant: "equal-jitter", want: 10 * fullestOf500In5, within: 0.01},
						value{text: "Additive jitter U(0, 1 s): the fullest of 10 windows", metric: "peak_retry", variant: "additive-jitter", want: 10 * fullestOf500In10, within: 0.01},
						value{text: "Full jitter over 1 s: the same", metric: "peak_retry", variant: "full-jitter", want: 10 * fullestOf500In10, within: 0.01},
						same{text: "U(x/2, x) counts as full jitter: the same peak, within 5 %", metric: "peak_retry", a: "equal-jitter", b: "full-jitter", within: 0.05},
					},
				},
				{
					Scenario: "ten-thousand-in-step",
					Files:    []string{"scenario.yaml", "summary.csv"},
					Claims: []Claim{
						value{text: "10,000 clients in step are 10,000 calls in one window of 100 ms", metric: "peak_retry", variant: "fixed", at: "10s", want: 100000},
						value{text: "Full jitter over 10 s leaves 126 in the fullest of 100 windows", metric: "peak_retry", variant: "full-jitter", at: "10s", want: 10 * fullestOf10000In100, within: 0.03},
						holds{text: "Full jitter keeps the retries of 10,000 clients below 5,000/s, on average from 2 s on", variant: "full-jitter"},
						holds{text: "U(x/2, x) does so from twice as much", variant: "equal-jitter"},
						holds{text: "A fixed wait does so if it is long enough", variant: "fixed"},
					},
				},
			},
		},
		{
			Name: "backoff-cap", Title: "What a cap on the backoff is worth", Source: "AWS, Google and library documentation advise a cap; the price is arithmetic",
			Experiments: []Experiment{
				{
					Scenario: "backoff-cap",
					Files:    []string{"scenario.yaml", "summary.csv", "calls.png", "completion.png"},
					Claims: []Claim{
						less{text: "Without a cap, clients sleep through the recovery: full jitter with a cap of 20 s has the shorter completion p99", metric: "completion_p99", a: "full-jitter", b: "full-jitter-no-cap", quote: "5m"},
						less{text: "The same without jitter", metric: "completion_p99", a: "exponential", b: "exponential-no-cap", quote: "5m"},
						less{text: "The cap is paid for in calls", metric: "total_calls", a: "full-jitter-no-cap", b: "full-jitter", quote: "5m"},
					},
				},
				{
					Scenario: "webhook-cap",
					Files:    []string{"scenario.yaml", "summary.csv"},
					Claims: []Claim{
						value{text: "With a base of 10 s and 5 attempts the waits are 10 + 20 + 40 + 80 s", metric: "finished_at", variant: "capped", at: "5", want: 150},
						same{text: "So a cap of 1 h makes no difference", metric: "finished_at", a: "capped", b: "no-cap", within: 0, quote: "5"},
					},
				},
			},
		},
	}
}
