package experiment

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"retrystorm/sim"
)

// Options are how an experiment is run, watched and stopped.
type Options struct {
	// Jobs is how many replications run at a time; at least 1.
	Jobs int
	// Stop ends the run early with ErrInterrupted when it is closed.
	Stop <-chan struct{}
	// Progress, if set, is told how many replications are done.
	Progress func(done, total int)
	// Sink, if set, is told each point when it and all before it are finished.
	// What it clears in the point is not kept in the result.
	Sink func(point int, p *Point) error
	// Variants, if set, are the only ones to run.
	Variants []string
	// Only, if set, says which points to run (a shard, what is left of an
	// interrupted run). Nothing is judged then.
	Only func(point int) bool
}

// ErrInterrupted is returned by a run that was stopped from outside.
var ErrInterrupted = errors.New("interrupted")

// Run runs all replications of all points. When it is interrupted or one of
// them fails it returns the points that are finished and an error.
//
// Progress and Sink are called by the goroutine that called Run.
func (e *Experiment) Run(opt Options) (*Result, error) {
	todo, err := e.todo(&opt)
	if err != nil {
		return nil, err
	}
	total := len(todo) * e.replications
	s := &schedule{e: e, todo: todo, stop: opt.Stop, total: int64(total), every: int64(max(1, total/500))}
	updates := make(chan update, 64)
	var workers sync.WaitGroup
	for range max(1, min(opt.Jobs, len(todo)*e.replications)) {
		workers.Go(func() { s.work(updates) })
	}
	go func() {
		workers.Wait()
		close(updates)
	}()
	c := collector{todo: todo, opt: &opt, total: total, finished: make([]*Point, len(todo))}
	for u := range updates {
		if err := c.take(u); err != nil {
			s.halt()
		}
	}
	points, err := c.end()
	r := e.Result(points)
	if err != nil || opt.Only != nil {
		r.Expectations = nil
	}
	return r, err
}

// todo lists the points that are to be run.
func (e *Experiment) todo(opt *Options) ([]int, error) {
	for _, v := range opt.Variants {
		if !slices.Contains(e.variants, v) {
			return nil, fmt.Errorf("unknown variant %q%s", v, suggest(v, e.variants))
		}
	}
	var todo []int
	for i := range e.points {
		if opt.Variants != nil && !slices.Contains(opt.Variants, e.points[i].variant) {
			continue
		}
		if opt.Only == nil || opt.Only(i) {
			todo = append(todo, i)
		}
	}
	return todo, nil
}

// schedule hands out replications in order, those of the first point first. So
// few points are open at a time, and when one replication fails all before it
// have been handed out and will tell whether they fail too.
type schedule struct {
	e    *Experiment
	todo []int
	stop <-chan struct{}

	mu     sync.Mutex
	at     int   // index into todo of the open point
	next   int   // its next replication
	open   *open // nil before the first replication
	halted bool

	done         atomic.Int64 // replications
	total, every int64        // of them; between two updates
}

// open is a point with replications under way.
type open struct {
	index int // into todo
	place *place
	done  []replication // each written by the worker that has it
	left  int           // replications not yet in the pool
	pool  pool
}

// take hands out the next replication.
func (s *schedule) take() (o *open, r int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.stop:
		s.halted = true
	default:
	}
	if s.halted || s.at == len(s.todo) {
		return nil, 0, false
	}
	n := s.e.replications
	if s.open == nil {
		at := &s.e.points[s.todo[s.at]]
		s.e.equip(at.model)
		s.open = &open{index: s.at, place: at, done: make([]replication, n), left: n}
	}
	o, r = s.open, s.next
	if s.next++; s.next == n {
		s.at, s.next, s.open = s.at+1, 0, nil
	}
	return o, r, true
}

// give adds what a worker has gathered of a point, and reports whether that
// completes it.
func (s *schedule) give(o *open, p *pool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	o.pool.merge(p)
	o.left -= int(p.runs)
	return o.left == 0
}

func (s *schedule) halt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.halted = true
}

// update is news from a worker.
type update struct {
	done        int // replications, of all points
	index       int // into todo
	replication int
	err         error
	point       *Point // finished; nil when only a replication is done
}

// work runs replications until there are no more. It pools those of one point
// by itself, which keeps workers out of each other's way.
func (s *schedule) work(updates chan<- update) {
	run := s.e.newRun()
	var mine pool
	var last *open
	flush := func() {
		if last != nil && s.give(last, &mine) {
			p := s.e.finish(last.place, last.done, &last.pool)
			updates <- update{index: last.index, point: &p}
		}
		mine, last = pool{}, nil
	}
	for {
		o, r, ok := s.take()
		if !ok || o != last {
			flush()
		}
		if !ok {
			return
		}
		last = o
		rec, err := guarded(run, o.place.model, s.e.seed, uint64(r), sim.Options{Stop: s.stop})
		if err != nil {
			s.halt()
			updates <- update{index: o.index, replication: r, err: s.e.failed(o.place, r, err)}
			continue
		}
		o.done[r] = s.e.measure(o.place.model, rec)
		mine.add(rec)
		// Runs may be much shorter than it takes to wake the reader.
		if done := s.done.Add(1); done%s.every == 0 || done == s.total {
			updates <- update{done: int(done)}
		}
	}
}

// guarded turns a panic of the engine, which is a bug there, into an error that
// says which run it was.
func guarded(run runFunc, m *sim.Model, seed, replication uint64, opt sim.Options) (rec *sim.Record, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v; please report it with the scenario", p)
		}
	}()
	return run(m, seed, replication, opt)
}

// replication is what is kept of one, to be summarised with the others.
type replication struct {
	run    Run
	groups []Run // values of the metrics of groups, where there are several
	hops   []sim.HopRecord
}

// measure takes all metrics of a replication.
func (e *Experiment) measure(m *sim.Model, rec *sim.Record) replication {
	r := replication{run: Run{Seed: e.seed, Values: values(e.metrics, rec, m)}, hops: slices.Clone(rec.Hops)}
	if len(m.Groups) > 1 {
		for i := range m.Groups {
			r.groups = append(r.groups, Run{Values: values(of(e.groupMetrics, m.Groups[i].Name), rec, m)})
		}
	}
	return r
}

func values(metrics []definition, rec *sim.Record, m *sim.Model) []float64 {
	out := make([]float64, len(metrics))
	for i := range metrics {
		out[i] = metrics[i].of(rec, m)
	}
	return out
}

// failed says which run it was, so that it can be repeated. Like everywhere
// outside, replications count from 1.
func (e *Experiment) failed(at *place, replication int, err error) error {
	if errors.Is(err, sim.ErrStopped) {
		return ErrInterrupted
	}
	return fmt.Errorf("%s: replication %d, seed %d: %w", name(at.variant, e.axes, at.sweep), replication+1, e.seed, err)
}

// collector puts the news of the workers in order.
type collector struct {
	todo     []int
	opt      *Options
	total    int
	finished []*Point // per index into todo
	sunk     int      // how many of them the sink has seen
	first    update   // the first replication that failed, in order
	sinkErr  error
}

// take notes an update. An error of the sink ends the experiment.
func (c *collector) take(u update) error {
	switch {
	case u.err != nil:
		if c.first.err == nil || c.first.err == ErrInterrupted || before(u, c.first) && u.err != ErrInterrupted {
			c.first = u
		}
	case u.point != nil:
		c.finished[u.index] = u.point
		for c.sunk < len(c.todo) && c.finished[c.sunk] != nil {
			c.sink(c.sunk)
			c.sunk++
		}
	case c.opt.Progress != nil:
		c.opt.Progress(u.done, c.total)
	}
	return c.sinkErr
}

func before(a, b update) bool {
	return a.index < b.index || a.index == b.index && a.replication < b.replication
}

func (c *collector) sink(i int) {
	if c.opt.Sink != nil && c.sinkErr == nil {
		c.sinkErr = c.opt.Sink(c.todo[i], c.finished[i])
	}
}

// end gives the finished points to the sink that had to wait for one that will
// not come, and returns them all.
func (c *collector) end() ([]Point, error) {
	var points []Point
	for i, p := range c.finished {
		if p == nil {
			continue
		}
		if i >= c.sunk {
			c.sink(i)
		}
		points = append(points, *p)
	}
	switch {
	case c.sinkErr != nil:
		return points, c.sinkErr
	case c.first.err != nil:
		return points, c.first.err
	case len(points) < len(c.todo):
		return points, ErrInterrupted
	default:
		return points, nil
	}
}
