package report

import (
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"retrystorm/experiment"
)

// Runs writes runs.csv: one row per point and replication, with every metric.
func Runs(w io.Writer, r *experiment.Result) error {
	return writeCSV(w, runsHeader(r), func(row func(...string)) {
		for i := range r.Points {
			p := &r.Points[i]
			for k, run := range p.Runs {
				fields := key(r, p, strconv.Itoa(k+1), strconv.FormatUint(run.Seed, 10))
				for _, v := range run.Values {
					fields = append(fields, Number(v))
				}
				row(fields...)
			}
		}
	})
}

func runsHeader(r *experiment.Result) []string {
	header := keys(r, "replication", "seed")
	for _, m := range r.Metrics {
		header = append(header, m.Column)
	}
	return header
}

func readRuns(dir fs.FS, r *experiment.Result, points index) error {
	return readCSV(dir, runsFile, runsHeader(r), func(row *row) error {
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
