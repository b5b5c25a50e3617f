package report

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shard writes shard k of n with some keys.
func shard(t *testing.T, dir string, id Identity, k, n int, keys ...string) string {
	t.Helper()
	f, err := OpenShard(dir, id, k, n, FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		mustSave(t, f, key, "the value of "+key)
	}
	if err := f.Commit(nil); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, ShardName(k, n))
}

func scenarioOf(id Identity, yaml string) Identity {
	id.YAML = []byte(yaml)
	return id
}

func TestShards(t *testing.T) {
	dir := t.TempDir()
	id := scenarioOf(identity(1), "name: x\n")
	if err := errors.Join(os.WriteFile(filepath.Join(dir, ".gitkeep"), nil, 0o666), os.WriteFile(filepath.Join(dir, "slurm-1.out"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	first := shard(t, dir, id, 1, 3, "b", "a")
	wantNames(t, dir, ".gitkeep", "shard-1-of-3", "slurm-1.out")
	wantNames(t, first, "points.log", "scenario.yaml", "shard.json")
	_, err := OpenShard(dir, id, 1, 3, FolderOptions{})
	wantUsage(t, err, "already holds a result; --force")
	if _, err := OpenShard(dir, id, 1, 3, FolderOptions{Resume: true}); !errors.Is(err, ErrComplete) {
		t.Errorf("resuming a complete shard gives %v", err)
	}
	_, err = OpenShard(dir, identity(2), 1, 3, FolderOptions{Resume: true})
	wantUsage(t, err, "it has seed 1, not 2")
	_, err = OpenShard(dir, id, 4, 3, FolderOptions{})
	wantUsage(t, err, "shard 4 of 3: they are counted from 1")

	elsewhere := t.TempDir()
	third := shard(t, elsewhere, id, 3, 3)
	var missing *MissingError
	if _, err := ReadShards([]string{dir, elsewhere}); !errors.As(err, &missing) || err.Error() != "shard 2 of 3 is missing" {
		t.Errorf("got %v", err)
	}
	f, err := OpenShard(dir, id, 2, 3, FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	mustSave(t, f, "c", "half")
	f.Close()
	if _, err := ReadShards([]string{dir}); !errors.As(err, &missing) || !slices.Equal(missing.Missing, []int{2, 3}) ||
		!strings.HasPrefix(err.Error(), "shards 2 and 3 of 3 are missing; ") || !strings.HasSuffix(err.Error(), "shard-2-of-3.partial is not finished") {
		t.Errorf("got %v", err)
	}
	if f, err = OpenShard(dir, id, 2, 3, FolderOptions{Resume: true}); err != nil {
		t.Fatal(err)
	}
	mustSave(t, f, "d", "the other half")
	if err := f.Commit(nil); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, dirs := range [][]string{{dir, elsewhere}, {third, filepath.Join(dir, "shard-2-of-3"), first, first}} {
		s, err := ReadShards(dirs)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.Keys(), " "); got != "b a c d" {
			t.Errorf("the keys are %s", got)
		}
		if got, ok := s.Load("d"); !ok || string(got) != "the other half" {
			t.Errorf("d has become %q", got)
		}
		if _, ok := s.Load("e"); ok {
			t.Error("e is there")
		}
		if reason := id.differs(s.Identity()); reason != "" {
			t.Errorf("the identity has changed: %s", reason)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestReadShardsRefuses(t *testing.T) {
	id := scenarioOf(identity(1), "name: x\nuntil: 1m\n")
	changed := scenarioOf(id, "name: x\nuntil: 2m\n")
	changed.Hash = "4e5d"
	replace := func(dir, file, old, new string) {
		path := filepath.Join(dir, file)
		b, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(b, []byte(old)) {
			t.Fatalf("%s: no %q in %q, %v", file, old, b, err)
		}
		if err := os.WriteFile(path, bytes.Replace(b, []byte(old), []byte(new), 1), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	two := func(dir string) (string, string) {
		return shard(t, dir, id, 1, 2, "a", "b", "c"), shard(t, dir, id, 2, 2, "d")
	}
	for want, damage := range map[string]func(dir string){
		"holds no shard: there is no shard.json in it": func(string) {},
		"does not go with": func(dir string) {
			shard(t, dir, id, 1, 2)
			shard(t, dir, changed, 2, 2)
		},
		"until was 2m, is 1m": func(dir string) {
			shard(t, dir, id, 1, 2)
			shard(t, dir, changed, 2, 2)
		},
		"it has seed 2, not 1": func(dir string) {
			shard(t, dir, id, 1, 2)
			shard(t, dir, identity(2), 2, 2)
		},
		"shards of different splits": func(dir string) {
			shard(t, dir, id, 1, 2)
			shard(t, dir, id, 2, 3)
		},
		"shard 2 of 2 is there twice": func(dir string) {
			two(dir)
			if err := os.CopyFS(filepath.Join(dir, "again"), os.DirFS(filepath.Join(dir, "shard-2-of-2"))); err != nil {
				t.Fatal(err)
			}
		},
		"shards from different versions": func(dir string) {
			_, b := two(dir)
			replace(b, "shard.json", `"results_version": 1`, `"results_version": 2`)
		},
		"cannot be merged by this version of the program: it has format version 1, not 4": func(dir string) {
			a, b := two(dir)
			replace(a, "shard.json", `"format_version": 4`, `"format_version": 1`)
			replace(b, "shard.json", `"format_version": 4`, `"format_version": 1`)
		},
		"shard.json is damaged": func(dir string) {
			a, _ := two(dir)
			replace(a, "shard.json", "{", "[")
		},
		"points.log: record 2 is damaged (of 3): run shard 1 again": func(dir string) {
			a, _ := two(dir)
			replace(a, "points.log", "value of b", "value of B")
		},
		"points.log: it ends in the middle of record 3 (of 3): run shard 1 again": func(dir string) {
			a, _ := two(dir)
			if err := os.Truncate(filepath.Join(a, "points.log"), 100); err != nil {
				t.Fatal(err)
			}
		},
		"points.log has 0 records, but not those that shard.json speaks of (3): run shard 1 again": func(dir string) {
			a, _ := two(dir)
			if err := os.Truncate(filepath.Join(a, "points.log"), int64(len(logMagic))); err != nil {
				t.Fatal(err)
			}
		},
		"points.log: the file is missing: run shard 2 again": func(dir string) {
			_, b := two(dir)
			if err := os.Remove(filepath.Join(b, "points.log")); err != nil {
				t.Fatal(err)
			}
		},
		"d is in two shards": func(dir string) {
			shard(t, dir, id, 1, 2, "d")
			shard(t, dir, id, 2, 2, "d")
		},
		"there is no finished shard": func(dir string) {
			f, err := OpenShard(dir, id, 1, 2, FolderOptions{})
			if err != nil {
				t.Fatal(err)
			}
			mustSave(t, f, "a", "x")
			f.Close()
		},
	} {
		dir := t.TempDir()
		damage(dir)
		_, err := ReadShards([]string{dir})
		wantUsage(t, err, want)
	}
	result := filepath.Join(t.TempDir(), "out")
	mustCommit(t, mustOpen(t, result, id, FolderOptions{}), smallFiles(id))
	_, err := ReadShards([]string{result})
	wantUsage(t, err, "out is a result, and holds no shards")
	_, err = ReadShards(nil)
	wantUsage(t, err, "there is no folder to read shards from")
	_, err = ReadShards([]string{filepath.Join(t.TempDir(), "nowhere")})
	wantUsage(t, err, "it is no folder with shards")
}
