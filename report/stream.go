package report

import (
	"io"
	"runtime"
	"sync"

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

// maker makes a file of the steps of a pass. Most of the work is in make, which
// several goroutines call at a time; what it returns is taken in order.
type maker interface {
	make(s *step) (any, error)
	take(v any) error
	end() error
}

// pass goes over the whole points of a result, of which only those of a few
// steps are in memory.
type pass struct {
	result *experiment.Result
	scope  scope
}

// step is one step of a pass: one point, those at a place, or none where there
// is only one step.
type step struct {
	points []*experiment.Point
	lines  map[*table]*lines // rows made so far, for all files of a table
	made   []any             // by maker
}

// rows are those of a table in this step.
func (s *step) rows(t *table) []cell {
	l := s.lines[t]
	if l == nil {
		l = linePool.Get().(*lines)
		l.cells = l.cells[:0]
		t.rows(l, s.points)
		s.lines[t] = l
	}
	return l.cells
}

// linePool has lines that are not in use: their memory is most of a step's.
var linePool = sync.Pool{New: func() any { return new(lines) }}

func (s *step) release() {
	for _, l := range s.lines {
		linePool.Put(l)
	}
}

// file is a file that is made in a pass.
func (p *pass) file(name string, begin func(io.Writer) (maker, error)) File {
	return File{Name: name, pass: p, begin: begin, Write: func(w io.Writer) error {
		m, err := begin(w)
		if err != nil {
			return err
		}
		return p.run([]maker{m}, func(_ int, err error) error { return err })
	}}
}

// run makes files; named says of which one an error is.
func (p *pass) run(makers []maker, named func(k int, err error) error) error {
	steps, points := p.steps()
	err := experiment.InOrder(steps, runtime.GOMAXPROCS(0), func(i int) (*step, error) {
		s := &step{lines: map[*table]*lines{}, made: make([]any, len(makers))}
		var err error
		if s.points, err = points(i); err != nil {
			return nil, err
		}
		for k, m := range makers {
			if s.made[k], err = m.make(s); err != nil {
				return nil, named(k, err)
			}
		}
		return s, nil
	}, func(s *step) error {
		for k, m := range makers {
			if err := m.take(s.made[k]); err != nil {
				return named(k, err)
			}
		}
		s.release()
		return nil
	})
	for k, m := range makers {
		if err == nil {
			err = named(k, m.end())
		}
	}
	return err
}

// steps are how many there are, and the points of each.
func (p *pass) steps() (n int, points func(i int) ([]*experiment.Point, error)) {
	switch p.scope {
	case ofPoints:
		return len(p.result.Points), func(i int) ([]*experiment.Point, error) {
			q, err := wholePoint(p.result, i)
			return []*experiment.Point{q}, err
		}
	case ofPlaces:
		all := places(p.result)
		return len(all), func(i int) ([]*experiment.Point, error) {
			var out []*experiment.Point
			for _, k := range all[i] {
				q, err := wholePoint(p.result, k)
				if err != nil {
					return nil, err
				}
				out = append(out, stored(q))
			}
			return out, nil
		}
	default:
		return 1, func(int) ([]*experiment.Point, error) { return nil, nil }
	}
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

// tableFiles are a table as CSV and as Parquet.
func tableFiles(t *table, p *pass) []File {
	csv := p.file(t.csvFile(), func(w io.Writer) (maker, error) { return newCSVWriter(w, t) })
	return append([]File{csv}, parquetFiles(t, p)...)
}
