package report

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"retrystorm/experiment"
)

// summaryTable has one row per point, with the centre and interval of every
// metric over the replications.
func summaryTable(r *experiment.Result) *table {
	return keyed(r, "summary", func(l *lines, p *experiment.Point) {
		l.row()
		l.whole(p.Replications)
		l.seconds(p.Warmup)
		l.flag(p.Imprecise)
		l.estimates(r.Metrics, p.Estimates)
	}, slices.Concat(
		columnsOf(whole64, "replications", "number of replications summarised"),
		columnsOf(numeric, "warmup_s", "warm-up that was cut off, in virtual seconds"),
		columnsOf(whole64, "imprecise", "1 when the replications came to their maximum before the metric was precise enough"),
		estimateColumns(r.Metrics)))
}

// errTwice is about a row that stands in the file already.
var errTwice = errors.New("the point is there twice")

func readSummary(dir fs.FS, r *experiment.Result, points index) error {
	return readCSV(dir, summaryTable(r), func(row *row) error {
		p, i, err := points.find(row, len(r.Axes))
		if err != nil {
			return err
		}
		if p.Estimates != nil {
			return errTwice
		}
		p.Replications = int(row.unsigned(i))
		if want := Number(p.Warmup.Seconds()); row.text(i+1) != want {
			return fmt.Errorf("warmup_s: %q; the manifest says %s", row.text(i+1), want)
		}
		p.Imprecise = row.unsigned(i+2) == 1
		p.Estimates = readEstimates(r.Metrics, row, i+3)
		return nil
	})
}

func readEstimates(metrics []experiment.Metric, row *row, i int) []experiment.Estimate {
	estimates := make([]experiment.Estimate, len(metrics))
	for j, m := range metrics {
		estimates[j] = experiment.Estimate{Centre: row.number(i), Lo: row.number(i + 1), Hi: row.number(i + 2)}
		i += 3
		if m.Infinite {
			estimates[j].InfShare = row.number(i)
			i++
		}
	}
	return estimates
}

// countValues restores how many runs had a value of each metric.
func countValues(p *experiment.Point) {
	for _, run := range p.Runs {
		for i, v := range run.Values {
			if !math.IsNaN(v) {
				p.Estimates[i].N++
			}
		}
	}
}
