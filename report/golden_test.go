package report

import (
	"bytes"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"retrystorm/experiment"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with a file under testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s has changed (-want +got):\n%s", name, diff)
	}
}

func TestGoldenFiles(t *testing.T) {
	computed := []string{"comparisons.csv", "tradeoff.csv"} // by package experiment
	for _, f := range Files(smallSample()) {
		if ext := filepath.Ext(f.Name); ext != ".png" && ext != ".parquet" && ext != ".html" && !slices.Contains(computed, f.Name) {
			golden(t, f.Name, rendered(t, f))
		}
	}
	for _, f := range Files(mechanismsSample()) {
		if f.Name == "attribution.csv" || f.Name == "groups.csv" {
			golden(t, "mechanisms-"+f.Name, rendered(t, f))
		}
	}
}

func TestGoldenAftermath(t *testing.T) {
	for _, f := range Files(aftermathSample()) {
		switch f.Name {
		case "hops.csv", "queues.csv", "duplicates.csv", "dead_letters.csv", "dead_letters.jsonl", "manifest.json":
			golden(t, "aftermath-"+f.Name, rendered(t, f))
		}
	}
}

func TestGoldenOutput(t *testing.T) {
	wide := strategiesSample().result()
	wide.Points[1].Estimates[6].InfShare = 0.35
	wide.Points[2].Estimates[7].Hi = math.Inf(1)
	for i := range wide.Points {
		wide.Points[i].Estimates[9].Centre, wide.Points[i].Estimates[9].Lo, wide.Points[i].Estimates[9].Hi = 0, 0, 0
	}
	one := sample{variants: []string{"base"}, runs: 1, worst: 1}.result()
	for _, c := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"small.json", func(w io.Writer) error { return JSON(w, smallSample()) }},
		{"small.txt", func(w io.Writer) error { return tableOf(w, smallSample(), TableOptions{}) }},
		{"small-ascii.txt", func(w io.Writer) error { return tableOf(w, smallSample(), TableOptions{ASCII: true, Width: 80}) }},
		{"color.txt", func(w io.Writer) error { return tableOf(w, smallSample(), TableOptions{Color: true}) }},
		{"strategies.txt", func(w io.Writer) error { return tableOf(w, wide, TableOptions{}) }},
		{"strategies-100.txt", func(w io.Writer) error { return tableOf(w, wide, TableOptions{Width: 100}) }},
		{"mechanisms.txt", func(w io.Writer) error { return tableOf(w, mechanismsSample(), TableOptions{}) }},
		{"mechanisms-80.txt", func(w io.Writer) error { return tableOf(w, mechanismsSample(), TableOptions{ASCII: true, Width: 80}) }},
		{"trades.txt", func(w io.Writer) error { return tableOf(w, tradesSample(), TableOptions{}) }},
		{"trades-80.txt", func(w io.Writer) error { return tableOf(w, tradesSample(), TableOptions{ASCII: true, Width: 80}) }},
		{"gates.txt", func(w io.Writer) error { return tableOf(w, gatesSample(), TableOptions{Width: 120}) }},
		{"screening.txt", func(w io.Writer) error { return tableOf(w, screeningSample(), TableOptions{Width: 100}) }},
		{"bisection.txt", func(w io.Writer) error { return tableOf(w, bisectionSample(), TableOptions{Width: 100}) }},
		{"long.txt", func(w io.Writer) error { return tableOf(w, longSample(1000), TableOptions{Width: 100}) }},
		{"aftermath.txt", func(w io.Writer) error { return tableOf(w, aftermathSample(), TableOptions{Width: 120}) }},
		{"aftermath-80.txt", func(w io.Writer) error { return tableOf(w, aftermathSample(), TableOptions{ASCII: true, Width: 80}) }},
		{"aftermath.md", func(w io.Writer) error { return Markdown(w, aftermathSample()) }},
		{"aftermath.json", func(w io.Writer) error { return JSON(w, aftermathSample()) }},
		{"one.txt", func(w io.Writer) error { return tableOf(w, one, TableOptions{}) }},
	} {
		var b bytes.Buffer
		if err := c.write(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, c.name, b.Bytes())
	}
}

// tableOf writes the table of a sample, compared by the rules of the samples.
func tableOf(w io.Writer, r *experiment.Result, opt TableOptions) error {
	return render(w, r, comparisonsOf(r), opt)
}
