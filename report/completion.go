package report

import (
	"io/fs"

	"retrystorm/experiment"
)

// completionTable is the pooled distribution of the completion time of every
// point, unsuccessful requests as infinite.
func completionTable(r *experiment.Result) *table {
	return keyed(r, "completion", func(l *lines, p *experiment.Point) {
		for _, q := range p.Completion {
			l.row()
			l.number(q.Q, q.Seconds, q.Lo, q.Hi)
		}
	}, columnsOf(numeric,
		"quantile", "share of the requests started, all replications pooled",
		"seconds", "time within which that share succeeded; +Inf: never",
		"lo", "lower end of its 95 % interval, by sectioning over the replications",
		"hi", "upper end of its 95 % interval"))
}

func readCompletion(dir fs.FS, r *experiment.Result, points index) error {
	return readCSV(dir, completionTable(r), func(row *row) error {
		p, i, err := points.find(row, len(r.Axes))
		if err != nil {
			return err
		}
		p.Completion = append(p.Completion, experiment.Quantile{
			Q: row.number(i), Seconds: row.number(i + 1), Lo: row.number(i + 2), Hi: row.number(i + 3),
		})
		return nil
	})
}
