package report

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"testing"

	"retrystorm/experiment"
	"retrystorm/scenarios"
)

func titleOf(p picture) string {
	switch p := p.(type) {
	case *Figure:
		return p.Title
	case *Dots:
		return p.Title
	}
	return ""
}

// TestTitlesOfScenarios keeps what the pictures of real results say: one line each.
// All say how much, or that it is never.
func TestTitlesOfScenarios(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs many scenarios")
	}
	says := regexp.MustCompile(`[0-9]|never|at once`)
	var list bytes.Buffer
	for _, s := range []struct {
		name string
		sets []string
	}{
		{"nested-layers", nil},
		{"fan-out", nil},
		{"aws-occ", nil},
		{"synchronised-waves", nil},
		{"congestion-collapse", nil},
		{"which-layer", []string{"until=1m"}},
		{"hedging", []string{"until=15s"}},
		{"dead-letter-triage", nil},
		{"jobs-at-once", nil},
		{"duplicate-payments", []string{"until=1m"}},
		{"ways-out", nil},
		{"budget-edge", nil},
	} {
		r := resultOf(t, s.name, append(s.sets, "replications=2"))
		for _, p := range pictures(r, Compare(r)) {
			title := titleOf(p.picture)
			fmt.Fprintf(&list, "%s %s: %s\n", s.name, p.file, title)
			if !says.MatchString(title) {
				t.Errorf("%s %s: %q says no number", s.name, p.file, title)
			}
		}
	}
	golden(t, "titles.txt", list.Bytes())
}

// resultOf runs a scenario that ships with the tool.
func resultOf(t *testing.T, name string, sets []string) *experiment.Result {
	t.Helper()
	b, ok := scenarios.Builtin(name)
	if !ok {
		t.Fatalf("there is no scenario %s", name)
	}
	file, err := scenarios.Load(name, b.Source, nil, sets)
	if err != nil {
		t.Fatal(err)
	}
	e, err := experiment.New(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Run(experiment.Options{Jobs: 2, Light: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestCarefulTitles checks what titles say of results that cannot be told apart, or
// of which there is nothing to tell.
func TestCarefulTitles(t *testing.T) {
	never := math.Inf(1)
	est := func(lo, x, hi float64) experiment.Estimate { return experiment.Estimate{Centre: x, Lo: lo, Hi: hi} }
	result := func(metric string, values ...experiment.Estimate) *experiment.Result {
		r := &experiment.Result{Target: "db", Metrics: []experiment.Metric{{Name: metric}}}
		for i, e := range values {
			r.Points = append(r.Points, experiment.Point{Variant: string(rune('a' + i)), Estimates: []experiment.Estimate{e}})
		}
		return r
	}
	calls := func(v ...experiment.Estimate) string { return callsTitle(result("total_calls", v...), 0) }
	done := func(v ...experiment.Estimate) string { return completionTitle(result("completion_p99", v...), 0) }
	costs := func(v ...experiment.Estimate) string { return amplificationTitle(result("amplification", v...)) }
	for _, c := range []struct{ got, want string }{
		{calls(est(1, 100, 300), est(1, 200, 300)), "100 to 200 calls reach db, and the difference may be chance"},
		{calls(est(0, 0, 0), est(90, 100, 110)), "“b” makes 100 calls, “a” none"},
		{calls(est(49, 50, 51), est(99, 100, 101)), "“b” makes twice as many calls as “a”"},
		{calls(est(math.NaN(), math.NaN(), math.NaN()), est(math.NaN(), math.NaN(), math.NaN())), "Calls reaching db"},
		{done(est(1, 5, 10), est(1, 9, 10)), "99 % of the requests are done after 5 s at best, after 9 s at worst, and the difference may be chance"},
		{done(est(1, 5, never), est(1, never, never)), "99 % of the requests are done after 5 s at best, never at worst, and the difference may be chance"},
		{done(est(0, 0, 0)), "99 % of the requests are done at once"},
		{done(est(300, 320, 340), est(1000, 1086, 1100)), "99 % are done after 5.33 min with “a”, after 18.1 min with “b”"},
		{done(est(.02, .02, .02), est(30000, 30060, 30100)), "99 % are done after 20 ms with “a”, after 8.35 h with “b”"},
		{costs(est(1, 1, 1), est(27, 27, 27)), "One request becomes 27 calls to db with “b”, 1 with “a”"},
		{costs(est(1, 1, 1), est(1, 1, 1)), "One request stays one call to db"},
		{costs(est(.7, .75, .8), est(.7, .77, .8)), "0.750 to 0.770 calls to db for each request"},
		{costs(est(1, 2, 4), est(1, 3, 4)), "One request becomes 2 to 3 calls to db"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestTidy(t *testing.T) {
	for in, want := range map[string]string{
		"1s190ms": "1.19 s", "1h30m": "90 min", "2s360ms": "2.36 s", "1d6h": "30 h", "6300us": "6.3 ms", "1500ms": "1.5 s",
		"995ms": "995ms", "1500s": "1500s", "400us": "400us", "2d": "2d",
		"30s": "30s", "7.5%": "7.5%", "10_000": "10_000", "lifo": "lifo", "100/s": "100/s", "": "",
	} {
		if got := tidy(in); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}
