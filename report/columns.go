package report

import "retrystorm/experiment"

// describeColumns says what every column of every CSV file means.
func describeColumns(r *experiment.Result) []manifestTable {
	tables := []manifestTable{
		{summaryFile, describeSummary(r)},
		{runsFile, describeRuns(r)},
		{timelineFile, describe(r,
			"service", "name of the service",
			"t_s", "start of the row in virtual seconds",
			"arrivals_per_s", "calls reaching the service per second",
			"retries_per_s", "of them retries, hedges and redeliveries",
			"goodput_per_s", "successful answers per second",
			"failures_per_s", "other answers per second, and calls that got none",
			"in_service", "calls in service, mean over the row",
			"waiting", "calls waiting, mean over the row",
			"capacity", "usable workers, mean over the row; empty when unlimited")},
		{completionFile, describe(r,
			"quantile", "share of the requests started, all replications pooled",
			"seconds", "time within which that share succeeded; +Inf: never")},
		{hopsFile, describe(r,
			"from", "caller",
			"to", "service called",
			"calls", "attempts sent, per replication",
			"amplification", "attempts per request started",
			"timeouts", "attempts that timed out",
			"refused", "attempts refused",
			"reset", "attempts whose connection was reset",
			"status", "attempts answered with a 4xx or 5xx status",
			"late", "answers that came after the caller had given up")},
	}
	if split(r) {
		tables = append(tables, manifestTable{outcomesFile, describeOutcomes(r)})
	}
	return tables
}

// describe adds name-help pairs to the columns that name a point.
func describe(r *experiment.Result, pairs ...string) []manifestColumn {
	out := []manifestColumn{
		{"scenario", "name of the scenario"},
		{"variant", "name of the variant"},
	}
	for _, axis := range r.Axes {
		out = append(out, manifestColumn{axis, "sweep axis: value as written in the scenario"})
	}
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, manifestColumn{pairs[i], pairs[i+1]})
	}
	return out
}

func describeSummary(r *experiment.Result) []manifestColumn {
	return describeEstimates(r, describe(r, "replications", "number of replications summarised"))
}

func describeOutcomes(r *experiment.Result) []manifestColumn {
	return describeEstimates(r, describe(r,
		"outcome", "how these replications ended",
		"replications", "how many ended so"))
}

func describeEstimates(r *experiment.Result, out []manifestColumn) []manifestColumn {
	for _, m := range r.Metrics {
		help := []string{"mean: ", "lower end of the 95 % interval: ", "upper end of the 95 % interval: ", "share of infinite values: "}
		if m.Infinite {
			help[0] = "median: "
		}
		for i, c := range summaryColumns(m) {
			out = append(out, manifestColumn{c, help[i] + m.Help})
		}
	}
	return out
}

func describeRuns(r *experiment.Result) []manifestColumn {
	out := describe(r,
		"replication", "number of the replication, from 1",
		"seed", "seed of the replication, the same for all variants")
	for _, m := range r.Metrics {
		out = append(out, manifestColumn{m.Column, m.Help})
	}
	return out
}
