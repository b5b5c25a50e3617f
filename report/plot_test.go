package report

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"retrystorm/experiment"
)

func plotSamples() map[string]*experiment.Result {
	sweep := []string{"10", "20", "50", "100", "150", "200"}
	return map[string]*experiment.Result{
		"strategies": strategiesSample().result(),
		"sweep":      sample{variants: strategiesSample().variants, clients: sweep, runs: 20, worst: 1.9}.result(),
		"linear":     sample{variants: strategiesSample().variants, clients: []string{"100ms", "150ms", "200ms", "1s"}, runs: 20, worst: 1.2}.result(),
		"grid": sample{
			variants: []string{"none", "full-jitter"}, clients: sweep, regions: []string{"1", "2", "3", "4"}, runs: 4, worst: 2,
		}.result(),
		"words":      sample{variants: []string{"none", "full-jitter"}, clients: []string{"lifo", "fifo"}, runs: 5, worst: 2}.result(),
		"split":      sample{variants: []string{"none", "full-jitter"}, runs: 20, worst: 2, split: true}.result(),
		"splitsweep": sample{variants: []string{"none", "full-jitter"}, clients: sweep, runs: 20, worst: 2, split: true}.result(),
		"never":      sample{variants: []string{"none", "full-jitter"}, runs: 20, worst: 1.5, never: true}.result(),
		"neversweep": sample{variants: []string{"none", "full-jitter"}, clients: sweep, runs: 3, worst: 1.5, never: true}.result(),
		"partly":     sample{variants: manyVariants(4), clients: sweep, runs: 3, worst: 4}.result(),
		"zero":       sample{variants: []string{"none", "full-jitter"}, runs: 2, worst: 1.5, zero: true}.result(),
		"one":        sample{variants: []string{"base"}, runs: 1, worst: 1}.result(),
		"onesweep":   sample{variants: []string{"base"}, clients: []string{"5", "7"}, runs: 1, worst: 1}.result(),
		"twelve":     sample{variants: manyVariants(12), runs: 2, worst: 1.3}.result(),
		"twelvesweep": sample{
			variants: manyVariants(12), clients: sweep, runs: 2, worst: 1.3,
		}.result(),
	}
}

// TestPictures draws everything into $PICTURES for a person to look at.
func TestPictures(t *testing.T) {
	dir := os.Getenv("PICTURES")
	if dir == "" {
		t.Skip("PICTURES names no folder")
	}
	for name, r := range plotSamples() {
		for _, p := range Plots(r) {
			if err := writeFile(filepath.Join(dir, name+"-"+p.Name), p.Write); err != nil {
				t.Error(err)
			}
		}
	}
}

func rendered(t *testing.T, f File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return b.Bytes()
}

var _ = slices.Contains[[]string]
