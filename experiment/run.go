package experiment

import (
	"errors"
	"fmt"
	"slices"

	"retrystorm/sim"
)

// Options are how an experiment is run, watched and stopped.
type Options struct {
	// Jobs is how many replications run at a time; at least 1.
	Jobs int
	// Stop ends the run early with ErrInterrupted when it is closed.
	Stop <-chan struct{}
	// Progress, if set, is told how many replications are done, and of how many
	// as far as that is known.
	Progress func(done, total int)
	// Store, if set, keeps what is finished, and gives what it has instead of it
	// being run again. Points of the result are brief then.
	Store Store
	// Light: without a store, too, points are without their runs, timelines and
	// distributions, but for those of the last place of the sweep.
	Light bool
	// Variants, if set, are the only ones to run.
	Variants []string
	// Shard, if set, is the part of the work to do. Nothing is judged then, and
	// the result has no points: they are in the store.
	Shard *Shard
	// Sealed: everything is in the store; what is not there is an error.
	Sealed bool
}

// Store keeps finished points and pieces of points by key. It is used by
// several goroutines.
type Store interface {
	Point(key string) (*Point, bool)
	SavePoint(key string, p *Point) error
	// Pieces are all pieces whose key begins so.
	Pieces(prefix string) []*Piece
	SavePiece(key string, p *Piece) error
}

// ErrInterrupted is returned by a run that was stopped from outside.
var ErrInterrupted = errors.New("interrupted")

// Run runs all replications of all points. When it is interrupted or one of
// them fails it returns the points that are finished and an error.
//
// Progress is called by the goroutine that called Run.
func (e *Experiment) Run(opt Options) (*Result, error) {
	for _, v := range opt.Variants {
		if !slices.Contains(e.variants, v) {
			return nil, fmt.Errorf("unknown variant %q%s", v, suggest(v, e.variants))
		}
	}
	r := session{e: e, opt: &opt}
	var err error
	switch {
	case e.bisect != nil:
		err = r.bisect()
	case opt.Shard != nil:
		err = r.shard()
	default:
		err = r.grid()
	}
	if opt.Shard != nil {
		return e.Result(nil), err
	}
	points, keys := r.points()
	result := e.Result(points)
	result.Crossings = r.crossings
	if opt.Store != nil {
		result.Whole = func(i int) (*Point, error) {
			if p, ok := opt.Store.Point(keys[i]); ok {
				return p, nil
			}
			at := r.found[i].at
			if pieces := opt.Store.Pieces(at.id + ":"); len(pieces) > 0 {
				return e.combine(at, pieces)
			}
			return nil, fmt.Errorf("%s is not kept any more", name(at.variant, e.axes, at.sweep))
		}
	}
	if err != nil {
		result.Expectations = nil
	}
	return result, err
}

// session is one run of an experiment.
type session struct {
	e         *Experiment
	opt       *Options
	found     []found // finished points, in order
	crossings []Crossing
	last      []string // the last place of the sweep, whose points stay whole
}

// found is a finished point.
type found struct {
	at    *place
	point *Point
}

// grid runs the points of a design.
func (r *session) grid() error {
	var places []*place
	for i := range r.e.points {
		if at := &r.e.points[i]; r.opt.Variants == nil || slices.Contains(r.opt.Variants, at.variant) {
			places = append(places, at)
		}
	}
	r.last = places[len(places)-1].sweep
	points, err := r.finish(places)
	for i, p := range points {
		if p != nil {
			r.found = append(r.found, found{places[i], p})
		}
	}
	return err
}

// points are those that were found, and their keys.
func (r *session) points() (points []Point, keys []string) {
	points, keys = make([]Point, len(r.found)), make([]string, len(r.found))
	for i := range r.found {
		f := &r.found[i]
		points[i], keys[i] = *f.point, f.at.id
		f.point = nil // there may be very many
	}
	return points, keys
}

// finish gives the points of places: those that the store has, and the others,
// which are run. What is not finished is nil.
func (r *session) finish(places []*place) ([]*Point, error) {
	points := make([]*Point, len(places))
	var works []*work
	at := map[*work]int{}
	keep := func(i int, p *Point) {
		// A store has its own copies of what all places hold anyway.
		p.Variant, p.Sweep, p.Numbers = places[i].variant, places[i].sweep, places[i].numbers
		if (r.opt.Store != nil || r.opt.Light) && !slices.Equal(places[i].sweep, r.last) {
			b := r.e.brief(p)
			if r.opt.Store == nil { // nobody else has them
				b.Attribution, b.Groups, b.Hops = p.Attribution, p.Groups, p.Hops
				b.Queues, b.Duplicates, b.DeadReasons = p.Queues, p.Duplicates, p.DeadReasons
			}
			p = b
		}
		points[i] = p
	}
	for i, place := range places {
		p, err := r.stored(place)
		if err != nil {
			return points, err
		}
		if p != nil {
			keep(i, p)
			continue
		}
		w := r.e.whole(place)
		works, at[w] = append(works, w), i
	}
	if err := r.e.warm(works, r.opt); err != nil {
		return points, err
	}
	return points, r.e.run(works, r.opt.Jobs, r.opt.Stop, r.opt.Progress, func(w *work) error {
		p := r.e.finish(w.place, w.model, w.done, &w.pool)
		p.Imprecise = w.imprecise
		if r.opt.Store != nil {
			if err := r.opt.Store.SavePoint(w.place.id, &p); err != nil {
				return err
			}
		}
		keep(at[w], &p)
		return nil
	})
}

// stored is what the store has of a place; nil when it is to be run.
func (r *session) stored(at *place) (*Point, error) {
	if r.opt.Store == nil {
		return nil, nil
	}
	if p, ok := r.opt.Store.Point(at.id); ok {
		return p, nil
	}
	if !r.opt.Sealed {
		return nil, nil
	}
	pieces := r.opt.Store.Pieces(at.id + ":")
	if len(pieces) == 0 {
		return nil, &MissingError{name(at.variant, r.e.axes, at.sweep)}
	}
	return r.e.combine(at, pieces)
}

// MissingError says that a point is not in a store that should have them all.
type MissingError struct{ Point string }

func (e *MissingError) Error() string { return e.Point + " is missing" }

// whole is the work of a whole point.
func (e *Experiment) whole(at *place) *work {
	w := &work{place: at, limit: e.replications, most: e.replications, rule: e.rule}
	if w.rule != nil {
		w.limit = w.rule.next(0, w.most)
	}
	return w
}

// brief is a point without what grows with its replications and services; it
// keeps the values that expectations need.
func (e *Experiment) brief(p *Point) *Point {
	b := Point{
		Variant: p.Variant, Sweep: p.Sweep, Numbers: p.Numbers, Replications: p.Replications,
		Imprecise: p.Imprecise, Warmup: p.Warmup, Estimates: p.Estimates, Outcomes: p.Outcomes,
		ExactCompletion: p.ExactCompletion, DeadMore: p.DeadMore,
	}
	if judged := e.judged(); len(judged) > 0 {
		b.kept = make([]keptValues, len(judged))
		for i, m := range judged {
			b.kept[i] = keptValues{m, p.values(m)}
		}
	}
	return &b
}

// judged are the metrics whose values expectations need, not only their
// estimates.
func (e *Experiment) judged() []int {
	var out []int
	add := func(x *expectation) {
		for _, t := range []*term{&x.left, &x.right} {
			if t.metric != none && !slices.Contains(out, t.metric) {
				out = append(out, t.metric)
			}
		}
	}
	for i := range e.expectations {
		add(&e.expectations[i])
	}
	if e.bisect != nil {
		add(&e.bisect.where.x)
	}
	return out
}

// values are those of a metric, replication by replication.
func (p *Point) values(metric int) []float64 {
	if p.kept != nil {
		for _, k := range p.kept {
			if k.metric == metric {
				return k.values
			}
		}
		return nil
	}
	out := make([]float64, len(p.Runs))
	for r := range p.Runs {
		out[r] = p.Runs[r].Values[metric]
	}
	return out
}

// replication is what is kept of one, to be summarised with the others.
type replication struct {
	run    Run
	groups []Run // values of the metrics of groups, where there are several
	queues []Run // values of the metrics of queues
	hops   []sim.HopRecord
	// quantiles are those of the completion time, on the grid of distributions.
	quantiles []float64
	// duplicates and died are counts by place and cause or reason; dead are the
	// dead letters, of the first replication only, and more is how many more there
	// are.
	duplicates, died []counted
	dead             []DeadLetter
	more             int64
	attempts         []Attempt // of the first replication only
}

// measure takes all metrics of a replication.
func (e *Experiment) measure(m *sim.Model, rec *sim.Record) replication {
	r := replication{run: Run{Seed: e.seed, Values: values(e.metrics, rec, m)}, hops: slices.Clone(rec.Hops)}
	if rec.Requests > 0 {
		for _, q := range gridMillionths() {
			r.quantiles = append(r.quantiles, quantile(&rec.Completion, rec.Requests, q))
		}
	}
	for _, p := range groupNames(m) {
		r.groups = append(r.groups, Run{Values: values(of(e.groupMetrics, p), rec, m)})
	}
	for _, name := range queueNames(m) {
		r.queues = append(r.queues, Run{Values: values(ofQueue(e.queueMetrics, name), rec, m)})
	}
	r.duplicates, r.died = duplicated(rec), died(rec)
	r.dead, r.more = deadOf(rec)
	return r
}

func values(metrics []definition, rec *sim.Record, m *sim.Model) []float64 {
	out := make([]float64, len(metrics))
	for i := range metrics {
		out[i] = metrics[i].of(rec, m)
	}
	return out
}
