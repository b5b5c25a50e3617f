package experiment

import (
	"strings"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/strategies"
)

// worked is a record small enough to check by hand: 10 requests in 20 s, 8 of
// them succeeded after 1 s, 2 s, ... 8 s, one gave up, one was left.
func worked() *sim.Record {
	rec := &sim.Record{
		Requests: 10, Succeeded: 8, Good: 5, Failed: 1, Unfinished: 1,
		FinishedAt: 15 * time.Second, EndedAt: 20 * time.Second, Done99: sim.Never,
		Row: 10 * time.Second,
		Services: []sim.ServiceRecord{{
			Calls: 40, Retries: 30, Causes: [sim.Causes]int64{sim.First: 10, sim.AfterTimeout: 24, sim.Hedged: 6}, Succeeded: 8, Refused: 2, Reset: 1, Silent: 4, Status: 25,
			Crashes: 2, PeakCalls: 100, PeakRetries: 50, PeakAfter: 10,
			Wasted: sum(3 * time.Second),
			Timeline: []sim.Row{
				{InService: sum(30 * time.Second), Capacity: sum(100 * time.Second)},
				{InService: sum(60 * time.Second), Capacity: sum(50 * time.Second)},
			},
		}},
	}
	for i := range 8 {
		rec.Completion.Add(time.Duration(8-i) * time.Second)
	}
	return rec
}

func sum(d time.Duration) (s sim.Sum) {
	s.Add(1, int64(d))
	return s
}

func TestMetrics(t *testing.T) {
	want := map[string]float64{
		"total_calls":     40,
		"amplification":   4,
		"retries":         30,
		"withheld":        0,
		"peak_load":       1000, // 100 in 100 ms
		"peak_retry":      500,
		"peak_after":      nan, // no trigger
		"peak_load_x":     2,   // 10 workers / 20 ms = 500/s
		"requests":        10,
		"succeeded":       8,
		"failed":          1,
		"unfinished":      1,
		"failed_share":    0.1,
		"offered_load":    0.5,
		"goodput":         0.25,
		"throughput":      1.8, // 36 answers; 4 calls got none
		"failures":        32,
		"wasted_work":     3,
		"utilisation":     0.6,
		"crashes":         2,
		"completion_p50":  5, // rank 5 of 10
		"completion_p90":  inf,
		"completion_p99":  inf,
		"completion_p999": inf,
		"success_p50":     4, // rank 4 of 8
		"success_p90":     8, // rank ceil(7.2)
		"success_p99":     8,
		"success_mean":    4.5,
		"finished_at":     inf, // one is unfinished
		"recovery":        nan,
		"locked_in":       nan,
	}
	for _, d := range definitions() {
		w, ok := want[d.Name]
		if !ok {
			t.Errorf("%s: the table lacks it", d.Name)
		}
		if got := d.of(worked(), oneService()); !near(got, w, 1e-15) {
			t.Errorf("%s = %v, want %v", d.Name, got, w)
		}
	}
}

func TestMetricBranches(t *testing.T) {
	for _, c := range []struct {
		metric string
		change func(*sim.Record, *sim.Model)
		want   float64
	}{
		{"amplification", func(r *sim.Record, _ *sim.Model) { r.Requests = 0 }, nan},
		{"failed_share", func(r *sim.Record, _ *sim.Model) { r.Requests = 0 }, nan},
		{"completion_p50", func(r *sim.Record, _ *sim.Model) { r.Requests, r.Completion = 0, sim.Times{} }, nan},
		{"success_p50", func(r *sim.Record, _ *sim.Model) { r.Completion = sim.Times{} }, nan},
		{"success_mean", func(r *sim.Record, _ *sim.Model) { r.Completion = sim.Times{} }, nan},
		{"finished_at", func(r *sim.Record, _ *sim.Model) { r.Unfinished = 0 }, 15},
		{"finished_at", func(r *sim.Record, _ *sim.Model) { r.Requests = 0 }, nan},
		{"goodput", func(_ *sim.Record, m *sim.Model) { m.Warmup = 10 * time.Second }, 0.5},
		{"goodput", func(_ *sim.Record, m *sim.Model) { m.Warmup = 20 * time.Second }, nan}, // ended before
		// Rows that begin before the warm-up are left out.
		{"utilisation", func(_ *sim.Record, m *sim.Model) { m.Warmup = time.Second }, 1.2},
		{"utilisation", func(_ *sim.Record, m *sim.Model) { m.Warmup = 11 * time.Second }, nan},
		{"utilisation", func(_ *sim.Record, m *sim.Model) { m.Services[0].Spec.Workers = server.Unlimited }, nan},
		{"peak_load_x", func(_ *sim.Record, m *sim.Model) { m.Services[0].Spec.Workers = server.Unlimited }, nan},
		{"peak_after", func(r *sim.Record, _ *sim.Model) { r.HasTrigger = true }, 100},
		{"peak_after", func(r *sim.Record, m *sim.Model) { r.HasTrigger, r.TriggerEnd = true, m.Until }, nan},
		{"peak_after", func(r *sim.Record, m *sim.Model) { r.HasTrigger, r.TriggerEnd = true, m.Until-m.Window+1 }, nan},
		{"peak_after", func(r *sim.Record, m *sim.Model) { r.HasTrigger, r.TriggerEnd = true, m.Until-m.Window }, 100},
	} {
		rec, m := worked(), oneService()
		c.change(rec, m)
		d := metric(t, c.metric)
		if got := d.of(rec, m); !near(got, c.want, 1e-15) {
			t.Errorf("%s = %v, want %v", c.metric, got, c.want)
		}
	}
}

// A quantile is the value of rank ceil(q n), in integers: 0.07 x 100 is 7.
func TestQuantileRank(t *testing.T) {
	var times sim.Times
	for i := range 100 {
		times.Add(time.Duration(i+1) * time.Second)
	}
	for q := int64(1); q <= 100; q++ {
		if got := quantile(&times, 100, q*10_000); got != float64(q) {
			t.Errorf("q = %d %%: %v", q, got)
		}
	}
}

func TestMetricOfService(t *testing.T) {
	rec, m := worked(), oneService()
	m.Services = append(m.Services, sim.Service{Name: "cache"})
	rec.Services = append(rec.Services, sim.ServiceRecord{Calls: 5})
	for service, want := range map[string]float64{"db": 40, "cache": 5, "elsewhere": nan} {
		d := metric(t, "total_calls").only(parts{byService: service})
		if got := d.of(rec, m); !same(got, want) {
			t.Errorf("%s = %v, want %v", d.Name, got, want)
		}
	}
	if d := metric(t, "peak_load").only(parts{byService: "db"}); d.Column != "peak_load_per_s[service=db]" || d.Name != "peak_load[service=db]" {
		t.Errorf("named %s, %s", d.Name, d.Column)
	}
}

// parted is worked with a second service and group, and hops between them: the
// clients call db through two layers, and the jobs the cache.
func parted() (*sim.Record, *sim.Model) {
	rec, m := worked(), oneService()
	m.Services = append(m.Services, sim.Service{Name: "cache"})
	m.Groups = append(m.Groups, sim.Group{Name: "jobs"})
	rec.Services = append(rec.Services, sim.ServiceRecord{Calls: 5, Causes: [sim.Causes]int64{sim.First: 5}})
	rec.Groups = []sim.GroupRecord{
		{Name: "clients", Requests: 6, Succeeded: 6, Good: 4},
		{Name: "jobs", Requests: 4, Succeeded: 2, Good: 1, Failed: 1, Unfinished: 1},
	}
	for i := range 6 {
		rec.Groups[0].Completion.Add(time.Duration(i+1) * time.Second)
	}
	for i := range 2 {
		rec.Groups[1].Completion.Add(time.Duration(i+7) * time.Second)
	}
	hop := func(from, to string, layer int, inner bool, budget, breaker int64) sim.HopRecord {
		h := sim.HopRecord{From: from, To: to, Layer: layer, Inner: inner, Policy: []string{"sdk", "mesh"}[layer], Calls: budget + breaker}
		h.Causes[sim.First], h.Causes[sim.Hedged] = breaker, budget
		h.Withheld[strategies.Retry] = 999 // is no reason
		h.Withheld[strategies.BudgetEmpty], h.Withheld[strategies.BreakerOpen] = budget, breaker
		return h
	}
	rec.Hops = []sim.HopRecord{
		hop("clients", "db", 0, false, 1, 10), hop("clients", "db", 1, true, 2, 0), hop("jobs", "cache", 0, true, 100, 40),
	}
	return rec, m
}

func TestMetricOfParts(t *testing.T) {
	rec, m := parted()
	for _, c := range []struct {
		metric string
		parts  parts
		want   float64
	}{
		{"total_calls", parts{byCause: "hedge"}, 6},
		{"total_calls", parts{byCause: "timeout"}, 24},
		{"total_calls", parts{byService: "cache", byCause: "first"}, 5},
		{"amplification", parts{byCause: "hedge"}, 0.6},
		{"withheld", parts{}, 153},
		{"withheld", parts{byReason: "budget"}, 103},
		{"withheld", parts{byReason: "deadline"}, 0},
		{"withheld", parts{byService: "db"}, 13},
		{"withheld", parts{byService: "cache", byReason: "breaker"}, 40},
		{"withheld", parts{byGroup: "clients"}, 13},
		{"withheld", parts{byGroup: "clients", byService: "cache"}, 0},
		{"withheld", parts{byGroup: "nobody"}, nan},
		{"withheld", parts{byPolicy: "sdk"}, 151},
		{"withheld", parts{byPolicy: "mesh"}, 2},
		{"withheld", parts{byPolicy: "sdk", byGroup: "jobs", byReason: "budget"}, 100},
		// Only the calls of the inner layer reach the service, under both policies.
		{"total_calls", parts{byGroup: "clients"}, 2},
		{"total_calls", parts{byGroup: "jobs"}, 0},
		{"total_calls", parts{byGroup: "jobs", byService: "cache"}, 140},
		{"total_calls", parts{byGroup: "jobs", byService: "cache", byCause: "hedge"}, 100},
		{"total_calls", parts{byPolicy: "sdk"}, 2},
		{"total_calls", parts{byPolicy: "mesh"}, 2},
		{"total_calls", parts{byPolicy: "mesh", byService: "cache"}, 0},
		{"amplification", parts{byGroup: "clients"}, 1. / 3},
		{"amplification", parts{byGroup: "jobs", byService: "cache"}, 35},
		{"requests", parts{byGroup: "jobs"}, 4},
		{"succeeded", parts{byGroup: "jobs"}, 2},
		{"failed", parts{byGroup: "jobs"}, 1},
		{"unfinished", parts{byGroup: "jobs"}, 1},
		{"failed_share", parts{byGroup: "jobs"}, 0.25},
		{"failed_share", parts{byGroup: "clients"}, 0},
		{"offered_load", parts{byGroup: "jobs"}, 0.2},
		{"goodput", parts{byGroup: "jobs"}, 0.05},
		{"completion_p50", parts{byGroup: "jobs"}, 8},
		{"completion_p99", parts{byGroup: "jobs"}, inf},
		{"completion_p99", parts{byGroup: "clients"}, 6},
		{"success_p99", parts{byGroup: "jobs"}, 8},
		{"success_mean", parts{byGroup: "clients"}, 3.5},
	} {
		d := metric(t, c.metric).only(c.parts)
		if got := d.of(rec, m); !near(got, c.want, 1e-15) {
			t.Errorf("%s = %v, want %v", d.Name, got, c.want)
		}
	}
	// The only group has the run's completion times.
	rec.Groups = []sim.GroupRecord{{Name: "clients", Requests: 10}}
	d := metric(t, "completion_p50").only(parts{byGroup: "clients"})
	if got := d.of(rec, m); got != 5 {
		t.Errorf("of the only group: %v", got)
	}
}

// Names are what expectations say, columns need no quotes.
func TestPartNames(t *testing.T) {
	d := metric(t, "withheld").only(parts{byService: "db", byReason: "budget"})
	if d.Name != "withheld[service=db, reason=budget]" || d.Column != "withheld[service=db&reason=budget]" {
		t.Errorf("named %s, %s", d.Name, d.Column)
	}
}

// The column is the name with the unit's suffix, and expectations rely on both
// being unique.
func TestMetricNames(t *testing.T) {
	suffix := map[string]string{"s": "_s", "/s": "_per_s", "x": "", "": ""}
	seen := map[string]bool{}
	for _, d := range definitions() {
		if d.Column != d.Name+suffix[d.Unit] {
			t.Errorf("%s has unit %q and column %s", d.Name, d.Unit, d.Column)
		}
		if seen[d.Name] || seen[d.Column] {
			t.Errorf("%s is there twice", d.Name)
		}
		seen[d.Name], seen[d.Column] = true, true
		if d.Help == "" || strings.Contains(d.Help, "\n") {
			t.Errorf("%s: help %q", d.Name, d.Help)
		}
	}
}
