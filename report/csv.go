package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"retrystorm/experiment"
)

// csvWriter writes a table as CSV.
type csvWriter struct {
	out   io.Writer
	table *table
}

// newCSVWriter writes the header.
func newCSVWriter(out io.Writer, t *table) (*csvWriter, error) {
	var names []cell
	for _, c := range t.columns {
		names = append(names, cell{text: c.name})
	}
	w := &csvWriter{out, t}
	return w, w.take(w.append(nil, names, func(tableColumn) kind { return words }))
}

func (w *csvWriter) make(s *step) (any, error) {
	var text []byte
	for cells := s.rows(w.table); len(cells) > 0; {
		row := cells[:len(w.table.columns)]
		text = w.append(text, row, func(c tableColumn) kind { return c.kind })
		cells = cells[len(row):]
	}
	return text, nil
}

func (w *csvWriter) take(v any) error {
	_, err := w.out.Write(v.([]byte))
	return err
}

func (w *csvWriter) end() error { return nil }

func (w *csvWriter) append(text []byte, row []cell, kindOf func(tableColumn) kind) []byte {
	columns := w.table.columns
	for i, c := range row {
		if columns[i].typed {
			continue
		}
		if i > 0 {
			text = append(text, ',')
		}
		switch kindOf(columns[i]) {
		case words:
			text = appendField(text, c.text)
		case whole64:
			text = strconv.AppendInt(text, int64(c.bits), 10)
		case unsigned:
			text = strconv.AppendUint(text, c.bits, 10)
		case numeric:
			text = appendNumber(text, c.number())
		}
	}
	return append(text, '\n')
}

// appendField adds a text, in quotes where encoding/csv puts it in quotes.
func appendField(b []byte, s string) []byte {
	first, _ := utf8.DecodeRuneInString(s)
	if s != `\.` && !strings.ContainsAny(s, "\",\r\n") && (s == "" || !unicode.IsSpace(first)) {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}

// row is one line of a CSV file that is read back. The first mistake stays in
// err, with the column's name, so that callers can read all fields first.
type row struct {
	header, fields []string
	err            error
}

func (r *row) text(i int) string { return r.fields[i] }

func (r *row) number(i int) float64 {
	x, err := parseNumber(r.fields[i])
	r.fail(i, err)
	return x
}

// finite is a number that is there and not infinite.
func (r *row) finite(i int) float64 {
	x := r.number(i)
	if math.IsNaN(x) || math.Abs(x) > 1e18 {
		r.fail(i, fmt.Errorf("%q is out of range", r.fields[i]))
		return 0
	}
	return x
}

func (r *row) unsigned(i int) uint64 {
	n, err := strconv.ParseUint(r.fields[i], 10, 64)
	if err != nil {
		r.fail(i, fmt.Errorf("%q is not a whole number", r.fields[i]))
	}
	return n
}

func (r *row) fail(i int, err error) {
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%s: %w", r.header[i], err)
	}
}

// readCSV calls each for every row of a table. Errors name the file and the
// line.
func readCSV(dir fs.FS, t *table, each func(*row) error) error {
	name, header := t.csvFile(), t.header()
	f, err := dir.Open(name)
	if err != nil {
		return missing(name, err)
	}
	defer f.Close()
	text := &lastByte{Reader: f}
	c := csv.NewReader(text)
	c.ReuseRecord = true
	got, err := c.Read()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: the file is empty", name)
	}
	if err != nil {
		return damaged(name, err)
	}
	if !slices.Equal(got, header) {
		return fmt.Errorf("%s:1: the columns are %s; expected %s",
			name, plain(strings.Join(got, ",")), strings.Join(header, ","))
	}
	for line := 1; ; {
		fields, err := c.Read()
		if errors.Is(err, io.EOF) {
			if text.last != '\n' {
				return fmt.Errorf("%s:%d: the file ends in the middle of this line", name, line)
			}
			return nil
		}
		if err != nil {
			return damaged(name, err)
		}
		line, _ = c.FieldPos(0)
		r := &row{header: header, fields: fields}
		if err = each(r); err == nil {
			err = r.err
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
}

// lastByte remembers how a file ended: one that was cut off may end in the
// middle of a number.
type lastByte struct {
	io.Reader
	last byte
}

func (r *lastByte) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if n > 0 {
		r.last = b[n-1]
	}
	return n, err
}

// damaged puts file and line in front of an error of encoding/csv.
func damaged(name string, err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return fmt.Errorf("%s:%d: %w", name, p.Line, p.Err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

func missing(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: the file is missing: the result is incomplete", name)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// index finds points by the columns that name them.
type index map[string]*experiment.Point

func newIndex(r *experiment.Result) index {
	x := index{}
	for i := range r.Points {
		p := &r.Points[i]
		x[joined(append([]string{r.Scenario, p.Variant}, p.Sweep...))] = p
	}
	return x
}

// find gives the point of a row and the number of the first column after
// those that name it.
func (x index) find(r *row, axes int) (*experiment.Point, int, error) {
	n := 2 + axes
	p := x[joined(r.fields[:n])]
	if p == nil {
		return nil, 0, fmt.Errorf("the manifest has no point %s", plain(strings.Join(r.fields[:n], ",")))
	}
	return p, n, nil
}

func joined(fields []string) string { return strings.Join(fields, "\x00") }
