package site

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"retrystorm/report"
)

// markFile says that a folder is a playground of ours, and which files are. It is
// written first and index.html last, so that a folder with an index.html is whole,
// and one that was interrupted can be written again.
const markFile = "playground.json"

const indexFile = "index.html"

type mark struct {
	Tool  string   `json:"tool"`
	Files []string `json:"files"`
}

const markTool = "retrystorm playground"

// CheckFolder looks whether a playground can be written to a folder; what the user
// can mend is a [report.UsageError].
func CheckFolder(dir string, force bool) error {
	st, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(dir); err == nil {
			return &report.UsageError{Text: dir + " is a link that leads nowhere"}
		}
		return nil
	case err != nil:
		return err
	case !st.IsDir():
		return &report.UsageError{Text: dir + " is no folder"}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if _, ours := readMark(dir); !ours && len(entries) > 0 && !force {
		return &report.UsageError{Text: fmt.Sprintf("%s has files that are no playground; --force writes one among them", dir)}
	}
	return nil
}

func readMark(dir string) (m mark, ours bool) {
	b, err := os.ReadFile(filepath.Join(dir, markFile))
	return m, err == nil && json.Unmarshal(b, &m) == nil && m.Tool == markTool
}

// WriteFolder writes the files of a playground to a folder, and removes what an
// older one had and this one has not.
func WriteFolder(dir string, files map[string][]byte, force bool) error {
	if err := CheckFolder(dir, force); err != nil {
		return err
	}
	old, _ := readMark(dir)
	names := slices.Sorted(maps.Keys(files))
	both := slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(old.Files), names...))))
	if err := writeMark(dir, both); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(dir, indexFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range append(slices.DeleteFunc(slices.Clone(names), func(s string) bool { return s == indexFile }), indexFile) {
		if err := write(dir, name, files[name]); err != nil {
			return err
		}
	}
	if err := removeOld(dir, both, files); err != nil {
		return err
	}
	return writeMark(dir, names)
}

// removeOld removes what is not among the files any more. Names come from a file that
// anybody may write, and lead out of the folder by no link.
func removeOld(dir string, names []string, files map[string][]byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range names {
		if files[name] == nil {
			_ = root.Remove(filepath.FromSlash(name))
		}
	}
	return nil
}

func writeMark(dir string, names []string) error {
	b, err := json.MarshalIndent(mark{markTool, names}, "", "  ")
	if err != nil {
		return err
	}
	return write(dir, markFile, append(b, '\n'))
}

func write(dir, name string, content []byte) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return report.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}
