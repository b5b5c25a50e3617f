package scenarios

import (
	"os"
	"path/filepath"
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

func compareMessages(t *testing.T, file, got string) {
	t.Helper()
	for _, leak := range []string{"scenarios.", "reflect", "yaml.", "ast.", "time.", "strconv"} {
		if strings.Contains(strings.ReplaceAll(got, ".yaml", ""), leak) {
			t.Errorf("%s: %q is no word for a user:\n%s", file, leak, got)
		}
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
