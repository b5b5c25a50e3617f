package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"retrystorm/report"
)

// app is what the commands share: the world they run in.
type app struct {
	stdin  io.Reader
	stdout *bufio.Writer
	stderr io.Writer
	getenv func(string) string

	terminal io.Writer // what stdout writes to, to ask for its width
	running  bool      // the command line was right and a command has begun
}

func newApp(stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) *app {
	return &app{stdin: stdin, stdout: bufio.NewWriter(stdout), stderr: stderr, getenv: getenv, terminal: stdout}
}

// run is the program without its process: arguments and streams in, exit code
// out.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			text, _, _ := strings.Cut(fmt.Sprint(p), "\n")
			fmt.Fprintf(stderr, "retrystorm: internal error: %s; please report it with the command line and the scenario\n", text)
			code = exitFailed
		}
	}()
	a := newApp(stdin, stdout, stderr, getenv)
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(a.stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteC()
	if err != nil && !a.running {
		err = &exitError{exitUsage, err}
	}
	// The command has failed of the same if it wrote more than the buffer holds.
	if e := a.stdout.Flush(); e != nil && (err == nil || errors.Is(err, e)) {
		err = fmt.Errorf("standard output: %w", reason(e))
	}
	if errors.Is(err, syscall.EPIPE) {
		return exitOK // whoever read has seen enough
	}
	a.complain(cmd, err)
	return codeOf(err)
}

// complain says what went wrong: one line each, and a hint if it was the
// command line.
func (a *app) complain(cmd *cobra.Command, err error) {
	var exit *exitError
	problems := problemsOf(err)
	switch {
	case err == nil, errors.As(err, &exit) && exit.err == nil:
	case problems != nil:
		fmt.Fprintln(a.stderr, problems)
		if a.onGitHub() {
			for _, p := range problems {
				report.Annotate(a.stderr, inRepository(p.File, a.getenv("GITHUB_WORKSPACE")), p.Line, p.Col, "wrong scenario", p.Message)
			}
		}
	case !a.running:
		fmt.Fprintf(a.stderr, "retrystorm: %v\n", err)
		fmt.Fprintf(a.stderr, "%s --help tells more\n", cmd.CommandPath())
	default:
		fmt.Fprintf(a.stderr, "retrystorm: %v\n", err)
	}
}

// printf writes to standard output. Errors come back from the flush at the
// end, which remembers the first.
func (a *app) printf(format string, args ...any) {
	fmt.Fprintf(a.stdout, format, args...)
}

// notef writes a message for the person at the terminal.
func (a *app) notef(format string, args ...any) {
	fmt.Fprintf(a.stderr, format+"\n", args...)
}
