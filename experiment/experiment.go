package experiment

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"retrystorm/scenarios"
	"retrystorm/sim"
)

// Experiment is a scenario, ready to run.
type Experiment struct {
	head         Result // what does not depend on the runs
	variants     []string
	axes         []string
	points       []place // of a bisection, the ends of its range
	costs        []int64 // per point
	shapes       []shape // of all models
	clients      int64   // in the largest of them
	metrics      []definition
	groupMetrics []definition // those that groups have, of nobody yet
	queueMetrics []definition // the same of queues
	expectations []expectation
	baseline     *baseline // nil: none was given
	// exchange is what a second of completion_p99 is worth in calls; 0: nobody
	// has said.
	exchange     float64
	seed         uint64
	replications int
	rule         *rule // says how many of them there are; nil: all
	bisect       *bisection
	autoWarmup   bool
	warmups      map[string]time.Duration // found, by sweep
	trajectories [][]int                  // of a Morris design
	unit         [][]float64
	stores       []*definition // of each part that a quantile is asked of
	plain        func(*place) (*sim.Model, error)
	newRun       func() runFunc
}

// runFunc runs one replication; it is for one goroutine.
type runFunc func(m *sim.Model, seed, replication uint64, opt sim.Options) (*sim.Record, error)

// New resolves the points of a scenario and parses its expectations. What is
// wrong comes back all at once, as [scenarios.Problems].
func New(f *scenarios.File) (*Experiment, error) {
	s := f.Scenario
	e := &Experiment{
		variants:     f.Variants(),
		axes:         f.Axes(),
		metrics:      definitions(),
		groupMetrics: ofGroups(definitions()),
		exchange:     s.Exchange,
		seed:         uint64(s.Seed),
		replications: int(s.Replications.Most()),
		autoWarmup:   s.Warmup.Auto,
		trajectories: f.Trajectories(),
		newRun:       func() runFunc { return new(sim.Runner).Run },
	}
	problems := e.lay(f)
	if len(problems) > 0 {
		return nil, problems
	}
	e.metrics = append(e.metrics, featured(e.features())...)
	e.queueMetrics = ofQueues(e.features())
	if s.Exchange > 0 {
		e.metrics = append(e.metrics, cost(s.Exchange))
	}
	for i, x := range f.Expect {
		if err := e.expect(x.Text, x.Line, x.Col); err != nil {
			problems = append(problems, f.ProblemAt("expect["+strconv.Itoa(i+1)+"]", x.Text, err.Error()))
		}
	}
	if u := s.Replications.Until; u != nil {
		var err error
		if e.rule, err = e.newRule(u); err != nil {
			problems = append(problems, f.ProblemAt("replications.until", "", err.Error()))
		}
	}
	if b := e.bisect; b != nil {
		var err error
		if b.where, err = e.condition(b.Where.Text, b.Where.Line, b.Where.Col); err != nil {
			problems = append(problems, f.ProblemAt("bisect.where", b.Where.Text, err.Error()))
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	e.findStores()
	e.head = Result{
		Scenario: s.Name, Title: s.Title, Hash: f.Hash(),
		Seed: s.Seed, Replications: s.Replications.Most(),
		Target: e.shapes[0].target, Axes: e.axes, Reference: f.Reference(), Design: f.Design(), Exchange: s.Exchange,
		AutoWarmup: s.Warmup.Auto, Epoch: s.Start(),
		ScenarioYAML: f.Long(),
	}
	return e, nil
}

// lay finds out where the points are, and looks at each.
func (e *Experiment) lay(f *scenarios.File) scenarios.Problems {
	resolve := func(p *place) (*scenarios.Scenario, error) { return f.Resolve(p.step) }
	places := make([]place, 0, f.Points())
	if b := f.Bisect(); b != nil {
		e.bisect = &bisection{Bisect: b, cells: f.Cells(), point: f.BisectPoint}
		resolve = func(p *place) (*scenarios.Scenario, error) { return f.ResolveBisect(p.cell, p.step) }
		for c := range f.Cells() {
			for _, k := range []int{0, b.Steps} {
				at := placeOf(f.BisectPoint(c, k), "", c)
				at.cell, at.step = c, k
				places = append(places, at)
			}
		}
	} else {
		for i := range f.Points() {
			at := placeOf(f.Point(i), "p", i)
			at.step = i
			if first := at.row; first < i && places[first].row == first { // of another variant
				at.sweep, at.numbers = places[first].sweep, places[first].numbers
			}
			places = append(places, at)
		}
		for row := range f.Rows() {
			if u := f.Unit(row); u != nil {
				e.unit = append(e.unit, u)
			}
		}
	}
	e.plain = func(p *place) (*sim.Model, error) {
		s, err := resolve(p)
		if err != nil {
			return nil, err
		}
		return s.Model()
	}
	shapes, costs, problems := e.census(f, places)
	e.shapes, e.points, e.costs = shapes, places, costs
	return problems
}

// Clients is how many clients the largest model has.
func (e *Experiment) Clients() int64 { return e.clients }

// model is the model of a place, ready to run.
func (e *Experiment) model(p *place) (*sim.Model, error) {
	m, err := e.plain(p)
	if err != nil {
		return nil, err
	}
	if d, ok := e.warmups[p.spot()]; ok {
		m.Warmup = d
	}
	e.equip(m)
	return m, nil
}

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
	for i := range e.queueMetrics {
		r.QueueMetrics = append(r.QueueMetrics, e.queueMetrics[i].Metric)
	}
	r.Points = points
	if len(points) == len(e.points) && e.trajectories != nil {
		r.Sensitivity = Effects(&r, e.trajectories, e.unit)
	}
	r.Expectations = e.Judge(points)
	split := 0
	for i := range points {
		if len(points[i].Outcomes) == 0 {
			continue
		}
		if split++; split <= mostNotes {
			r.Notes = append(r.Notes, e.note(&points[i]))
		}
	}
	if split > mostNotes {
		r.Notes = append(r.Notes, fmt.Sprintf("the replications of %d more points ended in two ways", split-mostNotes))
	}
	if s := leftOut(points, e.axes); s != "" {
		r.Notes = append(r.Notes, s)
	}
	return &r
}

// mostNotes is how many points with two outcomes are described.
const mostNotes = 20

// finish makes a point of its replications and of what they add up to.
func (e *Experiment) finish(at *place, m *sim.Model, done []replication, p *pool) Point {
	runs := make([]Run, len(done))
	for r := range done {
		runs[r] = done[r].run
	}
	ends := endings(e.metrics, runs)
	return Point{
		Variant:         at.variant,
		Sweep:           at.sweep,
		Numbers:         at.numbers,
		Warmup:          m.Warmup,
		Replications:    len(runs),
		Runs:            runs,
		Estimates:       e.estimates(runs, p),
		Groups:          e.groupsOf(m, done, ends, p),
		Timelines:       p.timelines(m),
		Completion:      p.distribution(done),
		ExactCompletion: p.completion.Exact(),
		Hops:            p.means(m),
		Queues:          e.queuesOf(m, done, ends),
		Duplicates:      duplicateTallies(m, done, ends),
		DeadReasons:     deadTallies(m, done, ends),
		Dead:            done[0].dead,
		DeadMore:        done[0].more,
		Attempts:        done[0].attempts,
		Attribution:     attribute(done, ends),
		Shading:         shading(m),
		Actions:         actions(m),
		Outcomes:        outcomes(e.metrics, runs, ends),
	}
}

// leftOut says at which points more messages died than are kept.
func leftOut(points []Point, axes []string) string {
	var names []string
	more := 0
	for i := range points {
		p := &points[i]
		switch {
		case p.DeadMore == 0:
		case len(names) < 3:
			names = append(names, fmt.Sprintf("%s (%d more)", p.name(axes), p.DeadMore))
		default:
			more++
		}
	}
	if len(names) == 0 {
		return ""
	}
	s := fmt.Sprintf("only the first %d dead letters of replication 1 are kept, for dead_letters.jsonl, of %s", mostDead, strings.Join(names, "; "))
	if more > 0 {
		s += fmt.Sprintf("; and of %d more points", more)
	}
	return s
}

// actions are what operators do, and how long that is planned to take.
func actions(m *sim.Model) []Span {
	var spans []Span
	for i := range m.Actions {
		if a := &m.Actions[i]; a.At < m.Until {
			spans = append(spans, Span{a.Name, a.At, min(a.At+a.Over, m.Until)})
		}
	}
	return spans
}

// shading is when faults, spikes of the load and the scenario's trigger are
// active.
func shading(m *sim.Model) []Span {
	var spans []Span
	for i := range m.Services {
		s := &m.Services[i]
		for _, f := range s.Spec.Spans(m.Until) {
			if s.Spec.Harmless(f.Name) {
				continue
			}
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
