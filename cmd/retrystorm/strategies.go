package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"retrystorm/report/text"
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
		Long: `List the backoff strategies with their formulas, defaults and the first waits
(shortest, mean, longest) they have with them, and then the presets: what
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
	rows := [][]string{{"strategy", "wait before retry k, and defaults"}}
	for _, e := range all {
		rows = append(rows, []string{e.Name, e.Formula}, []string{"", defaults(e)})
	}
	if err := text.Table(a.stdout, a.proseWidth(), "", rows); err != nil {
		return err
	}
	a.printf("\nThe first waits with these defaults:\n\n")
	shown := shownWaits
	table := waitTable(all, shown)
	for shown > 1 && widest(table) > a.proseWidth() {
		shown--
		table = waitTable(all, shown)
	}
	if _, err := a.stdout.WriteString(table); err != nil {
		return err
	}
	return a.listPresets()
}

// waitTable has the first n waits of all strategies.
func waitTable(all []strategies.Entry, n int) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "retry\t")
	for k := range n {
		fmt.Fprintf(w, "\t%d", k+1)
	}
	fmt.Fprintln(w)
	for _, e := range all {
		waits := e.Default.Compile()
		if waits.Min(1) == waits.Max(1) {
			printWaits(w, n, e.Name, "always", waits.Min)
			continue
		}
		printWaits(w, n, e.Name, "shortest", waits.Min)
		printWaits(w, n, "", "mean", waits.Mean)
		printWaits(w, n, "", "longest", waits.Max)
	}
	_ = w.Flush() // a builder does not fail
	return out.String()
}

// widest is the length of the longest line.
func widest(table string) int {
	n := 0
	for line := range strings.Lines(table) {
		n = max(n, len(strings.TrimRight(line, "\n")))
	}
	return n
}

// printWaits prints one line of the first n waits.
func printWaits(w io.Writer, n int, name, which string, wait func(int64) time.Duration) {
	fmt.Fprintf(w, "%s\t%s", name, which)
	for k := range int64(n) {
		fmt.Fprintf(w, "\t%v", brief(wait(k+1)))
	}
	fmt.Fprintln(w)
}

func defaults(e strategies.Entry) string {
	if len(e.Fields) > manyFields {
		return fmt.Sprintf("%d fields: retrystorm strategies %s", len(e.Fields), e.Name)
	}
	var parts []string
	for _, f := range e.Fields {
		if f.Default == "" {
			parts = append(parts, f.Name+" must be given")
			continue
		}
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
	width := a.proseWidth()
	a.printf("%s\n\n%s\n", text.Wrap(e.Name+": "+e.Description, width, ""), text.Wrap("  wait before retry k = "+e.Formula, width, "    "))
	if e.Note != "" {
		a.printf("\n%s\n", text.Wrap(e.Note, width, ""))
	}
	if len(e.Fields) > 0 {
		rows := [][]string{{"field", "default", "meaning"}}
		for _, f := range e.Fields {
			rows = append(rows, []string{f.Name, f.Default, f.Meaning})
		}
		a.printf("\n")
		if err := text.Table(a.stdout, width, "", rows); err != nil {
			return err
		}
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
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
