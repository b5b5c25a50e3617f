package report

import (
	"io"
	"io/fs"
	"strconv"

	"retrystorm/experiment"
)

// Summary writes summary.csv: one row per point, with the centre and interval
// of every metric over the replications.
func Summary(w io.Writer, r *experiment.Result) error {
	return writeCSV(w, summaryHeader(r), func(row func(...string)) {
		for i := range r.Points {
			p := &r.Points[i]
			fields := key(r, p, strconv.Itoa(len(p.Runs)))
			for j, m := range r.Metrics {
				e := p.Estimates[j]
				fields = append(fields, Number(e.Centre), Number(e.Lo), Number(e.Hi))
				if m.Infinite {
					fields = append(fields, Number(e.InfShare))
				}
			}
			row(fields...)
		}
	})
}

func summaryHeader(r *experiment.Result) []string {
	header := keys(r, "replications")
	for _, m := range r.Metrics {
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

func readSummary(dir fs.FS, r *experiment.Result, points index) error {
	return readCSV(dir, summaryFile, summaryHeader(r), func(row *row) error {
		p, i, err := points.find(row, len(r.Axes))
		if err != nil {
			return err
		}
		i++ // replications: as many as there are runs
		for _, m := range r.Metrics {
			e := experiment.Estimate{Centre: row.number(i), Lo: row.number(i + 1), Hi: row.number(i + 2)}
			i += 3
			if m.Infinite {
				e.InfShare = row.number(i)
				i++
			}
			p.Estimates = append(p.Estimates, e)
		}
		return nil
	})
}
