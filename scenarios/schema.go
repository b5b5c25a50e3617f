package scenarios

import (
	"bytes"
	_ "embed"
)

//go:generate go test -run=^TestSchema$ -update .

// schema is made from the Go types and their comments; see schema_test.go.
//
//go:embed scenario.schema.json
var schema []byte

// Schema is the JSON Schema of scenario files, for editors. It knows the shape
// of a file; Load knows more.
func Schema() []byte { return bytes.Clone(schema) }
