package scenarios

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// schemaName is what a type is called in the schema.
func schemaName(t reflect.Type) string {
	name := t.Name()
	if pkg := t.PkgPath(); strings.HasSuffix(pkg, "/sim/random") || strings.HasSuffix(pkg, "/server") {
		name = pkg[strings.LastIndex(pkg, "/")+1:] + "." + name // Point, Queue, ... are common words
	}
	return name
}

// described is what the schema says of a type and its fields.
type described struct {
	Description string               `json:"description"`
	Properties  map[string]described `json:"properties"`
	AnyOf       []described          `json:"anyOf"` // one-line form, map form
}

// field is what a field is described as, or "".
func (d *described) field(name string) string {
	if p, ok := d.Properties[name]; ok {
		return p.Description
	}
	for i := range d.AnyOf {
		if s := d.AnyOf[i].field(name); s != "" {
			return s
		}
	}
	return ""
}

// helpTexts are the descriptions of the schema, read once.
var helpTexts = sync.OnceValue(func() (root struct {
	described
	Defs map[string]described `json:"$defs"`
},
) {
	if err := json.Unmarshal(schema, &root); err != nil {
		panic(err) // we made it
	}
	return root
})

// help is what the schema says of a field of a type, under the name that the field
// has in files.
func help(t reflect.Type, f *field) string {
	root := helpTexts()
	d := root.described
	if t != typeDocument {
		d = root.Defs[schemaName(t)]
	}
	text := d.field(f.name)
	first, rest, _ := strings.Cut(text, " ")
	if word := strings.TrimRight(first, ":,"); strings.EqualFold(word, strings.ReplaceAll(f.name, "_", "")) {
		text = f.name + first[len(word):] + " " + rest
	}
	return text
}
