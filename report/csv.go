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

	"retrystorm/experiment"
)

// keys are the columns that name a point; every CSV file starts with them.
func keys(r *experiment.Result, more ...string) []string {
	return slices.Concat([]string{"scenario", "variant"}, r.Axes, more)
}

// key is what stands in the columns of keys.
func key(r *experiment.Result, p *experiment.Point, more ...string) []string {
	return slices.Concat([]string{r.Scenario, p.Variant}, p.Sweep, more)
}

// writeCSV writes a header and the rows that body yields.
func writeCSV(w io.Writer, header []string, body func(row func(...string))) error {
	c := csv.NewWriter(w)
	err := c.Write(header)
	body(func(fields ...string) {
		if err == nil {
			err = c.Write(fields)
		}
	})
	if err != nil {
		return err
	}
	c.Flush()
	return c.Error()
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

// readCSV calls each for every row of a file whose header is known. Errors
// name the file and the line.
func readCSV(dir fs.FS, name string, header []string, each func(*row) error) error {
	f, err := dir.Open(name)
	if err != nil {
		return missing(name, err)
	}
	defer f.Close()
	c := csv.NewReader(f)
	got, err := c.Read()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: the file is empty", name)
	}
	if err != nil {
		return damaged(name, err)
	}
	if !slices.Equal(got, header) {
		return fmt.Errorf("%s:1: the columns are %s; expected %s",
			name, strings.Join(got, ","), strings.Join(header, ","))
	}
	for {
		fields, err := c.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return damaged(name, err)
		}
		r := &row{header: header, fields: fields}
		if err = each(r); err == nil {
			err = r.err
		}
		if err != nil {
			line, _ := c.FieldPos(0)
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
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

// errTwice is about a row that stands in the file already.
var errTwice = errors.New("the point is there twice")

// index finds points by the columns of keys.
type index map[string]*experiment.Point

func newIndex(r *experiment.Result) index {
	x := index{}
	for i := range r.Points {
		x[joined(key(r, &r.Points[i]))] = &r.Points[i]
	}
	return x
}

// find gives the point of a row and the number of the first column after
// those that name it.
func (x index) find(r *row, axes int) (*experiment.Point, int, error) {
	n := 2 + axes
	p := x[joined(r.fields[:n])]
	if p == nil {
		return nil, 0, fmt.Errorf("the manifest has no point %s", strings.Join(r.fields[:n], ","))
	}
	return p, n, nil
}

func joined(fields []string) string { return strings.Join(fields, "\x00") }
