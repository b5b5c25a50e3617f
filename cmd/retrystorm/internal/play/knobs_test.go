package play

import (
	"slices"
	"strings"
	"testing"

	"retrystorm/scenarios"
)

func knobsOf(t *testing.T, text string, sets ...string) []Knob {
	t.Helper()
	f, err := scenarios.Load("x", []byte(text), nil, sets)
	if err != nil {
		t.Fatal(err)
	}
	return knobs(f)
}

// TestEveryStepLoads: whatever somebody moves in a built-in scenario, it can be run.
// A slider is looked at where it ends; what does not meddle with anything else, all
// together.
func TestEveryStepLoads(t *testing.T) {
	for _, b := range scenarios.Builtins() {
		list := knobsOf(t, string(b.Source))
		if len(list) == 0 || len(list) > mostKnobs {
			t.Errorf("%s has %d knobs", b.Name, len(list))
		}
		load := func(sets ...string) {
			if _, err := scenarios.Load(b.Name, b.Source, nil, sets); err != nil {
				t.Errorf("%s: %v: %v", b.Name, sets, err)
			}
		}
		var first, last []string
		for _, k := range list {
			steps := k.Steps
			if k.Label == "" || k.Group == "" || k.Value == "" || !slices.Contains(steps, k.Value) {
				t.Errorf("%s: %+v", b.Name, k)
			}
			begin, end := k.Path+"="+steps[0], k.Path+"="+steps[len(steps)-1]
			switch {
			case len(steps) == 1 && k.Note != "": // it cannot be moved
			case !strings.HasPrefix(k.Group, "policy"):
				first, last = append(first, begin), append(last, end)
			default:
				load(begin)
				load(end)
			}
		}
		load(first...)
		load(last...)
	}
}

func TestKnobs(t *testing.T) {
	b, _ := scenarios.Builtin("recovering-server")
	list := knobsOf(t, string(b.Source), "clients.count=3000")
	var got []string
	for _, k := range list {
		got = append(got, k.Path+"="+k.Value)
	}
	want := []string{
		"policies.app.max_attempts=unlimited", "policies.app.backoff.kind=full-jitter", "policies.app.backoff.base=100ms",
		"policies.app.backoff.cap=20s", "policies.app.timeout=1s", "policies.app.budget=none", "services.db.faults.outage.for=30s",
		"services.db.workers=100", "services.db.queue.limit=400", "clients.count=3000", "replications=20",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for _, k := range list {
		switch k.Path {
		case "policies.app.backoff.kind":
			if len(k.Steps) != 1 || k.Note != "set by the variants none, exponential, equal-jitter and 1 more" {
				t.Errorf("%+v", k)
			}
		case "clients.count":
			if want := []string{"200", "500", "1000", "2000", "3000", "5000", "10000", "20000", "50000"}; !slices.Equal(k.Steps, want) {
				t.Errorf("%q", k.Steps)
			}
		case "policies.app.timeout":
			if want := []string{"50ms", "100ms", "200ms", "500ms", "1s", "2s", "5s", "10s", "20s", "none"}; !slices.Equal(k.Steps, want) {
				t.Errorf("%q", k.Steps)
			}
		}
	}
}
