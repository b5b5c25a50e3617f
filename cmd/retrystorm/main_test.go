package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts in testdata/script run the command as users do.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"retrystorm": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", "atexit_sleep_ms=10") // not a second
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":      exits,
			"interrupts": interrupts,
			"examples":   examples,
		},
	})
}

// exits CODE PROGRAM ARGS... runs a program that must exit with the code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code program args...")
	}
	code := 0
	err := ts.Exec(args[1], args[2:]...)
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		code = failed.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, not %s", code, args[0])
	}
}

// interrupts CODE INT|TERM FILE PROGRAM ARGS... runs a program that makes a folder out,
// and sends it a signal as soon as there is the file, with a point if it is a log.
// The program must end with the code. If it was over before, it runs again.
func interrupts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: interrupts code INT|TERM file program args...")
	}
	signal := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM}[args[1]]
	for range 10 {
		ts.Check(errors.Join(os.RemoveAll(ts.MkAbs("out")), os.RemoveAll(ts.MkAbs("out.partial"))))
		var stdout, stderr bytes.Buffer
		cmd := exec.Command(args[3], args[4:]...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), &stdout, &stderr
		over, err := started(cmd)
		ts.Check(err)
		awaitPoint(ts.MkAbs(args[2]), over)
		sent := time.Now()
		cmd.Process.Signal(signal)
		<-over
		code := cmd.ProcessState.ExitCode()
		if code == exitOK {
			continue
		}
		// It should be less than a second, unless the machine is busy.
		ts.Logf("exit code %d, %v after the signal", code, time.Since(sent))
		fmt.Fprint(ts.Stdout(), &stdout)
		fmt.Fprint(ts.Stderr(), &stderr)
		if strconv.Itoa(code) != args[0] {
			ts.Fatalf("exit code %d, not %s", code, args[0])
		}
		return
	}
	ts.Fatalf("ten times it was over before the signal came")
}

// started starts a command; the channel is closed when it is over.
func started(cmd *exec.Cmd) (over <-chan struct{}, err error) {
	ended := make(chan struct{})
	if err = cmd.Start(); err == nil {
		go func() {
			cmd.Wait()
			close(ended)
		}()
	}
	return ended, err
}

// awaitPoint waits until there is something in a file, and in a log a point, as what
// it begins with is shorter, or until that cannot be any more.
func awaitPoint(file string, over <-chan struct{}) {
	least := int64(1)
	if filepath.Base(file) == "points.log" {
		least = 100
	}
	for {
		if st, err := os.Stat(file); err == nil && st.Size() >= least {
			return
		}
		select {
		case <-over:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// examples [COMMAND] runs the examples of a command's help as a shell would.
func examples(ts *testscript.TestScript, _ bool, args []string) {
	cmd, _, err := testApp(nil, io.Discard, io.Discard).root().Find(args)
	ts.Check(err)
	for line := range strings.Lines(cmd.Example) {
		ts.Logf("$ %s", strings.TrimSpace(line))
		if err := ts.Exec("sh", "-c", line); err != nil {
			ts.Fatalf("%s: %v", strings.TrimSpace(line), err)
		}
	}
}

// Every command says what it does, gives examples, and has a script that runs
// them.
func TestHelp(t *testing.T) {
	script, err := os.ReadFile("testdata/script/examples.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range testApp(nil, io.Discard, io.Discard).root().Commands() {
		if c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		if c.Long == "" || c.Example == "" {
			t.Errorf("%s has no long help or no example", c.Name())
		}
		// Reproducing takes minutes, serving has no end, a playground builds the whole
		// simulator; they have tests of their own.
		if !slices.Contains([]string{"reproduce", "serve", "playground"}, c.Name()) && !strings.Contains(string(script), "\nexamples "+c.Name()+"\n") {
			t.Errorf("the examples of %s are not run", c.Name())
		}
		for line := range strings.Lines(c.Long) {
			if c.Name() != "reproduce" && len(line) > 81 { // it has a list of names
				t.Errorf("%s: help line longer than 80: %s", c.Name(), line)
			}
		}
	}
}

func testApp(stdin io.Reader, stdout, stderr io.Writer) *app {
	return newApp(stdin, stdout, stderr, func(string) string { return "" })
}

func TestBrokenPipe(t *testing.T) {
	for _, args := range [][]string{{"list"}, {"show", "nested-layers"}, {"trace", "nested-layers"}} {
		r, w := io.Pipe()
		r.CloseWithError(syscall.EPIPE)
		var stderr strings.Builder
		code := run(args, nil, w, &stderr, os.Getenv)
		if code != exitOK || stderr.Len() > 0 {
			t.Errorf("%v: exit code %d, %q", args, code, stderr.String())
		}
	}
}

// A run goes on without a reader: its files are still wanted.
func TestBrokenPipeKeepsFiles(t *testing.T) {
	r, w := io.Pipe()
	r.CloseWithError(syscall.EPIPE)
	dir := filepath.Join(t.TempDir(), "out")
	var stderr strings.Builder
	code := run([]string{"run", "nested-layers", "mmck", "--replications", "1", "--set", "until=1m", "--set", "expect=[]", "-q", "-o", dir}, nil, w, &stderr, os.Getenv)
	if code != exitOK || stderr.Len() > 0 {
		t.Errorf("exit code %d, %q", code, stderr.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "mmck", "manifest.json")); err != nil {
		t.Error(err)
	}
}

func TestFullDisk(t *testing.T) {
	r, w := io.Pipe()
	r.CloseWithError(syscall.ENOSPC)
	for _, args := range [][]string{{"version"}, {"list"}, {"list", "--json"}} { // with more and more to write
		var stderr strings.Builder
		code := run(args, nil, w, &stderr, os.Getenv)
		if code != exitFailed || stderr.String() != "retrystorm: standard output: no space left on device\n" {
			t.Errorf("%v: exit code %d, %q", args, code, stderr.String())
		}
	}
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("broken\ninvariant") }

func TestInternalError(t *testing.T) {
	var stderr strings.Builder
	code := run([]string{"validate", "-"}, panicking{}, io.Discard, &stderr, os.Getenv)
	if code != exitFailed || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), "internal error: broken;") {
		t.Errorf("exit code %d, %q", code, stderr.String())
	}
}

func TestWorse(t *testing.T) {
	order := []int{exitTerminated, exitInterrupted, exitUsage, exitFailed, exitExpect, exitOK}
	for i, a := range order {
		for _, b := range order[i:] {
			if worse(a, b) != a || worse(b, a) != a {
				t.Errorf("%d and %d", a, b)
			}
		}
	}
}

func TestProgressLines(t *testing.T) {
	var out strings.Builder
	now := time.Unix(0, 0)
	p := &progress{w: &out, name: "mmck", now: func() time.Time { return now }, last: now}
	for i := range 25 {
		now = now.Add(time.Second)
		p.at(i+1, 100)
	}
	p.end()
	if want := "mmck: 10 of 100 replications\nmmck: 20 of 100 replications\n"; out.String() != want {
		t.Errorf("%q", out.String())
	}
	var none *progress
	none.at(1, 2)
	none.end()
}

func TestSection(t *testing.T) {
	long := "name: x\nvariants:\n  a: {}\n  b:\n    until: 1m\nsweep:\n  clients.count: [1, 2]\n"
	got := section(long, "variants")
	want := []entry{{"a", "  a: {}\n"}, {"b", "  b:\n    until: 1m\n"}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%q", got)
	}
	if got := section(long, "sweep"); len(got) != 1 || got[0].name != "clients.count" {
		t.Errorf("%q", got)
	}
	if got := section(long, "expect"); got != nil {
		t.Errorf("%q", got)
	}
}
