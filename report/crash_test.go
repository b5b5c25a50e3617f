package report

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"retrystorm/experiment"
)

// crashes does something in a folder, and gives a copy of what is there after
// each change: what a crash there would have left.
func crashes(t *testing.T, parent string, do func()) []string {
	t.Helper()
	all := t.TempDir()
	var copies []string
	changed = func() {
		to := filepath.Join(all, strconv.Itoa(len(copies)))
		if err := os.CopyFS(to, os.DirFS(parent)); err != nil {
			t.Error(err)
		}
		copies = append(copies, to)
	}
	defer func() { changed = func() {} }()
	do()
	if len(copies) < 10 {
		t.Errorf("there were only %d changes", len(copies))
	}
	return copies
}

// tableFilesOf are the files of a result without its pictures, made already.
func tableFilesOf(t *testing.T, r *experiment.Result) []File {
	t.Helper()
	var files []File
	for _, f := range Files(r) {
		if ext := filepath.Ext(f.Name); ext != ".csv" && ext != ".json" && ext != ".yaml" {
			continue
		}
		b := rendered(t, f)
		files = append(files, File{Name: f.Name, Write: func(w io.Writer) error { _, err := w.Write(b); return err }})
	}
	return files
}

func mustCommit(t *testing.T, f *Folder, files []File) {
	t.Helper()
	if err := errors.Join(f.Commit(files), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// wantFiles checks that a folder holds these files and, but for kept, no others.
func wantFiles(t *testing.T, dir string, files []File, kept ...string) {
	t.Helper()
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f.Name))
		if err != nil || !bytes.Equal(b, rendered(t, f)) {
			t.Errorf("%s is not what it should be: %v", f.Name, err)
		}
	}
	if got := names(t, dir); len(got) != len(files)+len(kept) {
		t.Errorf("there are %q", got)
	}
}

// A run that is killed, wherever that is, is finished by the next with the same
// bytes, and loses no point.
func TestCrashOfRun(t *testing.T) {
	slow(t)
	r := smallSample()
	id, files := IdentityOf(r), tableFilesOf(t, r)
	parent := t.TempDir()
	recovered := 0
	for _, crash := range crashes(t, parent, func() {
		f := mustOpen(t, filepath.Join(parent, "out"), id, FolderOptions{})
		mustSave(t, f, "a", "the first")
		mustCommit(t, f, files)
	}) {
		dir := filepath.Join(crash, "out")
		staged := exists(filepath.Join(dir+".partial", journalFile))
		f, err := Open(dir, id, FolderOptions{Resume: true})
		switch {
		case errors.Is(err, ErrComplete):
			recovered++
		case err != nil || staged:
			t.Fatalf("%s: staged: %v, %v", crash, staged, err)
		default:
			mustSave(t, f, "a", "the first")
			mustCommit(t, f, files)
		}
		wantFiles(t, dir, files)
		wantNames(t, crash, "out")
	}
	if recovered < len(files) {
		t.Errorf("only %d crashes left all files", recovered)
	}
}

// Whoever comes first after a crash in a commit finishes it.
func TestCrashIsRecoveredByAnybody(t *testing.T) {
	slow(t)
	r := smallSample()
	id, files := IdentityOf(r), tableFilesOf(t, r)
	other := id
	other.Seed++
	for name, open := range map[string]func(dir string) error{
		"report":     Recover,
		"run":        func(dir string) error { _, err := Open(dir, id, FolderOptions{}); return err },
		"run others": func(dir string) error { _, err := Open(dir, other, FolderOptions{}); return err },
	} {
		parent := t.TempDir()
		for _, crash := range crashes(t, parent, func() {
			mustCommit(t, mustOpen(t, filepath.Join(parent, "out"), id, FolderOptions{}), files)
		}) {
			dir := filepath.Join(crash, "out")
			if !exists(filepath.Join(dir+".partial", journalFile)) {
				continue
			}
			var usage *UsageError
			if err := open(dir); err != nil && !errors.Is(err, ErrComplete) &&
				!(name == "run others" && errors.As(err, &usage) && strings.Contains(err.Error(), "holds another result: it has seed")) {
				t.Errorf("%s: %v", name, err)
			}
			wantFiles(t, dir, files)
			wantNames(t, crash, "out")
		}
	}
}

// Rendering a result again never loses it.
func TestCrashOfReport(t *testing.T) {
	slow(t)
	r := smallSample()
	id, files := IdentityOf(r), tableFilesOf(t, r)
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	mustCommit(t, mustOpen(t, dir, id, FolderOptions{}), files)
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	again := func(dir string) {
		if err := Recover(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		mustCommit(t, mustOpen(t, dir, id, FolderOptions{Again: true}), files)
	}
	for i, crash := range crashes(t, parent, func() { again(dir) }) {
		dir := filepath.Join(crash, "out")
		if i%2 == 0 {
			again(dir)
		} else if _, err := Open(dir, id, FolderOptions{Resume: true}); !errors.Is(err, ErrComplete) {
			t.Errorf("resuming gives %v", err)
		}
		wantFiles(t, dir, files, "notes.txt")
		wantNames(t, crash, "out")
	}
}

// A result that replaces another takes its place as a whole.
func TestCrashOfReplacement(t *testing.T) {
	slow(t)
	old, r := smallSample(), smallSample()
	old.Seed++
	old.Command += " --seed 8"
	before := append(tableFilesOf(t, old), File{Name: "summary.parquet", Write: func(io.Writer) error { return nil }})
	id, files := IdentityOf(r), tableFilesOf(t, r)
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	mustCommit(t, mustOpen(t, dir, IdentityOf(old), FolderOptions{}), before)
	for _, crash := range crashes(t, parent, func() {
		f := mustOpen(t, dir, id, FolderOptions{Force: true})
		mustSave(t, f, "a", "the first")
		mustCommit(t, f, files)
	}) {
		dir := filepath.Join(crash, "out")
		begun := exists(filepath.Join(dir+".partial", identityFile))
		if _, err := fs.Stat(os.DirFS(dir), manifestFile); err == nil && !begun {
			continue // the old one or the new one, with nothing else
		}
		f, err := Open(dir, id, FolderOptions{Resume: true})
		if err == nil {
			mustSave(t, f, "a", "the first")
			mustCommit(t, f, files)
		} else if !errors.Is(err, ErrComplete) {
			t.Fatalf("%s: %v", crash, err)
		}
		wantFiles(t, dir, files)
		wantNames(t, crash, "out")
	}
}

// A shard, whose log moves too, loses none of its points.
func TestCrashOfShard(t *testing.T) {
	slow(t)
	parent := t.TempDir()
	id := scenarioOf(identity(1), "name: x\n")
	for _, crash := range crashes(t, parent, func() { shard(t, parent, id, 1, 1, "a", "b") }) {
		f, err := OpenShard(crash, id, 1, 1, FolderOptions{Resume: true})
		if err == nil {
			for _, key := range []string{"a", "b"} {
				mustSave(t, f, key, "the value of "+key)
			}
			mustCommit(t, f, nil)
		} else if !errors.Is(err, ErrComplete) {
			t.Fatalf("%s: %v", crash, err)
		}
		s, err := ReadShards([]string{crash})
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := s.Load("b"); !ok || string(got) != "the value of b" || len(s.Keys()) != 2 {
			t.Errorf("b has become %q", got)
		}
		s.Close()
		wantNames(t, crash, ShardName(1, 1))
		wantNames(t, filepath.Join(crash, ShardName(1, 1)), logFile, scenarioFile, shardFile)
	}
}

// A commit that cannot be finished, as somebody has removed a file, is begun
// again from the points.
func TestCrashAndRemovedFile(t *testing.T) {
	slow(t)
	r := smallSample()
	id, files := IdentityOf(r), tableFilesOf(t, r)
	parent := t.TempDir()
	for _, crash := range crashes(t, parent, func() {
		f := mustOpen(t, filepath.Join(parent, "out"), id, FolderOptions{})
		mustSave(t, f, "a", "the first")
		mustCommit(t, f, files)
	}) {
		dir := filepath.Join(crash, "out")
		j := (&Folder{partial: dir + ".partial"}).storedJournal()
		if len(j.Files) == 0 || !exists(filepath.Join(dir+".partial", logFile)) {
			continue
		}
		if err := errors.Join(remove(filepath.Join(dir, "runs.csv")), remove(filepath.Join(dir+".partial", stagingDir, "runs.csv")),
			remove(filepath.Join(dir, manifestFile))); err != nil {
			t.Fatal(err)
		}
		f, err := Open(dir, id, FolderOptions{Resume: true})
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := f.Load("a"); !ok || string(got) != "the first" {
			t.Errorf("a has become %q", got)
		}
		mustCommit(t, f, files)
		wantFiles(t, dir, files)
		wantNames(t, crash, "out")
	}
}

// slow leaves a test out of short runs: each step waits for the disk.
func slow(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for the disk many times")
	}
}
