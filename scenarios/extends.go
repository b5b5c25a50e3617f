package scenarios

import "strings"

// extender gives policies what they do not say from the policy they extend.
// It runs after all overrides, so what is set on a policy reaches its heirs.
type extender struct {
	*report
	policies *node
	done     map[string]*node
	chain    []string // names being resolved, to find cycles
}

// extend resolves extends everywhere in a tree.
func (r *report) extend(root *node) *node {
	x := extender{report: r, policies: root.value("policies"), done: map[string]*node{}}
	if x.policies != nil && x.policies.kind == mapNode {
		out := *x.policies
		out.fields = nil
		for _, e := range x.policies.fields {
			e.val = x.policy(e.name)
			out.fields = append(out.fields, e)
		}
		root = x.put(root, "policies", &out)
	}
	if clients := root.value("clients"); clients != nil {
		root = x.put(root, "clients", x.caller(clients, "clients"))
	}
	if services := root.value("services"); services != nil && services.kind == mapNode {
		out := *services
		out.fields = nil
		for _, e := range services.fields {
			e.val = x.caller(e.val, "services."+e.name)
			out.fields = append(out.fields, e)
		}
		root = x.put(root, "services", &out)
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
	if p := n.value("policy"); p != nil && p.value("extends") != nil {
		n = x.put(n, "policy", x.merged(p, join(path, "policy")))
	}
	steps := n.value("calls")
	if steps == nil || steps.kind != listNode {
		return n
	}
	for i, item := range steps.items {
		if changed := x.caller(item, join(path, "calls")); changed != item {
			steps = steps.withItem(i, changed)
		}
	}
	return x.put(n, "calls", steps)
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

// merge lays a map over another: maps merge, everything else replaces.
func merge(under, over *node) *node {
	if under.kind != mapNode || over.kind != mapNode {
		return over
	}
	out := *over
	out.fields = nil
	for _, e := range under.fields {
		if mine := over.get(e.name); mine != nil {
			merged := *mine
			merged.val = merge(e.val, mine.val)
			e = merged
		} else if e.name == "extends" {
			continue
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
