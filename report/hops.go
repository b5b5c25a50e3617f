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
				row(key(r, p, append(edgeFields(h.Edge), Number(h.Calls), Number(h.Amplification), Number(h.Timeouts),
					Number(h.Refused), Number(h.Reset), Number(h.Status), Number(h.Late), Number(h.Withheld))...)...)
			}
		}
	})
}

func hopsHeader(r *experiment.Result) []string {
	return keys(r, "from", "to", "policy", "layer", "inner",
		"calls", "amplification", "timeouts", "refused", "reset", "status", "late", "withheld")
}

func readHops(dir fs.FS, r *experiment.Result, points index) error {
	return readCSV(dir, hopsFile, hopsHeader(r), func(row *row) error {
		p, i, err := points.find(row, len(r.Axes))
		if err != nil {
			return err
		}
		h := experiment.Hop{Edge: readEdge(row, i)}
		for k, field := range []*float64{
			&h.Calls, &h.Amplification, &h.Timeouts, &h.Refused, &h.Reset, &h.Status, &h.Late, &h.Withheld,
		} {
			*field = row.number(i + 5 + k)
		}
		p.Hops = append(p.Hops, h)
		return nil
	})
}
