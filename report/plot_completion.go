package report

import (
	"retrystorm/experiment"
)

// plotCompletion shows when half and 99 % of the requests are done.
func plotCompletion(r *experiment.Result) picture {
	half, most := metricIndex(r, "completion_p50"), metricIndex(r, "completion_p99")
	if !known(r, half) || !known(r, most) || immediate(r, half) && immediate(r, most) {
		return nil
	}
	title := completionTitle(r, most)
	if scattered(r) {
		title = scatterTitle(r, most, func(least, most float64) string {
			return "99 % are " + doneAfter(least) + " at best, " + after(most) + " at worst"
		})
		if pic := scatterFigure(r, title, Axis{Label: "time until 99 % are done", Unit: "s"}, most); pic != nil {
			return pic
		}
	} else if a := numericAxis(r); a != nil {
		panels, remark := metricPanels(r, a, most)
		label := "time until 99 % are done"
		if len(panels) == 1 {
			label = "time"
			panels[0].Title = "until 99 % are done"
			median, _ := metricPanels(r, a, half)
			median[0].Title = "until half are done"
			panels = append(median, panels...)
		}
		return metricFigure(r, a, title, remark, Axis{Label: label, Unit: "s"}, panels)
	}
	rows, remark := metricRows(r, func(o outcome) Dot {
		h, m := o.estimates[half], o.estimates[most]
		return Dot{
			Marks: []Mark{markOf(r.Metrics[half], h, true), markOf(r.Metrics[most], m, false)},
			Text:  lasting(h.Centre) + " | " + lasting(m.Centre),
		}
	})
	return &Dots{
		Title:    title,
		Subtitle: subtitle(r, remark, whiskerRemark(rows)),
		X:        Axis{Label: "time from request to success", Unit: "s", Log: logDots(rows)},
		Rows:     rows,
		TextHead: "half | 99 %",
		Keys:     []Key{{"half of the requests are done", true}, {"99 % are done", false}},
	}
}
