package report

import (
	"fmt"

	"retrystorm/experiment"
)

// plotEffects shows how much each axis matters to the main metrics, as shares of
// the axis that matters most to the metric.
func plotEffects(r *experiment.Result) picture {
	several := len(variants(r)) > 1
	styles := Styles(variants(r))
	var rows []Dot
	for _, h := range effectMetrics(r) {
		m := r.Metrics[metricIndex(r, h.metric)]
		list := ranked(r, h.metric)
		most := 0.0
		for _, e := range list {
			if e.Trajectories > 0 {
				most = max(most, Rounded(e.MuStar))
			}
		}
		if most == 0 {
			continue
		}
		for _, e := range list {
			d := Dot{
				Group: h.title, Name: e.Axis, Style: styles[e.Variant], Text: HumanInterval(e.MuStar, e.Lo, e.Hi, humanUnit(m)),
				Marks: []Mark{{Value: e.MuStar / most, Lo: max(0, e.Lo/most), Hi: e.Hi / most}},
			}
			if several {
				d.Name += ", " + humanName(e.Variant)
			}
			switch {
			case e.Trajectories == 0:
				d.Text = bends(e)
			case bends(e) != "":
				d.Name += " *"
			}
			rows = append(rows, d)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	remark := ""
	if len(rows) > dotsMost {
		rows, remark = rows[:dotsMost], "first rows only"
	}
	return &Dots{
		Title:    effectsTitle(r),
		Subtitle: subtitle(r, "elementary effects after Morris", whiskerRemark(rows), bendsRemark(r), remark),
		X:        Axis{Label: "mean change over the range of the axis, as a share of the largest", Unit: "%"},
		Rows:     rows,
		TextHead: "mean change",
	}
}

// bendsRemark explains the stars, if there are any.
func bendsRemark(r *experiment.Result) string {
	for _, h := range effectMetrics(r) {
		for _, e := range ranked(r, h.metric) {
			if e.Trajectories > 0 && bends(e) != "" {
				return "*: interacts with other axes, or bends"
			}
		}
	}
	return ""
}

// effectsTitle names the axis that matters most to the first metric, if that is
// certain, and to the others where it is another.
func effectsTitle(r *experiment.Result) string {
	h := effectMetrics(r)[0]
	list := ranked(r, h.metric)
	m := r.Metrics[metricIndex(r, h.metric)]
	first := list[0]
	size := "by " + about(first.MuStar, humanUnit(m))
	for _, e := range list[1:] {
		if e.Variant == first.Variant && !(e.Hi < first.Lo) && e.Trajectories > 0 {
			return fmt.Sprintf("%s and %s matter most: they change %s %s and by %s", first.Axis, e.Axis, h.title, size, about(e.MuStar, humanUnit(m)))
		}
	}
	title := fmt.Sprintf("%s matters most: it changes %s %s", first.Axis, h.title, size)
	for _, other := range effectMetrics(r)[1:] {
		if top := ranked(r, other.metric)[0]; top.Axis != first.Axis && top.Trajectories > 0 {
			return title + "; for " + other.title + " it is " + top.Axis
		}
	}
	return title
}
