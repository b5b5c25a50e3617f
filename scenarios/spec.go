package scenarios

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/strategies"
)

// The types whose written form is more than their fields.
var (
	typeSteps     = reflect.TypeFor[Steps]()
	typePolicyRef = reflect.TypeFor[PolicyRef]()
	typePolicy    = reflect.TypeFor[Policy]()
	typeStep      = reflect.TypeFor[Step]()
	typeDocument  = reflect.TypeFor[Document]()
	typeVariants  = reflect.TypeFor[variantList]()
	typeAxes      = reflect.TypeFor[axisList]()
	typeDuration  = reflect.TypeFor[time.Duration]()
	typeAnswer    = reflect.TypeFor[server.Answer]()
	typeReply     = reflect.TypeFor[server.Reply]()
	typeBackoffOn = reflect.TypeFor[strategies.BackoffOn]()
	typeFloor     = reflect.TypeFor[strategies.Floor]()
	typeAfter     = reflect.TypeFor[strategies.After]()
	typeAsked     = reflect.TypeFor[server.Asked]()
	typeWarmup    = reflect.TypeFor[Warmup]()
	typeRuns      = reflect.TypeFor[Replications]()
	typeNeed      = reflect.TypeFor[Need]()
	typeExpired   = reflect.TypeFor[sim.Expired]()
	typeSetting   = reflect.TypeFor[Setting]()
	typeClass     = reflect.TypeFor[Class]()
	typeQueue     = reflect.TypeFor[Queue]()
	typeAction    = reflect.TypeFor[Action]()
	typeBisection = reflect.TypeFor[Bisection]()
	typePrecision = reflect.TypeFor[Precision]()
)

// isWord says whether a struct is written as one word.
func isWord(t reflect.Type) bool {
	return t == typeFloor || t == typeAfter || t == typeAsked || t == typeWarmup
}

// briefly is the field that stands for all of a struct while nothing else is
// said, or "".
func briefly(t reflect.Type) string {
	switch t {
	case typeReply:
		return "answer"
	case typeRuns:
		return "count"
	case typeSetting:
		return "value"
	case typeExpired:
		return "kind"
	case typeClass:
		return "share"
	}
	return ""
}

// spec is a Go struct as the language sees it.
type spec struct {
	fields []field
	byName map[string]int
	name   []int // index of the field that takes the name in a named list, or nil
	rows   []row // of a union; nil for a plain struct
}

// field is one field of a spec.
type field struct {
	name  string
	index []int // for reflect.Value.FieldByIndex
	typ   reflect.Type
	unit  string // rate, share, factor, count
	// How it may be left out or lifted.
	def                                         string
	hasDef, none, optional, required, unlimited bool
	whole                                       bool // belongs to the experiment, not to a point
	min                                         string
	least, above                                string // what Validate refuses below, or at; for the schema
	enum                                        []string
	format                                      string // name; of keys: outcome, answer
	standard                                    *node  // the default of a map, which is written in one line
	initial                                     reflect.Value
}

// row is one kind of a union: its word, and its fields; positional ones come
// first in the one-line form, without their name.
type row struct {
	kind       string
	fields     []string
	positional int
}

func (r row) uses(name string) bool { return slices.Contains(r.fields, name) }

// specs holds the spec of every type of the language. It is complete, and not
// changed, once newSpecs returns.
type specs map[reflect.Type]*spec

// language holds the specs of everything a scenario may say.
var language = sync.OnceValue(newSpecs)

func newSpecs() specs {
	ss := specs{}
	ss.walk(typeDocument, map[reflect.Type]bool{})
	s := shaper{&report{}, ss}
	d := decoder{report: s.report, specs: ss}
	for _, sp := range ss {
		for i := range sp.fields {
			f := &sp.fields[i]
			if shape, t := ss.shapeOf(f.typ); f.hasDef && shape == asMap {
				f.standard = s.shape(t, &node{kind: scalarNode, text: f.def}, "")
			}
		}
	}
	for _, sp := range ss {
		for i := range sp.fields {
			f := &sp.fields[i]
			v := reflect.New(f.typ).Elem()
			d.makeInitial(v, f)
			f.initial = v
		}
	}
	if len(s.errors) > 0 {
		panic(s.errors) // a default in a tag
	}
	return ss
}

// walk finds the types below one; a step may contain steps.
func (ss specs) walk(t reflect.Type, seen map[reflect.Type]bool) {
	shape, t := ss.shapeOf(t)
	switch shape {
	case asPolicy:
		t = typePolicy
	case asNamed, asSteps, asList:
		t = t.Elem()
	case asMap:
	default:
		return
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	for _, f := range ss.of(t).fields {
		ss.walk(f.typ, seen)
	}
}

func (ss specs) of(t reflect.Type) *spec {
	if s := ss[t]; s != nil {
		return s
	}
	s := &spec{byName: map[string]int{}}
	s.collect(t, nil)
	for i, f := range s.fields {
		s.byName[f.name] = i
	}
	if u, ok := reflect.Zero(t).Interface().(interface{ Kinds() [][]string }); ok {
		for _, words := range u.Kinds() {
			s.rows = append(s.rows, s.row(words))
		}
	}
	ss[t] = s
	return s
}

func (s *spec) collect(t reflect.Type, index []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, option, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		at := append(slices.Clone(index), i)
		switch {
		case option == "inline":
			s.collect(f.Type, at)
		case option == "name":
			s.name = at
		case name != "" && name != "-":
			s.fields = append(s.fields, newField(name, at, f))
		}
	}
}

func newField(name string, index []int, f reflect.StructField) field {
	is := func(tag string) bool { return f.Tag.Get(tag) == "true" }
	out := field{
		name: name, index: index, typ: f.Type, unit: f.Tag.Get("unit"),
		none: is("none"), optional: is("optional"), required: is("required"), unlimited: is("unlimited"), whole: is("whole"),
		min: f.Tag.Get("min"), least: f.Tag.Get("least"), above: f.Tag.Get("above"), format: f.Tag.Get("format"),
	}
	out.def, out.hasDef = f.Tag.Lookup("default")
	if list := f.Tag.Get("enum"); list != "" {
		out.enum = strings.Split(list, ",")
	}
	switch kind := f.Type.Kind(); {
	case kind == reflect.Slice || kind == reflect.Pointer || kind == reflect.Struct && !isWord(f.Type):
	default:
		out.required = !out.hasDef && !out.none && !out.optional
	}
	return out
}

// row reads a row of Kinds: kind, main field or "", further fields. Fields
// that follow the main one and must be given need no name either.
func (s *spec) row(words []string) row {
	r := row{kind: words[0]}
	if words[1] != "" {
		r.fields, r.positional = append(r.fields, words[1]), 1
	}
	r.fields = append(r.fields, words[2:]...)
	for r.positional > 0 && r.positional < len(r.fields) && s.field(r.fields[r.positional]).required {
		r.positional++
	}
	return r
}

func (s *spec) field(name string) *field {
	if i, ok := s.byName[name]; ok {
		return &s.fields[i]
	}
	return nil
}

func (s *spec) names() []string {
	out := make([]string, len(s.fields))
	for i, f := range s.fields {
		out[i] = f.name
	}
	return out
}

// otherNames are what people write for a field.
var otherNames = map[string]string{"status": "answer", "code": "answer"}

// meant is the field that an unknown name probably stands for, or "".
func (s *spec) meant(name string) string {
	if other := otherNames[name]; s.field(other) != nil {
		return other
	}
	return closest(name, s.names())
}

// kinds lists the kind words of a union; nil when there is no kind word.
func (s *spec) kinds() []string {
	var out []string
	for _, r := range s.rows {
		if r.kind != "" {
			out = append(out, r.kind)
		}
	}
	return out
}

// rowOf is the row of a kind; without a kind word, the only one there is.
func (s *spec) rowOf(kind string) *row {
	for i := range s.rows {
		if s.rows[i].kind == kind || s.rows[i].kind == "" {
			return &s.rows[i]
		}
	}
	return nil
}

// shapeOf says how values of a type are written.
type shapeOf uint8

const (
	asScalar shapeOf = iota
	asMap            // a struct, perhaps with a one-line form
	asNamed          // a list of structs written as a map by name
	asSteps
	asList
	asPolicy
	asVariants
	asAxes
)

// shapeOf classifies a type; pointers count as what they point to.
func (ss specs) shapeOf(t reflect.Type) (shapeOf, reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case isWord(t):
		return asScalar, t
	case t == typeSteps:
		return asSteps, t
	case t == typePolicyRef:
		return asPolicy, t
	case t == typeVariants:
		return asVariants, t
	case t == typeAxes:
		return asAxes, t
	case t.Kind() == reflect.Struct:
		return asMap, t
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct && ss.of(t.Elem()).name != nil:
		return asNamed, t
	case t.Kind() == reflect.Slice:
		return asList, t
	}
	return asScalar, t
}
