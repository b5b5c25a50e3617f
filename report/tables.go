package report

import (
	"slices"

	"retrystorm/experiment"
)

// scope is what a table has rows of.
type scope int

const (
	ofPoints scope = iota // each point
	ofPlaces              // all points at one place of the sweep
	ofResult              // the result as such
)

// table describes one table of a result. The CSV file, the Parquet file, the
// manifest's description of the columns, and the check of the header when it is
// read are all made of it.
type table struct {
	name    string
	columns []tableColumn
	scope   scope
	// rows adds what the table has of some points: one, those at a place, or
	// none, as the scope says.
	rows func(l *lines, points []*experiment.Point)
}

// tableColumn is a column of a table. Its kind depends on the scenario only,
// never on the data.
type tableColumn struct {
	name, help string
	kind       kind
	typed      bool // not in the CSV file, where the text of the value says it
}

func (t *table) csvFile() string { return t.name + ".csv" }

// header is the first line of the CSV file.
func (t *table) header() []string {
	var names []string
	for _, c := range t.columns {
		if !c.typed {
			names = append(names, c.name)
		}
	}
	return names
}

// tables are all tables that a result has.
func tables(r *experiment.Result) []*table {
	list := []*table{
		summaryTable(r), runsTable(r), timelineTable(r), completionTable(r), hopsTable(r), attributionTable(r),
	}
	if split(r) {
		list = append(list, outcomesTable(r))
	}
	if grouped(r) {
		list = append(list, groupsTable(r))
	}
	if len(r.QueueMetrics) > 0 {
		list = append(list, queuesTable(r))
	}
	if knows(r, "dead_letters") {
		list = append(list, deadTable(r))
	}
	if knows(r, "duplicates") {
		list = append(list, duplicatesTable(r))
	}
	if attempted(r) {
		list = append(list, attemptsTable(r))
	}
	if names := variants(r); len(names) > 1 {
		if slices.Contains(names, reference(r)) {
			list = append(list, comparisonsTable(r))
		}
		list = append(list, tradeoffTable(r))
	}
	if len(r.Sensitivity) > 0 {
		list = append(list, sensitivityTable(r))
	}
	if len(r.Crossings) > 0 {
		list = append(list, bisectTable(r))
	}
	return list
}

// tableNames are those of all tables that there can be.
func tableNames() []string {
	return []string{
		"summary", "runs", "timeline", "completion", "hops", "attribution", "outcomes", "groups", "queues", "dead_letters", "duplicates", "attempts",
		"comparisons", "tradeoff", "sensitivity", "bisect",
	}
}

// keyed is a table whose rows begin with the names of a point.
func keyed(r *experiment.Result, name string, rows func(l *lines, p *experiment.Point), columns ...[]tableColumn) *table {
	return &table{
		name: name, columns: slices.Concat(append([][]tableColumn{pointColumns(r)}, columns...)...),
		rows: func(l *lines, points []*experiment.Point) {
			for _, p := range points {
				l.of(r, p)
				rows(l, p)
			}
		},
	}
}

// pointColumns name a point; numbers follow for programs that cannot read 10ms.
func pointColumns(r *experiment.Result) []tableColumn {
	columns := columnsOf(words, "scenario", "name of the scenario", "variant", "name of the variant")
	for _, axis := range r.Axes {
		columns = append(columns, tableColumn{name: axis, help: "sweep axis: value as written in the scenario", kind: words})
	}
	for _, axis := range r.Axes {
		columns = append(columns, tableColumn{
			name: axis + "_value", kind: numeric, typed: true,
			help: "the value as a number, in s, per s or plain; empty when it is none",
		})
	}
	return columns
}

// columnsOf makes columns of one kind of name-help pairs.
func columnsOf(k kind, pairs ...string) []tableColumn {
	var out []tableColumn
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, tableColumn{name: pairs[i], help: pairs[i+1], kind: k})
	}
	return out
}

// edgeColumns are from, to, policy, layer and inner.
func edgeColumns() []tableColumn {
	return slices.Concat(
		columnsOf(words,
			"from", "caller: a group of clients or a service",
			"to", "service called",
			"policy", "name of the caller's policy; empty when it has none"),
		columnsOf(whole64,
			"layer", "place among several policies of one caller: 0 is the outermost",
			"inner", "1 when the attempts of this layer are the calls that are sent, 0 when they go to the layer below"))
}

// estimateColumns are those of metrics: never a mean where one of the values can
// be infinite.
func estimateColumns(metrics []experiment.Metric) []tableColumn {
	var out []tableColumn
	for _, m := range metrics {
		help := []string{"mean: ", "lower end of the 95 % interval: ", "upper end of the 95 % interval: ", "share of infinite values: "}
		switch {
		case m.Infinite:
			help[0] = "median: "
		case m.Quantile > 0:
			help[0] = "over all replications pooled, or the median over those that ended alike: "
		}
		for i, c := range summaryColumns(m) {
			out = append(out, tableColumn{name: c, help: help[i] + m.Help, kind: numeric})
		}
	}
	return out
}

// summaryColumns name the columns of one metric.
func summaryColumns(m experiment.Metric) []string {
	c := m.Column
	if m.Infinite {
		return []string{c + "_median", c + "_lo", c + "_hi", c + "_inf_share"}
	}
	if m.Quantile > 0 {
		return []string{c + "_pooled", c + "_lo", c + "_hi"}
	}
	return []string{c + "_mean", c + "_lo", c + "_hi"}
}

func (l *lines) estimates(metrics []experiment.Metric, estimates []experiment.Estimate) {
	for i := range metrics {
		e := &estimates[i]
		l.number(e.Centre, e.Lo, e.Hi)
		if metrics[i].Infinite {
			l.number(e.InfShare)
		}
	}
}

func (l *lines) edge(e *experiment.Edge) {
	l.text(e.From, e.To, e.Policy)
	l.whole(e.Layer)
	l.flag(e.Inner)
}
