package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"retrystorm/report/text"
	"retrystorm/scenarios"
	"retrystorm/strategies"
)

// evidence is what the words of a preset mean.
var evidence = map[string]string{
	"run":  "the library's own code was run",
	"port": "the source was read, and a port of it run",
	"read": "the source was read",
}

// listPresets lists what libraries do, each in a few lines.
func (a *app) listPresets() error {
	width := a.proseWidth()
	a.printf("\n%s\n", text.Wrap("Libraries, as they are by themselves: name, aliases and title; the wait before retry k, and the first waits on average; the defaults; the file in the library's source.", width, ""))
	for _, p := range scenarios.Presets() {
		policy, err := scenarios.PresetPolicy(p.Name, "", nil)
		if err != nil {
			return err
		}
		a.printf("\n%s\n", text.Wrap(p.Name+inBrackets(otherNames(p))+": "+p.Title, width, "  "))
		formula := p.Formula
		if waits := firstWaits(policy); waits != "" {
			formula += "; " + waits
		}
		for _, line := range []string{formula, policyDefaults(policy), p.Source} {
			a.printf("%s\n", text.Wrap("    "+line, width, "      "))
		}
	}
	return nil
}

// otherNames are those that mean the preset too.
func otherNames(p scenarios.Preset) []string {
	names := p.Aliases
	if family, ok := scenarios.FindPreset(p.Family); ok && family.Name == p.Name && p.Family != p.Name {
		names = append([]string{p.Family}, names...)
	}
	return names
}

func inBrackets(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

// firstWaits are the first four waits, on average.
func firstWaits(p strategies.Policy) string {
	waits := p.Backoff.Compile()
	var texts []string
	for k := int64(1); k <= min(waits.Steps(), 4); k++ {
		texts = append(texts, brief(waits.Mean(k)).String())
	}
	return strings.Join(texts, " ")
}

// policyDefaults says what else a policy does, in few words.
func policyDefaults(p strategies.Policy) string {
	attempts := fmt.Sprintf("%d attempts", p.MaxAttempts)
	switch p.MaxAttempts {
	case strategies.Unlimited:
		attempts = "unlimited attempts"
	case 1:
		attempts = "1 attempt"
	}
	parts := []string{attempts + " on " + strings.Join(p.RetryOn, " ")}
	add := func(on bool, format string, args ...any) {
		if on {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(p.IdempotentOnly, "idempotent calls only")
	add(p.Timeout > 0, "timeout %v", p.Timeout)
	add(p.MaxElapsed > 0, "within %v", p.MaxElapsed)
	add(p.Deadline > 0, "deadline %v", p.Deadline)
	add(p.RetryAfter.Kind != "ignore", "Retry-After: %s", p.RetryAfter.Kind)
	if p.Budget != nil {
		add(true, "budget: %s", p.Budget.Kind)
	}
	if p.Breaker != nil {
		add(true, "breaker: %s", p.Breaker.Kind)
	}
	if p.Hedge != nil {
		add(true, "hedge")
	}
	if p.Limiter != nil {
		add(true, "limiter: %s", p.Limiter.Kind)
	}
	return strings.Join(parts, ", ")
}

func (a *app) explainPreset(p scenarios.Preset, format string) error {
	if format == "json" {
		out, err := newPresetJSON(p)
		if err != nil {
			return err
		}
		return a.printJSON(out)
	}
	width := a.proseWidth()
	a.printf("%s\n\n%s\n\n", text.Wrap(p.Name+inBrackets(otherNames(p))+": "+p.Title, width, "  "),
		text.Wrap("  wait before retry k = "+p.Formula, width, "    "))
	var rows [][]string
	for _, line := range [][]string{
		{"source", p.Source + " (" + evidence[p.Evidence] + ")"},
		{"versions", "from " + strings.Join(p.Versions, ", from ")},
		{"defect", p.Defect},
		{"corrected", p.Corrected},
		{"note", p.Note},
	} {
		if line[1] != "" {
			rows = append(rows, line)
		}
	}
	if err := text.Table(a.stdout, width, "", rows); err != nil {
		return err
	}
	if len(p.Params) > 0 {
		rows = [][]string{{"parameter", "in a policy"}}
		for _, param := range p.Params {
			rows = append(rows, []string{param.Name, param.Path})
		}
		a.printf("\n")
		if err := text.Table(a.stdout, width, "", rows); err != nil {
			return err
		}
	}
	for i := len(p.Versions) - 1; i >= 0; i-- {
		if err := a.explainVersion(p, p.Versions[i]); err != nil {
			return err
		}
	}
	return nil
}

// explainVersion prints the policy of one version and its first waits.
func (a *app) explainVersion(p scenarios.Preset, version string) error {
	policy, err := scenarios.PresetPolicy(p.Name, version, nil)
	if err != nil {
		return err
	}
	yaml, err := policyYAML(p.Name, version)
	if err != nil {
		return err
	}
	a.printf("\nThe policy from %s on:\n\n", version)
	for line := range strings.Lines(yaml) {
		a.printf("  %s", line)
	}
	waits := policy.Backoff.Compile()
	if waits.Steps() == 0 || waits.Max(1) == 0 && waits.Max(shownWaits) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\nretry\tshortest\tmean\tlongest\t\n")
	for k := int64(1); k <= min(shownWaits, waits.Steps()); k++ {
		fmt.Fprintf(w, "%d\t%v\t%v\t%v\t\n", k, brief(waits.Min(k)), brief(waits.Mean(k)), brief(waits.Max(k)))
	}
	return w.Flush()
}

// policyYAML is the policy of a preset as a scenario would have it.
func policyYAML(name, version string) (string, error) {
	src := "name: preset\nclients: {calls: service, policy: {library: " + name + ", version: " + version + "}}\nservices: {service: {}}\n"
	file, err := scenarios.Load(name, []byte(src), nil, nil)
	if err != nil {
		return "", err
	}
	for _, policy := range file.PolicyTexts(0) {
		return policy.Text, nil
	}
	return "", fmt.Errorf("%s %s has no text", name, version)
}

type presetJSON struct {
	Name      string            `json:"name"`
	Family    string            `json:"library"`
	Aliases   []string          `json:"aliases"`
	Title     string            `json:"title"`
	Formula   string            `json:"formula"`
	Source    string            `json:"source"`
	Evidence  string            `json:"evidence"`
	Defect    string            `json:"defect,omitempty"`
	Corrected string            `json:"corrected,omitempty"`
	Note      string            `json:"note,omitempty"`
	Params    map[string]string `json:"params"`
	Versions  []versionJSON     `json:"versions"`
}

type versionJSON struct {
	Version  string     `json:"version"`
	Defaults string     `json:"defaults"`
	Policy   string     `json:"policy"`
	Waits    []waitJSON `json:"waits"`
}

func newPresetJSON(p scenarios.Preset) (presetJSON, error) {
	out := presetJSON{
		Name: p.Name, Family: p.Family, Aliases: otherNames(p), Title: p.Title, Formula: p.Formula,
		Source: p.Source, Evidence: p.Evidence, Defect: p.Defect, Corrected: p.Corrected, Note: p.Note,
		Params: map[string]string{},
	}
	if out.Aliases == nil {
		out.Aliases = []string{}
	}
	for _, param := range p.Params {
		out.Params[param.Name] = param.Path
	}
	for _, version := range p.Versions {
		policy, err := scenarios.PresetPolicy(p.Name, version, nil)
		if err != nil {
			return out, err
		}
		yaml, err := policyYAML(p.Name, version)
		if err != nil {
			return out, err
		}
		out.Versions = append(out.Versions, versionJSON{version, policyDefaults(policy), yaml, waitsJSON(policy.Backoff)})
	}
	return out, nil
}

// waitsJSON are the first waits of a backoff.
func waitsJSON(b strategies.Backoff) []waitJSON {
	out := []waitJSON{}
	waits := b.Compile()
	for k := int64(1); k <= min(shownWaits, waits.Steps()); k++ {
		out = append(out, waitJSON{k, waits.Min(k).Seconds(), waits.Mean(k).Seconds(), waits.Max(k).Seconds()})
	}
	return out
}
