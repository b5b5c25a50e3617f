package scenarios

import "errors"

// Place is where something was written.
type Place struct {
	File      string // as given to Load, or "--set N"
	Line, Col int    // from 1; 0 when there is no such place
}

// Places knows where the values of one point were written.
type Places struct{ root *node }

// Places are those of point i, with all overrides applied and all policies
// extended.
func (f *File) Places(i int) (Places, error) {
	if i < 0 || i >= f.Points() {
		return Places{}, errors.New("there is no such point")
	}
	root, _, problem := f.tree(f.spot(i))
	if problem != "" {
		return Places{}, errors.New(problem)
	}
	return Places{(&report{}).extend(root, f.presets)}, nil
}

// Of is where the value at a path stands; where nobody wrote one, the deepest
// part of the path that somebody did.
func (p Places) Of(path string) Place {
	at := locate(p.root, path)
	return Place{at.file, at.line, at.col}
}

// Wrote says whether somebody wrote the value at a path; what comes from a
// library nobody did.
func (p Places) Wrote(path string) bool {
	n := find(p.root, path)
	return n != nil && !n.preset
}
