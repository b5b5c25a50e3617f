package report

import (
	"bytes"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"retrystorm/experiment"
)

func folderOf(t *testing.T, r *experiment.Result) fstest.MapFS {
	t.Helper()
	dir := fstest.MapFS{}
	for _, f := range Files(r) {
		if filepath.Ext(f.Name) != ".png" { // which are read by nobody
			dir[f.Name] = &fstest.MapFile{Data: rendered(t, f)}
		}
	}
	return dir
}

// TestReadGivesTheSameFiles is what a stored result is for: every file and
// picture made of it is the same again.
func TestReadGivesTheSameFiles(t *testing.T) {
	for _, sample := range []*experiment.Result{smallSample(), mechanismsSample(), aftermathSample()} {
		original := folderOf(t, sample)
		r, err := Read(original)
		if err != nil {
			t.Fatal(err)
		}
		again := folderOf(t, r)
		if len(again) != len(original) {
			t.Errorf("%d files have become %d", len(original), len(again))
		}
		for name, f := range original {
			if g := again[name]; g == nil || !bytes.Equal(f.Data, g.Data) {
				t.Errorf("%s is not the same", name)
			}
		}
		samePictures(t, sample, r)
	}
}

// samePictures compares what is drawn of two results. A coordinate that differs in
// the ninth digit is drawn at the same place.
func samePictures(t *testing.T, want, got *experiment.Result) {
	t.Helper()
	diff := cmp.Diff(pictures(want, Compare(want)), pictures(got, Compare(got)),
		cmpopts.EquateNaNs(), cmpopts.EquateApprox(1e-8, 0), cmp.AllowUnexported(plotFile{}))
	if diff != "" {
		t.Errorf("a picture is not the same (-want +got):\n%s", diff)
	}
}

// The pictures of a stored result are the same to the last pixel.
func TestReadGivesTheSamePixels(t *testing.T) {
	draws(t)
	want := smallSample()
	got, err := Read(folderOf(t, want))
	if err != nil {
		t.Fatal(err)
	}
	again := pictures(got, Compare(got))
	for i, p := range pictures(want, Compare(want)) {
		if !bytes.Equal(pixels(t, p).Pix, pixels(t, again[i]).Pix) {
			t.Errorf("%s is not the same", p.file)
		}
	}
}

func TestReadRestoresTheResult(t *testing.T) {
	want := smallSample()
	got, err := Read(folderOf(t, want))
	if err != nil {
		t.Fatal(err)
	}
	for i := range want.Points { // what no report needs
		for j := range want.Points[i].Outcomes {
			for k := range want.Points[i].Outcomes[j].Estimates {
				want.Points[i].Outcomes[j].Estimates[k].N = 0
			}
		}
		for j := range want.Points[i].Attribution {
			want.Points[i].Attribution[j].Estimate.N = 0
		}
		for j := range want.Points[i].Timelines {
			if tl := &want.Points[i].Timelines[j]; !tl.Limited {
				tl.Rows = got.Points[i].Timelines[j].Rows
			}
		}
	}
	// Nine digits of a sum above 10^9 are not all of it.
	near := cmp.Options{cmpopts.IgnoreUnexported(experiment.Point{}), cmpopts.IgnoreFields(experiment.Result{}, "Whole"), cmpopts.EquateNaNs(), cmpopts.EquateApprox(1e-8, 0), cmp.Comparer(func(a, b uint64) bool {
		return max(a, b)-min(a, b) <= max(a, b)/1e8
	})}
	wild := &want.Points[0].Timelines[0].Rows[0].Waiting
	if back := got.Points[0].Timelines[0].Rows[0].Waiting; back.Float()/wild.Float() < 1-1e-8 || back.Float()/wild.Float() > 1+1e-8 {
		t.Errorf("an area of %v has become %v", wild.Float(), back.Float())
	}
	*wild = got.Points[0].Timelines[0].Rows[0].Waiting // the low word alone means nothing
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("the result has changed (-want +got):\n%s", diff)
	}
}

func TestReadRefuses(t *testing.T) {
	replace := func(file, old, new string) func(fstest.MapFS) {
		return func(dir fstest.MapFS) {
			s := string(dir[file].Data)
			if !strings.Contains(s, old) {
				t.Fatalf("%s does not contain %q", file, old)
			}
			dir[file] = &fstest.MapFile{Data: []byte(strings.Replace(s, old, new, 1))}
		}
	}
	remove := func(file string) func(fstest.MapFS) {
		return func(dir fstest.MapFS) { delete(dir, file) }
	}
	cut := func(file string, lines int) func(fstest.MapFS) {
		return func(dir fstest.MapFS) {
			all := strings.SplitAfter(string(dir[file].Data), "\n")
			dir[file] = &fstest.MapFile{Data: []byte(strings.Join(all[:lines], ""))}
		}
	}
	cutEnd := func(file string, n int) func(fstest.MapFS) {
		return func(dir fstest.MapFS) {
			all := dir[file].Data
			dir[file] = &fstest.MapFile{Data: all[:len(all)-n]}
		}
	}
	intact := folderOf(t, smallSample())
	for _, c := range []struct {
		name   string
		damage func(fstest.MapFS)
		want   string
	}{
		{"no manifest", remove("manifest.json"), "no finished result"},
		{"other format", replace("manifest.json", `"format_version": 4`, `"format_version": 99`), "format version 99, this program reads version 4"},
		{"other tool", replace("manifest.json", `"tool": "retrystorm"`, `"tool": "other"`), `its tool is "other", not retrystorm`},
		{"other results", replace("manifest.json", `"results_version": 1`, `"results_version": 0`), "results version 0, this program makes version 1"},
		{"broken manifest", replace("manifest.json", `"seed": 7,`, `"seed": 7`), "manifest.json:9: "},
		{"wrong type", replace("manifest.json", `"seed": 7`, `"seed": "x"`), "manifest.json:8: seed must not be a string"},
		{"no summary", remove("summary.csv"), "summary.csv: the file is missing"},
		{"no scenario", remove("scenario.yaml"), "scenario.yaml: the file is missing"},
		{"empty", cut("runs.csv", 0), "runs.csv: the file is empty"},
		{"cut", cut("runs.csv", 3), "runs.csv: point none[clients.count=10] has 2 values instead of 3"},
		{"cut timeline", cut("timeline.csv", 2), "timeline.csv: point none[clients.count=10] has 1 values instead of 5"},
		{"cut in a line", cutEnd("runs.csv", 30), "runs.csv:13: wrong number of fields"},
		{"cut in a number", cutEnd("hops.csv", 2), "hops.csv:9: the file ends in the middle of this line"},
		{"other warm-up", replace("summary.csv", ",3,0,0,", ",3,5,0,"), `summary.csv:2: warmup_s: "5"; the manifest says 0`},
		{"other columns", replace("hops.csv", "timeouts", "time_outs"), "hops.csv:1: the columns are"},
		{"no text", replace("hops.csv", "timeouts", "\x1b[2J\x00"), "hops.csv:1: the columns are scenario,variant,"},
		{"no number", replace("hops.csv", ",5,3.33333333,", ",5x,3.33333333,"), `hops.csv:6: timeouts: "5x" is not a number`},
		{"NaN", replace("completion.csv", ",0.98,", ",NaN,"), `completion.csv:2: quantile: "NaN" is not a number`},
		{"unknown point", replace("completion.csv", "full-jitter", "half-jitter"), "completion.csv:8: the manifest has no point"},
		{"fields", replace("runs.csv", "none,10,2,", "none,10,2"), "runs.csv:3: wrong number of fields"},
		{"order", replace("runs.csv", "none,10,2,", "none,10,5,"), `runs.csv:3: replication: "5"; expected 2`},
		{"gap in time", replace("timeline.csv", ",0.4,", ",0.5,"), `timeline.csv:3: t_s: "0.5"; expected 0.4`},
		{"no kind", replace("attribution.csv", ",made,", ",asked,"), `attribution.csv:2: kind: "asked"; expected made or withheld`},
		{"no cause", replace("attribution.csv", ",made,first", ",made,budget"), `attribution.csv:2: what: "budget" is none of the made calls`},
		{"cut attribution", cut("attribution.csv", 2), "attribution.csv: point none[clients.count=10] has 1 values"},
		{"not finite", replace("timeline.csv", "db,0,1425,", "db,0,+Inf,"), `timeline.csv:2: arrivals_per_s: "+Inf" is out of range`},
	} {
		dir := fstest.MapFS{}
		maps.Copy(dir, intact)
		c.damage(dir)
		_, err := Read(dir)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}
