package server

import "testing"

func TestAnswerText(t *testing.T) {
	for _, test := range []struct {
		text string
		want Answer
	}{
		{"refused", Refused}, {"reset", Reset}, {"silent", Silent}, {"400", 400}, {"599", 599},
	} {
		var a Answer
		if err := a.UnmarshalText([]byte(test.text)); err != nil || a != test.want {
			t.Errorf("%s is read as %v, %v", test.text, a, err)
		}
		if text, err := a.MarshalText(); err != nil || string(text) != test.text {
			t.Errorf("%s is written as %s, %v", test.text, text, err)
		}
	}
	for _, text := range []string{
		"",     // nothing
		"ok",   // success is not something a scenario asks for
		"399",  // not a failure
		"600",  // no status
		"0503", // octal to some
		"+503",
		"timeout", // what the caller sees, not what a service does
		"5xx",
	} {
		var a Answer
		if err := a.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, a)
		}
	}
	if s := OK.String(); s != "ok" {
		t.Errorf("OK is %q", s)
	}
}
