package report

import (
	"fmt"
	"math"
	"slices"

	"retrystorm/experiment"
)

// mostCells is how many numbers the table of a page has: each comes with its
// interval and its comparison, and a page should stay below a megabyte.
const mostCells = 4000

// choose finds the variants, the metrics and the places that a page has room
// for.
func (m *viewMaker) choose() {
	r := m.r
	m.variants = variants(r)
	all := places(r)
	for i := range r.Metrics {
		m.metrics = append(m.metrics, i)
	}
	if len(r.Points)*len(m.metrics) > mostCells {
		m.metrics = slices.DeleteFunc(m.metrics, func(i int) bool { return !m.key(i) })
		m.drop(fmt.Sprintf("%d of %s: summary.csv has all", len(r.Metrics)-len(m.metrics), counted(int64(len(r.Metrics)), "metric")))
	}
	m.chooseVariants()
	room := max(1, mostCells/max(1, len(m.metrics)*len(m.variants)))
	if len(all) > room {
		m.drop(fmt.Sprintf("%s of %s, evenly spread: summary.csv has all", counted(int64(len(all)-room), "place"), counted(int64(len(all)), "place")))
	}
	last := max(0, slices.IndexFunc(all, func(points []int) bool { return slices.Equal(r.Points[points[0]].Sweep, severest(r)) }))
	pick := spreadOver(len(all), room)
	if len(pick) > 0 && !slices.Contains(pick, last) {
		pick[len(pick)-1] = last
		slices.Sort(pick)
	}
	m.Places = []ViewPlace{}
	for _, k := range pick {
		if k == last {
			m.Severest = len(m.Places)
		}
		p := &r.Points[all[k][0]]
		x := ViewPlace{Values: nonNil(p.Sweep), Numbers: []jsonNumber{}}
		for i := range p.Sweep {
			x.Numbers = append(x.Numbers, jsonNumber(numberAt(p, i)))
		}
		m.Places = append(m.Places, x)
		m.places = append(m.places, slices.DeleteFunc(all[k], func(i int) bool { return m.index[r.Points[i].Variant] < 0 }))
	}
}

// chooseVariants leaves out variants where there are more than the table has room
// for, and finds those whose charts are shown.
func (m *viewMaker) chooseVariants() {
	all := m.variants
	m.charted = map[string]bool{}
	for _, v := range all[:min(len(all), mostVariants)] {
		m.charted[v] = true
	}
	if len(all) > mostVariants {
		m.charted = worthShowing(m.r, m.c, all)
		m.drop(fmt.Sprintf("the charts of %s: timeline.csv and completion.csv have all", counted(int64(len(all)-len(m.charted)), "variant")))
	}
	if room := mostCells / max(1, len(m.metrics)); len(all) > room {
		m.drop(fmt.Sprintf("%s of %s: summary.csv has all", fixed(float64(len(all)-room), 0), counted(int64(len(all)), "variant")))
		rest := room - len(m.charted)
		m.variants = slices.DeleteFunc(slices.Clone(all), func(v string) bool {
			if m.charted[v] {
				return false
			}
			rest--
			return rest < 0
		})
	}
	m.index = map[string]int{}
	for _, v := range all {
		m.index[v] = slices.Index(m.variants, v)
	}
}

// numberAt is a sweep value as a number; not available where it is none.
func numberAt(p *experiment.Point, axis int) float64 {
	if axis < len(p.Numbers) {
		return p.Numbers[axis]
	}
	return math.NaN()
}
