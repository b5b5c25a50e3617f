package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
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
			env.Values[background{}] = &background{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"await":    await,
			"signal":   sendSignal,
			"exited":   exited,
			"examples": examples,
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

// await FILE BYTES waits until there is such a file with more bytes than that.
func await(ts *testscript.TestScript, _ bool, args []string) {
	bytes, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	for range 2000 {
		if st, err := os.Stat(ts.MkAbs(args[0])); err == nil && st.Size() > bytes {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	ts.Fatalf("%s did not appear", args[0])
}

// background is the process that was sent a signal, and when.
type background struct {
	cmd  *exec.Cmd
	sent time.Time
}

// signal INT|TERM sends a signal to the process in the background.
func sendSignal(ts *testscript.TestScript, _ bool, args []string) {
	b := ts.Value(background{}).(*background)
	b.cmd, b.sent = ts.BackgroundCmds()[0], time.Now()
	signals := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM}
	ts.Check(b.cmd.Process.Signal(signals[args[0]]))
}

// exited CODE checks how that process ended, after wait, and that it took no
// longer than a second, or a little more on a busy machine.
func exited(ts *testscript.TestScript, _ bool, args []string) {
	b := ts.Value(background{}).(*background)
	if took := time.Since(b.sent); took > 3*time.Second {
		ts.Fatalf("took %v to stop", took)
	}
	if code := b.cmd.ProcessState.ExitCode(); strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, not %s", code, args[0])
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
		// Reproducing takes minutes, serving has no end, and both have tests of their own.
		if c.Name() != "reproduce" && c.Name() != "serve" && !strings.Contains(string(script), "\nexamples "+c.Name()+"\n") {
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
