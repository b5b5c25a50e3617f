package scenarios

import (
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/strategies"
)

func TestParseFloor(t *testing.T) {
	for text, want := range map[string]strategies.Floor{
		"10/s": {Set: true, Rate: 10}, "0/s": {Set: true}, "30/min": {Set: true, Rate: 0.5}, "3": {Set: true, Count: 3}, "0": {Set: true}, "1e3": {Set: true, Count: 1000},
	} {
		if got, w := parseFloor(text); w != nil || got != want {
			t.Errorf("%s: got %+v %v, want %+v", text, got, w, want)
		}
	}
	for _, text := range []string{"", "10s", "10/d", "-1", "1.5", "none", "/s", "ten"} {
		if got, w := parseFloor(text); w == nil {
			t.Errorf("%q was read as %+v", text, got)
		}
	}
}

func TestParseAfter(t *testing.T) {
	for text, want := range map[string]strategies.After{
		"50ms": {Delay: 50 * time.Millisecond}, "0s": {}, "p95": {Quantile: 0.95}, "p99.9": {Quantile: 0.999}, "p0.5": {Quantile: 0.005}, "p50": {Quantile: 0.5},
	} {
		if got, w := parseAfter(text); w != nil || got != want {
			t.Errorf("%s: got %+v %v, want %+v", text, got, w, want)
		}
	}
	for _, text := range []string{"", "50", "p", "p0", "p100", "p101", "p-5", "p95%", "p9x", "p1e1", "p9_5", "p095", "P95", "p.5", "95%", "pnan"} {
		if got, w := parseAfter(text); w == nil {
			t.Errorf("%q was read as %+v", text, got)
		}
	}
}

func TestParseAsked(t *testing.T) {
	for text, want := range map[string]server.Asked{
		"30s": {Kind: server.AskedDelay, Delay: 30 * time.Second}, "0s": {Kind: server.AskedDelay}, "next-token": {Kind: server.AskedToken},
		"recovery": {Kind: server.AskedRecovery}, "queue": {Kind: server.AskedQueue}, "never": {Kind: server.AskedNever},
	} {
		if got, w := parseAsked(text); w != nil || got != want {
			t.Errorf("%s: got %+v %v, want %+v", text, got, w, want)
		}
	}
	for _, text := range []string{"", "30", "0", "soon", "next_token", "-1s", "Never"} {
		if got, w := parseAsked(text); w == nil {
			t.Errorf("%q was read as %+v", text, got)
		}
	}
}

func TestCheckKey(t *testing.T) {
	for _, c := range []struct {
		format, key string
		ok          bool
	}{
		{"", "db", true},
		{"", "503", false},
		{"name", "db", true},
		{"outcome", "429", true},
		{"outcome", "5xx", true},
		{"outcome", "rejected", true},
		{"outcome", "any", true},
		{"outcome", "600", false},
		{"outcome", "ok", false},
		{"outcome", "", false},
		{"answer", "429", true},
		{"answer", "silent", true},
		{"answer", "5xx", false},
		{"answer", "timeout", false},
		{"answer", "0503", false},
	} {
		if w := checkKey(c.format, c.key); (w == nil) != c.ok {
			t.Errorf("%s %q: %v", c.format, c.key, w)
		}
	}
}
