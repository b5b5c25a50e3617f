package scenarios

import (
	"slices"
	"strings"
)

// extender gives policies what they do not say from the policy they extend, or
// from the library they name.
// It runs after all overrides, so what is set on a policy reaches its heirs.
type extender struct {
	*report
	presets  *catalogue
	policies *node
	done     map[string]*node
	chain    []string // names being resolved, to find cycles
	// given is what takes the place of a policy in the tree: what it becomes
	// with all that it inherits, unless something else is asked for.
	given func(p, merged *node) *node
}

// extend resolves extends and library everywhere in a tree.
func (r *report) extend(root *node, presets *catalogue) *node {
	return r.extendWith(root, presets, func(_, merged *node) *node { return merged })
}

func (r *report) extendWith(root *node, presets *catalogue, given func(p, merged *node) *node) *node {
	x := extender{report: r, presets: presets, policies: root.value("policies"), done: map[string]*node{}, given: given}
	if x.policies != nil && x.policies.kind == mapNode {
		out := *x.policies
		out.fields = nil
		for _, e := range x.policies.fields {
			e.val = x.given(e.val, x.policy(e.name))
			out.fields = append(out.fields, e)
		}
		root = x.put(root, "policies", &out)
	}
	if clients := root.value("clients"); clients != nil {
		root = x.put(root, "clients", x.caller(clients, "clients"))
	}
	for _, section := range []string{"groups", "services", "queues"} {
		if all := root.value(section); all != nil {
			root = x.put(root, section, x.named(all, section))
		}
	}
	return root
}

func (x *extender) put(n *node, name string, val *node) *node {
	e := *n.get(name)
	if e.val == val {
		return n
	}
	e.val = val
	return n.with(e)
}

// caller resolves the policies written in place by a group, service or step.
func (x *extender) caller(n *node, path string) *node {
	if p := n.value("policy"); p != nil && p.kind == mapNode {
		n = x.put(n, "policy", x.given(p, x.merged(p, join(path, "policy"))))
	}
	for _, field := range []string{"calls", "parallel"} {
		steps := n.value(field)
		if steps == nil || steps.kind != listNode {
			continue
		}
		for i, item := range steps.items {
			if changed := x.caller(item, join(path, field)); changed != item {
				steps = steps.withItem(i, changed)
			}
		}
		n = x.put(n, field, steps)
	}
	if classes := n.value("classes"); classes != nil {
		n = x.put(n, "classes", x.named(classes, join(path, "classes")))
	}
	return n
}

// named resolves the policies of the callers of a map.
func (x *extender) named(all *node, path string) *node {
	if all.kind != mapNode {
		return all
	}
	out := *all
	out.fields = nil
	for _, e := range all.fields {
		e.val = x.caller(e.val, join(path, e.name))
		out.fields = append(out.fields, e)
	}
	return &out
}

// policy is a named policy with everything it inherits.
func (x *extender) policy(name string) *node {
	if p, ok := x.done[name]; ok {
		return p
	}
	x.chain = append(x.chain, name)
	p := x.merged(x.policies.value(name), "policies."+name)
	x.chain = x.chain[:len(x.chain)-1]
	x.done[name] = p
	return p
}

// merged is a policy laid over the one it extends.
func (x *extender) merged(p *node, path string) *node {
	e := p.value("extends")
	if lib := p.value("library"); lib != nil || p.value("version") != nil {
		return x.fromLibrary(p, lib, e, path)
	}
	if e == nil || e.kind != scalarNode {
		return p
	}
	path = join(path, "extends")
	for i, name := range x.chain {
		if name == e.text {
			cycle := strings.Join(append(x.chain[i:len(x.chain):len(x.chain)], name), " -> ")
			x.at(e.at, path, e.text, "policies extend each other in a circle: "+cycle, "")
			return p
		}
	}
	if x.policies == nil || x.policies.value(e.text) == nil {
		x.at(e.at, path, e.text, "no such policy"+didYouMean(e.text, names(x.policies)), strings.Join(names(x.policies), ", "))
		return p
	}
	return merge(x.policy(e.text), p)
}

// fromLibrary is a policy laid over the preset it names.
func (x *extender) fromLibrary(p, lib, extends *node, path string) *node {
	version := p.value("version")
	switch {
	case lib == nil:
		x.at(version.at, join(path, "version"), version.String(), "whose version? library is missing", "")
		return p
	case extends != nil:
		x.at(lib.at, join(path, "library"), lib.String(), "a policy starts from one place: it has extends too", "")
		return p
	case lib.kind != scalarNode || version != nil && version.kind != scalarNode || checkName(lib.text) != nil:
		return p // something else says so
	}
	preset, w := x.presets.find(lib.text)
	if w != nil {
		x.at(lib.at, join(path, "library"), lib.text, w.message, w.allowed)
		return p
	}
	asked := p.scalar("version")
	body, w := preset.body(asked)
	if w != nil {
		x.at(version.at, join(path, "version"), version.text, w.message, w.allowed)
		return p
	}
	if newest := preset.Versions[len(preset.Versions)-1]; newer(asked, newest) {
		x.add(Problem{
			File: version.at.file, Line: version.at.line, Col: version.at.col, Path: join(path, "version"), Value: version.text, Warning: true,
			Message: "the last change of " + preset.Name + " that is known came with " + newest + "; what it did then is used",
		})
	}
	return merge(body.fromPreset(lib.at), p)
}

// fromPreset is what a preset says, standing where it is named.
func (n *node) fromPreset(at place) *node {
	c := n.moved(at)
	c.markPreset()
	return c
}

func (n *node) markPreset() {
	n.preset = true
	for _, e := range n.fields {
		e.val.markPreset()
	}
	for _, item := range n.items {
		item.markPreset()
	}
}

// newer says whether a version comes after another.
func newer(version, than string) bool {
	a, ok := parseVersion(version)
	b, okToo := parseVersion(than)
	return ok && okToo && slices.Compare(a, b) > 0
}

// merge lays a map over another: maps merge, everything else replaces. What is
// written with its kind is a whole new value, and {} instead of waits by
// outcome is none of them.
func merge(under, over *node) *node {
	if under.kind != mapNode || over.kind != mapNode || over.whole {
		return over
	}
	out := *over
	out.fields = nil
	for _, e := range under.fields {
		if mine := over.get(e.name); mine != nil {
			merged := *mine
			if e.name != "backoff_on" || len(mine.val.fields) > 0 {
				merged.val = merge(e.val, mine.val)
			}
			e = merged
		} else if e.name == "extends" || e.name == "library" || e.name == "version" {
			continue // it has done its work
		}
		out.fields = append(out.fields, e)
	}
	for _, e := range over.fields {
		if under.get(e.name) == nil {
			out.fields = append(out.fields, e)
		}
	}
	return &out
}

// names lists the keys of a map.
func names(n *node) []string {
	var out []string
	if n != nil {
		for _, e := range n.fields {
			out = append(out, e.name)
		}
	}
	return out
}
