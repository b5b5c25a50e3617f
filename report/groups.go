package report

import (
	"io"
	"io/fs"
	"slices"

	"retrystorm/experiment"
)

// Groups writes groups.csv: what became of the requests of each group of
// clients, where a point has several.
func Groups(w io.Writer, r *experiment.Result) error {
	return writeCSV(w, groupsHeader(r), func(row func(...string)) {
		for i := range r.Points {
			p := &r.Points[i]
			for _, g := range p.Groups {
				row(key(r, p, append([]string{g.Name, g.Outcome}, estimateFields(r.GroupMetrics, g.Estimates)...)...)...)
			}
		}
	})
}

func groupsHeader(r *experiment.Result) []string {
	return append(keys(r, "group", "outcome"), estimateHeader(r.GroupMetrics)...)
}

func readGroups(dir fs.FS, r *experiment.Result, points index) error {
	return readCSV(dir, groupsFile, groupsHeader(r), func(row *row) error {
		p, i, err := points.find(row, len(r.Axes))
		if err != nil {
			return err
		}
		p.Groups = append(p.Groups, experiment.Group{
			Name: row.text(i), Outcome: row.text(i + 1), Estimates: readEstimates(r.GroupMetrics, row, i+2),
		})
		return nil
	})
}

// grouped reports whether any point has several groups of clients.
func grouped(r *experiment.Result) bool {
	return slices.ContainsFunc(r.Points, func(p experiment.Point) bool { return len(p.Groups) > 0 })
}
