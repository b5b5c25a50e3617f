package report

import (
	"slices"
	"strings"

	"retrystorm/experiment"
)

// section is a part of a report below the first table: rows, or sentences, or
// both. The table and Markdown show the same sections.
type section struct {
	title   string // the start of a sentence
	columns []column
	lines   []string
}

// sections are those of a result that have something to say.
func sections(r *experiment.Result, c Comparisons) []*section {
	var out []*section
	for _, s := range []*section{
		crossings(r), comparison(r, c), front(c), costs(r, c),
		pathSection(r), queueSection(r), deadSection(r), duplicateSection(r),
	} {
		if s != nil {
			out = append(out, s)
		}
	}
	return append(out, effects(r)...)
}

// moreSections are those that would make a comment too long: only the table and
// the page have them.
func moreSections(r *experiment.Result) []*section {
	out := causeSections(r)
	if s := groupSection(r); s != nil {
		out = slices.Insert(out, 0, s)
	}
	return out
}

// mostRows is how many rows of a table people read.
const mostRows = 60

// cutRows leaves the first rows of a table, and says how many there are more.
func (s *section) cutRows() { s.lines = append(s.lines, cutRows(s.columns)...) }

func cutRows(columns []column) (remarks []string) {
	n := len(columns[0].values)
	if n <= mostRows {
		return nil
	}
	for i := range columns {
		c := &columns[i]
		c.values, c.interval = c.values[:mostRows], c.interval[:mostRows]
	}
	return []string{counted(int64(n-mostRows), "more row") + " left out"}
}

// section writes one within the width.
func (p printer) section(s *section) {
	var remarks []string
	columns := fit(s.columns, p.opt.Width, &remarks)
	p.line("")
	p.wrapped(s.title + ":")
	if len(columns) > 0 {
		p.table(columns)
	}
	for _, l := range append(remarks, s.lines...) {
		p.wrapped(strings.ReplaceAll(l, "--format csv has them", "report.md of -o DIR has them"))
	}
}
