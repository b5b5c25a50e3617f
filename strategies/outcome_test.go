package strategies

import (
	"slices"
	"testing"
)

func TestParseOutcomes(t *testing.T) {
	tests := []struct {
		words   []string
		in, out []Outcome
	}{
		{nil, nil, []Outcome{OK, Refused, Reset, Timeout, 400, 500, 599}},
		{[]string{"timeout"}, []Outcome{Timeout}, []Outcome{OK, Refused, Reset, 408, 504}},
		{[]string{"refused", "reset"}, []Outcome{Refused, Reset}, []Outcome{OK, Timeout, 400, 401}},
		{[]string{"409"}, []Outcome{409}, []Outcome{OK, Refused, 408, 410, 509}},
		{[]string{"400", "599"}, []Outcome{400, 599}, []Outcome{Timeout, 401, 598}},
		{[]string{"4xx"}, []Outcome{400, 429, 499}, []Outcome{Timeout, 500}},
		{[]string{"5xx"}, []Outcome{500, 503, 599}, []Outcome{499}},
		{[]string{"rejected"}, []Outcome{Rejected}, []Outcome{OK, Refused, Reset, Timeout, 400, 599}},
		{[]string{"transient"}, []Outcome{Refused, Reset, Timeout, Rejected, 409, 429, 500, 599}, []Outcome{OK, 400, 404, 408, 428, 430}},
		{[]string{"any"}, []Outcome{Refused, Reset, Timeout, Rejected, 400, 404, 599}, []Outcome{OK}},
		{[]string{"any", "409", "any"}, []Outcome{404, 409}, []Outcome{OK}},
	}
	for _, test := range tests {
		set, err := ParseOutcomes(test.words)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range test.in {
			if !set.Has(o) {
				t.Errorf("%v: %v is missing", test.words, o)
			}
		}
		// No number outside the vocabulary is in any set.
		for _, o := range slices.Concat(test.out, []Outcome{5, 63, 64, 396, 399, 600, 652, 0xffff}) {
			if set.Has(o) {
				t.Errorf("%v: %v should not be there", test.words, o)
			}
		}
	}
}

func TestParseOutcomesRefuses(t *testing.T) {
	for _, word := range []string{"", "ok", "silent", "Timeout", "399", "600", "+40", "40", "4090", "0409", "3xx", "4XX", " 409"} {
		_, err := ParseOutcomes([]string{"any", word})
		if err == nil {
			t.Errorf("%q was accepted", word)
		}
	}
	_, err := ParseOutcomes([]string{"timeouts"})
	want := `"timeouts" is not an outcome; allowed: timeout, refused, reset, rejected, a status 400 to 599, 4xx, 5xx, transient, any`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestOutcomeString(t *testing.T) {
	for o, want := range map[Outcome]string{OK: "ok", Refused: "refused", Reset: "reset", Timeout: "timeout", Rejected: "rejected", 503: "503"} {
		if got := o.String(); got != want {
			t.Errorf("%d is %q, want %q", o, got, want)
		}
	}
}
