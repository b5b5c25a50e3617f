package experiment

import (
	"strings"
	"testing"
)

func TestQuantileNames(t *testing.T) {
	for _, c := range []struct {
		digits, short string
		q             int64
	}{
		{"5", "5", 50_000},
		{"05", "5", 50_000},
		{"10", "10", 100_000},
		{"75", "75", 750_000},
		{"95", "95", 950_000},
		{"99", "99", 990_000},
		{"990", "99", 990_000},
		{"500", "50", 500_000},
		{"999", "999", 999_000},
		{"9999", "9999", 999_900},
		{"999999", "999999", 999_999},
		{"005", "005", 5_000},
		{"0001", "0001", 100},
		{"000001", "000001", 1},
		{"101", "101", 101_000},
	} {
		q, short, err := quantileDigits(c.digits)
		if err != nil || q != c.q || short != c.short {
			t.Errorf("p%s: %d, p%s (%v); want %d, p%s", c.digits, q, short, err, c.q, c.short)
		}
		// The short name is the same quantile.
		if again, _, err := quantileDigits(short); err != nil || again != q {
			t.Errorf("p%s: %d (%v)", short, again, err)
		}
	}
}

func TestQuantileErrors(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"completion_p0 < 5s", "completion_p0: there is no quantile of 0 %; the smallest is p000001, which is 0.0001 %"},
		{"completion_p00 < 5s", "there is no quantile of 0 %"},
		{"completion_p0000000 < 5s", "there is no quantile of 0 %"},
		{"success_p100 < 5s", "success_p100: two digits are percent and further ones decimals, so this would be 10 %, written p10; 100 % is no quantile, p9999 is 99.99 %"},
		{"success_p1000 < 5s", "100 % is no quantile"},
		{"completion_p9999999 < 5s", "a quantile has 6 digits at most"},
		{"completion_p < 5s", `unknown metric "completion_p"; did you mean completion_p50?; and any quantile, like completion_p95 or success_p9999`},
		{"completion_p99.9 < 5s", "at column 15: decimals of a quantile are further digits: completion_p999 is 99.9 %"},
		{"completion_p9x < 5s", "and any quantile, like completion_p95"},
		{"goodput_p95 < 5s", `unknown metric "goodput_p95"; did you mean goodput?`},
		{"elegance < 5", "success_mean, finished_at, recovery, locked_in; and any quantile, like completion_p95 or success_p9999"},
		{"completion_p95 < 5", "completion_p95 is a duration, written like 60s, not 5"},
		{"success_p95 < never", "success_p95 is always finite"},
		{"completion_p95[service=db] < 5s", "completion_p95 is not measured per service"},
	} {
		err := grid().expect(c.in, 1, 1)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.in, err, c.want)
		}
	}
}

// Quantiles that are no standard column become one, once, however they are
// written.
func TestQuantileColumns(t *testing.T) {
	e := newTest([]string{"none"}, nil, nil, 2, nil)
	before := len(e.metrics)
	for _, x := range []string{
		"completion_p95 < 5s", "completion_p950 < 200% * completion_p99", "completion_p990 < 5s",
		"success_p75[group=clients] < 5s", "completion_p5 < 2s", "completion_p05 < 1s",
	} {
		if err := e.expect(x, 1, 1); err != nil {
			t.Fatal(err)
		}
	}
	want := []struct {
		name, column string
		infinite     bool
		quantile     int64
		value        float64
	}{
		{"completion_p95", "completion_p95_s", true, 0, inf},
		{"success_p75[group=clients]", "success_p75_s[group=clients]", false, 750_000, 5},
		{"completion_p5", "completion_p5_s", true, 0, 1},
	}
	rec, m := parted()
	if len(e.metrics) != before+len(want) {
		t.Fatalf("%d more", len(e.metrics)-before)
	}
	for i, w := range want {
		d := e.metrics[before+i]
		if d.Name != w.name || d.Column != w.column || d.Infinite != w.infinite || d.Quantile != w.quantile || d.Unit != "s" {
			t.Errorf("%+v", d.Metric)
		}
		if got := d.of(rec, m); got != w.value {
			t.Errorf("%s = %v, want %v", d.Name, got, w.value)
		}
	}
	if want := "95 % quantile of the completion time, the unsuccessful as infinite"; e.metrics[before].Help != want {
		t.Error(e.metrics[before].Help)
	}
}

// The pooled quantile is that of all successful requests; nothing else is marked.
func TestQuantilesAreMarked(t *testing.T) {
	want := map[string]int64{"success_p50": 500_000, "success_p90": 900_000, "success_p99": 990_000}
	for _, d := range definitions() {
		if d.Quantile != want[d.Name] {
			t.Errorf("%s: %d", d.Name, d.Quantile)
		}
	}
}

// Calls and waiting together, where somebody has said what a second is worth.
func TestCostMetric(t *testing.T) {
	d := cost(2.5)
	if d.Name != "cost" || d.Column != "cost" || !d.Infinite || d.kind != number {
		t.Fatalf("%+v", d.Metric)
	}
	rec, m := worked(), oneService()
	if got := d.of(rec, m); got != inf {
		t.Errorf("with some unfinished: %v", got)
	}
	rec.Requests, rec.Failed, rec.Unfinished = 8, 0, 0
	if got := d.of(rec, m); got != 40+2.5*8 {
		t.Errorf("%v, want 40 calls and 8 s", got)
	}
	e := newTest([]string{"none"}, nil, nil, 2, nil)
	if err := e.expect("cost < 5", 1, 1); err == nil || !strings.Contains(err.Error(), `unknown metric "cost"`) {
		t.Error(err)
	}
	e.metrics = append(e.metrics, d)
	for _, x := range []string{"cost < 5", "cost < never", "cost < 200% * total_calls"} {
		if err := e.expect(x, 1, 1); err != nil {
			t.Error(err)
		}
	}
	if err := e.expect("cost[t=1s..2s] < 5", 1, 1); err == nil || !strings.Contains(err.Error(), "cost is about the whole run") {
		t.Error(err)
	}
}
