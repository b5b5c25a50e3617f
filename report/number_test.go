package report

import (
	"encoding/json"
	"math"
	"testing"
)

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want string
	}{
		{0, "0"},
		{math.Copysign(0, -1), "0"},
		{1, "1"},
		{1_000_000, "1000000"},
		{9_007_199_254_740_991, "9007199254740991"}, // integers in full
		{12345678901.5, "12345678900"},              // not one: 9 digits
		{1.0 / 3, "0.333333333"},
		{2.5e-5, "0.000025"},
		{1.23456789012e-7, "1.23456789e-07"},
		{-0.1, "-0.1"},
		{1e300, "1e+300"},
		{math.Inf(1), "+Inf"},
		{math.NaN(), ""},
	} {
		got := Number(c.x)
		if got != c.want {
			t.Errorf("Number(%v) = %q, want %q", c.x, got, c.want)
		}
		back, err := parseNumber(got)
		if err != nil {
			t.Errorf("parseNumber(%q): %v", got, err)
		}
		if again := Number(back); again != got {
			t.Errorf("%q is read and written as %q", got, again)
		}
		if r := Rounded(c.x); r != back && !math.IsNaN(r) {
			t.Errorf("Rounded(%v) = %v, but %v is read", c.x, r, back)
		}
	}
}

func TestNumberJSON(t *testing.T) {
	b, err := json.Marshal([]jsonNumber{1.5, jsonNumber(math.Inf(1)), jsonNumber(math.NaN())})
	if got, want := string(b), `[1.5,"+Inf",null]`; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

func TestParseNumberRefuses(t *testing.T) {
	for _, s := range []string{"NaN", "nan", "1,5", "x", "1e999999"} {
		if x, err := parseNumber(s); err == nil {
			t.Errorf("parseNumber(%q) = %v", s, x)
		}
	}
}

func TestHuman(t *testing.T) {
	for _, c := range []struct {
		x    float64
		unit string
		want string
	}{
		{12345, "", "12,345"},
		{1234567.4, "", "1,234,567"},
		{1.23456, "", "1.23"},
		{0.00123, "", "0.00123"},
		{-1234.5, "", "-1,234"},
		{1.234, "s", "1.23 s"},
		{0.0456, "s", "45.6 ms"},
		{0.00000456, "s", "4.56 µs"},
		{0.99999, "s", "1.00 s"},
		{0, "s", "0 s"},
		{4321.4, "s", "4,321 s"},
		{5000, "/s", "5,000/s"},
		{2.5, "x", "2.50x"},
		{0.2, "%", "20 %"},
		{1 - 0.8, "%", "20 %"},
		{math.Inf(1), "s", "never"},
		{math.NaN(), "s", "-"},
	} {
		if got := Human(c.x, c.unit); got != c.want {
			t.Errorf("Human(%v, %q) = %q, want %q", c.x, c.unit, got, c.want)
		}
	}
}

func TestHumanInterval(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		centre, lo, hi float64
		unit           string
		want           string
	}{
		{796.4, 794.4, 798.4, "", "796 ± 2"},
		{12345, 12222, 12468, "", "12,345 ± 123"},
		{0.4321, 0.4198, 0.4444, "", "0.43 ± 0.01"},
		{796, 790, 805, "", "796 [790, 805]"},
		{0.0456, 0.0446, 0.0466, "s", "46 ms ± 1"},
		{12.3, 12.1, inf, "s", "12.3 s [12.1, never]"},
		{inf, 12.1, inf, "s", "never"},
		{5, 5, 5, "", "5"},
		{5, nan, nan, "", "5"},
		{nan, nan, nan, "", "-"},
	} {
		if got := HumanInterval(c.centre, c.lo, c.hi, c.unit); got != c.want {
			t.Errorf("HumanInterval(%v, %v, %v, %q) = %q, want %q", c.centre, c.lo, c.hi, c.unit, got, c.want)
		}
	}
}
