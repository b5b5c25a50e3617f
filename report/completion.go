package report

import (
	"io"
	"io/fs"

	"retrystorm/experiment"
)

// Completion writes completion.csv: the pooled distribution of the completion
// time of every point, unsuccessful requests as +Inf.
func Completion(w io.Writer, r *experiment.Result) error {
	return writeCSV(w, completionHeader(r), func(row func(...string)) {
		for i := range r.Points {
			p := &r.Points[i]
			for _, q := range p.Completion {
				row(key(r, p, Number(q.Q), Number(q.Seconds))...)
			}
		}
	})
}

func completionHeader(r *experiment.Result) []string {
	return keys(r, "quantile", "seconds")
}

func readCompletion(dir fs.FS, r *experiment.Result, points index) error {
	return readCSV(dir, completionFile, completionHeader(r), func(row *row) error {
		p, i, err := points.find(row, len(r.Axes))
		if err != nil {
			return err
		}
		p.Completion = append(p.Completion, experiment.Quantile{Q: row.number(i), Seconds: row.number(i + 1)})
		return nil
	})
}
