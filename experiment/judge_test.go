package experiment

import (
	"slices"
	"strings"
	"testing"
)

// grid is two variants at two client counts and two rates.
func grid() *Experiment {
	return newTest([]string{"none", "full-jitter"}, []string{"clients.count", "rate"},
		[][]string{{"10", "100"}, {"60/min", "2/s"}}, 2, nil)
}

func TestExpectErrors(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"totl_calls < 5", `unknown metric "totl_calls"; did you mean total_calls?`},
		{"duplicates == 0", `unknown metric "duplicates"; there are: total_calls, `},
		{"completion_p99_s < 60", "completion_p99_s is a column; here the unit stands on the number: completion_p99 < 60s"},
		{"peak_load_per_s < 60", "peak_load < 1000/s"},
		{"total_calls[full-jiter] < 5", `at column 13: variant "full-jiter" matches nothing; did you mean full-jitter?; there are: none, full-jitter`},
		{"total_calls[none, full-jitter] < 5", "at column 19: selects two values of variant: none and full-jitter"},
		{"total_calls[clients.count=11] < 5", `clients.count "11" matches nothing; did you mean 10?; there are: 10, 100`},
		{"total_calls[clients.cuont=10] < 5", `nothing is swept by "clients.cuont"; did you mean clients.count?; what can be selected: a variant, clients.count, rate, service, group, cause, reason, policy`},
		{"total_calls[service=dB] < 5", `service "dB" matches nothing; did you mean db?; there are: db, cache`},
		{"requests[service=db] < 5", "requests is not measured per service; these are: total_calls, "},
		{"retries[group=clients] < 5", "retries is not measured per group; these are: total_calls, amplification, withheld, requests, "},
		{"total_calls[group=cleints] < 5", `group "cleints" matches nothing; did you mean clients?; there are: clients, any`},
		{"amplification[group=clients, service=cache] < 5", "amplification[service=cache, group=clients]: there are no such calls to that service, only to others: add service=db"},
		{"amplification[policy=sdk] < 5", "amplification is not measured per policy; these are: total_calls, withheld"},
		{"withheld[policy=sdkk] < 5", `policy "sdkk" matches nothing; did you mean sdk?; there are: sdk, any`},
		{"total_calls[policy=sdk, service=cache] < 5", "there are no such calls to that service, only to others: add service=db"},
		{"total_calls[group=clients] < 2 * total_calls", "write [group=any] there for all"},
		{"retries[cause=timeout] < 5", "retries is not measured per cause; these are: total_calls, amplification"},
		{"total_calls[reason=budget] < 5", "at column 13: total_calls is not measured per reason; these are: withheld"},
		{"withheld[reason=bugdet] < 5", `reason "bugdet" matches nothing; did you mean budget?; there are: not-retryable, attempts, elapsed, deadline, retry-after, budget, breaker, limiter`},
		{"withheld[reason=retry] < 5", `reason "retry" matches nothing; there are: not-retryable`},
		{"total_calls[cause=hegde] < 5", `cause "hegde" matches nothing; did you mean hedge?; there are: first, timeout, refused, reset, status, rejected, hedge, redelivery, any`},
		{"requests[group=cleints] < 5", `group "cleints" matches nothing; did you mean clients?; there are: clients, any`},
		{"withheld[reason=budget, reason=breaker] < 5", "selects two values of reason: budget and breaker"},
		{"withheld[raeson=budget] < 5", `nothing is swept by "raeson"; did you mean reason?`},
		{"total_calls[service=any] < 5", `service "any" matches nothing`},
		{"total_calls[cause=hedge] < 5% * total_calls", "compares total_calls[cause=hedge] with itself: what the left side selects holds on the right too; write [cause=any] there for all"},
		{"total_calls[service=cache] < 2 * total_calls", "with itself: what the left side selects holds on the right too"},
		{"completion_p99 < 60", "completion_p99 is a duration, written like 60s, not 60"},
		{"completion_p99 < total_calls", "completion_p99 is a duration, written like 60s, and total_calls is a plain number"},
		{"60 > completion_p99", "completion_p99 is a duration, written like 60s, not 60"},
		{"peak_load < 5", "peak_load is a rate, written like 200/s, not 5"},
		{"locked_in < 0.5", "locked_in is a share: write 50% for 0.5, or 0.5% for 0.5 of a percent"},
		{"failed_share < 1", "failed_share is a share: write 100% for 1, or 1% for 1 of a percent"},
		{"failed_share < 0.1", "failed_share is a share: write 10% for 0.1, or 0.1% for 0.1 of a percent"},
		{"total_calls < never", "total_calls is always finite; only these can be never: completion_p50, "},
		{"5 < 6", "compares two numbers"},
		{"5s * total_calls < 6", "multiplied by a plain number or a share, not by 5s"},
		{"total_calls < 5 +- 1", "a tolerance goes with == or != only"},
		{"total_calls == 5 +- 1s", "the tolerance 1s should be a share of the right side, like 1%, or a plain number"},
		{"total_calls[none] < total_calls[none]", "compares a point with itself"},
		{"total_calls <", "at column 14: expected a metric or a number, found the end"},
	} {
		err := grid().expect(c.in, 1)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.in, err, c.want)
		}
	}
}

// Points that a pair of terms is about: variant, count and rate of either side.
func TestPairs(t *testing.T) {
	e := grid()
	label := func(i int) string {
		p := &e.points[i]
		return p.variant[:1] + p.sweep[0] + p.sweep[1][:1]
	}
	for _, c := range []struct{ in, want string }{
		{"total_calls < 5", "n106 n102 n1006 n1002 f106 f102 f1006 f1002"},
		{"total_calls[none, rate=2/s] < 5", "n102 n1002"},
		{"total_calls[none, rate=1/s] < 5", "n106 n1006"}, // 60/min is 1/s
		{"5 < total_calls[none, clients.count=10]", "n106 n102"},
		// The right side is where the left side is, unless it says otherwise.
		{"total_calls[full-jitter, clients.count=100] < total_calls[none]", "f1006-n1006 f1002-n1002"},
		{"total_calls[clients.count=10] < total_calls[clients.count=100]", "n106-n1006 n102-n1002 f106-f1006 f102-f1002"},
		{"total_calls < total_calls[none]", "f106-n106 f102-n102 f1006-n1006 f1002-n1002"},
		{"retries[none, clients.count=10] < total_calls[none]", "n106 n102"},
		{"retries[none] < total_calls[clients.count=10]", "n106 n102 n1006-n106 n1002-n102"},
	} {
		e.expectations = nil
		if err := e.expect(c.in, 1); err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		var got []string
		for _, p := range e.pairs(&e.expectations[0], e.points) {
			s := label(p[0])
			if p[1] != p[0] {
				s += "-" + label(p[1])
			}
			got = append(got, s)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.in, got, c.want)
		}
	}
}

// finished makes a point whose runs all have the same values, except for those
// given: one per replication.
func finished(t *testing.T, e *Experiment, at int, values map[string][]float64) Point {
	p := Point{Variant: e.points[at].variant, Sweep: e.points[at].sweep}
	for _, v := range values {
		p.Runs = make([]Run, len(v))
	}
	for r := range p.Runs {
		p.Runs[r].Values = make([]float64, len(e.metrics))
		for name, v := range values {
			p.Runs[r].Values[column(t, e, name)] = v[r]
		}
	}
	p.Estimates = estimates(e.metrics, p.Runs)
	return p
}

func TestJudge(t *testing.T) {
	type values = map[string][]float64
	for _, c := range []struct {
		expect    string
		none, jit values // at the two variants
		holds     bool
		undecided bool
		detail    string
	}{
		{"total_calls < 5", values{"total_calls": {1, 2}}, values{"total_calls": {3, 4}}, true, false, "holds at 2 points"},
		{"total_calls < 3.4", values{"total_calls": {1, 2}}, values{"total_calls": {3, 4}}, false, true, "full-jitter: total_calls = 3.5"},
		{"total_calls < 3", values{"total_calls": {2, 2}}, values{"total_calls": {3, 3}}, false, false, "full-jitter: total_calls = 3"},
		{"total_calls[full-jitter] < 50% * total_calls[none]", values{"total_calls": {10, 12}}, values{"total_calls": {4, 5}}, true, false, "full-jitter: total_calls[full-jitter] = 4.5, 50% * total_calls[none] = 5.5"},
		// Means 6 and 5.5; paired differences 3 and -2.
		{"total_calls[full-jitter] < 50% * total_calls[none]", values{"total_calls": {8, 14}}, values{"total_calls": {7, 5}}, false, true, "full-jitter: total_calls[full-jitter] = 6, 50% * total_calls[none] = 5.5"},

		// Exactly equal in every replication, or within a tolerance.
		{"amplification == 64", values{"amplification": {64, 64}}, values{"amplification": {64, 64}}, true, false, ""},
		{"amplification == 64", values{"amplification": {63, 65}}, values{"amplification": {64, 64}}, false, false, "none: amplification = 63 in replication 1"},
		{"amplification == 64", values{"amplification": {64, 64.0000001}}, values{"amplification": {64, 64}}, false, false, "none: amplification = 64.0000001 in replication 2"},
		{"amplification != 64", values{"amplification": {64, 65}}, values{"amplification": {64, 64}}, false, false, "none: amplification = 64 in replication 1"},
		{"amplification != 64", values{"amplification": {63, 65}}, values{"amplification": {65, 66}}, true, false, "holds at 2 points"},
		{"total_calls[none] == 796 +- 1%", values{"total_calls": {800, 804}}, nil, true, true, "none: total_calls[none] = 802"},
		// The whole tolerance lies inside the interval of 807, 783 to 831.
		{"total_calls[none] == 796 +- 5", values{"total_calls": {790, 825, 801, 812}}, nil, false, true, "none: total_calls[none] = 807"},
		{"total_calls[none] == 796 +- 5", values{"total_calls": {802, 802}}, nil, false, false, "none: total_calls[none] = 802"},
		{"total_calls[none] != 796 +- 5", values{"total_calls": {802, 802}}, nil, true, false, ""},
		{"failed_share[none] == 20% +- 1%", values{"failed_share": {0.2, 0.201}}, nil, true, false, "none: failed_share[none] = 20.05%"},

		// Never is a value like any other.
		{"recovery[none] == never", values{"recovery": {inf, inf}}, nil, true, false, "none: recovery[none] = never"},
		{"recovery[none] == never", values{"recovery": {inf, 3}}, nil, false, false, "none: recovery[none] = 3s in replication 2"},
		{"recovery[none] != never", values{"recovery": {inf, 3}}, nil, false, false, "none: recovery[none] = never in replication 1"},
		{"recovery[none] != never", values{"recovery": {7, 3}}, nil, true, false, ""},
		{"recovery[none] != never", values{"recovery": {7, nan}}, nil, false, false, "none: recovery[none] = not available in replication 2"},
		{"recovery < never", values{"recovery": {1, 2}}, values{"recovery": {2, 3}}, true, false, ""},
		{"recovery[full-jitter] < recovery[none]", values{"recovery": {inf, inf}}, values{"recovery": {2, 3}}, true, false, ""},
		{"recovery[full-jitter] < recovery[none]", values{"recovery": {inf, 1, inf}}, values{"recovery": {2, 3, 4}}, true, true, "full-jitter: recovery[full-jitter] = 3s, recovery[none] = never"},
		{"60s > completion_p99", values{"completion_p99": {50, 70, 55}}, values{"completion_p99": {inf, 1, inf}}, false, true, "full-jitter: completion_p99 = never"},

		// The medians say less, the mean difference says more.
		{"completion_p99[full-jitter] < completion_p99[none]", values{"completion_p99": {10, 20, 30}}, values{"completion_p99": {1000, 19, 1}}, true, true, ""},

		// Not available fails and says so.
		{"recovery[none] < 60s", values{"recovery": {nan, nan}}, nil, false, false, "none: recovery[none] = not available"},
		{"recovery[none] != never", values{"recovery": {nan, nan}}, nil, false, false, "none: recovery[none] = not available"},

		// One replication is judged on its value.
		{"total_calls < 5", values{"total_calls": {4}}, values{"total_calls": {4}}, true, false, ""},

		{"total_calls[service=cache] > total_calls[service=db]", values{"total_calls[service=cache]": {5, 5}, "total_calls": {1, 1}}, nil, true, false, ""},
	} {
		e := newTest([]string{"none", "full-jitter"}, nil, nil, 2, nil)
		if err := e.expect(c.expect, 3); err != nil {
			t.Errorf("%s: %v", c.expect, err)
			continue
		}
		points := []Point{finished(t, e, 0, c.none)}
		if c.jit != nil {
			points = append(points, finished(t, e, 1, c.jit))
		}
		j := e.Judge(points)[0]
		want := map[bool]Ruling{true: Pass, false: Fail}[c.holds]
		if c.undecided {
			want = Unclear
		}
		if j.Ruling != want || c.detail != "" && j.Detail != c.detail {
			t.Errorf("%s: %s, %q; want %s, %q", c.expect, j.Ruling, j.Detail, want, c.detail)
		}
		if j.Text != c.expect || j.Line != 3 {
			t.Errorf("%+v", j)
		}
	}
}

// A metric of a part is a column of its own, once; the target's is there.
func TestPartColumns(t *testing.T) {
	e := grid()
	before := len(e.metrics)
	for _, x := range []string{
		"total_calls[service=cache] < 5", "total_calls[service=cache] > 1", "total_calls[service=db] < 5",
		"retries[service=cache] < total_calls", // the right side is about the cache too
	} {
		if err := e.expect(x, 1); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, d := range e.metrics[before:] {
		got = append(got, d.Name)
	}
	if want := []string{"total_calls[service=cache]", "retries[service=cache]"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// What the left side selects holds on the right where it means something there.
func TestPartsAreInherited(t *testing.T) {
	for _, c := range []struct{ in, left, right string }{
		{"withheld[none, service=cache, reason=breaker] > withheld[full-jitter]", "withheld[service=cache, reason=breaker]", "withheld[service=cache, reason=breaker]"},
		{"withheld[reason=breaker] > withheld[reason=budget]", "withheld[reason=breaker]", "withheld[reason=budget]"},
		{"withheld[reason=breaker] < 50% * withheld[reason=any]", "withheld[reason=breaker]", "withheld"},
		{"withheld[service=db] < withheld[service=any]", "withheld[service=db]", "withheld"},
		{"withheld[service=any] < 5 * total_calls", "withheld", "total_calls"},
		{"total_calls[cause=hedge] < 5% * total_calls[cause=any]", "total_calls[cause=hedge]", "total_calls"},
		{"total_calls[service=cache, cause=hedge] < retries", "total_calls[service=cache, cause=hedge]", "retries[service=cache]"},
		{"failed[group=clients] < requests", "failed[group=clients]", "requests[group=clients]"},
		{"total_calls[service=db] < withheld", "total_calls", "withheld[service=db]"},
	} {
		e := grid()
		if err := e.expect(c.in, 1); err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		x := &e.expectations[0]
		if l, r := e.metrics[x.left.metric].Name, e.metrics[x.right.metric].Name; l != c.left || r != c.right {
			t.Errorf("%s: %s and %s", c.in, l, r)
		}
	}
}

// Only what can be compared is judged.
func TestJudgeSomePoints(t *testing.T) {
	e := newTest([]string{"none", "full-jitter"}, nil, nil, 2, nil)
	for _, x := range []string{"total_calls[full-jitter] < total_calls[none]", "total_calls[none] < 5", "total_calls < 5"} {
		if err := e.expect(x, 1); err != nil {
			t.Fatal(err)
		}
	}
	got := e.Judge([]Point{finished(t, e, 1, map[string][]float64{"total_calls": {1, 2}})})
	if len(got) != 1 || got[0].Text != "total_calls < 5" {
		t.Errorf("%+v", got)
	}
}

// Zero is zero in any unit, and what is 0 or 1 in a replication may be called so.
func TestSharesWithoutPercent(t *testing.T) {
	for _, text := range []string{"locked_in == 0", "locked_in == 1", "0 == failed_share"} {
		if err := grid().expect(text, 1); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
