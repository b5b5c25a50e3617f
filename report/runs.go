package report

import (
	"fmt"
	"io/fs"

	"retrystorm/experiment"
)

// runsTable has one row per point and replication, with every metric.
func runsTable(r *experiment.Result) *table {
	metrics := []tableColumn{}
	for _, m := range r.Metrics {
		metrics = append(metrics, tableColumn{name: m.Column, help: m.Help, kind: numeric})
	}
	return keyed(r, "runs", func(l *lines, p *experiment.Point) {
		for k := range p.Runs {
			l.row()
			l.whole(k + 1)
			l.unsigned(p.Runs[k].Seed)
			l.number(p.Runs[k].Values...)
		}
	},
		columnsOf(whole64, "replication", "number of the replication, from 1"),
		columnsOf(unsigned, "seed", "seed of the replication, the same for all variants"),
		metrics)
}

func readRuns(dir fs.FS, r *experiment.Result, points index) error {
	return readCSV(dir, runsTable(r), func(row *row) error {
		p, i, err := points.find(row, len(r.Axes))
		if err != nil {
			return err
		}
		if want := uint64(len(p.Runs) + 1); row.unsigned(i) != want {
			return fmt.Errorf("replication: %q; expected %d", row.text(i), want)
		}
		run := experiment.Run{Seed: row.unsigned(i + 1), Values: make([]float64, len(r.Metrics))}
		for j := range run.Values {
			run.Values[j] = row.number(i + 2 + j)
		}
		p.Runs = append(p.Runs, run)
		return nil
	})
}
