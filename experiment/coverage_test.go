package experiment

import (
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"retrystorm/sim"
)

// The long version takes some minutes and rewrites the table:
//
//	go test ./experiment -run Coverage -coverage -timeout 1h
var measured = flag.Bool("coverage", false, "measure the coverage of intervals with 1,000 seeds and rewrite testdata/coverage.csv")

const (
	coverageFile = "testdata/coverage.csv"
	coverageHead = `# How often the intervals of 95 % hold the truth, measured with the simulator itself by
# go test ./experiment -run Coverage -coverage (models and methods: coverage_test.go).
# trials have seeds of their own; covered of them held the truth, and least to most is
# what is required of that share. bias is how far the centres are from the truth on
# average, in halves of an interval: what the model's length and warm-up leave, and how
# well the truth is known.
`
)

// A covering is how often an interval holds the truth: a row of the table.
type covering struct {
	interval, model, from string
	truth                 float64
	trials, covered       int
	least, most           float64
	bias                  float64
}

func (c *covering) share() float64 { return float64(c.covered) / float64(c.trials) }

func (c *covering) name() string { return c.interval + ", " + c.model }

// A study is what is measured with one model.
type study struct {
	rows []covering
	// trial makes an estimate for each row from the replications of a seed.
	trial func(r *runner, seed uint64) []Estimate
	// truth finds the truth of each row, where it has no closed form.
	truth func() []float64
}

const (
	trialsOfStudy = 1000
	perTrial      = 20 // replications
	truthRuns     = 100_000
	truthSeed     = 1 << 40 // no trial has it
)

// runner runs replications of a model, one after the other.
type runner struct {
	sim.Runner
	t testing.TB
}

func (r *runner) run(m *sim.Model, seed uint64, replication int) *sim.Record {
	rec, err := r.Run(m, seed, uint64(replication), sim.Options{})
	if err != nil {
		r.t.Error(err)
		runtime.Goexit()
	}
	return rec
}

// eachOf does n things on all cores; what comes out is in order.
func eachOf[T any](t testing.TB, n int, do func(r *runner, i int) T) []T {
	out := make([]T, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			r := &runner{t: t}
			for i := int(next.Add(1) - 1); i < n; i = int(next.Add(1) - 1) {
				out[i] = do(r, i)
			}
		})
	}
	workers.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return out
}

func modelFrom(t testing.TB, src string, args ...any) *sim.Model {
	t.Helper()
	e := mustNew(t, fmt.Sprintf(src, args...))
	m, err := e.model(&e.points[0])
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sojourns is M/M/1 with 500 arrivals and 1,000 services a second. The mean time
// in the system is 2 ms, and its logarithm's tail falls by one each 2 ms.
//
// No request is cut off: all that start, in so many milliseconds after the
// warm-up, finish. The warm-up, 100 mean service times, is 8 relaxation times,
// (1 - sqrt 0.5)^-2 = 11.7 services each, so that of the empty start some e^-8 is
// left. The mean over a number of requests that is itself random has a bias of
// the order of one over that number; the column bias has what it comes to.
func sojourns(t testing.TB, milliseconds int) *sim.Model {
	return modelFrom(t, `name: mm1
until: 1h
warmup: 100ms
clients: {arrival: poisson 500/s at 0s for %dms, calls: db, network: 0s, policy: {max_attempts: 1, timeout: none}}
services:
  db: {workers: 1, service_time: exponential 1ms, queue: unlimited}
`, 100+milliseconds)
}

const meanSojourn = 0.002

// outage is a small server that was down, and clients that all wait for it.
func outage(t testing.TB, backoff string) *sim.Model {
	return modelFrom(t, `name: outage
until: 10m
clients:
  count: 100
  arrival: burst at 0s
  calls: db
  network: 5ms
  policy: {timeout: 500ms, max_attempts: unlimited, retry_on: [timeout, refused, 5xx], backoff: %s}
services:
  db:
    workers: 4
    service_time: exponential 20ms
    queue: 10 full 503
    faults: {outage: down at 0s for 2s answer refused}
`, backoff)
}

// pauses locks in, or not.
func pauses(t testing.TB) *sim.Model {
	return modelFrom(t, `name: pause
until: 24s
clients: {arrival: poisson 50/s, calls: db, network: 0s, policy: {timeout: 500ms, max_attempts: 2, backoff: none}}
services:
  db: {workers: 1, service_time: exponential 10ms, queue: unlimited, faults: {stop: pause at 2s for 1s}}
`)
}

// sampleOf is a metric over the replications of a seed.
func sampleOf(r *runner, d *definition, m *sim.Model, seed uint64, n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = d.of(r.run(m, seed, i), m)
	}
	return values
}

// sorted are the completion times of a record, in seconds.
func sorted(rec *sim.Record) []float64 {
	out := make([]float64, rec.Completion.Len())
	for i := range out {
		out[i] = inSeconds(rec.Completion.Rank(int64(i + 1)))
	}
	return out
}

// p99 is the 99 % quantile of sorted values, as metrics have it.
func p99(sorted []float64) float64 { return sorted[ceilDiv(99*int64(len(sorted)), 100)-1] }

func pooled(replications [][]float64) float64 {
	all := slices.Concat(replications...)
	slices.Sort(all)
	return p99(all)
}

func sectioned(replications [][]float64) Estimate {
	values := make([]float64, len(replications))
	for i := range values {
		values[i] = p99(replications[i])
	}
	return Sectioned(pooled(replications), values)
}

// resampled is the alternative to sectioning for few replications: the 2.5 % and
// 97.5 % quantiles of the pooled quantile over 200 draws of whole replications.
func resampled(replications [][]float64, seed uint64) Estimate {
	r := rand.New(rand.NewPCG(19, seed))
	draws := make([]float64, 200)
	for i := range draws {
		drawn := make([][]float64, len(replications))
		for j := range drawn {
			drawn[j] = replications[r.IntN(len(replications))]
		}
		draws[i] = pooled(drawn)
	}
	slices.Sort(draws)
	return Estimate{Centre: pooled(replications), Lo: draws[4], Hi: draws[195], N: len(replications)}
}

func sojournStudy(t testing.TB) *study {
	m, mean := sojourns(t, 4000), metric(t, "success_mean")
	of99 := -math.Log(0.01) * meanSojourn
	const model, from = "M/M/1 at 50 %, 2000 requests", "closed form"
	return &study{
		rows: []covering{
			{interval: "mean by Student's t", model: "sojourn time of " + model, from: from, truth: meanSojourn, least: 0.93, most: 0.97},
			{interval: "pooled p99 by sectioning", model: "sojourn time of " + model, from: from, truth: of99, least: 0.93, most: 1},
			{interval: "pooled p99 by sectioning, 5 replications", model: "sojourn time of " + model, from: from, truth: of99, least: 0.93, most: 1},
		},
		trial: func(r *runner, seed uint64) []Estimate {
			means, times := make([]float64, perTrial), make([][]float64, perTrial)
			for i := range perTrial {
				rec := r.run(m, seed, i)
				means[i], times[i] = mean.of(rec, m), sorted(rec)
			}
			return []Estimate{Mean(means), sectioned(times), sectioned(times[:5])}
		},
	}
}

func outageStudy(t testing.TB) *study {
	m, other := outage(t, "full-jitter 50ms cap 2s"), outage(t, "decorrelated-jitter 50ms cap 2s")
	calls, completion := metric(t, "total_calls"), metric(t, "completion_p99")
	const model, from = "outage, 100 clients", "100000 replications"
	return &study{
		rows: []covering{
			{interval: "mean by Student's t", model: "total calls of " + model, from: from, least: 0.93, most: 0.97},
			{interval: "median by order statistics", model: "completion p99 of " + model, from: from, least: 0.93, most: 1},
			{interval: "pooled p99 by sectioning", model: "completion time of " + model, from: from, least: 0.93, most: 1},
			{interval: "pooled p99 by sectioning, 5 replications", model: "completion time of " + model, from: from, least: 0.93, most: 1},
			{interval: "pooled p99 by bootstrap, 5 replications (not used)", model: "completion time of " + model, from: from, least: 0, most: 1},
			{interval: "ratio of means by Fieller, pairs", model: "total calls of " + model, from: from, least: 0.93, most: 0.97},
			{interval: "ratio of means by Fieller, independent", model: "total calls of " + model, from: from, least: 0.93, most: 0.97},
		},
		trial: func(r *runner, seed uint64) []Estimate {
			c, p, times := make([]float64, perTrial), make([]float64, perTrial), make([][]float64, perTrial)
			for i := range perTrial {
				rec := r.run(m, seed, i)
				c[i], p[i], times[i] = calls.of(rec, m), completion.of(rec, m), sorted(rec)
			}
			return []Estimate{
				Mean(c), Median(p), sectioned(times), sectioned(times[:5]), resampled(times[:5], seed),
				ratioOf(sampleOf(r, &calls, other, seed, perTrial), c, true),
				ratioOf(sampleOf(r, &calls, other, seed+truthSeed/2, perTrial), c, false),
			}
		},
		truth: func() []float64 {
			type run struct {
				calls, other, p99 float64
				times             []float64
			}
			runs := eachOf(t, truthRuns, func(r *runner, i int) run {
				rec := r.run(m, truthSeed, i)
				one := run{calls: calls.of(rec, m), p99: completion.of(rec, m), times: sorted(rec)}
				one.other = calls.of(r.run(other, truthSeed, i), other)
				return one
			})
			var c, o, p []float64
			times := make([][]float64, len(runs))
			for i, one := range runs {
				c, o, p, times[i] = append(c, one.calls), append(o, one.other), append(p, one.p99), one.times
			}
			mc, _ := moments(c)
			mo, _ := moments(o)
			q := pooled(times)
			return []float64{mc, Median(p).Centre, q, q, q, mo / mc, mo / mc}
		},
	}
}

func ratioOf(a, b []float64, paired bool) Estimate {
	lo, hi := RatioInterval(a, b, paired)
	ma, _ := moments(a)
	mb, _ := moments(b)
	return Estimate{Centre: ma / mb, Lo: lo, Hi: hi, N: len(a)}
}

func pauseStudy(t testing.TB) *study {
	m, locked := pauses(t), metric(t, "locked_in")
	return &study{
		rows: []covering{{
			interval: "share by Wilson", model: "locked in after a pause", from: "100000 replications", least: 0.93, most: 0.98,
		}},
		trial: func(r *runner, seed uint64) []Estimate {
			return []Estimate{Share(sampleOf(r, &locked, m, seed, perTrial))}
		},
		truth: func() []float64 {
			v := eachOf(t, truthRuns, func(r *runner, i int) float64 { return locked.of(r.run(m, truthSeed, i), m) })
			return []float64{Share(v).Centre}
		},
	}
}

// stoppingStudy: a run's mean has a deviation of 20 %, so that about 75
// replications are needed.
func stoppingStudy(t testing.TB) *study {
	m, mean := sojourns(t, 400), metric(t, "success_mean")
	p := Precision{Within: 0.05, Relative: true}
	return &study{
		rows: []covering{{
			interval: "mean by Student's t, stopped when within 5 %", model: "sojourn time of M/M/1 at 50 %, 200 requests",
			from: "closed form", truth: meanSojourn, least: 0.92, most: 1,
		}},
		trial: func(r *runner, seed uint64) []Estimate {
			var values []float64
			for {
				for n := NextLook(len(values), 2000); len(values) < n; {
					values = append(values, mean.of(r.run(m, seed, len(values)), m))
				}
				if e := Mean(values); p.Reached(e) || len(values) == 2000 {
					return []Estimate{e}
				}
			}
		},
	}
}

// measure runs the trials of a study whose truths are known.
func (s *study) measure(t testing.TB, trials int) {
	estimates := eachOf(t, trials, func(r *runner, i int) []Estimate { return s.trial(r, uint64(i+1)) })
	for i := range s.rows {
		c := &s.rows[i]
		var centres, halves []float64
		for _, e := range estimates {
			c.trials++
			if e[i].Lo <= c.truth && c.truth <= e[i].Hi {
				c.covered++
			}
			centres, halves = append(centres, e[i].Centre), append(halves, halfWidth(e[i]))
		}
		mean, _ := moments(centres)
		width, _ := moments(halves)
		c.bias = (mean - c.truth) / width
	}
}

// ranked are the variants of the race: the first has the least calls, by more
// than the zone.
func ranked() []string {
	return []string{
		"full-jitter 50ms cap 2s", "full-jitter 50ms cap 1700ms",
		"decorrelated-jitter 50ms cap 2s", "decorrelated-jitter 45ms cap 2s",
	}
}

var rankedZone = Precision{Within: 0.005, Relative: true}

// rankTrials runs races for the least calls.
func rankTrials(t testing.TB, trials int) covering {
	calls := metric(t, "total_calls")
	var models []*sim.Model
	for _, backoff := range ranked() {
		models = append(models, outage(t, backoff))
	}
	c := covering{
		interval: "best of four picked", model: "total calls of outage, 100 clients", from: "10000 replications",
		trials: trials, least: 0.95, most: 1, bias: nan,
	}
	for _, right := range eachOf(t, trials, func(r *runner, i int) bool {
		s := NewSelection(len(models), perTrial, 0.05, rankedZone, true)
		for n := 0; s.Need() > 0; n++ {
			values := make([]float64, len(models))
			for _, v := range s.Active() {
				values[v] = calls.of(r.run(models[v], uint64(i+1), n), models[v])
			}
			s.Add(values)
		}
		return s.Choice().Best == 0
	}) {
		if right {
			c.covered++
		}
	}
	return c
}

// bestIsBest returns the calls of the first variant and makes sure that the
// others have more, by more than the zone.
func bestIsBest(t testing.TB) float64 {
	calls := metric(t, "total_calls")
	var means []float64
	for _, backoff := range ranked() {
		m := outage(t, backoff)
		v := eachOf(t, 10_000, func(r *runner, i int) float64 { return calls.of(r.run(m, truthSeed, i), m) })
		means = append(means, Mean(v).Centre)
	}
	t.Logf("calls of the variants: %v", means)
	if slices.Min(means[1:]) < means[0]*(1+rankedZone.Within) {
		t.Fatalf("the first is not the best by more than the zone: %v", means)
	}
	return means[0]
}

func studies(t testing.TB) []*study {
	return []*study{sojournStudy(t), outageStudy(t), pauseStudy(t), stoppingStudy(t)}
}

// The table that is committed says what is required, and a short version of
// what it was made with, whose seeds are some of its own, agrees with it. 60
// trials of an interval that covers 93 % miss 13 or more once in 4,000 times; the
// seeds are fixed, and with them none does.
func TestCoverageOfTheSimulator(t *testing.T) {
	if *measured {
		measureCoverage(t)
		return
	}
	table := readCoverage(t)
	if testing.Short() {
		return
	}
	rows := []covering{}
	for _, s := range studies(t) {
		for i := range s.rows {
			s.rows[i].truth = table[s.rows[i].name()].truth
		}
		s.measure(t, 60)
		rows = append(rows, s.rows...)
	}
	rows = append(rows, rankTrials(t, 60))
	if len(rows) != len(table) {
		t.Errorf("%s has %d rows, want %d", coverageFile, len(table), len(rows))
	}
	for _, c := range rows {
		long, ok := table[c.name()]
		switch {
		case !ok:
			t.Errorf("%s: not in %s", c.name(), coverageFile)
		case c.least > 0 && c.share() < c.least-0.13:
			t.Errorf("%s: covers %d of %d", c.name(), c.covered, c.trials)
		case long.least != c.least || long.most != c.most:
			t.Errorf("%s: the table requires %v to %v, the test %v to %v", c.name(), long.least, long.most, c.least, c.most)
		}
	}
}

func measureCoverage(t *testing.T) {
	var rows []covering
	for _, s := range studies(t) {
		if s.truth != nil {
			for i, truth := range s.truth() {
				s.rows[i].truth = truth
			}
		}
		s.measure(t, trialsOfStudy)
		rows = append(rows, s.rows...)
	}
	c := rankTrials(t, 400)
	c.truth = bestIsBest(t)
	writeCoverage(t, append(rows, c))
	readCoverage(t)
}

func coverageColumns() []string {
	return []string{"interval", "model", "truth", "truth_from", "trials", "covered", "share", "least", "most", "bias"}
}

func writeCoverage(t *testing.T, rows []covering) {
	var b strings.Builder
	b.WriteString(coverageHead)
	w := csv.NewWriter(&b)
	number := func(v float64) string {
		if math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', 9, 64)
	}
	records := [][]string{coverageColumns()}
	for _, c := range rows {
		records = append(records, []string{
			c.interval, c.model, number(c.truth), c.from, strconv.Itoa(c.trials), strconv.Itoa(c.covered),
			number(c.share()), number(c.least), number(c.most), number(math.Round(c.bias*1e3) / 1e3),
		})
	}
	if err := w.WriteAll(records); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(coverageFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// readCoverage reads the table and checks what it says.
func readCoverage(t *testing.T) map[string]covering {
	data, err := os.ReadFile(coverageFile)
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(strings.NewReader(string(data)))
	r.Comment = '#'
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(records[0], coverageColumns()) {
		t.Fatalf("columns %v", records[0])
	}
	table := map[string]covering{}
	for _, f := range records[1:] {
		number := func(i int) float64 {
			if f[i] == "" {
				return nan
			}
			v, err := strconv.ParseFloat(f[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		c := covering{
			interval: f[0], model: f[1], truth: number(2), from: f[3], trials: int(number(4)), covered: int(number(5)),
			least: number(7), most: number(8), bias: number(9),
		}
		table[c.name()] = c
		if s := c.share(); s < c.least || s > c.most || c.trials < 400 {
			t.Errorf("%s: covers %d of %d, want %v to %v", c.name(), c.covered, c.trials, c.least, c.most)
		}
		// What is left of the start, and the cut at the end, would show here.
		// Stopping has a bias of its own: it is early where values happen to be
		// low, and vary little then. And few values have other quantiles than many.
		if c.interval == "mean by Student's t" && !(math.Abs(c.bias) < 0.1) {
			t.Errorf("%s: the centres are off by %v halves of an interval", c.name(), c.bias)
		}
	}
	return table
}
