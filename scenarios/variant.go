package scenarios

import "fmt"

// maxOverrides is how many paths one variant or axis value may set.
const maxOverrides = 500

// variant is a named set of overrides.
type variant struct {
	name string
	set  []*override
}

// variants reads the section; without it there is one, base.
func (s shaper) variants(root *node) []variant {
	n := root.value("variants")
	if n == nil || n.kind == badNode {
		return []variant{{name: "base"}}
	}
	if n.kind != mapNode || len(n.fields) == 0 {
		s.at(n.at, "variants", n.String(), "a map from names to overrides is expected, as in {as-is: {}, patient: {policies.app.timeout: 5s}}", "")
		return []variant{{name: "base"}}
	}
	if len(n.fields) > maxNames {
		s.at(n.at, "variants", "", fmt.Sprintf("more than %d of them", maxNames), "")
		return []variant{{name: "base"}}
	}
	var out []variant
	asIs := false
	for _, e := range n.fields {
		if w := checkName(e.name); w != nil {
			s.at(e.at, "variants", e.name, w.message, w.allowed)
			continue
		}
		v := variant{e.name, s.overrides(e.val, "variants."+e.name, "variant "+e.name)}
		asIs = asIs || len(v.set) == 0
		out = append(out, v)
	}
	if !asIs {
		s.add(Problem{File: n.at.file, Line: n.at.line, Col: n.at.col, Path: "variants", Warning: true, Message: "no variant is {}, so the file as written is not run"})
	}
	return out
}

// overrides reads a map from paths to values.
func (s shaper) overrides(n *node, path, layer string) []*override {
	switch {
	case n.kind == badNode:
		return nil
	case n.kind != mapNode:
		s.at(n.at, path, n.String(), "a map from paths to values is expected; {} changes nothing", "")
		return nil
	case len(n.fields) > maxOverrides:
		s.at(n.at, path, "", fmt.Sprintf("sets %d paths; at most %d are possible", len(n.fields), maxOverrides), "")
		return nil
	}
	var out []*override
	for _, e := range n.fields {
		if o := s.override(e.name, e.at, e.val, layer, false, n); o != nil {
			s.clashes(out, []*override{o})
			out = append(out, o)
		}
	}
	return out
}
