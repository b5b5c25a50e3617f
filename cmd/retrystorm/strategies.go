package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"retrystorm/scenarios"
	"retrystorm/strategies"
)

// manyFields do not fit into a line.
const manyFields = 10

// shownWaits is how many waits are listed.
const shownWaits = 10

func (a *app) strategiesCommand() *cobra.Command {
	format := formatFlag{"table", []string{"table", "json"}}
	cmd := &cobra.Command{
		Use:   "strategies [NAME] [--format table|json]",
		Short: "Explain backoff strategies and library presets",
		Long: `List the backoff strategies with their formulas, defaults and the first ten
waits (shortest, mean, longest) they have with them, and then the presets: what
libraries do by themselves. Or explain one.
In formulas k is the number of the retry, from 1.

A preset is used in a policy as library: NAME, with version: V for what an older
version did. delays samples its waits.`,
		Example: `  retrystorm strategies
  retrystorm strategies full-jitter
  retrystorm strategies botocore
  retrystorm strategies decorrelated-jitter --format json`,
		Args: between(0, 1, ""),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return policyNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listStrategies(format.value)
			}
			for _, e := range strategies.Catalogue() {
				if e.Name == args[0] {
					return a.explainStrategy(e, format.value)
				}
			}
			if p, ok := scenarios.FindPreset(args[0]); ok {
				return a.explainPreset(p, format.value)
			}
			return knownPolicy(args[0])
		},
	}
	format.add(cmd)
	return cmd
}

func strategyNames() []string {
	var names []string
	for _, e := range strategies.Catalogue() {
		names = append(names, e.Name)
	}
	return names
}

func (a *app) listStrategies(format string) error {
	all := strategies.Catalogue()
	if format == "json" {
		out := []any{}
		for _, e := range all {
			out = append(out, newStrategyJSON(e))
		}
		for _, p := range scenarios.Presets() {
			preset, err := newPresetJSON(p)
			if err != nil {
				return err
			}
			out = append(out, preset)
		}
		return a.printJSON(out)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "strategy\twait before retry k\tdefaults")
	for _, e := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\n", e.Name, e.Formula, defaults(e))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	a.printf("\nThe first waits with these defaults:\n\n")
	w = tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "retry\t")
	for k := range shownWaits {
		fmt.Fprintf(w, "\t%d", k+1)
	}
	fmt.Fprintln(w)
	for _, e := range all {
		waits := e.Default.Compile()
		if waits.Min(1) == waits.Max(1) {
			printWaits(w, e.Name, "always", waits.Min)
			continue
		}
		printWaits(w, e.Name, "shortest", waits.Min)
		printWaits(w, "", "mean", waits.Mean)
		printWaits(w, "", "longest", waits.Max)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return a.listPresets()
}

// printWaits prints one line of the first waits.
func printWaits(w io.Writer, name, which string, wait func(int64) time.Duration) {
	fmt.Fprintf(w, "%s\t%s", name, which)
	for k := int64(1); k <= shownWaits; k++ {
		fmt.Fprintf(w, "\t%v", brief(wait(k)))
	}
	fmt.Fprintln(w)
}

func defaults(e strategies.Entry) string {
	if len(e.Fields) > manyFields {
		return fmt.Sprintf("%d fields: retrystorm strategies %s", len(e.Fields), e.Name)
	}
	var parts []string
	for _, f := range e.Fields {
		parts = append(parts, f.Name+" "+f.Default)
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, ", ")
}

func (a *app) explainStrategy(e strategies.Entry, format string) error {
	if format == "json" {
		return a.printJSON(newStrategyJSON(e))
	}
	a.printf("%s: %s\n\n  wait before retry k = %s\n", e.Name, e.Description, e.Formula)
	if e.Note != "" {
		a.printf("\n%s\n", e.Note)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	if len(e.Fields) > 0 {
		fmt.Fprint(w, "\nfield\tdefault\tmeaning\n")
	}
	for _, f := range e.Fields {
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.Name, f.Default, f.Meaning)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	w = tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\nretry\tshortest\tmean\tlongest\t\n")
	waits := e.Default.Compile()
	for k := int64(1); k <= shownWaits; k++ {
		fmt.Fprintf(w, "%d\t%v\t%v\t%v\t\n", k, brief(waits.Min(k)), brief(waits.Mean(k)), brief(waits.Max(k)))
	}
	return w.Flush()
}

// brief rounds a duration to four digits or so.
func brief(d time.Duration) time.Duration {
	unit := time.Nanosecond
	for d/unit >= 10_000 {
		unit *= 10
	}
	return d.Round(unit)
}

type strategyJSON struct {
	Name        string              `json:"name"`
	Formula     string              `json:"formula"`
	Description string              `json:"description"`
	Note        string              `json:"note,omitempty"`
	Fields      []strategyFieldJSON `json:"fields"`
	Waits       []waitJSON          `json:"waits"`
}

type strategyFieldJSON struct {
	Name    string `json:"name"`
	Default string `json:"default"`
	Meaning string `json:"meaning"`
}

type waitJSON struct {
	Retry int64   `json:"retry"`
	Min   float64 `json:"min_s"`
	Mean  float64 `json:"mean_s"`
	Max   float64 `json:"max_s"`
}

func newStrategyJSON(e strategies.Entry) strategyJSON {
	out := strategyJSON{e.Name, e.Formula, e.Description, e.Note, []strategyFieldJSON{}, waitsJSON(e.Default)}
	for _, f := range e.Fields {
		out.Fields = append(out.Fields, strategyFieldJSON(f))
	}
	return out
}
