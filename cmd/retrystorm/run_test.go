package main

import "testing"

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
