package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"retrystorm/experiment"
)

// plotAmplification shows how many calls a request becomes: at the target, and on
// the hops on the way there, the variants below each other.
func plotAmplification(r *experiment.Result) picture {
	all := at(r, severest(r))
	title := amplificationTitle(r)
	hops, layered, cut := mostAmplified(all, dotsMost/2)
	groups := len(hops)
	whole := metricIndex(r, "amplification")
	ways := slices.DeleteFunc(slices.Clone(hops), func(k arrow) bool { return k.to != r.Target })
	if len(ways) < 2 {
		whole = -1 // the only hop that leads there says it
	}
	if whole >= 0 {
		groups++
	}
	points, remark := fewerPoints(all, title, dotsMost/max(1, groups))
	styles := Styles(variants(r))
	var rows []Dot
	if whole >= 0 {
		for _, p := range points {
			if e := p.Estimates[whole]; !math.IsNaN(e.Centre) {
				rows = append(rows, Dot{
					Group: "All calls to " + r.Target, Name: humanName(p.Variant), Style: styles[p.Variant],
					Marks: []Mark{markOf(r.Metrics[whole], e, false)}, Text: Human(e.Centre, ""),
				})
			}
		}
	}
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
	if len(hops) == 0 {
		return nil
	}
	label := "attempts per request"
	if len(hops) == 1 {
		label += ", " + hops[0].name(layered)
	}
	return &Dots{
		Title:    title,
		Subtitle: subtitleAt(r, points, whiskerRemark(rows), cut, remark),
		X:        Axis{Label: label, Log: logDots(rows)},
		Rows:     rows,
	}
}

// mostAmplified are the hops of all points in order, and of very many the n on
// which a request makes most attempts; the remark says so.
func mostAmplified(points []*experiment.Point, n int) (hops []arrow, layered bool, remark string) {
	high := map[arrow]float64{}
	for _, p := range points {
		for _, h := range p.Hops {
			k := arrowOf(h)
			if !slices.Contains(hops, k) {
				hops = append(hops, k)
			}
			high[k] = max(high[k], Rounded(h.Amplification))
			layered = layered || h.Layer > 0
		}
	}
	if len(hops) <= n {
		return hops, layered, ""
	}
	remark = fmt.Sprintf("the %d of %d hops with most attempts", n, len(hops))
	order := slices.Clone(hops)
	slices.SortStableFunc(order, func(a, b arrow) int { return compare(high[b], high[a]) })
	return slices.DeleteFunc(hops, func(k arrow) bool { return !slices.Contains(order[:n], k) }), layered, remark
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
