//go:build !js

package report

import (
	"io"
	"reflect"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

const (
	// rowGroupCells is how many values a row group has at most: what is kept in
	// memory of each file being written.
	rowGroupCells = 1 << 18
	// pageBytes is after how many bytes a column begins another page.
	pageBytes = 64 << 10
)

// parquetWriter writes a table as Parquet, not compressed: codecs have other
// code, and so other bytes, on other architectures.
type parquetWriter struct {
	out     *parquet.GenericWriter[any]
	table   *table
	columns []tableColumn
	values  []parquet.Value // of one column
	rows    int             // in the row group
	group   int             // rows of a full one
}

func (t *table) parquetFile() string { return t.name + ".parquet" }

// parquetFiles are a table as Parquet.
func parquetFiles(t *table, p *pass) []File {
	return []File{p.file(t.parquetFile(), func(w io.Writer) (maker, error) { return newParquetWriter(w, t), nil })}
}

func newParquetWriter(w io.Writer, t *table) *parquetWriter {
	return &parquetWriter{
		table: t, columns: t.columns,
		group: max(1, rowGroupCells/len(t.columns)),
		out: parquet.NewGenericWriter[any](w, parquetSchema(t),
			parquet.CreatedBy(tool, strconv.Itoa(ResultsVersion), strconv.Itoa(FormatVersion)),
			parquet.PageBufferSize(pageBytes),
			parquet.DataPageStatistics(true)),
	}
}

func (w *parquetWriter) make(s *step) (any, error) { return s.rows(w.table), nil }

// take writes rows, column by column.
func (w *parquetWriter) take(v any) error {
	cells := v.([]cell)
	width := len(w.columns)
	for len(cells) > 0 {
		n := min(len(cells)/width, w.group-w.rows)
		for i, column := range w.out.ColumnWriters() {
			w.values = w.values[:0]
			for k := i; k < n*width; k += width {
				w.values = append(w.values, parquetValue(w.columns[i].kind, cells[k], i))
			}
			if _, err := column.WriteRowValues(w.values); err != nil {
				return err
			}
		}
		cells = cells[n*width:]
		if w.rows += n; w.rows == w.group {
			if err := w.out.Flush(); err != nil {
				return err
			}
			w.rows = 0
		}
	}
	return nil
}

func (w *parquetWriter) end() error { return w.out.Close() }

func parquetValue(k kind, c cell, column int) parquet.Value {
	switch k {
	case words:
		return parquet.ValueOf(c.text).Level(0, 0, column)
	case numeric:
		x := c.number()
		if x != x {
			return parquet.NullValue().Level(0, 0, column)
		}
		return parquet.DoubleValue(x).Level(0, 1, column)
	default:
		return parquet.Int64Value(int64(c.bits)).Level(0, 0, column)
	}
}

// parquetSchema has the columns in their order; a parquet.Group would sort them
// by name.
func parquetSchema(t *table) *parquet.Schema {
	var g columnGroup
	for _, c := range t.columns {
		g.fields = append(g.fields, columnField{parquetNode(c.kind), c.name})
	}
	return parquet.NewSchema(t.name, g)
}

// parquetNode is a column. Texts are kept as what differs from the text before:
// the indices of a dictionary are packed in other ways on other architectures.
func parquetNode(k kind) parquet.Node {
	switch k {
	case words:
		return parquet.Encoded(parquet.String(), &parquet.DeltaByteArray)
	case unsigned:
		return parquet.Encoded(parquet.Uint(64), &parquet.Plain)
	case whole64:
		return parquet.Encoded(parquet.Leaf(parquet.Int64Type), &parquet.Plain)
	default:
		return parquet.Optional(parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.Plain))
	}
}

// columnGroup is a parquet.Group in order.
type columnGroup struct {
	parquet.Group
	fields []parquet.Field
}

func (g columnGroup) Fields() []parquet.Field { return g.fields }

// GoType is a type that nothing is ever read into or written from.
func (columnGroup) GoType() reflect.Type { return reflect.TypeFor[struct{}]() }

type columnField struct {
	parquet.Node
	name string
}

func (f columnField) Name() string { return f.name }

func (f columnField) Value(reflect.Value) reflect.Value { return reflect.Value{} }
