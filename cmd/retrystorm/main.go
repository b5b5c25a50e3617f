// Retrystorm simulates retry storms: who calls whom, how callers behave when
// calls fail, and what that does to a system that has just recovered.
//
// Main is a thin ring: run takes everything it needs as arguments, each
// subcommand is a file, and every exit code is named in exit.go.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// Without this a closed pipe on standard output kills the process, and
	// with it the results that were still to be written to files.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}
