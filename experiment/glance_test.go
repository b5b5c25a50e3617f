package experiment

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGlance: the first replications are those of the whole.
func TestGlance(t *testing.T) {
	e := mustNew(t, paused)
	whole, err := e.Run(Options{Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	glance, err := e.Glance(2).Run(Options{Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	if e.Replications() != 4 || glance.Replications != 4 || len(glance.Points) != len(whole.Points) {
		t.Fatalf("%d replications, of %d", glance.Replications, e.Replications())
	}
	for i := range whole.Points {
		p, q := &whole.Points[i], &glance.Points[i]
		if q.Replications != 2 || q.Variant != p.Variant || !slices.Equal(q.Sweep, p.Sweep) {
			t.Errorf("%s: %d replications", q.Variant, q.Replications)
		}
		if diff := cmp.Diff(p.Runs[:2], q.Runs, alike); diff != "" {
			t.Error(diff)
		}
	}
	if n := e.Glance(50).Replications(); n != 4 {
		t.Errorf("more than there are: %d", n)
	}
	until := mustNew(t, strings.Replace(paused, "replications: 4", "replications: {until: {metric: total_calls, within: 1%}, max: 40}", 1))
	if r, err := until.Glance(3).Run(Options{Jobs: 1}); err != nil || r.Points[0].Replications != 3 {
		t.Errorf("a rule has no say in it: %v", err)
	}
}

func TestTry(t *testing.T) {
	e := mustNew(t, paused)
	if x, ok, err := e.Try(1, 0, nil); err != nil || !ok || x.Calls == 0 || x.Cost == 0 {
		t.Errorf("%+v, %t, %v", x, ok, err)
	}
	if _, ok, err := e.Try(4, 0, nil); ok || err != nil {
		t.Errorf("there is no fifth point: %t, %v", ok, err)
	}
	stop := make(chan struct{})
	close(stop)
	long := mustNew(t, strings.Replace(paused, "20/s, 50/s", "2000/s, 5000/s", 1))
	if _, _, err := long.Try(0, 0, stop); !errors.Is(err, ErrInterrupted) {
		t.Errorf("stopped: %v", err)
	}
	if _, _, err := long.Try(0, 1, nil); !errors.Is(err, ErrInterrupted) {
		t.Errorf("too many events: %v", err)
	}
}

func TestMetricsOfAll(t *testing.T) {
	var names []string
	for _, m := range Metrics() {
		if m.Help == "" || slices.Contains(names, m.Name) {
			t.Errorf("%+v", m)
		}
		names = append(names, m.Name)
	}
	for _, want := range []string{"total_calls", "completion_p99", "dead_letters", "duplicates"} {
		if !slices.Contains(names, want) {
			t.Errorf("there is no %s in %q", want, names)
		}
	}
}
