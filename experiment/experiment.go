package experiment

import (
	"slices"
	"strconv"
	"strings"

	"retrystorm/scenarios"
	"retrystorm/sim"
)

// Experiment is a scenario, ready to run.
type Experiment struct {
	head         Result // what does not depend on the runs
	variants     []string
	axes         []string
	points       []place
	metrics      []definition
	groupMetrics []definition // those that groups have, of nobody yet
	expectations []expectation
	baseline     *baseline // nil: none was given
	// exchange is what a second of completion_p99 is worth in calls; 0: nobody
	// has said.
	exchange     float64
	seed         uint64
	replications int
	newRun       func() runFunc
}

// runFunc runs one replication; it is for one goroutine.
type runFunc func(m *sim.Model, seed, replication uint64, opt sim.Options) (*sim.Record, error)

// place is where a point lies, and what is to be run there.
type place struct {
	variant string
	sweep   []string
	model   *sim.Model
}

// key tells places apart.
func (p *place) key() string { return p.variant + "\x00" + strings.Join(p.sweep, "\x00") }

// New resolves the points of a scenario and parses its expectations. What is
// wrong comes back all at once, as [scenarios.Problems].
func New(f *scenarios.File) (*Experiment, error) {
	e := &Experiment{
		variants:     f.Variants(),
		axes:         f.Axes(),
		groupMetrics: ofGroups(definitions()),
		seed:         uint64(f.Scenario.Seed),
		replications: int(f.Scenario.Replications),
		newRun:       func() runFunc { return new(sim.Runner).Run },
	}
	e.metrics = priced(e.exchange)
	var problems scenarios.Problems
	for i := range f.Points() {
		p := f.Point(i)
		m, err := model(f, i)
		if err != nil {
			problems = append(problems, f.ProblemAt("", "", name(p.Variant, e.axes, p.Sweep)+": "+err.Error()))
			continue
		}
		e.points = append(e.points, place{p.Variant, p.Sweep, m})
	}
	if len(problems) > 0 {
		return nil, problems
	}
	for i, x := range f.Expect {
		if err := e.expect(x.Text, x.Line, x.Col); err != nil {
			problems = append(problems, f.ProblemAt("expect["+strconv.Itoa(i+1)+"]", x.Text, err.Error()))
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	e.head = Result{
		Scenario: f.Scenario.Name, Title: f.Scenario.Title, Hash: f.Hash(),
		Seed: f.Scenario.Seed, Replications: f.Scenario.Replications,
		Target: e.target(), Axes: e.axes, Exchange: e.exchange, ScenarioYAML: f.Long(),
	}
	return e, nil
}

func model(f *scenarios.File, i int) (*sim.Model, error) {
	s, err := f.Resolve(i)
	if err != nil {
		return nil, err
	}
	return s.Model()
}

// Points is how many points there are.
func (e *Experiment) Points() int { return len(e.points) }

// Result puts finished points together: with the metrics' description, the
// judgement of the expectations, and what the reader must be told.
func (e *Experiment) Result(points []Point) *Result {
	r := e.head
	for i := range e.metrics {
		r.Metrics = append(r.Metrics, e.metrics[i].Metric)
	}
	for i := range e.groupMetrics {
		r.GroupMetrics = append(r.GroupMetrics, e.groupMetrics[i].Metric)
	}
	r.Points = points
	r.Expectations = e.Judge(points)
	for i := range points {
		if len(points[i].Outcomes) > 0 {
			r.Notes = append(r.Notes, e.note(&points[i]))
		}
	}
	return &r
}

func (e *Experiment) target() string {
	m := e.points[0].model
	return m.Services[m.Target].Name
}

// finish makes a point of its replications and of what they add up to.
func (e *Experiment) finish(at *place, done []replication, p *pool) Point {
	runs := make([]Run, len(done))
	for r := range done {
		runs[r] = done[r].run
	}
	ends := endings(e.metrics, runs)
	return Point{
		Variant:         at.variant,
		Sweep:           slices.Clone(at.sweep),
		Replications:    len(runs),
		Runs:            runs,
		Estimates:       estimates(e.metrics, runs),
		Groups:          e.groupsOf(at.model, done, ends),
		Timelines:       p.timelines(at.model),
		Completion:      p.distribution(),
		ExactCompletion: p.completion.Exact(),
		Hops:            p.means(),
		Attribution:     attribute(done, ends),
		Shading:         shading(at.model),
		Outcomes:        outcomes(e.metrics, runs, ends),
	}
}

// shading is when faults, spikes of the load and the scenario's trigger are
// active.
func shading(m *sim.Model) []Span {
	var spans []Span
	for i := range m.Services {
		s := &m.Services[i]
		for _, f := range s.Spec.Spans(m.Until) {
			spans = append(spans, Span{s.Name + " " + f.Name, f.From, f.To})
		}
	}
	for i := range m.Groups {
		g := &m.Groups[i]
		if from, to, ok := g.Arrival.Spikes(m.Until); ok {
			spans = append(spans, Span{g.Name + " spike", from, to})
		}
	}
	if t := m.Trigger; t != nil && t.At < m.Until {
		spans = append(spans, Span{"trigger", t.At, min(t.At+t.For, m.Until)})
	}
	return spans
}
