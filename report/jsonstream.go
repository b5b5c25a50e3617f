package report

import (
	"bytes"
	"encoding/json"
	"io"
)

// jsonStream writes an object with a long list in its middle, of which only one
// element is in memory.
type jsonStream struct {
	out    io.Writer
	indent string // of the elements; "": each is one line
	count  int
}

// newJSONStream writes the fields before the list. There must be some.
func newJSONStream(w io.Writer, head any, list, indent string) (*jsonStream, error) {
	b, err := jsonText(head, "", "  ")
	if err != nil {
		return nil, err
	}
	b = bytes.TrimSuffix(b, []byte("\n}"))
	_, err = w.Write(append(b, ",\n  \""+list+"\": ["...))
	return &jsonStream{out: w, indent: indent}, err
}

// add writes an element.
func (s *jsonStream) add(v any) error {
	b, err := jsonText(v, "    ", s.indent)
	if err != nil {
		return err
	}
	before := ",\n    "
	if s.count == 0 {
		before = "\n    "
	}
	s.count++
	_, err = s.out.Write(append([]byte(before), b...))
	return err
}

// end writes the fields after the list. There must be some.
func (s *jsonStream) end(tail any) error {
	b, err := jsonText(tail, "", "  ")
	if err != nil {
		return err
	}
	before := "\n  ],"
	if s.count == 0 {
		before = "],"
	}
	_, err = s.out.Write(append([]byte(before), append(b[len("{"):], '\n')...))
	return err
}

func jsonText(v any, prefix, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // < and > are common in expectations
	if indent != "" {
		e.SetIndent(prefix, indent)
	}
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
