package report

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func wantUsage(t *testing.T, err error, words string) {
	t.Helper()
	var usage *UsageError
	if !errors.As(err, &usage) || !strings.Contains(err.Error(), words) {
		t.Errorf("got %v, want a usage error with %q", err, words)
	}
}

func mustOpen(t *testing.T, dir string, id Identity, opt FolderOptions) *Folder {
	t.Helper()
	f, err := Open(dir, id, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func mustSave(t *testing.T, f *Folder, key, value string) {
	t.Helper()
	if err := f.Save(key, []byte(value)); err != nil {
		t.Fatal(err)
	}
}

// small is a result of the identity with two little files.
func smallFiles(id Identity) []File {
	r := smallSample()
	r.Seed = id.Seed
	return []File{
		(&pass{r, ofPoints}).file("manifest.json", func(w io.Writer) (maker, error) {
			return newManifestMaker(w, r, nil, []string{"manifest.json", "old.csv"})
		}),
		{Name: "old.csv", Write: func(w io.Writer) error { _, err := io.WriteString(w, "x\n"); return err }},
	}
}

func identity(seed int64) Identity {
	id := IdentityOf(smallSample())
	id.Seed = seed
	return id
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("%s holds %q, want %q", filepath.Base(dir), got, want)
	}
}

func TestFolderFromStartToEnd(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	f := mustOpen(t, dir, identity(1), FolderOptions{})
	mustSave(t, f, "a", "the first")
	wantNames(t, parent, "out.partial")
	if err := f.Commit(smallFiles(identity(1))); err != nil {
		t.Fatal(err)
	}
	if got, ok := f.Load("a"); !ok || string(got) != "the first" {
		t.Errorf("after the commit a is %q", got)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	wantNames(t, parent, "out")
	wantNames(t, dir, "manifest.json", "old.csv")

	_, err := Open(dir, identity(1), FolderOptions{})
	wantUsage(t, err, "already holds a result; --force")
	if _, err = Open(dir, identity(1), FolderOptions{Resume: true}); !errors.Is(err, ErrComplete) {
		t.Errorf("resuming a complete run gives %v", err)
	}
	_, err = Open(dir, identity(2), FolderOptions{Resume: true})
	wantUsage(t, err, "it has seed 1, not 2")
	wantNames(t, parent, "out")

	// Force replaces the files of the old result and no others.
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	f = mustOpen(t, dir, identity(2), FolderOptions{Force: true})
	if err := f.Commit(smallFiles(identity(2))[:1]); err != nil {
		t.Fatal(err)
	}
	f.Close()
	wantNames(t, dir, "manifest.json", "notes.txt")
	wantNames(t, parent, "out")
}

func TestFolderInterruptedAndResumed(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	f := mustOpen(t, dir, identity(1), FolderOptions{Resume: true}) // on nothing: starts
	mustSave(t, f, "0", "zero")
	mustSave(t, f, "3", "three")
	f.Close()
	wantNames(t, parent, "out.partial")

	_, err := Open(dir, identity(1), FolderOptions{})
	wantUsage(t, err, "--resume goes on with it")
	_, err = Open(dir, identity(2), FolderOptions{Resume: true})
	wantUsage(t, err, "out.partial cannot be resumed: it has seed 1, not 2; --force")

	f = mustOpen(t, dir, identity(1), FolderOptions{Resume: true})
	if _, ok := f.Load("1"); ok {
		t.Error("point 1 is done")
	}
	if got, ok := f.Load("3"); !ok || string(got) != "three" {
		t.Errorf("point 3 has become %q", got)
	}
	if !slices.Equal(f.Keys(), []string{"0", "3"}) {
		t.Errorf("the keys are %q", f.Keys())
	}
	f.Close()

	// Force starts anew; with nothing done, nothing stays.
	f = mustOpen(t, dir, identity(2), FolderOptions{Force: true})
	if _, ok := f.Load("3"); ok {
		t.Error("point 3 is done already")
	}
	f.Close()
	wantNames(t, parent)
}

// A damaged log is used up to the damage.
func TestFolderResumesAfterDamage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	f := mustOpen(t, dir, identity(1), FolderOptions{})
	for _, key := range []string{"a", "b", "c"} {
		mustSave(t, f, key, "the value of "+key)
	}
	f.Close()
	path := filepath.Join(dir+".partial", logFile)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[bytes.LastIndex(b, []byte("of b"))] ^= 1
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	f = mustOpen(t, dir, identity(1), FolderOptions{Resume: true})
	if !slices.Equal(f.Keys(), []string{"a"}) {
		t.Errorf("the keys are %q", f.Keys())
	}
	mustSave(t, f, "b", "again")
	f.Close()
	f = mustOpen(t, dir, identity(1), FolderOptions{Resume: true})
	if got, ok := f.Load("b"); !ok || string(got) != "again" {
		t.Errorf("b has become %q", got)
	}
}

// What has changed is named: in the scenario, and in the program.
func TestResumeSaysWhatChanged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	id := identity(1)
	id.YAML = []byte("name: x\nservices:\n  db:\n    workers: 100\n")
	f := mustOpen(t, dir, id, FolderOptions{})
	mustSave(t, f, "a", "x")
	f.Close()
	other := id
	other.Hash, other.YAML = "4e5d", []byte("name: x\nservices:\n  db:\n    workers: 200\n")
	_, err := Open(dir, other, FolderOptions{Resume: true})
	wantUsage(t, err, "out.partial cannot be resumed: the scenario has changed since: services.db.workers was 100, is 200; --force")

	path := filepath.Join(dir+".partial", identityFile)
	for old, c := range map[string][2]string{
		`"results_version":1`: {`"results_version":0`, "it has results version 0, not 1"},
		`"format_version":4`:  {`"format_version":1`, "it has format version 1, not 4"},
		`"layout":"`:          {`"layout":"x`, "another version of the program made it"},
		`"replications":3`:    {`"replications":9`, "it has 9 replications, not 3"},
		`{"`:                  {`"`, "its identity.json is damaged"},
	} {
		b := id.marshal()
		if !bytes.Contains(b, []byte(old)) {
			t.Fatalf("no %s in %s", old, b)
		}
		if err := os.WriteFile(path, bytes.Replace(b, []byte(old), []byte(c[0]), 1), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Open(dir, id, FolderOptions{Resume: true})
		wantUsage(t, err, c[1])
	}
}

// A run that was killed when its result was complete leaves its folder of work
// behind; resuming tidies it up. That of another run stays.
func TestResumeTidiesUp(t *testing.T) {
	for _, c := range []struct {
		seed int64
		left bool
	}{{1, false}, {2, true}} {
		dir := filepath.Join(t.TempDir(), "out")
		f := mustOpen(t, dir, identity(1), FolderOptions{})
		if err := f.Commit(smallFiles(identity(1))); err != nil {
			t.Fatal(err)
		}
		f.Close()
		if err := os.Mkdir(dir+".partial", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir+".partial", identityFile), identity(c.seed).marshal(), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, identity(1), FolderOptions{Resume: true}); !errors.Is(err, ErrComplete) {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir + ".partial"); (err == nil) != c.left {
			t.Errorf("of seed %d: %v", c.seed, err)
		}
	}
}

// Writing a result again leaves the interrupted run of another alone.
func TestFolderAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	f := mustOpen(t, dir, identity(1), FolderOptions{})
	if err := f.Commit(smallFiles(identity(1))); err != nil {
		t.Fatal(err)
	}
	f.Close()
	f = mustOpen(t, dir, identity(2), FolderOptions{Force: true})
	mustSave(t, f, "a", "x")
	f.Close()
	_, err := Open(dir, identity(1), FolderOptions{Again: true})
	wantUsage(t, err, "out.partial belongs to a run that is not finished: it has seed 2, not 1; report -o")
	f = mustOpen(t, dir, identity(2), FolderOptions{Resume: true})
	if _, ok := f.Load("a"); !ok {
		t.Error("the point is gone")
	}
}

func TestFolderRefuses(t *testing.T) {
	parent := t.TempDir()
	make := func(name string) string {
		path := filepath.Join(parent, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	all := FolderOptions{Force: true, Resume: true}

	foreign := filepath.Dir(make("foreign/thesis.tex"))
	_, err := Open(foreign, identity(1), all)
	wantUsage(t, err, "is not empty and holds no result")

	_, err = Open(make("file"), identity(1), all)
	wantUsage(t, err, "it is a file")

	make("taken.partial/thesis.tex")
	_, err = Open(filepath.Join(parent, "taken"), identity(1), all)
	wantUsage(t, err, "no interrupted run")
	wantNames(t, filepath.Join(parent, "taken.partial"), "thesis.tex")

	var usage *UsageError
	_, err = Open(filepath.Join(parent, "file", "below"), identity(1), all)
	if err == nil || errors.As(err, &usage) {
		t.Errorf("an impossible folder gives %v", err)
	}
}

func TestFolderIsLocked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	f := mustOpen(t, dir, identity(1), FolderOptions{})
	_, err := Open(dir, identity(1), FolderOptions{Resume: true})
	wantUsage(t, err, "another process is writing it")
	f.Close()
	mustOpen(t, dir, identity(1), FolderOptions{})
}

// TestCommitFails checks that there is no result under the final name, and
// that the points are kept.
func TestCommitFails(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	f := mustOpen(t, dir, identity(1), FolderOptions{})
	mustSave(t, f, "0", "zero")
	full := errors.New("no space left on device")
	files := append(smallFiles(identity(1)), File{Name: "plot.png", Write: func(io.Writer) error { return full }})
	err := f.Commit(files)
	if !errors.Is(err, full) || !strings.Contains(err.Error(), "plot.png") {
		t.Errorf("got %v", err)
	}
	wantNames(t, parent, "out.partial")
	if err := f.Commit([]File{{Name: "../escape"}}); err == nil {
		t.Error("a file outside the folder was accepted")
	}
	f.Close()
	f = mustOpen(t, dir, identity(1), FolderOptions{Resume: true})
	if _, ok := f.Load("0"); !ok {
		t.Error("the finished point is gone")
	}
}
