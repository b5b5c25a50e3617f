package text

import (
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		s      string
		width  int
		indent string
		want   string
	}{
		{"one two three", 0, "  ", "one two three"},
		{"one two three", 13, "  ", "one two three"},
		{"one two three", 12, "  ", "one two\n  three"},
		{"one two three", 7, "  ", "one two\n  three"},
		{"one two three", 3, "", "one\ntwo\nthree"},
		{"  note: one two", 11, "    ", "  note: one\n    two"},
		{"averyveryverylongword next", 10, " ", "averyveryverylongword\n next"},
		{"± ± ±", 3, "", "± ±\n±"},
		{"", 5, " ", ""},
	} {
		if got := Wrap(c.s, c.width, c.indent); got != c.want {
			t.Errorf("Wrap(%q, %d): %q, not %q", c.s, c.width, got, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	rows := [][]string{{"a", "of", "what it means"}, {"longer", "x", "first second third fourth fifth"}, {"b"}}
	for width, want := range map[int]string{
		0:  "  a       of  what it means\n  longer  x   first second third fourth fifth\n  b\n",
		40: "  a       of  what it means\n  longer  x   first second third fourth\n              fifth\n  b\n",
		9:  "  a       of  what it means\n  longer  x   first second third\n              fourth fifth\n  b\n",
	} {
		var got strings.Builder
		if err := Table(&got, width, "  ", rows); err != nil || got.String() != want {
			t.Errorf("%d: %v, got\n%swant\n%s", width, err, &got, want)
		}
	}
}
