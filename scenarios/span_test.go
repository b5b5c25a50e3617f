package scenarios

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func spread(text string, whole bool) ([]string, *wrong) {
	s, w := parseSpan(text, whole)
	if w != nil {
		return nil, w
	}
	if s.open() {
		return nil, &wrong{"open", ""}
	}
	return s.values()
}

func TestSpread(t *testing.T) {
	for text, want := range map[string]string{
		"10..40 step 10":          "10 20 30 40",
		"0..1 step 0.25":          "0 0.25 0.5 0.75 1",
		"1s..2s step 500ms":       "1s 1s500ms 2s",
		"1s..3s step 1s":          "1s 2s 3s",
		"100/s..300/s step 100/s": "100/s 200/s 300/s",
		"0%..100% step 50%":       "0% 50% 100%",
		"10..35 step 10":          "10 20 30",
		"1e3..2e3 step 500":       "1000 1500 2000",
		"5..5 step 1":             "5",
		"50s..1m step 5s":         "50s 55s 1m",

		"0.1..0.9 linear 9":      "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9",
		"5%..100% linear 20":     "5% 10% 15% 20% 25% 30% 35% 40% 45% 50% 55% 60% 65% 70% 75% 80% 85% 90% 95% 100%",
		"1..2 linear 4":          "1 1.333 1.667 2",
		"0..1 linear 5":          "0 0.25 0.5 0.75 1", // exact, whatever the digits
		"0..1 linear 17":         "0 0.0625 0.125 0.1875 0.25 0.3125 0.375 0.4375 0.5 0.5625 0.625 0.6875 0.75 0.8125 0.875 0.9375 1",
		"1s..2s linear 4":        "1s 1.333s 1.667s 2s",
		"0s..1us linear 3":       "0s 500ns 1us",
		"500ms..1m linear 2":     "500ms 1m",
		"1000..1001 linear 4":    "1000 1000.333 1000.667 1001", // four digits of the width
		"99.99%..100% linear 3":  "99.99% 99.995% 100%",
		"0.0001..0.001 linear 4": "0.0001 0.0004 0.0007 0.001",

		"10..10000 log 7":     "10 31.62 100 316.2 1000 3162 10000",
		"10/s..1000/s log 5":  "10/s 31.62/s 100/s 316.2/s 1000/s",
		"1..65536 log 17":     "1 2 4 8 16 32 64 128 256 512 1024 2048 4096 8192 16384 32768 65536", // powers stay exact
		"0.01..1 log 3":       "0.01 0.1 1",
		"1..2 log 2":          "1 2",
		"100ms..10s log 5":    "100ms 316.2ms 1s 3.162s 10s",
		"1s..5m log 4":        "1s 6.694s 44.81s 5m",
		"1m..1h linear 3":     "1m 30m30s 1h",
		"10us..1h log 3":      "10us 189.7ms 1h",
		"100s..200s linear 4": "1m40s 133.3s 166.7s 3m20s",
		"1ns..1us log 4":      "1ns 10ns 100ns 1us",
		"1ns..3ns log 9":      "1ns 2ns 3ns", // whole, and each once
		"0.1%..10% log 5":     "0.1% 0.3162% 1% 3.162% 10%",
		"1/min..60/min log 2": "1/min 60/min",
	} {
		got, w := spread(text, false)
		if w != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: got %v %v, want %s", text, got, w, want)
		}
	}
	for text, want := range map[string]string{
		"1..2 linear 4":        "1 2",
		"1..10 linear 4":       "1 4 7 10",
		"1..100 log 7":         "1 2 5 10 22 46 100",
		"10..100000 log 4":     "10 215 4642 100000",
		"12345..54321 log 3":   "12345 25900 54321",
		"12345..12355 log 3":   "12345 12350 12355",
		"10..20 linear 5":      "10 13 15 18 20",
		"10..40 step 10":       "10 20 30 40",
		"1e3..1_000_000 log 2": "1000 1000000",
	} {
		got, w := spread(text, true)
		if w != nil || strings.Join(got, " ") != want {
			t.Errorf("counts, %s: got %v %v, want %s", text, got, w, want)
		}
	}
}

func TestSpreadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "not a range",
		"5":                        "not a range",
		"1..2":                     "open",
		"1..2 log":                 "open",
		"1..2 step 0":              "a step of 0",
		"2..1 step 1":              "upwards",
		"2..1 log 3":               "upwards",
		"1..1e9 step 1":            "more than 10000",
		"1..1e9 linear 10001":      "more than 10000",
		"1s..2 step 1":             "one unit",
		"1..2s linear 3":           "one unit",
		"1/s..2/min step 1/s":      "one unit",
		"a..b step c":              "not a range",
		"-1..1 step 1":             "not a range",
		"010..20 step 1":           "leading zero",
		"0..1e999 step 1e998":      "not a range",
		"1..10 log 1":              "2 values or more",
		"1..10 linear 0":           "2 values or more",
		"1..10 linear 2.5":         "how many values",
		"1..10 log x":              "how many values",
		"1..10 log 3 4":            "not a range",
		"1..10 lineal 3":           "did you mean linear",
		"0..10 log 3":              "cannot begin at 0",
		"0s..10s log":              "cannot begin at 0",
		"5..5 linear 3":            "empty range",
		"5s..5s":                   "empty range",
		"1..10 step":               "not a range",
		"0.1ns..1s linear 3":       "finer than a nanosecond",
		"1s..106752d linear 3":     "too long",
		"9d..9999999999d linear 3": "too long",
	} {
		got, w := spread(text, false)
		if w == nil || !strings.Contains(w.message+"; allowed: "+w.allowed, want) {
			t.Errorf("%q was read as %v, %v; want %s", text, got, w, want)
		}
	}
	if _, w := parseSpan("1.5..10 linear 3", true); w == nil || !strings.Contains(w.message, "whole ends") {
		t.Errorf("half a client: %v", w)
	}
}

// TestSpreadStays checks what holds for all ranges: ends as written, ascending,
// inside, at most as many values as asked for, and readable again.
func TestSpreadStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &span{
			from: big.NewRat(rapid.Int64Range(1, 1e6).Draw(t, "from"), rapid.SampledFrom([]int64{1, 10, 1000}).Draw(t, "scale")),
			log:  rapid.Bool().Draw(t, "log"), whole: rapid.Bool().Draw(t, "whole"), time: rapid.Bool().Draw(t, "time"),
			count: rapid.IntRange(2, 60).Draw(t, "count"),
		}
		if s.whole || s.time {
			s.from.SetInt(s.from.Num())
		}
		s.to = new(big.Rat).Add(s.from, new(big.Rat).SetInt64(rapid.Int64Range(1, 1e9).Draw(t, "width")))
		s.measure()
		values, w := s.values()
		if w != nil || len(values) < 2 || len(values) > s.count || values[0] != s.write(s.from) || values[len(values)-1] != s.write(s.to) {
			t.Fatal(w, values)
		}
		numbers := make([]float64, len(values))
		for i, v := range values {
			numbers[i] = number(v)
		}
		if !slices.IsSorted(numbers) {
			t.Error(values)
		}
		u := rapid.Float64Range(0, 1).Draw(t, "u")
		x := s.at(u)
		if x.Cmp(s.from) < 0 || x.Cmp(s.to) > 0 || !s.can(x) {
			t.Error(u, x)
		}
	})
}
