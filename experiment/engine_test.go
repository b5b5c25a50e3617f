package experiment

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"retrystorm/scenarios"
)

const paused = `name: paused
seed: 3
replications: 4
until: 40s
warmup: 2s
clients:
  arrival: poisson 50/s
  calls: web
  policy: {timeout: 500ms, max_attempts: 3, backoff: full-jitter 50ms}
  network: 1ms
services:
  web: {workers: 40, service_time: 1ms, calls: db}
  db:
    workers: 2
    service_time: exponential 20ms
    queue: 20 full 503
    faults: {stop: pause at 15s for 1s}
variants:
  as-is: {}
  no-retries: {clients.policy.max_attempts: 1}
sweep:
  clients.arrival.rate: [20/s, 50/s]
expect:
  - total_calls[as-is] > total_calls[no-retries]
  - amplification[no-retries, service=web] == 1
  - completion_p50 < 100ms
`

func load(t testing.TB, src string) *scenarios.File {
	t.Helper()
	f, err := scenarios.Load("test.yaml", []byte(src), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// With the real engine, too, the number of workers does not show.
func TestEngine(t *testing.T) {
	var first *Result
	for _, jobs := range []int{1, 8} {
		e, err := New(load(t, paused))
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Run(Options{Jobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = r
			continue
		}
		if diff := cmp.Diff(first, r, alike); diff != "" {
			t.Errorf("%d jobs: %s", jobs, diff)
		}
	}
	if first.Scenario != "paused" || first.Seed != 3 || first.Replications != 4 || first.Target != "db" || len(first.Points) != 4 {
		t.Errorf("%s seed %d x %d, target %s, %d points", first.Scenario, first.Seed, first.Replications, first.Target, len(first.Points))
	}
	for _, x := range first.Expectations {
		if x.Ruling != Pass {
			t.Errorf("%s: %s", x.Text, x.Detail)
		}
	}
	p := first.Points[1]
	if p.Variant != "as-is" || p.Sweep[0] != "50/s" || len(p.Timelines) != 2 || len(p.Hops) != 2 || len(p.Runs) != 4 {
		t.Errorf("%+v", p)
	}
	if len(p.Shading) != 1 || p.Shading[0].Name != "db stop" {
		t.Errorf("shading %v", p.Shading)
	}
	for i, m := range first.Metrics {
		if e := p.Estimates[i]; m.Name == "recovery" && !(e.Centre >= 0 && e.Centre < 10) {
			t.Errorf("recovery %+v", e)
		}
	}
}

// What is wrong with expectations is found before anything runs, all at once,
// at the right lines.
func TestNewReportsProblems(t *testing.T) {
	f := load(t, strings.Replace(paused, "completion_p50 < 100ms", "completion_p50 < 100\n  - total_cals < 5", 1))
	_, err := New(f)
	var problems scenarios.Problems
	if !errors.As(err, &problems) || len(problems) != 2 {
		t.Fatalf("%v", err)
	}
	for i, want := range []struct {
		line    int
		message string
	}{{26, "completion_p50 is a duration"}, {27, "did you mean total_calls?"}} {
		if p := problems[i]; p.Line != want.line || !strings.Contains(p.String(), want.message) {
			t.Errorf("line %d: %s", p.Line, p)
		}
	}
}
