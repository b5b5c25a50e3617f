package report

import (
	"io"
	"io/fs"

	"retrystorm/experiment"
)

// Hops writes hops.csv: what happened between each caller and service, means
// over the replications.
func Hops(w io.Writer, r *experiment.Result) error {
	return writeCSV(w, hopsHeader(r), func(row func(...string)) {
		for i := range r.Points {
			p := &r.Points[i]
			for _, h := range p.Hops {
				row(key(r, p, h.From, h.To, Number(h.Calls), Number(h.Amplification), Number(h.Timeouts),
					Number(h.Refused), Number(h.Reset), Number(h.Status), Number(h.Late))...)
			}
		}
	})
}

func hopsHeader(r *experiment.Result) []string {
	return keys(r, "from", "to", "calls", "amplification", "timeouts", "refused", "reset", "status", "late")
}

func readHops(dir fs.FS, r *experiment.Result, points index) error {
	return readCSV(dir, hopsFile, hopsHeader(r), func(row *row) error {
		p, i, err := points.find(row, len(r.Axes))
		if err != nil {
			return err
		}
		p.Hops = append(p.Hops, experiment.Hop{
			From: row.text(i), To: row.text(i + 1),
			Calls: row.number(i + 2), Amplification: row.number(i + 3), Timeouts: row.number(i + 4),
			Refused: row.number(i + 5), Reset: row.number(i + 6), Status: row.number(i + 7), Late: row.number(i + 8),
		})
		return nil
	})
}
