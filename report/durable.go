package report

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// changed is called after each change of a file or folder; tests look there
// what a crash would have left.
var changed = func() {}

// newFile is a file being written.
type newFile struct {
	*bufio.Writer
	file *os.File
}

func createFile(path string) (*newFile, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	changed()
	return &newFile{bufio.NewWriterSize(f, 1<<16), f}, nil
}

// finish waits until the file is on disk. A file that could not be written
// completely is removed.
func (f *newFile) finish(err error) error {
	if err == nil {
		err = f.Flush()
	}
	if err == nil {
		err = f.file.Sync()
	}
	if e := f.file.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(f.file.Name())
	}
	changed()
	return err
}

// writeFile writes a file and waits until it is on disk.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := createFile(path)
	if err != nil {
		return err
	}
	return f.finish(write(f))
}

// writeFiles writes files into a folder: those of one pass together, the others
// one by one.
func writeFiles(dir string, files []File) error {
	passed := map[*pass]bool{}
	for _, file := range files {
		var err error
		switch {
		case file.pass == nil:
			err = named(file, writeFile(filepath.Join(dir, file.Name), file.Write))
		case !passed[file.pass]:
			passed[file.pass] = true
			err = writePass(dir, file.pass, files)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writePass writes the files that are made in a pass.
func writePass(dir string, p *pass, files []File) (err error) {
	var list []*newFile
	var makers []maker
	var mine []File
	defer func() {
		for i, f := range list {
			if e := named(mine[i], f.finish(err)); err == nil {
				err = e
			}
		}
	}()
	for _, file := range files {
		if file.pass != p {
			continue
		}
		f, err := createFile(filepath.Join(dir, file.Name))
		if err != nil {
			return named(file, err)
		}
		list, mine = append(list, f), append(mine, file)
		m, err := file.begin(f)
		if err != nil {
			return named(file, err)
		}
		makers = append(makers, m)
	}
	return p.run(makers, func(k int, err error) error { return named(mine[k], err) })
}

// named puts the name of a file in front of an error.
func named(file File, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", file.Name, err)
	}
	return nil
}

// newSuffix is what a file is called while it is written beside its place.
const newSuffix = ".new"

// writeDurably puts a file under its name only when it is complete and on
// disk.
func writeDurably(path string, content []byte) error {
	temporary := path + newSuffix
	err := writeFile(temporary, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
	if err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		os.Remove(temporary)
		return err
	}
	changed()
	return syncDir(filepath.Dir(path))
}

// move renames a file, or copies it when the other name is on another file
// system, as with a folder mounted into a container.
func move(from, to string) error {
	if os.Rename(from, to) == nil {
		changed()
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	temporary := filepath.Join(filepath.Dir(to), "."+filepath.Base(to)+newSuffix)
	err = writeFile(temporary, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
	if err != nil {
		return err
	}
	if err := os.Rename(temporary, to); err != nil {
		os.Remove(temporary)
		return err
	}
	changed()
	return nil
}

// syncDir waits until the names in a folder are on disk, where systems can.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	_ = d.Sync() // some file systems cannot, and say so
	return nil
}

// remove is os.Remove without complaint about what is not there.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	changed()
	return nil
}

func removeAll(path string) error {
	err := os.RemoveAll(path)
	changed()
	return err
}

// makeDir makes a folder, unless it is there.
func makeDir(path string) error {
	err := os.MkdirAll(path, 0o777)
	changed()
	return err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// plainName reports whether name stays inside its folder.
func plainName(name string) bool {
	return name != "" && filepath.IsLocal(name) && filepath.Base(name) == name && name != "."
}

// WriteFile writes a file that somebody named, all of it or nothing.
func WriteFile(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() { // a pipe, a terminal
		return os.WriteFile(path, b.Bytes(), 0o666)
	}
	return writeDurably(path, b.Bytes())
}
