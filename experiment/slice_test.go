package experiment

import (
	"strings"
	"testing"
	"time"

	"retrystorm/sim"
)

func TestParseSlice(t *testing.T) {
	for _, c := range []struct {
		in       string
		from, to time.Duration
		name     string
	}{
		{"60s..120s", time.Minute, 2 * time.Minute, "60s..120s"},
		{"1m..2m", time.Minute, 2 * time.Minute, "60s..120s"},
		{"0..500ms", 0, 500 * time.Millisecond, "0s..0.5s"},
		{"1m30s .. 1h", 90 * time.Second, time.Hour, "90s..3600s"},
		{"1ns..1000h1ns", 1, 1000*time.Hour + 1, "0.000000001s..3600000.000000001s"},
	} {
		s, err := parseSlice(c.in)
		if err != nil || s != (sim.Slice{From: c.from, To: c.to}) || sliceName(s) != c.name {
			t.Errorf("%s: %v, %s (%v)", c.in, s, sliceName(s), err)
		}
		if again, err := parseSlice(c.name); err != nil || again != s {
			t.Errorf("%s is %v again (%v)", c.name, again, err)
		}
	}
}

func TestSliceErrors(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"total_calls[t=60s] < 5", "at column 13: an interval of time is written like t=60s..120s, not t=60s"},
		{"total_calls[t=..20s] < 5", "t=..20s: expected a number"},
		{"total_calls[t=10s..] < 5", "t=10s..: expected a number"},
		{"total_calls[t=10..20] < 5", `t=10..20: "10" is no time, written like 60s`},
		{"total_calls[t=10s..20] < 5", `"20" is no time, written like 60s`},
		{"total_calls[t=10s..20x] < 5", `unknown unit "x"; allowed: ns us`},
		{"total_calls[t=10s..20s..30s] < 5", "t=10s..20s..30s: "},
		{"total_calls[t=1/s..20s] < 5", `"1/s" is no time`},
		{"total_calls[t=20s..20s] < 5", "t=20s..20s is empty: it ends at 20s and starts at 20s"},
		{"total_calls[t=20s..10s] < 5", "is empty: it ends at 10s and starts at 20s"},
		{"total_calls[t=20s..61s] < 5", "t=20s..61s ends after the run, which takes 60s, at none, clients.count=10, rate=60/min"},
		{"total_calls[t=0s..2s] < 5", "t=0s..2s is in the warm-up of 2s, in which nothing counts"},
		{"peak_load[t=20s..20050ms] < 5/s", "peak_load is the largest number in a window, and in t=20s..20.05s lies none: they are 0.1s wide and start at 0"},
		{"peak_retry[t=20050ms..20199ms] < 5/s", "in t=20.05s..20.199s lies none"},
		{"total_calls[t=20s..30s, t=30s..40s] < 5", "selects two values of t: 20s..30s and 30s..40s"},
		{"recovery[t=20s..30s] < 5s", "recovery is about the whole run; these can be about an interval of it: total_calls, amplification, retries, withheld, peak_load, peak_retry, requests, succeeded, failed, unfinished, failed_share, offered_load, goodput, throughput, failures, completion_p50, completion_p90, completion_p99, completion_p999, success_p50, success_p90, success_p99, success_mean"},
		{"peak_load_x[t=20s..30s] < 5", "peak_load_x is about the whole run"},
		{"requests[t=20s..30s, service=db] < 5", "requests is not measured per service"},
		{"total_calls[t=20s..30s] < 2 * total_calls", "compares total_calls[t=20s..30s] with itself: what the left side selects holds on the right too; write [t=any] there for all"},
		{"total_calls[t=20s..30s, group=clients, service=cache] < 5", "there are no such calls to that service, only to others: add service=db"},
	} {
		e := grid()
		for i := range e.points {
			e.points[i].warmup = 2 * time.Second
		}
		err := e.expect(c.in, 1, 1)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.in, err, c.want)
		}
	}
}

// An interval is one however it is written, and the right side is about the
// same unless it says otherwise.
func TestSlicesAreBound(t *testing.T) {
	for _, c := range []struct{ in, left, right string }{
		{"total_calls[t=20s..30s] < 2 * requests", "total_calls[t=20s..30s]", "requests[t=20s..30s]"},
		{"total_calls[t=1s..1m] < 2 * total_calls[t=any]", "total_calls[t=1s..60s]", "total_calls"},
		{"goodput[t=1s..20s] < goodput[t=20s..40s]", "goodput[t=1s..20s]", "goodput[t=20s..40s]"},
		{"failed[group=clients, t=1s..20s] < requests", "failed[group=clients, t=1s..20s]", "requests[group=clients, t=1s..20s]"},
		{"peak_load[t=20s..20100ms] < throughput", "peak_load[t=20s..20.1s]", "throughput[t=20s..20.1s]"},
		{"peak_load[service=cache, t=1s..60s] < 2 * peak_load[service=db]", "peak_load[service=cache, t=1s..60s]", "peak_load[service=db, t=1s..60s]"},
		{"withheld[reason=budget, t=1s..20s] > withheld[reason=any]", "withheld[reason=budget, t=1s..20s]", "withheld[t=1s..20s]"},
		{"total_calls[group=clients, cause=hedge, t=1s..20s] < 50% * total_calls[cause=first]", "total_calls[group=clients, cause=hedge, t=1s..20s]", "total_calls[group=clients, cause=first, t=1s..20s]"},
		{"completion_p95[t=1s..2s] < completion_p75", "completion_p95[t=1s..2s]", "completion_p75[t=1s..2s]"},
	} {
		e := newTest([]string{"none"}, nil, nil, 2, nil)
		// The target needs no name.
		db := strings.NewReplacer("service=db, ", "")
		if err := e.expect(c.in, 1, 1); err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		x := &e.expectations[0]
		l, r := e.metrics[x.left.metric].Name, e.metrics[x.right.metric].Name
		if l != c.left || r != db.Replace(c.right) && r != c.right {
			t.Errorf("%s: %s and %s", c.in, l, r)
		}
	}
}

// A model gets each interval once, whatever is asked about it.
func TestEquip(t *testing.T) {
	e := newTest([]string{"none"}, nil, nil, 2, nil)
	for _, x := range []string{"total_calls[t=1s..20s] < 5", "requests[t=1s..20s] < 2 * requests[t=20s..30s]", "failed < 5"} {
		if err := e.expect(x, 1, 1); err != nil {
			t.Fatal(err)
		}
	}
	m := oneService()
	for range 2 {
		e.equip(m)
		if len(m.Slices) != 2 || m.Slices[0].To != 20*time.Second || m.Slices[1].From != 20*time.Second {
			t.Errorf("%v", m.Slices)
		}
	}
}

// sliced is parted with a slice of 10 s from 5 s on, in which things are of
// other sizes.
func sliced() (*sim.Record, *sim.Model) {
	rec, m := parted()
	s := sim.SliceRecord{
		Slice:    sim.Slice{From: 5 * time.Second, To: 15 * time.Second},
		All:      sim.GroupRecord{Requests: 8, Succeeded: 4, Good: 2, Failed: 3, Unfinished: 1},
		Groups:   []sim.GroupRecord{{Name: "clients", Requests: 5, Succeeded: 3, Good: 2, Failed: 2}, {Name: "jobs", Requests: 3, Succeeded: 1, Failed: 1, Unfinished: 1}},
		Services: []sim.SliceService{{PeakCalls: 7, PeakRetries: 3, Succeeded: 4, Failed: 5, Silent: 1}, {PeakCalls: 2}},
		Hops:     make([]sim.SliceHop, len(rec.Hops)),
	}
	for i := range 4 {
		s.All.Completion.Add(time.Duration(i+1) * time.Second)
		s.Groups[i/3].Completion.Add(time.Duration(i+1) * time.Second)
	}
	s.Hops[1].Causes[sim.First], s.Hops[1].Causes[sim.AfterTimeout] = 5, 3
	s.Hops[2].Causes[sim.First] = 2
	s.Hops[0].Withheld[len(reasons())], s.Hops[2].Withheld[len(reasons())] = 6, 1
	rec.Slices = []sim.SliceRecord{{Slice: sim.Slice{To: 5 * time.Second}}, s}
	return rec, m
}

func TestMetricsOfSlices(t *testing.T) {
	last := reasons()[len(reasons())-1]
	for _, c := range []struct {
		metric string
		parts  parts
		want   float64
	}{
		{"total_calls", parts{}, 8},
		{"total_calls", parts{byService: "cache"}, 2},
		{"total_calls", parts{byCause: "timeout"}, 3},
		{"total_calls", parts{byGroup: "clients"}, 8},
		{"total_calls", parts{byGroup: "jobs"}, 0},
		{"total_calls", parts{byPolicy: "sdk"}, 8},
		{"amplification", parts{}, 1},
		{"amplification", parts{byGroup: "clients"}, 1.6},
		{"retries", parts{}, 3},
		{"retries", parts{byService: "cache"}, 0},
		{"withheld", parts{}, 7},
		{"withheld", parts{byReason: last, byGroup: "jobs"}, 1},
		{"withheld", parts{byReason: "budget"}, 0},
		{"peak_load", parts{}, 70},
		{"peak_load", parts{byService: "cache"}, 20},
		{"peak_retry", parts{}, 30},
		{"requests", parts{}, 8},
		{"requests", parts{byGroup: "jobs"}, 3},
		{"succeeded", parts{}, 4},
		{"failed", parts{}, 3},
		{"unfinished", parts{}, 1},
		{"failed_share", parts{byGroup: "clients"}, 0.4},
		{"offered_load", parts{}, 0.8},
		{"goodput", parts{}, 0.2},
		{"throughput", parts{}, 0.9},
		{"failures", parts{}, 6},
		{"completion_p50", parts{}, 4},
		{"completion_p90", parts{}, inf},
		{"success_p50", parts{}, 2},
		{"success_p99", parts{byGroup: "clients"}, 3},
		{"success_mean", parts{byGroup: "jobs"}, 4},
	} {
		rec, m := sliced()
		c.parts[byTime] = "5s..15s"
		d := metric(t, c.metric).only(c.parts)
		if got := d.of(rec, m); !near(got, c.want, 1e-15) {
			t.Errorf("%s = %v, want %v", d.Name, got, c.want)
		}
		if d.Column != strings.Replace(d.Column, ",", "", 1) || !strings.Contains(d.Name, "t=5s..15s") {
			t.Errorf("named %s, %s", d.Name, d.Column)
		}
	}
	// What the warm-up takes of an interval does not count as time.
	rec, m := sliced()
	m.Warmup = 11 * time.Second
	d := metric(t, "offered_load").only(parts{byTime: "5s..15s"})
	if got := d.of(rec, m); got != 2 {
		t.Errorf("after the warm-up: %v", got)
	}
	// Where nothing was counted, nothing is known.
	for _, p := range []parts{{byTime: "5s..16s"}, {byTime: "5s..15s", byGroup: "nobody"}} {
		d := metric(t, "requests").only(p)
		if got := d.of(rec, m); !same(got, nan) {
			t.Errorf("%s = %v", d.Name, got)
		}
	}
}

const windows = `name: windows
seed: 1
replications: 2
until: 10s
clients:
  arrival: constant 10/s
  calls: db
  policy: {timeout: none, max_attempts: 2, retry_on: [refused], backoff: fixed 1s}
  network: 0s
services:
  db:
    workers: unlimited
    service_time: constant 10ms
    faults: {outage: down at 4s for 500ms answer refused}
expect:
`

// Every count is known. 10 requests start each second, the first of them at 0,
// 0.1 s apart. Those of 4 s to 4.4 s are refused and call again 1 s later.
func TestSlicesEndToEnd(t *testing.T) {
	for _, x := range []string{
		"total_calls == 105",
		"total_calls[t=0s..4s] == 40",
		"total_calls[t=4s..5s] == 10",
		"total_calls[t=5s..6s] == 15",
		"total_calls[t=5s..6s, group=clients, cause=refused] == 5",
		"total_calls[t=5s..6s, service=db, cause=first] == 10",
		"retries[t=5s..5400ms] == 4",
		"retries[t=4s..5s] == 0",
		"requests[t=4s..5s] == 10",
		"succeeded[t=4s..5s, group=clients] == 10",
		"failures[t=4s..4500ms] == 5",
		"failures[t=4500ms..10s] == 0",
		"throughput[t=4s..5s] == 10/s",
		"peak_load[t=4s..5s] == 10/s",
		"peak_load[t=5s..6s] == 20/s",
		"peak_retry[t=5s..6s] == 10/s",
		"offered_load[t=2s..4s] == 10/s",
		"amplification[t=5s..6s] == 1.5",
		"completion_p50[t=4s..4500ms] == 1010ms",
		"completion_p5[t=4s..5s] == 10ms",
		"completion_p50[t=4s..5s] == 10ms",
		"completion_p51[t=4s..5s] == 1010ms",
		"success_mean[t=4s..5s] == 510ms",
		"withheld[t=0s..10s] == 0",
		"total_calls[t=0s..10s] == total_calls[t=any]",
		"failed_share[t=4s..5s] == 0%",
		"unfinished[t=9s..10s] == 0",
	} {
		e, err := New(load(t, windows+"  - "+x))
		if err != nil {
			t.Errorf("%s: %v", x, err)
			continue
		}
		r, err := e.Run(Options{Jobs: 2})
		if err != nil {
			t.Fatal(err)
		}
		if j := r.Expectations[0]; j.Ruling != Pass {
			t.Errorf("%s: %s, %s", x, j.Ruling, j.Detail)
		}
	}
}
