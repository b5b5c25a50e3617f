package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"retrystorm/cmd/retrystorm/internal/findings"
	"retrystorm/experiment"
)

func (a *app) reproduceCommand() *cobra.Command {
	var out string
	var jobs int
	var quiet bool
	cmd := &cobra.Command{
		Use:   "reproduce [NAME...] [-o DIR]",
		Short: "Reproduce published findings, each with a verdict",
		Long: `Run the built-in scenarios that stand for published findings about retries, hold
every claim against the numbers, and write tables, pictures and FINDINGS.md, a
verdict for each claim. Files that an earlier run made, and no others, are
replaced, when everything has run. The exit code does not depend on verdicts.

Findings: ` + strings.Join(findings.Names(), ", ") + ".",
		Example: `  retrystorm reproduce
  retrystorm reproduce nested-layers -o somewhere`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return findings.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(checkJobs(jobs), named(cmd, out)); err != nil {
				return err
			}
			return a.reproduce(args, out, jobs, quiet)
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "results", "write to `DIR`")
	cmd.Flags().IntVar(&jobs, "jobs", 0, "`number` of processor cores to use (default: all)")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "no progress")
	return cmd
}

func (a *app) reproduce(names []string, out string, jobs int, quiet bool) error {
	interrupted, release := watch()
	defer release()
	var p *progress
	var current string
	err := findings.Reproduce(out, names, findings.Options{
		Jobs: jobs,
		Stop: interrupted.stop,
		Progress: func(scenario string, done, total int) {
			if scenario != current {
				p.end()
				current, p = scenario, a.newProgress(scenario, quiet)
			}
			p.at(done, total)
		},
	})
	p.end()
	var unknown *findings.UnknownError
	switch {
	case interrupted.happened() || errors.Is(err, experiment.ErrInterrupted):
		return interrupted.error("nothing was written")
	case errors.As(err, &unknown):
		return &exitError{exitUsage, err}
	case err != nil:
		return err
	}
	if !quiet {
		a.notef("%s: written, the verdicts are in FINDINGS.md", out)
	}
	return nil
}
