package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// The life of an output folder DIR:
//
//	Open     DIR.partial/ is made and locked: lock, identity.json, scenario.yaml
//	Save     a record of points.log per finished point
//	Commit   complete files are written to DIR.partial/files/, then moved
//	         into DIR, manifest.json last; DIR.partial/ goes away
//	Close    lets go of the lock; without Commit, DIR.partial/ stays
//
// A folder without manifest.json is no result, so at no time is there a
// result that is only half there. A journal says that all files are complete,
// and what is to be done in DIR with them: from then on an interrupted commit
// is finished, by whoever opens the folder next.
//
// A crash, of the program or of the machine, finds on disk only what was waited
// for before, so each step waits for the one before:
//
//  1. identity.json, which says whose points there will be, and scenario.yaml,
//     which explains it to people, each with its name.
//  2. points.log. Its records are waited for in the background, at least ten
//     times a second; what is not on disk when the power fails is cut off when
//     the log is opened again.
//  3. All records, before the first file of the result is written.
//  4. Each file of the result in files/, with its content and its name.
//  5. The journal, with its name.
//  6. The name of an older manifest is gone from DIR.
//  7. The names of all files but the manifest are in DIR, and those of an older
//     result are gone.
//  8. The name of the manifest.
//  9. Only then is anything removed from DIR.partial/.
//
// The folder of a shard ends with shard.json in place of the manifest, and its
// points.log moves with it.
const (
	identityFile = "identity.json"
	journalFile  = "journal.json"
	lockFile     = "lock"
	logFile      = "points.log"
	stagingDir   = "files"
)

// ErrComplete is returned by Open when a run is to be resumed that is already
// there, complete and equal: nothing is left to do.
var ErrComplete = errors.New("the result is complete")

// UsageError is an error that the user can mend: a folder that must not be
// written to as things stand.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

func usagef(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// FolderOptions say what may happen to what is there already.
type FolderOptions struct {
	Force  bool // replace an existing result, discard an interrupted run
	Resume bool // go on with an interrupted run
	Again  bool // write the result that is there again
}

// Folder is an output folder being made. Save, Load and Keys may be called from
// several goroutines.
type Folder struct {
	dir       string // absolute
	shown     string // as the user wrote it
	partial   string
	id        Identity
	lock      *lock
	log       *pointLog
	committed bool
	owned     []string // names in dir that are ours to replace
}

// Open prepares the output folder dir for a run. When it fails, what was there
// is still there; what the user can mend is a [UsageError].
func Open(dir string, id Identity, opt FolderOptions) (*Folder, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("output folder %s: %w", dir, err)
	}
	f := &Folder{dir: abs, shown: dir, partial: abs + ".partial", id: id}
	finished, err := f.rollForward()
	if err != nil {
		return nil, err
	}
	if finished && !opt.Force && !opt.Again {
		opt.Resume = true // nobody has seen yet what has been there since
	}
	if err := f.checkTarget(opt); err != nil {
		if errors.Is(err, ErrComplete) {
			f.tidy()
		}
		return nil, err
	}
	if err := makeDir(f.partial); err != nil {
		return nil, fmt.Errorf("output folder %s cannot be made: %w", dir, err)
	}
	if f.lock, err = acquire(filepath.Join(f.partial, lockFile)); err != nil {
		if errors.Is(err, errLocked) {
			return nil, usagef("output folder %s: %v", dir, err)
		}
		return nil, fmt.Errorf("output folder %s: %w", dir, err)
	}
	// Again, now that nobody else can change it.
	if err = f.checkTarget(opt); err == nil {
		err = f.checkPartial(opt)
	}
	if err == nil {
		if err = f.prepare(opt); err != nil {
			err = fmt.Errorf("output folder %s: %w", dir, err)
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// mark is the file that makes a folder a result.
func (f *Folder) mark() string {
	if f.id.Shards > 0 {
		return shardFile
	}
	return manifestFile
}

// checkTarget looks at DIR itself.
func (f *Folder) checkTarget(opt FolderOptions) error {
	entries, err := os.ReadDir(f.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		st, err := os.Lstat(f.dir)
		switch {
		case err != nil:
			return nil
		case st.Mode().IsRegular(): // as Windows says it
			return usagef("output folder %s: it is a file", f.shown)
		}
		return usagef("output folder %s: it is a link that leads nowhere", f.shown)
	case err != nil:
		if st, e := os.Stat(f.dir); e == nil && !st.IsDir() {
			return usagef("output folder %s: it is a file", f.shown)
		}
		return fmt.Errorf("output folder %s: %w", f.shown, err)
	case len(entries) == 0:
		return f.probe()
	}
	if _, err := os.Stat(filepath.Join(f.dir, f.mark())); err == nil {
		return f.checkResult(opt)
	}
	if f.readJournal(); f.owned == nil {
		return usagef("output folder %s is not empty and holds no result: choose another, or empty it", f.shown)
	}
	return f.probe()
}

// checkResult decides about a result that is there already.
func (f *Folder) checkResult(opt FolderOptions) error {
	id, files, err := f.result()
	switch {
	case opt.Force, opt.Again:
		f.own(files)
		return f.probe()
	case opt.Resume && err == nil:
		reason := f.id.differs(id)
		switch {
		case reason == "":
			return ErrComplete
		case f.begun(): // by force
			f.own(files)
			return f.probe()
		}
		return usagef("output folder %s holds another result: %s; --force replaces it", f.shown, reason)
	case opt.Resume:
		return usagef("output folder %s holds another result: %v; --force replaces it", f.shown, err)
	default:
		return usagef("output folder %s already holds a result; --force replaces it", f.shown)
	}
}

// begun reports whether an interrupted run is there that is equal to ours.
func (f *Folder) begun() bool {
	id, reason, err := readIdentity(os.DirFS(f.partial))
	return err == nil && reason == "" && f.id.differs(id) == ""
}

// result says whose result is there, and which files it has.
func (f *Folder) result() (id Identity, files []string, err error) {
	dir := os.DirFS(f.dir)
	if f.id.Shards > 0 {
		s, err := readShardFile(dir)
		if err != nil {
			return id, nil, err
		}
		if reason := s.outdated(); reason != "" {
			return id, nil, errors.New(reason)
		}
		return s.Identity, nil, nil
	}
	m, err := readManifest(dir)
	if err != nil {
		return id, nil, err
	}
	return manifestIdentity(dir, m), m.Files, nil
}

// own notes which files of a result are to be replaced. Of a result that this
// program cannot read it owns nothing but the usual names.
func (f *Folder) own(files []string) {
	names := append([]string{f.mark(), scenarioFile}, files...)
	if f.id.Shards > 0 {
		names = append(names, logFile)
	} else {
		for _, name := range tableNames() {
			names = append(names, name+".csv", name+".parquet")
		}
	}
	f.owned = slices.DeleteFunc(names, func(name string) bool { return !plainName(name) })
}

// checkPartial looks at what an earlier run left behind.
func (f *Folder) checkPartial(opt FolderOptions) error {
	entries, err := os.ReadDir(f.partial)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("output folder %s: %w", f.shown, err)
	}
	names := make(map[string]bool)
	for _, e := range entries {
		names[e.Name()] = true
	}
	delete(names, lockFile)
	if leftOver(names) {
		return nil
	}
	shown := filepath.Base(f.partial)
	id, reason, err := readIdentity(os.DirFS(f.partial))
	if err != nil {
		return usagef("output folder %s: %s is there, but is no interrupted run: remove it", f.shown, shown)
	}
	if reason == "" {
		reason = f.id.differs(id)
	}
	switch {
	case (opt.Resume || opt.Again) && reason == "", opt.Force:
		return nil
	case opt.Resume:
		return usagef("output folder %s: %s cannot be resumed: %s; --force starts anew", f.shown, shown, reason)
	case !names[journalFile] && !holdsRecords(filepath.Join(f.partial, logFile)):
		return nil
	case opt.Again:
		return usagef("output folder %s: %s belongs to a run that is not finished: %s; report -o writes elsewhere", f.shown, shown, reason)
	default:
		return usagef("output folder %s: an interrupted run is kept in %s; --resume goes on with it, --force starts anew", f.shown, shown)
	}
}

// leftOver reports whether all that is there comes from a run that had hardly
// begun.
func leftOver(names map[string]bool) bool {
	for name := range names {
		if name != journalFile && name != identityFile+newSuffix {
			return false
		}
	}
	return true
}

// prepare makes the partial folder ours: an equal one stays if it is to be
// resumed, anything else starts empty.
func (f *Folder) prepare(opt FolderOptions) (err error) {
	f.readJournal()
	if err := f.disarm(); err != nil {
		return err
	}
	if !opt.Resume || !f.begun() {
		if err := f.begin(); err != nil {
			return err
		}
	}
	if f.log, err = openLog(filepath.Join(f.partial, logFile)); err != nil {
		return err
	}
	return syncDir(f.partial)
}

// begin starts with an empty partial folder.
func (f *Folder) begin() error {
	if err := f.empty(lockFile, journalFile); err != nil {
		return err
	}
	if err := syncDir(filepath.Dir(f.partial)); err != nil {
		return err
	}
	if err := writeDurably(filepath.Join(f.partial, identityFile), f.id.marshal()); err != nil {
		return err
	}
	return writeDurably(filepath.Join(f.partial, scenarioFile), f.id.YAML)
}

// probe fails now if files cannot be made in DIR, not after hours of work.
func (f *Folder) probe() error {
	t, err := os.CreateTemp(f.dir, ".probe")
	if err != nil {
		return fmt.Errorf("output folder %s cannot be written to: %w", f.shown, err)
	}
	t.Close()
	return os.Remove(t.Name())
}

// Save keeps what is finished under a key. It does not wait for the disk, which
// has it a moment later.
func (f *Folder) Save(key string, payload []byte) error {
	if err := f.log.save(key, payload); err != nil {
		return fmt.Errorf("keeping %s of output folder %s: %w", key, f.shown, err)
	}
	return nil
}

// Load gives back what was saved last under a key, now or before an
// interruption. It may be called until Close, and of a shard until Commit.
func (f *Folder) Load(key string) ([]byte, bool) { return f.log.load(key) }

// Keys are all keys that something was saved under, in the order in which they
// were first.
func (f *Folder) Keys() []string { return f.log.list() }

// Commit writes the files and moves them into place, the manifest last. When
// it fails there is no result under the final name, and the finished points
// are still there to resume from. The folder of a shard has no files but its
// own.
func (f *Folder) Commit(files []File) error {
	if err := f.commit(files); err != nil {
		return fmt.Errorf("writing output folder %s: %w", f.shown, err)
	}
	return nil
}

func (f *Folder) commit(files []File) error {
	if err := f.log.sync(); err != nil {
		return err
	}
	var names []string // that which makes it a result comes last
	if f.id.Shards > 0 {
		if err := f.log.close(); err != nil {
			return err
		}
		shard, err := f.shardFiles()
		if err != nil {
			return err
		}
		files, names = append(shard, files...), []string{logFile}
	}
	if err := f.stage(files); err != nil {
		return err
	}
	for _, file := range files {
		if file.Name != f.mark() {
			names = append(names, file.Name)
		}
	}
	j := journal{Files: append(names, f.mark()), Owned: f.owned}
	if err := f.writeJournal(j); err != nil {
		return err
	}
	if err := f.publish(j); err != nil {
		return err
	}
	// The result is there; what cannot be tidied up does no harm.
	f.committed = true
	_ = f.empty(lockFile)
	return nil
}

// publish moves the files into DIR, that which makes it a result last. It may
// have been interrupted before, wherever that was.
func (f *Folder) publish(j journal) error {
	last := len(j.Files) - 1
	if !exists(f.staged(j.Files[last])) {
		return nil // it is there already, and so are all others
	}
	if err := makeDir(f.dir); err != nil {
		return err
	}
	// First the older manifest, so that the rest is no result.
	if err := remove(filepath.Join(f.dir, j.Files[last])); err != nil {
		return err
	}
	if err := syncDir(f.dir); err != nil {
		return err
	}
	for _, name := range j.Owned {
		if slices.Contains(j.Files, name) {
			continue
		}
		if err := remove(filepath.Join(f.dir, name)); err != nil {
			return err
		}
	}
	for i, name := range j.Files {
		if i == last {
			if err := syncDir(f.dir); err != nil {
				return err
			}
		}
		if !exists(f.staged(name)) {
			continue
		}
		if err := move(f.staged(name), filepath.Join(f.dir, name)); err != nil {
			return err
		}
	}
	if err := syncDir(f.dir); err != nil {
		return err
	}
	return syncDir(filepath.Dir(f.dir))
}

// Recover finishes a commit to an output folder that was interrupted when all
// files were complete. Where there is none it does nothing.
func Recover(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("output folder %s: %w", dir, err)
	}
	f := &Folder{dir: abs, shown: dir, partial: abs + ".partial"}
	_, err = f.rollForward()
	return err
}

// rollForward finishes an interrupted commit, if it can be: a file that is
// neither here nor there was removed by somebody, and it is as if the commit
// had not begun.
func (f *Folder) rollForward() (finished bool, err error) {
	if !exists(filepath.Join(f.partial, journalFile)) {
		return false, nil
	}
	lock, err := acquire(filepath.Join(f.partial, lockFile))
	switch {
	case errors.Is(err, errLocked):
		return false, usagef("output folder %s: %v", f.shown, err)
	case err != nil:
		return false, fmt.Errorf("output folder %s: %w", f.shown, err)
	}
	defer func() {
		_ = lock.release()
		os.Remove(f.partial) // succeeds only when it is empty
	}()
	_, _, err = readIdentity(os.DirFS(f.partial))
	j := f.storedJournal()
	if err != nil || len(j.Files) == 0 || slices.ContainsFunc(j.Files, func(name string) bool {
		return !exists(f.staged(name)) && !exists(filepath.Join(f.dir, name))
	}) {
		return false, nil
	}
	if err := f.publish(j); err != nil {
		return false, fmt.Errorf("finishing output folder %s: %w", f.shown, err)
	}
	_ = f.empty(lockFile)
	return true, nil
}

// stage writes all files beside the log.
func (f *Folder) stage(files []File) error {
	if err := f.disarm(); err != nil { // of an attempt before
		return err
	}
	dir := filepath.Join(f.partial, stagingDir)
	if err := removeAll(dir); err != nil {
		return err
	}
	if err := makeDir(dir); err != nil {
		return err
	}
	for _, file := range files {
		if !plainName(file.Name) {
			return fmt.Errorf("%q is not a file name", file.Name)
		}
	}
	err := writeFiles(dir, files)
	if err == nil {
		err = syncDir(dir)
	}
	if err != nil {
		os.RemoveAll(dir) // room for the points is worth more
	}
	return err
}

// journal is journal.json.
type journal struct {
	// Files are to be moved into DIR, in this order; none as long as not all of
	// them are complete.
	Files []string `json:"files,omitempty"`
	// Owned are other names in DIR that are ours, of an older result.
	Owned []string `json:"owned,omitempty"`
}

func (f *Folder) writeJournal(j journal) error {
	b, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return writeDurably(filepath.Join(f.partial, journalFile), b)
}

// storedJournal is the journal that is there, or an empty one.
func (f *Folder) storedJournal() (j journal) {
	b, err := os.ReadFile(filepath.Join(f.partial, journalFile))
	if err != nil || json.Unmarshal(b, &j) != nil || !all(j.Files, plainName) || !all(j.Owned, plainName) {
		return journal{}
	}
	return j
}

func all(names []string, ok func(string) bool) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !ok(name) })
}

// readJournal adds the names of an interrupted commit to those we own.
func (f *Folder) readJournal() {
	j := f.storedJournal()
	for _, name := range append(j.Files, j.Owned...) {
		if !slices.Contains(f.owned, name) {
			f.owned = append(f.owned, name)
		}
	}
}

// disarm makes the journal of a commit that is not to be finished say no more
// than which names are ours, before anything happens to the files.
func (f *Folder) disarm() error {
	if len(f.storedJournal().Files) == 0 {
		return nil
	}
	f.readJournal()
	return f.writeJournal(journal{Owned: f.owned})
}

// Close ends the work on the folder. Without a Commit the finished points
// stay for a later run to resume.
func (f *Folder) Close() error {
	if f.lock == nil {
		return nil
	}
	var err error
	if f.log != nil {
		err = f.log.close()
		if f.committed || len(f.log.keys) == 0 && !exists(filepath.Join(f.partial, journalFile)) {
			_ = f.empty(lockFile) // nothing to resume from
		}
	}
	if e := f.lock.release(); err == nil {
		err = e
	}
	f.lock = nil
	os.Remove(f.partial) // succeeds only when it is empty
	return err
}

// empty removes everything from the partial folder but keep. The identity goes
// last: a folder without it is none of ours.
func (f *Folder) empty(keep ...string) error {
	entries, err := os.ReadDir(f.partial)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == identityFile || slices.Contains(keep, e.Name()) {
			continue
		}
		if err := removeAll(filepath.Join(f.partial, e.Name())); err != nil {
			return err
		}
	}
	return remove(filepath.Join(f.partial, identityFile))
}

// tidy removes what a run has left behind that was killed when its result was
// complete already.
func (f *Folder) tidy() {
	if !exists(f.partial) || f.checkPartial(FolderOptions{Resume: true}) != nil {
		return
	}
	lock, err := acquire(filepath.Join(f.partial, lockFile))
	if err != nil {
		return // it is tidying up itself
	}
	_ = f.empty(lockFile)
	_ = lock.release()
	os.Remove(f.partial) // succeeds only when it is empty
}

// staged is where a file is before it moves. The log of a shard moves as it is.
func (f *Folder) staged(name string) string {
	if name == logFile {
		return filepath.Join(f.partial, name)
	}
	return filepath.Join(f.partial, stagingDir, name)
}
