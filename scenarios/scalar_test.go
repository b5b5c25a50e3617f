package scenarios

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0s": 0, "0ns": 0, "1ns": 1, "100ms": 100 * time.Millisecond, "1h30m": 90 * time.Minute,
		"7d": 7 * 24 * time.Hour, "1.5s": 1500 * time.Millisecond, "0.25us": 250, "1m30s": 90 * time.Second,
		"106751d": 106751 * 24 * time.Hour, "0.000000001s": 1, "1d1h1m1s1ms1us1ns": 90061001001001,
		"1010ms": 1010 * time.Millisecond,
	} {
		if got, w := parseDuration(text); w != nil || got != want {
			t.Errorf("%s: got %d %v, want %d", text, got, w, want)
		}
	}
	for _, text := range []string{
		"", "0", "1", "s", "-1s", "+1s", "1 s", "1s ", " 1s", "1S", "1M", "1s1s", "1s1m", "0.5ns", "1e3s", "01s", "1_000ms",
		"106752d", "9223372036854775808ns", ".5s", "5.s", "1..5s", "1:30", "inf", ".inf", "nan", "none", "unlimited", "1s,", "１s", "1,5s",
		"1.0000000000000000000000000000000000000000001s", "99999999999999999999999999999999999999999999d",
	} {
		if got, w := parseDuration(text); w == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}

func TestFormatDurationIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "d"))
		if got, w := parseDuration(FormatDuration(d)); w != nil || got != d {
			t.Fatalf("%d -> %s -> %d %v", d, FormatDuration(d), got, w)
		}
	})
}

func TestParseRate(t *testing.T) {
	for text, want := range map[string]float64{
		"200/s": 200, "0/s": 0, "30/min": 0.5, "1.5/s": 1.5, "36/h": 0.01, "1e3/s": 1000, "10_000/s": 10000,
	} {
		if got, w := parseRate(text); w != nil || got != want {
			t.Errorf("%s: got %v %v, want %v", text, got, w, want)
		}
	}
	for _, text := range []string{"", "200", "/s", "200/", "200/m", "200/d", "200 /s", "-1/s", "1e999/s", "0x10/s", "010/s", "5s", ".inf", "nan/s", "1/s/s"} {
		if got, w := parseRate(text); w == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}

func TestParseMean(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"300/s": 3333333, "1/s": time.Second, "2/min": 30 * time.Second, "1/h": time.Hour, "3/s": 333333333,
		"6/s": 166666667, "20ms": 20 * time.Millisecond, "0s": 0, "1e10/s": 0, "0.5/s": 2 * time.Second,
	} {
		if got, w := parseMean(text); w != nil || got != want {
			t.Errorf("%s: got %d %v, want %d", text, got, w, want)
		}
	}
	for _, text := range []string{"0/s", "0.0/s", "1e-99/s", "x/s", "5/fortnight"} {
		if got, w := parseMean(text); w == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}

func TestParseShare(t *testing.T) {
	for text, want := range map[string]float64{"0%": 0, "100%": 1, "10%": 0.1, "0.5%": 0.005, "33.3%": 0.333, "1e1%": 0.1, "7%": 0.07} {
		if got, w := parseShare(text); w != nil || got != want {
			t.Errorf("%s: got %v %v, want %v", text, got, w, want)
		}
	}
	for _, text := range []string{"", "%", "0.1", "1", "10", "101%", "100.0001%", "-1%", "10 %", "010%", "half", ".5%", "nan%", "1e-1", "1e999%"} {
		if got, w := parseShare(text); w == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}

func TestParseCount(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "10000": 10000, "10_000": 10000, "1e6": 1000000, "1.5e3": 1500, "1E2": 100, "9223372036854775807": math.MaxInt64, "100e-2": 1,
	} {
		if got, w := parseCount(text); w != nil || got != want {
			t.Errorf("%s: got %v %v, want %v", text, got, w, want)
		}
	}
	for _, text := range []string{
		"", "010", "00", "0x10", "0o7", "0b1", "1:30", ".inf", ".nan", "1.5", "10.0", "1e-1", "1.55e1", "-1", "+1", "1,000", "1__0", "_1", "1_",
		"9223372036854775808", "1e19", "1e999", "1e-999", "1e9999", "ten", "1 0", "１",
	} {
		if got, w := parseCount(text); w == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}

func TestParseFactor(t *testing.T) {
	for text, want := range map[string]float64{"2": 2, "1.5": 1.5, "0": 0, "0.5": 0.5, "1e3": 1000, "1_000.5": 1000.5} {
		if got, w := parseFactor(text); w != nil || got != want {
			t.Errorf("%s: got %v %v, want %v", text, got, w, want)
		}
	}
	for _, text := range []string{"", "-1", ".5", "5.", "0x1p4", "inf", ".nan", "01.5", "1e999", "2x"} {
		if got, w := parseFactor(text); w == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}

func TestCheckName(t *testing.T) {
	for _, name := range []string{"a", "full-jitter", "none", "x1", "a--b", "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggg"} {
		if w := checkName(name); w != nil {
			t.Errorf("%s: %v", name, w)
		}
	}
	for _, name := range []string{"", "1a", "-a", "A", "a_b", "a b", "a.b", "é", "on", "y", "true", "null", "work", "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg"} {
		if checkName(name) == nil {
			t.Errorf("%q was taken for a name", name)
		}
	}
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]float64{"10": 10, "1m": 60, "30/min": 0.5, "50%": 0.5, "1.5": 1.5} {
		if got := number(text); got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
	if !math.IsNaN(number("fixed 1s")) || !math.IsNaN(number("unlimited")) {
		t.Error("a word is not a number")
	}
}
