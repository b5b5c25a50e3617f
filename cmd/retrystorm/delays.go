package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"retrystorm/report"
	"retrystorm/scenarios"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

const (
	// shownDelays is how many retries are looked at.
	shownDelays = 8
	// maxSamples keeps all waits within 64 MB.
	maxSamples = 1_000_000
)

// delayFlags are the flags of delays.
type delayFlags struct {
	version, outcome string
	sets             []string
	samples          int
	seed             int64
	out              string
	format           formatFlag
}

func (a *app) delaysCommand() *cobra.Command {
	f := delayFlags{format: formatFlag{"table", []string{"table", "csv", "json", "png"}}}
	cmd := &cobra.Command{
		Use:   "delays NAME [--version V] [--set PARAM=VALUE]... [--outcome OUTCOME]",
		Short: "Sample the waits of a library or strategy",
		Long: `Sample the wait before each retry, as a library does it by itself or with other
parameters. NAME is a preset, one of its aliases, or a strategy: the strategies
command lists them, and explains the parameters of each. Whole sequences of
retries are drawn, so waits that depend on the one before do.

There are 8 rows, or fewer where the backoff itself ends. Quantiles are
nearest-rank. The same seed gives the same numbers.`,
		Example: `  retrystorm delays botocore
  retrystorm delays aws-sdk-go-v2 --version 1.41
  retrystorm delays aws-sdk-go-v2 --outcome 429 --set max-backoff=5s
  retrystorm delays full-jitter --set base=50ms --set cap=2s --format csv
  retrystorm delays polly-v8-exponential-jitter --format png -o polly.png`,
		Args: between(1, 1, "a NAME"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return policyNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd, a); err != nil {
				return err
			}
			return a.delays(args[0], &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.version, "version", "", "the library's `version` (default: the newest known)")
	flags.StringArrayVar(&f.sets, "set", nil, "set a parameter of the library, or any `PARAM=VALUE` of the policy such as backoff.cap=5s")
	flags.StringVar(&f.outcome, "outcome", "", "what the attempts end with, such as 429 or timeout: an `outcome`")
	flags.IntVar(&f.samples, "samples", 10_000, "`number` of sequences")
	flags.Int64Var(&f.seed, "seed", 1, "`seed` of the draws")
	flags.StringVarP(&f.out, "output", "o", "", "write to `FILE`")
	f.format.add(cmd)
	complete := func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var words []string
		if len(args) > 0 {
			words = parameterNames(args[0])
		}
		return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	if err := cmd.RegisterFlagCompletionFunc("set", complete); err != nil {
		panic(err) // the flag was added above
	}
	return cmd
}

func (f *delayFlags) check(cmd *cobra.Command, a *app) error {
	ending := strings.TrimPrefix(filepath.Ext(f.out), ".")
	if !cmd.Flags().Changed("format") && slices.Contains(f.format.allowed, ending) {
		f.format.value = ending
	}
	_, terminal := terminalWidth(a.terminal)
	switch {
	case f.samples < 1 || f.samples > maxSamples:
		return usagef("--samples %d: it must be 1 to %d", f.samples, maxSamples)
	case f.seed < 0:
		return usagef("--seed %d: it must be 0 or more", f.seed)
	case f.out == "" && cmd.Flags().Changed("output"):
		return usagef("-o: the name of the file is empty")
	case f.version == "" && cmd.Flags().Changed("version"):
		return usagef("--version: it is empty")
	case f.format.value == "png" && f.out == "" && terminal:
		return usagef("--format png: a terminal shows no pictures; name a file with -o")
	}
	return nil
}

// parameterNames are what can be set of a preset or strategy.
func parameterNames(name string) []string {
	var names []string
	if p, ok := scenarios.FindPreset(name); ok {
		for _, param := range p.Params {
			names = append(names, param.Name+"=")
		}
	}
	for _, e := range strategies.Catalogue() {
		if e.Name != name {
			continue
		}
		for _, field := range e.Fields {
			names = append(names, field.Name+"=")
		}
	}
	return names
}

func (a *app) delays(name string, f *delayFlags) error {
	d, err := a.sampleDelays(name, f)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	switch f.format.value {
	case "csv":
		err = d.WriteCSV(&text)
	case "png":
		err = d.WritePNG(&text)
	case "json":
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		err = e.Encode(newDelaysJSON(d, f))
	default:
		err = writeDelayTable(&text, d)
	}
	if err != nil {
		return err
	}
	if f.out == "" {
		_, err = a.stdout.Write(text.Bytes())
		return err
	}
	if err := os.WriteFile(f.out, text.Bytes(), 0o666); err != nil {
		return fmt.Errorf("%s: %w", f.out, reason(err))
	}
	return nil
}

// sampleDelays draws the waits of a preset or strategy.
func (a *app) sampleDelays(name string, f *delayFlags) (*report.Delays, error) {
	d := &report.Delays{Name: name, Samples: f.samples}
	if err := knownPolicy(name); err != nil {
		return nil, err
	}
	if p, ok := scenarios.FindPreset(name); ok {
		d.Name, d.Formula = p.Name, p.Formula
	} else if f.version != "" {
		return nil, usagef("--version %s: %s is a strategy and has no versions", f.version, name)
	}
	policy, err := scenarios.PresetPolicy(name, f.version, f.sets)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	rules := policy.Compile()
	waits := rules.Waits()
	if f.outcome != "" {
		outcome, ok := parseOutcome(f.outcome)
		if !ok {
			return nil, usagef("--outcome %s: it must be timeout, refused, reset, rejected or a status 400 to 599", f.outcome)
		}
		if !rules.Retryable(outcome) {
			a.notef("note: %s does not retry after %s; these are the waits if it did", d.Name, f.outcome)
		}
		waits = rules.WaitsAfter(outcome)
	}
	if f.version != "" || len(f.sets) > 0 {
		d.Formula = "" // that of the newest version with its defaults
	}
	for _, row := range drawDelays(waits, f.samples, uint64(f.seed)) {
		d.Rows = append(d.Rows, report.NewDelay(row))
	}
	return d, nil
}

// drawDelays draws whole sequences; it has the waits by retry.
func drawDelays(waits *strategies.Waits, samples int, seed uint64) [][]time.Duration {
	rows := make([][]time.Duration, min(waits.Steps(), shownDelays))
	for k := range rows {
		rows[k] = make([]time.Duration, samples)
	}
	for i := range samples {
		key, memory := random.Root(seed, uint64(i)), uint64(0)
		for k := range rows {
			retry := int64(k) + 1
			rows[k][i], memory = waits.Next(retry, memory, key.Draw(random.Backoff, uint64(retry)))
		}
	}
	return rows
}

// parseOutcome reads the name of one failure.
func parseOutcome(word string) (strategies.Outcome, bool) {
	for o := strategies.Refused; o < 600; o++ {
		if (o <= strategies.Rejected || o >= 400) && o.String() == word {
			return o, true
		}
	}
	return 0, false
}

// knownPolicy says what else there is when a name is neither a preset nor a
// strategy.
func knownPolicy(name string) error {
	names := policyNames()
	if slices.Contains(names, name) {
		return nil
	}
	near := closeTo(name, names)
	slices.SortStableFunc(near, func(a, b string) int { return len(a) - len(b) })
	if len(near) == 0 {
		return usagef("there is no strategy or library %s; retrystorm strategies lists them", name)
	}
	return usagef("there is no strategy or library %s%s", name, orList(near[:min(len(near), 3)]))
}

// policyNames are all names of strategies and presets.
func policyNames() []string { return append(strategyNames(), scenarios.PresetNames()...) }

func writeDelayTable(text *bytes.Buffer, d *report.Delays) error {
	fmt.Fprintf(text, "%s, %d sequences\n", d.Name, d.Samples)
	if d.Formula != "" {
		fmt.Fprintf(text, "wait before retry k = %s\n", d.Formula)
	}
	w := tabwriter.NewWriter(text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\nretry\t%s\t\n", strings.Join(report.DelayColumns(), "\t"))
	for i, row := range d.Rows {
		fmt.Fprintf(w, "%d\t", i+1)
		for _, v := range row.Values() {
			fmt.Fprintf(w, "%v\t", brief(time.Duration(v)))
		}
		fmt.Fprintln(w)
	}
	if len(d.Rows) == 0 {
		fmt.Fprint(w, "there are no retries\t\n")
	}
	return w.Flush()
}

type delaysJSON struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Set     []string    `json:"set,omitempty"`
	Outcome string      `json:"outcome,omitempty"`
	Samples int         `json:"samples"`
	Seed    int64       `json:"seed"`
	Delays  []delayJSON `json:"delays"`
}

type delayJSON struct {
	Attempt int     `json:"attempt"`
	Mean    float64 `json:"mean_ms"`
	SD      float64 `json:"sd_ms"`
	Min     float64 `json:"min_ms"`
	P01     float64 `json:"p01_ms"`
	P10     float64 `json:"p10_ms"`
	P50     float64 `json:"p50_ms"`
	P90     float64 `json:"p90_ms"`
	P99     float64 `json:"p99_ms"`
	Max     float64 `json:"max_ms"`
}

func newDelaysJSON(d *report.Delays, f *delayFlags) delaysJSON {
	out := delaysJSON{d.Name, f.version, f.sets, f.outcome, f.samples, f.seed, []delayJSON{}}
	for i, row := range d.Rows {
		v := row.Values()
		for j := range v {
			v[j] = report.Rounded(v[j] / 1e6)
		}
		out.Delays = append(out.Delays, delayJSON{i + 1, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]})
	}
	return out
}
