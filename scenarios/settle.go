package scenarios

import (
	"reflect"
	"slices"
	"strings"
)

// A path that ends in kind changes the kind and keeps the rest, inherited or
// not. A map that is written with its kind is a whole value. So what such a
// --set leaves in the file would not be read back as it is meant: settle writes
// down what it inherits.
func (f *File) settle(r *report, sets []*override) {
	var kinds []*override
	for _, o := range sets {
		if o.path[len(o.path)-1] == "kind" {
			kinds = append(kinds, o)
		}
	}
	if len(kinds) == 0 {
		return
	}
	settled := (&report{}).extendWith(f.root, f.presets, func(p, merged *node) *node {
		return f.specs.settled(typePolicy, p, merged)
	})
	if settled == f.root {
		return
	}
	f.root = settled
	for _, v := range f.variants {
		r.unsettled(kinds, v.set)
	}
	for _, a := range f.allAxes() {
		r.unsettled(kinds, a.paths)
	}
}

// unsettled reports overrides that change what a policy inherits, after it has
// been written down.
func (r *report) unsettled(kinds, others []*override) {
	for _, k := range kinds {
		for _, o := range others {
			last := o.path[len(o.path)-1]
			if !slices.Contains([]string{"library", "version", "extends"}, last) || !overlap(k.path, o.path[:len(o.path)-1]) {
				continue
			}
			section := strings.Join(k.path[:len(k.path)-1], ".")
			r.at(o.at, o.name(), "", "set by "+o.layer+", while "+k.layer+" changes the kind of what is inherited there; write --set "+section+"=... with all of it", "")
		}
	}
}

// settled is a map of type t as written, in which parts with a kind that is not
// their own have all that merged has for that kind.
func (ss specs) settled(t reflect.Type, n, merged *node) *node {
	shape, t := ss.shapeOf(t)
	for _, e := range n.fields {
		m := merged.value(e.name)
		if m == nil || m == e.val || m.kind != mapNode || e.val.kind != mapNode || e.val.whole {
			continue
		}
		var below reflect.Type
		switch shape {
		case asMap:
			below = ss.of(t).field(e.name).typ
		case asNamed:
			below = t.Elem()
		default:
			continue
		}
		e.val = ss.settledPart(below, e.val, m)
		if n.value(e.name) != e.val {
			n = n.with(e)
		}
	}
	return n
}

func (ss specs) settledPart(t reflect.Type, n, merged *node) *node {
	shape, of := ss.shapeOf(t)
	if shape != asMap || len(ss.of(of).rows) == 0 || n.get("kind") == nil {
		return ss.settled(t, n, merged)
	}
	return ss.of(of).used(merged)
}

// used is a map without the fields that its kind does not use.
func (s *spec) used(n *node) *node {
	r := s.rowOf(n.scalar("kind"))
	if r == nil {
		return n
	}
	c := *n
	c.whole, c.fields = true, nil
	for _, e := range n.fields {
		if e.name == "kind" || r.uses(e.name) {
			c.fields = append(c.fields, e)
		}
	}
	return &c
}
