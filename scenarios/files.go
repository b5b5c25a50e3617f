package scenarios

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"time"

	"retrystorm/sim/random"
)

// maxFileBytes is the largest file a scenario may name.
const maxFileBytes = 64 << 20

// files reads the data files a scenario names, each once.
type files struct {
	dir  fs.FS // nil: there is no folder
	read map[string]*dataFile
}

type dataFile struct {
	values []time.Duration
	err    error
	name   string
	text   []byte
	hash   [sha256.Size]byte
}

// load reads the file of a distribution or an arrival process.
func (d decoder) load(v reflect.Value, n *node, path string) {
	var name, column string
	var values *[]time.Duration
	var parse func(io.Reader) ([]time.Duration, error)
	switch x := v.Addr().Interface().(type) {
	case *random.Dist:
		if x.Kind != "file" {
			return
		}
		name, column, values, parse = x.File, "seconds", &x.Values, random.ReadValues
	case *random.Arrival:
		if x.Kind != "trace" {
			return
		}
		name, column, values, parse = x.File, "t_s", &x.Times, random.ReadTimes
	default:
		return
	}
	if name == "" {
		return // reported as missing
	}
	f := d.files.get(name, column, parse)
	*values = f.values
	if f.err != nil {
		d.at(n.value("file").at, join(path, "file"), name, f.err.Error(), "")
	}
}

// get reads one column of a file.
func (all *files) get(name, column string, parse func(io.Reader) ([]time.Duration, error)) *dataFile {
	key := column + " of " + name
	if f := all.read[key]; f != nil {
		return f
	}
	f := &dataFile{name: name}
	all.read[key] = f
	switch {
	case !fs.ValidPath(name):
		f.err = errors.New("a file stands in the scenario's folder or below it, and is named from there")
		return f
	case all.dir == nil:
		f.err = errors.New("this scenario has no folder to read files from")
		return f
	}
	src, err := all.dir.Open(name)
	if err != nil {
		f.err = fmt.Errorf("cannot be read: %w", reason(err))
		return f
	}
	defer src.Close()
	data, err := io.ReadAll(io.LimitReader(src, maxFileBytes+1))
	switch {
	case err != nil:
		f.err = fmt.Errorf("cannot be read: %w", reason(err))
	case len(data) > maxFileBytes:
		f.err = fmt.Errorf("larger than %d MiB", maxFileBytes>>20)
	default:
		f.text, f.hash = data, sha256.Sum256(data)
		f.values, f.err = parse(bytes.NewReader(data))
	}
	return f
}

// Data are the data files that the scenario reads, by name.
func (f *File) Data() map[string][]byte {
	out := map[string][]byte{}
	for _, d := range f.files.read {
		out[d.name] = d.text
	}
	return out
}

// reason leaves the path out of an error: the message names it already, and
// the folder above it is nobody's business.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
