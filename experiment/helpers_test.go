package experiment

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
)

var (
	inf = math.Inf(1)
	nan = math.NaN()
)

// alike compares results.
var alike = cmp.Options{cmp.Comparer(same), cmpopts.IgnoreUnexported(Point{}), cmpopts.IgnoreFields(Result{}, "Whole")}

// same compares numbers, NaN with NaN.
func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

func near(a, b, relative float64) bool {
	return same(a, b) || math.Abs(a-b) <= relative*math.Abs(b)
}

// oneService is a model with clients that call db: 10 workers, 20 ms, so that
// it can serve 500 calls a second.
func oneService() *sim.Model {
	return &sim.Model{
		Until: time.Minute, Window: 100 * time.Millisecond,
		Groups: []sim.Group{{
			Name: "clients", Count: 1, Requests: server.Unlimited,
			Arrival: random.Arrival{Kind: "poisson", Rate: 100}, Steps: []sim.Step{{Name: "db", Policies: []*sim.Policy{{Name: "sdk"}, {}}}},
		}},
		Services: []sim.Service{{Name: "db", Spec: server.Spec{
			Workers:     10,
			ServiceTime: random.Dist{Kind: "constant", Mean: 20 * time.Millisecond},
			Queue:       server.Queue{Limit: server.Unlimited},
		}}},
	}
}

// newTest is an experiment without a scenario file: every variant at every
// combination of the axes' values.
func newTest(variants []string, axes []string, values [][]string, replications int, run runFunc) *Experiment {
	e := &Experiment{
		variants: variants, axes: axes, metrics: definitions(), groupMetrics: ofGroups(definitions()), seed: 7,
		replications: replications, newRun: func() runFunc { return run },
	}
	var models []*sim.Model
	var grid func(variant string, sweep []string)
	grid = func(variant string, sweep []string) {
		if i := len(sweep); i < len(axes) {
			for _, v := range values[i] {
				grid(variant, append(sweep[:i:i], v))
			}
			return
		}
		m := oneService()
		m.Services = append(m.Services, sim.Service{Name: "cache", Spec: m.Services[0].Spec})
		e.points = append(e.points, place{variant: variant, sweep: sweep, id: "p" + strconv.Itoa(len(e.points)), step: len(e.points), times: times{m.Until, m.Warmup, m.Window}})
		e.costs = append(e.costs, 1)
		models = append(models, m)
	}
	for _, v := range variants {
		grid(v, nil)
	}
	e.use(models)
	return e
}

// use gives the points their models.
func (e *Experiment) use(models []*sim.Model) {
	e.plain = func(p *place) (*sim.Model, error) { return models[p.step], nil }
	e.shapes = nil
	for i, m := range models {
		e.points[i].times = times{m.Until, m.Warmup, m.Window}
		e.shapes = append(e.shapes, shapeOf(m))
	}
}

// column finds a metric.
func column(t testing.TB, e *Experiment, name string) int {
	t.Helper()
	for i := range e.metrics {
		if e.metrics[i].Name == name {
			return i
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}

// metric is the definition with that name.
func metric(t testing.TB, name string) definition {
	t.Helper()
	e := &Experiment{metrics: definitions()}
	return e.metrics[column(t, e, name)]
}
