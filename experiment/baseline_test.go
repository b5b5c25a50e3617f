package experiment

import (
	"errors"
	"strings"
	"testing"
)

func TestBaselineErrors(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"total_calls <= baseline[none]", "at column 25: baseline takes no selectors: it is the metric of the other side, at the same point"},
		{"total_calls <= 105% * baseline[clients.count=10]", "baseline takes no selectors"},
		{"total_calls <= 2 * basline", `unknown metric "basline"; did you mean baseline?`},
		{"5 <= baseline", "baseline is the metric of the other side in the baseline, and the other side has none"},
		{"baseline <= baseline", "baseline is the metric of the other side in the baseline, and the other side has none"},
		{"total_calls <= 5s * baseline", "multiplied by a plain number or a share, not by 5s"},
		{"total_calls <= baseline +- 2s", "the tolerance 2s should be a share of the right side, like 1%, or a plain number"},
		{"total_calls < baseline +- 2", "a tolerance goes with ==, !=, <= or >=, not with <"},
	} {
		err := grid().expect(c.in, 1, 1)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.in, err, c.want)
		}
	}
}

// earlier is a result of the same scenario with the points given.
func earlier(t *testing.T, e *Experiment, seed int64, at []int, values ...map[string][]float64) *Result {
	r := &Result{Scenario: e.head.Scenario, Seed: seed}
	for i := range e.metrics {
		r.Metrics = append(r.Metrics, e.metrics[i].Metric)
	}
	for k, i := range at {
		r.Points = append(r.Points, finished(t, e, i, values[min(k, len(values)-1)]))
	}
	return r
}

func TestBaselineIsRefused(t *testing.T) {
	e := grid()
	e.head.Scenario = "storm"
	for _, x := range []string{"total_calls[none] <= baseline", "completion_p95[none] <= baseline", "retries[none] <= 2 * total_calls"} {
		if err := e.expect(x, 1, 1); err != nil {
			t.Fatal(err)
		}
	}
	fine := func() *Result {
		return earlier(t, e, 7, []int{0, 1, 2, 3}, map[string][]float64{"total_calls": {1, 2}})
	}
	for _, c := range []struct {
		change func(r *Result)
		want   string
	}{
		{func(*Result) {}, ""},
		{func(r *Result) { r.Hash = "another" }, ""},
		{func(r *Result) { r.Scenario = "calm" }, "the baseline is of the scenario calm, and this is storm"},
		{func(r *Result) { r.Metrics = r.Metrics[:len(r.Metrics)-1] }, "the baseline lacks the metric completion_p95: it was run without an expectation that names it"},
		{func(r *Result) { r.Metrics = r.Metrics[1:2] }, "the baseline lacks the metric total_calls and 1 more"},
		{func(r *Result) { r.Points = r.Points[:3] }, "the baseline lacks the point none, clients.count=100, rate=2/s; this scenario has 8 points"},
		{func(r *Result) { r.Points = r.Points[:1] }, "the baseline lacks the point none, clients.count=10, rate=2/s and 2 more"},
		{func(r *Result) { r.Points[2].Runs = nil }, "the baseline lacks the point none, clients.count=100, rate=60/min;"},
		{func(r *Result) {
			r.Points[2].Runs = nil
			r.Whole = func(i int) (*Point, error) { return &r.Points[i-1], nil }
		}, "the baseline lacks the point none, clients.count=100, rate=60/min;"},
		{func(r *Result) {
			whole := fine()
			r.Points[2].Runs = nil
			r.Whole = func(i int) (*Point, error) { return &whole.Points[i], nil }
		}, ""},
		{func(r *Result) {
			r.Points[2].Runs = nil
			r.Whole = func(int) (*Point, error) { return nil, errors.New("gone") }
		}, "baseline: gone"},
	} {
		r := fine()
		c.change(r)
		err := e.SetBaseline(r)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestJudgeAgainstBaseline(t *testing.T) {
	type values = map[string][]float64
	const same, other = 7, 8 // seeds
	one := func(v ...float64) values { return values{"total_calls": v} }
	for _, c := range []struct {
		expect    string
		seed      int64
		now, then values
		ruling    Ruling
		need      int
		detail    string
	}{
		// Paired the difference is 1 in both; apart nobody knows.
		{"total_calls < baseline", same, one(1, 21), one(2, 22), Pass, 0, "none: total_calls = 11 [-116.062, 138.062] against baseline = 12 [-115.062, 139.062]; difference -1"},
		{"total_calls < baseline", other, one(1, 21), one(2, 22), Unclear, 0, ""},
		{"baseline > total_calls", same, one(1, 21), one(2, 22), Pass, 0, "none: baseline = 12 [-115.062, 139.062] against total_calls = 11 [-116.062, 138.062]; difference 1"},
		// Differences -1 and 0: 2 (6.3531 / 0.5)^2 = 322.9.
		{"total_calls <= 105% * baseline", same, one(104, 210), one(100, 200), Unclear, 321, "none: total_calls = 157 [-516.429, 830.429] against 105% * baseline = 157.5 [-509.576, 824.576]; difference -0.5 [-6.8531, 5.8531]"},
		{"total_calls == baseline +- 1%", same, one(99.9, 100.1), one(100.1, 100.3), Pass, 0, ""},
		// After Welch, see TestWelch.
		{"total_calls < baseline", other, one(1, 2, 3), one(2, 4, 6, 8), Unclear, 0, "none: total_calls = 2 [-0.484138, 4.48414] against baseline = 5 [0.891479, 9.10852]; difference -3 [-6.89798, 0.897975]"},
		{"baseline < total_calls", other, one(2, 4, 6, 8), one(1, 2, 3), Unclear, 4, ""},
		{"total_calls <= baseline +- 1", other, one(1, 2, 3), one(2, 4, 6, 8), Pass, 0, ""},
		{"total_calls > baseline", other, one(1, 2, 3), one(12, 14, 16, 18), Fail, 0, ""},
		// All runs are equal, and so it does not matter which is paired with which.
		{"total_calls == baseline", other, one(3, 3), one(3, 3, 3), Pass, 0, ""},
		{"total_calls == baseline", other, one(3, 3), one(3, 3, 4), Fail, 0, "none: total_calls = 3 against baseline = 4"},
		{"total_calls == baseline", same, one(3, 3), one(3, 3, 4), Pass, 0, ""},
		{"total_calls == baseline", same, one(3, 4), one(3, 3), Fail, 0, "none: total_calls = 4 against baseline = 3 in replication 2"},
		{"total_calls != baseline", other, one(3, 4), one(4, 5), Fail, 0, ""},
		{"total_calls != baseline", same, one(3, 4), one(4, 5), Pass, 0, ""},
		// Medians: 1 to 6 against 7 to 12.
		{"completion_p99 < baseline", other, values{"completion_p99": {1, 2, 3, 4, 5, 6}}, values{"completion_p99": {7, 8, 9, 10, 11, inf}}, Pass, 0, "none: completion_p99 = 3.5s [1s, 6s] against baseline = 9.5s [7s, never]"},
		{"completion_p99 < baseline", other, values{"completion_p99": {1, 2, 3, 4, 5, inf}}, values{"completion_p99": {7, 8, 9, 10, 11, inf}}, Unclear, 0, ""},
		{"completion_p99 < baseline", other, values{"completion_p99": {1}}, values{"completion_p99": {7}}, Pass, 0, ""},
		{"completion_p99 <= baseline +- 2s", same, values{"completion_p99": {1, 5, 9}}, values{"completion_p99": {1, 3, 8}}, Pass, 0, "none: completion_p99 = 5s against baseline = 3s +- 2s; less in 0, equal in 1, more in 2 replications"},
		{"completion_p99 <= baseline", same, values{"completion_p99": {nan, nan}}, values{"completion_p99": {1, 3}}, Fail, 0, "none: completion_p99 = not available against baseline = 2s"},
	} {
		e := newTest([]string{"none"}, nil, nil, 2, nil)
		if err := e.expect(c.expect, 1, 1); err != nil {
			t.Errorf("%s: %v", c.expect, err)
			continue
		}
		points := []Point{finished(t, e, 0, c.now)}
		if j := e.Judge(points)[0]; j.Ruling != Skipped || j.Detail != "needs --baseline DIR" || j.Need != 0 {
			t.Errorf("%s without a baseline: %+v", c.expect, j)
		}
		if err := e.SetBaseline(earlier(t, e, c.seed, []int{0}, c.then)); err != nil {
			t.Errorf("%s: %v", c.expect, err)
			continue
		}
		j := e.Judge(points)[0]
		if j.Ruling != c.ruling || j.Need != c.need || c.detail != "" && j.Detail != c.detail {
			t.Errorf("%s: %s, need %d, %q; want %s, %d, %q", c.expect, j.Ruling, j.Need, j.Detail, c.ruling, c.need, c.detail)
		}
	}
}

// Each point is compared with its own past.
func TestBaselineOfPoints(t *testing.T) {
	e := grid()
	if err := e.expect("total_calls[full-jitter, rate=2/s] <= baseline", 1, 1); err != nil {
		t.Fatal(err)
	}
	var now, then []Point
	for i := range e.points {
		v := float64(i)
		now = append(now, finished(t, e, i, map[string][]float64{"total_calls": {v, v}}))
		then = append(then, finished(t, e, i, map[string][]float64{"total_calls": {v, v}}))
	}
	then[7].Runs[1].Values[column(t, e, "total_calls")]-- // full-jitter, 100, 2/s
	r := earlier(t, e, 7, nil)
	r.Points = then
	if err := e.SetBaseline(r); err != nil {
		t.Fatal(err)
	}
	j := e.Judge(now)[0]
	if len(j.Cases) != 2 || j.Cases[0].Ruling != Pass || j.Cases[1].Ruling != Unclear || j.Cases[1].Point != "full-jitter, clients.count=100, rate=2/s" {
		t.Errorf("%+v", j.Cases)
	}
}

func TestCondition(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"total_calls[none] < 5", "select no variant and no value of an axis"},
		{"total_calls < 2 * retries[rate=2/s]", "select no variant and no value of an axis"},
		{"total_calls < baseline", "this is about one point alone, and cannot be compared with a baseline"},
		{"totl_calls < 5", "did you mean total_calls?"},
		{"total_calls <", "at column 14"},
	} {
		if _, err := grid().condition(c.in, 1, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.in, err)
		}
	}
	for _, c := range []struct {
		in     string
		values map[string][]float64
		want   Case
	}{
		{"total_calls < 8", map[string][]float64{"total_calls": {1, 2}}, Case{"none, clients.count=10, rate=60/min", Pass, "total_calls = 1.5 [-4.8531, 7.8531] against 8", 0}},
		{"total_calls < 5", map[string][]float64{"total_calls": {1, 2}}, Case{"none, clients.count=10, rate=60/min", Unclear, "total_calls = 1.5 [-4.8531, 7.8531] against 5", 5}},
		{"failed > 5% * requests", map[string][]float64{"failed": {6, 8}, "requests": {100, 140}}, Case{"none, clients.count=10, rate=60/min", Pass, "failed = 7 [-5.7062, 19.7062] against 5% * requests = 6 [-6.7062, 18.7062]; difference 1", 0}},
		{"total_calls[service=cache, t=1s..20s] == 3", map[string][]float64{"total_calls[service=cache, t=1s..20s]": {3, 4}}, Case{"none, clients.count=10, rate=60/min", Fail, "total_calls[service=cache, t=1s..20s] = 4 against 3 in replication 2", 0}},
		{"completion_p95 < 2s", map[string][]float64{"completion_p95": {3, inf}}, Case{"none, clients.count=10, rate=60/min", Fail, "completion_p95 = never against 2s", 0}},
	} {
		e := grid()
		x, err := e.condition(c.in, 1, 1)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		p := finished(t, e, 0, c.values)
		if got, _ := x.judge(&p); got != c.want {
			t.Errorf("%s: %+v\nwant %+v", c.in, got, c.want)
		}
		if len(e.expectations) != 0 {
			t.Errorf("%s became an expectation", c.in)
		}
	}
}

// Expectations on what was left out say what there is.
func TestFilteredVariant(t *testing.T) {
	e := newTest([]string{"full-jitter"}, nil, nil, 2, nil)
	for _, x := range []string{"total_calls[none] < 5", "total_calls[full-jitter] < total_calls[none]"} {
		err := e.expect(x, 1, 1)
		if err == nil || !strings.Contains(err.Error(), `variant "none" matches nothing; there are: full-jitter`) {
			t.Errorf("%s: %v", x, err)
		}
	}
}
