package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"

	"retrystorm/experiment"
)

// designsSample has what only some designs bring.
func designsSample() *experiment.Result {
	r := sample{variants: []string{"none", "full-jitter"}, clients: []string{"10", "unlimited"}, regions: []string{"2s", "30/min"}, runs: 2, worst: 2}.result()
	r.Design, r.Reference, r.Exchange, r.AutoWarmup = "morris", "full-jitter", 250, true
	nan, inf := math.NaN(), math.Inf(1)
	r.Sensitivity = []experiment.Effect{
		{Variant: "none", Metric: "total_calls", Axis: "clients.count", MuStar: 100.0 / 3, Lo: 1, Hi: 70, Mu: -2, Sigma: 5, Trajectories: 4},
		{Variant: "none", Metric: "recovery", Axis: "services.db.workers", MuStar: inf, Lo: nan, Hi: nan, Mu: nan, Sigma: nan},
	}
	r.Crossings = []experiment.Crossing{
		{Variant: "none", Sweep: []string{"10"}, Axis: "services.db.workers", Low: experiment.Pass, High: experiment.Fail, From: "2s", To: "3s", Lo: "1s", Hi: "4s", Evaluated: 12},
		{Variant: "full-jitter", Sweep: []string{"unlimited"}, Axis: "services.db.workers", Low: experiment.Pass, High: experiment.Pass, Evaluated: 2},
	}
	r.Expectations = []experiment.Judgement{{Text: "failed_share < 1%", Line: 3, Ruling: experiment.Unclear, Need: 40, Cases: []experiment.Case{
		{Point: "none", Ruling: experiment.Pass}, {Point: "full-jitter", Ruling: experiment.Unclear, Detail: "0.9 % [0.8 %, 1.1 %]", Need: 40},
	}}}
	for i := range r.Points {
		r.Points[i].Warmup = 12_345_678_901
	}
	r.Points[1].Imprecise = true
	r.Points[0].Runs[0].Seed = math.MaxUint64
	return r
}

// Texts are in quotes exactly where encoding/csv puts them in quotes.
func TestAppendField(t *testing.T) {
	for _, s := range []string{
		"", "a", "a b", " a", "\ta", "\u00a0a", "a,b", `say "x"`, `"`, "two\nlines", "a\rb", "\r\n", `\.`, `\.x`, "é", "\xff", "#",
	} {
		var want bytes.Buffer
		w := csv.NewWriter(&want)
		if err := w.Write([]string{s, "x"}); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		if got := string(appendField(nil, s)) + ",x\n"; got != want.String() {
			t.Errorf("%q: got %q, want %q", s, got, &want)
		}
	}
}

// readParquet gives the rows of a file as a CSV file shows them.
func readParquet(t *testing.T, b []byte) (columns []tableColumn, rows [][]string) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Metadata().CreatedBy; got != "retrystorm version 1(build 4)" {
		t.Errorf("created by %q", got)
	}
	for _, c := range f.Root().Columns() {
		k := words
		switch c.Type().Kind() {
		case parquet.Int64:
			k = whole64
			if c.Type().String() == parquet.Uint(64).Type().String() {
				k = unsigned
			}
		case parquet.Double:
			k = numeric
		}
		columns = append(columns, tableColumn{name: c.Name(), kind: k})
	}
	for _, group := range f.RowGroups() {
		in := group.Rows()
		buffer := make([]parquet.Row, 10)
		for {
			n, err := in.ReadRows(buffer)
			for _, row := range buffer[:n] {
				var fields []string
				for i, v := range row {
					switch {
					case v.IsNull():
						fields = append(fields, "")
					case columns[i].kind == words:
						fields = append(fields, v.String())
					case columns[i].kind == whole64:
						fields = append(fields, strconv.FormatInt(v.Int64(), 10))
					case columns[i].kind == unsigned:
						fields = append(fields, strconv.FormatUint(v.Uint64(), 10))
					default:
						if x := v.Double(); math.Signbit(x) && x == 0 || x != Rounded(x) {
							t.Errorf("%s: %v is not as a CSV file has it", columns[i].name, x)
						}
						fields = append(fields, Number(v.Double()))
					}
				}
				rows = append(rows, fields)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		in.Close()
	}
	return columns, rows
}

// A Parquet file has what its CSV file has, with types, and the values of the
// sweep as numbers.
func TestParquetEqualsCSV(t *testing.T) {
	for name, r := range map[string]*experiment.Result{
		"small": smallSample(), "mechanisms": mechanismsSample(), "designs": designsSample(),
	} {
		files := folderOf(t, r)
		for _, table := range tables(r) {
			columns, rows := readParquet(t, files[table.parquetFile()].Data)
			var kept []int
			for i, c := range columns {
				want := table.columns[i]
				if c.name != want.name || c.kind != want.kind {
					t.Errorf("%s %s: column %s is %v, want %s, %v", name, table.name, c.name, c.kind, want.name, want.kind)
				}
				if !want.typed {
					kept = append(kept, i)
				}
			}
			got := [][]string{table.header()}
			for _, row := range rows {
				var fields []string
				for _, i := range kept {
					fields = append(fields, row[i])
				}
				got = append(got, fields)
			}
			want, err := csv.NewReader(bytes.NewReader(files[table.csvFile()].Data)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s %s (-CSV +Parquet):\n%s", name, table.name, diff)
			}
		}
	}
	_, rows := readParquet(t, folderOf(t, designsSample())["summary.parquet"].Data)
	var values []string
	for _, row := range rows[:4] {
		values = append(values, row[4]+" "+row[5])
	}
	if want := []string{"10 2", "10 0.5", " 2", " 0.5"}; !slices.Equal(values, want) {
		t.Errorf("the values of the sweep are %q, want %q", values, want)
	}
}

// Row groups have a fixed number of rows, however the rows come.
func TestParquetRowGroups(t *testing.T) {
	table := &table{name: "narrow", columns: columnsOf(whole64, "a", "", "b", "")}
	var b bytes.Buffer
	w := newParquetWriter(&b, table)
	w.group = 4
	next := 0
	for _, rows := range []int{1, 9, 3} {
		var l lines
		for range 2 * rows {
			l.whole(next)
			next++
		}
		if err := w.take(l.cells); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.end(); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, g := range f.RowGroups() {
		got = append(got, g.NumRows())
	}
	if want := []int64{4, 4, 4, 1}; !slices.Equal(got, want) {
		t.Errorf("row groups of %v rows, want %v", got, want)
	}
	_, rows := readParquet(t, b.Bytes())
	for i, row := range rows {
		if want := []string{strconv.Itoa(2 * i), strconv.Itoa(2*i + 1)}; !slices.Equal(row, want) {
			t.Errorf("row %d is %q", i, row)
		}
	}
}

// Parquet files have the same bytes on every processor.
func TestGoldenParquet(t *testing.T) {
	var list bytes.Buffer
	for _, c := range []struct {
		name   string
		result *experiment.Result
	}{{"small", smallSample()}, {"mechanisms", mechanismsSample()}, {"designs", designsSample()}} {
		for _, f := range Files(c.result) {
			if filepath.Ext(f.Name) == ".parquet" && !strings.HasPrefix(f.Name, "comparisons") && !strings.HasPrefix(f.Name, "tradeoff") {
				fmt.Fprintf(&list, "%s %s %x\n", c.name, f.Name, sha256.Sum256(rendered(t, f)))
			}
		}
	}
	golden(t, "parquet.txt", list.Bytes())
}

// noise is a table of which nothing is regular: texts of all lengths, runs of
// equal ones, gaps of all lengths, numbers of all sizes.
func noise() (*table, []cell) {
	t := &table{name: "noise", columns: slices.Concat(
		columnsOf(words, "text", "", "long", "", "equal", ""), columnsOf(whole64, "whole", ""), columnsOf(unsigned, "unsigned", ""),
		columnsOf(numeric, "number", "", "gaps", "", "empty", ""))}
	var l lines
	state := uint64(1)
	next := func() uint64 {
		state = state*6364136223846793005 + 1442695040888963407
		return state >> 33
	}
	gap := false
	for i := range 20_000 {
		l.text(strings.Repeat("é", int(next()%9)), strings.Repeat(strconv.FormatUint(next(), 3), int(next()%40)), fmt.Sprint("point ", i/int(1+next()%700)))
		l.whole(int(next()) - 1<<30)
		l.unsigned(next() << (next() % 34))
		if next()%uint64(1+i/500) == 0 {
			gap = !gap
		}
		x := float64(int64(next())-1<<30) / float64(1+next())
		switch next() % 50 {
		case 0:
			x = math.Inf(1)
		case 1:
			x = math.Inf(-1)
		}
		y := x
		if gap {
			y = math.NaN()
		}
		l.number(x, y, math.NaN())
	}
	return t, l.cells
}

// The library has code of its own for some processors, which must not show.
func TestGoldenParquetOfNoise(t *testing.T) {
	of, cells := noise()
	var b, c bytes.Buffer
	w := newParquetWriter(&b, of)
	w.group = 7_000
	out, err := newCSVWriter(&c, of)
	if err != nil {
		t.Fatal(err)
	}
	text, err := out.make(&step{lines: map[*table]*lines{of: {cells: cells}}})
	if err := errors.Join(err, w.take(cells), w.end(), out.take(text)); err != nil {
		t.Fatal(err)
	}
	golden(t, "noise.txt", fmt.Appendf(nil, "%x\n", sha256.Sum256(b.Bytes())))
	want, err := csv.NewReader(&c).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	_, rows := readParquet(t, b.Bytes())
	for i, row := range rows {
		if !slices.Equal(row, want[i+1]) {
			t.Fatalf("row %d: %q, want %q", i, row, want[i+1])
		}
	}
	if len(rows) != len(want)-1 {
		t.Errorf("%d rows, want %d", len(rows), len(want)-1)
	}
}

// The columns of a table depend on the scenario, not on what came out.
func TestSchemaIsStable(t *testing.T) {
	for _, s := range []sample{
		{variants: []string{"a", "b"}, clients: []string{"1", "2"}, runs: 3, worst: 2},
		{variants: []string{"a", "b"}, clients: []string{"1", "2"}, runs: 1, worst: 90, never: true, zero: true},
	} {
		var schema []string
		for _, table := range tables(s.result()) {
			schema = append(schema, parquetSchema(table).String())
		}
		want := tables(sample{variants: []string{"a", "b"}, clients: []string{"1", "2"}, runs: 2, worst: 1}.result())
		for i, table := range want {
			if schema[i] != parquetSchema(table).String() {
				t.Errorf("%s: %s", table.name, schema[i])
			}
		}
	}
}

// What a run computed and what is read back compare the same.
func TestComparisonsOfWhatIsStored(t *testing.T) {
	r := smallSample()
	r.Points[0].Runs[0].Values[0] = 1.0 / 3
	r.Points[0].Estimates[0].Lo = 2.0 / 3
	got := stored(&r.Points[0])
	if got.Runs[0].Values[0] != 0.333333333 || got.Estimates[0].Lo != 0.666666667 {
		t.Errorf("%v, %v", got.Runs[0].Values[0], got.Estimates[0].Lo)
	}
	if r.Points[0].Runs[0].Values[0] != 1.0/3 || r.Points[0].Estimates[0].Lo != 2.0/3 {
		t.Error("the point itself has changed")
	}
}

// rowsOf gives the rows of a table as text.
func rowsOf(t *testing.T, of *table, cells []cell) []string {
	t.Helper()
	var b bytes.Buffer
	w, err := newCSVWriter(&b, of)
	if err != nil {
		t.Fatal(err)
	}
	text, err := w.make(&step{lines: map[*table]*lines{of: {cells: cells}}})
	if err == nil {
		err = w.take(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(b.String()), "\n")
}

func TestComparisonRows(t *testing.T) {
	r := designsSample()
	r.Metrics = r.Metrics[:2]
	var l lines
	l.of(r, &r.Points[0])
	never := experiment.Estimate{Centre: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
	l.contrasts(r, []experiment.Contrast{
		{Comparison: experiment.Comparison{Pairs: 5, Difference: experiment.Estimate{Centre: -3, Lo: -4, Hi: -2, N: 5}, Ratio: 0.5, Correlation: 0.9, P: 0.01}, RatioLo: 0.4, RatioHi: 0.6, Adjusted: 0.02, Direction: -1},
		{Comparison: experiment.Comparison{Pairs: 6, Difference: never, Ratio: math.NaN(), Correlation: math.NaN(), P: 1, Sign: true}, RatioLo: math.NaN(), RatioHi: math.NaN(), Adjusted: 1},
	})
	want := []string{
		"scenario,variant,clients.count,services.db.workers,reference,metric,difference,lo,hi,ratio,ratio_lo,ratio_hi,pairs,correlation,p,p_adjusted,test,direction",
		"recovering-server,none,10,2s,full-jitter,total_calls,-3,-4,-2,0.5,0.4,0.6,5,0.9,0.01,0.02,t,-1",
		"recovering-server,none,10,2s,full-jitter,amplification,,,,,,,6,,1,1,sign,0",
	}
	if diff := cmp.Diff(want, rowsOf(t, comparisonsTable(r), l.cells)); diff != "" {
		t.Error(diff)
	}
}

func TestTradeoffRows(t *testing.T) {
	r := designsSample()
	x := &experiment.Tradeoff{By: "full-jitter", Cost: experiment.Estimate{Centre: 10, Lo: 9, Hi: 11}}
	var l lines
	l.of(r, &r.Points[0])
	l.tradeoff(r, x)
	r.Exchange = 0
	l.tradeoff(r, &experiment.Tradeoff{Front: true})
	want := []string{
		"scenario,variant,clients.count,services.db.workers,front,dominated_by,cost_median,cost_lo,cost_hi",
		"recovering-server,none,10,2s,0,full-jitter,10,9,11",
		"recovering-server,none,10,2s,1,,,,",
	}
	if diff := cmp.Diff(want, rowsOf(t, tradeoffTable(r), l.cells)); diff != "" {
		t.Error(diff)
	}
}

// Comparisons are there only where there is something to compare with.
func TestTablesOfOneVariant(t *testing.T) {
	has := func(r *experiment.Result, name string) bool {
		return slices.ContainsFunc(tables(r), func(t *table) bool { return t.name == name })
	}
	one := sample{variants: []string{"base"}, runs: 2, worst: 1}.result()
	if has(one, "comparisons") || has(one, "tradeoff") {
		t.Error("there is nothing to compare")
	}
	two := smallSample()
	if !has(two, "comparisons") || !has(two, "tradeoff") || has(two, "bisect") || has(two, "sensitivity") {
		t.Error("two variants are compared")
	}
	two.Reference = "left out"
	if has(two, "comparisons") || !has(two, "tradeoff") {
		t.Error("there is no reference")
	}
}

// brief is a result of a long sweep: of most points there are only estimates,
// and the others come one by one.
func brief(r *experiment.Result, whole func(i int)) *experiment.Result {
	short := *r
	short.Points = slices.Clone(r.Points)
	for i := range short.Points {
		p := &short.Points[i]
		if !slices.Equal(p.Sweep, severest(r)) {
			p.Runs, p.Timelines, p.Completion, p.Hops, p.Attribution, p.Shading = nil, nil, nil, nil, nil, nil
			for k := range p.Groups {
				p.Groups = slices.Clone(p.Groups)
				p.Groups[k].Estimates = nil
			}
		}
	}
	short.Whole = func(i int) (*experiment.Point, error) {
		whole(i)
		return &r.Points[i], nil
	}
	return &short
}

// Every file and picture of a result whose points come one by one is that of the
// result in memory; and each is read twice, for its own rows and for those about
// its place, and again when the page shows it.
func TestStreamedFilesAreTheSame(t *testing.T) {
	for _, r := range []*experiment.Result{smallSample(), mechanismsSample(), designsSample()} {
		want := folderOf(t, r)
		read := make([]atomic.Int64, len(r.Points))
		short := brief(r, func(i int) { read[i].Add(1) })
		dir := t.TempDir()
		isPicture := func(f File) bool { return filepath.Ext(f.Name) == ".png" }
		if err := writeFiles(dir, slices.DeleteFunc(Files(short), isPicture)); err != nil {
			t.Fatal(err)
		}
		samePictures(t, r, short)
		for i := range read {
			want := int64(3)
			if slices.Equal(r.Points[i].Sweep, severest(r)) {
				want = 2 // it is in memory
			}
			if n := read[i].Load(); n != want {
				t.Errorf("point %d was read %d times", i, n)
			}
		}
		for name, f := range want {
			got, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || !bytes.Equal(got, f.Data) {
				t.Errorf("%s differs: %v", name, err)
			}
		}
		var a, b bytes.Buffer
		if err := errors.Join(JSON(&a, r), JSON(&b, short)); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("JSON differs: %v", err)
		}
		a.Reset()
		b.Reset()
		if err := errors.Join(Table(&a, r, TableOptions{}), Table(&b, short, TableOptions{})); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("the table differs: %v", err)
		}
		a.Reset()
		if err := Summary(&a, short); err != nil || !bytes.Equal(a.Bytes(), want["summary.csv"].Data) {
			t.Errorf("the summary differs: %v", err)
		}
	}
}

// A point that cannot be read ends the writing, and no file stays.
func TestStreamFails(t *testing.T) {
	r := smallSample()
	lost := errors.New("lost")
	r.Whole = func(i int) (*experiment.Point, error) {
		if i == 2 {
			return nil, lost
		}
		return &r.Points[i], nil
	}
	dir := t.TempDir()
	if err := writeFiles(dir, Files(r)); !errors.Is(err, lost) {
		t.Errorf("got %v", err)
	}
	for _, name := range names(t, dir) {
		if strings.HasPrefix(name, "summary") || name == manifestFile {
			t.Errorf("%s is there", name)
		}
	}
}

// Points at one place are found by their values, whatever the order.
func TestPlaces(t *testing.T) {
	r := &experiment.Result{Axes: []string{"x", "y"}}
	for _, p := range [][]string{{"a", "1", "2"}, {"a", "3", "1"}, {"a", "12", ""}, {"b", "3", "1"}, {"b", "1", "2"}} {
		r.Points = append(r.Points, experiment.Point{Variant: p[0], Sweep: p[1:]})
	}
	if diff := cmp.Diff([][]int{{0, 4}, {1, 3}, {2}}, places(r)); diff != "" {
		t.Error(diff)
	}
	if got := severest(r); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("the severest place is %q", got)
	}
}

// A result that is read back has what judgements and designs say.
func TestReadKeepsDesigns(t *testing.T) {
	want := designsSample()
	got, err := Read(folderOf(t, want))
	if err != nil {
		t.Fatal(err)
	}
	options := cmp.Options{cmpopts.EquateNaNs(), cmpopts.EquateEmpty(), cmpopts.EquateApprox(1e-8, 0), cmpopts.IgnoreFields(experiment.Result{}, "Points")}
	if diff := cmp.Diff(want, got, options); diff != "" {
		t.Error(diff)
	}
	for i := range want.Points {
		p, q := &want.Points[i], &got.Points[i]
		if p.Warmup != q.Warmup || p.Imprecise != q.Imprecise || p.Replications != q.Replications || !cmp.Equal(p.Numbers, q.Numbers, cmpopts.EquateNaNs()) {
			t.Errorf("point %d: %v %v %v %v", i, q.Warmup, q.Imprecise, q.Replications, q.Numbers)
		}
	}
}

// A baseline needs three files and gives estimates and runs.
func TestReadBaseline(t *testing.T) {
	r := designsSample()
	all := folderOf(t, r)
	dir := fstest.MapFS{}
	for _, name := range []string{manifestFile, "summary.csv", "runs.csv"} {
		dir[name] = all[name]
	}
	got, err := ReadBaseline(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got.Points {
		p, want := &got.Points[i], &r.Points[i]
		if diff := cmp.Diff([]any{want.Runs, want.Estimates}, []any{p.Runs, p.Estimates}, cmpopts.EquateNaNs(), cmpopts.EquateApprox(1e-8, 0)); diff != "" {
			t.Error(diff)
		}
		if p.Timelines != nil || p.Shading != nil {
			t.Errorf("%+v", p)
		}
	}
	delete(dir, "runs.csv")
	if _, err := ReadBaseline(dir); err == nil || !strings.Contains(err.Error(), "runs.csv: the file is missing") {
		t.Errorf("got %v", err)
	}
}
