package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// override is one path = value, from --set, a variant or an axis.
type override struct {
	path  []string
	at    place // of the path
	val   *node // in map form
	layer string
	from  *node // what was written together with it
	// chain is the path with the parallel steps that a step is in, by which it is
	// told what lies inside of what; nil: the path.
	chain []string
}

func (o *override) name() string { return strings.Join(o.path, ".") }

func (o *override) whole() []string {
	if o.chain != nil {
		return o.chain
	}
	return o.path
}

// place finds the steps that the path of an override leads through.
func (o *override) place(n *node) {
	for i, name := range o.path {
		switch {
		case n == nil:
			return
		case n.kind != listNode:
			n = n.value(name)
			continue
		}
		var within []string
		for _, outer := range n.stepNames() {
			if outer != name && n.step(outer).holds(name) {
				within = append(within, outer, parallelName)
			}
		}
		if within != nil {
			o.chain = slices.Concat(o.path[:i], within, o.path[i:])
		}
		return
	}
}

// holds says whether parallel steps have one of that name among them.
func (n *node) holds(name string) bool {
	inner := n.value("parallel")
	return inner != nil && inner.kind == listNode && inner.step(name) != nil
}

// override reads a path and its value. Fields of the whole experiment can be
// set, but not be different from point to point.
func (s shaper) override(path string, at place, val *node, layer string, whole bool, from *node) *override {
	o := &override{path: pathNames(path), at: at, layer: layer, from: from}
	f, w := s.specs.resolve(o.path)
	if w == nil && !whole && s.specs.of(typeDocument).field(o.path[0]).whole {
		w = &wrong{"belongs to the whole experiment and cannot differ between points", ""}
	}
	if w != nil {
		s.at(at, path, "", w.message, w.allowed)
		return nil
	}
	o.val = s.field(f, val, path)
	return o
}

// apply puts the value in its place. The message is empty if that worked.
func (ss specs) apply(o *override, root *node) (*node, string) {
	return ss.set(o, typeDocument, root, 0)
}

// set returns n, which has type t, with the value at path[depth:] replaced.
func (ss specs) set(o *override, t reflect.Type, n *node, depth int) (*node, string) {
	if depth == len(o.path) {
		return o.val, ""
	}
	if n != nil && n.kind == badNode {
		return n, ""
	}
	name, here, last := o.path[depth], strings.Join(o.path[:depth], "."), depth == len(o.path)-1
	shape, t := ss.shapeOf(t)
	if shape == asPolicy {
		switch {
		case n != nil && n.kind == scalarNode:
			return nil, fmt.Sprintf("%s is the name of a policy; write policies.%s.%s", here, n.text, strings.Join(o.path[depth:], "."))
		case n != nil && n.kind == listNode:
			return nil, fmt.Sprintf("%s is a list of policies; write policies.NAME.%s with one of the names: %s", here, strings.Join(o.path[depth:], "."), n)
		}
		shape, t = asMap, typePolicy
	}
	if n == nil || n.isWord("none") {
		n = &node{kind: mapNode, at: o.at, origin: o.from}
		if shape == asSteps {
			n.kind = listNode
		}
	}
	if n.kind == scalarNode {
		return n, "" // of the wrong shape, and reported
	}
	switch shape {
	case asSteps:
		out, matched, problem := ss.setSteps(o, n, depth)
		if problem != "" || matched {
			return out, problem
		}
		return nil, nothingThere(name, here, n.stepNames())
	case asNamed:
		return ss.setNamed(o, t.Elem(), n, depth)
	case asMap:
		f := ss.of(t).field(name)
		e := entry{name: name, at: o.at, from: o.from}
		var below *node
		if old := n.get(name); old != nil {
			below = old.val
			if !last {
				e = *old
			}
		}
		var problem string
		e.val, problem = ss.set(o, f.typ, below, depth+1)
		if problem != "" {
			return nil, problem
		}
		return n.with(e), ""
	}
	return n, ""
}

// setNamed goes on below one name, or below every name.
func (ss specs) setNamed(o *override, elem reflect.Type, n *node, depth int) (*node, string) {
	name, here, last := o.path[depth], strings.Join(o.path[:depth], "."), depth == len(o.path)-1
	out := *n
	out.fields = slices.Clone(n.fields)
	matched := false
	for i := range out.fields {
		if e := &out.fields[i]; name == star || name == e.name {
			matched = true
			val, problem := ss.set(o, elem, e.val, depth+1)
			if problem != "" {
				return nil, problem
			}
			e.val = val
		}
	}
	switch {
	case matched:
		return &out, ""
	case last && name != star:
		return n.with(entry{name, o.at, o.val, o.from}), "" // a new name, with all of its value
	case elem == typeBackoffOn && name != star: // the rest may come from what the policy starts from
		val, problem := ss.set(o, elem, nil, depth+1)
		if problem != "" {
			return nil, problem
		}
		return n.with(entry{name, o.at, val, o.from}), ""
	}
	return nil, nothingThere(name, here, names(n))
}

// nothingThere says that a name, or *, stands for nothing.
func nothingThere(name, here string, known []string) string {
	if name == star {
		return "there is nothing in " + here + ", so * stands for nothing"
	}
	return fmt.Sprintf("there is no %s in %s%s", name, here, didYouMean(name, known))
}

// clashes reports overrides of two layers that cannot both hold, at the second.
func (r *report) clashes(as, bs []*override) {
	for _, a := range as {
		for _, b := range bs {
			if a != b && overlap(a.whole(), b.whole()) {
				r.clash(a, b)
			}
		}
	}
}

func (r *report) clash(a, b *override) {
	where := "value " + brief(a.val.String())
	if a.at.line > 0 {
		where = fmt.Sprintf("line %d", a.at.line)
	}
	message := fmt.Sprintf("set by %s and by %s (%s)", b.layer, a.layer, where)
	if a.name() != b.name() {
		message = fmt.Sprintf("set by %s, while %s sets %s (%s)", b.layer, a.layer, a.name(), where)
	}
	r.clashed = true
	r.at(b.at, b.name(), "", message+"; only one of them can"+wayOut(a.layer, b.layer), "")
}

// wayOut is what helps when the command line clashes with the file.
func wayOut(first, second string) string {
	switch {
	case !strings.HasPrefix(first, "--set"):
		return ""
	case strings.HasPrefix(second, "variant"):
		return "; --variants leaves variants out"
	case strings.HasPrefix(second, "sweep axis"):
		return "; --sweep PATH=VALUES replaces the axis"
	}
	return ""
}
