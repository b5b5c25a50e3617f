package sim_test

import (
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
)

// oracle is a row of testdata/oracles.csv.
type oracle struct {
	family, params, quantity string
	value                    float64
}

// oracles are the rows of a family.
func oracles(t testing.TB, family string) []oracle {
	t.Helper()
	var rows []oracle
	for _, r := range readCSV(t, "testdata/oracles.csv") {
		if r["name"] == family {
			rows = append(rows, oracle{family, r["params"], r["quantity"], number(t, r["value"])})
		}
	}
	if len(rows) == 0 {
		t.Fatalf("no oracle of family %s", family)
	}
	return rows
}

// param is the number that follows name= in the parameters.
func (o oracle) param(t testing.TB, name string) float64 {
	t.Helper()
	for _, p := range strings.FieldsFunc(o.params, func(r rune) bool { return r == ';' || r == ' ' || r == ',' }) {
		if v, ok := strings.CutPrefix(p, name+"="); ok {
			return number(t, v)
		}
	}
	t.Fatalf("no %s in %q", name, o.params)
	return 0
}

func number(t testing.TB, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// readCSV reads a file with a header into one map per row.
func readCSV(t testing.TB, name string) []map[string]string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, r := range all[1:] {
		row := map[string]string{}
		for i, h := range all[0] {
			row[h] = r[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// sample is one number per replication.
type sample []float64

func (s sample) mean() float64 {
	sum := 0.0
	for _, x := range s {
		sum += x
	}
	return sum / float64(len(s))
}

func (s sample) variance() float64 {
	m, sum := s.mean(), 0.0
	for _, x := range s {
		sum += (x - m) * (x - m)
	}
	return sum / float64(len(s)-1)
}

// se is the standard error of the mean.
func (s sample) se() float64 { return math.Sqrt(s.variance() / float64(len(s))) }

// agree applies the pass rule |estimate - value| <= 4 SE. The seeds are fixed,
// so a test that passes once passes always; a model that is right has failed
// it with probability 6e-5 when it was written.
func agree(t *testing.T, what string, estimate, se, value float64) {
	t.Helper()
	if z := math.Abs(estimate-value) / se; !(z <= 4) && estimate != value {
		t.Errorf("%s: %.6g, want %.6g: off by %.2f standard errors", what, estimate, value, z)
	}
}

// visits are the waits and sojourns of the calls at a single service, by
// replication, in seconds.
type visits struct {
	waits, sojourns  [][]float64
	lq, busy, length sample // time averages
	blocked, waited  sample // shares of the calls that arrived; of those accepted
	throughput       sample
}

// watch runs replications of an open model and notes every visit.
func watch(t testing.TB, m *sim.Model, replications int) *visits {
	t.Helper()
	v := &visits{}
	var r sim.Runner
	for i := range replications {
		var arrived []time.Duration
		var waits, sojourns []float64
		delayed, calls, blocked, served := 0, 0, 0, 0
		rec, err := r.Run(m, 1, uint64(i), sim.Options{Trace: func(e sim.TraceEvent) {
			switch e.Kind {
			case sim.TraceArrived:
				for int64(len(arrived)) <= e.Client {
					arrived = append(arrived, 0)
				}
				arrived[e.Client] = e.At
				if e.At >= m.Until/10 {
					calls++
					if e.Fate == server.Answered {
						blocked++
					}
				}
			case sim.TraceServing:
				if arrived[e.Client] < m.Until/10 {
					return // while the empty start fades
				}
				w := e.At - arrived[e.Client]
				waits = append(waits, w.Seconds())
				if w > 0 {
					delayed++
				}
			case sim.TraceServed:
				if e.At >= m.Until/10 {
					served++
				}
			case sim.TraceAnswer:
				if e.Answer == 0 && arrived[e.Client] >= m.Until/10 {
					sojourns = append(sojourns, (e.At - arrived[e.Client]).Seconds())
				}
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		var waiting, serving sim.Sum
		// Time averages leave out a tenth, in which the empty start fades.
		rows := rec.Services[0].Timeline
		cut := len(rows) / 10
		for j := range rows[cut:] {
			waiting.Merge(rows[cut+j].Waiting)
			serving.Merge(rows[cut+j].InService)
		}
		span := float64(m.Until - time.Duration(cut)*rec.Row)
		v.lq = append(v.lq, waiting.Float()/span)
		v.busy = append(v.busy, serving.Float()/span)
		v.length = append(v.length, (waiting.Float()+serving.Float())/span)
		v.blocked = append(v.blocked, float64(blocked)/float64(calls))
		v.throughput = append(v.throughput, float64(served)/(m.Until-m.Until/10).Seconds())
		v.waited = append(v.waited, float64(delayed)/float64(len(waits)))
		v.waits, v.sojourns = append(v.waits, waits), append(v.sojourns, sojourns)
	}
	return v
}

// sectioned is a quantile of all values pooled, with a standard error from the
// spread of the replications' own quantiles: values inside one run depend on
// each other, replications do not.
func sectioned(sections [][]float64, q float64) (estimate, se float64) {
	var own sample
	var pool []float64
	for _, s := range sections {
		s = slices.Sorted(slices.Values(s))
		own = append(own, s[int(q*float64(len(s)))])
		pool = append(pool, s...)
	}
	slices.Sort(pool)
	return pool[int(q*float64(len(pool)))], own.se()
}

func means(sections [][]float64) sample {
	var s sample
	for _, x := range sections {
		s = append(s, sample(x).mean())
	}
	return s
}
