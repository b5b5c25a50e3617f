package report

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// writeFile writes a file and waits until it is on disk. A file that could
// not be written completely is removed.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(path)
	}
	return err
}

// writeDurably puts a file under its name only when it is complete and on
// disk.
func writeDurably(path string, content []byte) error {
	temporary := path + ".new"
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
	return syncDir(filepath.Dir(path))
}

// replaceFile puts a file under its name only when it is complete.
func replaceFile(path string, content []byte) error {
	temporary := path + ".new"
	err := os.WriteFile(temporary, content, 0o644)
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		os.Remove(temporary)
	}
	return err
}

// move renames a file, or copies it when the other name is on another file
// system, as with a folder mounted into a container.
func move(from, to string) error {
	if os.Rename(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	temporary := filepath.Join(filepath.Dir(to), "."+filepath.Base(to)+".new")
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
	return nil
}

// plainName reports whether name stays inside its folder.
func plainName(name string) bool {
	return name != "" && filepath.IsLocal(name) && filepath.Base(name) == name && name != "."
}
