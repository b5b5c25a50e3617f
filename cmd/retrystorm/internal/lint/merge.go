package lint

import (
	"fmt"
	"slices"
	"strings"

	"retrystorm/scenarios"
)

// merger gathers what was found at each point, and says it once.
type merger struct {
	file     *scenarios.File
	points   []scenarios.Point
	seen     []sighting[Finding]
	seenRows []sighting[Row]
	byKey    map[findingKey]int
	byRow    map[Row]int
}

// sighting is something, and the points that have it.
type sighting[T any] struct {
	what    T
	points  []int
	differs bool // the numbers are not the same at all of them
}

// findingKey is what makes two findings one.
type findingKey struct {
	check    string
	severity Severity
	place    scenarios.Place
	path     string
	subject  string
}

func newMerger(f *scenarios.File) *merger {
	m := &merger{file: f, byKey: map[findingKey]int{}, byRow: map[Row]int{}}
	for i := range f.Points() {
		m.points = append(m.points, f.Point(i))
	}
	return m
}

// found adds a finding of a point. What several hops have in common is one.
func (m *merger) found(point int, subject string, f Finding) {
	key := findingKey{f.Check, f.Severity, f.Place, f.Path, subject}
	i, known := m.byKey[key]
	if !known {
		i = len(m.seen)
		m.byKey[key] = i
		m.seen = append(m.seen, sighting[Finding]{what: f})
	}
	s := &m.seen[i]
	if n := len(s.points); n > 0 && s.points[n-1] == point {
		return
	}
	s.points = append(s.points, point)
	s.differs = s.differs || s.what.Message != f.Message
}

func (m *merger) row(point int, r Row) {
	i, known := m.byRow[r]
	if !known {
		i = len(m.seenRows)
		m.byRow[r] = i
		m.seenRows = append(m.seenRows, sighting[Row]{what: r})
	}
	m.seenRows[i].points = append(m.seenRows[i].points, point)
}

func (m *merger) findings() []Finding {
	var out []Finding
	for _, s := range m.seen {
		f := s.what
		f.Where = m.where(s.points)
		if s.differs {
			if f.Where == "" {
				f.Where = "numbers of " + m.where(s.points[:1])
			} else {
				f.Where += "; numbers of the first"
			}
		}
		out = append(out, f)
	}
	return out
}

func (m *merger) rows() []Row {
	var out []Row
	for _, s := range m.seenRows {
		r := s.what
		r.Where = m.where(s.points)
		out = append(out, r)
	}
	return out
}

// where names points, "" for all of them.
func (m *merger) where(points []int) string {
	points = slices.Compact(points)
	if len(points) == len(m.points) {
		return ""
	}
	axes := m.file.Axes()
	var parts []string
	box := 1 // points that have these variants and values
	for axis := -1; axis < len(axes); axis++ {
		all, some := m.valuesOf(axis, nil), m.valuesOf(axis, points)
		box *= len(some)
		if len(all) == len(some) {
			continue
		}
		name := "variant"
		if axis >= 0 {
			name = axes[axis]
		} else if len(some) > 1 {
			name = "variants"
		}
		parts = append(parts, name+" "+listed(some))
	}
	if box != len(points) {
		return fmt.Sprintf("%d of %d points, the first: %s", len(points), len(m.points), m.where(points[:1]))
	}
	return strings.Join(parts, ", ")
}

// valuesOf lists the values of an axis at some points, or all, in order; those
// of axis -1 are the variants.
func (m *merger) valuesOf(axis int, points []int) []string {
	var out []string
	seen := map[string]bool{}
	add := func(p *scenarios.Point) {
		text := p.Variant
		if axis >= 0 {
			text = p.Sweep[axis]
		}
		if !seen[text] {
			seen[text] = true
			out = append(out, text)
		}
	}
	if points == nil {
		for i := range m.points {
			add(&m.points[i])
		}
	}
	for _, i := range points {
		add(&m.points[i])
	}
	return out
}

// listed writes values, the middle of many left out.
func listed(values []string) string {
	const most = 8
	if len(values) > most {
		return values[0] + ", " + values[1] + ", ... " + values[len(values)-1]
	}
	return strings.Join(values, ", ")
}
