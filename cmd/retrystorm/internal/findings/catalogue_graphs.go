package findings

// graphs are the findings about call graphs: deadlines, threads, fan-out,
// replicas and breakers that guard more than one service.
func graphs() []Finding {
	bisected := []string{"scenario.yaml", "summary.csv", "bisect.csv", "bisect.png"}
	const during, about = "failed_share[t=60s..80s]", 0.1
	return []Finding{
		{
			Name: "deadline-propagation", Title: "Work for callers that have left", Source: "SRE book, chapter 22, \"Addressing Cascading Failures\" (deadline propagation); the pull requests named in the scenario",
			Experiments: []Experiment{
				{
					Scenario: "deadline-propagation",
					Files:    []string{"scenario.yaml", "summary.csv", "hops.csv", "arrivals.png"},
					Claims: []Claim{
						less{text: "Deadlines that all hops carry save the database work for nobody", metric: "wasted_work", a: "propagate-and-refuse", b: "blind"},
						less{text: "and let it recover after a busy minute", metric: "recovery", a: "propagate-and-refuse", b: "blind"},
						same{text: "A deadline that is carried to a service that does not look at it saves nothing: as many calls as one that only the client keeps", metric: "total_calls", a: "propagate", b: "client-deadline-only", within: 0},
						same{text: "and as many requests fail", metric: "failed_share", a: "propagate", b: "client-deadline-only", within: 0},
						less{text: "Refusing what would be late wastes less than dropping what is late", metric: "wasted_share", a: "propagate-and-refuse", b: "propagate-and-drop"},
						less{text: "and fails fewer requests", metric: "failed_share", a: "propagate-and-refuse", b: "propagate-and-drop"},
						same{text: "Without deadlines that travel, dropping what the caller has given up changes nothing if the caller, in the middle, waits longer than the client: within 1 % as many requests fail", metric: "failed_share", a: "drop", b: "blind", within: 0.01},
						less{text: "It lets the database recover if timeouts get shorter on the way down", metric: "recovery", a: "drop-and-shorter-timeouts", b: "blind"},
						less{text: "Serving the newest first, told nothing, fails fewer than both", metric: "failed_share", a: "lifo", b: "propagate-and-refuse"},
						less{text: "Retrying only what failed quickly lets it recover", metric: "recovery", a: "retry-quick-failures", b: "blind"},
					},
				},
				{
					Scenario: "refusal-time", Files: bisected,
					Claims: []Claim{
						flips{text: "Refusing must be cheap: with two calls for each of 80 requests/s it must take less than 1/160 s, of 10 ms that the work takes", variant: "two-calls", want: "6.25ms", within: 0.05},
						flips{text: "With one call for each it may take more than the work: 1/80 s", variant: "one-call", want: "12.5ms", within: 0.05},
					},
				},
			},
		},
		{
			Name: "thread-exhaustion", Title: "A slow service takes the workers of all above it", Source: "M. Nygard, \"Release It!\" (2007), blocked threads, bulkheads and timeouts; Little's law",
			Experiments: []Experiment{
				{
					Scenario: "thread-exhaustion",
					Files:    []string{"scenario.yaml", "summary.csv", "hops.csv", "arrivals.png"},
					Claims: []Claim{
						value{text: "When a service two hops down that a tenth of the requests need is slow, all requests fail", metric: during, variant: "as-is", want: 1},
						value{text: "With a timeout of 1 s on the way to it only that tenth does", metric: during, variant: "timeout-1s", want: 0.1, within: about},
						same{text: "It does not matter on which of the hops the timeout is", metric: during, a: "timeout-further-down", b: "timeout-1s", within: 0},
						value{text: "With a timeout of 4 s it is the same", metric: during, variant: "timeout-4s", want: 0.1, within: about},
						less{text: "A timeout of the client instead, 1 s for 5 s, fails fewer", metric: "failed_share", a: "client-timeout-1s", b: "as-is"},
						value{text: "If all hand it on and cancel their calls, only that tenth fails", metric: during, variant: "cancelled", want: 0.1, within: 0.2},
						value{text: "A breaker saves them too", metric: during, variant: "breaker", want: 0.1, within: about},
						value{text: "A breaker and the timeout of 4 s do", metric: during, variant: "breaker-and-timeout-4s", want: 0.1, within: about},
						value{text: "Separate workers save the neighbours", metric: during, variant: "separate-workers", want: 0.1, within: about},
						value{text: "So does a front that keeps no worker while it waits", metric: during, variant: "async", want: 0.1, within: about},
						value{text: "also with a limit of 50 on those inside", metric: during, variant: "async-50", want: 0.1, within: about},
						value{text: "If the slow step is optional no request fails", metric: during, variant: "optional", want: 0},
						less{text: "The neighbour is reached by fewer calls, when it could serve all", metric: "total_calls[t=60s..80s]", a: "as-is", b: "timeout-1s"},
					},
				},
				{
					Scenario: "exhaustion-edge", Files: bisected,
					Claims: []Claim{
						flips{text: "100 workers outlive timeouts up to (100 - 220/s x 25 ms)/(40/s) = 2.36 s, with one retry by the client", variant: "two-attempts", want: "2362500us", within: about},
						flips{text: "Without, up to (100 - 200/s x 25 ms)/(20/s) = 4.75 s", variant: "one-attempt", want: "4750ms", within: about},
						flips{text: "If the slow step is optional, its failure is not retried: the same", variant: "optional", want: "4750ms", within: about},
						flips{text: "With three attempts at both layers it is (100 - 240/s x 25 ms)/(180/s) = 522 ms", variant: "three-at-both", want: "522ms", within: about},
					},
				},
				{
					Scenario: "optional-step",
					Files:    []string{"scenario.yaml", "summary.csv"},
					Claims: []Claim{
						value{text: "An optional step that is refused fails no request", metric: "failed_share[t=30s..90s]", variant: "refused", want: 0},
						value{text: "nor does one that does not answer, while 100/s x 300 ms are fewer workers than there are", metric: "failed_share[t=30s..90s]", variant: "silent-300ms", want: 0},
						value{text: "The same with a timeout of 600 ms: the step is optional", metric: "failed_share[t=30s..90s]", variant: "silent-600ms", want: 0},
						same{text: "Two attempts of 300 ms hold a worker as long as one of 600 ms: as many fail", metric: "failed_share[t=30s..90s]", a: "silent-300ms-two-attempts", b: "silent-600ms", within: 0.02},
					},
				},
			},
		},
		{
			Name: "fan-out", Title: "Steps at once: how they multiply, and how few are enough", Source: arithmetic + "; Dean and Barroso, \"The Tail at Scale\" (CACM 2013)",
			Experiments: []Experiment{
				{
					Scenario: "fan-out",
					Files:    []string{"scenario.yaml", "summary.csv", "hops.csv", "amplification.png"},
					Claims: []Claim{
						value{text: "Three branches and three attempts at two layers make 3 x 3 x 3 calls of one", metric: "amplification", variant: "at-once", want: 27},
						value{text: "One after the other, only the first branch is reached: 3 x 3", metric: "amplification", variant: "in-sequence", want: 9},
						value{text: "Needing only two of the branches saves nothing when all fail alike", metric: "amplification", variant: "need-2", want: 27},
						value{text: "The first branch that gives up saves the others' retries: 3 x (3 + 1 + 1)", metric: "amplification", variant: "b-and-c-slow", want: 15},
						value{text: "Retrying at one layer costs three times what a healthy request does", metric: "amplification", variant: "one-layer", want: 9},
					},
				},
				{
					Scenario: "quorum",
					Files:    []string{"scenario.yaml", "summary.csv", "cdf.png"},
					Claims: []Claim{
						value{text: "All of three exponential times take 1 + 1/2 + 1/3 of one on average", metric: "success_mean", variant: "all", want: 0.02 * 11 / 6, within: 0.02},
						value{text: "two of them 1/2 + 1/3", metric: "success_mean", variant: "two", want: 0.02 * 5 / 6, within: 0.02},
						less{text: "Needing two of three cuts the tail", metric: "success_p99", a: "two", b: "all"},
						same{text: "at no extra calls", metric: "total_calls", a: "two", b: "all", within: 0},
						value{text: "11/18 of the work is for nobody then", metric: "wasted_share", variant: "two", want: 11. / 18, within: 0.02},
						less{text: "One replica that is ten times as slow is not noticed: a shorter p99 than three equal ones that are all needed", metric: "success_p99", a: "two-one-slow", b: "all"},
					},
				},
			},
		},
		{
			Name: "one-bad-replica", Title: "A replica that fails at once, behind a load balancer", Source: "SRE book, chapter 20, \"Load Balancing in the Datacenter\" (sinkholing); Mitzenmacher (2001)",
			Experiments: []Experiment{
				{
					Scenario: "one-bad-replica",
					Files:    []string{"scenario.yaml", "summary.csv", "attribution.csv"},
					Claims: []Claim{
						value{text: "By chance one of three replicas that fails costs a third of the requests", metric: "failed_share", variant: "random", at: "600/s", want: 1. / 3, within: 0.02},
						less{text: "Choosing the replica with fewest calls sends it more: it is always idle", metric: "failed_share", a: "random", b: "least", quote: "600/s"},
						value{text: "The better of two choices fails whenever it is one of them: 2/3", metric: "failed_share", variant: "two-choices", at: "600/s", want: 2. / 3, within: 0.03},
						value{text: "If failing takes as long as working it attracts nobody: a third again", metric: "failed_share", variant: "least-after-work", at: "600/s", want: 1. / 3, within: 0.02},
						value{text: "Three attempts leave (1/3)^3 of the failures by chance", metric: "failed_share", variant: "random-three-attempts", at: "600/s", want: 1. / 27, within: 0.05},
						same{text: "Of those with fewest calls they save none: within 2 %", metric: "failed_share", a: "least-three-attempts", b: "least", within: 0.02, quote: "600/s"},
						value{text: "In turn they leave none", metric: "failed_share", variant: "round-robin-three-attempts", at: "600/s", want: 0},
						value{text: "also when the retry comes 50 ms later", metric: "failed_share", variant: "round-robin-three-attempts-later", at: "600/s", want: 0},
						value{text: "A second attempt that avoids the replica that failed leaves none", metric: "failed_share", variant: "least-avoided", at: "600/s", want: 0},
						value{text: "at the price of nearly two calls each", metric: "amplification", variant: "least-avoided", at: "600/s", want: 2, within: 0.01},
						value{text: "by chance of 4/3", metric: "amplification", variant: "random-avoided", at: "600/s", want: 4. / 3, within: 0.01},
					},
				},
				{
					Scenario: "two-choices",
					Files:    []string{"scenario.yaml", "summary.csv", "cdf.png"},
					Claims: []Claim{
						value{text: "At 80 % load calls take 1/(1 - load) = 5 service times at any of many servers", metric: "success_mean", variant: "random", want: 0.05, within: 0.05},
						value{text: "and the sum of load^(2^i - 2) at the better of two: 1.947", metric: "success_mean", variant: "two-choices", want: 0.01 * betterOfTwo(0.8), within: 0.02},
						less{text: "Two choices beat taking turns", metric: "success_mean", a: "two-choices", b: "round-robin"},
						less{text: "The emptiest of all beats two choices", metric: "success_mean", a: "least", b: "two-choices"},
					},
				},
			},
		},
		{
			Name: "shared-breaker", Title: "One breaker for two services", Source: "DoorDash's outage of 12 May 2022, as told at flarestart.com/article/your-retry-config-is-wrong-and-so-was-mine-20260225; arithmetic",
			Experiments: []Experiment{{
				Scenario: "shared-breaker",
				Files:    []string{"scenario.yaml", "summary.csv", "attribution.csv", "arrivals.png"},
				Claims: []Claim{
					value{text: "A breaker for each service stops no call of the healthy one", metric: "withheld[service=menu, reason=breaker]", variant: "per-target", at: "60%", want: 0},
					value{text: "nor does one for both, when a twentieth of the requests need the one that fails", metric: "withheld[service=menu, reason=breaker]", variant: "one-breaker", at: "5%", want: 0},
					less{text: "With one for each fewer requests fail than with one for both (half of all calls fail, on average, from 25 % on)", metric: "failed_share", a: "per-target", b: "one-breaker", quote: "60%"},
					less{text: "That still costs requests when orders is back: without breakers fewer fail", metric: "failed_share", a: "no-breaker", b: "per-target", quote: "60%"},
				},
			}},
		},
	}
}
