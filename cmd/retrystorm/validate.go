package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"retrystorm/scenarios"
	"retrystorm/strategies"
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
	a.printf("%s: ok: %s, %s, %s each\n", src.name, s.Name, counted(int64(file.Points()), "point"), counted(s.Replications, "replication"))
	for _, line := range policyLines(file) {
		a.printf("  %s\n", line)
	}
	for _, note := range p.notes {
		a.printf("  note: %s\n", note)
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
	var first, out []string
	variants := file.Variants()
	for i, name := range variants {
		s, err := file.Resolve(i * (file.Points() / len(variants)))
		if err != nil {
			continue // Load has resolved every point
		}
		lines := policies(s)
		if i == 0 {
			first = lines
		}
		for _, line := range lines {
			switch {
			case len(variants) == 1:
				out = append(out, "policy "+line)
			case i == 0 || !slices.Contains(first, line):
				out = append(out, "variant "+name+", policy "+line)
			}
		}
	}
	return out
}

// policies are the policies of a scenario, by name or place.
func policies(s *scenarios.Scenario) []string {
	var out []string
	add := func(where string, p strategies.Policy) { out = append(out, where+": "+policyText(p)) }
	inline := func(where string, ref *scenarios.PolicyRef) {
		if ref != nil && ref.Inline != nil {
			add(where+".policy", ref.Inline.Policy)
		}
	}
	for _, p := range s.Policies {
		add(p.Name, p.Policy)
	}
	caller := func(where string, policy *scenarios.PolicyRef, steps scenarios.Steps) {
		inline(where, policy)
		for _, step := range steps {
			name := step.Name
			if name == "" {
				name = step.To
			}
			inline(where+".calls."+name, step.Policy)
		}
	}
	caller("clients", s.Clients.Policy, s.Clients.Calls)
	for _, v := range s.Services {
		caller("services."+v.Name, v.Policy, v.Calls)
	}
	return out
}

// policyText is a policy as it would be written in a scenario.
func policyText(p strategies.Policy) string {
	parts := []string{
		"timeout " + optional(p.Timeout),
		"max_attempts " + count(p.MaxAttempts),
	}
	if p.MaxElapsed > 0 {
		parts = append(parts, "max_elapsed "+duration(p.MaxElapsed))
	}
	if p.MaxAttempts != 1 {
		parts = append(parts, "retry_on ["+strings.Join(p.RetryOn, ", ")+"]", "backoff "+backoffText(p.Backoff))
	}
	if p.LateAnswers != "" {
		parts = append(parts, "late_answers "+p.LateAnswers)
	}
	return strings.Join(parts, "; ")
}

func backoffText(b strategies.Backoff) string {
	parts := []string{b.Kind}
	for _, e := range strategies.Catalogue() {
		if e.Name != b.Kind {
			continue
		}
		for _, f := range e.Fields {
			parts = append(parts, f.Name, backoffField(b, f.Name))
		}
	}
	return strings.Join(parts, " ")
}

func backoffField(b strategies.Backoff, name string) string {
	switch name {
	case "base":
		return duration(b.Base)
	case "cap":
		return optional(b.Cap)
	case "spread":
		return duration(b.Spread)
	case "first_exponent":
		return fmt.Sprint(b.FirstExponent)
	case "factor":
		return fmt.Sprint(b.Factor)
	case "lo":
		return fmt.Sprint(b.Lo)
	case "hi":
		return fmt.Sprint(b.Hi)
	default:
		panic("no text for the field " + name + " of a backoff")
	}
}

func count(n int64) string {
	if n == strategies.Unlimited {
		return "unlimited"
	}
	return fmt.Sprint(n)
}

func optional(d time.Duration) string {
	if d == 0 {
		return "none"
	}
	return duration(d)
}

// duration is a duration as scenarios write it: 1m, not 1m0s.
func duration(d time.Duration) string {
	s := strings.Replace(d.String(), "µs", "us", 1)
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
