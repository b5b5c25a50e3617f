// Package command writes the canonical command that makes a result: the same for
// the same result, whatever the order in which somebody wrote the flags, and
// wherever it was made.
package command

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"retrystorm/scenarios"
)

// Changes are the flags that change a scenario, beside its seed and replications.
type Changes struct {
	Set, Sweep, Variants []string
}

// Of is the canonical command of a scenario, whose text is given, that was changed so.
func Of(s *scenarios.Scenario, text []byte, c Changes) string {
	words := []string{"retrystorm", "run", argument(s.Name, text), "--seed", fmt.Sprint(s.Seed)}
	fixed := s.Replications.Until == nil
	if fixed {
		words = append(words, "--replications", fmt.Sprint(s.Replications.Count))
	}
	add := func(flag string, values []string) {
		for _, v := range slices.Sorted(slices.Values(values)) {
			words = append(words, flag, quoted(v))
		}
	}
	add("--set", slices.DeleteFunc(slices.Clone(c.Set), func(s string) bool {
		return strings.HasPrefix(s, "seed=") || fixed && strings.HasPrefix(s, "replications=")
	}))
	add("--sweep", c.Sweep)
	if len(c.Variants) > 0 {
		add("--variants", []string{strings.Join(slices.Sorted(slices.Values(c.Variants)), ",")})
	}
	return strings.Join(words, " ")
}

// argument is what to run: the name of a built-in scenario, but only with its own
// text, else the file that somebody would save it as.
func argument(name string, text []byte) string {
	if b, ok := scenarios.Builtin(name); ok && bytes.Equal(b.Source, text) {
		return name
	}
	return name + ".yaml"
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
