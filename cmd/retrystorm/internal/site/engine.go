package site

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Engine is the simulator for browsers, and the script of Go that starts it. Both
// come from the same version of Go.
type Engine struct {
	Wasm, Exec []byte
	From       string // for people
}

const (
	wasmFile = "retrystorm.wasm"
	execFile = "wasm_exec.js"
)

// NoEngineError says why there is no engine.
type NoEngineError struct{ Text string }

func (e *NoEngineError) Error() string { return e.Text }

// FindEngine takes the engine from the files beside the program, as they are in a
// release, or builds it where there is a checkout and Go.
func FindEngine() (*Engine, error) {
	if program, err := os.Executable(); err == nil {
		if program, err = filepath.EvalSymlinks(program); err == nil {
			e, err := ReadEngine(filepath.Join(filepath.Dir(program), wasmFile))
			if !errors.Is(err, fs.ErrNotExist) {
				return e, err
			}
		}
	}
	dir, err := checkout()
	if err != nil {
		return nil, &NoEngineError{fmt.Sprintf("there is no engine for browsers: no %s and %s beside the program, as a release has them, and none can be built: %v; --wasm FILE names one",
			wasmFile, execFile, err)}
	}
	return BuildEngine(dir)
}

// ReadEngine reads a file of WebAssembly, and wasm_exec.js beside it.
func ReadEngine(file string) (*Engine, error) {
	wasm, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(wasm, []byte("\x00asm")) {
		return nil, &NoEngineError{file + " is no WebAssembly"}
	}
	script, err := os.ReadFile(filepath.Join(filepath.Dir(file), execFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &NoEngineError{fmt.Sprintf("%s needs %s of the same version of Go beside it", file, execFile)}
	}
	if err != nil {
		return nil, err
	}
	return &Engine{wasm, script, file}, nil
}

// enginePackage is what becomes the engine.
const enginePackage = "retrystorm/cmd/retrystorm/internal/site/wasm"

// checkout is a folder of the source of this program: the one we are in, or the one
// that it was built from.
func checkout() (string, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return "", errors.New("there is no Go")
	}
	dirs := []string{"."}
	// With -trimpath this is no place on any machine.
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		dirs = append(dirs, filepath.Dir(file))
	}
	for _, dir := range dirs {
		// go list would look for the package on the network, too.
		if module, err := inFolder(dir, "go", "list", "-m"); err == nil && strings.TrimSpace(module) == "retrystorm" {
			return dir, nil
		}
	}
	return "", errors.New("this is no checkout of its source")
}

// BuildEngine builds the engine from the source in dir. The same source and version
// of Go give the same bytes, those of a release.
func BuildEngine(dir string) (*Engine, error) {
	work, err := os.MkdirTemp("", "retrystorm-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	file := filepath.Join(work, wasmFile)
	if _, err := inFolder(dir, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid=", "-o", file, enginePackage); err != nil {
		return nil, fmt.Errorf("the engine for browsers cannot be built: %w", err)
	}
	root, err := inFolder(dir, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	script, err := os.ReadFile(filepath.Join(strings.TrimSpace(root), "lib", "wasm", execFile))
	if err != nil {
		return nil, fmt.Errorf("this Go has no %s: %w", execFile, err)
	}
	if err := os.WriteFile(filepath.Join(work, execFile), script, 0o666); err != nil {
		return nil, err
	}
	e, err := ReadEngine(file)
	if err == nil {
		e.From = "the source, with Go"
	}
	return e, err
}

// inFolder runs a command for the engine's kind of machine and gives what it prints;
// an error has what it complains about.
func inFolder(dir string, words ...string) (string, error) {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = dir
	// Nothing of this machine's settings may reach the engine: see .ci/release.
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOEXPERIMENT=", "GOWASM=", "GOWORK=off", "GOFIPS140=off")
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(words[:2], " "), err, strings.TrimSpace(complaint.String()))
	}
	return out.String(), nil
}
