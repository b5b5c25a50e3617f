package findings

import "retrystorm/sim/random"

// doubles are the findings about work that is done twice, or never.
func doubles() []Finding {
	points := []string{"scenario.yaml", "summary.csv", "duplicates.csv"}
	bisected := []string{"scenario.yaml", "summary.csv", "bisect.csv"}
	return []Finding{
		{
			Name: "duplicate-payments", Title: "A retry makes a payment twice: how often, and what keeps it from that",
			Source: "https://github.com/istio/istio/issues/13851 and /27340; arithmetic",
			Experiments: []Experiment{
				{
					Scenario: "duplicate-payments", Files: points,
					Claims: []Claim{
						curve{text: "When 1 % of the answers are lost, 3 attempts make 10.1 of 1,000 payments twice: p + p^2", metric: "duplicates", variant: "mesh-default", want: []float64{202, 4800}, within: 0.1},
						value{text: "Who retries only what cannot have been done makes none twice", metric: "duplicates", variant: "connect-only", at: "20%", want: 0},
						curve{text: "and is told of every lost answer that the payment failed, though it was made", metric: "failed_share", variant: "connect-only", want: []float64{0.01, 0.2}, within: 0.1},
						value{text: "Check-then-insert prevents duplicates: here the retry comes when the work is done", metric: "duplicates", variant: "check-then-insert", at: "20%", want: 0},
						value{text: "and so does a unique constraint", metric: "duplicates", variant: "unique", at: "20%", want: 0},
						less{text: "With an inbox fewer requests fail than if they are not retried", metric: "failed_share", a: "unique", b: "connect-only", quote: "1%"},
						same{text: "but not if it answers 409 instead of what it answered first", metric: "failed_share", a: "without-the-answer", b: "connect-only", within: 0, quote: "1%"},
					},
				},
				{
					Scenario: "race-window", Files: append([]string{"bisect.png"}, bisected...),
					Claims: []Claim{
						prevents{text: "Check-then-insert prevents duplicates", variant: "check-then-insert"},
						flips{text: "The window of the race is the service time, 1 s: that is where it flips", variant: "check-then-insert", want: "1s", within: 0.01},
						flips{text: "From there on nothing needs an inbox: it flips where none does", variant: "no-inbox", want: "1s", within: 0.01},
						flips{text: "A wait before the retry, 400 ms, is as good as so much more timeout", variant: "fixed-wait", want: "600ms", within: 0.01},
						flips{text: "Full jitter is not: it may be next to nothing", variant: "full-jitter", want: "1s", within: 0.01},
						prevents{text: "A unique constraint prevents duplicates", variant: "unique"},
					},
				},
				{
					Scenario: "race-by-chance", Files: points,
					Claims: []Claim{
						curve{text: "If service times have no memory, q = exp(-timeout/mean) of them are too long, and 3 attempts make q + q^2 of the payments twice", metric: "duplicates", variant: "no-inbox", want: tooLong(2), within: 0.08},
						curve{text: "Check-then-insert leaves q + q^3", metric: "duplicates", variant: "check-then-insert", want: tooLong(3), within: 0.08},
						same{text: "which is no less to speak of, within 5 %", metric: "duplicates", a: "check-then-insert", b: "no-inbox", within: 0.05, quote: "400ms"},
						value{text: "A unique constraint leaves none", metric: "duplicates", variant: "unique", at: "100ms", want: 0},
						less{text: "and costs requests, as a retry hears 409 while the work is being done: more fail than with check-then-insert", metric: "failed_share", a: "check-then-insert", b: "unique", quote: "400ms"},
						less{text: "but not if it is patient: 8 attempts that wait 50 ms and then twice as long each time", metric: "failed_share", a: "unique-and-patient", b: "unique", quote: "400ms"},
						value{text: "With them every payment is made and answered", metric: "failed_share", variant: "unique-and-patient", at: "400ms", want: 0},
					},
				},
			},
		},
		{
			Name: "resend-after-outage", Title: "An operator resends what has failed: what makes it safe, and for how long", Source: "Stripe API reference, \"Idempotent requests\": keys of 24 hours; arithmetic",
			Experiments: []Experiment{
				{
					Scenario: "resend-after-outage", Files: points,
					Claims: []Claim{
						value{text: "Who resends nothing leaves 600 payments undone", metric: "effects", variant: "not-resent", want: 5400},
						value{text: "Who resends everything that failed makes 600 twice", metric: "duplicates", variant: "no-inbox", want: 600},
						value{text: "Store-and-return makes a resend safe: nothing is done twice", metric: "duplicates", variant: "replay", want: 0},
						value{text: "everything is done", metric: "effects", variant: "replay", want: 6000},
						value{text: "and nothing that was resent fails again", metric: "resent_failed", variant: "replay", want: 0},
						value{text: "A constraint that answers 409 is as safe", metric: "duplicates", variant: "without-the-answer", want: 0},
						value{text: "but the 600 that had been made look failed still", metric: "resent_failed", variant: "without-the-answer", want: 600},
					},
				},
				{
					Scenario: "retention", Files: bisected,
					Claims: []Claim{
						prevents{text: "An inbox makes a resend safe, however long it keeps its keys", variant: "as-they-came"},
						flips{text: "It must keep them as long as the longest resend takes: 6 h", variant: "as-they-came", want: "6h", within: 0.01},
						flips{text: "The same if all are resent at once", variant: "at-once", want: "6h", within: 0.01},
						flips{text: "Who resends slowly needs more: the last one is 8 h 15 min old", variant: "carefully", want: "8h15m", within: 0.01},
						flips{text: "and who resends a day later 30 h, so 24 h are too short", variant: "a-day-later", want: "30h", within: 0.01},
					},
				},
				{
					Scenario: "keep-newest", Files: bisected,
					Claims: []Claim{
						flips{text: "1,000 keys last for 30 s up to 1,000/30 s = 33.3/s: 23.3/s on top of the usual 10/s", variant: "newest-1000", want: "23.3333/s", within: 0.03},
						flips{text: "2,000 keys up to 66.7/s", variant: "newest-2000", want: "56.6667/s", within: 0.03},
						prevents{text: "Keys that are kept for a time are safe in any surge", variant: "one-minute"},
					},
				},
			},
		},
		{
			Name: "keys-that-collide", Title: "One key for two payments", Source: arithmetic,
			Experiments: []Experiment{
				{
					Scenario: "coarse-keys", Files: points,
					Claims: []Claim{
						curve{text: "A key that a share of the payments have in common with the one before swallows that share (and 1.01 calls of each)", metric: "swallowed", variant: "replay", want: []float64{101, 1010, 3030}, within: 0.1},
						same{text: "Nobody hears of it: as many requests succeed as without an inbox", metric: "succeeded", a: "replay", b: "no-inbox", within: 0, quote: "10%"},
						less{text: "and fewer payments are made", metric: "effects", a: "replay", b: "no-inbox", quote: "10%"},
						curve{text: "With 409 instead of the stored answer their callers hear of it, and so do those whose own answer was lost, 1 %", metric: "failed_share", variant: "without-the-answer", want: []float64{0.0199, 0.109, 0.307}, within: 0.1},
					},
				},
				{
					Scenario: "cycling-keys", Files: bisected,
					Claims: []Claim{
						flips{text: "Keys that are counted from 1 every day must not be kept for longer than a day", variant: "daily", want: "24h", within: 0.01},
						value{text: "Kept for 3 days, they let 1,440 of 5,760 payments be made in 4 days: those of the first", metric: "effects", variant: "daily", at: "3d", want: 1440},
						value{text: "and all the others succeed all the same", metric: "failed", variant: "daily", at: "3d", want: 0},
						prevents{text: "Keys that are counted by the week may be kept for 3 days", variant: "weekly"},
					},
				},
			},
		},
		{
			Name: "batch-rerun", Title: "What has most payments made twice", Source: "Spring Batch reference, \"Configuring a Step for Restart\"; arithmetic",
			Experiments: []Experiment{
				{
					Scenario: "batch-rerun", Files: append([]string{"duplicates.png"}, points...),
					Claims: []Claim{
						largestCause("A batch that is rerun from the start is the largest source of duplicates", "rerun", "from-the-start"),
						largestCause("and also with a restart point every 10 payments", "rerun", "every-10"),
						largestCause("Then retries after lost answers are", "timeout", "every-10"),
						value{text: "Check-then-insert makes the resend safe", metric: "duplicates[cause=resend]", variant: "check-then-insert", want: 0},
						less{text: "and leaves fewer duplicates than restart points", metric: "duplicates", a: "check-then-insert", b: "every-10"},
						value{text: "but not one redelivery of the slow minute less: 1,200", metric: "duplicates[cause=redelivery]", variant: "check-then-insert", want: 1200, within: 0.01},
						value{text: "A unique constraint leaves none", metric: "duplicates", variant: "unique", want: 0},
						less{text: "and fails more requests for it, as retries hear 409 while the bank is slow", metric: "failed_share", a: "from-the-start", b: "unique"},
					},
				},
				{
					Scenario: "restart-points", Files: bisected,
					Claims: []Claim{
						prevents{text: "Restart points keep the rerun from being the largest source", variant: "three-attempts"},
						prevents{text: "The same when there is one retry only, and so fewer other duplicates", variant: "two-attempts"},
					},
				},
			},
		},
		{
			Name: "redelivery", Title: "Work that takes longer than its message is hidden", Source: "Amazon SQS Developer Guide, \"Amazon SQS visibility timeout\"; arithmetic",
			Experiments: []Experiment{
				{
					Scenario: "visibility", Files: points,
					Claims: []Claim{
						curve{text: "A message is worked on ceil(processing time/visibility) times", metric: "effects", variant: "no-inbox", want: []float64{6000, 2400, 1800, 1200, 1200, 600}},
						same{text: "Check-then-insert changes nothing: when a copy begins, none is done", metric: "effects", a: "check-then-insert", b: "no-inbox", within: 0, quote: "30s"},
						curve{text: "With a unique constraint it is done once", metric: "effects", variant: "unique", want: []float64{600, 600, 600, 600, 600, 600}},
					},
				},
			},
		},
	}
}

// tooLong is how many of 20,000 payments of 100 ms on average, without any
// memory, are made twice when callers wait for 100, 200 and 400 ms: q + q^third.
func tooLong(third int) []float64 {
	list := []float64{1, 2, 4}
	for i, waits := range list {
		q, power := random.Exp(-waits), 1.0
		for range third {
			power = float64(power * q)
		}
		list[i] = 20000 * (q + power)
	}
	return list
}

// largestCause claims that a cause has more work done again than any other.
func largestCause(text, cause, variant string) largest {
	c := largest{text: text, metric: "duplicates[cause=" + cause + "]", variant: variant}
	for _, other := range []string{"timeout", "redelivery", "resend", "rerun"} {
		if other != cause {
			c.rivals = append(c.rivals, "duplicates[cause="+other+"]")
		}
	}
	return c
}
