package scenarios

import (
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// Completion is what could stand at a place of a text.
type Completion struct {
	Label  string
	Kind   string // field, value or name
	Detail string // short: type, default
	Help   string
	Insert string // what to write
}

// Word is one that this package does not know itself: the name of a metric.
type Word struct{ Name, Help string }

// Complete says what could stand in a text before the col-th character of a line,
// both from 1, and from which column on it would replace what is there. The text
// need not be right, and metrics are what expectations may be about. What does not
// begin like what is there already is among it.
func Complete(text string, line, col int, metrics []Word) (from int, items []Completion) {
	if len(text) > maxBytes || !utf8.ValidString(text) {
		return col, nil
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, cursor, "?"), "\r\n", "\n")
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return col, nil
	}
	runes := []rune(lines[line-1])
	if col < 1 || col > len(runes)+1 {
		return col, nil
	}
	lines[line-1] = string(runes[:col-1]) + cursor + string(runes[col-1:])
	c := &completer{specs: language(), root: sketchOf(strings.Join(lines, "\n")), metrics: metrics}
	if c.root.has() { // else it is in a comment
		c.at(seat{field: &field{typ: typeDocument}}, c.root)
	}
	if !strings.HasSuffix(string(runes[:col-1]), c.prefix) { // it begins on a line before
		return col, nil
	}
	return col - utf8.RuneCountInString(c.prefix), c.items
}

// completer walks down a sketch to the cursor, and the types with it.
type completer struct {
	specs   specs
	root    *sketch
	metrics []Word
	prefix  string // what is there already of the word at the cursor
	items   []Completion
}

// seat is a place of the language: a field, and the type that has it; or what a
// variant or an axis of the sweep sets.
type seat struct {
	field *field
	owner reflect.Type
	under string // the name below which it stands: that of a policy
	kind  seatKind
	map_  *sketch // the map that the field stands in
}

type seatKind uint8

const (
	ofField   seatKind = iota
	overrides          // a map from paths to values
	axisMap            // the sweep
)

// add offers something.
func (c *completer) add(kind, label, detail, help, insert string) {
	if !slices.ContainsFunc(c.items, func(i Completion) bool { return i.Label == label }) {
		c.items = append(c.items, Completion{label, kind, detail, help, insert})
	}
}

// names offers names of things.
func (c *completer) names(detail string, names []string) {
	for _, name := range names {
		c.add("name", name, detail, "", name)
	}
}

// values offers values as they are written.
func (c *completer) values(detail string, values ...string) {
	for _, v := range values {
		c.add("value", v, detail, "", v)
	}
}

// before is what stands before the cursor, and whether it is in the text at all.
func before(text string) (string, bool) {
	head, _, ok := strings.Cut(text, cursor)
	return head, ok
}

// at looks for the cursor in what stands at a seat, and offers what could be there.
func (c *completer) at(s seat, n *sketch) {
	switch s.kind {
	case overrides:
		c.overrides(n)
		return
	case axisMap:
		c.axes(n)
		return
	}
	shape, t := c.specs.shapeOf(s.field.typ)
	switch shape {
	case asScalar:
		c.scalar(s, n)
	case asMap:
		c.object(s, t, n)
	case asNamed:
		c.named(s, t, n)
	case asSteps:
		c.steps(n)
	case asPolicy:
		c.policy(s, n)
	case asList:
		c.list(s, t, n)
	case asVariants:
		for _, k := range n.keys {
			if k.val.has() {
				c.at(seat{kind: overrides}, k.val)
			}
		}
	case asAxes:
		c.axes(n)
	}
}

// object offers the fields of a struct, or its one-line form.
func (c *completer) object(s seat, t reflect.Type, n *sketch) {
	sp := c.specs.of(t)
	if text, ok := n.word(); ok && len(sp.rows) > 0 {
		c.oneLine(s, t, text)
	}
	if n.kind == scalarNode {
		if s.field.none && c.items == nil {
			c.scalarWord(s, n.text)
		}
		return
	}
	for _, k := range n.keys {
		if head, here := before(k.name); here {
			if strings.Contains(head, " ") {
				return // words of a one-line form
			}
			c.prefix = head
			c.fields(t, sp, n, k.bare)
			return
		}
		if f := sp.field(k.name); f != nil && k.val.has() {
			c.at(seat{field: f, owner: t, under: s.under, map_: n}, k.val)
			return
		}
	}
}

// fields offers those that are not there yet, and that go with the kind; those
// that must be there first.
func (c *completer) fields(t reflect.Type, sp *spec, n *sketch, bare bool) {
	there := n.names()
	var r *row
	if kind, ok := n.get("kind").word(); ok {
		r = sp.rowOf(kind)
	}
	for _, must := range []bool{true, false} {
		for i := range sp.fields {
			f := &sp.fields[i]
			if f.required != must || slices.Contains(there, f.name) || r != nil && !r.uses(f.name) && len(sp.rows) > 1 {
				continue
			}
			insert := f.name
			if bare {
				insert += c.after(f)
			}
			c.add("field", f.name, c.detail(sp, f), help(t, f), insert)
		}
	}
}

// after is what follows the name of a field: a blank where a value can be written
// in the same line.
func (c *completer) after(f *field) string {
	switch shape, t := c.specs.shapeOf(f.typ); {
	case shape == asNamed, shape == asVariants, shape == asAxes, shape == asMap && len(c.specs.of(t).rows) == 0:
		return ":"
	}
	return ": "
}

// named offers the keys of a map from names, where those are words of the language,
// and goes on in the values.
func (c *completer) named(s seat, t reflect.Type, n *sketch) {
	for _, k := range n.keys {
		if head, here := before(k.name); here {
			c.prefix = head
			c.keys(s, n, k.bare)
			return
		}
		if k.val.has() {
			c.at(seat{field: &field{typ: t.Elem()}, under: k.name}, k.val)
			return
		}
	}
}

// keys offers what a map of names could have besides.
func (c *completer) keys(s seat, n *sketch, bare bool) {
	var words []string
	detail := ""
	switch s.field.format {
	case "outcome":
		words, detail = outcomeWords, "outcome"
	case "answer":
		words, detail = answerWords, "answer"
	case "live":
		for _, name := range c.root.get("services").names() {
			words = append(words, "services."+name+".admit", "services."+name+".workers")
		}
		detail = "setting"
	default:
		if s.field.name == "policies" {
			words, detail = c.missingPolicies(c.root), "policy that is used"
		}
	}
	there := n.names()
	for _, word := range words {
		if slices.Contains(there, word) {
			continue
		}
		insert := word
		if bare {
			insert += ": "
		}
		c.add("name", word, detail, "", insert)
	}
}

// missingPolicies are the names that policy fields have and policies has not.
func (c *completer) missingPolicies(n *sketch) []string {
	known := c.root.get("policies").names()
	var out []string
	var look func(n *sketch)
	look = func(n *sketch) {
		for _, k := range n.keys {
			name, ok := k.val.word()
			if k.name == "policy" && ok && checkName(name) == nil && !slices.Contains(known, name) && !slices.Contains(out, name) {
				out = append(out, name)
			}
			look(k.val)
		}
		for _, item := range n.items {
			look(item)
		}
	}
	look(n)
	return out
}

// steps offers whom to call, and goes on in the fields of a step.
func (c *completer) steps(n *sketch) {
	if text, ok := n.word(); ok {
		if head, here := before(text); here {
			c.prefix = head
			c.names("service", c.root.get("services").names())
			c.names("queue", c.root.get("queues").names())
		}
		if n.kind == scalarNode {
			return
		}
	}
	for _, item := range n.items {
		if !item.has() {
			continue
		}
		c.steps(item)
		if _, ok := item.word(); ok {
			c.add("name", theWork, "the service's own work", "", theWork)
		}
		return
	}
	if n.kind == mapNode {
		c.object(seat{field: &field{typ: typeStep}}, typeStep, n)
	}
}

// policy offers the names of policies, and goes on in one that is written in place.
func (c *completer) policy(s seat, n *sketch) {
	if n.kind == listNode {
		for _, item := range n.items {
			c.policyName(item)
		}
		return
	}
	c.policyName(n)
	if n.kind == mapNode {
		c.object(seat{field: s.field}, typePolicy, n)
	}
}

func (c *completer) policyName(n *sketch) {
	text, ok := n.word()
	if head, here := before(text); ok && here {
		c.prefix = head
		c.names("policy", c.root.get("policies").names())
	}
}

// list offers an item of a list of words.
func (c *completer) list(s seat, t reflect.Type, n *sketch) {
	for _, item := range n.items {
		if !item.has() {
			continue
		}
		f := *s.field
		f.typ, f.def, f.hasDef = t.Elem(), "", false
		c.at(seat{field: &f, owner: s.owner, map_: s.map_}, item)
	}
}
