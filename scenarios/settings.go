package scenarios

import (
	"slices"
	"strings"
)

// SetBy lists what sets a path, or a part of it, or what it is a part of, beside the
// file itself: variants, and axes of the sweep. Such a path cannot be set for all.
func (f *File) SetBy(path string) []string {
	names := pathNames(path)
	var out []string
	for _, o := range f.overrides() {
		if overlap(names, o.whole()) && !slices.Contains(out, o.layer) {
			out = append(out, o.layer)
		}
	}
	return out
}

// Text is the value at a path as the file has it, policies extended, as --set could
// write it; empty where there is none. What has a one-line form is written in it.
func (f *File) Text(path string) string {
	n := find((&report{}).extend(f.root, f.presets), path)
	if n == nil || n.kind == badNode {
		return ""
	}
	if t, w := f.specs.resolve(pathNames(path)); w == nil && n.kind == mapNode {
		if _, typ := f.specs.shapeOf(t.typ); n.value("kind") != nil {
			return n.oneLine(f.specs.of(typ))
		}
	}
	return n.String()
}

// oneLine writes a map with a kind as "ratio 20% floor 10/s" if all of it fits into
// one line.
func (n *node) oneLine(sp *spec) string {
	r := sp.rowOf(n.scalar("kind"))
	if r == nil {
		return n.String()
	}
	words := []string{n.scalar("kind")}
	leading := true // values without their name, as long as none is missing
	for i, name := range r.fields {
		e := n.get(name)
		switch {
		case e == nil:
			leading = false
			continue
		case e.val.kind != scalarNode || e.val.quoted || strings.ContainsAny(e.val.text, " \t\n"):
			return n.String()
		}
		if leading = leading && i < r.positional; !leading {
			words = append(words, name)
		}
		words = append(words, e.val.text)
	}
	return strings.Join(words, " ")
}
