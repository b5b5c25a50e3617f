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
			"capacity", "usable workers, mean over the row; empty when unlimited",
			"after_timeout_per_s", "retries per second after a timeout, by what happened to the attempt before",
			"after_refused_per_s", "retries per second after a refusal",
			"after_reset_per_s", "retries per second after a reset",
			"after_status_per_s", "retries per second after a 4xx or 5xx status",
			"after_rejected_per_s", "retries per second after the caller's own breaker or limiter stopped an attempt",
			"hedges_per_s", "calls per second sent while another attempt was in flight",
			"redeliveries_per_s", "calls per second delivered again by a queue")},
		{completionFile, describe(r,
			"quantile", "share of the requests started, all replications pooled",
			"seconds", "time within which that share succeeded; +Inf: never")},
		{hopsFile, describe(r,
			"from", "caller: a group of clients or a service",
			"to", "service called",
			"policy", "name of the caller's policy; empty when it has none",
			"layer", "place among several policies of one caller: 0 is the outermost",
			"inner", "1 when the attempts of this layer are the calls that are sent, 0 when they go to the layer below",
			"calls", "attempts sent, per replication",
			"amplification", "attempts per request started",
			"timeouts", "attempts that timed out",
			"refused", "attempts refused",
			"reset", "attempts whose connection was reset",
			"status", "attempts answered with a 4xx or 5xx status",
			"late", "answers that came after the caller had given up",
			"withheld", "attempts not made, for any reason")},
		{attributionFile, describe(r,
			"outcome", "how the replications ended that the row is about; empty when all ended alike",
			"from", "caller: a group of clients or a service",
			"to", "service called",
			"policy", "name of the caller's policy; empty when it has none",
			"layer", "place among several policies of one caller: 0 is the outermost",
			"inner", "1 when the attempts of this layer are the calls that are sent, 0 when they go to the layer below",
			"kind", "made: attempts sent, by cause; withheld: attempts that the policy did not make, by reason",
			"what", "cause: first, what happened to the attempt before, hedge or redelivery; or reason; what never happened has no row",
			"mean", "mean per replication",
			"lo", "lower end of the 95 % interval of the mean",
			"hi", "upper end of the 95 % interval of the mean")},
	}
	if split(r) {
		tables = append(tables, manifestTable{outcomesFile, describeOutcomes(r)})
	}
	if grouped(r) {
		tables = append(tables, manifestTable{groupsFile, describeGroups(r)})
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
	return describeEstimates(r.Metrics, describe(r, "replications", "number of replications summarised"))
}

func describeOutcomes(r *experiment.Result) []manifestColumn {
	return describeEstimates(r.Metrics, describe(r,
		"outcome", "how these replications ended",
		"replications", "how many ended so"))
}

func describeGroups(r *experiment.Result) []manifestColumn {
	return describeEstimates(r.GroupMetrics, describe(r,
		"group", "name of the group of clients",
		"outcome", "how the replications ended that the row is about; empty when all ended alike"))
}

func describeEstimates(metrics []experiment.Metric, out []manifestColumn) []manifestColumn {
	for _, m := range metrics {
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
