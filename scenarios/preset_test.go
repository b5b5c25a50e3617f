package scenarios

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"retrystorm/strategies"
)

// fakes are libraries that nobody has.
func fakes(t *testing.T) *catalogue {
	t.Helper()
	all, problems := readPresets(fstest.MapFS{"presets/acme.yaml": {Data: []byte(`
library: acme
source: acme/retry.go
evidence: run
presets:
  acme-standard:
    title: Acme
    aliases: [acme-default]
    formula: U(0, x)
    params: {max-backoff: backoff.cap, attempts: max_attempts}
    defect: it stops too early
    corrected: {max_attempts: 5}
    versions:
      1.9: {max_attempts: 2, backoff: fixed 1s}
      1.30: {max_attempts: 3, backoff: full-jitter 100ms cap 20s, retry_on: [5xx], backoff_on: {429: fixed 1s}, budget: tokens 500}
      2.0.1: {max_attempts: 4, backoff: full-jitter 50ms cap 20s}
  acme-other:
    title: Acme, other
    formula: "0"
    source: acme/other.go
    evidence: read
    defect: wrong
    corrected: acme
    versions: {1.0: {max_attempts: 1}}
`)}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return all
}

func TestPresetNames(t *testing.T) {
	all := fakes(t)
	if got, want := strings.Join(all.names(), " "), "acme acme-default acme-other acme-standard"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if p := all.byName["acme"]; p.Name != "acme-standard" || p.Source != "acme/retry.go" || p.Evidence != "run" || p.Corrected != "max_attempts: 5" {
		t.Errorf("%+v", p.Preset)
	}
	if p := all.byName["acme-other"]; p.Source != "acme/other.go" || p.Evidence != "read" || p.Corrected != "acme" {
		t.Errorf("%+v", p.Preset)
	}
	for word, want := range map[string]string{
		"acme-standart": "; did you mean acme-standard?", "acne": "; did you mean acme?",
		"cme": "; did you mean acme?", "default": "; did you mean acme-default?", "zzz": "", "": "",
	} {
		if got := nearest(word, all.names()); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
}

func TestPresetVersions(t *testing.T) {
	all := fakes(t)
	for version, want := range map[string]int64{
		"": 4, "1.9": 2, "1.9.5": 2, "1.29": 2, "1.30": 3, "v1.30": 3, "1.30.0": 3, "1.31": 3, "1.100": 3, "2.0": 3, "2.0.0": 3, "2.0.1": 4, "2.0.2": 4, "v3": 4, "10": 4,
	} {
		p, err := all.policy("acme", version, nil)
		if err != nil || p.MaxAttempts != want {
			t.Errorf("version %s: got %d attempts %v, want %d", version, p.MaxAttempts, err, want)
		}
	}
	for version, want := range map[string]string{
		"1.8": "from 1.9 on; known versions: 1.9, 1.30, 2.0.1", "0": "known versions", "latest": "not a version", "1..2": "not a version", "-1": "not a version", "1.x": "not a version",
	} {
		if _, err := all.policy("acme", version, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("version %s: got %v, want %s", version, err, want)
		}
	}
}

func TestPresetPolicySets(t *testing.T) {
	all := fakes(t)
	p, err := all.policy("acme-default", "1.30", []string{"max-backoff=5s", "attempts=unlimited", "backoff.base=20ms", "budget.retry=14", "backoff_on.429.base=2s", "retry_on=[timeout]"})
	if err != nil || p.Backoff.Cap != 5*time.Second || p.MaxAttempts != strategies.Unlimited || p.Backoff.Base != 20*time.Millisecond ||
		p.Budget.Retry != 14 || p.Budget.Tokens != 500 || p.BackoffOn[0].Base != 2*time.Second || p.BackoffOn[0].Kind != "fixed" || !slices.Equal(p.RetryOn, []string{"timeout"}) {
		t.Errorf("%+v %v", p, err)
	}
	if p, err = all.policy("fixed", "", []string{"base=3s"}); err != nil || p.Backoff.Base != 3*time.Second || p.MaxAttempts != strategies.Unlimited {
		t.Errorf("%+v %v", p, err)
	}
	for _, c := range []struct{ set, want string }{
		{"max-backof=5s", "--set 1: max-backof: no such parameter; did you mean max-backoff?; allowed: max-backoff, attempts, timeout, "},
		{"backoff.bas=5s", "--set 1: backoff.bas: no such field bas in backoff; did you mean base?"},
		{"max-backoff=5", "--set 1: backoff.cap: 5: a duration needs a unit"},
		{"max-backoff", "--set 1: max-backoff: write NAME=VALUE"},
		{"max-backoff=", "--set 1: backoff.cap: an empty value"},
		{"max-backoff=1ms", "--set 1: backoff.base: 50ms: must not be above cap"},
		{"attempts=0", "--set 1: max_attempts: 0: must be at least 1"},
		{"library=acme-other", "--set 1: library: a parameter does not replace the library or strategy: give another NAME"},
		{"extends=p", "--set 1: extends: a parameter does not replace the library or strategy: give another NAME"},
		{"version=1.9", "--set 1: version: no parameter: the version is given with --version"},
		{"backoff.spread=1s", "--set 1: backoff.spread: 1s: not used by kind full-jitter"},
	} {
		if _, err := all.policy("acme", "", []string{c.set}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.set, err, c.want)
		}
	}
	if _, err := all.policy("acme", "", []string{"attempts=2", "max_attempts=3"}); err == nil || !strings.Contains(err.Error(), "set by --set 2 and by --set 1") {
		t.Errorf("twice: %v", err)
	}
	if _, err := all.policy("acmee", "", nil); err == nil || !strings.Contains(err.Error(), "did you mean acme?") {
		t.Errorf("unknown: %v", err)
	}
}

// TestLibrary checks what a scenario makes of a preset.
func TestLibrary(t *testing.T) {
	all := fakes(t)
	load := func(policy string, sets ...string) *File {
		t.Helper()
		src := "name: x\nclients: {calls: db, policy: p, network: 1ms}\nservices: {db: {}}\npolicies:\n  p: " + policy + "\n  heir: {extends: p, timeout: 3s}\nvariants: {a: {}, b: {policies.p.backoff.kind: exponential}, c: {clients.policy: heir}, d: {clients.policy: {library: acme-other}}}\n"
		f, err := loadWith(all, "x.yaml", []byte(src), nil, sets)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := load("{library: acme, version: 1.30, timeout: 2s, retry_on: [timeout], backoff: {cap: 9s}, budget: none}")
	p := f.Scenario.Policies[0]
	if p.Timeout != 2*time.Second || p.MaxAttempts != 3 || p.Budget != nil || p.Backoff.Kind != "full-jitter" || p.Backoff.Base != 100*time.Millisecond ||
		p.Backoff.Cap != 9*time.Second || !slices.Equal(p.RetryOn, []string{"timeout"}) || len(p.BackoffOn) != 1 || p.Library != "acme" || p.Version != "1.30" {
		t.Errorf("%+v", p)
	}
	if heir := f.Scenario.Policies[1]; heir.MaxAttempts != 3 || heir.Timeout != 3*time.Second || heir.Library != "" {
		t.Errorf("%+v", heir)
	}
	if s, err := f.Resolve(1); err != nil || s.Policies[0].Backoff.Kind != "exponential" || s.Policies[0].Backoff.Base != 100*time.Millisecond {
		t.Errorf("a kind does not keep what the library says: %v", err)
	}
	if s, err := f.Resolve(3); err != nil || s.Clients.Policy.Inline.MaxAttempts != 1 {
		t.Errorf("in place: %v", err)
	}
	var notes []string
	for _, n := range f.Notes {
		notes = append(notes, n.String())
	}
	if got, want := strings.Join(notes, "\n"), "x.yaml:5:16: policies.p.library: acme: a known weakness of the library is reproduced: it stops too early; corrected by max_attempts: 5\n"+
		"x.yaml:7:119: clients.policy.library: acme-other: a known weakness of the library is reproduced: wrong; corrected in acme (variant d)"; got != want {
		t.Errorf("notes:\n%s\nwant\n%s", got, want)
	}
	if g := load("{library: acme, max_attempts: 5}", "variants={a: {}}"); len(g.Notes) != 1 || g.Notes[0].Path != "policies.heir" {
		t.Errorf("corrected: %v", g.Notes)
	}
	// What a kind of one's own makes useless in the preset is no mistake.
	if g := load("{library: acme, max_attempts: 5, backoff: fixed 1s}", "variants={a: {clients.policy: heir}}"); len(g.Notes) != 1 || g.Notes[0].Path != "variants" {
		t.Errorf("replaced: %v", g.Notes)
	}
	texts := load("{library: acme, timeout: 2s, backoff: {cap: 9s}}").PolicyTexts(0)
	want := "library: acme\nversion: 2.0.1\ntimeout: 2s\nmax_attempts: 4\nbackoff:\n  kind: full-jitter\n  base: 50ms\n  cap: 9s\n"
	if len(texts) != 2 || texts[0].Path != "policies.p" || texts[0].Text != want {
		t.Errorf("%+v", texts)
	}
	if got := f.PolicyTexts(3); len(got) != 3 || got[2].Path != "clients.policy" || f.PolicyTexts(4) != nil {
		t.Errorf("%+v", got)
	}
	if f.Hash() != load("{library: acme, version: 1.30, timeout: 2s, retry_on: [timeout], backoff: {cap: 9s}, budget: none}").Hash() {
		t.Error("hashes differ")
	}
}

func TestLibraryErrors(t *testing.T) {
	all := fakes(t)
	for policy, want := range map[string]string{
		"{library: acne}":                                "x.yaml:5:16: policies.p.library: acne: no such library; did you mean acme?; allowed: the names that retrystorm strategies lists",
		"{library: Acme}":                                "x.yaml:5:16: policies.p.library: Acme: not a name; write acme",
		"{library: acme, version: 1.8}":                  "x.yaml:5:31: policies.p.version: 1.8: what acme-standard did then is not known; allowed: from 1.9 on; known versions: 1.9, 1.30, 2.0.1",
		"{library: acme, version: newest}":               "x.yaml:5:31: policies.p.version: newest: not a version; allowed: numbers with dots, such as 2.0.1",
		"{version: 1.8}":                                 "x.yaml:5:16: policies.p.version: 1.8: whose version? library is missing",
		"{library: acme, extends: q}":                    "x.yaml:5:16: policies.p.library: acme: a policy starts from one place: it has extends too",
		"{library: [acme]}":                              "x.yaml:5:16: policies.p.library: [acme]: one value is expected, not a list",
		"{library: acme, backoff: {cap: 1ms}}":           "x.yaml:5:16: policies.p.backoff.base: 50ms: must not be above cap",
		"{library: acme, backoff: {kind: fixed, lo: 1}}": "x.yaml:5:49: policies.p.backoff.lo: 1: not used by kind fixed",
	} {
		src := "name: x\nclients: {calls: db, policy: p}\nservices: {db: {}}\npolicies:\n  p: " + policy + "\n  q: {timeout: 1s}\n"
		_, err := loadWith(all, "x.yaml", []byte(src), nil, nil)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %s", policy, err, want)
		}
	}
}

func TestPresetFileErrors(t *testing.T) {
	const good = "library: acme\nsource: a.go\nevidence: run\npresets:\n  acme: {title: A, formula: x, versions: {1.0: {max_attempts: 2}}}\n"
	if _, problems := readPresets(fstest.MapFS{"presets/a.yaml": {Data: []byte(good)}}); len(problems) > 0 {
		t.Error(problems)
	}
	for _, c := range []struct{ old, new, want string }{
		{"evidence: run", "evidence: seen", "a.yaml:1:1: evidence: seen: no such word; allowed: run, port, read"},
		{"source: a.go\n", "", "a.yaml:1:1: source: missing"},
		{"title: A, ", "", "a.yaml:5:10: presets.acme.title: missing"},
		{"title: A", "titel: A", "a.yaml:5:10: presets.acme.titel: no such field"},
		{"max_attempts: 2", "max_attemps: 2", "a.yaml:5:49: presets.acme.versions.1.0.max_attemps: no such field; did you mean max_attempts?"},
		{"max_attempts: 2", "extends: b", "presets.acme.versions.1.0: a policy is expected that stands for itself"},
		{"{1.0: {max_attempts: 2}}", "{1.10: {max_attempts: 2}, 1.9: {max_attempts: 3}}", "presets.acme.versions.1.9: versions are listed from old to new"},
		{"formula: x", "formula: x, params: {m: backoff.capp}", "presets.acme.params.m: backoff.capp: no such field capp in backoff; did you mean cap?"},
		{"formula: x", "formula: x, defect: d, corrected: {max_atempts: 3}", "presets.acme.corrected.max_atempts: max_atempts: no such field max_atempts"},
		{"formula: x", "formula: x, defect: d, corrected: acne", "acme.corrected: acne: no such preset; did you mean acme?"},
		{"formula: x", "formula: x, corrected: acme", "corrects no defect"},
		{"formula: x", "formula: x, aliases: [B]", "presets.acme: B: not a name; write b"},
		{"  acme: {", "  other: {title: A, formula: x, aliases: [acme], versions: {1.0: {}}}\n  acme: {", "presets.acme: acme: is also a name of other"},
		{good, "5", "a map is expected"},
		{good, "library: [", "not YAML"},
	} {
		_, problems := readPresets(fstest.MapFS{"presets/a.yaml": {Data: []byte(strings.Replace(good, c.old, c.new, 1))}})
		if !strings.Contains(problems.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.new, problems, c.want)
		}
	}
	if _, problems := readPresets(fstest.MapFS{}); len(problems) == 0 {
		t.Error("no files are no problem")
	}
}

// TestPresetsAreValid walks all that ships: every version makes a policy that
// a scenario may use, and every correction corrects.
func TestPresetsAreValid(t *testing.T) {
	all, problems := readPresets(presetFiles)
	if len(problems) > 0 {
		t.Errorf("%v", problems)
	}
	for _, p := range all.presets {
		for _, text := range []string{p.Title, p.Formula, p.Defect, p.Note, p.Source} { // YAML takes " #" for a comment
			opened, closed := strings.Count(text, "(")+strings.Count(text, "["), strings.Count(text, ")")+strings.Count(text, "]")
			if opened != closed || strings.HasSuffix(text, ",") {
				t.Errorf("%s: the end of a text is missing: %s", p.Name, text)
			}
		}
		for i, version := range p.Versions {
			if p.bodies[i].get("max_attempts") == nil {
				t.Errorf("%s %s: no max_attempts", p.Name, version)
			}
			policy, err := PresetPolicy(p.Name, version, nil)
			if err != nil {
				t.Errorf("%s %s: %v", p.Name, version, err)
				continue
			}
			policy.Compile()
		}
		var sets []string
		for _, c := range p.corrections {
			sets = append(sets, c.path+"="+c.val.String())
		}
		if _, err := PresetPolicy(p.Name, "", sets); err != nil {
			t.Errorf("%s, corrected: %v", p.Name, err)
		}
		src := "name: x\nclients: {calls: db, network: 1ms, policy: {library: " + p.Name + "}}\nservices: {db: {service_time: 1ms}}\n"
		f, err := Load("x.yaml", []byte(src), nil, nil)
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		for _, n := range f.Notes {
			if n.Path != "clients.policy.library" || p.Defect == "" {
				t.Errorf("%s: %v", p.Name, n)
			}
		}
		if _, err := f.Scenario.Model(); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	if len(Presets()) != len(all.presets) || !slices.IsSorted(PresetNames()) {
		t.Error("Presets and PresetNames do not list them")
	}
}

// TestDefectOfAnOldVersion: an old version of a preset that is right today says
// what is wrong with it.
func TestDefectOfAnOldVersion(t *testing.T) {
	for version, want := range map[string]int{"1.41": 1, "1.48": 0} {
		src := "name: x\nuntil: 10s\nclients: {calls: s, policy: {library: aws-sdk-go-v2, version: " + version + "}}\nservices: {s: {faults: {f: errors share 50% answer 503}}}\n"
		f, err := Load("x.yaml", []byte(src), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, n := range f.Notes {
			if strings.Contains(n.Message, "weakness") {
				found++
			}
		}
		if found != want {
			t.Errorf("version %s: %d notes about a defect, want %d: %v", version, found, want, f.Notes)
		}
	}
}
