package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"retrystorm/report/text"
	"retrystorm/scenarios"
)

func (a *app) validateCommand() *cobra.Command {
	var c changes
	cmd := &cobra.Command{
		Use:   "validate SCENARIO...",
		Short: "Check scenarios without running them",
		Long: `Check scenarios without running them. Every problem is listed with its place,
all at once; the exit code is then 2. Of a scenario that is right it prints what
would be run, each retry policy as it stands after merging, and notes about
what is allowed but looks like a mistake.`,
		Example: `  retrystorm validate recovering-server
  retrystorm validate nested-layers aws-occ
  retrystorm validate recovering-server --set policies.app.backoff.cap=5s`,
		Args:              between(1, -1, "a SCENARIO"),
		ValidArgsFunction: completeScenarios,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.check(cmd); err != nil {
				return err
			}
			sources, err := a.openAll(args)
			if err != nil {
				return err
			}
			return a.validate(sources, &c)
		},
	}
	c.flags(cmd)
	return cmd
}

// validate looks at all scenarios before it fails.
func (a *app) validate(sources []source, c *changes) error {
	var wrong scenarios.Problems
	for _, src := range sources {
		p, err := c.prepare(src)
		if problems := problemsOf(err); problems != nil {
			wrong = append(wrong, problems...)
			continue
		}
		if err != nil {
			return err
		}
		if err := a.describe(src, p); err != nil {
			return err
		}
	}
	if len(wrong) > 0 {
		return &exitError{exitUsage, wrong}
	}
	return nil
}

func (a *app) describe(src source, p *prepared) error {
	file, s := p.file, p.file.Scenario
	each := counted(s.Replications.Most(), "replication")
	if s.Replications.Until != nil {
		each = "up to " + each
	}
	points := counted(int64(file.Points()), "point")
	if b := file.Bisect(); b != nil {
		points = counted(int64(file.Cells()), "bisection") + " of " + b.Axis
	}
	a.printf("%s: ok: %s, %s, %s each\n", src.name, s.Name, points, each)
	for _, line := range policyLines(file) {
		a.printf("  %s\n", line)
	}
	for _, note := range p.notes {
		a.printf("%s\n", text.Wrap("  note: "+note.String(), a.width(), "    "))
	}
	return nil
}

func counted(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// policyLines are the policies of every variant, at the first value of each
// axis; those that are as in the first variant are not repeated.
func policyLines(file *scenarios.File) []string {
	var first []scenarios.PolicyText
	var out []string
	variants := file.Variants()
	for i, name := range variants {
		texts := file.PolicyTexts(i * (file.Points() / len(variants)))
		if i == 0 {
			first = texts
		}
		for _, p := range texts {
			if i > 0 && slices.Contains(first, p) {
				continue
			}
			title := p.Path
			if len(variants) > 1 {
				title = "variant " + name + ", " + title
			}
			out = append(out, title+":")
			for line := range strings.Lines(p.Text) {
				out = append(out, "  "+strings.TrimRight(line, "\n"))
			}
		}
	}
	return out
}
