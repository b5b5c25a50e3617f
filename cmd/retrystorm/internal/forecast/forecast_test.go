package forecast

import (
	"strings"
	"testing"
	"time"

	"retrystorm/experiment"
	"retrystorm/scenarios"
)

func TestTry(t *testing.T) {
	b, _ := scenarios.Builtin("nested-layers")
	f, err := scenarios.Load(b.Name, b.Source, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := experiment.New(f)
	if err != nil {
		t.Fatal(err)
	}
	// It has three points, and takes no time.
	tried, err := Try(e, time.Hour, 0)
	if err != nil || len(tried.Runs) != 3 || tried.Cut != 0 || tried.Took <= 0 {
		t.Fatalf("%+v, %v", tried, err)
	}
	if calls, seconds := tried.PerCost(); calls < 1 || calls > 100 || seconds <= 0 {
		t.Errorf("%v calls and %v s for each of the estimate", calls, seconds)
	}
	if tried, err := Try(e, time.Hour, 1); err != nil || len(tried.Runs)+tried.Cut != 3 {
		t.Errorf("%+v, %v", tried, err)
	}
}

func TestFitting(t *testing.T) {
	for _, c := range []struct {
		jobs    int
		clients int64
		limit   uint64
		want    int
	}{
		{4, 1000, 0, 4},
		{4, 1000, 1 << 20, 4},
		{8, 1000, 500_000, 3},
		{8, 1000, 160_000, 1},
	} {
		got, err := Fitting(c.jobs, c.clients, c.limit)
		if err != nil || got != c.want {
			t.Errorf("%+v: got %d, %v", c, got, err)
		}
	}
	if _, err := Fitting(1, 1000, 159_999); err == nil || !strings.Contains(err.Error(), "1000 clients") {
		t.Errorf("got %v", err)
	}
}

func TestClock(t *testing.T) {
	for seconds, want := range map[float64]string{
		0.2: "1 s", 59.6: "60 s", 599.4: "599 s", 600: "10 min", 3599: "1 h 0 min", 12_345: "3 h 26 min", 2e9: "more than 30 years",
	} {
		if got := Clock(seconds); got != want {
			t.Errorf("%v: got %q, want %q", seconds, got, want)
		}
	}
}
