package report

import (
	"slices"
	"strconv"

	"retrystorm/experiment"
)

// plotAmplification shows the calls per request on every hop, the variants
// below each other.
func plotAmplification(r *experiment.Result) picture {
	sweep := severest(r)
	points := at(r, sweep)
	styles := Styles(variants(r))
	var hops []arrow
	layered := false
	for _, p := range points {
		for _, h := range p.Hops {
			if k := arrowOf(h); !slices.Contains(hops, k) {
				hops = append(hops, k)
			}
			layered = layered || h.Layer > 0
		}
	}
	var rows []Dot
	for _, k := range hops {
		for _, p := range points {
			for _, h := range p.Hops {
				if k == arrowOf(h) {
					row := hopRow(h, p, styles[p.Variant])
					if len(hops) > 1 {
						row.Group = k.name(layered)
					}
					rows = append(rows, row)
				}
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	label := "attempts per request"
	if len(hops) == 1 {
		label += ", " + hops[0].name(layered)
	}
	remark := ""
	if len(rows) > dotsMost {
		rows, remark = rows[:dotsMost], "first rows only"
	}
	return &Dots{
		Title:    amplificationTitle(points),
		Subtitle: subtitleAt(r, points, remark),
		X:        Axis{Label: label, Log: logDots(rows)},
		Rows:     rows,
	}
}

// arrow is a hop that variants have in common, whatever their policies.
type arrow struct {
	from, to string
	layer    int
}

func arrowOf(h experiment.Hop) arrow { return arrow{h.From, h.To, h.Layer} }

func (a arrow) name(layered bool) string {
	s := a.from + " → " + a.to
	if layered {
		s += ", layer " + strconv.Itoa(a.layer)
	}
	return s
}

func hopRow(h experiment.Hop, p *experiment.Point, style Style) Dot {
	return Dot{
		Name: humanName(p.Variant), Style: style,
		Marks: []Mark{{Value: h.Amplification, Lo: h.Amplification, Hi: h.Amplification}},
		Text:  Human(h.Amplification, ""),
	}
}
