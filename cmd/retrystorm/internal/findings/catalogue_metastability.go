package findings

const hotOS = "Bronson et al., \"Metastable Failures in Distributed Systems\" (HotOS 2021)"

// metastability are the findings about systems that stay down when what brought
// them down is over.
func metastability() []Finding {
	bisected := []string{"scenario.yaml", "summary.csv", "bisect.csv", "bisect.png"}
	return []Finding{{
		Name: "metastability", Title: "Down for good after a pause: when, and what helps", Source: hotOS + "; its fluid limit",
		Experiments: []Experiment{
			{
				Scenario: "band-edge", Files: bisected,
				Claims: []Claim{
					flips{text: "With two attempts a pause locks a system of 300/s in from 150/s on, half of its capacity", variant: "as-is", want: "150/s", within: 0.05},
					flips{text: "Without one nothing happens up to its capacity", variant: "no-pause", want: "300/s", within: 0.05},
					prevents{text: "Dropping work at its turn if its caller has left makes the bad state impossible", variant: "dropped"},
					prevents{text: "Taking such work out of service as well makes it impossible", variant: "cancelled"},
				},
			},
			{
				Scenario: "ways-out",
				Files:    []string{"scenario.yaml", "summary.csv", "timeline.csv", "arrivals.png"},
				Claims: []Claim{
					value{text: "In the bad state 280 requests/s are 560 calls/s: 22,400 in 40 s", metric: "total_calls[t=60s..100s]", variant: "as-is", want: 22400, within: 0.01},
					value{text: "and none succeeds", metric: "goodput[t=60s..100s]", variant: "as-is", want: 0},
					less{text: "A queue that is served within the timeout, 290 calls at 300/s, gets it out", metric: "locked_in", a: "queue-290", b: "as-is"},
					value{text: "Any bound on the queue gets it out, one of 340 calls", metric: "locked_in", variant: "queue-340", want: 0},
					less{text: "Serving the newest first gets it out", metric: "locked_in", a: "newest-first", b: "as-is"},
					less{text: "Callers who take their calls with them get it out", metric: "locked_in", a: "cancelled", b: "as-is"},
					value{text: "A retry budget prevents such storms, one of 10 %", metric: "locked_in", variant: "budget-10-percent", want: 0},
				},
			},
			{
				Scenario: "budget-edge", Files: bisected,
				Claims: []Claim{
					prevents{text: "A retry budget prevents such storms", variant: "base"},
					flips{text: "One below 1/load - 1 does: 7.14 % at a load of 280/300", variant: "base", want: "7.14%", within: 0.15},
				},
			},
			{
				Scenario: "load-shed",
				Files:    []string{"scenario.yaml", "summary.csv", "timeline.csv", "arrivals.png"},
				Claims: []Claim{
					less{text: "When half of the load is shed, 140/s of a capacity of 300/s, it heals", metric: "locked_in", a: "to-140", b: "not-at-all"},
					value{text: "also when 160/s stay, little more than half of the capacity", metric: "locked_in", variant: "to-160", want: 0},
				},
			},
			{
				Scenario: "critical-outage", Files: bisected,
				Claims: []Claim{
					flips{text: "At 55 % load a pause of 1.433 timeouts is critical", variant: "base", sweep: []string{"1650/s"}, want: "1432.6ms", within: 0.03},
					flips{text: "At 70 % load one of 1.170 timeouts is", variant: "base", sweep: []string{"2100/s"}, want: "1170.2ms", within: 0.03},
				},
			},
			{
				Scenario: "slow-recovery",
				Files:    []string{"scenario.yaml", "summary.csv", "timeline.csv", "arrivals.png"},
				Claims: []Claim{
					value{text: "Below the band a pause of 10 s is over (19 load - 300)/(300 - 2 load) s and a timeout later: 17 s at 100/s", metric: "recovery", variant: "base", at: "100/s", want: 17, within: 0.1},
					value{text: "34 s at 120/s", metric: "recovery", variant: "base", at: "120/s", want: 34, within: 0.1},
					value{text: "119 s at 140/s", metric: "recovery", variant: "base", at: "140/s", want: 119, within: 0.1},
				},
			},
		},
	}}
}
