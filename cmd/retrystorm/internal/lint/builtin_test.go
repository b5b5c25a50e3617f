package lint

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"retrystorm/scenarios"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const golden = "testdata/builtin.txt"

// TestBuiltin holds what is found in the built-in scenarios: severity, check,
// path and points, but not the words.
func TestBuiltin(t *testing.T) {
	var b bytes.Buffer
	for _, s := range scenarios.Builtins() {
		f, err := scenarios.Load(s.Name, []byte(s.Source), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := File(s.Name, f)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n", s.Name)
		for _, f := range r.Findings {
			fmt.Fprintf(&b, "  %s %s %s\n", f.Severity, f.Check, strings.TrimSpace(f.Path+" "+f.Where))
		}
	}
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != string(want) {
		t.Errorf("the findings have changed (-update writes them):\n%s", changed(string(want), got))
	}
}

// changed lists the lines that are in only one of two texts.
func changed(a, b string) string {
	var out strings.Builder
	only := func(sign, a, b string) {
		for line := range strings.Lines(a) {
			if !strings.Contains("\n"+b, "\n"+line) {
				out.WriteString(sign + line)
			}
		}
	}
	only("-", a, b)
	only("+", b, a)
	return out.String()
}
