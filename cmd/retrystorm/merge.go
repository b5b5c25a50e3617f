package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/spf13/cobra"

	"retrystorm/experiment"
	"retrystorm/report"
	"retrystorm/scenarios"
)

func (a *app) mergeCommand() *cobra.Command {
	f := runFlags{format: resultFormats()}
	cmd := &cobra.Command{
		Use:   "merge DIR... -o DIR",
		Short: "Put the shards of a run together",
		Long: `Check that the shards of a run are all there and of one scenario and version,
put them together, judge the expectations and write the same folder, byte for
byte, that one machine would have written. A DIR is a shard, or a folder with
shards.

When shards are missing they are named, nothing is written and the exit code is
4.`,
		Example: `  retrystorm run aws-occ --replications 10 --shard 1/2 -o parts
  retrystorm run aws-occ --replications 10 --shard 2/2 -o parts
  retrystorm merge parts -o out`,
		Args: between(1, -1, "a DIR"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.out == "" {
				return usagef("-o DIR is missing: where is the result to go?")
			}
			if err := f.check(); err != nil {
				return err
			}
			if err := f.gates.check(cmd); err != nil {
				return err
			}
			return a.merge(args, &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "output", "o", "", "write the result to `DIR`")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no notes")
	flags.BoolVar(&f.force, "force", false, "replace the result in DIR")
	f.format.add(cmd)
	f.gates.flags(cmd)
	return cmd
}

func (a *app) merge(dirs []string, f *runFlags) error {
	shards, err := report.ReadShards(dirs)
	if err != nil {
		return shardError(err)
	}
	defer shards.Close()
	j, err := mergeJob(shards)
	if err != nil {
		return err
	}
	if err := f.gates.refuse(j.name, j.origin.Dropped, j.experiment); err != nil {
		return err
	}
	if err := f.gates.compare([]*job{j}); err != nil {
		return err
	}
	interrupted, release := watch()
	defer release()
	r, err := j.experiment.Run(experiment.Options{
		Jobs: runtime.GOMAXPROCS(0), Stop: interrupted.stop, Sealed: true, Store: &store{records: shards},
	})
	if err != nil {
		return shardError(err)
	}
	r.Command = j.command
	if err := openFolders([]*job{j}, f); err != nil {
		return err
	}
	defer closeFolders([]*job{j})
	if !j.complete {
		if err := j.folder.Commit(stoppable(r, interrupted)); err != nil {
			if interrupted.happened() {
				return interrupted.error("")
			}
			return err
		}
	}
	if !f.quiet {
		a.notef("%s: written", j.dir)
	}
	if err := a.printResult(r, f.format.value); err != nil {
		return err
	}
	if err := a.annotate(r, j.file, &f.gates); err != nil {
		return err
	}
	if err := a.tellCI([]*experiment.Result{r}, &f.gates); err != nil {
		return err
	}
	return f.gates.verdict(r)
}

// originKey begins the key of the record of a shard that says what it was made
// of; the shard follows, as keys of different shards differ.
const originKey = "origin:"

// origin is all that is needed to load a scenario again as it was run, with
// every value at its place in the file.
type origin struct {
	File    string            `json:"file"` // as named on the command line; "" for one that is built in
	Name    string            `json:"name"` // for messages
	Text    string            `json:"text"`
	Sets    []string          `json:"sets"`
	Data    map[string][]byte `json:"data"` // files that the scenario reads
	Command string            `json:"command"`
	Dropped []string          `json:"dropped"` // expectations about what was left out
}

// mergeJob is the scenario that shards were made of.
func mergeJob(shards records) (*job, error) {
	var o origin
	i := slices.IndexFunc(shards.Keys(), func(key string) bool { return strings.HasPrefix(key, originKey) })
	if i < 0 {
		return nil, usagef("the shards do not say which scenario they are of: run them again")
	}
	b, _ := shards.Load(shards.Keys()[i])
	if err := json.Unmarshal(b, &o); err != nil {
		return nil, usagef("the shards do not say which scenario they are of (%w): run them again", err)
	}
	data := fstest.MapFS{}
	for name, text := range o.Data {
		data[name] = &fstest.MapFile{Data: text}
	}
	file, err := scenarios.Load(o.Name, []byte(o.Text), data, o.Sets)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	e, err := experiment.New(file)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return &job{name: file.Scenario.Name, file: o.File, experiment: e, command: o.Command, origin: o}, nil
}

// shardError gives what is wrong with shards its exit code.
func shardError(err error) error {
	var lost *report.MissingError
	var point *experiment.MissingError
	var usage *report.UsageError
	switch {
	case errors.As(err, &lost):
		return &exitError{exitMissing, err}
	case errors.As(err, &point):
		return &exitError{exitMissing, fmt.Errorf("%w from the shards", err)}
	case errors.As(err, &usage), os.IsNotExist(err):
		return &exitError{exitUsage, err}
	}
	return err
}
