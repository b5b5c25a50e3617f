package scenarios

import (
	"slices"
	"strings"
)

// overrides offers paths, and goes on in what they are set to.
func (c *completer) overrides(n *sketch) {
	for _, k := range n.keys {
		if head, here := before(k.name); here {
			c.paths(head, k.bare, false)
			return
		}
		if k.val.has() {
			if s, ok := c.seatOf(k.name); ok {
				c.at(s, k.val)
			}
			return
		}
	}
}

// axes offers the paths of a sweep, and goes on in their values.
func (c *completer) axes(n *sketch) {
	for _, k := range n.keys {
		if head, here := before(k.name); here {
			c.paths(head, k.bare, false)
			return
		}
		if !k.val.has() {
			continue
		}
		s, ok := c.seatOf(k.name)
		for _, item := range k.val.items {
			if ok && item.has() {
				c.at(s, item)
			}
		}
		for _, label := range k.val.keys { // values with a label are sets of overrides
			if label.val.has() {
				c.overrides(label.val)
			}
		}
	}
}

// seatOf is the seat that a path leads to.
func (c *completer) seatOf(path string) (seat, bool) {
	names := pathNames(path)
	f, w := c.specs.resolve(names)
	if w != nil {
		return seat{}, false
	}
	s := seat{field: f}
	if len(names) > 1 { // the type around it, for the kinds of a union
		if outer, w := c.specs.resolve(names[:len(names)-1]); w == nil {
			switch shape, t := c.specs.shapeOf(outer.typ); shape {
			case asMap:
				s.owner = t
			case asPolicy:
				s.owner = typePolicy
			}
		}
		s.under = names[len(names)-2]
	}
	return s, true
}

// paths offers how a path could go on. In a key a colon ends it; whole says
// whether it may name what belongs to the whole experiment.
func (c *completer) paths(head string, key, whole bool) {
	base, last := "", head
	if i := strings.LastIndexByte(head, '.'); i >= 0 {
		base, last = head[:i], head[i+1:]
	}
	c.prefix = last
	at, n := &field{typ: typeDocument}, c.root
	for name := range strings.SplitSeq(base, ".") {
		if base == "" {
			break
		}
		var ok bool
		if at, n, ok = c.below(at, n, name); !ok {
			return
		}
	}
	shape, t := c.specs.shapeOf(at.typ)
	if shape == asPolicy {
		if _, named := n.word(); named {
			return // another policy's fields have another path
		}
		shape, t = asMap, typePolicy
	}
	switch shape {
	case asMap:
		sp := c.specs.of(t)
		for i := range sp.fields {
			f := &sp.fields[i]
			if shape, _ := c.specs.shapeOf(f.typ); shape == asVariants || shape == asAxes || base == "" && f.whole && !whole {
				continue
			}
			c.add("field", f.name, c.detail(sp, f), help(t, f), f.name+c.ending(f, key))
		}
	case asNamed, asSteps:
		names, detail := n.names(), "name"
		if shape == asSteps {
			names, detail = n.stepNames(), "step"
		}
		for _, name := range names {
			c.add("name", name, detail, "", name+".")
		}
		if len(names) > 1 {
			c.add("name", star, "every one", "", star+".")
		}
	}
}

// ending is what follows a name of a path: a dot where it must go on, a colon
// where a key ends.
func (c *completer) ending(f *field, key bool) string {
	switch shape, t := c.specs.shapeOf(f.typ); {
	case shape == asNamed, shape == asSteps, shape == asMap && len(c.specs.of(t).rows) == 0:
		return "."
	case shape == asMap, shape == asPolicy, !key:
		return ""
	}
	return ": "
}

// below is what lies below a name, by its type and in the text.
func (c *completer) below(at *field, n *sketch, name string) (*field, *sketch, bool) {
	shape, t := c.specs.shapeOf(at.typ)
	switch shape {
	case asPolicy:
		if _, named := n.word(); named {
			return nil, nil, false
		}
		t = typePolicy
		fallthrough
	case asMap:
		f := c.specs.of(t).field(name)
		return f, n.get(name), f != nil
	case asNamed:
		inner := n.get(name)
		if name == star && len(n.keys) > 0 {
			inner = n.keys[0].val
		}
		return &field{typ: t.Elem()}, inner, true
	case asSteps:
		return &field{typ: typeStep}, n.step(name), true
	}
	return nil, nil, false
}

// stepNames lists the names of the steps of a sketch, within parallel ones too.
func (s *sketch) stepNames() []string {
	var out []string
	for _, step := range s.steps() {
		if name := step.stepName(); name != "" && name != theWork && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// step is the step of a name, or nothing.
func (s *sketch) step(name string) *sketch {
	for _, step := range s.steps() {
		if step.stepName() == name {
			return step
		}
	}
	return &sketch{kind: nullNode}
}

// steps lists all steps.
func (s *sketch) steps() []*sketch {
	items := s.items
	if s.kind != listNode {
		items = []*sketch{s}
	}
	var out []*sketch
	for _, item := range items {
		out = append(out, item)
		if inner := item.get("parallel"); inner.kind != nullNode {
			out = append(out, inner.steps()...)
		}
	}
	return out
}

// stepName is the address of a step.
func (s *sketch) stepName() string {
	if text, ok := s.word(); ok {
		return text
	}
	name, _ := s.get("name").word()
	to, _ := s.get("to").word()
	switch {
	case name != "":
		return name
	case to == "" && s.get("parallel").kind != nullNode:
		return parallelName
	}
	return to
}
