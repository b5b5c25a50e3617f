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
