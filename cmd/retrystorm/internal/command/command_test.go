package command

import (
	"testing"

	"retrystorm/scenarios"
)

func TestQuoted(t *testing.T) {
	for in, want := range map[string]string{
		"a.b=10%":       "a.b=10%",
		"a=10..50":      "a=10..50",
		"a=full-jitter": "a=full-jitter",
		"a=b c":         "'a=b c'",
		"a=it's":        `'a=it'\''s'`,
		"*":             "'*'",
	} {
		if got := quoted(in); got != want {
			t.Errorf("%s: %s, not %s", in, got, want)
		}
	}
}

func TestTheCommandRunsTheText(t *testing.T) {
	b, _ := scenarios.Builtin("aws-occ")
	for _, c := range []struct{ name, text, want string }{
		{"aws-occ", string(b.Source), "aws-occ"},
		{"aws-occ", string(b.Source) + "# changed", "aws-occ.yaml"},
		{"mine", "", "mine.yaml"},
	} {
		if got := argument(c.name, []byte(c.text)); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
	}
}
