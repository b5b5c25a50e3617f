package report

import (
	"slices"

	"retrystorm/experiment"
)

// sensitivityTable says which axis matters how much.
func sensitivityTable(r *experiment.Result) *table {
	return &table{
		name: "sensitivity", scope: ofResult,
		columns: slices.Concat(
			columnsOf(words,
				"scenario", "name of the scenario",
				"variant", "name of the variant",
				"metric", "name of the metric, without its unit",
				"axis", "sweep axis"),
			columnsOf(numeric,
				"mu_star", "mean size of the elementary effects: the change of the metric over the whole range of the axis",
				"mu_star_lo", "lower end of its 95 % interval over the trajectories",
				"mu_star_hi", "upper end of its 95 % interval",
				"mu", "mean of the elementary effects",
				"sigma", "their deviation: large where the axis interacts with others or does not act in a line"),
			columnsOf(whole64, "trajectories", "how many gave a finite effect")),
		rows: func(l *lines, _ []*experiment.Point) {
			for i := range r.Sensitivity {
				e := &r.Sensitivity[i]
				l.text(r.Scenario, e.Variant, e.Metric, e.Axis)
				l.number(e.MuStar, e.Lo, e.Hi, e.Mu, e.Sigma)
				l.whole(e.Trajectories)
			}
		},
	}
}

// bisectTable says where the expectation of a bisection flips.
func bisectTable(r *experiment.Result) *table {
	columns := columnsOf(words, "scenario", "name of the scenario", "variant", "name of the variant")
	for _, axis := range unbisected(r) {
		columns = append(columns, tableColumn{name: axis, help: "sweep axis: value as written in the scenario"})
	}
	return &table{
		name: "bisect", scope: ofResult,
		columns: slices.Concat(columns,
			columnsOf(words,
				"axis", "sweep axis that was bisected",
				"low", "ruling at the lower end of the range",
				"high", "ruling at the upper end of the range; no crossing when it is the same",
				"from", "last value on the lower side of the crossing, as the means see it",
				"to", "first value on its upper side",
				"lo", "last value at which the ruling of the lower end is certain, at 95 %",
				"hi", "first value at which the ruling of the upper end is"),
			columnsOf(whole64, "evaluated", "how many values were tried")),
		rows: func(l *lines, _ []*experiment.Point) {
			for i := range r.Crossings {
				c := &r.Crossings[i]
				l.text(r.Scenario, c.Variant)
				l.text(c.Sweep...)
				l.text(c.Axis, string(c.Low), string(c.High), c.From, c.To, c.Lo, c.Hi)
				l.whole(c.Evaluated)
			}
		},
	}
}

// unbisected are those that were not bisected.
func unbisected(r *experiment.Result) []string {
	return slices.DeleteFunc(slices.Clone(r.Axes), func(axis string) bool { return axis == r.Crossings[0].Axis })
}
