package report

import (
	"fmt"
	"io/fs"
	"slices"

	"retrystorm/experiment"
)

// outcome is a point, or the part of its replications that ended the same
// way. Where some replications recover and others never do, a mean over both
// describes neither, so reports show the two side by side.
type outcome struct {
	point     *experiment.Point
	estimates []experiment.Estimate
	share     string // "7 of 20"; empty when all ended alike
	ending    string // "locked in"
}

// outcomes are those of a point, the more frequent first.
func outcomes(p *experiment.Point) []outcome {
	if len(p.Outcomes) == 0 {
		return []outcome{{point: p, estimates: p.Estimates}}
	}
	sorted := slices.Clone(p.Outcomes)
	slices.SortStableFunc(sorted, func(a, b experiment.Outcome) int { return b.Replications - a.Replications })
	var out []outcome
	for _, o := range sorted {
		out = append(out, outcome{p, o.Estimates, fmt.Sprintf("%d of %d", o.Replications, replications(p)), o.Name})
	}
	return out
}

// replications is how many runs a point had, whether it still has them or not.
func replications(p *experiment.Point) int { return max(p.Replications, len(p.Runs)) }

// suffix is what follows a variant's name: " (7 of 20 locked in)".
func (o outcome) suffix() string {
	if o.share == "" {
		return ""
	}
	return " (" + o.share + " " + o.ending + ")"
}

// split reports whether the replications of any point ended in two ways.
func split(r *experiment.Result) bool {
	return slices.ContainsFunc(r.Points, func(p experiment.Point) bool { return len(p.Outcomes) > 0 })
}

// outcomesTable is the summary of each group of replications that ended the
// same way, where a point has two.
func outcomesTable(r *experiment.Result) *table {
	return keyed(r, "outcomes", func(l *lines, p *experiment.Point) {
		for i := range p.Outcomes {
			o := &p.Outcomes[i]
			l.row()
			l.text(o.Name)
			l.whole(o.Replications)
			l.estimates(r.Metrics, o.Estimates)
		}
	},
		columnsOf(words, "outcome", "how these replications ended"),
		columnsOf(whole64, "replications", "how many ended so"),
		estimateColumns(r.Metrics))
}

func readOutcomes(dir fs.FS, r *experiment.Result, points index) error {
	return readCSV(dir, outcomesTable(r), func(row *row) error {
		p, i, err := points.find(row, len(r.Axes))
		if err != nil {
			return err
		}
		p.Outcomes = append(p.Outcomes, experiment.Outcome{
			Name:         row.text(i),
			Replications: int(row.unsigned(i + 1)),
			Estimates:    readEstimates(r.Metrics, row, i+2),
		})
		return nil
	})
}

// metricIndex is the place of a metric by name, -1 when the result has none.
func metricIndex(r *experiment.Result, name string) int {
	return slices.IndexFunc(r.Metrics, func(m experiment.Metric) bool { return m.Name == name })
}
