package scenarios

import (
	"os"
	"path/filepath"
	"testing"
)

func mustLoad(t *testing.T, src string, sets ...string) *File {
	t.Helper()
	f, err := Load("test.yaml", []byte(src), nil, sets)
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, src)
	}
	return f
}

// languageExamples are the scenarios that the language was designed with.
func languageExamples(t *testing.T) map[string][]byte {
	t.Helper()
	return readAll(t, "testdata/language/*.yaml")
}

func readAll(t testing.TB, pattern string) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	out := map[string][]byte{}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = src
	}
	return out
}
