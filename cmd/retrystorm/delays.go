package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
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
	count            string
	samples          int // what count says
	seed             int64
	retries          *int64 // the most that are made
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

There are 8 rows, or fewer where the backoff itself ends. When the library stops
by default is said above them. Quantiles are nearest-rank. The same seed gives
the same numbers.`,
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
	flags.StringVar(&f.count, "samples", "10000", "`number` of sequences")
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
	var ok bool
	f.samples, ok = parseCount(f.count, maxSamples)
	switch {
	case !ok || f.samples < 1:
		return usagef("--samples %s: it must be a whole number from 1 to %d, as in 10000, 10_000 or 1e4", f.count, maxSamples)
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

var countForm = regexp.MustCompile(`^(0|[1-9][0-9]*(_[0-9]+)*)(\.[0-9]+)?(e\+?[0-9]+)?$`)

// parseCount reads a whole number up to most as scenarios have it: 10_000 and
// 1e4 are the same.
func parseCount(s string, most int) (int, bool) {
	if !countForm.MatchString(s) {
		return 0, false
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
	if err != nil || x != math.Trunc(x) || x > float64(most) {
		return 0, false
	}
	return int(x), true
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
		err = d.WriteTable(&text, a.tableOptions())
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
	d.Stops = stops(name, &policy, waits, f.sets)
	if n, ok := mostRetries(&policy, waits); ok && d.Stops != "" {
		f.retries = &n
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
	if _, ok := scenarios.FindPreset(name); ok || slices.Contains(names, name) {
		return nil
	}
	if hint := scenarios.PresetHint(name); hint != "" {
		return usagef("there is no strategy or library %s; %s", name, hint)
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

// stops says when the retries of a policy end, or nothing of a strategy, which
// does not know.
func stops(name string, p *strategies.Policy, waits *strategies.Waits, sets []string) string {
	_, library := scenarios.FindPreset(name)
	if !library && !slices.ContainsFunc(sets, func(s string) bool {
		return strings.HasPrefix(s, "max_attempts=") || strings.HasPrefix(s, "max_elapsed=") || strings.HasPrefix(s, "deadline=")
	}) {
		return ""
	}
	who := "by default it "
	if len(sets) > 0 {
		who = "with these settings it "
	}
	retries, ok := mostRetries(p, waits)
	var limits []string
	switch {
	case ok && retries == 0:
		return who + "makes no retries"
	case ok && retries == 1:
		limits = append(limits, "1 retry")
	case ok:
		limits = append(limits, fmt.Sprintf("%d retries", retries))
	}
	for _, d := range []time.Duration{p.MaxElapsed, p.Deadline} {
		if d > 0 {
			limits = append(limits, whole(d))
		}
	}
	if len(limits) == 0 {
		return who + "never stops by itself"
	}
	return who + "stops after " + strings.Join(limits, " or ")
}

// whole writes 15m for 15m0s.
func whole(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// mostRetries is how many a policy makes, if there is a limit.
func mostRetries(p *strategies.Policy, waits *strategies.Waits) (n int64, ok bool) {
	n = waits.Steps()
	if p.MaxAttempts != strategies.Unlimited {
		n = min(n, p.MaxAttempts-1)
	}
	return n, n < 1<<62
}

type delaysJSON struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Set     []string    `json:"set,omitempty"`
	Outcome string      `json:"outcome,omitempty"`
	Samples int         `json:"samples"`
	Seed    int64       `json:"seed"`
	Retries *int64      `json:"max_retries"` // null: no limit, or not known
	Stops   string      `json:"stops,omitempty"`
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
	out := delaysJSON{d.Name, f.version, f.sets, f.outcome, f.samples, f.seed, f.retries, d.Stops, []delayJSON{}}
	for i, row := range d.Rows {
		v := row.Values()
		for j := range v {
			v[j] = report.Rounded(v[j] / 1e6)
		}
		out.Delays = append(out.Delays, delayJSON{i + 1, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]})
	}
	return out
}
