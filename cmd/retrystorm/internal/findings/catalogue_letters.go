package findings

// letters are the findings about queues, dead letters, and sending them again.
func letters() []Finding {
	const (
		sqs     = "documentation of Amazon SQS; arithmetic"
		webhook = "what senders of webhooks document (Svix, Resend and others); arithmetic"
	)
	bisected := []string{"scenario.yaml", "summary.csv", "bisect.csv"}
	plain := []string{"scenario.yaml", "summary.csv"}
	return []Finding{
		{
			Name: "redrive", Title: "Dead letters are sent again to a service that has just come back", Source: "the advice to redrive slowly, as in the settings of the SQS redrive task; queueing",
			Experiments: []Experiment{
				{
					Scenario: "redrive",
					Files:    []string{"scenario.yaml", "summary.csv", "queues.csv", "dead_letters.csv", "arrivals.png"},
					Claims: []Claim{
						less{text: "Everything at once knocks the service down again; 10/s, of 25/s to spare, does not", metric: "second_outage", a: "rate-10", b: "at-once"},
						value{text: "Small first, and twice as many while few fail, does not", metric: "second_outage", variant: "small-first", want: 0},
						value{text: "50 at a time, the next when these have ended, do not", metric: "second_outage", variant: "small-always", want: 0},
						value{text: "Small first at 10/s does not", metric: "second_outage", variant: "small-first-10", want: 0},
						value{text: "In front of a short queue everything at once does no harm", metric: "second_outage", variant: "at-once-short-queue", want: 0},
						less{text: "and is of no use: fewer die again at 10/s", metric: "redriven_failed", a: "rate-10", b: "at-once-short-queue"},
						value{text: "In front of a short queue small first does no harm either", metric: "second_outage", variant: "small-first-short-queue", want: 0},
						less{text: "and is slow: it grows until it fails and waits a minute, again and again. 10/s sends more", metric: "redriven", a: "small-first-short-queue", b: "rate-10"},
					},
				},
				{
					Scenario: "redrive-rate", Files: append(bisected, "bisect.png"),
					Claims: []Claim{
						prevents{text: "A steady rate causes no second outage", variant: "long-queue"},
						flips{text: "up to what is to spare, 25/s, to a quarter", variant: "long-queue", want: "25/s", within: 0.25},
						prevents{text: "A steady rate causes none if work is dropped whose caller has left (work of 40 ms that begins within 1 s may end after it)", variant: "dropped"},
						prevents{text: "A steady rate causes none in front of a short queue", variant: "short-queue"},
						flips{text: "also up to 25/s, to a quarter", variant: "short-queue", want: "25/s", within: 0.25},
					},
				},
				{
					Scenario: "redrive-at-once", Files: bisected,
					Claims: []Claim{
						holds{text: "Everything at once knocks the service down for more than a minute (100 calls die in each second)", variant: "long-queue"},
						holds{text: "also if work is dropped whose caller has left", variant: "dropped"},
						prevents{text: "In front of a short queue it never does", variant: "short-queue"},
					},
				},
				{
					Scenario: "redrive-load", Files: bisected,
					Claims: []Claim{
						holds{text: "Everything at once knocks the service down for more than 5 min", variant: "three-attempts"},
						flips{text: "from where 3 x 60 s x rate/(125/s - 3 x rate) is 5 min: at 34.7/s, 28 % load", variant: "three-attempts", want: "34.7/s", within: 0.1},
						flips{text: "with two attempts at 52.1/s, 42 % load", variant: "two-attempts", want: "52.1/s", within: 0.1},
					},
				},
				{
					Scenario: "redrive-time", Files: plain,
					Claims: []Claim{
						curve{text: "N messages at rate r take (N - 1)/r, exactly: 2,000 of 0.1 s, from 10 s on", metric: "redrive_ended_at", variant: "base", want: []float64{2009.1, 210, 30.09}},
					},
				},
				{
					Scenario: "redrive-lost-answers", Files: append(plain, "duplicates.csv"),
					Claims: []Claim{
						value{text: "Where answers were lost, all that is redriven is done once more", metric: "duplicates[cause=redrive]", variant: "no-inbox", want: 1200, within: 0.15},
						value{text: "An inbox with a unique key lets none through", metric: "duplicates", variant: "unique", want: 0},
						value{text: "nor does one that checks first: the redrive comes long after", metric: "duplicates", variant: "check", want: 0},
						value{text: "One that forgets after a minute lets none through", metric: "duplicates", variant: "unique-for-a-minute", want: 0},
					},
				},
			},
		},
		{
			Name: "dead-letter-triage", Title: "Which dead letters are worth sending again?", Source: "the advice to keep reason, attempts and times of dead letters, and to redrive only what system errors killed",
			Experiments: []Experiment{{
				Scenario: "dead-letter-triage",
				Files:    []string{"scenario.yaml", "summary.csv", "dead_letters.csv", "dead_letters.jsonl"},
				Claims: []Claim{
					triage{text: "Without reason, attempts and time one can tell which die again", variant: "all", least: 0.95},
					triage{text: "The reason tells which die again", variant: "all", by: []string{"reason"}, least: 0.95},
					triage{text: "The number of attempts tells", variant: "all", by: []string{"attempts"}, least: 0.95},
					triage{text: "The time of the last failure tells, to 5 min", variant: "all", by: []string{"last_failure"}, least: 0.95},
					triage{text: "The service that could not do it tells", variant: "all", by: []string{"to"}, least: 0.95},
					triage{text: "All of them together tell", variant: "all", by: []string{"reason", "attempts", "last_failure", "to"}, least: 0.95},
					less{text: "Sent again only if a system error killed them, fewer die again", metric: "redriven_failed", a: "system-errors", b: "all"},
					value{text: "None of those die again", metric: "redriven_failed", variant: "system-errors", want: 0},
					less{text: "It saves the worker calls", metric: "total_calls", a: "system-errors", b: "all"},
					same{text: "As many come to good as if all are sent again", metric: "done", a: "system-errors", b: "all", within: 0.01},
				},
			}},
		},
		{
			Name: "unwatched", Title: "A dead-letter queue that nobody looks at", Source: "the default retention of SQS queues, 4 days, and their longest, 14; arithmetic",
			Experiments: []Experiment{{
				Scenario: "unwatched",
				Files:    []string{"scenario.yaml", "summary.csv", "queues.csv", "backlog.png"},
				Claims: []Claim{
					value{text: "The callers do not notice: none of their requests fails", metric: "failed_share", variant: "after-5-days", want: 0},
					value{text: "After 5 days nothing of the outage is left to be sent again", metric: "redriven", variant: "after-5-days", want: 0},
					value{text: "The next day all of 6 h x 6/min are there", metric: "redriven", variant: "next-day", want: 2160, within: 0.1},
					same{text: "With a retention of 14 days they still are after 5", metric: "redriven", a: "after-5-days-kept-14", b: "next-day", within: 0},
					value{text: "With a retention of 14 days nothing is lost", metric: "lost", variant: "after-5-days-kept-14", want: 0},
				},
			}},
		},
		{
			Name: "work-queues", Title: "Visibility, poison and order in work queues", Source: sqs,
			Experiments: []Experiment{
				{
					Scenario: "throttled-jobs", Files: append(plain, "queues.csv"),
					Claims: []Claim{
						curve{text: "Healthy messages die where a burst of 150 does not fit into receives x visibility/30 s rounds of ten: 150 - 30 k of them", metric: "done", variant: "base", want: []float64{30, 60, 90, 120, 150, 150}},
					},
				},
				{
					Scenario: "jobs-at-once", Files: bisected,
					Claims: []Claim{
						prevents{text: "A visibility of 6 times the handler's timeout keeps healthy messages out of the dead-letter queue", variant: "three-receives"},
						flips{text: "up to 3 x 6 x 10 at once", variant: "three-receives", want: "180", within: 0.01},
						flips{text: "with one receive up to 6 x 10", variant: "one-receive", want: "60", within: 0.02},
					},
				},
				{
					Scenario: "slow-job", Files: plain,
					Claims: []Claim{
						curve{text: "A job of 15 min is done 900 s/visibility times, rounded up: 30 copies at 30 s", metric: "deliveries", variant: "base", want: []float64{30, 15, 3, 2, 1}},
						value{text: "29 of them are duplicates", metric: "duplicates", variant: "base", at: "30s", want: 29},
					},
				},
				{
					Scenario: "poisoned-queue",
					Files:    []string{"scenario.yaml", "summary.csv", "queues.csv", "backlog.png"},
					Claims: []Claim{
						less{text: "A poisoned message holds up all behind it in an ordered queue: p99 of the time until a message is done", metric: "message_delay_p99", a: "any-order", b: "in-order"},
						same{text: "but not half of the messages: the same p50", metric: "message_delay_p50", a: "in-order", b: "any-order", within: 0.1},
						less{text: "With unlimited receives an ordered queue stops at the first: fewer are done", metric: "done", a: "in-order-for-ever", b: "in-order"},
						same{text: "A queue in no order goes on: as many are done", metric: "done", a: "any-order-for-ever", b: "any-order", within: 0},
						less{text: "but delivers for ever", metric: "deliveries", a: "any-order", b: "any-order-for-ever"},
					},
				},
				{
					Scenario: "endless-deliveries", Files: bisected,
					Claims: []Claim{
						prevents{text: "What is never given up does the others no harm (it takes all that is to spare after an hour at 0.36 %)", variant: "for-ever"},
						prevents{text: "What is given up after three receives does not", variant: "three-receives"},
						value{text: "5 % of poison and 3 receives are 5 % x 2 more calls", metric: "amplification", variant: "three-receives", at: "5%", want: 1.1, within: 0.01},
					},
				},
			},
		},
		{
			Name: "webhooks", Title: "Webhooks to an endpoint that is down for 6 hours", Source: webhook,
			Experiments: []Experiment{
				{
					Scenario: "webhooks",
					Files:    []string{"scenario.yaml", "summary.csv", "queues.csv", "dead_letters.csv", "arrivals.png"},
					Claims: []Claim{
						value{text: "With 5 attempts from 10 s all die that start in 6 h at 1/s, but for the last 75 s", metric: "dead_letters", variant: "webhook", want: 21525, within: 0.05},
						same{text: "A cap of 1 h changes nothing: the longest wait is 80 s", metric: "total_calls", a: "webhook", b: "no-cap", within: 0},
						value{text: "With a last wait of 8 h none die", metric: "dead_letters", variant: "last-after-8-hours", want: 0},
						value{text: "With the schedule of Svix none die", metric: "dead_letters", variant: "webhook-schedule", want: 0},
						less{text: "Patience has its price: the peak after the outage is higher than with those who have given up", metric: "peak_after", a: "webhook", b: "last-after-8-hours"},
					},
				},
				{
					Scenario: "webhook-patience", Files: bisected,
					Claims: []Claim{
						flips{text: "5 attempts from 10 s get over an outage of 75 s, half of the time", variant: "webhook", want: "75s", within: 0.05},
						flips{text: "Waits of 15 s, 1, 5, 15 min and 8 h get over 8 h 21 min 15 s", variant: "last-after-8-hours", want: "30075s", within: 0.001},
						flips{text: "The schedule of Svix gets over 27 h 35 min 5 s", variant: "webhook-schedule", want: "99305s", within: 0.001},
					},
				},
				{
					Scenario: "webhook-drain", Files: append(plain, "arrivals.png"),
					Claims: []Claim{
						curve{text: "An endpoint catches up in backlog/(capacity - load)", metric: "recovery", variant: "base", want: []float64{1136.8, 7200, 21600, 43200}, within: 0.25},
						curve{text: "Callers who wait for up to 1 h need an hour more", metric: "recovery", variant: "base", want: []float64{4736.8, 10800, 25200, 46800}, within: 0.1},
					},
				},
			},
		},
	}
}
