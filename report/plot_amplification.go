package report

import "retrystorm/experiment"

// plotAmplification shows the calls per request on every hop, the variants
// below each other.
func plotAmplification(r *experiment.Result) picture {
	sweep := severest(r)
	points := at(r, sweep)
	styles := Styles(variants(r))
	var hops [][2]string
	seen := map[[2]string]bool{}
	for _, p := range points {
		for _, h := range p.Hops {
			if k := [2]string{h.From, h.To}; !seen[k] {
				seen[k] = true
				hops = append(hops, k)
			}
		}
	}
	var rows []Dot
	for _, k := range hops {
		for _, p := range points {
			for _, h := range p.Hops {
				if k == [2]string{h.From, h.To} {
					rows = append(rows, hopRow(h, p, styles[p.Variant], len(hops) > 1))
				}
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	label := "attempts per request"
	if len(hops) == 1 {
		label += ", " + hops[0][0] + " → " + hops[0][1]
	}
	remark := ""
	if len(rows) > dotsMost {
		rows, remark = rows[:dotsMost], "first rows only"
	}
	return &Dots{
		Title:    amplificationTitle(points),
		Subtitle: subtitle(r, where(r, sweep), remark),
		X:        Axis{Label: label, Log: logDots(rows)},
		Rows:     rows,
	}
}

func hopRow(h experiment.Hop, p *experiment.Point, style Style, grouped bool) Dot {
	d := Dot{
		Name: humanName(p.Variant), Style: style,
		Marks: []Mark{{Value: h.Amplification, Lo: h.Amplification, Hi: h.Amplification}},
		Text:  Human(h.Amplification, ""),
	}
	if grouped {
		d.Group = h.From + " → " + h.To
	}
	return d
}
