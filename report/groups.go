package report

import (
	"io/fs"
	"slices"

	"retrystorm/experiment"
)

// groupsTable is what became of the requests of each group of clients, where a
// point has several.
func groupsTable(r *experiment.Result) *table {
	return keyed(r, "groups", func(l *lines, p *experiment.Point) {
		for i := range p.Groups {
			g := &p.Groups[i]
			l.row()
			l.text(g.Name, g.Outcome)
			l.estimates(r.GroupMetrics, g.Estimates)
		}
	}, columnsOf(words,
		"group", "name of the group of clients",
		"outcome", "how the replications ended that the row is about; empty when all ended alike",
	), estimateColumns(r.GroupMetrics))
}

func readGroups(dir fs.FS, r *experiment.Result, points index) error {
	return readCSV(dir, groupsTable(r), func(row *row) error {
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
