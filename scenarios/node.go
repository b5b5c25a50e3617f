package scenarios

import "strings"

type nodeKind uint8

const (
	scalarNode nodeKind = iota
	listNode
	mapNode
	nullNode // an empty value: nowhere allowed
	badNode  // already reported; nothing more is said about it
)

// place is where something was written.
type place struct {
	file      string // the scenario, or "--set N"
	line, col int
}

// right moves a place within its line.
func (p place) right(n int) place {
	p.col += n
	return p
}

// node is a piece of a scenario as written. Nodes are never changed after they
// are made: overrides copy what lies above the change and share the rest.
type node struct {
	kind   nodeKind
	at     place
	text   string // of a scalar: its source text
	quoted bool   // a scalar in quotes or a block: a text, never a number
	block  bool   // a scalar of several source lines: columns mean nothing inside
	brief  string // the field that is written alone while nothing else is said, or ""
	preset bool   // comes from a library's preset: nobody wrote it
	whole  bool   // written with its kind: nothing is inherited into it
	fields []entry
	items  []*node
	// origin is the node as it was parsed: entries with the same one were
	// written together.
	origin *node
}

// entry is one key of a map with its value.
type entry struct {
	name string
	at   place
	val  *node
	from *node // the parsed map that holds it
}

func (n *node) get(name string) *entry {
	for i := range n.fields {
		if n.fields[i].name == name {
			return &n.fields[i]
		}
	}
	return nil
}

// value is the node under a name, or nil.
func (n *node) value(name string) *node {
	if n == nil || n.kind != mapNode {
		return nil
	}
	if e := n.get(name); e != nil {
		return e.val
	}
	return nil
}

// scalar is the text under a name, or "".
func (n *node) scalar(name string) string {
	if v := n.value(name); v != nil && v.kind == scalarNode {
		return v.text
	}
	return ""
}

func (n *node) isWord(word string) bool {
	return n.kind == scalarNode && n.text == word && !n.quoted
}

// with is a copy of a map with one entry replaced, or added at the end.
func (n *node) with(e entry) *node {
	c := *n
	c.fields = make([]entry, len(n.fields), len(n.fields)+1)
	copy(c.fields, n.fields)
	if old := c.get(e.name); old != nil {
		*old = e
	} else {
		c.fields = append(c.fields, e)
	}
	return &c
}

// withItem is a copy of a list with one item replaced.
func (n *node) withItem(i int, item *node) *node {
	c := *n
	c.items = append([]*node(nil), n.items...)
	c.items[i] = item
	return &c
}

// only is the value that stands for a whole map in writing, or nil.
func (n *node) only() *node {
	if n.brief != "" && len(n.fields) == 1 && n.fields[0].name == n.brief && n.fields[0].val.kind == scalarNode {
		return n.fields[0].val
	}
	return nil
}

// size counts the nodes of a tree.
func (n *node) size() int {
	total := 1
	for _, e := range n.fields {
		total += e.val.size()
	}
	for _, v := range n.items {
		total += v.size()
	}
	return total
}

// String is the node in one line of flow YAML.
func (n *node) String() string {
	var b strings.Builder
	n.flow(&b)
	return b.String()
}

func (n *node) flow(b *strings.Builder) {
	switch n.kind {
	case mapNode:
		if v := n.only(); v != nil {
			v.flow(b)
			return
		}
		b.WriteByte('{')
		for i, e := range n.fields {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(quote(e.name, false) + ": ")
			e.val.flow(b)
		}
		b.WriteByte('}')
	case listNode:
		b.WriteByte('[')
		for i, v := range n.items {
			if i > 0 {
				b.WriteString(", ")
			}
			v.flow(b)
		}
		b.WriteByte(']')
	case scalarNode:
		b.WriteString(quote(n.text, n.quoted))
	}
}
