package report

import (
	"bufio"
	"io"
	"strconv"
	"time"
)

// WriteTable writes the waits for people. Where the width does not do, the
// columns that say least are left out.
func (d *Delays) WriteTable(w io.Writer, opt TableOptions) error {
	out := bufio.NewWriter(w)
	p := printer{out, opt}
	p.wrapped(d.Name + ", " + counted(int64(d.Samples), "sequence"))
	if d.Formula != "" {
		p.wrapped("wait before retry k = " + d.Formula)
	}
	if d.Stops != "" {
		p.wrapped(d.Stops)
	}
	p.line("")
	if len(d.Rows) == 0 {
		p.line("there are no waits")
		return out.Flush()
	}
	ranks := map[string]int{"p01": 6, "p10": 4, "p90": 3, "p99": 5, "sd": 2, "min": 1, "max": 1}
	columns := []column{{title: "retry"}}
	for _, name := range DelayColumns() {
		columns = append(columns, column{title: name, rank: ranks[name]})
	}
	for i, row := range d.Rows {
		columns[0].add(strconv.Itoa(i+1), "")
		for k, v := range row.Values() {
			columns[k+1].add(briefly(time.Duration(v)), "")
		}
	}
	var remarks []string
	columns = fit(columns, opt.Width, &remarks)
	p.table(columns)
	if len(remarks) > 0 {
		p.line("")
	}
	for _, s := range remarks {
		p.wrapped(s)
	}
	return out.Flush()
}

// briefly is a duration to four digits or so.
func briefly(d time.Duration) string {
	unit := time.Nanosecond
	for d/unit >= 10_000 {
		unit *= 10
	}
	return d.Round(unit).String()
}
