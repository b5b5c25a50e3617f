package report

import (
	"io"

	"retrystorm/experiment"
)

// File is one file of an output folder, and how to write it.
type File struct {
	Name string
	// Write writes the whole file.
	Write func(io.Writer) error
	// A file that is made point by point is made in one pass with others; Write
	// makes a pass of its own.
	pass  *pass
	begin func(io.Writer) (maker, error)
}

// maker makes a file of what a pass brings.
type maker interface {
	// take is given the points of step i, one or those at a place, or none where
	// there is only one step.
	take(i int, points []*experiment.Point) error
	end() error
}

// pass goes over the whole points of a result, of which only those of one step
// are in memory.
type pass struct {
	result *experiment.Result
	scope  scope
}

// file is a file that is made in a pass.
func (p *pass) file(name string, begin func(io.Writer) (maker, error)) File {
	return File{Name: name, pass: p, begin: begin, Write: func(w io.Writer) error {
		m, err := begin(w)
		if err != nil {
			return err
		}
		if err := p.run(m.take); err != nil {
			return err
		}
		return m.end()
	}}
}

// run makes the steps, in order.
func (p *pass) run(take func(i int, points []*experiment.Point) error) error {
	switch p.scope {
	case ofPoints:
		for i := range p.result.Points {
			q, err := wholePoint(p.result, i)
			if err != nil {
				return err
			}
			if err := take(i, []*experiment.Point{q}); err != nil {
				return err
			}
		}
	case ofPlaces:
		for i, place := range places(p.result) {
			var points []*experiment.Point
			for _, k := range place {
				q, err := wholePoint(p.result, k)
				if err != nil {
					return err
				}
				points = append(points, stored(q))
			}
			if err := take(i, points); err != nil {
				return err
			}
		}
	case ofResult:
		return take(0, nil)
	}
	return nil
}

// wholePoint is point i with all of its parts.
func wholePoint(r *experiment.Result, i int) (*experiment.Point, error) {
	if r.Whole != nil {
		return r.Whole(i)
	}
	return &r.Points[i], nil
}

// places are the points at each place of the sweep, by number, in order.
func places(r *experiment.Result) [][]int {
	var out [][]int
	known := map[string]int{}
	for i := range r.Points {
		key := joined(r.Points[i].Sweep)
		k, ok := known[key]
		if !ok {
			k = len(out)
			known[key] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], i)
	}
	return out
}

// rowSource makes the rows of a table once for all files made of it.
type rowSource struct {
	table *table
	lines lines
	step  int // of which the lines are; -1: of none
}

func (s *rowSource) at(i int, points []*experiment.Point) []cell {
	if s.step != i {
		s.lines.cells = s.lines.cells[:0]
		s.table.rows(&s.lines, points)
		s.step = i
	}
	return s.lines.cells
}

// tableFiles are a table as CSV and as Parquet.
func tableFiles(t *table, p *pass) []File {
	source := &rowSource{table: t, step: -1}
	return []File{
		p.file(t.csvFile(), func(w io.Writer) (maker, error) {
			out, err := newCSVWriter(w, t.columns)
			return &tableMaker{source, out}, err
		}),
		p.file(t.parquetFile(), func(w io.Writer) (maker, error) {
			return &tableMaker{source, newParquetWriter(w, t)}, nil
		}),
	}
}

// tableMaker writes the rows of a table in one of its forms.
type tableMaker struct {
	source *rowSource
	out    interface {
		add(rows []cell) error
		end() error
	}
}

func (m *tableMaker) take(i int, points []*experiment.Point) error {
	return m.out.add(m.source.at(i, points))
}

func (m *tableMaker) end() error { return m.out.end() }
