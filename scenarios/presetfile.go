package scenarios

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed presets/*.yaml
var presetFiles embed.FS

// readPresets reads the files of a folder presets, one for each library:
//
//	library: the family, and the first preset's other name
//	source: the file in the library's source; a preset may have another
//	evidence: run, port or read
//	modules: paths of its Go packages, if it is one
//	presets: by name
//	  title, formula, note, defect: texts; aliases: a list of names
//	  params: the library's name of a value -> what it sets, see below
//	  corrected: the name of a preset, or path -> value
//	  versions: version -> policy, oldest first
//
// A parameter sets a path in the policy to the value given, or to arithmetic
// with it, or several paths; the first is what it stands for, the others follow
// from it unless something else sets them:
//
//	max-delay: backoff.cap
//	retries: max_attempts = x + 1
//	jitter: [backoff.lo = 1 - x, backoff.hi = 1 + x]
//	base-interval: [backoff.base, backoff.cap = x * 10]
//	multiplier: {sets: [backoff.lo = x * (1 - factor), backoff.hi = x * (1 + factor)], standard: 2}
//	attempts: {sets: max_attempts, means: {0: unlimited}}
//	min: {sets: backoff.from, since: 9.0}
//	stop-after: [max_elapsed, elapsed_check = before-wait]
//
// In the arithmetic x is the value given, and other parameters stand for theirs:
// what is given, or else what the first of their paths without arithmetic has,
// or their standard. There are numbers (20% is 0.2) and times, + - * / ^ between
// blanks, parentheses, max(a, b) and min(a, b). What cannot be worked out, as a
// division by 0, is not set; none and unlimited go through all arithmetic as
// they are. A path that is neither is set to the word after the =. A path that a
// version's policy has no place for is left out, except the first. means lists
// values that the library takes for others; since is the first version for which
// a parameter is right.
//
// What cannot be used is left out and reported.
func readPresets(dir fs.FS) (*catalogue, Problems) {
	all := &catalogue{byName: map[string]*preset{}, byModule: map[string]*preset{}}
	r := &report{}
	names, err := fs.Glob(dir, "presets/*.yaml")
	if err != nil || len(names) == 0 {
		r.at(place{file: "presets"}, "", "", "no files", "")
	}
	specs := language()
	for _, name := range names {
		src, err := fs.ReadFile(dir, name)
		if err != nil {
			r.at(place{file: path.Base(name)}, "", "", "cannot be read", "")
			continue
		}
		if root := r.parse(path.Base(name), src); root != nil {
			(&presetReader{r, specs, all}).file(root)
		}
	}
	for _, p := range all.presets {
		if name := p.Corrected; name != "" && len(p.corrections) == 0 && all.byName[name] == nil {
			r.at(p.bodies[0].at, p.Name+".corrected", name, "no such preset"+didYouMean(name, all.names()), "")
		}
	}
	return all, sorted(r.errors)
}

type presetReader struct {
	*report
	specs specs
	all   *catalogue
}

// fields passes each field of a map to its reader, and finds what is unknown
// or missing.
func (r *presetReader) fields(n *node, path string, required []string, read map[string]func(n *node, path string)) {
	if n.kind != mapNode {
		r.at(n.at, path, n.String(), "a map is expected", "")
		return
	}
	for _, e := range n.fields {
		at := join(path, e.name)
		if f := read[e.name]; f != nil {
			f(e.val, at)
			continue
		}
		r.at(e.at, at, "", "no such field", "")
	}
	for _, name := range required {
		if n.get(name) == nil {
			r.at(n.at, join(path, name), "", "missing", "")
		}
	}
}

func (r *presetReader) text(to *string) func(n *node, path string) {
	return func(n *node, path string) {
		if n.kind != scalarNode || n.text == "" {
			r.at(n.at, path, n.String(), "a text is expected", "")
			return
		}
		*to = strings.TrimSpace(n.text)
	}
}

func (r *presetReader) list(to *[]string) func(n *node, path string) {
	return func(n *node, path string) {
		if n.kind != listNode {
			r.at(n.at, path, n.String(), "a list is expected", "")
		}
		for _, item := range n.items {
			*to = append(*to, item.text)
		}
	}
}

func (r *presetReader) file(root *node) {
	var common Preset
	var presets *node
	var modules []string
	r.fields(root, "", []string{"library", "source", "evidence", "presets"}, map[string]func(*node, string){
		"library":  r.text(&common.Family),
		"source":   r.text(&common.Source),
		"evidence": r.text(&common.Evidence),
		"presets":  func(n *node, _ string) { presets = n },
		"modules":  r.list(&modules),
	})
	if !slices.Contains([]string{"run", "port", "read"}, common.Evidence) {
		r.at(root.at, "evidence", common.Evidence, "no such word", "run, port, read")
	}
	if w := checkName(common.Family); w != nil {
		r.at(root.at, "library", common.Family, w.message, w.allowed)
	}
	if presets == nil || presets.kind != mapNode || len(presets.fields) == 0 {
		r.at(root.at, "presets", "", "a map from names to presets is expected", "")
		return
	}
	for i, e := range presets.fields {
		p := r.preset(e, common)
		if p == nil {
			continue
		}
		for _, module := range modules {
			module = strings.ToLower(module)
			if other := r.all.byModule[module]; i == 0 && other != nil {
				r.at(e.at, "modules", module, "is also that of "+other.Name, "")
			}
			if i == 0 {
				r.all.byModule[module] = p
			}
		}
		r.all.presets = append(r.all.presets, p)
		names := append([]string{p.Name}, p.Aliases...)
		if i == 0 && p.Name != p.Family && !slices.Contains(p.Aliases, p.Family) {
			names = append(names, p.Family)
		}
		for _, name := range names {
			if w := checkName(name); w != nil {
				r.at(e.at, "presets."+e.name, name, w.message, w.allowed)
			}
			if other := r.all.byName[name]; other != nil {
				r.at(e.at, "presets."+e.name, name, "is also a name of "+other.Name, "")
				continue
			}
			r.all.byName[name] = p
		}
	}
}

// preset reads one preset; nil when it has no versions that can be used.
func (r *presetReader) preset(e entry, common Preset) *preset {
	p := &preset{Preset: common}
	p.Name = e.name
	path, before := "presets."+e.name, r.found
	r.fields(e.val, path, []string{"title", "formula", "versions"}, map[string]func(*node, string){
		"title":   r.text(&p.Title),
		"formula": r.text(&p.Formula),
		"defect":  r.text(&p.Defect),
		"note":    r.text(&p.Note),
		"source":  r.text(&p.Source),
		"evidence": func(n *node, path string) {
			r.text(&p.Evidence)(n, path)
			if !slices.Contains([]string{"run", "port", "read"}, p.Evidence) {
				r.at(n.at, path, p.Evidence, "no such word", "run, port, read")
			}
		},
		"aliases": r.list(&p.Aliases),
		"params": func(n *node, path string) {
			for _, f := range r.pairs(n, path) {
				p.Params = append(p.Params, r.param(f, join(path, f.name)))
			}
		},
		"corrected": func(n *node, path string) {
			if n.kind == scalarNode {
				p.Corrected = n.text
				return
			}
			var changes []string
			for _, f := range r.pairs(n, path) {
				if f := r.leads(f.at, join(path, f.name), f.name); f == nil {
					continue
				}
				p.corrections = append(p.corrections, correction{f.name, f.val})
				changes = append(changes, f.name+": "+f.val.String())
			}
			p.Corrected = strings.Join(changes, ", ")
		},
		"versions": func(n *node, path string) { r.versions(p, n, path) },
	})
	r.checkParams(p, e.at, path+".params")
	if p.Corrected != "" && p.Defect == "" {
		r.at(e.at, path+".corrected", "", "corrects no defect", "")
	}
	if len(p.bodies) == 0 || r.found > before {
		return nil
	}
	return p
}

// pairs are the entries of a map.
func (r *presetReader) pairs(n *node, path string) []entry {
	if n.kind != mapNode {
		r.at(n.at, path, n.String(), "a map is expected", "")
	}
	return n.fields
}

// leads is the field of a policy that a path leads to.
func (r *presetReader) leads(at place, path, to string) *field {
	f, w := r.specs.resolveIn(typePolicy, strings.Split(to, "."))
	if w != nil {
		r.at(at, path, to, w.message, w.allowed)
	}
	return f
}

func (r *presetReader) versions(p *preset, n *node, path string) {
	var last []int64
	for _, e := range r.pairs(n, path) {
		at := fmt.Sprintf("%s.%s", path, e.name)
		now, ok := parseVersion(e.name)
		if ok && last != nil && slices.Compare(now, last) <= 0 {
			r.at(e.at, at, "", "versions are listed from old to new", "")
		}
		if ok {
			last = now
		}
		if e.val.kind != mapNode || e.val.get("extends") != nil || e.val.get("library") != nil {
			r.at(e.at, at, "", "a policy is expected that stands for itself", "")
			continue
		}
		body := shaper{r.report, r.specs}.shape(typePolicy, e.val, at)
		p.Versions, p.bodies = append(p.Versions, e.name), append(p.bodies, body)
	}
}
