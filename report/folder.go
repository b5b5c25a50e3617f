package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"retrystorm/experiment"
)

// The life of an output folder DIR:
//
//	Open     DIR.partial/ is made and locked
//	Save     one durable part per finished point
//	Commit   complete files are written to DIR.partial/files/, then moved
//	         into DIR, manifest.json last; DIR.partial/ goes away
//	Close    lets go of the lock; without Commit, DIR.partial/ stays
//
// A folder without manifest.json is no result, so at no time is there a
// result that is only half there. A commit that was interrupted leaves a
// journal of the names it was about to touch in DIR, by which the next one
// knows them for its own.
const (
	identityFile = "identity.json"
	journalFile  = "journal.json"
	lockFile     = "lock"
	stagingDir   = "files"
	partSuffix   = ".part"
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
}

// Folder is an output folder being made. Done and Save may be called from
// several goroutines, for different points.
type Folder struct {
	dir     string // absolute
	shown   string // as the user wrote it
	partial string
	id      Identity
	lock    *lock
	ready   bool     // the partial folder is ours
	owned   []string // names in dir that are ours to replace
}

// Open prepares the output folder dir for a run. When it fails, what was there
// is still there; what the user can mend is a [UsageError].
func Open(dir string, id Identity, opt FolderOptions) (*Folder, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("output folder %s: %w", dir, err)
	}
	f := &Folder{dir: abs, shown: dir, partial: abs + ".partial", id: id}
	if err := f.checkTarget(opt); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(f.partial, 0o777); err != nil {
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
		err = f.prepare(opt)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	f.ready = true
	return f, nil
}

// checkTarget looks at DIR itself.
func (f *Folder) checkTarget(opt FolderOptions) error {
	entries, err := os.ReadDir(f.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(f.dir); err == nil {
			return usagef("output folder %s: it is a link that leads nowhere", f.shown)
		}
		return nil
	case err != nil:
		if st, e := os.Stat(f.dir); e == nil && !st.IsDir() {
			return usagef("output folder %s: it is a file", f.shown)
		}
		return fmt.Errorf("output folder %s: %w", f.shown, err)
	case len(entries) == 0:
		return f.probe()
	}
	if _, err := os.Stat(filepath.Join(f.dir, manifestFile)); err == nil {
		return f.checkResult(opt)
	}
	if f.readJournal(); f.owned == nil {
		return usagef("output folder %s is not empty and holds no result: choose another, or empty it", f.shown)
	}
	return f.probe()
}

// checkResult decides about a result that is there already.
func (f *Folder) checkResult(opt FolderOptions) error {
	m, err := readManifest(os.DirFS(f.dir))
	switch {
	case opt.Force:
		f.own(m)
		return f.probe()
	case opt.Resume && err == nil:
		reason := f.id.differs(manifestIdentity(m))
		if reason == "" {
			return ErrComplete
		}
		return usagef("output folder %s holds another result: %s; --force replaces it", f.shown, reason)
	default:
		return usagef("output folder %s already holds a result; --force replaces it", f.shown)
	}
}

// own notes which files of a result are to be replaced. Of a manifest that
// this program cannot read it owns nothing but the usual names.
func (f *Folder) own(m *manifest) {
	names := []string{
		manifestFile, scenarioFile, summaryFile, runsFile, timelineFile, completionFile, hopsFile,
		attributionFile, outcomesFile, groupsFile,
	}
	if m != nil {
		names = append(names, m.Files...)
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
	if len(names) == 0 {
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
	case opt.Resume && reason == "", opt.Force:
		return nil
	case opt.Resume:
		return usagef("output folder %s: %s cannot be resumed: %s; --force starts anew", f.shown, shown, reason)
	case f.parts() == 0 && !names[journalFile]:
		return nil
	default:
		return usagef("output folder %s: an interrupted run is kept in %s; --resume goes on with it, --force starts anew", f.shown, shown)
	}
}

// prepare makes the partial folder ours: an equal one stays if it is to be
// resumed, anything else starts empty.
func (f *Folder) prepare(opt FolderOptions) error {
	f.readJournal()
	id, reason, err := readIdentity(os.DirFS(f.partial))
	if err == nil && reason == "" && opt.Resume && f.id.differs(id) == "" {
		return nil
	}
	if err := f.empty(lockFile, journalFile); err != nil {
		return fmt.Errorf("output folder %s: %w", f.shown, err)
	}
	if err := writeDurably(filepath.Join(f.partial, identityFile), f.id.marshal()); err != nil {
		return fmt.Errorf("output folder %s: %w", f.shown, err)
	}
	return nil
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

// Done gives a point that is already finished. A part that is damaged counts
// as not there: the point is run again.
func (f *Folder) Done(point int) (experiment.Point, bool) {
	b, err := os.ReadFile(f.part(point))
	if err != nil {
		return experiment.Point{}, false
	}
	return decodePart(b)
}

// Save keeps a finished point. It does not wait for the disk: if the machine
// fails, a part that is damaged is run again.
func (f *Folder) Save(point int, p experiment.Point) error {
	b, err := encodePart(p)
	if err == nil {
		err = replaceFile(f.part(point), b)
	}
	if err != nil {
		return fmt.Errorf("keeping point %d of output folder %s: %w", point, f.shown, err)
	}
	return nil
}

// Commit writes the files and moves them into place, the manifest last. When
// it fails there is no result under the final name, and the finished points
// are still there to resume from.
func (f *Folder) Commit(files []File) error {
	if err := f.commit(files); err != nil {
		return fmt.Errorf("writing output folder %s: %w", f.shown, err)
	}
	return nil
}

func (f *Folder) commit(files []File) error {
	if err := f.stage(files); err != nil {
		return err
	}
	if err := f.writeJournal(files); err != nil {
		return err
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return err
	}
	if err := f.clear(); err != nil {
		return err
	}
	for _, last := range []bool{false, true} {
		for _, file := range files {
			if (file.Name == manifestFile) != last {
				continue
			}
			if err := move(f.staged(file.Name), filepath.Join(f.dir, file.Name)); err != nil {
				return err
			}
		}
		if err := syncDir(f.dir); err != nil {
			return err
		}
	}
	if err := syncDir(filepath.Dir(f.dir)); err != nil {
		return err
	}
	// The result is there; what cannot be tidied up does no harm.
	_ = f.empty(lockFile)
	return nil
}

// stage writes all files beside the parts.
func (f *Folder) stage(files []File) error {
	dir := filepath.Join(f.partial, stagingDir)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	for _, file := range files {
		if !plainName(file.Name) {
			return fmt.Errorf("%q is not a file name", file.Name)
		}
		if err := writeFile(f.staged(file.Name), file.Write); err != nil {
			os.RemoveAll(dir) // room for the parts is worth more
			return fmt.Errorf("%s: %w", file.Name, err)
		}
	}
	return nil
}

// clear removes what an older result or an interrupted commit left in DIR:
// first the manifest, so that the rest is no result.
func (f *Folder) clear() error {
	if err := remove(filepath.Join(f.dir, manifestFile)); err != nil {
		return err
	}
	if err := syncDir(f.dir); err != nil {
		return err
	}
	for _, name := range f.owned {
		if err := remove(filepath.Join(f.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// writeJournal notes every name in DIR that is ours from now on.
func (f *Folder) writeJournal(files []File) error {
	for _, file := range files {
		if !slices.Contains(f.owned, file.Name) {
			f.owned = append(f.owned, file.Name)
		}
	}
	b, err := json.Marshal(f.owned)
	if err != nil {
		return err
	}
	return writeDurably(filepath.Join(f.partial, journalFile), b)
}

// readJournal adds the names of an interrupted commit to those we own.
func (f *Folder) readJournal() {
	b, err := os.ReadFile(filepath.Join(f.partial, journalFile))
	if err != nil {
		return
	}
	var names []string
	if json.Unmarshal(b, &names) != nil {
		return
	}
	for _, name := range names {
		if plainName(name) && !slices.Contains(f.owned, name) {
			f.owned = append(f.owned, name)
		}
	}
}

// Close ends the work on the folder. Without a Commit the finished points
// stay for a later run to resume.
func (f *Folder) Close() error {
	if f.lock == nil {
		return nil
	}
	_, err := os.Stat(filepath.Join(f.partial, journalFile))
	if f.ready && f.parts() == 0 && err != nil {
		_ = f.empty(lockFile) // nothing to resume from
	}
	err = f.lock.release()
	f.lock = nil
	os.Remove(f.partial) // succeeds only when it is empty
	return err
}

// parts is the number of finished points that are kept.
func (f *Folder) parts() int {
	entries, _ := os.ReadDir(f.partial)
	n := 0
	for _, e := range entries {
		if filepath.Ext(e.Name()) == partSuffix {
			n++
		}
	}
	return n
}

// empty removes everything from the partial folder but keep.
func (f *Folder) empty(keep ...string) error {
	entries, err := os.ReadDir(f.partial)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if slices.Contains(keep, e.Name()) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(f.partial, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (f *Folder) part(point int) string {
	return filepath.Join(f.partial, fmt.Sprintf("point-%05d%s", point, partSuffix))
}

func (f *Folder) staged(name string) string {
	return filepath.Join(f.partial, stagingDir, name)
}
