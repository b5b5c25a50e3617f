package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"retrystorm/experiment"
	"retrystorm/report"
)

// gates are the flags about expectations, and how CI is told what became of
// them.
type gates struct {
	baseline, junit string
	strict          bool
}

func (g *gates) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&g.baseline, "baseline", "", "judge expectations about the baseline by the result in `DIR`")
	f.BoolVar(&g.strict, "strict", false, "exit with 5 when an expectation is undecided")
	f.StringVar(&g.junit, "junit", "", "write what became of the expectations to `FILE`, as JUnit XML")
}

// any reports whether somebody gates on the outcome.
func (g *gates) any() bool { return g.baseline != "" || g.junit != "" || g.strict }

// refuse finds expectations that would not be judged: they are about what was
// left out, or need a baseline. A gate does not pass without being judged.
func (g *gates) refuse(name string, dropped []string, e *experiment.Experiment) error {
	const rule = "a gate does not pass without being judged"
	if len(dropped) > 0 && g.any() {
		return usagef("%s: %s is about what --variants or --sweep leave out: "+rule, name, dropped[0])
	}
	if need := e.NeedsBaseline(); need != "" && g.strict && g.baseline == "" {
		return usagef("%s: %s needs --baseline DIR: "+rule, name, need)
	}
	return nil
}

// named refuses empty names, which in a script are variables without a value.
func (g *gates) named(cmd *cobra.Command) error {
	for _, name := range []string{"baseline", "junit"} {
		if f := cmd.Flags().Lookup(name); f.Changed && f.Value.String() == "" {
			return usagef("--%s: the name is empty", name)
		}
	}
	return nil
}

// check finds what is wrong with the flags before anything runs. Inputs are
// files that are read.
func (g *gates) check(cmd *cobra.Command, inputs ...string) error {
	if err := g.named(cmd); err != nil || g.junit == "" {
		return err
	}
	dir := filepath.Dir(g.junit)
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return usagef("--junit %s: there is no folder %s", g.junit, dir)
	}
	if st, err := os.Stat(g.junit); err == nil && st.IsDir() {
		return usagef("--junit %s: it is a folder", g.junit)
	}
	if slices.Contains(inputs, g.junit) || !mayReplace(g.junit) {
		return usagef("--junit %s: the file is there already and is no XML", g.junit)
	}
	return nil
}

// mayReplace reports whether a file is not there, empty, or what JUnit files look
// like, or whether it is no file in the first place.
func mayReplace(path string) bool {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() || st.Size() == 0 {
		return true
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	first := make([]byte, 1)
	_, err = f.Read(first)
	return err == nil && first[0] == '<'
}

// compare gives each experiment its baseline: the result in the folder, or of
// several scenarios the one in the folder of its name.
func (g *gates) compare(jobs []*job) error {
	if g.baseline == "" {
		return nil
	}
	for _, j := range jobs {
		dir := g.baseline
		if len(jobs) > 1 {
			dir = filepath.Join(dir, j.name)
		}
		if err := setBaseline(j.experiment, dir); err != nil {
			return err
		}
	}
	return nil
}

func setBaseline(e *experiment.Experiment, dir string) error {
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return usagef("--baseline: there is no folder %s", dir)
	}
	if err := report.Recover(dir); err != nil { // of a commit that was interrupted
		return usagef("--baseline %s: %w", dir, err)
	}
	r, err := report.ReadBaseline(os.DirFS(dir))
	if err == nil {
		err = e.SetBaseline(r)
	}
	if err != nil {
		return usagef("--baseline %s: %w", dir, err)
	}
	return nil
}

// verdict is the error of a result whose expectations do not hold, or which
// under --strict are undecided.
func (g *gates) verdict(r *experiment.Result) error {
	failed, unclear := 0, 0
	for _, j := range r.Expectations {
		switch j.Ruling {
		case experiment.Fail:
			failed++
		case experiment.Unclear:
			unclear++
		}
	}
	switch {
	case failed > 0:
		return &exitError{exitExpect, errors.New(report.NotHeld(failed, len(r.Expectations)))}
	case unclear > 0 && g.strict:
		return &exitError{exitUndecided, errors.New(report.NotDecided(r))}
	}
	return nil
}

// onGitHub reports whether this is a job of GitHub Actions.
func (a *app) onGitHub() bool { return a.getenv("GITHUB_ACTIONS") == "true" }

// annotate tells GitHub which lines of the scenario do not hold.
func (a *app) annotate(r *experiment.Result, file string, g *gates) error {
	if !a.onGitHub() {
		return nil
	}
	return report.Annotations(a.stderr, inRepository(file, a.getenv("GITHUB_WORKSPACE")), r, g.strict)
}

// inRepository is a file as seen from the root of the repository, which is what
// annotations are about.
func inRepository(file, root string) string {
	if file == "" || root == "" {
		return file
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	rel, err := filepath.Rel(root, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return file
	}
	return filepath.ToSlash(rel)
}

// tellCI writes the files that CI reads.
func (a *app) tellCI(results []*experiment.Result, g *gates) error {
	if g.junit != "" {
		err := report.WriteFile(g.junit, func(w io.Writer) error { return report.JUnit(w, results, g.strict) })
		if err != nil {
			return fmt.Errorf("--junit %s: %w", g.junit, reason(err))
		}
	}
	summary := a.getenv("GITHUB_STEP_SUMMARY")
	if !a.onGitHub() || summary == "" || len(results) == 0 {
		return nil
	}
	var b bytes.Buffer
	if err := report.JobSummary(&b, results); err != nil {
		return err
	}
	f, err := os.OpenFile(summary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("the job summary: %w", err)
	}
	_, err = f.Write(b.Bytes())
	return errors.Join(err, f.Close())
}
