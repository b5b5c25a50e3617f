package main

import (
	"strings"
	"testing"
)

func TestLeft(t *testing.T) {
	for want, j := range map[string]*job{
		"out holds the whole result":     {dir: "out", complete: true},
		"nothing is kept without -o DIR": {},
	} {
		if j.kept() != want {
			t.Errorf("got %q, want %q", j.kept(), want)
		}
	}
}

func TestFitting(t *testing.T) {
	for _, c := range []struct {
		jobs    int
		clients int64
		limit   uint64
		want    int
	}{
		{4, 1000, 0, 4},
		{4, 1000, 1 << 20, 4},
		{8, 1000, 500_000, 3},
		{8, 1000, 160_000, 1},
	} {
		got, err := fitting(c.jobs, c.clients, c.limit)
		if err != nil || got != c.want {
			t.Errorf("%+v: got %d, %v", c, got, err)
		}
	}
	if _, err := fitting(1, 1000, 159_999); codeOf(err) != exitUsage || !strings.Contains(err.Error(), "1000 clients") {
		t.Errorf("got %v", err)
	}
}

func TestClock(t *testing.T) {
	for seconds, want := range map[float64]string{
		0.2: "1 s", 59.6: "60 s", 599.4: "599 s", 600: "10 min", 3599: "1 h 0 min", 12_345: "3 h 26 min", 2e9: "more than 30 years",
	} {
		if got := clock(seconds); got != want {
			t.Errorf("%v: got %q, want %q", seconds, got, want)
		}
	}
}
