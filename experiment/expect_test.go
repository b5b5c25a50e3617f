package experiment

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		in               string
		left, op, right  string
		tolerance        string
		leftSel, leftQty string
	}{
		{in: "total_calls < 5", left: "total_calls", op: "<", right: "5"},
		{in: "total_calls[full-jitter]<total_calls[exponential]", left: "total_calls[full-jitter]", op: "<", right: "total_calls[exponential]", leftSel: "=full-jitter"},
		{in: "  completion_p99[a, clients.count = 100]  <=  1m30s ", left: "completion_p99[a, clients.count = 100]", op: "<=", right: "1m30s", leftSel: "=a clients.count=100"},
		{in: "total_calls == 796 +- 1%", left: "total_calls", op: "==", right: "796", tolerance: "1%"},
		{in: "50% * total_calls[a] > total_calls[b] ", left: "50% * total_calls[a]", op: ">", right: "total_calls[b]", leftQty: "50%", leftSel: "=a"},
		{in: "recovery != never", left: "recovery", op: "!=", right: "never"},
		{in: "peak_load[arrival.rate=140/s] >= 2*requests", left: "peak_load[arrival.rate=140/s]", op: ">=", right: "2*requests", leftSel: "arrival.rate=140/s"},
		{in: "1e3 < total_calls", left: "1e3", op: "<", right: "total_calls", leftQty: "1e3"},
		{in: "finished_at == 2s +- 500ms", left: "finished_at", op: "==", right: "2s", tolerance: "500ms"},
	} {
		s, err := parse(c.in)
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		var selectors []string
		for _, x := range s.left.selectors {
			selectors = append(selectors, x.key+"="+x.value)
		}
		got := [...]string{s.left.text, s.op, s.right.text, "", strings.Join(selectors, " "), ""}
		if s.tolerance != nil {
			got[3] = s.tolerance.text
		}
		if s.left.quantity != nil {
			got[5] = s.left.quantity.text
		}
		if want := [...]string{c.left, c.op, c.right, c.tolerance, c.leftSel, c.leftQty}; got != want {
			t.Errorf("%q: %q, want %q", c.in, got, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		in      string
		column  int
		message string
	}{
		{"", 1, "expected a metric or a number, found the end"},
		{"total_calls", 12, "expected one of < <= > >= == !=, found the end"},
		{"total_calls = 5", 13, "equality is written =="},
		{"total_calls < ", 15, "expected a metric or a number, found the end"},
		{"total_calls < 5 6", 17, `expected the end, found "6"`},
		{"total_calls * 2 < 5", 13, `expected one of < <= > >= == !=, found "* 2 < 5"`},
		{"total_calls[a < 5", 12, "this [ has no ]"},
		{"total_calls[a[b]] < 5", 12, "this [ has no ]"},
		{"total_calls[] < 5", 13, "expected a variant or path=value"},
		{"total_calls[a,] < 5", 15, "expected a variant or path=value"},
		{"total_calls[=5] < 5", 13, "expected path=value"},
		{"total_calls < 5 +-", 19, "expected a number"},
		{"total_calls < 5 +- never", 20, "a tolerance cannot be never"},
		{"completion_p99 < 60sec", 18, `unknown unit "sec"; allowed: ns us ms s m h d, /s /min /h, %`},
		{"completion_p99 < 60min", 18, `unknown unit "min"`},
		{"peak_load < 60/m", 13, `unknown rate "60/m"; allowed: /s, /min, /h`},
		{"total_calls < 1.2.3", 15, `not a number: "1.2.3"`},
		{"recovery < 400000d", 12, "did you mean never"},
		{"-5 < total_calls", 1, `expected a metric or a number, found "-5 < total_calls"`},
	} {
		_, err := parse(c.in)
		var syntax *syntaxError
		if !errors.As(err, &syntax) || syntax.column != c.column || !strings.Contains(syntax.message, c.message) {
			t.Errorf("%q: %v, want column %d: %s", c.in, err, c.column, c.message)
		}
	}
}

func TestQuantities(t *testing.T) {
	for _, c := range []struct {
		in    string
		value float64
		kind  kind
		rest  string
	}{
		{"5", 5, number, ""},
		{"10_000", 10000, number, ""},
		{"1e6", 1e6, number, ""},
		{"1.5 x", 1.5, number, " x"},
		{"20.1%", 0.201, fraction, ""}, // the nearest number, not 20.1 / 100
		{"1e1%", 0.1, fraction, ""},
		{"200/s", 200, frequency, ""},
		{"90/min", 1.5, frequency, ""},
		{"3600/h", 1, frequency, ""},
		{"52.7s", 52.7, duration, ""},
		{"1h30m", 5400, duration, ""},
		{"2d", 172800, duration, ""},
		{"500ms]", 0.5, duration, "]"},
		{"7us", 7e-6, duration, ""},
		{"1ns", 1e-9, duration, ""},
		{"0s", 0, duration, ""},
	} {
		q, rest, problem := scanQuantity(c.in)
		if problem != "" || q.value != c.value || q.kind != c.kind || rest != c.rest {
			t.Errorf("%q: %v of kind %d, rest %q, problem %q", c.in, q.value, q.kind, rest, problem)
		}
	}
}

func TestShow(t *testing.T) {
	for _, c := range []struct {
		v    float64
		k    kind
		want string
	}{
		{nan, number, "not available"},
		{inf, duration, "never"},
		{1234567.4, number, "1234567"},
		{796.25, number, "796.25"},
		{0.202843, fraction, "20.2843%"},
		{52.7, duration, "52.7s"},
		{560, frequency, "560/s"},
		{1e-7, duration, "1e-07s"},
	} {
		if got := show(c.v, c.k); got != c.want {
			t.Errorf("%v: %q, want %q", c.v, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"total_calls[full-jitter, clients.count=100] < 50% * total_calls[exponential]",
		"failed_share == 20.2843% +- 1%", "recovery[a=140/s] == never", "1h30m < x", "[", "5e%", "+-", "1__2e-5%", "a[b=c,d]>=never",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parse(text)
		if err != nil {
			var syntax *syntaxError
			if !errors.As(err, &syntax) || syntax.column < 1 || syntax.column > len(text)+1 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		// What was understood, written down again, means the same.
		again := s.left.text + s.op + s.right.text
		if s.tolerance != nil {
			again += "+-" + s.tolerance.text
		}
		r, err := parse(again)
		if err != nil || r.op != s.op || r.left.text != s.left.text || r.right.text != s.right.text {
			t.Fatalf("%q became %q: %v", text, again, err)
		}
		if q := s.left.quantity; q != nil && math.IsNaN(q.value) {
			t.Fatalf("%q: the quantity is NaN", text)
		}
	})
}
