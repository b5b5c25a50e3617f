package report

import (
	"fmt"
	"strings"

	"retrystorm/experiment"
)

// plotEffects shows how much each axis matters to the main metrics, as shares of
// the axis that matters most to the metric.
func plotEffects(r *experiment.Result) picture {
	several := len(variants(r)) > 1
	styles := Styles(variants(r))
	var rows []Dot
	lost, remark := "", ""
	// Of many axes those that matter most to each metric and variant.
	room := max(1, dotsMost/max(1, len(effectMetrics(r))*len(variants(r))))
	if room < len(r.Axes) {
		remark = fmt.Sprintf("the %d of %d axes that matter most", room, len(r.Axes))
	}
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
		mine := map[string]int{}
		for _, e := range list {
			if mine[e.Variant]++; mine[e.Variant] > room {
				continue
			}
			d := Dot{
				Group: h.title, Name: e.Axis, Style: styles[e.Variant], Text: HumanInterval(e.MuStar, e.Lo, e.Hi, HumanUnit(m)),
				Marks: []Mark{{Value: e.MuStar / most, Lo: max(0, e.Lo/most), Hi: e.Hi / most}},
			}
			if several {
				d.Name += ", " + humanName(e.Variant)
			}
			switch m := finiteSteps(r, e); {
			case e.Trajectories == 0:
				d.Text = remarkOn(r, e)
			case m != "":
				d.Name += ", " + m
				lost = lostSteps
			}
			if bends(e) != "" {
				d.Name += " *"
			}
			rows = append(rows, d)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return &Dots{
		Title:    effectsTitle(r),
		Subtitle: subtitle(r, "elementary effects after Morris", whiskerRemark(rows), bendsRemark(r), lost, remark),
		X:        Axis{Label: "mean change over the range of the axis, as a share of the largest", Unit: "%"},
		Rows:     rows,
		TextHead: "mean change",
	}
}

// bendsRemark explains the stars, if there are any.
func bendsRemark(r *experiment.Result) string {
	for _, h := range effectMetrics(r) {
		for _, e := range ranked(r, h.metric) {
			if bends(e) != "" {
				return "*: interacts with other axes, or bends"
			}
		}
	}
	return ""
}

// effectsTitle names the axis that matters most to the first metric, and says
// whether that is certain; to the others it names another that certainly does.
func effectsTitle(r *experiment.Result) string {
	h := effectMetrics(r)[0]
	list := ranked(r, h.metric)
	m := r.Metrics[metricIndex(r, h.metric)]
	first := list[0]
	if !(first.MuStar > 0) {
		return "How much the settings matter"
	}
	with := ""
	if len(variants(r)) > 1 {
		with = " with " + quoted(first.Variant)
	}
	others := rivals(r, list)
	if n := len(others); n > 0 {
		may := strings.Join(others, " or ")
		if n > mostNamed {
			may = "others"
		}
		size := HumanInterval(first.MuStar, first.Lo, first.Hi, HumanUnit(m))
		return fmt.Sprintf("%s seems to matter most%s: it changes %s by %s; but %s may matter as much", first.Axis, with, h.title, size, may)
	}
	title := fmt.Sprintf("%s matters most%s: it changes %s by %s", first.Axis, with, h.title, about(first.MuStar, HumanUnit(m)))
	for _, other := range effectMetrics(r)[1:] {
		list := ranked(r, other.metric)
		if top := list[0]; top.Axis != first.Axis && top.Trajectories > 0 && len(rivals(r, list)) == 0 {
			return title + "; for " + other.title + " it is " + top.Axis
		}
	}
	return title
}
