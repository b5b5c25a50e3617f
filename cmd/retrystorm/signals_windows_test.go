package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
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
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() // when it is still there
	awaitPoint(t, filepath.Join(out+".partial", "points.log"))
	control := syscall.NewLazyDLL("kernel32.dll").NewProc("GenerateConsoleCtrlEvent")
	if ok, _, err := control.Call(syscall.CTRL_BREAK_EVENT, uintptr(cmd.Process.Pid)); ok == 0 {
		t.Skipf("no console to send Ctrl-Break from: %v", err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(stderr.String(), "--resume goes on") {
		t.Fatalf("exit code %d, %s", code, &stderr)
	}
	if text, err := exec.Command("retrystorm", append(args, "--resume")...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// awaitPoint waits until a point is in the log; what it begins with is shorter.
func awaitPoint(t *testing.T, log string) {
	t.Helper()
	for range 2000 {
		if st, err := os.Stat(log); err == nil && st.Size() > 100 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("no point in %s", log)
}
