package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"retrystorm/strategies"
)

// Preset is a policy that ships with the tool: what a library does by itself.
type Preset struct {
	Name    string
	Aliases []string
	// Family is the library; its bare name means the first of its presets.
	Family string
	// Source is the file in the library that says so.
	Source string
	// Evidence is how that was established: run, port or read.
	Evidence string
	Title    string
	// Formula is the wait before retry k, for people.
	Formula string
	// Defect is what the library is known to do wrong, if the preset does it too.
	Defect string
	// Corrected is how to get it right: the name of a preset, or changes as
	// "path: value".
	Corrected string
	Note      string
	// Versions are those that changed the policy, oldest first. Each holds from
	// itself until the next one; the last is what no version means.
	Versions []string
	// Params are the library's own names of what can be set.
	Params []Param
}

// Presets lists the presets by family, each family in its own order.
func Presets() []Preset {
	all := shipped()
	out := make([]Preset, len(all.presets))
	for i, p := range all.presets {
		out[i] = p.Preset
	}
	return out
}

// PresetNames lists all that library may be: the names of presets, families
// and aliases, sorted.
func PresetNames() []string { return shipped().names() }

// FindPreset looks a preset up by name, family, alias, or the path of the
// library's Go package. Large letters and underscores do not matter.
func FindPreset(name string) (Preset, bool) {
	if p := shipped().lookup(name); p != nil {
		return p.Preset, true
	}
	return Preset{}, false
}

// PresetPolicy is the policy of a preset, or of a backoff kind by itself. An
// empty version means the newest. Each of sets is PARAM=VALUE, with a name from
// Params or, for a backoff kind, one of its fields; or PATH=VALUE. An error in
// them is a Problems.
func PresetPolicy(name, version string, sets []string) (strategies.Policy, error) {
	return shipped().policy(name, version, sets)
}

// preset is a Preset with what each version says.
type preset struct {
	Preset
	bodies      []*node // in map form, as Versions
	corrections []correction
}

type correction struct {
	path string
	val  *node
}

// catalogue holds presets by all of their names.
type catalogue struct {
	presets  []*preset
	byName   map[string]*preset
	byModule map[string]*preset // by the paths of Go packages
}

// shipped are the presets that ship with the tool. What is wrong with their
// files a test finds; the others work.
var shipped = sync.OnceValue(func() *catalogue {
	all, _ := readPresets(presetFiles)
	return all
})

func (all *catalogue) names() []string {
	out := make([]string, 0, len(all.byName))
	for name := range all.byName {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// body is what a version says: the newest one listed that is not above it.
func (p *preset) body(version string) (*node, *wrong) {
	if version == "" {
		return p.bodies[len(p.bodies)-1], nil
	}
	known := strings.Join(p.Versions, ", ")
	asked, readable := parseVersion(version)
	found := -1
	for i, v := range p.Versions {
		if v == version {
			return p.bodies[i], nil
		}
		if at, ok := parseVersion(v); ok && readable && slices.Compare(at, asked) <= 0 {
			found = i
		}
	}
	switch {
	case !readable:
		return nil, &wrong{"not a version", "numbers with dots, such as " + p.Versions[len(p.Versions)-1] + "; what " + p.Name + " does is known from " + known}
	case found < 0:
		return nil, &wrong{"what " + p.Name + " did then is not known", "from " + p.Versions[0] + " on; known versions: " + known}
	}
	return p.bodies[found], nil
}

// parseVersion reads numbers with dots; trailing zeros mean nothing.
func parseVersion(s string) ([]int64, bool) {
	var out []int64
	for part := range strings.SplitSeq(strings.TrimPrefix(s, "v"), ".") {
		if !allDigits(part) || len(part) > 18 {
			return nil, false
		}
		n := int64(0)
		for _, digit := range part {
			n = 10*n + int64(digit-'0')
		}
		out = append(out, n)
	}
	for len(out) > 1 && out[len(out)-1] == 0 {
		out = out[:len(out)-1]
	}
	return out, true
}

// corrected says whether a policy of this preset has the correction.
func (p *preset) isCorrected(policy *node) bool {
	for _, c := range p.corrections {
		if written(policy, c.path) != c.val.String() {
			return false
		}
	}
	return len(p.corrections) > 0
}

// policy decodes a policy from its preset.
func (all *catalogue) policy(name, version string, sets []string) (strategies.Policy, error) {
	kinds := (strategies.Backoff{}).Kinds()
	kind := slices.IndexFunc(kinds, func(words []string) bool { return words[0] == name })
	p := all.lookup(name)
	switch {
	case p == nil && kind >= 0:
		p = kindPreset(kinds[kind])
	case p == nil:
		w := all.unknown(name)
		return strategies.Policy{}, errors.New(name + ": " + w.message + "; allowed: " + w.allowed)
	}
	body, w := p.body(version)
	if w != nil {
		return strategies.Policy{}, fmt.Errorf("%s: version %s: %s; allowed: %s", name, version, w.message, w.allowed)
	}
	m := presetMaker{report: &report{}, specs: language(), preset: p, version: p.Versions[slices.Index(p.bodies, body)]}
	policy := m.policy(body, sets)
	if len(m.errors) > 0 {
		return strategies.Policy{}, sorted(m.errors)
	}
	return policy, nil
}

// kindPreset is a backoff kind by itself, with its fields as parameters.
func kindPreset(words []string) *preset {
	scalar := func(text string) *node { return &node{kind: scalarNode, text: text} }
	backoff := mapOf(scalar(""), entry{name: "kind", val: scalar(words[0])})
	body := mapOf(scalar(""), entry{name: "max_attempts", val: scalar("unlimited")}, entry{name: "backoff", val: backoff})
	p := &preset{Preset: Preset{Name: words[0], Versions: []string{"1"}}, bodies: []*node{body}}
	for _, field := range words[1:] {
		if field != "" {
			path := "backoff." + field
			f, _ := language().resolveIn(typePolicy, strings.Split(path, "."))
			p.Params = append(p.Params, Param{Name: field, Path: path, targets: []target{{path: path, typ: f}}})
		}
	}
	return p
}

// presetMaker lays sets over a preset.
type presetMaker struct {
	*report
	specs   specs
	preset  *preset
	version string
	done    []*override // what was set
	follow  []*override // what followed from it
}

func (m *presetMaker) policy(n *node, sets []string) strategies.Policy {
	n = m.lay(n, sets)
	var out Policy
	d := decoder{report: m.report, specs: m.specs, files: &files{read: map[string]*dataFile{}}}
	d.object(reflect.ValueOf(&out).Elem(), n, "")
	for _, note := range m.notes { // a value that was set for nothing is a mistake here
		if o := setBy(m.done, note.Path); o != nil && o.at.file == note.File {
			note.Warning = false
			m.add(note)
		}
	}
	if len(m.errors) == 0 {
		out.Validate(func(field, problem string) {
			message, allowed, _ := strings.Cut(problem, "; allowed: ")
			p := Problem{File: m.preset.Name, Path: field, Value: written(n, field), Message: message, Allowed: allowed}
			if o := setBy(append(m.done, m.follow...), field); o != nil {
				p.File = o.at.file
			}
			m.add(p)
		})
	}
	return out.Policy
}

// lay lays PARAM=VALUE and PATH=VALUE over a policy. What is set holds against
// what follows from other parameters, in any order; a copy holds against
// arithmetic.
func (m *presetMaker) lay(n *node, sets []string) *node {
	var params []given
	own := make([][]*override, len(sets))
	for i, text := range sets {
		origin := fmt.Sprintf("--set %d", i+1)
		at := place{file: origin}
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			m.at(at, "", text, "write NAME=VALUE", "")
			continue
		}
		param := m.preset.param(name)
		path := name
		if param != nil && len(param.targets) == 1 && param.targets[0].expr == nil {
			path = param.targets[0].path // what is wrong is wrong there
		}
		val := shaper{m.report, m.specs}.setValue(origin, path, value)
		switch {
		case val == nil:
		case param != nil && !param.knownIn(m.version, m.preset.Versions):
			m.at(at, name, "", "it is something else in version "+m.version+", which is not modelled", "from "+param.since+" on")
		case param != nil:
			params = append(params, given{param, i, at, origin, param.meant(val)})
		default:
			if o := m.direct(at, origin, name, val); o != nil {
				own[i] = []*override{o}
				n = m.apply(o, n)
			}
		}
	}
	var copied, computed []*override
	under := n
	for _, g := range params {
		out := m.overrides(g, params, under)
		own[g.set] = out[0]
		copied, computed = append(copied, out[1]...), append(computed, out[2]...)
	}
	for _, os := range own {
		m.clashes(m.done, os)
		m.done = append(m.done, os...)
	}
	for _, o := range append(computed, copied...) {
		if !slices.ContainsFunc(m.done, func(set *override) bool { return overlap(set.path, o.path) }) {
			n = m.apply(o, n)
			m.follow = append(m.follow, o)
		}
	}
	for _, o := range m.done {
		n = m.apply(o, n)
	}
	return n
}

// direct reads PATH=VALUE.
func (m *presetMaker) direct(at place, origin, path string, val *node) *override {
	o := &override{path: strings.Split(path, "."), at: at, layer: origin, from: val}
	switch o.path[0] {
	case "library", "extends":
		m.at(at, path, "", "a parameter does not replace the library or strategy: give another NAME", "")
		return nil
	case "version":
		m.at(at, path, "", "no parameter: the version is given with --version", "")
		return nil
	}
	f, w := m.specs.resolveIn(typePolicy, o.path)
	if w != nil {
		if len(o.path) == 1 {
			var fields []string
			for _, p := range m.preset.Params {
				fields = append(fields, p.Name)
			}
			for _, name := range m.specs.of(typePolicy).names() {
				if !slices.Contains([]string{"library", "extends", "version"}, name) {
					fields = append(fields, name)
				}
			}
			w = &wrong{"no such parameter" + didYouMean(path, fields), strings.Join(fields, ", ")}
		}
		m.at(at, path, "", w.message, w.allowed)
		return nil
	}
	o.val = shaper{m.report, m.specs}.field(f, val, path)
	return o
}

func (m *presetMaker) apply(o *override, n *node) *node {
	next, problem := m.specs.set(o, typePolicy, n, 0)
	if problem != "" {
		m.at(o.at, o.name(), "", problem, "")
		return n
	}
	return next
}

// setBy is the set that a value comes from, or one that has to do with it.
func setBy(done []*override, path string) *override {
	var best *override
	for _, o := range done {
		switch name := o.name(); {
		case within(path, name) || within(name, path):
			return o
		case best == nil && strings.Split(name, ".")[0] == strings.Split(path, ".")[0]:
			best = o
		}
	}
	return best
}

// nearest suggests up to three names for a word.
func nearest(word string, candidates []string) string {
	const partly = 100 // one is a part of the other
	type near struct {
		name     string
		distance int
	}
	var found []near
	for _, c := range candidates {
		d := editDistance(word, c)
		switch {
		case len(word) > 64:
			return ""
		case d <= len(word)/3+1:
		case len(word) >= 3 && (strings.Contains(c, word) || strings.Contains(word, c) && len(c) >= 3):
			d = partly + len(c)
		default:
			continue
		}
		found = append(found, near{c, d})
	}
	slices.SortStableFunc(found, func(a, b near) int { return cmp.Compare(a.distance, b.distance) })
	var names []string
	for _, f := range found[:min(len(found), 3)] {
		if f.distance < partly || found[0].distance >= partly {
			names = append(names, f.name)
		}
	}
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return "; did you mean " + names[0] + "?"
	default:
		return "; did you mean " + strings.Join(names[:n-1], ", ") + " or " + names[n-1] + "?"
	}
}
