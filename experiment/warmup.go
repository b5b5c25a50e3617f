package experiment

import (
	"sync"
	"time"

	"retrystorm/sim"
)

// pilots is how many replications a pilot has.
const pilots = 5

// warm finds the warm-ups of works, where the scenario leaves that to us. All
// variants at a place of the sweep get the longest that one of them needs, so
// that they stay comparable.
//
// A pilot runs without a warm-up; what is inside all services, averaged over its
// replications, is cut after MSER-5. Of a run that something disturbs, only the
// time before counts.
func (e *Experiment) warm(works []*work, opt *Options) error {
	if !e.autoWarmup || len(works) == 0 {
		return nil
	}
	var tries []*work
	seen := map[string]bool{}
	for _, w := range works {
		at := w.place.spot()
		if _, known := e.warmups[at]; known || seen[at] {
			continue
		}
		seen[at] = true
		for _, p := range e.neighbours(w.place) {
			tries = append(tries, &work{place: p, limit: pilots, most: pilots})
		}
	}
	found := make(map[*work]time.Duration, len(tries))
	var mu sync.Mutex
	err := e.run(tries, opt.Jobs, opt.Stop, nil, func(w *work) error {
		d, err := e.pilot(w)
		mu.Lock()
		defer mu.Unlock()
		found[w] = d
		return err
	})
	if err != nil {
		return err
	}
	if e.warmups == nil {
		e.warmups = map[string]time.Duration{}
	}
	for _, w := range tries {
		at := w.place.spot()
		e.warmups[at] = max(e.warmups[at], found[w])
	}
	return nil
}

// neighbours are the points at the place of p: one for every variant.
func (e *Experiment) neighbours(p *place) []*place {
	if e.bisect != nil { // other variants may be elsewhere
		return []*place{p}
	}
	var out []*place
	rows := len(e.points) / len(e.variants)
	for v := range e.variants {
		out = append(out, &e.points[v*rows+p.row])
	}
	return out
}

// UnsteadyError says that a warm-up cannot be found.
type UnsteadyError struct {
	Point string
	// Looked is how much of the run could be looked at; Short: that is too
	// little to say anything.
	Looked time.Duration
	Short  bool
}

func (e *UnsteadyError) Error() string {
	if e.Short {
		return "warmup: auto cannot be found at " + e.Point + ": only the first " + inWords(e.Looked) + " can be looked at, up to the first fault or the last arrival, and that is too few rows of its timeline. " +
			"Let the fault come later, or write how long the warm-up is"
	}
	return "warmup: auto finds no steady state at " + e.Point + ": what is inside the services still changes in the second half of the first " + inWords(e.Looked) + ", up to the first fault or the last arrival. " +
		"More time before them or less load helps; or write how long the warm-up is"
}

// calmBefore is how long a run goes on before something disturbs it or its last
// request starts, as far as the scenario tells.
func calmBefore(m *sim.Model) time.Duration {
	calm := time.Duration(0)
	for i := range m.Groups {
		p := m.Groups[i].Arrival.Process(m.Groups[i].Count)
		calm = max(calm, p.Until(m.Until))
	}
	for _, s := range shading(m) {
		calm = min(calm, s.From)
	}
	return calm
}

// pilot is the warm-up that a pilot suggests.
func (e *Experiment) pilot(w *work) (time.Duration, error) {
	series := inside(&w.pool, w.pool.quiet)
	cut, ok := MSER5(series)
	if !ok {
		return 0, &UnsteadyError{name(w.place.variant, e.axes, w.place.sweep), w.pool.quiet, !enough(series)}
	}
	return time.Duration(cut) * w.pool.row, nil
}

// inside is how many calls are inside all services, row by row, until quiet.
func inside(p *pool, quiet time.Duration) []float64 {
	var out []float64
	for i := range longest(p.rows) {
		if time.Duration(i+1)*p.row > quiet {
			break
		}
		n := 0.0
		for _, rows := range p.rows {
			if i < len(rows) {
				n += rows[i].InService.Float() + rows[i].Waiting.Float()
			}
		}
		out = append(out, n)
	}
	return out
}

func longest(rows [][]sim.Row) int {
	n := 0
	for _, r := range rows {
		n = max(n, len(r))
	}
	return n
}
