package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"retrystorm/scenarios"
)

// source is a scenario as it was named on the command line.
type source struct {
	name string // for messages
	text []byte
	dir  fs.FS // where its data files are; nil: nowhere
	ours bool  // built in
}

// maxSource is more than scenarios.Load accepts, so that it, not we, refuses
// what is too long.
const maxSource = 2 << 20

// open finds a scenario: standard input, a file, or a built-in one.
func (a *app) open(arg string) (source, error) {
	if arg == "" {
		return source{}, usagef("the name of a scenario is empty")
	}
	if arg == "-" {
		text, err := io.ReadAll(io.LimitReader(a.stdin, maxSource))
		if err != nil {
			return source{}, usagef("standard input cannot be read: %w", reason(err))
		}
		return source{"stdin", text, folder("."), false}, nil
	}
	file, err := os.Open(arg)
	if errors.Is(err, fs.ErrNotExist) {
		return builtin(arg)
	}
	if err != nil {
		return source{}, usagef("%s cannot be read: %w", arg, reason(err))
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSource))
	if err != nil {
		return source{}, usagef("%s cannot be read: %w", arg, reason(err))
	}
	return source{arg, text, folder(filepath.Dir(arg)), false}, nil
}

// folder is where a scenario's data files are; links do not lead out of it.
func folder(dir string) fs.FS {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil // naming a data file is an error then
	}
	return root.FS()
}

// builtin finds a built-in scenario.
func builtin(name string) (source, error) {
	if b, ok := scenarios.Builtin(name); ok {
		return source{name: b.Name, text: []byte(b.Source), ours: true}, nil
	}
	if strings.ContainsAny(name, "./\\") {
		return source{}, usagef("there is no file %s", name)
	}
	hint := didYouMean(name, builtinNames())
	if hint == "" {
		hint = "; retrystorm list names the built-in ones"
	}
	return source{}, usagef("there is no file and no built-in scenario %s%s", name, hint)
}

func builtinNames() []string {
	var names []string
	for _, b := range scenarios.Builtins() {
		names = append(names, b.Name)
	}
	return names
}

// reason leaves the path out of an error that names it already.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// completeScenarios offers files and the built-in scenarios to a shell.
func completeScenarios(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return describedBuiltins(), cobra.ShellCompDirectiveDefault
}

// completeBuiltin offers one built-in scenario.
func completeBuiltin(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return describedBuiltins(), cobra.ShellCompDirectiveNoFileComp
}

func describedBuiltins() []string {
	var out []string
	for _, b := range scenarios.Builtins() {
		out = append(out, cobra.CompletionWithDesc(b.Name, b.Title))
	}
	return out
}

// openAll opens scenarios; standard input can be read only once.
func (a *app) openAll(args []string) ([]source, error) {
	var out []source
	stdin := 0
	for _, arg := range args {
		if arg == "-" {
			stdin++
		}
		if stdin > 1 {
			return nil, usagef("- is given twice, but standard input can be read only once")
		}
		src, err := a.open(arg)
		if err != nil {
			return nil, err
		}
		out = append(out, src)
	}
	return out, nil
}

// problemsOf are the problems of a scenario that an error consists of, if it
// does.
func problemsOf(err error) scenarios.Problems {
	var problems scenarios.Problems
	errors.As(err, &problems)
	return problems
}
