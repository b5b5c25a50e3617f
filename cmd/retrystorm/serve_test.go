package main

import (
	"io"
	"net"
	"strings"
	"testing"
)

func TestServeWhereSomebodyElseListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var stderr strings.Builder
	code := run([]string{"serve", "--addr", l.Addr().String()}, nil, io.Discard, &stderr, func(string) string { return "" })
	if code != exitUsage || !strings.Contains(stderr.String(), "--addr "+l.Addr().String()+": ") || !strings.Contains(stderr.String(), "port 0 takes one that is free") {
		t.Errorf("exit code %d, %q", code, stderr.String())
	}
}
