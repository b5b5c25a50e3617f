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
	// fewRows is how many rows a timeline has at least, before whole ones are left
	// out, and otherRows how many it has at most at other places than the severest.
	fewRows   = 100
	otherRows = 150
)

// charts gathers what is drawn of places, until there is no more room.
type charts struct {
	m    *viewMaker
	room int // in bytes
	full bool
	left int // places without
	rows int // that timelines have at most
}

func newCharts(m *viewMaker) *charts {
	m.Timelines, m.Completion, m.Paths, m.Attempts = []ViewTimeline{}, []ViewCompletion{}, []ViewPath{}, []ViewAttempts{}
	cells := len(m.metrics)
	for _, points := range m.places {
		cells += len(points) * len(m.metrics)
	}
	return &charts{m: m, room: dataRoom - cellSize*cells, rows: otherRows}
}

// chart is what is drawn of a place.
type chart struct {
	Timelines  []ViewTimeline
	Completion []ViewCompletion
	Paths      []ViewPath
	Attempts   []ViewAttempts
}

// add adds the charts of a place, the severest first: with as much detail as
// there is room for, and the others with no more.
func (c *charts) add(place int, points []*experiment.Point) {
	if c.full {
		c.left++
		return
	}
	var x chart
	var timelines []ViewTimeline
	for _, p := range points {
		if !c.m.charted[p.Variant] {
			continue
		}
		v := c.m.index[p.Variant]
		if list := viewCompletion(p); len(list.Q) > 0 {
			list.Variant, list.Place = v, place
			x.Completion = append(x.Completion, list)
		}
		x.Paths = append(x.Paths, viewPaths(c.m.r, p, v, place)...)
		if list := viewAttempts(p); len(list.T) > 0 {
			list.Variant, list.Place = v, place
			x.Attempts = append(x.Attempts, list)
		}
		timelines = append(timelines, c.m.viewTimelines(p, place)...)
	}
	if place == c.m.Severest {
		room := c.room
		if len(c.m.places) > 1 {
			room = room * 3 / 4 // the rest is for the others
		}
		x.Attempts = c.someAttempts(x.Attempts, room/4)
		x.Timelines = c.someTimelines(timelines, room-sizeOf(x))
	} else if x.Timelines, c.full = shortened(timelines, c.rows, c.room-sizeOf(x)); c.full {
		c.left++
		return
	}
	c.room -= sizeOf(x)
	c.m.Timelines = append(c.m.Timelines, x.Timelines...)
	c.m.Completion = append(c.m.Completion, x.Completion...)
	c.m.Paths = append(c.m.Paths, x.Paths...)
	c.m.Attempts = append(c.m.Attempts, x.Attempts...)
}

// someAttempts are those of the first variants, as many as there is room for.
func (c *charts) someAttempts(list []ViewAttempts, room int) []ViewAttempts {
	for i := range list {
		if room -= sizeOf(list[i]); room < 0 {
			c.m.drop(fmt.Sprintf("the attempts of %s: attempts.csv has all", counted(int64(len(list)-i), "variant")))
			return list[:i]
		}
	}
	return list
}

// someTimelines have fewer rows where there is not enough room, and then there
// are fewer of them, the target's last.
func (c *charts) someTimelines(all []ViewTimeline, room int) []ViewTimeline {
	for _, rows := range []int{600, 300, 200, otherRows, fewRows} {
		list, full := shortened(all, rows, room)
		if full && rows > fewRows {
			continue
		}
		c.rows = min(rows, otherRows)
		if slices.ContainsFunc(all, func(t ViewTimeline) bool { return len(t.Arrivals) > rows }) {
			c.m.drop(fmt.Sprintf("detail of the timelines, which have %d rows at most: timeline.csv has all", rows))
		}
		if !full {
			return list
		}
	}
	services := []string{c.m.Target}
	for i := range all {
		services = addNew(services, all[i].Service)
	}
	var out []ViewTimeline
	for i, name := range services {
		of := slices.DeleteFunc(slices.Clone(all), func(t ViewTimeline) bool { return t.Service != name })
		list, full := shortened(of, fewRows, max(room, 0))
		if i == 0 { // it is there in any case
			list, full = shortened(of, fewRows, dataRoom)
		}
		if full {
			c.m.drop(fmt.Sprintf("the timelines of %s: timeline.csv has all", counted(int64(len(services)-i), "service")))
			break
		}
		out = append(out, list...)
		room -= sizeOf(list)
	}
	return out
}

// shortened are the timelines with no more rows than that, or full is true: there
// is no room for them.
func shortened(list []ViewTimeline, rows, room int) (out []ViewTimeline, full bool) {
	for i := range list {
		out = append(out, list[i].coarser(rows))
		if room -= sizeOf(out[i]); room < 0 {
			return nil, true
		}
	}
	return out, false
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
