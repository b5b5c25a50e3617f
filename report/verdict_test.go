package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"retrystorm/experiment"
	"retrystorm/scenarios"
)

// played is the result of a built-in scenario.
func played(t *testing.T, name string, sets ...string) *experiment.Result {
	t.Helper()
	b, ok := scenarios.Builtin(name)
	if !ok {
		t.Fatalf("no scenario %s", name)
	}
	f, err := scenarios.Load(name+".yaml", b.Source, nil, sets)
	if err != nil {
		t.Fatal(err)
	}
	e, err := experiment.New(f)
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Run(experiment.Options{Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What pages say of scenarios of every kind, in short runs.
func TestVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs many scenarios")
	}
	var b bytes.Buffer
	for _, c := range []struct {
		name string
		sets []string
	}{
		{"recovering-server", []string{"clients.count=100", "services.db.workers=2", "replications=10"}},
		{"recovering-server", []string{"clients.count=100", "services.db.workers=2", "replications=1"}},
		{"nested-layers", []string{"replications=3"}},
		{"synchronised-waves", []string{"clients.count=200", "replications=9"}},
		{"congestion-collapse", []string{"replications=8"}},
		{"retry-after", []string{"replications=3", "clients.count=200"}},
		{"shared-breaker", []string{"replications=3", "until=100s"}},
		{"quorum", []string{"replications=3", "until=20s"}},
		{"fan-out", []string{"replications=3"}},
		{"hedging", []string{"replications=2", "until=15s"}},
		{"vulnerable-band", []string{"replications=2", "until=60s"}},
		{"settings-that-matter", []string{"replications=1", "clients.count=100"}},
		{"dead-letter-triage", []string{"replications=2"}},
	} {
		writeVerdict(t, &b, c.name+" "+strings.Join(c.sets, " "), played(t, c.name, c.sets...))
	}
	for _, c := range []struct {
		name string
		r    *experiment.Result
	}{
		{"an exchange", tradesSample()},
		{"a bisection", bisectionSample()},
		{"where the best changes", changingSample()},
		{"where nothing differs", sample{variants: []string{"a", "b"}, runs: 8, worst: 1}.result()},
		{"where nobody waits", instantSample()},
		{"where nothing recovers", sample{variants: []string{"a", "b"}, runs: 8, worst: 2, never: true}.result()},
		{"a design", designsSample()},
	} {
		writeVerdict(t, &b, c.name, c.r)
	}
	golden(t, "verdicts.txt", b.Bytes())
}

func writeVerdict(t *testing.T, b *bytes.Buffer, name string, r *experiment.Result) {
	v, _ := viewOf(t, r)
	fmt.Fprintf(b, "%s\n  %s\n", name, v.Verdict.Headline)
	for _, s := range v.Verdict.sentences() {
		fmt.Fprintf(b, "    %s\n", s)
	}
}

// instantSample is of clients that are answered at once, whatever becomes of their
// calls.
func instantSample() *experiment.Result {
	r := sample{variants: []string{"a", "b"}, runs: 8, worst: 2}.result()
	for i := range r.Points {
		p := &r.Points[i]
		for _, k := range []int{metricIndex(r, "completion_p50"), metricIndex(r, "completion_p99")} {
			for n := range p.Runs {
				p.Runs[n].Values[k] = 0
			}
			p.Estimates[k] = experiment.Estimate{}
		}
	}
	return r
}

// changingSample is a sweep at whose first places another variant is best.
func changingSample() *experiment.Result {
	r := sample{variants: []string{"patient", "hasty"}, clients: []string{"10", "20", "50", "100"}, runs: 8, worst: 2}.result()
	for i := range 2 {
		a, b := &r.Points[i], &r.Points[4+i]
		a.Runs, b.Runs = b.Runs, a.Runs
		a.Estimates, b.Estimates = b.Estimates, a.Estimates
	}
	return r
}

// While a run goes on nothing is judged.
func TestPartialView(t *testing.T) {
	r := strategiesSample().result()
	for i := range r.Points[1:] {
		p := &r.Points[1+i]
		p.Runs, p.Timelines, p.Replications = p.Runs[:5], nil, 5
	}
	v := PartialView(r)
	if !v.Partial || v.Verdict.Best != -1 || len(v.Verdict.Wins)+len(v.Verdict.Detail)+len(v.Expectations)+len(v.Sections) > 0 {
		t.Errorf("something is judged: %+v", v.Verdict)
	}
	if v.Points[0].Partial || !v.Points[1].Partial {
		t.Error("the first point is complete, the second is not")
	}
	if len(v.Timelines) == 0 || v.Timelines[0].Variant != 0 {
		t.Error("the charts of what is there are missing")
	}
}
