package random

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func TestReadTimes(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []time.Duration
	}{
		{"plain", "t_s\n0\n0.5\n0.5\n1e3\n", []time.Duration{0, 5e8, 5e8, 1e12}},
		{"other columns", "group, t_s ,class\r\na,1,x\r\nb, 2 ,\"y,z\"\r\n", []time.Duration{1e9, 2e9}},
		{"byte order mark", "\ufefft_s\n1\n", []time.Duration{1e9}},
		{"to the nanosecond", "t_s\n0.1234567894\n604800.000000001\n", []time.Duration{123456789, 604800000000001}},
	} {
		got, err := ReadTimes(strings.NewReader(c.text))
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}

func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "line 1: the file is empty; it must begin with a header that has a column t_s"},
		{"header only", "t_s\n", "no rows below the header"},
		{"no column", "time,class\n1,a\n", `line 1: the header has no column t_s, only "time,class"`},
		{"column twice", "t_s,t_s\n1,1\n", "line 1: the header has the column t_s twice"},
		{"no number", "t_s\n1\n2s\n", `line 3: t_s "2s" is not a number of seconds`},
		{"blank", "a,t_s\n1,\n", `line 2: t_s "" is not a number of seconds`},
		{"not a number", "t_s\nNaN\n", `line 2: t_s "NaN" is not a number`},
		{"infinite", "t_s\n+Inf\n", `line 2: t_s "+Inf" must be at most`},
		{"overflow", "t_s\n1e999\n", `line 2: t_s "1e999" must be at most`},
		{"negative", "t_s\n-1\n", `line 2: t_s "-1" must not be negative`},
		{"order", "t_s\n2\n1\n", `line 3: t_s "1" is before the row above (2); times must ascend`},
		{"ragged", "t_s,a\n1,2\n3\n", "line 3: wrong number of fields"},
	} {
		_, err := ReadTimes(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	broken := errors.New("broken")
	if _, err := ReadTimes(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("a broken reader gives %v", err)
	}
}

func TestReadValues(t *testing.T) {
	got, err := ReadValues(strings.NewReader("seconds\n2\n1\n"))
	if want := []time.Duration{2e9, 1e9}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := ReadValues(strings.NewReader("t_s\n2\n")); err == nil || !strings.Contains(err.Error(), "column seconds") {
		t.Errorf("got %v", err)
	}
}
