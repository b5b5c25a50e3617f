package scenarios

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// maxWork limits the points, as points x nodes of the scenario: each point is
// validated before the first one runs, which takes about 1 us a node.
const maxWork = 10_000_000

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
	design   design
	bisect   *Bisect
	specs    specs
	files    *files
	presets  *catalogue
	// See counted.go.
	inboxes, counted map[string]bool
	duplicates       bool
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
	Row     int       // of the sweep, the same in all variants
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
	f.bisect = s.bisect(f.root)
	f.settle(r, applied)
	f.tryOverrides(r)
	f.findClashes(r, applied)
	if r.clashed || len(f.variants) == 0 {
		f.variants, f.axes, f.bisect = []variant{{name: "base"}}, nil, nil // their points mean nothing
	}

	shaped := len(r.paths)
	base := r.extend(f.root, f.presets)
	doc := f.decode(r, base, "")
	f.Scenario = &doc.Scenario
	if expect := f.root.value("expect"); expect != nil {
		for i, n := range expect.items {
			if n.kind != badNode && i < len(doc.Expect) {
				f.Expect = append(f.Expect, f.expectation(n))
			}
		}
	}
	if where := f.root.value("bisect").value("where"); f.bisect != nil && where != nil {
		f.bisect.Where = f.expectation(where)
	}
	f.validator(r, base, f.Scenario, nil).whole()
	r.paths = r.paths[:shaped] // the points find theirs again
	f.arrange(r, doc.Design)
	f.findInboxes()
	f.checkPoints(r)
	f.Scenario.Counted = f.countedOf(f.Scenario)
}

func (f *File) expectation(n *node) Expectation {
	if n.at.file != f.name {
		return Expectation{Text: n.text}
	}
	return Expectation{n.text, n.at.line, n.at.col}
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
			o.place(root)
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
	for _, a := range f.allAxes() {
		try(a.paths)
	}
}

// allAxes lists the axes of the sweep, and that of the bisection.
func (f *File) allAxes() []axis {
	if f.bisect == nil {
		return f.axes
	}
	return append(f.axes[:len(f.axes):len(f.axes)], f.bisect.axis)
}

// findClashes compares what is set by --set, variants and axes with each other.
func (f *File) findClashes(r *report, sets []*override) {
	for _, o := range f.overrides() {
		o.place(f.root)
	}
	for _, v := range f.variants {
		r.clashes(sets, v.set)
		for i := range v.set {
			r.clashes(v.set[:i], v.set[i:i+1])
		}
	}
	axes := f.allAxes()
	for i, a := range axes {
		r.clashes(sets, a.paths)
		for _, v := range f.variants {
			r.clashes(v.set, a.paths)
		}
		for j := range i {
			r.clashes(axes[j].paths, a.paths)
		}
	}
}

// decode makes Go values of a tree. What is wrong with a value has its place,
// so only notes name the point.
func (f *File) decode(r *report, root *node, point string) *Document {
	r.where = ""
	doc := decoder{report: r, specs: f.specs, files: f.files, where: point}.scenario(root)
	if root.value("window") == nil {
		doc.Window = windowFor(doc.Until, doc.Window)
	}
	return doc
}

// windowFor is the default width of windows, as wide as the length of a run asks
// for.
func windowFor(until, window time.Duration) time.Duration {
	for _, wider := range []time.Duration{time.Second, time.Minute} {
		if until <= maxUntil && window < smallestWindow(until) {
			window = wider
		}
	}
	return window
}

// limit is how many points are possible.
func (f *File) limit() int {
	size := f.root.size()
	if sweep := f.root.value("sweep"); sweep != nil {
		size -= sweep.size() // a point has one value of each axis
	}
	return maxWork / size
}

// tooMany reports more points than are possible.
func (f *File) tooMany(r *report, points int) {
	n := f.root.value("sweep")
	if n == nil {
		n = f.root
	}
	r.at(n.at, "sweep", "", fmt.Sprintf("the sweep has %s points; %d are possible for a file of this size", many(points), f.limit()), "")
}

func (f *File) checkPoints(r *report) {
	points := f.Points()
	if points > f.limit() {
		f.tooMany(r, points)
		points = min(points, 1) // the rest of the file is worth a look
	}
	spots := 0
	var notes counter
	for s := range f.tried(points) {
		f.check(r, s, &notes)
		notes.closed = true
		if spots++; len(r.errors) > 10*maxProblems {
			break
		}
	}
	for _, p := range notes.everywhere(spots) {
		r.add(p)
	}
	r.namePoints(spots)
}

// tried are the first points; of a bisection with all of them also some values
// between its ends.
func (f *File) tried(points int) iter.Seq[spot] {
	return func(yield func(spot) bool) {
		for i := range points {
			if !yield(f.spot(i)) {
				return
			}
		}
		if f.bisect == nil || points < f.Points() {
			return
		}
		for cell := range f.Cells() {
			for _, k := range []int{1, f.bisect.Steps / 2} {
				if !yield(f.bisectSpot(cell, k)) {
					return
				}
			}
		}
	}
}

func many(points int) string {
	if points == math.MaxInt {
		return "more than 10^18"
	}
	return fmt.Sprint(points)
}

// check decodes and validates one point.
func (f *File) check(r *report, s spot, notes *counter) *Scenario {
	root, o, problem := f.tree(s)
	if problem != "" {
		r.at(o.at, o.name(), "", problem, "")
		return nil
	}
	where := ""
	if f.Points() > 1 {
		where = f.describe(s)
	}
	shaped := len(r.paths)
	root = r.extend(root, f.presets)
	doc := f.decode(r, root, where)
	r.where = where
	f.validator(r, root, &doc.Scenario, notes).point()
	r.where, r.paths = "", r.paths[:shaped]
	if notes != nil {
		f.counts(&doc.Scenario)
	}
	doc.Counted = f.countedOf(&doc.Scenario)
	return &doc.Scenario
}

// Points is the number of points: [File.Rows] for each variant. Of a bisection
// they are the ends of its range, which are always run; what lies between is
// for [File.BisectPoint].
func (f *File) Points() int { return product(len(f.variants), f.Rows()) }

// product multiplies counts; what is too large for an int is the largest.
func product(a, b int) int {
	if b != 0 && a > math.MaxInt/b {
		return math.MaxInt
	}
	return a * b
}

// spot is a variant at a place of the sweep.
type spot struct {
	variant variant
	row     int
	values  []axisValue
}

// spot is that of a point.
func (f *File) spot(i int) spot {
	rows := f.Rows()
	if f.bisect != nil {
		return f.bisectSpot(i/2, i%2*f.bisect.Steps)
	}
	return spot{f.variants[i/rows], i % rows, f.row(i % rows)}
}

// Point describes point i of Points: variants outermost, then the rows of the
// sweep. In a grid the last axis in file order is the fastest.
func (f *File) Point(i int) Point { return f.spot(i).point(i) }

func (s spot) point(i int) Point {
	p := Point{Index: i, Variant: s.variant.name, Row: s.row}
	for _, x := range s.values {
		p.Sweep, p.Numbers = append(p.Sweep, x.text), append(p.Numbers, x.number)
	}
	return p
}

// describe names a point in a message.
func (f *File) describe(s spot) string {
	var parts []string
	if len(f.variants) > 1 {
		parts = append(parts, "variant "+s.variant.name)
	}
	for k, name := range f.Axes() {
		parts = append(parts, name+" "+brief(s.values[k].text))
	}
	return strings.Join(parts, ", ")
}

// Axes lists the sweep's paths or labels, in file order, and last that of a
// bisection.
func (f *File) Axes() []string {
	all := f.allAxes()
	out := make([]string, len(all))
	for i, a := range all {
		out[i] = a.name
	}
	return out
}

// Variants lists the variants in file order.
func (f *File) Variants() []string {
	out := make([]string, len(f.variants))
	for i, v := range f.variants {
		out[i] = v.name
	}
	return out
}

// Reference is the variant that the others are compared with.
func (f *File) Reference() string {
	if name := f.root.scalar("compare_to"); name != "" {
		return name
	}
	return f.variants[0].name
}

// tree is the file with the overrides of a point applied.
func (f *File) tree(s spot) (*node, *override, string) {
	root, all := f.root, s.variant.set
	for _, x := range s.values {
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
	return f.resolve(f.spot(i))
}

func (f *File) resolve(at spot) (*Scenario, error) {
	r := &report{}
	s := f.check(r, at, nil)
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
