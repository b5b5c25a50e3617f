package report

import (
	"fmt"
	"slices"

	"retrystorm/experiment"
	"retrystorm/sim"
)

// plotDuplicates shows how often work was done again, the causes below each
// other, a bar per variant.
func plotDuplicates(r *experiment.Result) picture {
	if !knows(r, "duplicates") {
		return nil
	}
	all := at(r, severest(r))
	var causes []sim.Cause
	for c := range sim.Causes {
		if slices.ContainsFunc(all, func(p *experiment.Point) bool { return duplicatesBy(p, c).Centre > 0 }) {
			causes = append(causes, c)
		}
	}
	if len(causes) == 0 {
		return nil
	}
	title := duplicatesTitle(all)
	points, remark := fewerPoints(all, title, dotsMost/len(causes))
	styles := Styles(variants(r))
	var rows []Dot
	for _, c := range causes {
		for _, p := range points {
			e := duplicatesBy(p, c)
			rows = append(rows, Dot{
				Group: capital(shortCause(c)), Name: humanName(p.Variant), Style: styles[p.Variant],
				Marks: []Mark{{Value: e.Centre, Lo: max(0, e.Lo), Hi: e.Hi}}, Text: perRun(Rounded(e.Centre)),
			})
		}
	}
	return &Dots{
		Title:    title,
		Subtitle: subtitleAt(r, points, "means over the replications", whiskerRemark(rows), remark),
		X:        Axis{Label: "effects that had been done before, per run"},
		Rows:     rows,
	}
}

// duplicatesBy are those of a cause, at all services; the interval is that of
// the only service that has any.
func duplicatesBy(p *experiment.Point, c sim.Cause) experiment.Estimate {
	var sum experiment.Estimate
	n := 0
	for i := range p.Duplicates {
		t := &p.Duplicates[i]
		if t.What != c.String() {
			continue
		}
		n++
		share := shareOf(p, t.Outcome)
		sum.Centre += float64(share * Rounded(t.Estimate.Centre))
		sum.Lo, sum.Hi = t.Estimate.Lo, t.Estimate.Hi
	}
	if n != 1 || len(p.Outcomes) > 0 {
		sum.Lo, sum.Hi = sum.Centre, sum.Centre
	}
	return sum
}

func allDuplicates(p *experiment.Point) float64 {
	sum := 0.0
	for c := range sim.Causes {
		sum += duplicatesBy(p, c).Centre
	}
	return Rounded(sum)
}

// duplicatesTitle tells who does most work again, and who least.
func duplicatesTitle(points []*experiment.Point) string {
	compare := func(a, b *experiment.Point) int { return compareNumbers(allDuplicates(a), allDuplicates(b)) }
	most, least := slices.MaxFunc(points, compare), slices.MinFunc(points, compare)
	title := perRun(allDuplicates(most)) + " effects are done again"
	switch {
	case len(points) == 1:
		return title
	case allDuplicates(least) == 0:
		return fmt.Sprintf("%s with %s, none with %s", title, quoted(most.Variant), quoted(least.Variant))
	default:
		return fmt.Sprintf("%s with %s, %s with %s", title, quoted(most.Variant), perRun(allDuplicates(least)), quoted(least.Variant))
	}
}
