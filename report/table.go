package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"retrystorm/experiment"
	"retrystorm/report/text"
)

// TableOptions fit a table to where it is shown; the zero value is plain text
// of any width.
type TableOptions struct {
	Width int  // columns of the terminal, 0: no limit
	ASCII bool // nothing but ASCII
	Color bool // colour beside the words, never instead of them
	// Blocks draws sparklines of block characters; without it they are ASCII, and
	// where there is no width they have 80 columns.
	Blocks bool
}

// head is a metric worth a column; where the width does not do, those with
// the highest rank are left out first.
type head struct {
	metric, title string
	rank          int
}

const perRequest = "per request"

func heads() []head {
	return []head{
		{"total_calls", "calls", 1},
		{"amplification", perRequest, 3},
		{"peak_load", "peak load", 7},
		{"peak_retry", "peak retries", 5},
		{"completion_p50", "half done", 6},
		{"completion_p99", "99 % done", 2},
		{"recovery", "recovery", 4},
		{"failed_share", "failed", 8},
		{"finished_at", "finished at", 9},
	}
}

// column is one column of the table: a value and, where there is room, its
// interval, aligned apart.
type column struct {
	title            string
	values, interval []string
	left             bool // text, not numbers
	rank             int  // of its head; 0: always there
}

func (c *column) add(value, interval string) {
	c.values = append(c.values, value)
	c.interval = append(c.interval, interval)
}

func (c *column) width() int {
	return max(c.body(), length(c.title))
}

func (c *column) body() int {
	w := longest(c.values)
	if i := longest(c.interval); i > 0 {
		w += 1 + i
	}
	return w
}

// Table writes a result for people: one row per point, how the variants
// compare, the expectations, and what else the reader must know.
func Table(w io.Writer, r *experiment.Result, opt TableOptions) error {
	return render(w, r, Compare(r), opt)
}

func render(w io.Writer, r *experiment.Result, c Comparisons, opt TableOptions) error {
	out := bufio.NewWriter(w)
	p := printer{out, opt}
	p.wrapped(headline(r))
	columns, remarks, hidden := tableColumns(r)
	columns = fit(columns, opt.Width, &remarks)
	if hidden != "" {
		remarks = append(remarks, hidden+": --format csv has all")
	}
	p.wrapped(fmt.Sprintf("seed %d, %s%s", r.Seed, replicated(pointers(r)), intervalNote(r, columns)))
	list := sections(r, c)
	if len(r.Crossings) > 0 { // the answer comes before what it was found with
		p.section(list[0])
		list = list[1:]
	}
	p.line("")
	p.table(columns)
	remarks = append(remarks, imprecise(r)...)
	remarks = append(remarks, warmedUp(r)...)
	if len(remarks)+len(r.Notes) > 0 {
		p.line("")
	}
	for _, s := range append(remarks, r.Notes...) {
		p.wrapped(s)
	}
	for _, s := range append(list, moreSections(r)...) {
		p.section(s)
	}
	if len(r.Expectations) > 0 {
		p.line("")
		p.expectations(r.Expectations)
	}
	p.sparks(r, c)
	return out.Flush()
}

// headline is the name of a scenario and what it is about.
func headline(r *experiment.Result) string {
	if r.Title == "" {
		return r.Scenario
	}
	return r.Scenario + ": " + r.Title
}

func intervalNote(r *experiment.Result, columns []column) string {
	if _, most := replicationRange(pointers(r)); most < 2 {
		return "; one replication says nothing about chance"
	}
	for _, c := range columns {
		if slices.ContainsFunc(c.interval, func(s string) bool { return s != "" && s[0] != '(' }) {
			return "; ± and [ ] are 95 % intervals"
		}
	}
	return ""
}

// replicationRange is how many replications some points had, least and most.
func replicationRange(points []*experiment.Point) (least, most int64) {
	for i, p := range points {
		n := int64(replications(p))
		if i == 0 || n < least {
			least = n
		}
		most = max(most, n)
	}
	return least, most
}

// replicated says how many replications there were.
func replicated(points []*experiment.Point) string {
	least, most := replicationRange(points)
	if least == most {
		return counted(most, "replication")
	}
	return fixed(float64(least), 0) + " to " + counted(most, "replication")
}

// mostNamed is how many points a sentence names.
const mostNamed = 3

// imprecise says which points came to the last replication before they were as
// precise as the scenario asks for.
func imprecise(r *experiment.Result) []string {
	var names []string
	n := 0
	for i := range r.Points {
		p := &r.Points[i]
		if !p.Imprecise {
			continue
		}
		if n++; n <= mostNamed {
			names = append(names, pointName(r, p))
		}
	}
	if n == 0 {
		return nil
	}
	if n > mostNamed {
		names = append(names, fmt.Sprintf("%d more", n-mostNamed))
	}
	verb := "were"
	if n == 1 {
		verb = "was"
	}
	_, most := replicationRange(pointers(r))
	return []string{fmt.Sprintf("%d of %s %s not as precise as asked for after %s: %s", n,
		counted(int64(len(r.Points)), "point"), verb, counted(most, "replication"), listed(names))}
}

// warmedUp says which warm-ups were found.
func warmedUp(r *experiment.Result) []string {
	if !r.AutoWarmup || len(r.Points) == 0 {
		return nil
	}
	least, most := r.Points[0].Warmup, r.Points[0].Warmup
	for i := range r.Points {
		least, most = min(least, r.Points[i].Warmup), max(most, r.Points[i].Warmup)
	}
	if least == most {
		return []string{"warm-up found: " + Human(least.Seconds(), "s")}
	}
	return []string{"warm-up found: " + Human(least.Seconds(), "s") + " to " + Human(most.Seconds(), "s") + ", by place of the sweep"}
}

func counted(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return fixed(float64(n), 0) + " " + what
}

// tableColumns are all columns that say something, and remarks about those
// that do not; hidden says how many rows are left out, if any.
func tableColumns(r *experiment.Result) (columns []column, remarks []string, hidden string) {
	var all []outcome
	for i := range r.Points {
		all = append(all, outcomes(&r.Points[i])...)
	}
	rows := all
	if len(all) > mostRows {
		rows = evenly(r)
		hidden = fmt.Sprintf("%d of %s are shown, evenly spread", len(rows), counted(int64(len(all)), "row"))
	}
	name := column{title: "variant", left: true}
	for _, o := range rows {
		name.add(o.point.Variant+o.suffix(), "")
	}
	columns = append(columns, name)
	for a, axis := range r.Axes {
		c := column{title: axis}
		for _, o := range rows {
			c.add(o.point.Sweep[a], "")
		}
		columns = append(columns, c)
	}
	for _, h := range heads() {
		i := metricIndex(r, h.metric)
		if i < 0 {
			continue
		}
		if h.metric == "peak_retry" {
			h.title = peakTitle(r)
			if extra := extraCalls(r); len(extra) > 1 {
				remarks = append(remarks, h.title+": "+listed(extra))
			}
		}
		c := metricColumn(h, r.Metrics[i], rows, i)
		switch same := allEqual(c.values) && everywhere(r.Metrics[i], all, i, c.values[0]); {
		case same && c.values[0] == "-":
		case same && len(rows) > 1 && longest(c.interval) == 0:
			remarks = append(remarks, fmt.Sprintf("%s: %s everywhere", h.title, c.values[0]))
		default:
			columns = append(columns, c)
		}
	}
	if s := unfinished(r, all); s != "" {
		remarks = append(remarks, s)
	}
	return columns, remarks, hidden
}

// peakTitle names the calls that are more than the first of their request.
func peakTitle(r *experiment.Result) string {
	extra := extraCalls(r)
	if len(extra) > 1 {
		return "peak extra"
	}
	return "peak " + extra[0]
}

// everywhere reports whether a metric reads the same in all rows, those that are
// not shown among them.
func everywhere(m experiment.Metric, all []outcome, i int, text string) bool {
	return !slices.ContainsFunc(all, func(o outcome) bool { return Human(o.estimates[i].Centre, HumanUnit(m)) != text })
}

// evenly are as many rows as people read: of each variant places from the first
// to the last.
func evenly(r *experiment.Result) []outcome {
	var order []string
	mine := map[string][]*experiment.Point{}
	width := 1
	for i := range r.Points {
		p := &r.Points[i]
		if mine[p.Variant] == nil {
			order = append(order, p.Variant)
		}
		mine[p.Variant] = append(mine[p.Variant], p)
		width = max(width, len(p.Outcomes))
	}
	var rows []outcome
	for _, v := range order {
		for _, k := range spreadOver(len(mine[v]), max(2, mostRows/len(order)/width)) {
			if more := outcomes(mine[v][k]); len(rows)+len(more) <= mostRows {
				rows = append(rows, more...)
			}
		}
	}
	return rows
}

func metricColumn(h head, m experiment.Metric, rows []outcome, i int) column {
	c := column{title: h.title, rank: h.rank}
	for _, o := range rows {
		e := o.estimates[i]
		value, interval := humanParts(e.Centre, e.Lo, e.Hi, HumanUnit(m))
		if e.InfShare > 0 && e.InfShare < 1 {
			// Neither outcome may hide behind the other.
			interval = strings.TrimSpace(interval + " (never in " + Human(e.InfShare, "%") + ")")
		}
		c.add(value, interval)
	}
	return c
}

func allEqual(s []string) bool {
	return len(s) > 0 && !slices.ContainsFunc(s, func(x string) bool { return x != s[0] })
}

// fit makes the table as wide as the terminal: intervals go first, then the
// columns that matter least; what went is said.
func fit(columns []column, limit int, remarks *[]string) []column {
	if limit <= 0 || tableWidth(columns) <= limit {
		return columns
	}
	if stripIntervals(columns) {
		*remarks = append(*remarks, "intervals do not fit the width: --format csv has them")
	}
	var gone []string
	for tableWidth(columns) > limit {
		least := 0
		for i := range columns {
			if columns[i].rank > columns[least].rank {
				least = i
			}
		}
		if columns[least].rank <= 1 {
			break // without these it is no table
		}
		gone = append(gone, columns[least].title)
		columns = slices.Delete(columns, least, least+1)
	}
	if len(gone) > 0 {
		*remarks = append(*remarks, "left out for the width: "+strings.Join(gone, ", "))
	}
	return columns
}

// stripIntervals removes the intervals, but not what they say about values
// that are never reached.
func stripIntervals(columns []column) (stripped bool) {
	for _, c := range columns {
		for k, s := range c.interval {
			if i := strings.IndexByte(s, '('); i >= 0 {
				c.interval[k] = s[i:]
			} else {
				stripped = stripped || s != ""
				c.interval[k] = ""
			}
		}
	}
	return stripped
}

const gap = 2 // blanks between columns

func tableWidth(columns []column) int {
	w := -gap
	for i := range columns {
		w += columns[i].width() + gap
	}
	return w
}

func longest(s []string) int {
	n := 0
	for _, x := range s {
		n = max(n, length(x))
	}
	return n
}

func length(s string) int { return utf8.RuneCountInString(s) }

func padLeft(s string, n int) string { return strings.Repeat(" ", max(0, n-length(s))) + s }

func padRight(s string, n int) string { return s + strings.Repeat(" ", max(0, n-length(s))) }

// printer writes lines for a terminal. Errors wait in the buffered writer.
type printer struct {
	out *bufio.Writer
	opt TableOptions
}

func (p printer) line(s string) {
	if p.opt.ASCII {
		s = ascii(s)
	}
	p.out.WriteString(strings.TrimRight(s, " "))
	p.out.WriteByte('\n')
}

// ascii replaces the few other characters that reports use.
func ascii(s string) string {
	s = strings.NewReplacer("±", "+-", "µ", "u", "×", "x").Replace(s)
	return strings.Map(func(c rune) rune {
		if c > 126 {
			return '?'
		}
		return c
	}, s)
}

func (p printer) table(columns []column) {
	if p.opt.ASCII { // before the widths are taken
		for i := range columns {
			for k := range columns[i].values {
				columns[i].values[k] = ascii(columns[i].values[k])
				columns[i].interval[k] = ascii(columns[i].interval[k])
			}
		}
	}
	p.row(columns, func(c *column) string {
		if c.left {
			return padRight(c.title, c.width())
		}
		// Right over the values, or as far right as the title needs.
		return padRight(padLeft(c.title, longest(c.values)+c.width()-c.body()), c.width())
	})
	for k := range columns[0].values {
		p.row(columns, func(c *column) string {
			if c.left {
				return padRight(c.values[k], c.width())
			}
			s := padLeft(c.values[k], longest(c.values)+c.width()-c.body())
			if c.interval[k] != "" {
				s += " " + c.interval[k]
			}
			return padRight(s, c.width())
		})
	}
}

func (p printer) row(columns []column, cell func(*column) string) {
	var cells []string
	for i := range columns {
		cells = append(cells, cell(&columns[i]))
	}
	p.line(strings.Join(cells, strings.Repeat(" ", gap)))
}

// wrapped writes a paragraph within the width, its further lines indented.
func (p printer) wrapped(s string) {
	p.line(text.Wrap(s, p.opt.Width, "  "))
}

func (p printer) expectations(list []experiment.Judgement) {
	words, width := make([]string, len(list)), 0
	for i, j := range list {
		words[i] = string(j.Ruling)
		if j.Ruling == experiment.Fail {
			words[i] = "FAIL"
		}
		width = max(width, length(words[i]))
	}
	indent := strings.Repeat(" ", width+2)
	for i, j := range list {
		word := padRight(words[i], width)
		if p.opt.Color {
			word = "\x1b[" + colorOf(j.Ruling) + "m" + word + "\x1b[0m"
		}
		p.line(word + "  " + j.Text)
		for _, s := range reasons(&j) {
			p.line(text.Wrap(indent+s, p.opt.Width, indent+"  "))
		}
	}
	if n := tally(list); !n.allHold(len(list)) {
		p.wrapped(n.summary(len(list)))
	}
}

func colorOf(r experiment.Ruling) string {
	switch r {
	case experiment.Pass:
		return "32"
	case experiment.Fail:
		return "31"
	case experiment.Skipped:
		return "2"
	}
	return "33"
}
