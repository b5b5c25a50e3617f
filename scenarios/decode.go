package scenarios

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"retrystorm/server"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// decoder fills Go values from shaped nodes, and reports every scalar that is
// wrong and every field that is missing.
type decoder struct {
	*report
	specs specs
	files *files
	where string // the point, for notes about it
}

// scenario decodes a whole tree.
func (d decoder) scenario(root *node) *Document {
	doc := &Document{}
	d.object(reflect.ValueOf(doc).Elem(), root, "")
	return doc
}

func (d decoder) value(v reflect.Value, f *field, n *node, path string) {
	if n.kind == badNode {
		return
	}
	if f.none && n.isWord("none") {
		v.SetZero()
		return
	}
	shape, t := d.specs.shapeOf(v.Type())
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(t))
		v = v.Elem()
	}
	switch shape {
	case asScalar:
		if w := d.scalar(v, f, n); w != nil {
			d.at(n.at, path, n.text, w.message, w.allowed)
		}
	case asMap:
		if f.hasDef { // what is not said stays as it is by default
			n = merge(f.standard, n)
		}
		d.object(v, n, path)
	case asNamed:
		index := d.specs.of(t.Elem()).name
		v.Set(reflect.MakeSlice(t, len(n.fields), len(n.fields)))
		for i, e := range n.fields {
			v.Index(i).FieldByIndex(index).SetString(e.name)
			if e.val.kind != badNode {
				d.object(v.Index(i), e.val, join(path, e.name))
			}
		}
	case asSteps:
		v.Set(reflect.MakeSlice(t, len(n.items), len(n.items)))
		d.steps(v, n, path)
	case asList:
		elem := &field{typ: t.Elem()}
		v.Set(reflect.MakeSlice(t, len(n.items), len(n.items)))
		for i, item := range n.items {
			d.value(v.Index(i), elem, item, fmt.Sprintf("%s[%d]", path, i+1))
		}
	case asPolicy:
		switch n.kind {
		case scalarNode:
			v.Set(reflect.ValueOf(PolicyRef{Name: n.text}))
			return
		case listNode:
			ref := PolicyRef{}
			for _, item := range n.items {
				ref.Layers = append(ref.Layers, item.text)
			}
			v.Set(reflect.ValueOf(ref))
			return
		}
		p := &Policy{}
		d.object(reflect.ValueOf(p).Elem(), n, path)
		v.Set(reflect.ValueOf(PolicyRef{Inline: p}))
	}
}

func (d decoder) object(v reflect.Value, n *node, path string) {
	sp := d.specs.of(v.Type())
	r := d.row(sp, n, path)
	for i := range sp.fields {
		f := &sp.fields[i]
		target, e := v.FieldByIndex(f.index), n.get(f.name)
		known := r != nil || sp.rows == nil // without a kind nobody knows what is used
		used := !known || r == nil || r.uses(f.name) || f.name == "kind"
		switch {
		case e == nil && f.name == "calls" && classesCall(n):
		case e == nil && used && f.required && (known || f.name == "kind"):
			allowed := d.allowed(f)
			if f.name == "kind" {
				allowed = strings.Join(sp.kinds(), ", ")
			}
			d.at(n.at, join(path, f.name), "", "missing", allowed)
		case e == nil:
			d.defaults(target, f)
		case !used:
			d.notUsed(sp, r, n, e, join(path, f.name))
			d.value(reflect.New(f.typ).Elem(), f, e.val, join(path, f.name))
			d.defaults(target, f)
		case n.only() != nil:
			d.value(target, f, e.val, path)
		default:
			d.value(target, f, e.val, join(path, f.name))
		}
	}
	d.load(v, n, path)
}

// row finds the row of a union's kind; nil for a plain struct, and for a kind
// that does not exist.
func (d decoder) row(sp *spec, n *node, path string) *row {
	if len(sp.rows) == 0 {
		return nil
	}
	f := sp.field("kind")
	if f == nil {
		return &sp.rows[0]
	}
	kind, at := f.def, n.at
	if e := n.get("kind"); e != nil {
		kind, at = e.val.text, e.val.at
		if e.val.kind == badNode {
			return nil
		}
	} else if !f.hasDef {
		return nil
	} else if r := sp.rowOf(kind); len(n.fields) > 0 && len(r.fields) == 0 {
		// By default there is nothing that these fields could be of.
		d.at(at, join(path, "kind"), "", "missing", strings.Join(sp.kinds(), ", "))
		return nil
	}
	r := sp.rowOf(kind)
	if r == nil {
		d.at(at, join(path, "kind"), kind, "no such kind"+didYouMean(kind, sp.kinds()), strings.Join(sp.kinds(), ", "))
	}
	return r
}

// notUsed reports a field its kind has no use for: an error when both were
// written together, a note when the kind was switched from somewhere else.
func (d decoder) notUsed(sp *spec, r *row, n *node, e *entry, path string) {
	kind := n.get("kind")
	together := n.origin
	if kind != nil {
		together = kind.from
	}
	p := Problem{
		File: e.val.at.file, Line: e.val.at.line, Col: e.val.at.col, Path: path, Value: e.val.String(),
		Message: r.unused(sp), Allowed: strings.Join(r.fields, ", "), Warning: e.from != together,
	}
	if p.Warning && (len(r.fields) == 0 || e.val.preset) {
		return // kind none: nobody expects the fields to do anything; of a preset, nobody wrote them
	}
	if p.Warning {
		p.Allowed = ""
	}
	d.report.where = d.where
	d.add(p)
	d.report.where = ""
}

// allowed describes the values of a field.
func (d decoder) allowed(f *field) string {
	if f.enum != nil {
		return strings.Join(f.enum, ", ")
	}
	_, t := d.specs.shapeOf(f.typ)
	switch {
	case t == typeAnswer:
		return answerAllowed
	case t == typeAfter:
		return afterAllowed
	case t == typeWarmup:
		return warmupAllowed
	case t == typeDuration:
		return durationAllowed
	case f.unit == "rate":
		return rateAllowed
	case f.unit == "share":
		return shareAllowed
	case f.unit == "count":
		return countAllowed
	case f.unit == "factor":
		return factorAllowed
	case f.format == "name":
		return nameAllowed
	}
	return ""
}

// defaults sets a field that is not written. What it shares with others,
// nobody changes.
func (d decoder) defaults(v reflect.Value, f *field) { v.Set(f.initial) }

// makeInitial works out what a field is by default.
func (d decoder) makeInitial(v reflect.Value, f *field) {
	shape, _ := d.specs.shapeOf(f.typ)
	switch {
	case f.hasDef && shape == asList:
		words := strings.Split(strings.Trim(f.def, "[]"), ",")
		for i := range words {
			words[i] = strings.TrimSpace(words[i])
		}
		v.Set(reflect.ValueOf(words))
	case f.hasDef && shape == asMap:
		d.fill(v, f.standard)
	case f.hasDef:
		if w := d.scalar(v, f, &node{text: f.def}); w != nil {
			panic("default of " + f.name + ": " + w.message)
		}
	case f.optional: // nothing said
	case shape == asMap && v.Kind() == reflect.Struct:
		d.fill(v, &node{})
	}
}

// fill sets the fields of a struct from a map that is known to be right.
func (d decoder) fill(v reflect.Value, n *node) {
	sp := d.specs.of(v.Type())
	for i := range sp.fields {
		f := &sp.fields[i]
		target := v.FieldByIndex(f.index)
		if e := n.get(f.name); e != nil {
			d.value(target, f, e.val, "")
			continue
		}
		d.makeInitial(target, f)
	}
}

// scalar reads one value.
func (d decoder) scalar(v reflect.Value, f *field, n *node) *wrong {
	s := n.text
	if text, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if err := text.UnmarshalText([]byte(s)); err != nil {
			message, allowed, _ := strings.Cut(err.Error(), "; allowed: ")
			return &wrong{message, allowed}
		}
		return nil
	}
	isNumber := f.unit == "count" || f.unit == "factor" || v.Kind() == reflect.Bool
	if isNumber && n.quoted {
		return &wrong{"a text in quotes; write it without", ""}
	}
	var w *wrong
	switch {
	case isWord(v.Type()):
		w = word(v, s)
	case v.Type() == typeDuration:
		var x time.Duration
		if f.name == "mean" {
			x, w = parseMean(s)
		} else {
			x, w = parseDuration(s)
		}
		if f.none && (w == nil && x == 0 || s == "0") {
			return &wrong{"no time at all is left; write none to switch it off", ""}
		}
		v.SetInt(int64(x))
	case f.unit == "rate":
		var x float64
		x, w = parseRate(s)
		v.SetFloat(x)
	case f.unit == "share":
		var x float64
		x, w = parseShare(s)
		v.SetFloat(x)
	case f.unit == "factor":
		var x float64
		x, w = parseFactor(s)
		v.SetFloat(x)
	case f.unit == "count":
		var x int64
		x, w = d.count(f, s)
		v.SetInt(x)
	case v.Kind() == reflect.Bool:
		if s != "true" && s != "false" {
			return &wrong{"not true or false", "true, false"}
		}
		v.SetBool(s == "true")
	case f.enum != nil:
		if !slices.Contains(f.enum, s) {
			return &wrong{"no such word" + didYouMean(s, f.enum), strings.Join(f.enum, ", ")}
		}
		v.SetString(s)
	case f.format == "name":
		w = checkName(s)
		if name, version, both := libraryVersion(s); w != nil && both && f.name == "library" {
			w = &wrong{"write library: " + name + " and version: " + version, ""}
		}
		v.SetString(s)
	default:
		v.SetString(s)
	}
	if w != nil && f.none && w.allowed != "" {
		w.allowed += ", or none"
	}
	return w
}

// word reads a struct that is written as one word.
func word(v reflect.Value, s string) (w *wrong) {
	switch v.Type() {
	case typeFloor:
		var x strategies.Floor
		x, w = parseFloor(s)
		v.Set(reflect.ValueOf(x))
	case typeAfter:
		var x strategies.After
		x, w = parseAfter(s)
		v.Set(reflect.ValueOf(x))
	case typeWarmup:
		var x Warmup
		x, w = parseWarmup(s)
		v.Set(reflect.ValueOf(x))
	default:
		var x server.Asked
		x, w = parseAsked(s)
		v.Set(reflect.ValueOf(x))
	}
	return w
}

func (d decoder) count(f *field, s string) (int64, *wrong) {
	if s == "unlimited" && f.unlimited {
		return random.Unlimited, nil
	}
	x, w := parseCount(s)
	switch {
	case w != nil && f.unlimited && w.allowed != "":
		w.allowed += ", or unlimited"
	case w == nil && f.min != "":
		if least, _ := strconv.ParseInt(f.min, 10, 64); x < least {
			return x, &wrong{"too small", f.min + " or more"}
		}
	}
	return x, w
}
