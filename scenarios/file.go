package scenarios

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
)

// maxWork limits the grid, as points x nodes of the file: each point is
// validated before the first one runs, which takes about 1 us a node.
const maxWork = 5_000_000

// File is a scenario file: a scenario, and the points at which it is run.
// It does not change after Load; all methods may be called concurrently.
type File struct {
	// Scenario is what the file says before variants and sweep.
	Scenario *Scenario
	// Expect lists the expectations and where they stand.
	Expect []Expectation
	// Notes are warnings: the scenario can be run, but somebody should look.
	Notes Problems

	name     string
	root     *node // in map form, --set applied
	variants []variant
	axes     []axis
	specs    specs
	files    *files
	presets  *catalogue
}

// Expectation is an entry of expect.
type Expectation struct {
	Text      string
	Line, Col int // 0 when it came from --set
}

// Point names one variant at one combination of sweep values.
type Point struct {
	Index   int
	Variant string
	Sweep   []string  // text of each axis value, in the order of Axes
	Numbers []float64 // the same in base units (s, /s, share, plain); NaN when not a number
}

// Load reads and validates a scenario with all of its points. name is how
// messages call the file, dir the folder its data files are read from (nil:
// none), and sets are overrides, each PATH=VALUE. The error is a Problems.
func Load(name string, src []byte, dir fs.FS, sets []string) (*File, error) {
	return loadWith(shipped(), name, src, dir, sets)
}

func loadWith(presets *catalogue, name string, src []byte, dir fs.FS, sets []string) (*File, error) {
	r := &report{}
	f := &File{name: name, specs: language(), files: &files{dir: dir, read: map[string]*dataFile{}}, presets: presets}
	f.load(r, src, sets)
	if len(r.errors) > 0 {
		return nil, sorted(r.errors)
	}
	f.Notes = sorted(r.notes)
	return f, nil
}

func (f *File) load(r *report, src []byte, sets []string) {
	root := r.parse(f.name, src)
	if root == nil {
		return
	}
	s := shaper{r, f.specs}
	if root.kind != mapNode {
		r.at(root.at, "", root.String(), "a scenario is a map with name, clients and services", "")
		return
	}
	root, applied := s.sets(s.shape(typeDocument, root, ""), sets)
	f.root = root
	f.variants, f.axes = s.variants(f.root), s.sweep(f.root)
	f.settle(r, applied)
	f.tryOverrides(r)
	f.findClashes(r, applied)
	if r.clashed || f.Points() == 0 {
		f.variants, f.axes = []variant{{name: "base"}}, nil // their points mean nothing
	}

	shaped := len(r.paths)
	base := r.extend(f.root, f.presets)
	doc := f.decode(r, base, "")
	f.Scenario = &doc.Scenario
	if expect := f.root.value("expect"); expect != nil {
		for i, n := range expect.items {
			if n.kind == badNode || i >= len(doc.Expect) {
				continue
			}
			at := n.at
			if at.file != f.name {
				at = place{}
			}
			f.Expect = append(f.Expect, Expectation{n.text, at.line, at.col})
		}
	}
	f.validator(r, base, f.Scenario, nil).whole()
	r.paths = r.paths[:shaped] // the points find theirs again
	f.checkPoints(r)
}

// sets applies the overrides of the command line.
func (s shaper) sets(root *node, sets []string) (*node, []*override) {
	var done []*override
	for i, text := range sets {
		origin := fmt.Sprintf("--set %d", i+1)
		at := place{file: origin}
		path, value, ok := strings.Cut(text, "=")
		if !ok {
			s.at(at, "", text, "write --set PATH=VALUE", "")
			continue
		}
		val := s.setValue(origin, path, value)
		if val == nil {
			continue
		}
		if o := s.override(path, at, val, origin, true, val); o != nil {
			s.clashes(done, []*override{o})
			done = append(done, o)
			next, problem := s.specs.apply(o, root)
			if problem != "" {
				s.at(at, path, "", problem, "")
				continue
			}
			root = next
		}
	}
	return root, done
}

// setValue reads the value of a --set, which is YAML; positions inside it say
// nothing to the reader.
func (s shaper) setValue(origin, path, value string) *node {
	if strings.TrimSpace(value) == "" {
		s.at(place{file: origin}, path, "", "an empty value; write none to switch something off, unlimited to lift a limit", "")
		return nil
	}
	inner := &report{}
	n := inner.parse(origin, []byte(value))
	for _, p := range inner.errors {
		s.at(place{file: origin}, path, value, p.Message, p.Allowed)
	}
	if n == nil || len(inner.errors) > 0 {
		return nil
	}
	return n.moved(place{file: origin})
}

// moved is a tree in which everything stands at one place.
func (n *node) moved(at place) *node {
	c := *n
	c.at, c.origin, c.block = at, &c, true
	c.fields, c.items = slices.Clone(n.fields), slices.Clone(n.items)
	for i := range c.fields {
		c.fields[i].at, c.fields[i].from, c.fields[i].val = at, &c, c.fields[i].val.moved(at)
	}
	for i := range c.items {
		c.items[i] = c.items[i].moved(at)
	}
	return &c
}

// tryOverrides finds paths that name nothing in the file. No two layers set
// the same place, so each override can be tried by itself.
func (f *File) tryOverrides(r *report) {
	try := func(set []*override) {
		for _, o := range set {
			if _, problem := f.specs.apply(o, f.root); problem != "" {
				r.at(o.at, o.name(), "", problem, "")
			}
		}
	}
	for _, v := range f.variants {
		try(v.set)
	}
	for _, a := range f.axes {
		try(a.paths)
	}
}

// findClashes compares what is set by --set, variants and axes with each other.
func (f *File) findClashes(r *report, sets []*override) {
	for _, v := range f.variants {
		r.clashes(sets, v.set)
	}
	for i := range f.axes {
		a := &f.axes[i]
		r.clashes(sets, a.paths)
		for _, v := range f.variants {
			r.clashes(v.set, a.paths)
		}
		for j := range f.axes[:i] {
			r.clashes(f.axes[j].paths, a.paths)
		}
	}
}

// decode makes Go values of a tree. What is wrong with a value has its place,
// so only notes name the point.
func (f *File) decode(r *report, root *node, point string) *Document {
	r.where = ""
	return decoder{report: r, specs: f.specs, files: f.files, where: point}.scenario(root)
}

func (f *File) checkPoints(r *report) {
	points := f.Points()
	if limit := maxWork / f.root.size(); points > limit {
		n := f.root.value("sweep")
		if n == nil {
			n = f.root
		}
		r.at(n.at, "sweep", "", fmt.Sprintf("the grid has %s points; %d are possible for a file of this size", many(points), limit), "")
		points = min(points, 1) // the rest of the file is worth a look
	}
	var notes counter
	defer r.namePoints(points)
	for i := range points {
		f.check(r, i, &notes)
		if len(r.errors) > 10*maxProblems {
			return
		}
	}
	for _, p := range notes.everywhere(points) {
		r.add(p)
	}
}

func many(points int) string {
	if points == math.MaxInt {
		return "more than 10^18"
	}
	return fmt.Sprint(points)
}

// check decodes and validates one point.
func (f *File) check(r *report, i int, notes *counter) *Scenario {
	root, o, problem := f.tree(i)
	if problem != "" {
		r.at(o.at, o.name(), "", problem, "")
		return nil
	}
	where := ""
	if f.Points() > 1 {
		where = f.describe(i)
	}
	shaped := len(r.paths)
	root = r.extend(root, f.presets)
	doc := f.decode(r, root, where)
	r.where = where
	f.validator(r, root, &doc.Scenario, notes).point()
	r.where, r.paths = "", r.paths[:shaped]
	return &doc.Scenario
}

// Points is the number of points.
func (f *File) Points() int {
	n := len(f.variants)
	for _, a := range f.axes {
		if n > math.MaxInt/len(a.values) {
			return math.MaxInt
		}
		n *= len(a.values)
	}
	return n
}

// split gives the variant and the axis values of a point.
func (f *File) split(i int) (variant, []axisValue) {
	values := make([]axisValue, len(f.axes))
	for k := len(f.axes) - 1; k >= 0; k-- {
		n := len(f.axes[k].values)
		values[k] = f.axes[k].values[i%n]
		i /= n
	}
	return f.variants[i], values
}

// Point describes point i of Points: variants outermost, then the axes in file
// order, the last one fastest.
func (f *File) Point(i int) Point {
	v, values := f.split(i)
	p := Point{Index: i, Variant: v.name}
	for _, x := range values {
		p.Sweep, p.Numbers = append(p.Sweep, x.text), append(p.Numbers, x.number)
	}
	return p
}

// describe names a point in a message.
func (f *File) describe(i int) string {
	p := f.Point(i)
	var parts []string
	if len(f.variants) > 1 {
		parts = append(parts, "variant "+p.Variant)
	}
	for k, a := range f.axes {
		parts = append(parts, a.name+" "+brief(p.Sweep[k]))
	}
	return strings.Join(parts, ", ")
}

// Axes lists the sweep's paths or labels, in file order.
func (f *File) Axes() []string {
	out := make([]string, len(f.axes))
	for i, a := range f.axes {
		out[i] = a.name
	}
	return out
}

// Variants lists the variants in file order; the first is the reference.
func (f *File) Variants() []string {
	out := make([]string, len(f.variants))
	for i, v := range f.variants {
		out[i] = v.name
	}
	return out
}

// tree is the file with the overrides of a point applied.
func (f *File) tree(i int) (*node, *override, string) {
	v, values := f.split(i)
	root, all := f.root, v.set
	for _, x := range values {
		all = append(all[:len(all):len(all)], x.set...)
	}
	for _, o := range all {
		next, problem := f.specs.apply(o, root)
		if problem != "" {
			return nil, o, problem
		}
		root = next
	}
	return root, nil, ""
}

// Resolve is the scenario of a point, all overrides applied.
func (f *File) Resolve(i int) (*Scenario, error) {
	if i < 0 || i >= f.Points() {
		return nil, fmt.Errorf("there is no point %d; there are %d", i, f.Points())
	}
	r := &report{}
	s := f.check(r, i, nil)
	r.namePoints(f.Points())
	if len(r.errors) > 0 {
		return nil, sorted(r.errors)
	}
	if s == nil {
		return nil, errors.New("the point cannot be made")
	}
	return s, nil
}

// ProblemAt makes a problem of something a caller found wrong, at the place in
// the file where the value at a path stands.
func (f *File) ProblemAt(path, value, message string) Problem {
	at := locate(f.root, path)
	return Problem{File: at.file, Line: at.line, Col: at.col, Path: path, Value: value, Message: message}
}

// Hash identifies the scenario as run: its long form and the data files it reads.
func (f *File) Hash() string {
	h := sha256.New()
	h.Write(f.Long())
	for _, name := range slices.Sorted(maps.Keys(f.files.read)) {
		fmt.Fprintf(h, "%s\n%x\n", name, f.files.read[name].hash)
	}
	return hex.EncodeToString(h.Sum(nil))
}
