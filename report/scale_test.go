package report

import (
	"math"
	"strings"
	"testing"
)

func TestScaleTicks(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		axis        Axis
		values      []float64
		title, want string
	}{
		{Axis{Label: "calls"}, []float64{120, 7800}, "calls", "0 1,000 2,000 3,000 4,000 5,000 6,000 7,000 8,000"},
		{Axis{Label: "calls"}, []float64{3.1e6, 9.5e6}, "calls (millions)", "0 2 4 6 8 10"},
		{Axis{Label: "calls", Unit: "/s"}, []float64{0.3}, "calls (per second)", "0.00 0.05 0.10 0.15 0.20 0.25 0.30"},
		{Axis{Label: "time", Unit: "s"}, []float64{0.02, 0.19}, "time (ms)", "0 50 100 150 200"},
		{Axis{Label: "time", Unit: "s"}, []float64{3000}, "time (min)", "0 10 20 30 40 50"},
		{Axis{Label: "time", Unit: "s", Log: true}, []float64{0.3, 40, inf, 0}, "time", "200 ms 500 ms 1 s 2 s 5 s 10 s 20 s 50 s"},
		{Axis{Label: "time", Unit: "s", Log: true}, []float64{0.07, 27_305}, "time", "100 ms 1 s 10 s 1 min 10 min 1 h 10 h"},
		{Axis{Label: "done", Unit: "%", Least: 1}, []float64{0, 0.02}, "done (%)", "0 20 40 60 80 100"},
		{Axis{Label: "calls", Log: true}, []float64{3, 2e8}, "calls", "10 100 1,000 10,000 100,000 1 M 10 M 100 M"},
		{Axis{Label: "share", Unit: "%"}, []float64{0, 1}, "share (%)", "0 20 40 60 80 100"},
		{Axis{Label: "time", Unit: "s", Fit: true}, []float64{0, 0}, "time (s)", "0.0 0.2 0.4 0.6 0.8 1.0"},
		{Axis{Label: "calls"}, []float64{0}, "calls", "0.0 0.2 0.4 0.6 0.8 1.0"},
		{Axis{Label: "calls"}, []float64{inf, math.NaN()}, "calls", ""},
		{Axis{Label: "n", Fit: true, Ticks: []float64{10, 2000}}, []float64{10, 2000}, "n", "10 2,000"},
		{Axis{Unit: "s", Fit: true, Ticks: []float64{0.1, 0.15, 1}}, []float64{0.1, 0.15, 1}, "", "0.1 0.15 1"},
	} {
		s := newScale(c.axis, c.values, 8)
		var texts []string
		for _, k := range s.ticks {
			texts = append(texts, k.text)
		}
		if got := strings.Join(texts, " "); got != c.want || s.title != c.title {
			t.Errorf("%v of %v: got %q with %q, want %q with %q", c.axis, c.values, s.title, got, c.title, c.want)
		}
		for _, v := range c.values {
			if u := s.at(v); !math.IsNaN(v) && !(u >= 0 && u <= 1) {
				t.Errorf("%v lies at %v", v, u)
			}
		}
	}
}

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		text string
		v    float64
		unit string
		ok   bool
	}{
		{"10_000", 10000, "", true},
		{"1e6", 1e6, "", true},
		{"100ms", 0.1, "s", true},
		{"1h30m", 5400, "s", true},
		{"7d", 604800, "s", true},
		{"1d6h30m", 109800, "s", true},
		{"1dx", 0, "", false},
		{"200/s", 200, "/s", true},
		{"30/min", 0.5, "/s", true},
		{"10%", 0.1, "%", true},
		{"unlimited", 0, "", false},
		{"3/year", 0, "", false},
		{"nan", 0, "", false},
		{"", 0, "", false},
	} {
		v, unit, ok := Quantity(c.text)
		if ok != c.ok || ok && (v != c.v || unit != c.unit) {
			t.Errorf("Quantity(%q) = %v, %q, %v", c.text, v, unit, ok)
		}
	}
}
