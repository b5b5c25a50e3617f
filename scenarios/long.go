package scenarios

import (
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// Long is the scenario as run: overrides of the command line applied, every
// one-line form written out, fields in the order of the language. Only sweep
// values stay as they were written, because they name points. Loading it gives
// the same scenario again.
func (f *File) Long() []byte {
	w := longWriter{file: f, specs: f.specs}
	w.fields(typeDocument, f.root, 0)
	return []byte(w.String())
}

// PolicyText is a policy as it stands, in the language.
type PolicyText struct {
	// Path is where it is written: policies.app, clients.policy.
	Path string
	// Text is what it says with all that it inherits, from a library too. Only
	// what nobody says, and so has its default, is left out.
	Text string
}

// PolicyTexts lists the policies of a point: those with names in file order,
// then those written in place. There is none of a point that does not exist.
func (f *File) PolicyTexts(point int) []PolicyText {
	if point < 0 || point >= f.Points() {
		return nil
	}
	root, _, problem := f.tree(f.spot(point))
	if problem != "" {
		return nil
	}
	r := &report{}
	root = r.extend(root, f.presets)
	v := f.validator(r, root, &f.decode(r, root, "").Scenario, nil)
	var out []PolicyText
	v.eachPolicy(func(path string, p *Policy) {
		if n := find(root, path); n != nil && n.kind == mapNode {
			out = append(out, PolicyText{path, f.policyText(n, p)})
		}
	})
	return out
}

// policyText writes a policy; of a library it says the version that holds.
func (f *File) policyText(n *node, p *Policy) string {
	if preset := f.presets.byName[p.Library]; preset != nil && p.Version == "" {
		newest := preset.Versions[len(preset.Versions)-1]
		n = n.with(entry{name: "version", val: &node{kind: scalarNode, text: newest}})
	}
	w := longWriter{file: f, specs: f.specs}
	for _, field := range f.specs.of(typePolicy).fields {
		if e := n.get(field.name); e != nil && field.name != "extends" {
			w.entry(e.name, field.typ, e.val, 0)
		}
	}
	return w.String()
}

type longWriter struct {
	strings.Builder
	specs specs
	file  *File
}

// fields writes a map, the fields of a struct in their own order.
func (w *longWriter) fields(t reflect.Type, n *node, depth int) {
	for _, f := range w.specs.of(t).fields {
		if e := n.get(f.name); e != nil {
			w.entry(e.name, f.typ, e.val, depth)
		}
	}
}

func (w *longWriter) entry(name string, t reflect.Type, n *node, depth int) {
	w.indent(depth)
	w.WriteString(quote(name, false) + ":")
	w.value(t, n, depth)
}

func (w *longWriter) indent(depth int) { w.WriteString(strings.Repeat("  ", depth)) }

// value writes what follows "key:" or "-".
func (w *longWriter) value(t reflect.Type, n *node, depth int) {
	shape, t := w.specs.shapeOf(t)
	if n.kind == scalarNode || len(n.fields)+len(n.items) == 0 || n.only() != nil {
		w.WriteString(" " + n.String() + "\n")
		return
	}
	if shape == asPolicy {
		if n.kind == listNode {
			w.WriteString(" " + n.String() + "\n")
			return
		}
		shape, t = asMap, typePolicy
	}
	w.WriteString("\n")
	switch shape {
	case asVariants:
		for _, v := range w.file.variants {
			w.overrides(v.name, v.set, depth+1)
		}
	case asAxes:
		for i, e := range n.fields {
			w.axis(&w.file.axes[i], e.val, depth+1)
		}
	case asMap:
		w.fields(t, n, depth+1)
	case asNamed:
		for _, e := range n.fields {
			w.entry(e.name, t.Elem(), e.val, depth+1)
		}
	default:
		for _, item := range n.items {
			w.item(t.Elem(), item, depth+1)
		}
	}
}

// item writes an item of a list: "- " and the rest two columns further in.
func (w *longWriter) item(t reflect.Type, n *node, depth int) {
	if n.kind == scalarNode {
		w.indent(depth)
		w.WriteString("- " + quote(n.text, n.quoted) + "\n")
		return
	}
	inner := longWriter{specs: w.specs}
	inner.fields(t, n, depth+1)
	text := inner.String()
	if text == "" {
		text = "  " + strings.Repeat("  ", depth) + "{}\n"
	}
	w.indent(depth)
	w.WriteString("- " + text[2*(depth+1):])
}

// overrides writes a named set of overrides, one in a line.
func (w *longWriter) overrides(name string, set []*override, depth int) {
	w.indent(depth)
	if len(set) == 0 {
		w.WriteString(name + ": {}\n")
		return
	}
	w.WriteString(name + ":\n")
	for _, o := range set {
		w.indent(depth + 1)
		w.WriteString(o.name() + ": " + o.val.String() + "\n")
	}
}

func (w *longWriter) axis(a *axis, n *node, depth int) {
	w.indent(depth)
	w.WriteString(a.name + ":")
	if n.kind != mapNode {
		w.WriteString(" " + n.String() + "\n")
		return
	}
	w.WriteString("\n")
	for _, v := range a.values {
		w.overrides(v.text, v.set, depth+1)
	}
}

// plainForm is text that every YAML reader takes for itself, in flow maps too.
var plainForm = regexp.MustCompile(`^[A-Za-z0-9*]([A-Za-z0-9 ._/%+*-]*[A-Za-z0-9._/%+*-])?$`)

// quote writes a scalar so that it is read back as it is. A text that was
// quoted and reads like a number or a word of YAML stays quoted.
func quote(s string, quoted bool) string {
	special := false
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		special = true
	}
	if plainForm.MatchString(s) && s[0] != '*' && !(quoted && (special || s[0] <= '9')) {
		return s
	}
	return yamlString(s)
}

// yamlString is a double-quoted YAML scalar.
func yamlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString("\\" + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f || r == 0x85 || r == 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff:
			b.WriteString(`\u` + strings.Repeat("0", 4-len(strconv.FormatInt(int64(r), 16))) + strconv.FormatInt(int64(r), 16))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
