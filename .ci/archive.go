//go:build ignore

// Archive packs files for a release and prints the checksum of the archive.
//
//	archive OUT UNIX-TIME FILE...
//
// The same files give the same bytes everywhere, which tar and zip of different
// systems do not: no owner, one time for all files, and the mode says only
// whether a file can be executed. OUT ends in .tar.gz or .zip; inside, the files
// stand in a folder that is called like it.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	if err := archive(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "archive:", err)
		os.Exit(1)
	}
}

func archive(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("usage: archive OUT UNIX-TIME FILE...")
	}
	seconds, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return err
	}
	files, err := read(args[2:])
	if err != nil {
		return err
	}
	var b bytes.Buffer
	out, when := args[0], time.Unix(seconds, 0).UTC()
	if folder, ok := strings.CutSuffix(filepath.Base(out), ".zip"); ok {
		err = zipped(&b, folder, when, files)
	} else if folder, ok := strings.CutSuffix(filepath.Base(out), ".tar.gz"); ok {
		err = tarred(&b, folder, when, files)
	} else {
		err = fmt.Errorf("%s: it must end in .tar.gz or .zip", out)
	}
	if err != nil {
		return err
	}
	fmt.Printf("%x  %s\n", sha256.Sum256(b.Bytes()), filepath.Base(out))
	return os.WriteFile(out, b.Bytes(), 0o644)
}

type file struct {
	name    string
	mode    os.FileMode
	content []byte
}

func read(paths []string) (files []file, err error) {
	for _, path := range paths {
		f := file{name: filepath.Base(path), mode: 0o644}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if info.Mode()&0o100 != 0 {
			f.mode = 0o755
		}
		if f.content, err = os.ReadFile(path); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

func tarred(b *bytes.Buffer, folder string, when time.Time, files []file) error {
	z, err := gzip.NewWriterLevel(b, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, f := range files {
		err := t.WriteHeader(&tar.Header{
			Name: folder + "/" + f.name, Mode: int64(f.mode), Size: int64(len(f.content)),
			ModTime: when, Format: tar.FormatUSTAR,
		})
		if err != nil {
			return err
		}
		if _, err := t.Write(f.content); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

func zipped(b *bytes.Buffer, folder string, when time.Time, files []file) error {
	z := zip.NewWriter(b)
	for _, f := range files {
		h := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: when}
		h.SetMode(f.mode)
		w, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := w.Write(f.content); err != nil {
			return err
		}
	}
	return z.Close()
}
