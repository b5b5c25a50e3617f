package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The folder of a shard has shard.json, written last, scenario.yaml, and the
// points.log of its run.
const shardFile = "shard.json"

// shardInfo is shard.json.
type shardInfo struct {
	storedIdentity
	Records  int    `json:"records"`
	Checksum string `json:"sha256"` // of points.log
}

// ShardName is what the folder of shard k of n is called.
func ShardName(k, n int) string { return fmt.Sprintf("shard-%d-of-%d", k, n) }

// OpenShard prepares the folder of shard k of n, from 1, below dir. It is used
// like that of a result, but for Commit, which takes no files.
func OpenShard(dir string, id Identity, k, n int, opt FolderOptions) (*Folder, error) {
	if k < 1 || k > n {
		return nil, usagef("shard %d of %d: they are counted from 1", k, n)
	}
	if _, err := os.Stat(filepath.Join(dir, manifestFile)); err == nil {
		return nil, usagef("output folder %s holds a result: shards need a folder of their own", dir)
	}
	id.Shard, id.Shards = k, n
	return Open(filepath.Join(dir, ShardName(k, n)), id, opt)
}

// shardFiles are the files of a shard beside the log, which is closed.
func (f *Folder) shardFiles() ([]File, error) {
	hash := sha256.New()
	log, err := readLog(filepath.Join(f.partial, logFile), hash)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", logFile, err)
	}
	info := shardInfo{f.id.stored(), len(log.keys), hex.EncodeToString(hash.Sum(nil))}
	if err := log.close(); err != nil {
		return nil, err
	}
	return []File{
		{Name: scenarioFile, Write: func(w io.Writer) error { _, err := w.Write(f.id.YAML); return err }},
		{Name: shardFile, Write: func(w io.Writer) error {
			b, err := jsonText(info, "", "  ")
			if err == nil {
				_, err = w.Write(append(b, '\n'))
			}
			return err
		}},
	}, nil
}

func readShardFile(dir fs.FS) (*shardInfo, error) {
	b, err := fs.ReadFile(dir, shardFile)
	if err != nil {
		return nil, err
	}
	s := new(shardInfo)
	if err := json.Unmarshal(b, s); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", shardFile, err)
	}
	s.YAML, _ = fs.ReadFile(dir, scenarioFile) // it only explains
	return s, nil
}

// Shards are the finished parts of a run, all of them.
type Shards struct {
	id   Identity
	logs []*pointLog // of shard 1, 2, ...
	at   map[string]int
}

// MissingError says which shards are not there.
type MissingError struct {
	Missing []int
	Of      int
	// Unfinished are folders of shards that have been begun.
	Unfinished []string
}

func (e *MissingError) Error() string {
	var names []string
	for _, k := range e.Missing {
		names = append(names, strconv.Itoa(k))
	}
	s := fmt.Sprintf("shard %s of %d is missing", names[0], e.Of)
	if len(names) > 1 {
		s = fmt.Sprintf("shards %s of %d are missing", listed(names), e.Of)
	}
	switch len(e.Unfinished) {
	case 0:
		return s
	case 1:
		return s + "; " + e.Unfinished[0] + " is not finished"
	}
	return s + "; " + listed(e.Unfinished) + " are not finished"
}

// foundShard is a shard and the folder it was found in.
type foundShard struct {
	dir  string
	info *shardInfo
}

// ReadShards reads the shards of a run: dirs are their folders, or folders that
// hold them. Shards that are not there are a [MissingError]; what else does not
// fit together is a [UsageError].
func ReadShards(dirs []string) (*Shards, error) {
	found, unfinished, err := findShards(dirs)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b foundShard) int { return a.info.Shard - b.info.Shard })
	if err := fitting(found); err != nil {
		return nil, err
	}
	n := found[0].info.Shards
	missing := &MissingError{Of: n, Unfinished: unfinished}
	for k := 1; k <= n; k++ {
		if !slices.ContainsFunc(found, func(f foundShard) bool { return f.info.Shard == k }) {
			missing.Missing = append(missing.Missing, k)
		}
	}
	if len(missing.Missing) > 0 {
		return nil, missing
	}
	s := &Shards{id: found[0].info.Identity, at: map[string]int{}}
	s.id.Shard, s.id.Shards = 0, 0
	for _, f := range found {
		if err := s.open(f, found); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// findShards looks into folders and the folders in them.
func findShards(dirs []string) (found []foundShard, unfinished []string, err error) {
	if len(dirs) == 0 {
		return nil, nil, usagef("there is no folder to read shards from")
	}
	seen := map[string]bool{}
	add := func(dir string) (bool, error) {
		if _, err := os.Stat(filepath.Join(dir, shardFile)); errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		info, err := readShardFile(os.DirFS(dir))
		if err != nil {
			return false, usagef("%s: %v", dir, err)
		}
		if abs, err := filepath.Abs(dir); err == nil && seen[abs] {
			return true, nil // named twice, which is one shard all the same
		} else if err == nil {
			seen[abs] = true
		}
		found = append(found, foundShard{dir, info})
		return true, nil
	}
	for _, dir := range dirs {
		is, err := add(dir)
		if err != nil {
			return nil, nil, err
		}
		if is {
			continue
		}
		if exists(filepath.Join(dir, manifestFile)) {
			return nil, nil, usagef("%s is a result, and holds no shards", dir)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, nil, usagef("%s: it is no folder with shards", dir)
		}
		some := false
		for _, e := range entries {
			below := filepath.Join(dir, e.Name())
			if st, err := os.Stat(below); err != nil || !st.IsDir() {
				continue // a job's output, .gitkeep
			}
			if strings.HasPrefix(e.Name(), "shard-") && strings.HasSuffix(e.Name(), ".partial") {
				unfinished = append(unfinished, below)
				continue
			}
			is, err := add(below)
			if err != nil {
				return nil, nil, err
			}
			some = some || is
		}
		if !some && len(unfinished) == 0 {
			return nil, nil, usagef("%s holds no shard: there is no %s in it or in a folder in it", dir, shardFile)
		}
	}
	if len(found) == 0 {
		return nil, nil, usagef("there is no finished shard: %s", listed(unfinished))
	}
	return found, unfinished, nil
}

// fitting checks that shards are of one run and version, each there once.
func fitting(found []foundShard) error {
	first := found[0]
	for i, f := range found {
		a, b := first.info, f.info
		switch {
		case a.ResultsVersion != b.ResultsVersion:
			return usagef("shards from different versions: %s has results version %d, %s has %d", first.dir, a.ResultsVersion, f.dir, b.ResultsVersion)
		case a.FormatVersion != b.FormatVersion || a.Layout != b.Layout:
			return usagef("shards from different versions: %s and %s were made by different versions of the program", first.dir, f.dir)
		case a.Shards != b.Shards:
			return usagef("shards of different splits: %s is one of %d, %s one of %d", first.dir, a.Shards, f.dir, b.Shards)
		}
		same := b.Identity
		same.Shard = a.Shard
		if reason := a.differs(same); reason != "" {
			return usagef("shards of different runs: %s does not go with %s: %s", f.dir, first.dir, reason)
		}
		if i > 0 && found[i-1].info.Shard == b.Shard {
			return usagef("shard %d of %d is there twice: %s and %s", b.Shard, b.Shards, found[i-1].dir, f.dir)
		}
		if b.Shard < 1 || b.Shard > b.Shards {
			return usagef("%s: %s is damaged: it is shard %d of %d", f.dir, shardFile, b.Shard, b.Shards)
		}
	}
	if reason := first.info.outdated(); reason != "" {
		return usagef("%s cannot be merged by this version of the program: %s", first.dir, reason)
	}
	return nil
}

// open reads the log of a shard, all of it.
func (s *Shards) open(f foundShard, found []foundShard) error {
	path := filepath.Join(f.dir, logFile)
	hash := sha256.New()
	log, err := readLog(path, hash)
	var bad *recordError
	switch {
	case errors.As(err, &bad):
		return usagef("%s: %v (of %d): run shard %d again", path, bad, f.info.Records, f.info.Shard)
	case errors.Is(err, fs.ErrNotExist):
		return usagef("%s: the file is missing: run shard %d again", path, f.info.Shard)
	case err != nil:
		return err
	}
	s.logs = append(s.logs, log)
	if len(log.keys) != f.info.Records || hex.EncodeToString(hash.Sum(nil)) != f.info.Checksum {
		return usagef("%s has %d records, but not those that %s speaks of (%d): run shard %d again",
			path, len(log.keys), shardFile, f.info.Records, f.info.Shard)
	}
	for _, key := range log.keys {
		if k, ok := s.at[key]; ok {
			return usagef("%s is in two shards: %s and %s", key, found[k].dir, f.dir)
		}
		s.at[key] = len(s.logs) - 1
	}
	return nil
}

// Load gives what was saved under a key.
func (s *Shards) Load(key string) ([]byte, bool) {
	k, ok := s.at[key]
	if !ok {
		return nil, false
	}
	return s.logs[k].load(key)
}

// Keys are those of shard 1, 2, ..., each in the order in which they were saved.
func (s *Shards) Keys() []string {
	var keys []string
	for _, log := range s.logs {
		keys = append(keys, log.keys...)
	}
	return keys
}

// Identity is that of the whole result.
func (s *Shards) Identity() Identity { return s.id }

// Close ends the reading.
func (s *Shards) Close() error {
	var errs []error
	for _, log := range s.logs {
		errs = append(errs, log.close())
	}
	return errors.Join(errs...)
}
