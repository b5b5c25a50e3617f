package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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

// load reads a scenario with the changes applied.
func (c *changes) load(src source) (*scenarios.File, error) {
	sets := slices.Clone(c.set)
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
	if len(c.variants)+len(c.sweep) > 0 {
		// What is narrowed must be known first.
		file, err := scenarios.Load(src.name, src.text, src.dir, nil)
		if err != nil {
			return nil, &exitError{exitUsage, err}
		}
		long := string(file.Long())
		if len(c.variants) > 0 {
			kept, err := c.chosen(section(long, "variants"))
			if err != nil {
				return nil, err
			}
			add("--variants", "variants", kept)
		}
		if len(c.sweep) > 0 {
			add("--sweep", "sweep", c.axes(section(long, "sweep")))
		}
	}
	file, err := scenarios.Load(src.name, src.text, src.dir, sets)
	var problems scenarios.Problems
	if errors.As(err, &problems) {
		for i, p := range problems {
			if flag, ok := flags[p.File]; ok {
				problems[i].File = flag
			}
		}
	}
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return file, nil
}

// entry is one named entry of a section, as text.
type entry struct{ name, text string }

// section lists the entries of a top-level map in a scenario's long form,
// which indents them by two blanks and what belongs to them by more.
func section(long, name string) []entry {
	_, rest, ok := strings.Cut("\n"+long, "\n"+name+":\n")
	if !ok {
		return nil
	}
	var out []entry
	for line := range strings.Lines(rest) {
		switch {
		case !strings.HasPrefix(line, "  "):
			return out
		case line[2] != ' ':
			key, _, _ := strings.Cut(line[2:], ":")
			out = append(out, entry{strings.Trim(key, `"`), line})
		default:
			out[len(out)-1].text += line
		}
	}
	return out
}

// chosen is the section with only the variants that were asked for.
func (c *changes) chosen(all []entry) (string, error) {
	var names []string
	for _, e := range all {
		names = append(names, e.name)
	}
	if len(names) == 0 {
		names = []string{"base"}
		all = []entry{{"base", "  base: {}\n"}}
	}
	for _, name := range c.variants {
		if !slices.Contains(names, name) {
			return "", usagef("--variants: there is no variant %s; there is %s", name, strings.Join(names, ", "))
		}
	}
	var b strings.Builder
	for _, e := range all {
		if slices.Contains(c.variants, e.name) {
			b.WriteString(e.text)
		}
	}
	return b.String(), nil
}

// axes is the section with the axes of the command line replaced or added.
func (c *changes) axes(all []entry) string {
	for _, s := range c.sweep {
		path, values, _ := strings.Cut(s, "=")
		e := entry{path, "  " + path + ": " + listed(values) + "\n"}
		if i := slices.IndexFunc(all, func(old entry) bool { return old.name == path }); i >= 0 {
			all[i] = e
		} else {
			all = append(all, e)
		}
	}
	var b strings.Builder
	for _, e := range all {
		b.WriteString(e.text)
	}
	return b.String()
}

// listed makes a YAML list of 1,2,5 and of 1, and leaves ranges and lists
// alone.
func listed(values string) string {
	if strings.Contains(values, "..") || strings.ContainsAny(values, "[{") {
		return values
	}
	return "[" + values + "]"
}

// command is the canonical command that makes the result of a scenario.
func (c *changes) command(s *scenarios.Scenario) string {
	words := []string{"retrystorm", "run", s.Name, "--seed", fmt.Sprint(s.Seed), "--replications", fmt.Sprint(s.Replications)}
	add := func(flag string, values []string) {
		for _, v := range slices.Sorted(slices.Values(values)) {
			words = append(words, flag, quoted(v))
		}
	}
	add("--set", slices.DeleteFunc(slices.Clone(c.set), func(s string) bool {
		return strings.HasPrefix(s, "seed=") || strings.HasPrefix(s, "replications=")
	}))
	add("--sweep", c.sweep)
	if len(c.variants) > 0 {
		add("--variants", []string{strings.Join(slices.Sorted(slices.Values(c.variants)), ",")})
	}
	return strings.Join(words, " ")
}

// quoted protects a word from the shell where it needs that.
func quoted(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.,:/=%+@", r)
	}
	if strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
