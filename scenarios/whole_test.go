package scenarios

import (
	"strings"
	"testing"
	"time"
)

func TestReplications(t *testing.T) {
	const sequential = "replications: {until: {metric: total_calls, within: 1%}}\n"
	f := mustLoad(t, recovering+sequential)
	if r := f.Scenario.Replications; r.Most() != 500 || r.Until == nil || *r.Until != (Precision{"total_calls", "1%"}) {
		t.Errorf("%+v", r)
	}
	if again := mustLoad(t, string(f.Long())); again.Hash() != f.Hash() || *again.Scenario.Replications.Until != *f.Scenario.Replications.Until {
		t.Errorf("the long form says something else:\n%s", f.Long())
	}
	if p := f.ProblemAt("replications.until.metric", "total_calls", "unknown"); p.Line != 8 || p.Col != 32 {
		t.Errorf("the metric stands at %d:%d", p.Line, p.Col)
	}
	if r := mustLoad(t, recovering+sequential, "replications.max=80").Scenario.Replications; r.Most() != 80 {
		t.Errorf("%+v", r)
	}
	// A number replaces all of it.
	fixed := mustLoad(t, recovering+sequential, "replications=5")
	if r := fixed.Scenario.Replications; r.Most() != 5 || r.Until != nil {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(string(fixed.Long()), "\nreplications: 5\n") {
		t.Errorf("a number is not written as one:\n%s", fixed.Long())
	}
	for _, src := range []string{"replications: 5\n", "replications: {count: 5}\n"} {
		if got := mustLoad(t, recovering+src); got.Hash() != fixed.Hash() || got.Scenario.Replications.Most() != 5 {
			t.Errorf("%s is not the same:\n%s", src, got.Long())
		}
	}
}

// TestHashStays holds the hash of a scenario as it was before replications could
// be a map: results that are stored name it.
func TestHashStays(t *testing.T) {
	if got := mustLoad(t, recovering+"replications: 20\nwarmup: 0s\n").Hash(); got != "3d2a1f85b81341dd3e0923c1a8eb0ce0867eba8a4261e604836a489b731858c5" {
		t.Error(got)
	}
}

func TestWarmup(t *testing.T) {
	f := mustLoad(t, recovering+"warmup: auto\n")
	m, err := f.Scenario.Model()
	if err != nil || !f.Scenario.Warmup.Auto || m.Warmup != 0 {
		t.Errorf("%+v %v", f.Scenario.Warmup, err)
	}
	f = mustLoad(t, recovering+"sweep: {warmup: [auto, 1m]}\n")
	for i, want := range []Warmup{{Auto: true}, {Until: time.Minute}} {
		if s, err := f.Resolve(i); err != nil || s.Warmup != want {
			t.Errorf("%+v %v", s.Warmup, err)
		}
	}
}

func TestReference(t *testing.T) {
	const variants = "variants: {as-is: {}, hasty: {policies.app.timeout: 100ms}}\n"
	for src, want := range map[string]string{"": "base", variants: "as-is", variants + "compare_to: hasty\n": "hasty", "compare_to: base\n": "base"} {
		if got := mustLoad(t, recovering+src).Reference(); got != want {
			t.Errorf("%s: %s", src, got)
		}
	}
}

func TestExchange(t *testing.T) {
	for src, want := range map[string]float64{"": 0, "exchange: none\n": 0, "exchange: 500/s\n": 500, "exchange: 30/min\n": 0.5} {
		if got := mustLoad(t, recovering+src).Scenario.Exchange; got != want {
			t.Errorf("%s: %v", src, got)
		}
	}
}
