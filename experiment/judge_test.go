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
		{"elegance == 0", `unknown metric "elegance"; there are: total_calls, `},
		{"completion_p99_s < 60", "completion_p99_s is a column; here the unit stands on the number: completion_p99 < 60s"},
		{"peak_load_per_s < 60", "peak_load < 1000/s"},
		{"total_calls[full-jiter] < 5", `at column 13: variant "full-jiter" matches nothing; did you mean full-jitter?; there are: none, full-jitter`},
		{"total_calls[none, full-jitter] < 5", "at column 19: selects two values of variant: none and full-jitter"},
		{"total_calls[clients.count=11] < 5", `clients.count "11" matches nothing; did you mean 10?; there are: 10, 100`},
		{"total_calls[clients.cuont=10] < 5", `nothing is swept by "clients.cuont"; did you mean clients.count?; what can be selected: a variant, clients.count, rate, service, group, class, cause, reason, policy`},
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
		{"total_calls[cause=hegde] < 5", `cause "hegde" matches nothing; did you mean hedge?; there are: first, timeout, refused, reset, status, rejected, hedge, redelivery, redrive, resend, rerun, any`},
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
		{"total_calls < 5 +- 1", "a tolerance goes with ==, !=, <= or >=, not with <"},
		{"total_calls == 5 +- 1s", "the tolerance 1s should be a share of the right side, like 1%, or a plain number"},
		{"total_calls[none] < total_calls[none]", "compares a point with itself"},
		{"total_calls <", "at column 14: expected a metric or a number, found the end"},
	} {
		err := grid().expect(c.in, 1, 7)
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
		if err := e.expect(c.in, 1, 7); err != nil {
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
	one := func(v ...float64) values { return values{"total_calls": v} }
	for _, c := range []struct {
		expect    string
		none, jit values // at the two variants
		ruling    Ruling
		need      int
		detail    string
	}{
		// The interval of 2 values is their mean +- 12.7062 x half their distance;
		// so that of 1 and 2 reaches from -4.8531 to 7.8531.
		{"total_calls[none] < 8", one(1, 2), nil, Pass, 0, "none: total_calls[none] = 1.5 [-4.8531, 7.8531] against 8"},
		{"total_calls[none] > 8", one(1, 2), nil, Fail, 0, ""},
		{"8 > total_calls[none]", one(1, 2), nil, Pass, 0, "none: total_calls[none] = 1.5 [-4.8531, 7.8531] against 8"},
		{"8 <= total_calls[none]", one(1, 2), nil, Fail, 0, ""},
		{"total_calls < 12", one(1, 2), one(3, 4), Pass, 0, "holds at 2 points"},
		// All replications agree, but that may be luck: 2 (6.3531 / 3.5)^2 = 6.59, and
		// (6.3531 / 1.5)^2 x 2 = 35.9.
		{"total_calls < 5", one(1, 2), one(3, 4), Unclear, 34, "none: total_calls = 1.5 [-4.8531, 7.8531] against 5"},
		// One that fails decides, wherever it is.
		{"total_calls < 5", one(1, 2), one(13, 14), Fail, 0, "full-jitter: total_calls = 13.5 [7.1469, 19.8531] against 5"},
		{"total_calls < 3", one(2, 2), one(3, 3), Fail, 0, "full-jitter: total_calls = 3 against 3"},
		{"total_calls <= 3", one(2, 2), one(3, 3), Pass, 0, "holds at 2 points"},
		// No number of replications decides about a mean on the edge.
		{"total_calls <= 1.5", one(1, 2), one(3, 4), Unclear, 0, "none: total_calls = 1.5 [-4.8531, 7.8531] against 1.5"},
		{"total_calls[none] <= 3 +- 5", one(1, 2), nil, Pass, 0, "none: total_calls[none] = 1.5 [-4.8531, 7.8531] against 3 +- 5"},
		{"total_calls[none] >= 0 +- 5", one(1, 2), nil, Pass, 0, ""},

		// Paired: the differences are 1 and 1, whatever the values.
		{"total_calls[none] < total_calls[full-jitter]", one(1, 21), one(2, 22), Pass, 0, "none: total_calls[none] = 11 [-116.062, 138.062] against total_calls[full-jitter] = 12 [-115.062, 139.062]; difference -1"},
		{"total_calls[full-jitter] < 50% * total_calls[none]", one(10, 12), one(4, 5), Pass, 0, ""},
		// Differences 3 and -2: 2 (31.7655 / 0.5)^2 = 8072.4.
		{"total_calls[full-jitter] < 50% * total_calls[none]", one(8, 14), one(7, 5), Unclear, 8071, "full-jitter: total_calls[full-jitter] = 6 [-6.7062, 18.7062] against 50% * total_calls[none] = 5.5 [-13.5593, 24.5593]; difference 0.5 [-31.2655, 32.2655]"},
		{"total_calls[full-jitter] <= total_calls[none] +- 1", one(1, 21), one(2, 22), Pass, 0, ""},
		{"total_calls[full-jitter] == total_calls[none] +- 10%", one(1, 21), one(2, 22), Pass, 0, ""}, // 10 % of 11
		{"total_calls[full-jitter] == total_calls[none] +- 5%", one(1, 21), one(2, 22), Fail, 0, ""},

		// Exactly equal in every replication.
		{"amplification == 64", values{"amplification": {64, 64}}, values{"amplification": {64, 64}}, Pass, 0, ""},
		{"amplification == 64", values{"amplification": {63, 65}}, values{"amplification": {64, 64}}, Fail, 0, "none: amplification = 63 against 64 in replication 1"},
		{"amplification == 64", values{"amplification": {64, 64.0000001}}, values{"amplification": {64, 64}}, Fail, 0, "none: amplification = 64.0000001 against 64 in replication 2"},
		{"amplification != 64", values{"amplification": {64, 65}}, values{"amplification": {64, 64}}, Fail, 0, "none: amplification = 64 against 64 in replication 1"},
		{"amplification != 64", values{"amplification": {63, 65}}, values{"amplification": {65, 66}}, Pass, 0, "holds at 2 points"},

		// Equivalent: the whole interval of 802, 776.6 to 827.4, inside 753.5 to 850.5.
		{"total_calls[none] == 802 +- 4%", one(800, 804), nil, Pass, 0, "none: total_calls[none] = 802 [776.588, 827.412] against 802 +- 4%"},
		// 803 +- 38.119, and 803.96 is the edge: 2 (38.119 / 0.96)^2 = 3153.4.
		{"total_calls[none] == 796 +- 1%", one(800, 806), nil, Unclear, 3152, ""},
		{"total_calls[none] == 702 +- 4%", one(800, 804), nil, Fail, 0, ""},
		{"total_calls[none] != 702 +- 4%", one(800, 804), nil, Pass, 0, ""},
		{"total_calls[none] != 802 +- 4%", one(800, 804), nil, Fail, 0, ""},
		// The whole tolerance lies inside the interval: 4 (23.851 / 6)^2 = 63.2.
		{"total_calls[none] == 796 +- 5", one(790, 825, 801, 812), nil, Unclear, 60, "none: total_calls[none] = 807 [783.149, 830.851] against 796 +- 5"},
		{"total_calls[none] == 796 +- 5", one(802, 802), nil, Fail, 0, "none: total_calls[none] = 802 against 796 +- 5"},
		{"total_calls[none] != 796 +- 5", one(802, 802), nil, Pass, 0, ""},
		{"failed_share[none] == 20% +- 5%", values{"failed_share": {0.2, 0.201}}, nil, Pass, 0, "none: failed_share[none] = 20.05% [19.4147%, 20.6853%] against 20% +- 5%"},

		// A share of 1 in 10 is between 1.8 % and 40.4 % after Wilson.
		{"locked_in[none] < 41%", values{"locked_in": {1, 0, 0, 0, 0, 0, 0, 0, 0, 0}}, nil, Pass, 0, "none: locked_in[none] = 10% [1.78762%, 40.415%] against 41%"},
		{"locked_in[none] > 41%", values{"locked_in": {1, 0, 0, 0, 0, 0, 0, 0, 0, 0}}, nil, Fail, 0, ""},
		// Wilson's interval of 10 % ends below 20 % from 62 on.
		{"locked_in[none] < 20%", values{"locked_in": {1, 0, 0, 0, 0, 0, 0, 0, 0, 0}}, nil, Unclear, 52, ""},

		// Never is a value like any other.
		{"recovery[none] == never", values{"recovery": {inf, inf}}, nil, Pass, 0, "none: recovery[none] = never against never"},
		{"recovery[none] == never", values{"recovery": {inf, 3}}, nil, Fail, 0, "none: recovery[none] = 3s against never in replication 2"},
		{"recovery[none] != never", values{"recovery": {inf, 3}}, nil, Fail, 0, "none: recovery[none] = never against never in replication 1"},
		{"recovery[none] != never", values{"recovery": {7, 3}}, nil, Pass, 0, ""},
		{"recovery[none] != never", values{"recovery": {7, nan}}, nil, Fail, 0, "none: recovery[none] = not available against never in replication 2"},
		{"recovery < never", values{"recovery": {1, 2}}, values{"recovery": {2, 3}}, Pass, 0, ""},
		{"recovery[none] == 60s +- 1%", values{"recovery": {inf, inf}}, nil, Fail, 0, ""},

		// The median of 7 is between the least and the largest, of 5 nobody knows: then
		// all must agree. 5 of 7 are less: 7 (1.96 / (3 / sqrt 7))^2 = 20.9.
		{"completion_p99[none] < 60s", values{"completion_p99": {50, 52, 55, 58, 59, 57, 54}}, nil, Pass, 0, "none: completion_p99[none] = 55s [50s, 59s] against 60s"},
		{"completion_p99[none] < 60s", values{"completion_p99": {50, 52, 55, 58, 59, 61, inf}}, nil, Unclear, 14, "none: completion_p99[none] = 58s [50s, never] against 60s"},
		{"completion_p99[none] < 60s", values{"completion_p99": {61, 62, inf, 65, 66, 71, inf}}, nil, Fail, 0, ""},
		{"completion_p99[none] < 60s", values{"completion_p99": {50, 52, 55}}, nil, Pass, 0, "none: completion_p99[none] = 52s against 60s"},
		{"completion_p99[none] < 60s", values{"completion_p99": {61, 62, inf}}, nil, Fail, 0, ""},
		// 3 (1.96 sqrt 3)^2 = 34.6 for either point; the first is named.
		{"60s > completion_p99", values{"completion_p99": {50, 70, 55}}, values{"completion_p99": {inf, 1, inf}}, Unclear, 32, "none: completion_p99 = 55s against 60s"},
		// Half above and half below.
		{"completion_p99[none] < 60s", values{"completion_p99": {50, 70}}, nil, Unclear, 0, ""},

		// Medians are compared by the signs of the differences.
		{"recovery[full-jitter] < recovery[none]", values{"recovery": {inf, inf}}, values{"recovery": {2, 3}}, Pass, 0, ""},
		{"recovery[full-jitter] < recovery[none]", values{"recovery": {inf, 1, inf}}, values{"recovery": {2, 3, 4}}, Unclear, 32, "full-jitter: recovery[full-jitter] = 3s against recovery[none] = never; less in 2, equal in 0, more in 1 replications"},
		// 6 of 6 is 3.1 % by the sign test, with one that is equal.
		{"recovery[full-jitter] < recovery[none]", values{"recovery": {inf, 1, inf, 2, 3, 4, 9}}, values{"recovery": {2, 0, 4, 1, 2, 3, 9}}, Pass, 0, ""},
		{"recovery[full-jitter] > recovery[none]", values{"recovery": {inf, 1, inf, 2, 3, 4, 9}}, values{"recovery": {2, 0, 4, 1, 2, 3, 9}}, Fail, 0, ""},
		{"recovery[full-jitter] < recovery[none] +- 0s", values{"recovery": {1}}, nil, "", 0, "a tolerance goes with"},
		// 8 of 9 is 3.9 %.
		{"recovery[full-jitter] <= recovery[none] +- 2s", values{"recovery": {inf, 1, 5, 2, 3, 4, 7, 8, 9}}, values{"recovery": {inf, 2, 6, 3, 4, 5, 8, 9, 20}}, Pass, 0, ""},
		{"recovery[full-jitter] == recovery[none] +- 2s", values{"recovery": {inf, 1, 5, 2, 3, 4, 9}}, values{"recovery": {inf, 2, 6, 3, 4, 5, 10}}, Pass, 0, ""},
		{"recovery[full-jitter] == recovery[none] +- 2s", values{"recovery": {0, 1, 5, 2, 3, 4, 7, 8, 9}}, values{"recovery": {inf, 12, 16, 13, 14, 15, 18, 19, 9}}, Fail, 0, ""},
		{"locked_in[full-jitter] < locked_in[none]", values{"locked_in": {1, 1, 1, 1, 1, 1, 0, 0}}, values{"locked_in": {0, 0, 0, 0, 0, 0, 0, 0}}, Pass, 0, ""},
		// 1000 - 10, 19 - 20, 1 - 30: two of three are less.
		{"completion_p99[full-jitter] < completion_p99[none]", values{"completion_p99": {10, 20, 30}}, values{"completion_p99": {1000, 19, 1}}, Unclear, 32, ""},
		{"recovery[full-jitter] < recovery[none]", values{"recovery": {inf, 1}}, values{"recovery": {1, inf}}, Unclear, 0, ""},

		// Not available fails and says so.
		{"recovery[none] < 60s", values{"recovery": {nan, nan}}, nil, Fail, 0, "none: recovery[none] = not available against 60s"},
		{"recovery[none] != never", values{"recovery": {nan, nan}}, nil, Fail, 0, "none: recovery[none] = not available against never"},
		{"recovery[none] < 50% * recovery[full-jitter]", values{"recovery": {1, nan}}, values{"recovery": {nan, 1}}, Fail, 0, ""},

		// One replication is judged on its value.
		{"total_calls < 5", one(4), one(4), Pass, 0, ""},
		{"total_calls[none] > 5", one(4), nil, Fail, 0, ""},
		{"total_calls[none] < total_calls[full-jitter]", one(4), one(5), Pass, 0, ""},

		// Of different numbers of replications those that both have are compared.
		{"total_calls[none] < total_calls[full-jitter]", one(1, 21, 900), one(2, 22), Pass, 0, ""},
		{"total_calls[none] == total_calls[full-jitter]", one(1, 21, 900), one(1, 21), Pass, 0, ""},

		{"total_calls[service=cache] > total_calls[service=db]", values{"total_calls[service=cache]": {5, 5}, "total_calls": {1, 1}}, nil, Pass, 0, ""},
	} {
		e := newTest([]string{"none", "full-jitter"}, nil, nil, 2, nil)
		if err := e.expect(c.expect, 3, 7); err != nil {
			if c.ruling != "" || !strings.Contains(err.Error(), c.detail) {
				t.Errorf("%s: %v", c.expect, err)
			}
			continue
		}
		points := []Point{finished(t, e, 0, c.none)}
		if c.jit != nil {
			points = append(points, finished(t, e, 1, c.jit))
		}
		j := e.Judge(points)[0]
		if j.Ruling != c.ruling || j.Need != c.need || c.detail != "" && j.Detail != c.detail {
			t.Errorf("%s: %s, need %d, %q; want %s, %d, %q", c.expect, j.Ruling, j.Need, j.Detail, c.ruling, c.need, c.detail)
		}
		if j.Text != c.expect || j.Line != 3 || j.Col != 7 {
			t.Errorf("%+v", j)
		}
	}
}

// Every point has its case, and what is undecided asks for the most that one of
// them needs.
func TestCases(t *testing.T) {
	e := newTest([]string{"a", "b", "c"}, nil, nil, 2, nil)
	if err := e.expect("total_calls < 5", 1, 1); err != nil {
		t.Fatal(err)
	}
	var points []Point
	for i, v := range [][]float64{{1, 1}, {1, 2}, {3, 4}} {
		points = append(points, finished(t, e, i, map[string][]float64{"total_calls": v}))
	}
	want := []Case{
		{"a", Pass, "total_calls = 1 against 5", 0},
		{"b", Unclear, "total_calls = 1.5 [-4.8531, 7.8531] against 5", 5},
		{"c", Unclear, "total_calls = 3.5 [-2.8531, 9.8531] against 5", 34},
	}
	j := e.Judge(points)[0]
	if !slices.Equal(j.Cases, want) || j.Need != 34 {
		t.Errorf("need %d of %+v", j.Need, j.Cases)
	}
	// Nothing decides one of them.
	if n := mostNeeded([]Case{{Ruling: Unclear, Need: 5}, {Ruling: Unclear}, {Ruling: Pass}}); n != 0 {
		t.Error(n)
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
		if err := e.expect(x, 1, 7); err != nil {
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
		if err := e.expect(c.in, 1, 7); err != nil {
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
		if err := e.expect(x, 1, 7); err != nil {
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
		if err := grid().expect(text, 1, 7); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
