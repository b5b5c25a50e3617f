package report

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"reflect"
	"strconv"
	"strings"

	"retrystorm/experiment"
	"retrystorm/sim"
)

// A point is kept field by field in the order of its type: whole numbers as
// varints, floats with every bit, and before texts and lists how long they are.
// Rows of timelines, which are most of it, are kept number by number, each as the
// difference to that of the row before.

// EncodePoint is a point as it is kept while a run is under way.
func EncodePoint(p *experiment.Point) ([]byte, error) {
	return encodeValue(nil, reflect.ValueOf(p).Elem()), nil
}

// DecodePoint is the inverse of EncodePoint.
func DecodePoint(b []byte) (*experiment.Point, error) {
	p := new(experiment.Point)
	d := decoder{rest: b}
	d.value(reflect.ValueOf(p).Elem())
	if d.bad || len(d.rest) > 0 {
		return nil, errors.New("this is no point as this program keeps them")
	}
	return p, nil
}

var (
	rowsType   = reflect.TypeFor[[]sim.Row]()
	floatsType = reflect.TypeFor[[]float64]()
)

// pointLayout changes whenever the fields of a point do: what was kept before is
// of no use then.
func pointLayout() string {
	var b strings.Builder
	describeType(&b, reflect.TypeFor[experiment.Point]())
	return strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(b.String()))), 16)
}

func describeType(b *strings.Builder, t reflect.Type) {
	b.WriteString(t.Kind().String())
	switch t.Kind() {
	case reflect.Struct:
		for field := range t.Fields() {
			if field.IsExported() {
				b.WriteString(" " + field.Name + ":")
				describeType(b, field.Type)
			}
		}
	case reflect.Array:
		b.WriteString(strconv.Itoa(t.Len()))
		describeType(b, t.Elem())
	case reflect.Slice:
		describeType(b, t.Elem())
	}
	b.WriteString(";")
}

func encodeValue(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Struct:
		for field, value := range v.Fields() {
			if field.IsExported() {
				b = encodeValue(b, value)
			}
		}
	case reflect.Slice:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		switch v.Type() {
		case rowsType:
			return encodeRows(b, v.Interface().([]sim.Row))
		case floatsType:
			for _, x := range v.Interface().([]float64) {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
			}
			return b
		}
		for i := range v.Len() {
			b = encodeValue(b, v.Index(i))
		}
	case reflect.String:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		b = append(b, v.String()...)
	case reflect.Bool:
		n := byte(0)
		if v.Bool() {
			n = 1
		}
		b = append(b, n)
	case reflect.Int, reflect.Int64:
		b = binary.AppendVarint(b, v.Int())
	case reflect.Uint64:
		b = binary.AppendUvarint(b, v.Uint())
	case reflect.Float64:
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Float()))
	default:
		panic("report: a point has a field of kind " + v.Kind().String())
	}
	return b
}

// decoder reads what encodeValue wrote. Whatever it is given, it does not panic;
// what makes no sense is noted.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for field, value := range v.Fields() {
			if field.IsExported() {
				d.value(value)
			}
		}
	case reflect.Slice:
		d.slice(v)
	case reflect.String:
		v.SetString(string(d.bytes(d.length(1))))
	case reflect.Bool:
		v.SetBool(d.uint() != 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(d.int())
	case reflect.Uint64:
		v.SetUint(d.uint())
	case reflect.Float64:
		v.SetFloat(d.float())
	}
}

func (d *decoder) slice(v reflect.Value) {
	switch v.Type() {
	case rowsType:
		v.Set(reflect.ValueOf(d.rows()))
		return
	case floatsType:
		if n := d.length(8); n > 0 {
			list := make([]float64, n)
			for i := range list {
				list[i] = d.float()
			}
			v.Set(reflect.ValueOf(list))
		}
		return
	}
	if n := d.length(1); n > 0 {
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			d.value(v.Index(i))
		}
	}
}

// length reads how many elements follow, of some bytes at least.
func (d *decoder) length(size int) int {
	n := d.uint()
	if n > uint64(len(d.rest)/size) {
		d.bad = true
		return 0
	}
	return int(n)
}

func (d *decoder) bytes(n int) []byte {
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) uint() uint64 { return varint(d, binary.Uvarint) }

func (d *decoder) int() int64 { return varint(d, binary.Varint) }

func varint[T int64 | uint64](d *decoder, read func([]byte) (T, int)) T {
	x, n := read(d.rest)
	if n <= 0 {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[n:]
	return x
}

func (d *decoder) float() float64 {
	if len(d.rest) < 8 {
		d.bad, d.rest = true, nil
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(d.bytes(8)))
}

// rowField is one number of a row of a timeline.
type rowField struct {
	get func(*sim.Row) uint64
	set func(*sim.Row, uint64)
}

func rowFields() []rowField {
	var list []rowField
	count := func(of func(*sim.Row) *int64) {
		list = append(list, rowField{
			func(x *sim.Row) uint64 { return uint64(*of(x)) },
			func(x *sim.Row, v uint64) { *of(x) = int64(v) },
		})
	}
	area := func(of func(*sim.Row) *sim.Sum) {
		list = append(list,
			rowField{func(x *sim.Row) uint64 { return of(x).Hi }, func(x *sim.Row, v uint64) { of(x).Hi = v }},
			rowField{func(x *sim.Row) uint64 { return of(x).Lo }, func(x *sim.Row, v uint64) { of(x).Lo = v }})
	}
	count(func(x *sim.Row) *int64 { return &x.Arrivals })
	count(func(x *sim.Row) *int64 { return &x.Retries })
	count(func(x *sim.Row) *int64 { return &x.Succeeded })
	count(func(x *sim.Row) *int64 { return &x.Wasted })
	count(func(x *sim.Row) *int64 { return &x.Failed })
	area(func(x *sim.Row) *sim.Sum { return &x.InService })
	area(func(x *sim.Row) *sim.Sum { return &x.Waiting })
	area(func(x *sim.Row) *sim.Sum { return &x.Capacity })
	for c := range sim.Causes {
		count(func(x *sim.Row) *int64 { return &x.Causes[c] })
	}
	return list
}

// encodeRows writes for each number that rows have a byte, 0 when it is 0 in all
// of them, and the differences when it is not.
func encodeRows(b []byte, rows []sim.Row) []byte {
	for _, field := range rowFields() {
		if field.nowhere(rows) {
			b = append(b, 0)
			continue
		}
		b = append(b, 1)
		last := uint64(0)
		for i := range rows {
			v := field.get(&rows[i])
			b = binary.AppendVarint(b, int64(v-last))
			last = v
		}
	}
	return b
}

// nowhere reports whether the number is 0 in all rows.
func (f *rowField) nowhere(rows []sim.Row) bool {
	for i := range rows {
		if f.get(&rows[i]) != 0 {
			return false
		}
	}
	return true
}

func (d *decoder) rows() []sim.Row {
	// Numbers that are 0 throughout take no room, so nothing else limits how
	// many rows there are.
	n := d.uint()
	if n > longestTimeline {
		d.bad = true
	}
	if n == 0 || d.bad {
		return nil
	}
	rows := make([]sim.Row, n)
	for _, field := range rowFields() {
		if d.uint() == 0 {
			continue
		}
		b, last := d.rest, uint64(0)
		for i := range rows {
			if len(b) > 0 && b[0] < 0x80 { // most are small
				last += uint64(int64(b[0]>>1) ^ -int64(b[0]&1))
				b = b[1:]
			} else {
				x, size := binary.Varint(b)
				if size <= 0 {
					d.bad, d.rest = true, nil
					return nil
				}
				last += uint64(x)
				b = b[size:]
			}
			field.set(&rows[i], last)
		}
		d.rest = b
	}
	return rows
}

// longestTimeline is more than a timeline ever has.
const longestTimeline = 1 << 16
