package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"retrystorm/cmd/retrystorm/internal/lint"
	"retrystorm/scenarios"
)

func (a *app) lintCommand() *cobra.Command {
	c := changes{seed: -1, replications: -1}
	format := formatFlag{"table", []string{"table", "json"}}
	strict := false
	cmd := &cobra.Command{
		Use:   "lint SCENARIO... [--strict]",
		Short: "Find mistakes by arithmetic, without running",
		Long: `Find mistakes by arithmetic, without running: how many calls one request can
become along the path, attempts that cannot fit the time there is, timeouts that
do not fit each other, budgets and breakers that never act, retries without
jitter, loads that retries alone keep up, settings that do nothing.

What is multiplied and waited for is only what can happen: the outcomes that the
faults, queues and limits of a service have, or timeouts where something can
take so long, as far as the policy retries them. Where nothing makes a service
fail, the table of calls supposes that something did, and says so.

All variants and all points of a sweep are looked at. Each finding has its
place, a severity (problem or note), what would be better, the points that have
it if not all do, and the name of the check in brackets:

  amplification    deadline       timeout        no-timeout    budget-floor
  budget-idle      budget-burst   breaker        breaker-scope hedge
  jitter           retry-after    load           idempotency   library-defect
  no-effect        scenario (other notes of validate)

The exit code is 0, or with --strict 3 if there is a problem.`,
		Example: `  retrystorm lint nested-layers
  retrystorm lint recovering-server one-pause
  retrystorm lint breaker-order --strict
  retrystorm lint aws-occ --format json
  retrystorm lint nested-layers --variants four-attempts --set policies.layer.max_attempts=3`,
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
			return a.lint(sources, &c, format.value, strict)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&c.set, "set", nil, "change one value, as in `path=value`; may be repeated")
	f.StringSliceVar(&c.variants, "variants", nil, "look only at these variants, as in `a,b`")
	f.BoolVar(&strict, "strict", false, "exit with 3 if there is a problem")
	format.add(cmd)
	return cmd
}

// lint looks at all scenarios before it fails.
func (a *app) lint(sources []source, c *changes, format string, strict bool) error {
	var wrong scenarios.Problems
	var results []*lint.Result
	for _, src := range sources {
		p, err := c.prepare(src)
		if problems := problemsOf(err); problems != nil {
			wrong = append(wrong, problems...)
			continue
		}
		if err != nil {
			return err
		}
		r, err := lint.File(src.name, p.file)
		if err != nil {
			return err
		}
		c.nameFlags(r)
		results = append(results, r)
	}
	if err := a.printLint(results, format); err != nil {
		return err
	}
	problems := 0
	for _, r := range results {
		problems += r.Problems()
	}
	switch {
	case len(wrong) > 0:
		return &exitError{exitUsage, wrong}
	case strict && problems > 0:
		return &exitError{exitExpect, nil}
	}
	return nil
}

// nameFlags calls a place on the command line as it was written there:
// --variants is the last override that load makes.
func (c *changes) nameFlags(r *lint.Result) {
	if len(c.variants) == 0 {
		return
	}
	last := fmt.Sprintf("--set %d", len(c.set)+1)
	for i := range r.Findings {
		if at := &r.Findings[i].Place; at.File == last {
			at.File = "--variants"
		}
	}
}

func (a *app) printLint(results []*lint.Result, format string) error {
	if format == "json" {
		out := []lint.JSON{}
		for _, r := range results {
			out = append(out, r.JSON())
		}
		return a.printJSON(out)
	}
	for i, r := range results {
		if i > 0 {
			a.printf("\n")
		}
		if err := r.Text(a.stdout, a.width()); err != nil {
			return err
		}
	}
	return nil
}
