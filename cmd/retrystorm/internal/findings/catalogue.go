package findings

const (
	awsPost    = "AWS Architecture Blog, \"Exponential Backoff And Jitter\" (2015), and its public simulator"
	arithmetic = "arithmetic"
)

// Catalogue lists the findings in the order of FINDINGS.md.
func Catalogue() []Finding {
	return append([]Finding{
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
			Name: "budget-or-breaker", Title: "A token bucket or a breaker on retries", Source: "Marc Brooker, \"Fixing retries with token buckets and circuit breakers\" (2022), and his public simulator; closed forms",
			Experiments: []Experiment{
				{
					Scenario: "budget-or-breaker",
					Files:    []string{"scenario.yaml", "summary.csv", "attribution.csv", "calls.png"},
					Claims: []Claim{
						value{text: "Three retries at a failure rate f make 1 + f + f^2 + f^3 calls per request: 1.875 at 50 %", metric: "amplification", variant: "three-retries", at: "50%", want: 1.875, within: 0.01},
						value{text: "A drained bucket adds 0.1 + 4/n calls per request, n requests per client: 1.14 at 90 %", metric: "amplification", variant: "token-bucket", at: "90%", want: 1.14, within: 0.01},
						less{text: "The bucket needs fewer calls than three retries", metric: "total_calls", a: "token-bucket", b: "three-retries", quote: "50%"},
						less{text: "With the bucket fewer requests fail than with the breaker", metric: "failed_share", a: "token-bucket", b: "breaker", quote: "20%"},
						less{text: "That has its price: with three retries fewer requests fail than with the bucket", metric: "failed_share", a: "three-retries", b: "token-bucket", quote: "20%"},
						same{text: "Once the breaker is open it is as if nothing were retried: as many calls as without retries", metric: "total_calls", a: "breaker", b: "no-retries", within: 0.005, quote: "50%"},
					},
				},
				{
					Scenario: "budget-start-up",
					Files:    []string{"scenario.yaml", "summary.csv", "attribution.csv", "calls.png"},
					Claims: []Claim{
						value{text: "A budget of 20 % makes 1.2 calls per request when everything fails, at 100 requests/s", metric: "amplification", variant: "no-floor", at: "100/s", want: 1.2, within: 0.01},
						value{text: "The usual allowance of 10 retries/s on top does not change that, for a process with 10 requests/s", metric: "amplification", variant: "floor", at: "10/s", want: 1.2, within: 0.1},
						value{text: "With it there are 1 + 20 % + 10/rate calls per request: 2.2 at 10 requests/s", metric: "amplification", variant: "floor", at: "10/s", want: 2.2, within: 0.02},
						value{text: "Linkerd's, which earns only by requests that end well, leaves the allowance alone: 1 + 10/rate, 1.1 at 100 requests/s", metric: "amplification", variant: "linkerd", at: "100/s", want: 1.1, within: 0.02},
						less{text: "A limit on retries in flight (Envoy's) keeps retries lower than one over time", metric: "total_calls", a: "concurrent", b: "floor", quote: "10/s"},
					},
				},
				{
					Scenario: "breaker-order",
					Files:    []string{"scenario.yaml", "summary.csv", "attribution.csv", "causes.png"},
					Claims: []Claim{
						less{text: "A breaker inside the retries lets fewer calls through than one around them", metric: "total_calls", a: "inside", b: "outside", quote: "60s"},
						less{text: "A breaker around the retries fails fewer requests than one inside", metric: "failed_share", a: "outside", b: "inside", quote: "60s"},
						less{text: "A breaker on the retries only fails fewer requests than one around them", metric: "failed_share", a: "retries-only", b: "outside", quote: "60s"},
						same{text: "A breaker on the retries only fails as few requests as none, within 5 %", metric: "failed_share", a: "retries-only", b: "no-breaker", within: 0.05, quote: "60s"},
						less{text: "It lets fewer calls through than none", metric: "total_calls", a: "retries-only", b: "no-breaker", quote: "60s"},
					},
				},
			},
		},
		{
			Name: "adaptive-limiter", Title: "Callers that slow down when they are throttled", Source: "AWS SDK documentation of the adaptive retry mode; botocore",
			Experiments: []Experiment{{
				Scenario: "adaptive-limiter",
				Files:    []string{"scenario.yaml", "summary.csv", "attribution.csv", "causes.png"},
				Claims: []Claim{
					less{text: "The adaptive mode needs fewer calls than the standard mode", metric: "total_calls", a: "adaptive", b: "standard"},
					less{text: "and fails fewer requests", metric: "failed_share", a: "adaptive", b: "standard"},
					same{text: "It gets as much done as clients with the right fixed rate", metric: "succeeded", a: "adaptive", b: "fixed-rate", within: 0.05},
					less{text: "The standard mode's quota keeps retries from adding to the overload: fewer calls than without it", metric: "total_calls", a: "standard", b: "no-quota"},
					less{text: "at the price of more failed requests than without it", metric: "failed_share", a: "no-quota", b: "standard"},
				},
			}},
		},
		{
			Name: "retry-after", Title: "Retry-After: obeyed, ignored, with jitter", Source: "RFC 9110, section 10.2.3; the rules of HTTP libraries",
			Experiments: []Experiment{
				{
					Scenario: "retry-after",
					Files:    []string{"scenario.yaml", "summary.csv", "completion.csv", "calls.png", "arrivals.png", "cdf.png"},
					Claims: []Claim{
						less{text: "Clients that obey make fewer calls", metric: "total_calls", a: "obeyed", b: "ignored"},
						less{text: "Clients that obey are done sooner than by a backoff of up to 10 s", metric: "completion_p99", a: "obeyed", b: "ignored"},
						less{text: "All come back at once: the peak after the outage is higher than when it is ignored", metric: "peak_after", a: "ignored", b: "obeyed"},
						less{text: "Jitter on top takes the peak away", metric: "peak_after", a: "jitter", b: "obeyed"},
						less{text: "A service that asks each client for another time does the same", metric: "peak_after", a: "spread", b: "obeyed"},
						less{text: "Both cost time: with spread times 99 % are done later", metric: "completion_p99", a: "obeyed", b: "spread"},
						less{text: "and with jitter", metric: "completion_p99", a: "obeyed", b: "jitter"},
					},
				},
				{
					Scenario: "rate-limited",
					Files:    []string{"scenario.yaml", "summary.csv", "calls.png"},
					Claims: []Claim{
						value{text: "50 clients that come back for one token a second: 50 + 49 + ... + 1 calls", metric: "total_calls", variant: "obey", want: 1275},
						less{text: "Jitter saves calls that find no token", metric: "total_calls", a: "obey-with-jitter", b: "obey"},
						less{text: "Where the impatient are banned, ignoring it takes longest", metric: "finished_at", a: "obey-with-jitter", b: "ignore"},
					},
				},
			},
		},
		{
			Name: "sdk-defaults", Title: "The defaults of your SDK against the same outage", Source: "the libraries' own defaults",
			Experiments: []Experiment{
				{
					Scenario: "sdk-defaults",
					Files:    []string{"scenario.yaml", "summary.csv", "attribution.csv"},
					Claims: []Claim{
						ranked{text: "Whatever the library, the outage costs about as many calls (within 10 %)", metric: "total_calls", factor: 1.1},
						ranked{text: "Whatever the library, the peak of retries is about the same (within a factor of 1.5)", metric: "peak_retry", factor: 1.5},
						ranked{text: "Whatever the library, about as many requests fail (within 10 %)", metric: "failed_share", factor: 1.1},
						ranked{text: "Whatever the library, the system is well again as soon", metric: "recovery", factor: 1.5},
						less{text: "botocore's standard mode makes fewer calls than its legacy mode", metric: "total_calls", a: "botocore", b: "botocore-legacy"},
						less{text: "A part of that is its quota: fewer calls than without", metric: "total_calls", a: "botocore", b: "botocore-no-quota"},
						same{text: "and fails as many requests as no retries at all in such an outage", metric: "failed_share", a: "botocore", b: "none", within: 0.01},
					},
				},
				{
					Scenario: "random-exponential",
					Files:    []string{"scenario.yaml", "summary.csv", "calls.png", "arrivals.png"},
					Claims: []Claim{
						same{text: "Resilience4j's random exponential is full jitter: as many calls", metric: "total_calls", a: "random-exponential", b: "full-jitter", within: 0.02},
						same{text: "Resilience4j's random exponential is full jitter: the same peak of retries", metric: "peak_retry", a: "random-exponential", b: "full-jitter", within: 0.02},
						less{text: "With the same base it waits longer on average, so it needs fewer calls", metric: "total_calls", a: "random-exponential", b: "full-jitter"},
						less{text: "and has the lower peak of retries", metric: "peak_retry", a: "random-exponential", b: "full-jitter"},
						same{text: "Full jitter with the same mean wait needs as many calls", metric: "total_calls", a: "random-exponential", b: "full-jitter-1s", within: 0.02},
						less{text: "and has the lower peak of the two: it spreads wider", metric: "peak_retry", a: "full-jitter-1s", b: "random-exponential"},
					},
				},
			},
		},
		{
			Name: "hedging", Title: "A second call after 60 ms", Source: "Dean and Barroso, \"The tail at scale\", CACM 56(2), 2013",
			Experiments: []Experiment{{
				Scenario: "hedging",
				Files:    []string{"scenario.yaml", "summary.csv", "attribution.csv", "completion.png", "calls.png"},
				Claims: []Claim{
					less{text: "A hedge shortens completion p99", metric: "completion_p99", a: "hedge", b: "no-hedge", quote: "400/s"},
					less{text: "A budget of 5 % keeps most of that: still shorter than without", metric: "completion_p99", a: "at-most-5-percent", b: "no-hedge", quote: "400/s"},
					less{text: "If the losers are not cancelled, a hedge still shortens completion p99", metric: "completion_p99", a: "not-cancelled", b: "no-hedge", quote: "700/s"},
					value{text: "A hedge after the live p95 adds 5 % of calls", metric: "amplification", variant: "hedge-p95", at: "400/s", want: 1.05, within: 0.01},
				},
			}},
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
	}, metastability()...)
}
