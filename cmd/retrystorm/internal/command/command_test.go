package command

import "testing"

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
