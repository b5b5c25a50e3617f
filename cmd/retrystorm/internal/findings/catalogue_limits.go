package findings

// limits are findings about what stops or slows retries.
func limits() []Finding {
	return []Finding{
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
				{
					Scenario: "budget-of-1000",
					Files:    []string{"scenario.yaml", "summary.csv", "calls.png"},
					Claims: []Claim{
						value{text: "A budget of 20 % caps 1,000 calls at 200 retries, here when 90 % fail", metric: "retries", variant: "budget", at: "90%", want: 200, within: 0.01},
						value{text: "Without it there are 0.9 + 0.81 + 0.729 each", metric: "retries", variant: "no-budget", at: "90%", want: 2439, within: 0.01},
						same{text: "It costs nothing: as many requests succeed as without, within 1 %", metric: "succeeded", a: "budget", b: "no-budget", within: 0.01, quote: "10%"},
						less{text: "It fails more requests than no budget", metric: "failed_share", a: "no-budget", b: "budget", quote: "30%"},
						less{text: "and still far fewer than no retries", metric: "failed_share", a: "budget", b: "no-retries", quote: "30%"},
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
				{
					Scenario: "throttled",
					Files:    []string{"scenario.yaml", "summary.csv", "calls.png"},
					Claims: []Claim{
						less{text: "A 429 retried at once makes more calls than Retry-After obeyed", metric: "total_calls", a: "obeyed", b: "at-once"},
						less{text: "and is done sooner for it", metric: "finished_at", a: "at-once", b: "obeyed"},
						less{text: "Jitter on top of Retry-After saves calls", metric: "total_calls", a: "obeyed-with-jitter", b: "obeyed"},
						less{text: "and time", metric: "finished_at", a: "obeyed-with-jitter", b: "obeyed"},
						less{text: "Where offenders are banned, those who retry at once are done last", metric: "finished_at", a: "obeyed-banned", b: "at-once-banned"},
						less{text: "The ban saves the server calls", metric: "total_calls", a: "at-once-banned", b: "at-once"},
						same{text: "It does not touch those who obey", metric: "finished_at", a: "obeyed-banned", b: "obeyed", within: 0},
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
			Name: "non-retryable-errors", Title: "Errors that no retry can mend: 400, 401, 403, 404, 409", Source: "RFC 9110, section 15.5: the client erred; arithmetic",
			Experiments: []Experiment{
				{
					Scenario: "non-retryable-errors",
					Files:    []string{"scenario.yaml", "summary.csv", "groups.csv"},
					Claims: []Claim{
						value{text: "4 attempts are 4 failures", metric: "amplification[group=bad]", variant: "retry-anything", at: "400", want: 4, within: 0.01},
						same{text: "retry_on transient makes one attempt of each: as many calls as a policy that names what to retry", metric: "total_calls", a: "transient-only", b: "not-retried", within: 0, quote: "400"},
						less{text: "The queue behind them waits: good jobs have a longer p99 when bad ones are retried", metric: "success_p99[group=good]", a: "not-retried", b: "retry-anything", quote: "400"},
						less{text: "also by the median", metric: "success_p50[group=good]", a: "not-retried", b: "retry-anything", quote: "400"},
					},
				},
			},
		},
		{
			Name: "recommended-limits", Title: "3-5 attempts, 30-60 s in all, 5-10 s for each, 16-32 s for the longest sleep", Source: "the advice as it is usually given; arithmetic",
			Experiments: []Experiment{
				{
					Scenario: "minute-of-attempts",
					Files:    []string{"scenario.yaml", "summary.csv"},
					Claims: []Claim{
						holds{text: "5 attempts and a longest sleep of 16 s fit into 60 s, without jitter", variant: "longest-sleep-16s"},
						holds{text: "5 attempts and a longest sleep of 32 s fit into 60 s, without jitter", variant: "longest-sleep-32s"},
						holds{text: "With full jitter and 16 s they fit, half of the time", variant: "full-jitter-16s"},
						holds{text: "With full jitter and 32 s they fit, half of the time", variant: "full-jitter-32s"},
					},
				},
				{
					Scenario: "recommended-limits",
					Files:    []string{"scenario.yaml", "summary.csv", "calls.png"},
					Claims: []Claim{
						less{text: "Within the limits fewer requests fail than with one attempt", metric: "failed_share", a: "recommended", b: "one-attempt", quote: "30s"},
						less{text: "It takes longer to recover than with one attempt", metric: "recovery", a: "one-attempt", b: "recommended", quote: "30s"},
						less{text: "The limits save calls over 12 attempts", metric: "total_calls", a: "recommended", b: "many-attempts", quote: "30s"},
						less{text: "over endless attempts", metric: "total_calls", a: "recommended", b: "endless", quote: "30s"},
						less{text: "over 20 attempts at once", metric: "total_calls", a: "recommended", b: "hasty", quote: "30s"},
						less{text: "and over 60 s for an attempt", metric: "total_calls", a: "recommended", b: "long-timeout", quote: "30s"},
						less{text: "They fail fewer requests than endless attempts", metric: "failed_share", a: "recommended", b: "endless", quote: "30s"},
						less{text: "They lock the service in less often than endless attempts", metric: "locked_in", a: "recommended", b: "endless", quote: "30s"},
						less{text: "than 20 attempts at once", metric: "locked_in", a: "recommended", b: "hasty", quote: "30s"},
						less{text: "than sleeps of up to 10 min", metric: "locked_in", a: "recommended", b: "long-sleeps", quote: "30s"},
					},
				},
			},
		},
	}
}
