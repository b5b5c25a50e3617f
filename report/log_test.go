package report

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"retrystorm/experiment"
)

func mustOpenLog(t *testing.T, path string) *pointLog {
	t.Helper()
	l, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.close() })
	return l
}

// value is what tests save under a key: some of it compresses.
func value(key string) []byte { return []byte(strings.Repeat(key+" ", len(key)*7)) }

// A log that was cut off at any byte has all records before, and goes on; the
// damage is named to those who only read.
func TestLogCutAtEveryByte(t *testing.T) {
	dir := t.TempDir()
	l := mustOpenLog(t, filepath.Join(dir, "whole"))
	keys := []string{"a", "bb", "", "dddd"}
	ends := []int64{l.end}
	for _, key := range keys {
		if err := l.save(key, value(key)); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, l.end)
	}
	l.close()
	whole, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) + 1 {
		path := filepath.Join(dir, "cut")
		if err := os.WriteFile(path, whole[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		good := 0
		for good < len(keys) && int64(n) >= ends[good+1] {
			good++
		}
		l, err := readLog(path, nil)
		if err == nil {
			l.close()
		}
		switch atEnd := slices.Contains(ends, int64(n)); {
		case atEnd && err != nil:
			t.Errorf("%d bytes: %v", n, err)
		case !atEnd && n < len(logMagic) && fmt.Sprint(err) != "it is damaged at its beginning",
			!atEnd && n > len(logMagic) && fmt.Sprint(err) != fmt.Sprintf("it ends in the middle of record %d", good+1):
			t.Errorf("%d bytes: %v", n, err)
		}
		l = mustOpenLog(t, path)
		if !slices.Equal(l.list(), keys[:good]) {
			t.Fatalf("%d bytes: the keys are %q, want %q", n, l.list(), keys[:good])
		}
		if err := l.save("after", value("after")); err != nil {
			t.Fatal(err)
		}
		l.close()
		l, err = readLog(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range append(slices.Clone(keys[:good]), "after") {
			if got, ok := l.load(key); !ok || !bytes.Equal(got, value(key)) {
				t.Errorf("%d bytes: %q has become %q", n, key, got)
			}
		}
		l.close()
	}
}

// No byte can change without being noticed.
func TestLogDamagedAtEveryByte(t *testing.T) {
	path := filepath.Join(t.TempDir(), logFile)
	l := mustOpenLog(t, path)
	for _, key := range []string{"a", "bb"} {
		if err := l.save(key, value(key)); err != nil {
			t.Fatal(err)
		}
	}
	second := l.spans["bb"].at - recordHead - 2
	l.close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		b := slices.Clone(whole)
		b[n] ^= 0x10
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readLog(path, nil); err == nil {
			t.Errorf("damage at byte %d was not noticed", n)
		}
		l := mustOpenLog(t, path)
		if _, ok := l.load("a"); ok != (int64(n) >= second) {
			t.Errorf("damage at byte %d: the first record is there: %v", n, ok)
		}
		if _, ok := l.load("bb"); ok {
			t.Errorf("damage at byte %d: the second record is there", n)
		}
		l.close()
	}
}

// Damage that comes while the log is open is noticed too.
func TestLoadChecks(t *testing.T) {
	l := mustOpenLog(t, filepath.Join(t.TempDir(), logFile))
	if err := l.save("a", value("a")); err != nil {
		t.Fatal(err)
	}
	if _, err := l.file.WriteAt([]byte{'#'}, l.spans["a"].at); err != nil {
		t.Fatal(err)
	}
	if _, ok := l.load("a"); ok {
		t.Error("a damaged record was given out")
	}
}

// What is saved last counts.
func TestLogKeepsTheLast(t *testing.T) {
	path := filepath.Join(t.TempDir(), logFile)
	l := mustOpenLog(t, path)
	for _, v := range []string{"one", "two"} {
		if err := l.save("a", []byte(v)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if got, _ := l.load("a"); string(got) != "two" || len(l.list()) != 1 {
			t.Errorf("got %q of %d", got, len(l.list()))
		}
		l.close()
		l = mustOpenLog(t, path)
	}
	l.close()
	if err := l.save("b", nil); err == nil {
		t.Error("a closed log was written to")
	}
}

func TestLogFromSeveralGoroutines(t *testing.T) {
	path := filepath.Join(t.TempDir(), logFile)
	l := mustOpenLog(t, path)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 50 {
				key := fmt.Sprint(g, "/", i)
				if err := l.save(key, value(key)); err != nil {
					t.Error(err)
				}
				if got, ok := l.load(key); !ok || !bytes.Equal(got, value(key)) {
					t.Errorf("%s has become %q", key, got)
				}
			}
		})
	}
	all.Wait()
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	if l = mustOpenLog(t, path); len(l.list()) != 200 {
		t.Errorf("%d keys", len(l.list()))
	}
}

// filled gives every field below v a value of its own.
func filled(v reflect.Value, next *int) {
	*next++
	switch v.Kind() {
	case reflect.Struct:
		for field, value := range v.Fields() {
			if field.IsExported() {
				filled(value, next)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range 3 {
			filled(v.Index(i), next)
		}
	case reflect.Array:
		for i := range v.Len() {
			filled(v.Index(i), next)
		}
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *next))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(float64(*next) / 3)
	case reflect.Uint64:
		v.SetUint(math.MaxUint64 - uint64(*next))
	default:
		v.SetInt(-int64(*next))
	}
}

// A point keeps every bit of every field, those to come too.
func TestEncodedPointIsTheSame(t *testing.T) {
	var all experiment.Point
	next := 0
	filled(reflect.ValueOf(&all).Elem(), &next)
	points := []experiment.Point{all, {}}
	for _, r := range []*experiment.Result{smallSample(), mechanismsSample(), designsSample()} {
		points = append(points, r.Points...)
	}
	for i := range points {
		b, err := EncodePoint(&points[i])
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodePoint(b)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&points[i], back, cmpopts.EquateNaNs(), cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(experiment.Point{})); diff != "" {
			t.Error(diff)
		}
	}
}

// Whatever is decoded, it is a point or an error.
func TestDecodePointOfNonsense(t *testing.T) {
	p := &smallSample().Points[0]
	whole, err := EncodePoint(p)
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if _, err := DecodePoint(whole[:n]); err == nil {
			t.Errorf("%d of %d bytes are a point", n, len(whole))
		}
		b := slices.Clone(whole)
		b[n] = 0xff
		_, _ = DecodePoint(b)
	}
	if _, err := DecodePoint(append(whole, 0)); err == nil {
		t.Error("a point with something behind it is one")
	}
}

// A point of three services, 600 rows each.
func BenchmarkPoint(b *testing.B) {
	r := sample{variants: []string{"none"}, runs: 20, worst: 1}.result()
	p := &r.Points[0]
	rows := p.Timelines[0].Rows
	for len(rows) < 600 {
		rows = append(rows, rows...)
	}
	p.Timelines[0].Rows = rows[:600]
	p.Timelines = append(p.Timelines[:1], p.Timelines[0], p.Timelines[0])
	code, _ := EncodePoint(p)
	small, _ := compressed(code)
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			_, _ = EncodePoint(p)
		}
		b.ReportMetric(float64(len(code)), "bytes")
	})
	b.Run("compress", func(b *testing.B) {
		for b.Loop() {
			_, _ = compressed(code)
		}
		b.ReportMetric(float64(len(small)), "bytes")
	})
	b.Run("expand", func(b *testing.B) {
		for b.Loop() {
			_, _ = expanded(small)
		}
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			_, _ = DecodePoint(code)
		}
	})
}
