package report

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"retrystorm/experiment"
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

// small is a result of the identity with two little files.
func smallFiles(id Identity) []File {
	r := smallSample()
	r.Seed = id.Seed
	return []File{
		{"manifest.json", func(w io.Writer) error { return writeManifest(w, r, []string{"manifest.json", "old.csv"}) }},
		{"old.csv", func(w io.Writer) error { _, err := io.WriteString(w, "x\n"); return err }},
	}
}

func identity(seed int64) Identity {
	id := IdentityOf(smallSample(), 4)
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
	p := smallSample().Points[0]
	if err := f.Save(0, p); err != nil {
		t.Fatal(err)
	}
	wantNames(t, parent, "out.partial")
	if err := f.Commit(smallFiles(identity(1))); err != nil {
		t.Fatal(err)
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
	want := smallSample().Points[3]
	for _, point := range []int{0, 3} {
		if err := f.Save(point, want); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	wantNames(t, parent, "out.partial")

	_, err := Open(dir, identity(1), FolderOptions{})
	wantUsage(t, err, "--resume goes on with it")
	_, err = Open(dir, identity(2), FolderOptions{Resume: true})
	wantUsage(t, err, "out.partial cannot be resumed: it has seed 1, not 2; --force")

	f = mustOpen(t, dir, identity(1), FolderOptions{Resume: true})
	if _, ok := f.Done(1); ok {
		t.Error("point 1 is done")
	}
	got, ok := f.Done(3)
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); !ok || diff != "" {
		t.Errorf("point 3 has changed (-want +got):\n%s", diff)
	}
	// A damaged part counts as not there.
	path := f.part(0)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	for _, damaged := range [][]byte{b, b[:40], nil} {
		if err := os.WriteFile(path, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, ok := f.Done(0); ok {
			t.Error("a damaged part is done")
		}
	}
	f.Close()

	// Force starts anew; with nothing done, nothing stays.
	f = mustOpen(t, dir, identity(2), FolderOptions{Force: true})
	if _, ok := f.Done(3); ok {
		t.Error("point 3 is done already")
	}
	f.Close()
	wantNames(t, parent)
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

// A part keeps every bit of a point: attribution and groups too.
func TestPartKeepsThePoint(t *testing.T) {
	for _, r := range []*experiment.Result{smallSample(), mechanismsSample()} {
		for i := range r.Points {
			b, err := encodePart(r.Points[i])
			if err != nil {
				t.Fatal(err)
			}
			back, ok := decodePart(b)
			if diff := cmp.Diff(r.Points[i], back, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); !ok || diff != "" {
				t.Errorf("%v %s", ok, diff)
			}
		}
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
	if err := f.Save(0, smallSample().Points[0]); err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left on device")
	files := append(smallFiles(identity(1)), File{"plot.png", func(io.Writer) error { return full }})
	err := f.Commit(files)
	if !errors.Is(err, full) || !strings.Contains(err.Error(), "plot.png") {
		t.Errorf("got %v", err)
	}
	wantNames(t, parent, "out.partial")
	if err := f.Commit([]File{{"../escape", nil}}); err == nil {
		t.Error("a file outside the folder was accepted")
	}
	f.Close()
	f = mustOpen(t, dir, identity(1), FolderOptions{Resume: true})
	if _, ok := f.Done(0); !ok {
		t.Error("the finished point is gone")
	}
}

// TestCommitInterrupted plays a crash between the first file and the
// manifest: the folder is no result, and can be finished.
func TestCommitInterrupted(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	f := mustOpen(t, dir, identity(1), FolderOptions{})
	if err := f.Save(0, smallSample().Points[0]); err != nil {
		t.Fatal(err)
	}
	files := smallFiles(identity(1))
	if err := f.stage(files); err != nil {
		t.Fatal(err)
	}
	if err := f.writeJournal(files); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := move(f.staged("old.csv"), filepath.Join(dir, "old.csv")); err != nil {
		t.Fatal(err)
	}
	f.Close()

	if _, err := Read(os.DirFS(dir)); err == nil {
		t.Error("half a result can be read")
	}
	_, err := Open(dir, identity(1), FolderOptions{})
	wantUsage(t, err, "--resume goes on with it")

	f = mustOpen(t, dir, identity(1), FolderOptions{Resume: true})
	if err := f.Commit(files[:1]); err != nil {
		t.Fatal(err)
	}
	f.Close()
	wantNames(t, dir, "manifest.json")
	wantNames(t, parent, "out")
}
