package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"retrystorm/cmd/retrystorm/internal/command"
	"retrystorm/experiment"
	"retrystorm/scenarios"
)

// changes are the flags that change a scenario. All of them become path =
// value, which is the only way a scenario is changed.
type changes struct {
	seed, replications int64 // -1: as the scenario says
	set, sweep         []string
	variants           []string
}

func (c *changes) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Int64Var(&c.seed, "seed", -1, "`number` all randomness derives from")
	f.Int64Var(&c.replications, "replications", -1, "`number` of independent runs of each point")
	f.StringArrayVar(&c.set, "set", nil, "change one value, as in `path=value`; may be repeated")
	f.StringArrayVar(&c.sweep, "sweep", nil, "values of one axis, as in `path=values`: 1,2,5 or 10..50 step 10; may be repeated")
	f.StringSliceVar(&c.variants, "variants", nil, "run only these variants, as in `a,b`")
	for _, name := range []string{"seed", "replications"} {
		f.Lookup(name).DefValue = "0" // not shown: the scenario has its own
	}
}

// check finds what is wrong with the flags whatever the scenario.
func (c *changes) check(cmd *cobra.Command) error {
	for _, n := range []struct {
		flag  string
		value int64
		least int64
	}{{"seed", c.seed, 0}, {"replications", c.replications, 1}} {
		if !cmd.Flags().Changed(n.flag) {
			continue
		}
		if n.value < n.least {
			return usagef("--%s %d: it must be %d or more", n.flag, n.value, n.least)
		}
		if slices.ContainsFunc(c.set, func(s string) bool { return strings.HasPrefix(s, n.flag+"=") }) {
			return usagef("--%s and --set %s= say the same thing; one of them is enough", n.flag, n.flag)
		}
	}
	if cmd.Flags().Changed("variants") && (len(c.variants) == 0 || slices.Contains(c.variants, "")) {
		return usagef("--variants: a name is missing; write --variants a,b")
	}
	seen := map[string]bool{}
	for _, s := range c.sweep {
		path, values, ok := strings.Cut(s, "=")
		switch {
		case !ok || path == "" || strings.TrimSpace(values) == "":
			return usagef("--sweep %s: write --sweep PATH=VALUES", s)
		case seen[path]:
			return usagef("--sweep %s: given twice; write all values in one", path)
		}
		seen[path] = true
	}
	return nil
}

// prepared is a scenario with its changes applied, ready to run.
type prepared struct {
	file       *scenarios.File
	notes      scenarios.Problems
	experiment *experiment.Experiment
	dropped    []string // expectations about parts that are left out
	sets       []string // all changes, as path=value
}

// prepare loads a scenario and gets its experiment ready.
func (c *changes) prepare(src source) (*prepared, error) {
	file, sets, err := c.load(src)
	if err != nil {
		return nil, err
	}
	p := prepared{file: file, notes: c.worthNoting(file.Notes), sets: sets}
	if p.experiment, err = experiment.New(p.file); err == nil {
		return &p, nil
	}
	kept, dropped := c.expectations(p.file, problemsOf(err))
	if len(dropped) == 0 {
		return nil, &exitError{exitUsage, err}
	}
	p.dropped = dropped
	if p.file, p.sets, err = c.load(src, "expect="+kept); err != nil {
		return nil, err
	}
	if p.experiment, err = experiment.New(p.file); err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return &p, nil
}

// worthNoting leaves out notes about variants that were left out on purpose.
func (c *changes) worthNoting(notes scenarios.Problems) scenarios.Problems {
	return slices.DeleteFunc(slices.Clone(notes), func(p scenarios.Problem) bool { return p.File == "--variants" })
}

// load reads a scenario with the changes applied, and more of the same kind.
func (c *changes) load(src source, more ...string) (file *scenarios.File, sets []string, err error) {
	sets = slices.Clone(c.set)
	flags := map[string]string{} // what messages call an override: --seed
	add := func(flag, path, value string) {
		sets = append(sets, path+"="+value)
		flags[fmt.Sprintf("--set %d", len(sets))] = flag
	}
	if c.seed >= 0 {
		add("--seed", "seed", fmt.Sprint(c.seed))
	}
	if c.replications >= 0 {
		add("--replications", "replications", fmt.Sprint(c.replications))
	}
	if c.narrows() {
		variants, sweep, reference, err := c.narrowed(src)
		if err != nil {
			return nil, nil, err
		}
		if variants != "" {
			add("--variants", "variants", variants)
		}
		if sweep != "" {
			add("--sweep", "sweep", sweep)
		}
		if reference != "" && bytes.Contains(src.text, []byte("compare_to:")) {
			add("--variants", "compare_to", reference)
		}
	}
	sets = append(sets, more...)
	file, err = scenarios.Load(src.name, src.text, src.dir, sets)
	name := func(problems scenarios.Problems) {
		for i, p := range problems {
			if flag, ok := flags[p.File]; ok {
				problems[i].File = flag
			}
		}
	}
	if err != nil {
		name(problemsOf(err))
		return nil, nil, &exitError{exitUsage, err}
	}
	name(file.Notes)
	return file, sets, nil
}

// words are the flags again, for another machine.
func (c *changes) words() []string {
	var out []string
	if c.seed >= 0 {
		out = append(out, "--seed", fmt.Sprint(c.seed))
	}
	if c.replications >= 0 {
		out = append(out, "--replications", fmt.Sprint(c.replications))
	}
	for _, s := range c.set {
		out = append(out, "--set", s)
	}
	for _, s := range c.sweep {
		out = append(out, "--sweep", s)
	}
	if len(c.variants) > 0 {
		out = append(out, "--variants", strings.Join(c.variants, ","))
	}
	return out
}

// command is the canonical command that makes the result of a scenario.
func (c *changes) command(s *scenarios.Scenario, text []byte) string {
	return command.Of(s, text, command.Changes{Set: c.set, Sweep: c.sweep, Variants: c.variants})
}
