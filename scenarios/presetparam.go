package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Param is a library's own name for something in the policy.
type Param struct {
	Name string
	// Path is what it sets, for people: paths in a policy, separated by commas;
	// those that are not the value itself as path = arithmetic.
	Path string

	targets []target
	// standard is what it is by itself, where no target is just the value.
	standard string
	// means is what some values mean in the library.
	means []entry
	// since is the first version in which it means this.
	since string
	// timed: it is a time; known where there is arithmetic.
	timed bool
}

// target is one place that a parameter sets.
type target struct {
	path string
	typ  *field
	expr *expr  // nil: the value as it is given
	word string // of a path that is neither a number nor a time: what it becomes
}

// plain says that the target has the value as it is given.
func (t target) plain() bool { return t.expr == nil && t.word == "" }

func (p *Param) computed() bool {
	return slices.ContainsFunc(p.targets, func(t target) bool { return t.expr != nil })
}

// direct is the first path that has the value as it is given.
func (p *Param) direct() string {
	for _, t := range p.targets {
		if t.plain() {
			return t.path
		}
	}
	return ""
}

func (p *Preset) param(name string) *Param {
	for i := range p.Params {
		if p.Params[i].Name == name {
			return &p.Params[i]
		}
	}
	return nil
}

// param reads what stands for a parameter in a preset file.
func (r *presetReader) param(e entry, path string) Param {
	p := Param{Name: e.name}
	sets := e.val
	if e.val.kind == mapNode {
		sets = nil
		r.fields(e.val, path, []string{"sets"}, map[string]func(*node, string){
			"sets":     func(n *node, _ string) { sets = n },
			"standard": r.text(&p.standard),
			"since":    r.text(&p.since),
			"means":    func(n *node, path string) { p.means = r.pairs(n, path) },
		})
		if sets == nil {
			return p
		}
	}
	items := []*node{sets}
	if sets.kind == listNode {
		items = sets.items
	}
	var texts []string
	for _, item := range items {
		to, arithmetic, computed := strings.Cut(item.text, " = ")
		t := target{path: strings.TrimSpace(to), typ: r.leads(item.at, path, strings.TrimSpace(to))}
		if t.typ == nil {
			continue
		}
		if _, counts := timedField(t.typ); computed && !counts {
			t.word = strings.TrimSpace(arithmetic)
		} else if computed {
			var w *wrong
			if t.expr, w = readExpr(arithmetic); w != nil {
				r.at(item.at, path, item.text, w.message, w.allowed)
				continue
			}
		}
		p.targets, texts = append(p.targets, t), append(texts, item.text)
	}
	p.Path = strings.Join(texts, ", ")
	for _, m := range p.means {
		p.Path += fmt.Sprintf(" (%s means %s)", m.name, m.val.text)
	}
	if p.since != "" {
		p.Path += " (since " + p.since + ")"
	}
	return p
}

// timedField says whether a field is a time; ok for numbers too.
func timedField(f *field) (timed, ok bool) {
	t := f.typ
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == typeDuration:
		return true, true
	case f.unit == "rate":
		return false, false
	}
	return false, t.Kind() == reflect.Int64 || t.Kind() == reflect.Float64
}

// checkParams finds out which parameters are times, and whether all arithmetic
// works out.
func (r *presetReader) checkParams(p *preset, at place, path string) {
	known := map[string]bool{} // those whose value can be told, given or not
	for i := range p.Params {
		q := &p.Params[i]
		if q.since != "" && !slices.Contains(p.Versions, q.since) {
			r.at(at, join(path, q.Name)+".since", q.since, "no such version", strings.Join(p.Versions, ", "))
		}
		for _, t := range q.targets {
			if t.plain() && !known[q.Name] {
				q.timed, known[q.Name] = timedField(t.typ)
			}
		}
		if q.standard != "" {
			_, number := readQuantity(q.standard, false)
			_, time := readQuantity(q.standard, true)
			q.timed, known[q.Name] = time == nil, number == nil || time == nil
		}
	}
	for i := range p.Params {
		q := &p.Params[i]
		if !q.computed() {
			continue
		}
		here := join(path, q.Name)
		for _, t := range q.targets {
			if t.expr == nil {
				continue
			}
			t.expr.names(func(name string) {
				if name != "x" && !known[name] {
					r.at(at, here, name, "no parameter whose value can be told; a parameter has one if it is a time or a number and sets a path to just that, or has a standard", "")
				}
			})
		}
		fits := func(timed bool) bool {
			return !slices.ContainsFunc(q.targets, func(t target) bool {
				want, ok := timedField(t.typ)
				switch {
				case t.word != "":
					return false
				case t.expr == nil:
					return !ok || want != timed
				}
				power, sound := t.expr.power(func(name string) bool {
					if name == "x" {
						return timed
					}
					other := p.param(name)
					return other != nil && other.timed
				})
				return !ok || !sound || power < 0 || power > 1 || (power == 1) != want
			})
		}
		if !known[q.Name] {
			q.timed = !fits(false)
		}
		if !fits(q.timed) {
			r.at(at, here, q.Path, "mixes times and numbers", "")
		}
	}
}

// given is a parameter with its value.
type given struct {
	param  *Param
	set    int // its place among the sets
	at     place
	origin string
	val    *node
}

// knownIn says whether it means this in a version of the preset.
func (p *Param) knownIn(version string, versions []string) bool {
	return p.since == "" || slices.Index(versions, version) >= slices.Index(versions, p.since)
}

// meant is a value with what the library takes it for.
func (p *Param) meant(n *node) *node {
	for _, m := range p.means {
		if n.kind == scalarNode && strings.EqualFold(m.name, n.text) {
			return n.become(m.val.text)
		}
	}
	return n
}

// overrides are what a parameter sets: what it stands for, other paths with the
// value as it is given, and with what follows from it.
func (m *presetMaker) overrides(g given, all []given, n *node) (out [3][]*override) {
	x, word := quantity{}, g.val.isWord("none") || g.val.isWord("unlimited")
	if g.param.computed() && !word {
		w := &wrong{"one value is expected, not a " + g.val.kindWord(), ""}
		if g.val.kind == scalarNode {
			x, w = readQuantity(g.val.text, g.param.timed)
		}
		if w != nil {
			m.at(g.at, g.param.Name, g.val.String(), w.message, w.allowed)
			return out
		}
	}
	value := func(name string) (quantity, bool) {
		if name == "x" {
			return x, true
		}
		return m.valueOf(m.preset.param(name), all, n)
	}
	for i, t := range g.param.targets {
		val, rank := g.val, 2
		switch {
		case i == 0:
			rank = 0
		case t.plain():
			rank = 1
		}
		if dot := strings.LastIndexByte(t.path, '.'); i > 0 && dot > 0 && find(n, t.path[:dot]) == nil {
			continue // this version has no such thing
		}
		switch {
		case t.word != "":
			val = val.become(t.word)
		case t.expr != nil && !word:
			q, ok := t.expr.eval(value)
			if !ok {
				continue
			}
			text := q.text()
			if t.typ.unit == "share" {
				text = q.percent()
			}
			if q.num.Sign() < 0 {
				m.at(g.at, g.param.Name, g.val.String(), fmt.Sprintf("makes %s %s, and it must not be negative", t.path, text), "")
				continue
			}
			val = val.become(text)
		}
		o := &override{path: strings.Split(t.path, "."), at: g.at, layer: g.origin, from: val}
		o.val = shaper{m.report, m.specs}.field(t.typ, val, t.path)
		out[rank] = append(out[rank], o)
	}
	return out
}

// become is another text that stands in the same place.
func (n *node) become(text string) *node {
	c := *n
	c.text, c.quoted, c.origin = text, false, &c
	return &c
}

// valueOf is the value of another parameter: given, or what the policy has.
func (m *presetMaker) valueOf(p *Param, all []given, n *node) (quantity, bool) {
	text := p.standard
	if path := p.direct(); path != "" {
		if at := written(n, path); at != "" {
			text = at
		}
	}
	for _, g := range all {
		if g.param == p {
			text = g.val.text
		}
	}
	q, w := readQuantity(text, p.timed)
	return q, w == nil
}
