package scenarios

import (
	"bytes"
	"crypto/sha256"
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
	hash   [sha256.Size]byte
}

// load reads the file of a distribution or an arrival process.
func (d decoder) load(v reflect.Value, n *node, path string) {
	var name string
	var values *[]time.Duration
	var parse func(io.Reader) ([]time.Duration, error)
	switch x := v.Addr().Interface().(type) {
	case *random.Dist:
		if x.Kind != "file" {
			return
		}
		name, values, parse = x.File, &x.Values, random.ReadValues
	case *random.Arrival:
		if x.Kind != "trace" {
			return
		}
		name, values, parse = x.File, &x.Times, random.ReadTimes
	default:
		return
	}
	if name == "" {
		return // reported as missing
	}
	f := d.files.get(name, path, parse)
	*values = f.values
	if f.err != nil {
		d.at(n.value("file").at, join(path, "file"), name, f.err.Error(), "")
	}
}

func (fs_ *files) get(name, path string, parse func(io.Reader) ([]time.Duration, error)) *dataFile {
	key := fmt.Sprintf("%p %s", parse, name)
	if f := fs_.read[key]; f != nil {
		return f
	}
	f := &dataFile{}
	fs_.read[key] = f
	switch {
	case !fs.ValidPath(name):
		f.err = fmt.Errorf("a file stands in the scenario's folder or below it, and is named from there")
		return f
	case fs_.dir == nil:
		f.err = fmt.Errorf("this scenario has no folder to read files from")
		return f
	}
	src, err := fs_.dir.Open(name)
	if err != nil {
		f.err = fmt.Errorf("cannot be read: %w", unwrapPath(err))
		return f
	}
	defer src.Close()
	data, err := io.ReadAll(io.LimitReader(src, maxFileBytes+1))
	switch {
	case err != nil:
		f.err = fmt.Errorf("cannot be read: %w", unwrapPath(err))
	case len(data) > maxFileBytes:
		f.err = fmt.Errorf("larger than %d MiB", maxFileBytes>>20)
	default:
		f.hash = sha256.Sum256(data)
		f.values, f.err = parse(bytes.NewReader(data))
	}
	return f
}
