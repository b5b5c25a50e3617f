package report

import (
	"retrystorm/experiment"
)

// plotCalls shows the total calls: against the sweep, or one row per variant.
func plotCalls(r *experiment.Result) picture {
	i := metricIndex(r, "total_calls")
	if !known(r, i) {
		return nil
	}
	what := "calls reaching " + r.Target
	if scattered(r) {
		title := scatterTitle(r, i, func(least, most float64) string {
			return ranging(about(least, ""), about(most, "")) + " calls reach " + r.Target
		})
		if pic := scatterFigure(r, title, Axis{Label: what}, i); pic != nil {
			return pic
		}
	} else if a := numericAxis(r); a != nil {
		panels, remark := metricPanels(r, a, i)
		return metricFigure(r, a, callsTitle(r, i), remark, Axis{Label: what}, panels)
	}
	rows, remark := metricRows(r, func(o outcome) Dot {
		e := o.estimates[i]
		return Dot{Marks: []Mark{markOf(r.Metrics[i], e, false)}, Text: HumanInterval(e.Centre, e.Lo, e.Hi, "")}
	})
	return &Dots{
		Title:    callsTitle(r, i),
		Subtitle: subtitle(r, remark, whiskerRemark(rows)),
		X:        Axis{Label: what, Log: logDots(rows)},
		Rows:     rows,
	}
}
