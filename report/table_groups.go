package report

import (
	"slices"

	"retrystorm/experiment"
)

func groupHeads() []head {
	return []head{
		{"requests", "requests", 4},
		{"goodput", "goodput", 3},
		{"completion_p50", "half done", 5},
		{"completion_p99", "99 % done", 1},
		{"failed_share", "failed", 2},
		{"withheld", "withheld", 6},
	}
}

// groupSection is what became of each group of clients at the severest sweep
// values, where there are several.
func groupSection(r *experiment.Result) *section {
	variant, group := column{title: "variant", left: true}, column{title: "group", left: true}
	var rows []outcome
	for _, pt := range at(r, severest(r)) {
		for _, o := range outcomes(pt) {
			for _, g := range pt.Groups {
				if g.Outcome == o.ending {
					variant.add(pt.Variant+o.suffix(), "")
					group.add(g.Name, "")
					rows = append(rows, outcome{point: pt, estimates: g.Estimates})
				}
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	s := &section{title: "groups of clients" + whereShown(r), columns: []column{variant, group}}
	for _, h := range groupHeads() {
		i := slices.IndexFunc(r.GroupMetrics, func(m experiment.Metric) bool { return m.Name == h.metric })
		if i >= 0 {
			s.columns = append(s.columns, metricColumn(h, r.GroupMetrics[i], rows, i))
		}
	}
	s.cutRows()
	return s
}

// whereShown is the severest sweep values as the end of a heading.
func whereShown(r *experiment.Result) string {
	if s := where(r, severest(r)); s != "" {
		return " " + s
	}
	return ""
}
