package experiment

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"retrystorm/sim"
)

// work is some replications of a place, to be run and summarised.
type work struct {
	place *place
	from  int // the first replication
	// limit is how many there will be, as far as it is known: a rule looks at
	// them and may ask for more, up to most.
	limit, most int
	rule        *rule // nil: all are wanted

	prepare sync.Once
	model   *sim.Model
	failed  error // the model cannot be made

	done      []replication // by index from from; each written by the worker that has it
	handed    int           // handed out
	measured  int           // of them finished
	pooled    int           // of them in the pool
	final     bool          // limit will not change
	imprecise bool
	pool      pool
}

// schedule hands out replications in order, those of the first work first. So
// few works are open at a time, and when one replication fails all before it
// have been handed out and will tell whether they fail too.
type schedule struct {
	e    *Experiment
	stop <-chan struct{}
	// finished is called by the worker that completes a work.
	finished func(*work) error

	mu      sync.Mutex
	changed sync.Cond // on mu: more may be handed out, or all is over
	waiting []*work   // not open yet
	open    []*work   // with replications still to hand out or to decide upon
	halted  bool
	done    int // replications
	total   int // as far as it is known
	first   failure
	at      map[*work]int // order
	news    chan struct{} // holds one when done has moved on
}

// failure is a replication that failed.
type failure struct {
	work, replication int
	err               error
}

func (f *failure) before(o *failure) bool {
	return f.work < o.work || f.work == o.work && f.replication < o.replication
}

// run runs all works on a number of workers. When it is stopped or something
// fails, what is finished by then has been told.
func (e *Experiment) run(works []*work, jobs int, stop <-chan struct{}, progress func(done, total int), finished func(*work) error) error {
	s := &schedule{e: e, stop: stop, finished: finished, waiting: works, at: make(map[*work]int, len(works)), news: make(chan struct{}, 1)}
	s.changed.L = &s.mu
	for i, w := range works {
		s.at[w] = i
		w.final = w.rule == nil
		s.total += w.limit
	}
	var workers sync.WaitGroup
	for range max(1, min(jobs, s.total)) {
		workers.Go(s.work)
	}
	go func() {
		workers.Wait()
		close(s.news)
	}()
	s.watch(progress)
	return s.err()
}

// watch tells how far the works are until all workers are through.
func (s *schedule) watch(progress func(done, total int)) {
	for more := true; more; {
		_, more = <-s.news
		s.mu.Lock()
		done, total := s.done, s.total
		s.mu.Unlock()
		if progress != nil {
			progress(done, total)
		}
	}
}

// err is why not all works are finished.
func (s *schedule) err() error {
	if s.first.err != nil {
		return s.first.err
	}
	if len(s.waiting)+len(s.open) > 0 {
		return ErrInterrupted
	}
	return nil
}

// take hands out the next replication. It is not ok when there are no more; and
// when none can be had before others are done, idle says so.
func (s *schedule) take() (w *work, index int, ok, idle bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.stop:
		s.halt()
	default:
	}
	if s.halted {
		return nil, 0, false, false
	}
	for _, w := range s.open {
		if w.handed < w.limit {
			return s.hand(w)
		}
	}
	if len(s.waiting) > 0 {
		w := s.waiting[0]
		s.waiting, s.open = s.waiting[1:], append(s.open, w)
		w.done = make([]replication, 0, w.limit)
		return s.hand(w)
	}
	return nil, 0, false, len(s.open) > 0
}

func (s *schedule) hand(w *work) (*work, int, bool, bool) {
	index := w.handed
	w.handed++
	w.done = append(w.done, replication{})
	if w.handed == w.limit && w.final {
		s.close(w)
	}
	return w, index, true, false
}

// close takes a work off the list of those that hand out.
func (s *schedule) close(w *work) {
	s.open = slices.DeleteFunc(s.open, func(o *work) bool { return o == w })
}

// await sleeps until something has changed.
func (s *schedule) await() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.halted && len(s.open) > 0 && !slices.ContainsFunc(s.open, func(w *work) bool { return w.handed < w.limit }) {
		s.changed.Wait()
	}
}

// note keeps a replication. The last one of those that were handed out asks
// the rule whether they do.
func (s *schedule) note(w *work, index int, r replication) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.done[index] = r
	w.measured++
	s.done++
	select {
	case s.news <- struct{}{}:
	default: // there is news already
	}
	if w.final || w.measured < w.limit {
		return
	}
	if reached := w.rule.reached(w.done); reached || w.limit == w.most {
		w.final, w.imprecise = true, !reached
		s.close(w)
	} else {
		next := w.rule.next(w.limit, w.most)
		s.total += next - w.limit
		w.limit = next
	}
	s.changed.Broadcast()
}

// give adds what a worker has gathered of a work, and reports whether that
// completes it.
func (s *schedule) give(w *work, p *pool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.pooled += int(p.runs)
	w.pool.merge(p)
	return w.final && w.pooled == w.limit
}

// halt ends the handing out; mu is held.
func (s *schedule) halt() {
	s.halted = true
	s.changed.Broadcast()
}

// fail notes that a replication failed, and ends the handing out. An
// interruption is no failure.
func (s *schedule) fail(w *work, index int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.halt()
	f := failure{s.at[w], w.from + index, err}
	if errors.Is(err, ErrInterrupted) {
		if s.first.err == nil {
			s.first = f
		}
		return
	}
	if s.first.err == nil || errors.Is(s.first.err, ErrInterrupted) || f.before(&s.first) {
		s.first = f
	}
}

// work runs replications until there are no more. It pools those of one work by
// itself, which keeps workers out of each other's way.
func (s *schedule) work() {
	run := s.e.newRun()
	var mine pool
	var last *work
	flush := func() {
		if last != nil && mine.runs > 0 && s.give(last, &mine) {
			if err := s.finished(last); err != nil {
				s.fail(last, last.limit, err)
			}
			last.done, last.pool, last.model = nil, pool{}, nil
		}
		mine, last = pool{}, nil
	}
	for {
		w, index, ok, idle := s.take()
		if !ok || w != last {
			flush()
		}
		switch {
		case idle:
			s.await()
			continue
		case !ok:
			return
		}
		last = w
		w.prepare.Do(func() {
			if w.model == nil {
				w.model, w.failed = s.e.model(w.place)
			}
		})
		rec, err := (*sim.Record)(nil), w.failed
		if err == nil {
			rec, err = guarded(run, w.model, s.e.seed, uint64(w.from+index), s.e.options(w.from+index, s.stop))
		}
		if err != nil {
			s.fail(w, index, s.e.failed(w.place, w.from+index, err))
			continue
		}
		mine.add(rec, w.model.Warmup)
		s.e.store(&mine, rec, w.model)
		r := s.e.measure(w.model, rec)
		if w.from+index == 0 && s.e.shown(w.place) {
			if r.attempts, err = attemptsOf(run, w.model, s.e.seed, rec, sim.Options{Stop: s.stop}); err != nil {
				s.fail(w, index, s.e.failed(w.place, 0, err))
				continue
			}
		}
		s.note(w, index, r)
		runtime.Gosched() // where there is one thread only, as in a browser, nobody else would hear of it
	}
}

// options are what a replication is asked for.
func (e *Experiment) options(replication int, stop <-chan struct{}) sim.Options {
	return sim.Options{Stop: stop, Dead: replication == 0 && e.features().deadLetters}
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

// failed says which run it was, so that it can be repeated. Like everywhere
// outside, replications count from 1.
func (e *Experiment) failed(at *place, replication int, err error) error {
	if errors.Is(err, sim.ErrStopped) {
		return ErrInterrupted
	}
	return fmt.Errorf("%s: replication %d, seed %d: %w", name(at.variant, e.axes, at.sweep), replication+1, e.seed, err)
}
