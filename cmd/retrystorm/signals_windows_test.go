package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Windows has no signals between processes. What Ctrl-C does there can be
// tested with Ctrl-Break, which reaches a process group of its own.
func TestInterruptedAndResumed(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"run", "recovering-server", "--replications", "1", "--set", "expect=[]", "--jobs", "1", "-q", "-o", out}
	var stderr bytes.Buffer
	cmd := exec.Command("retrystorm", args...)
	cmd.Stderr = &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	over, err := started(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() // when it is still there
	awaitPoint(filepath.Join(out+".partial", "points.log"), over)
	control := syscall.NewLazyDLL("kernel32.dll").NewProc("GenerateConsoleCtrlEvent")
	if ok, _, err := control.Call(syscall.CTRL_BREAK_EVENT, uintptr(cmd.Process.Pid)); ok == 0 {
		t.Skipf("no console to send Ctrl-Break from: %v", err)
	}
	<-over
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(stderr.String(), "--resume goes on") {
		t.Fatalf("exit code %d, %s", code, &stderr)
	}
	if text, err := exec.Command("retrystorm", append(args, "--resume")...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}
