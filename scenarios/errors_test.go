package scenarios

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// TestErrors compares what is said about every bad file with the file beside
// it; run with -update after a change and read the difference.
func TestErrors(t *testing.T) {
	for name, src := range readAll(t, "testdata/errors/*.yaml") {
		f, err := Load(filepath.Base(name), src, fstest.MapFS{}, nil)
		if err == nil {
			t.Errorf("%s was loaded; notes: %v", name, f.Notes)
			continue
		}
		compareMessages(t, strings.TrimSuffix(name, ".yaml")+".txt", err.Error()+"\n")
	}
}

// TestNotes does the same for files that can be run.
func TestNotes(t *testing.T) {
	for name, src := range readAll(t, "testdata/notes/*.yaml") {
		f, err := Load(filepath.Base(name), src, nil, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got strings.Builder
		for _, p := range f.Notes {
			got.WriteString(p.String() + "\n")
		}
		compareMessages(t, strings.TrimSuffix(name, ".yaml")+".txt", got.String())
	}
}

func compareMessages(t *testing.T, file, got string) {
	t.Helper()
	if leak := regexp.MustCompile(`\b(ast|parser|yaml|reflect|time|strconv|scenarios|server|strategies|random|sim)\.[A-Z]\w*`).FindString(got); leak != "" {
		t.Errorf("%s: %s is no word for a user", file, leak)
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
