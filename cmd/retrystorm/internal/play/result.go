package play

import (
	"bytes"
	"fmt"
	"io/fs"
	"sync"

	"retrystorm/experiment"
	"retrystorm/report"
)

// Result is a finished run, and makes its files when they are asked for: the same
// bytes that the command line writes.
type Result struct {
	files []report.File
	size  int64

	mu sync.Mutex // one file at a time: pictures take memory
}

func newResult(r *experiment.Result, size int64) *Result {
	return &Result{files: report.Files(r), size: size}
}

// Names are those of the files.
func (r *Result) Names() []string {
	names := make([]string, 0, len(r.files))
	for _, f := range r.files {
		names = append(names, f.Name)
	}
	return names
}

// File is the content of the file with exactly that name.
func (r *Result) File(name string) ([]byte, error) {
	for _, f := range r.files {
		if f.Name != name {
			continue
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return b.Bytes(), nil
	}
	return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
}

// Size is about how many bytes of memory it takes.
func (r *Result) Size() int64 { return r.size }
