package scenarios

import (
	"fmt"
	"reflect"
	"strings"
)

// shaper turns what was written into map form, and finds unknown keys.
type shaper struct {
	*report
	specs specs
}

// shape gives a node the shape its type has in map form.
func (s shaper) shape(t reflect.Type, n *node, path string) *node {
	return s.shapeField(&field{typ: t}, n, path)
}

// shapeField also knows what keys look like.
func (s shaper) shapeField(f *field, n *node, path string) *node {
	shape, t := s.specs.shapeOf(f.typ)
	bad := func(message, allowed string) *node {
		s.at(n.at, path, n.String(), message, allowed)
		return &node{kind: badNode, at: n.at}
	}
	tooMany := func() *node {
		s.at(n.at, path, "", fmt.Sprintf("more than %d of them", maxNames), "")
		return &node{kind: badNode, at: n.at}
	}
	switch {
	case n.kind == badNode:
		return n
	case n.kind == nullNode:
		return bad("an empty value; write none to switch something off, unlimited to lift a limit", "")
	}
	switch shape {
	case asScalar:
		if n.kind != scalarNode {
			return bad("one value is expected, not a "+n.kindWord(), "")
		}
		return n
	case asMap:
		union := len(s.specs.of(t).rows) > 0
		switch {
		case n.kind == scalarNode && union:
			return s.oneLine(t, n, path)
		case n.kind != mapNode:
			return bad("a map is expected, with fields of "+strings.Join(s.specs.of(t).names(), ", "), "")
		}
		return s.object(t, n, path)
	case asNamed:
		if n.kind != mapNode {
			return bad("a map from names to values is expected, not a "+n.kindWord(), "")
		}
		if len(n.fields) > maxNames {
			return tooMany()
		}
		return s.named(t.Elem(), f.format, n, path)
	case asSteps:
		if n.kind != listNode {
			n = &node{kind: listNode, at: n.at, items: []*node{n}, origin: n.origin}
		}
		if len(n.items) > maxNames {
			return tooMany()
		}
		return s.each(n, func(item *node) *node {
			if item.isWord(theWork) {
				return item
			}
			if item.kind == scalarNode {
				return mapOf(item, entry{name: "to", at: item.at, val: item})
			}
			return s.shape(typeStep, item, path)
		})
	case asPolicy:
		if n.kind == scalarNode {
			return n
		}
		if n.kind == listNode {
			return s.layers(n, path)
		}
		return s.shape(typePolicy, n, path)
	case asList:
		if n.kind != listNode {
			return bad(s.noList(f, n), "")
		}
		i := 0
		return s.each(n, func(item *node) *node {
			i++
			return s.shape(t.Elem(), item, fmt.Sprintf("%s[%d]", path, i))
		})
	}
	return n // variants and sweep have their own readers
}

// noList says how to write a list.
func (s shaper) noList(f *field, n *node) string {
	if n.kind != scalarNode {
		return "a list is expected: write [" + n.String() + "]"
	}
	if n.isWord("none") && f.name == "retry_on" {
		return "a list is expected; for no retries at all, write max_attempts: 1"
	}
	if n.isWord("none") {
		return "a list is expected, and it names at least one"
	}
	words := strings.Split(n.text, ",")
	for i, word := range words {
		words[i] = quote(strings.TrimSpace(word), false)
	}
	return "a list is expected: write [" + strings.Join(words, ", ") + "]"
}

func (n *node) kindWord() string {
	switch n.kind {
	case listNode:
		return "list"
	case mapNode:
		return "map"
	}
	return "single value"
}

// mapOf makes the map form of something written as n.
func mapOf(n *node, fields ...entry) *node {
	m := &node{kind: mapNode, at: n.at}
	m.origin = m
	for _, f := range fields {
		f.from = m
		m.fields = append(m.fields, f)
	}
	return m
}

func (s shaper) each(n *node, shape func(*node) *node) *node {
	c := *n
	c.items = make([]*node, len(n.items))
	for i, item := range n.items {
		c.items[i] = shape(item)
	}
	return &c
}

// object shapes the fields of a map, and drops those that do not exist.
func (s shaper) object(t reflect.Type, n *node, path string) *node {
	sp := s.specs.of(t)
	c := *n
	c.brief = briefly(t)
	c.whole = len(sp.rows) > 0 && n.get("kind") != nil
	c.fields = make([]entry, 0, len(n.fields))
	for _, e := range n.fields {
		f := sp.field(e.name)
		if f == nil {
			meant := sp.meant(e.name)
			s.at(e.at, join(path, e.name), "", "no such field"+askFor(e.name, meant), strings.Join(sp.names(), ", "))
			if meant != "" && n.get(meant) == nil && c.get(meant) == nil { // it is not missing too
				c.fields = append(c.fields, entry{meant, e.at, &node{kind: badNode, at: e.at}, e.from})
			}
			continue
		}
		e.val = s.field(f, e.val, join(path, e.name))
		c.fields = append(c.fields, e)
	}
	return &c
}

// field shapes the value of a field, which may be the word none.
func (s shaper) field(f *field, n *node, path string) *node {
	if f.none && n.isWord("none") {
		return n
	}
	return s.shapeField(f, n, path)
}

// layers shapes a list of policies, which are names.
func (s shaper) layers(n *node, path string) *node {
	if len(n.items) == 0 {
		s.at(n.at, path, n.String(), "a list of policies names at least one; without the field there is one attempt and no retry", "")
		return &node{kind: badNode, at: n.at}
	}
	if len(n.items) > maxLayers {
		s.at(n.at, path, "", fmt.Sprintf("more than %d layers", maxLayers), "")
		return &node{kind: badNode, at: n.at}
	}
	for i, item := range n.items {
		if item.kind == badNode || item.kind == scalarNode {
			continue
		}
		s.at(item.at, fmt.Sprintf("%s[%d]", path, i+1), item.String(), "the name of a policy is expected; in a list of layers each has a name in policies", "")
		return &node{kind: badNode, at: n.at}
	}
	return n
}

// named shapes a map from names, or words of the given format, to values.
func (s shaper) named(elem reflect.Type, format string, n *node, path string) *node {
	c := *n
	c.fields = make([]entry, 0, len(n.fields))
	for _, e := range n.fields {
		if w := checkKey(format, e.name); w != nil {
			s.at(e.at, path, e.name, w.message, w.allowed)
			continue
		}
		e.val = s.shape(elem, e.val, join(path, e.name))
		c.fields = append(c.fields, e)
	}
	return &c
}
