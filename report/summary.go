package report

import (
	"io"
	"io/fs"
	"math"
	"strconv"

	"retrystorm/experiment"
)

// Summary writes summary.csv: one row per point, with the centre and interval
// of every metric over the replications.
func Summary(w io.Writer, r *experiment.Result) error {
	return writeCSV(w, summaryHeader(r), func(row func(...string)) {
		for i := range r.Points {
			p := &r.Points[i]
			row(key(r, p, append([]string{strconv.Itoa(len(p.Runs))}, estimateFields(r.Metrics, p.Estimates)...)...)...)
		}
	})
}

func summaryHeader(r *experiment.Result) []string {
	return append(keys(r, "replications"), estimateHeader(r.Metrics)...)
}

func readSummary(dir fs.FS, r *experiment.Result, points index) error {
	return readCSV(dir, summaryFile, summaryHeader(r), func(row *row) error {
		p, i, err := points.find(row, len(r.Axes))
		if err != nil {
			return err
		}
		if p.Estimates != nil {
			return errTwice
		}
		p.Estimates = readEstimates(r.Metrics, row, i+1)
		return nil
	})
}

// estimateHeader are the columns of metrics.
func estimateHeader(metrics []experiment.Metric) []string {
	var header []string
	for _, m := range metrics {
		header = append(header, summaryColumns(m)...)
	}
	return header
}

// summaryColumns are the columns of one metric: never a mean where one of the
// values can be infinite.
func summaryColumns(m experiment.Metric) []string {
	c := m.Column
	if m.Infinite {
		return []string{c + "_median", c + "_lo", c + "_hi", c + "_inf_share"}
	}
	return []string{c + "_mean", c + "_lo", c + "_hi"}
}

func estimateFields(metrics []experiment.Metric, estimates []experiment.Estimate) []string {
	var fields []string
	for i, m := range metrics {
		e := estimates[i]
		fields = append(fields, Number(e.Centre), Number(e.Lo), Number(e.Hi))
		if m.Infinite {
			fields = append(fields, Number(e.InfShare))
		}
	}
	return fields
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
