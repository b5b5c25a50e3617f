package main

import (
	"errors"
	"fmt"
	"slices"
)

// The exit codes, also in the root help.
const (
	exitOK          = 0
	exitFailed      = 1 // something failed while running
	exitUsage       = 2 // the command line or a scenario is wrong
	exitExpect      = 3 // an expectation did not hold
	exitMissing     = 4 // points are missing
	exitUndecided   = 5 // an expectation is undecided, under --strict
	exitInterrupted = 130
	exitTerminated  = 143
)

const exitCodes = `Exit codes:
    0  fine
    1  something failed while running
    2  the command line or a scenario is wrong; nothing was written
    3  an expectation did not hold; the output folder is written all the same.
       Of lint --strict: there is a problem
    4  shards are missing; they are named and nothing was written
    5  an expectation is undecided, under --strict; the folder is written
  130  interrupted (Ctrl-C); what was finished is kept, --resume goes on
  143  terminated; like 130
When several apply, 130 and 143 come first, then 2, 1, 4, 3 and 5.`

// worse is the exit code that counts when both apply.
func worse(a, b int) int {
	order := []int{exitOK, exitUndecided, exitExpect, exitMissing, exitFailed, exitUsage, exitInterrupted, exitTerminated}
	if slices.Index(order, a) > slices.Index(order, b) {
		return a
	}
	return b
}

// exitError is an error that has an exit code of its own; others mean
// exitFailed. Without err everything has been said already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usagef is the error of a command line or scenario that is wrong.
func usagef(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// codeOf is the exit code of an error.
func codeOf(err error) int {
	var e *exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		return e.code
	}
	return exitFailed
}
