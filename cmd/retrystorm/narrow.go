package main

import (
	"encoding/json"
	"slices"
	"strings"

	"retrystorm/experiment"
	"retrystorm/scenarios"
)

// --variants and --sweep replace the sections of these names by ones made of
// what is in the file and what is on the command line. So what is run is a
// scenario like any other, and scenario.yaml and its hash say what it was.

func (c *changes) narrows() bool { return len(c.variants)+len(c.sweep) > 0 }

// narrowed makes the sections; "" is one that stays as it is. The scenario must
// be right as a whole.
func (c *changes) narrowed(src source) (variants, sweep, reference string, err error) {
	file, err := scenarios.Load(src.name, src.text, src.dir, nil)
	if err == nil {
		_, err = experiment.New(file)
	}
	if err != nil {
		return "", "", "", &exitError{exitUsage, err}
	}
	long := string(file.Long())
	if len(c.variants) > 0 {
		if variants, err = c.chosen(section(long, "variants")); err != nil {
			return "", "", "", err
		}
		if !slices.Contains(c.variants, file.Reference()) {
			reference = c.first(file.Variants())
		}
	}
	if len(c.sweep) > 0 {
		sweep = c.axes(section(long, "sweep"))
	}
	return variants, sweep, reference, nil
}

// first is the first of all variants that stays.
func (c *changes) first(all []string) string {
	for _, v := range all {
		if slices.Contains(c.variants, v) {
			return v
		}
	}
	return ""
}

// expectations tells those that can be judged from those that are about parts
// that are left out; nothing else can be wrong with those of the file, which was
// right as a whole. It gives up if there are other problems.
func (c *changes) expectations(file *scenarios.File, problems scenarios.Problems) (kept string, dropped []string) {
	if !c.narrows() {
		return "", nil
	}
	for _, p := range problems {
		if !strings.HasPrefix(p.Path, "expect[") || strings.HasPrefix(p.File, "--") {
			return "", nil
		}
		dropped = append(dropped, p.Value)
	}
	left := []string{}
	for _, e := range file.Expect {
		if !slices.Contains(dropped, e.Text) {
			left = append(left, e.Text)
		}
	}
	list, err := json.Marshal(left) // YAML reads it
	if err != nil {
		panic(err) // strings only
	}
	return string(list), dropped
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
