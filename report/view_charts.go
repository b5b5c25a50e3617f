package report

import (
	"encoding/json"
	"fmt"
	"slices"

	"retrystorm/experiment"
)

const (
	// dataRoom is how many bytes the table and the charts of a page may take, so
	// that with its scripts it stays below a megabyte, and cellSize what a number
	// of the table takes.
	dataRoom = 680_000
	cellSize = 115
)

// charts gathers what is drawn of places, until there is no more room.
type charts struct {
	m    *viewMaker
	room int // in bytes
	used int
	full bool
	left int // places without
	// finest is how many rows the timelines of the severest place have at most.
	finest int
}

func newCharts(m *viewMaker) *charts {
	m.Timelines, m.Completion, m.Paths, m.Attempts = []ViewTimeline{}, []ViewCompletion{}, []ViewPath{}, []ViewAttempts{}
	cells := len(m.metrics)
	for _, points := range m.places {
		cells += len(points) * len(m.metrics)
	}
	return &charts{m: m, room: dataRoom - cellSize*cells}
}

// severest is the room for the charts of the severest place.
func (c *charts) severest() int { return c.room * 3 / 4 }

// chart is what is drawn of a place.
type chart struct {
	Timelines  []ViewTimeline
	Completion []ViewCompletion
	Paths      []ViewPath
	Attempts   []ViewAttempts
}

// mostRowsShown are how many rows timelines may have, from what they can have to
// what one can still look at.
func mostRowsShown() []int { return []int{600, 300, 200, 150, 100} }

// add adds the charts of a place, the first with as much detail as there is room
// for, the others with no more.
func (c *charts) add(place int, points []*experiment.Point) {
	points = slices.DeleteFunc(points, func(p *experiment.Point) bool { return !c.m.charted[p.Variant] })
	var x chart
	var all []ViewTimeline
	for _, p := range points {
		v := c.m.index[p.Variant]
		if list := viewCompletion(p); len(list.Q) > 0 {
			list.Variant, list.Place = v, place
			x.Completion = append(x.Completion, list)
		}
		all = append(all, c.m.viewTimelines(p, place)...)
		x.Paths = append(x.Paths, viewPaths(c.m.r, p, v, place)...)
		if list := viewAttempts(p); len(list.T) > 0 {
			list.Variant, list.Place = v, place
			x.Attempts = append(x.Attempts, list)
		}
	}
	first := place == c.m.Severest
	if first {
		rest := sizeOf(x)
		for _, n := range mostRowsShown() {
			c.finest = n
			if x.Timelines = coarser(all, n); rest+sizeOf(x.Timelines) <= c.severest() {
				break
			}
		}
		c.coarse(all, x.Timelines)
		c.fit(&x, rest)
	} else if x.Timelines = coarser(all, min(c.finest, 150)); c.full || c.used+sizeOf(x) > c.room {
		c.full = true
		c.left++
		return
	}
	c.used += sizeOf(x)
	c.m.Timelines = append(c.m.Timelines, x.Timelines...)
	c.m.Completion = append(c.m.Completion, x.Completion...)
	c.m.Paths = append(c.m.Paths, x.Paths...)
	c.m.Attempts = append(c.m.Attempts, x.Attempts...)
}

// fit leaves out services, the target last, where even few rows are too much.
func (c *charts) fit(x *chart, rest int) {
	services := []string{c.m.Target}
	for _, t := range x.Timelines {
		services = addNew(services, t.Service)
	}
	n := len(services)
	for n > 1 && rest+sizeOf(x.Timelines) > c.severest() {
		n = max(1, n*9/10)
		x.Timelines = slices.DeleteFunc(x.Timelines, func(t ViewTimeline) bool { return !slices.Contains(services[:n], t.Service) })
	}
	if gone := len(services) - n; gone > 0 {
		c.m.drop(fmt.Sprintf("the timelines of %s: timeline.csv has all", counted(int64(gone), "service")))
	}
}

// coarse says so when rows were joined.
func (c *charts) coarse(all, shown []ViewTimeline) {
	for i := range shown {
		if shown[i].Step != all[i].Step {
			c.m.drop(fmt.Sprintf("detail of the timelines, which have %d rows at most: timeline.csv has all", c.finest))
			return
		}
	}
}

// done puts the charts into the order of the places.
func (c *charts) done() {
	m := c.m
	slices.SortStableFunc(m.Timelines, func(a, b ViewTimeline) int { return a.Place - b.Place })
	slices.SortStableFunc(m.Completion, func(a, b ViewCompletion) int { return a.Place - b.Place })
	slices.SortStableFunc(m.Paths, func(a, b ViewPath) int { return a.Place - b.Place })
	slices.SortStableFunc(m.Attempts, func(a, b ViewAttempts) int { return a.Place - b.Place })
	if c.left > 0 && !m.Partial {
		m.drop(fmt.Sprintf("the charts of %s of %s: timeline.csv, completion.csv and hops.csv have all",
			fixed(float64(c.left), 0), counted(int64(len(m.places)), "place")))
	}
}

// sizeOf is how many bytes something takes in a page.
func sizeOf(v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		panic("report: " + err.Error()) // it is plain data
	}
	return len(b)
}
