package report

import (
	"fmt"
	"io/fs"
	"slices"

	"retrystorm/experiment"
	"retrystorm/sim"
)

// knows reports whether a result has a metric.
func knows(r *experiment.Result, metric string) bool { return metricIndex(r, metric) >= 0 }

func outcomeColumn() []tableColumn {
	return columnsOf(words, "outcome", "how the replications ended that the row is about; empty when all ended alike")
}

func meanColumns() []tableColumn {
	return columnsOf(numeric,
		"mean", "mean per replication",
		"lo", "lower end of the 95 % interval of the mean",
		"hi", "upper end of the 95 % interval of the mean")
}

// duplicatesTable says what made services do work again that they had done.
func duplicatesTable(r *experiment.Result) *table {
	return keyed(r, "duplicates", func(l *lines, p *experiment.Point) {
		for i := range p.Duplicates {
			t := &p.Duplicates[i]
			l.row()
			l.text(t.Outcome, t.Place, t.What)
			l.number(t.Estimate.Centre, t.Estimate.Lo, t.Estimate.Hi)
		}
	}, outcomeColumn(), columnsOf(words,
		"service", "service that did the work again",
		"cause", "why the call was made that did it again: what happened to the attempt before, hedge, redelivery, redrive, resend or rerun; what never happened has no row",
	), meanColumns())
}

func readDuplicates(dir fs.FS, r *experiment.Result, points index) error {
	return readCSV(dir, duplicatesTable(r), func(row *row) error {
		p, i, err := points.find(row, len(r.Axes))
		if err != nil {
			return err
		}
		t := experiment.Tally{Outcome: row.text(i), Place: row.text(i + 1), What: row.text(i + 2), Estimate: readMean(row, i+3)}
		if !slices.Contains(causeNames(), t.What) {
			return fmt.Errorf("cause: %q is none that this program knows", t.What)
		}
		p.Duplicates = append(p.Duplicates, t)
		return nil
	})
}

// deadTable summarises dead letters by queue and reason.
func deadTable(r *experiment.Result) *table {
	return keyed(r, "dead_letters", func(l *lines, p *experiment.Point) {
		for i := range p.DeadReasons {
			t := &p.DeadReasons[i]
			l.row()
			l.text(t.Outcome, t.Place, t.What, t.Why)
			l.number(t.Estimate.Centre, t.Estimate.Lo, t.Estimate.Hi)
		}
	}, outcomeColumn(), columnsOf(words,
		"queue", "dead-letter queue",
		"reason", "what the last attempt came to: timeout, refused, reset, rejected or a status",
		"gave_up", "why it was the last; what never happened has no row",
	), meanColumns())
}

func readDead(dir fs.FS, r *experiment.Result, points index) error {
	return readCSV(dir, deadTable(r), func(row *row) error {
		p, i, err := points.find(row, len(r.Axes))
		if err != nil {
			return err
		}
		p.DeadReasons = append(p.DeadReasons, experiment.Tally{
			Outcome: row.text(i), Place: row.text(i + 1), What: row.text(i + 2), Why: row.text(i + 3), Estimate: readMean(row, i+4),
		})
		return nil
	})
}

func readMean(row *row, i int) experiment.Estimate {
	return experiment.Estimate{Centre: row.finite(i), Lo: row.number(i + 1), Hi: row.number(i + 2)}
}

// queuesTable is what became of the messages of each queue.
func queuesTable(r *experiment.Result) *table {
	return keyed(r, "queues", func(l *lines, p *experiment.Point) {
		for i := range p.Queues {
			q := &p.Queues[i]
			l.row()
			l.text(q.Name, q.Outcome)
			l.estimates(r.QueueMetrics, q.Estimates)
		}
	}, columnsOf(words, "queue", "name of the queue"), outcomeColumn(), estimateColumns(r.QueueMetrics))
}

func readQueues(dir fs.FS, r *experiment.Result, points index) error {
	return readCSV(dir, queuesTable(r), func(row *row) error {
		p, i, err := points.find(row, len(r.Axes))
		if err != nil {
			return err
		}
		p.Queues = append(p.Queues, experiment.Group{
			Name: row.text(i), Outcome: row.text(i + 1), Estimates: readEstimates(r.QueueMetrics, row, i+2),
		})
		return nil
	})
}

// queueNames are the queues of a point, in order.
func queueNames(p *experiment.Point) []string {
	var names []string
	for i := range p.Queues {
		if n := p.Queues[i].Name; !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// tallyOf are counts by what they are about, summed over places; where
// replications split, each ending with its share.
func tallyOf(p *experiment.Point, list []experiment.Tally, outcome string) map[string]float64 {
	out := map[string]float64{}
	for i := range list {
		t := &list[i]
		share := 1.0
		if outcome == "" {
			share = shareOf(p, t.Outcome)
		} else if t.Outcome != outcome {
			continue
		}
		out[t.What] += float64(share * Rounded(t.Estimate.Centre))
	}
	return out
}

// duplicateSection says by what work was done again.
func duplicateSection(r *experiment.Result) *section {
	if !knows(r, "duplicates") {
		return nil
	}
	return tallySection(r, "effects that services had had before, by what made the call, per run", "duplicates.csv",
		func(p *experiment.Point) []experiment.Tally { return p.Duplicates }, func(name string) string {
			return shortCause(sim.Cause(slices.Index(causeNames(), name)))
		})
}

// deadSection says why messages came to dead-letter queues.
func deadSection(r *experiment.Result) *section {
	if !knows(r, "dead_letters") {
		return nil
	}
	return tallySection(r, "messages that came to dead-letter queues, by what the last attempt came to, per run", "dead_letters.csv",
		func(p *experiment.Point) []experiment.Tally { return p.DeadReasons }, func(name string) string { return name })
}

// tallySection is a row per variant and a column per kind of what was counted,
// at the severest sweep values; nil if nothing was.
func tallySection(r *experiment.Result, title, file string, of func(*experiment.Point) []experiment.Tally, heading func(string) string) *section {
	points := at(r, severest(r))
	var kinds, places []string
	for _, p := range points {
		for _, t := range of(p) {
			kinds, places = addNew(kinds, t.What), addNew(places, t.Place)
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	columns := []column{{title: "variant", left: true}, {title: "all", rank: 1}}
	for i, k := range kinds {
		columns = append(columns, column{title: heading(k), rank: 2 + i})
	}
	for _, p := range points {
		for _, o := range outcomes(p) {
			counts, sum := tallyOf(p, of(p), o.ending), 0.0
			columns[0].add(p.Variant+o.suffix(), "")
			for i, k := range kinds {
				columns[2+i].add(perRun(Rounded(counts[k])), "")
				sum += counts[k]
			}
			columns[1].add(perRun(Rounded(sum)), "")
		}
	}
	s := &section{title: title + whereShown(r), columns: columns}
	if len(kinds) == 1 {
		s.columns = slices.Delete(columns, 1, 2)
	}
	if len(places) > 1 {
		s.lines = append(s.lines, "at "+listed(places)+" together: "+file+" has each")
	}
	s.cutRows()
	return s
}

func addNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

func queueHeads() []head {
	return []head{
		{"messages", "messages", 1},
		{"deliveries", "delivered", 5},
		{"done", "done", 2},
		{"dead_letters", "dead letters", 3},
		{"lost", "lost", 7},
		{"taken", "redriven", 9},
		{"left", "left", 4},
		{"oldest", "oldest", 8},
		{"message_delay_p99", "99 % done in", 6},
	}
}

// queueSection says what became of the messages of each queue.
func queueSection(r *experiment.Result) *section {
	variant, queue := column{title: "variant", left: true}, column{title: "queue", left: true}
	var rows []outcome
	for _, p := range at(r, severest(r)) {
		for _, o := range outcomes(p) {
			for _, q := range p.Queues {
				if q.Outcome == o.ending {
					variant.add(p.Variant+o.suffix(), "")
					queue.add(q.Name, "")
					rows = append(rows, outcome{point: p, estimates: q.Estimates})
				}
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	s := &section{title: "queues, messages per run" + whereShown(r), columns: []column{variant, queue}}
	for _, h := range queueHeads() {
		i := slices.IndexFunc(r.QueueMetrics, func(m experiment.Metric) bool { return m.Name == h.metric })
		if i < 0 {
			continue
		}
		c := metricColumn(h, r.QueueMetrics[i], rows, i)
		if slices.ContainsFunc(c.values, func(v string) bool { return v != "0" && v != "-" }) {
			s.columns = append(s.columns, c)
		}
	}
	s.cutRows()
	return s
}
