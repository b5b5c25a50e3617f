package experiment

import (
	"fmt"
	"math"
	"slices"
)

// Race is how variants are ranked.
type Race struct {
	Metric  string // as in expectations
	Largest bool   // is best; else the smallest
	// Within is a difference that does not matter, as in 1% or 5s.
	Within string
	// Most is how many replications a variant gets at most.
	Most int
}

// Ranking is what a race came to at one place of the sweep.
type Ranking struct {
	Sweep []string
	// Best is the best variant, or the best so far when it is not Decided; empty
	// when means cannot rank them.
	Best    string
	Decided bool
	// Ties are variants that were the same as the best in every replication.
	Ties []string
	// Among are the variants that may still be the best.
	Among []string
	// Lanes are the variants, in order.
	Lanes []Lane
	// Infinite: means cannot rank, as the metric was infinite in some replications.
	Infinite bool
	// Absent: the metric has no value for any variant.
	Absent bool
}

// Lane is what a race saw of one variant.
type Lane struct {
	Variant      string
	Replications int
	// Mean is not available where a replication was infinite; Never says how many
	// were.
	Mean  Estimate
	Never int
}

const (
	firstStage = 20 // replications of all variants, before any is dropped
	heat       = 10 // replications at a time after that
	miss       = 0.05
)

// Rank finds the best variant at every place of the sweep with a probability of
// 95 %: see [Selection]. It is given the metric's description.
func (e *Experiment) Rank(race Race, opt Options) (Metric, []Ranking, error) {
	d, zone, err := e.entry(race)
	if err != nil {
		return Metric{}, nil, err
	}
	rows := len(e.points) / len(e.variants)
	var out []Ranking
	before := 0 // replications of the heats so far
	if told := opt.Progress; told != nil {
		opt.Progress = func(done, total int) {
			told(before+done, before+total)
		}
	}
	for row := range rows {
		r, err := e.raceAt(row, rows, d, zone, race, opt, &before)
		if err != nil {
			return e.metrics[d].Metric, out, err
		}
		out = append(out, r)
	}
	return e.metrics[d].Metric, out, nil
}

// entry checks what a race is about.
func (e *Experiment) entry(race Race) (metric int, zone Precision, err error) {
	switch {
	case e.bisect != nil:
		return 0, zone, fmt.Errorf("a scenario with bisect has no points to rank")
	case len(e.variants) < 2:
		return 0, zone, fmt.Errorf("there is one variant, and ranking needs two")
	}
	metric, err = e.named(race.Metric)
	if err != nil {
		return 0, zone, err
	}
	zone, err = e.precision(metric, race.Within)
	return metric, zone, err
}

func (e *Experiment) raceAt(row, rows int, metric int, zone Precision, race Race, opt Options, before *int) (Ranking, error) {
	k := len(e.variants)
	s := NewSelection(k, min(firstStage, race.Most), miss, zone, !race.Largest)
	values := make([][]float64, k) // per variant
	at := func(v int) *place { return &e.points[v*rows+row] }
	for n := 0; s.Need() > 0 && n < race.Most; {
		todo := min(max(s.Need(), heat), race.Most-n)
		var works []*work
		variant := map[*work]int{}
		for _, v := range s.Active() {
			w := &work{place: at(v), from: n, limit: todo, most: todo}
			works, variant[w] = append(works, w), v
		}
		if err := e.warm(works, &opt); err != nil {
			return Ranking{}, err
		}
		batch := make([][]float64, k)
		err := e.run(works, opt.Jobs, opt.Stop, opt.Progress, func(w *work) error {
			v := make([]float64, len(w.done))
			for i := range w.done {
				v[i] = w.done[i].run.Values[metric]
			}
			batch[variant[w]] = v
			return nil
		})
		if err != nil {
			return Ranking{}, err
		}
		for i := range todo {
			if s.Need() == 0 {
				break
			}
			one := make([]float64, k)
			active := s.Active()
			for v := range one {
				one[v] = math.NaN()
			}
			for _, v := range active {
				one[v] = batch[v][i]
				values[v] = append(values[v], one[v])
			}
			s.Add(one)
		}
		n += todo
		*before += todo * len(works)
	}
	return e.ranking(at(0).sweep, s.Choice(), values, metric), nil
}

func (e *Experiment) ranking(sweep []string, c Choice, values [][]float64, metric int) Ranking {
	r := Ranking{Sweep: sweep, Decided: len(c.Among) == 1 && c.Best >= 0, Infinite: c.Infinite}
	if c.Best >= 0 {
		r.Best = e.variants[c.Best]
	}
	for _, v := range c.Among {
		r.Among = append(r.Among, e.variants[v])
	}
	r.Absent = true
	for v, x := range values {
		l := Lane{Variant: e.variants[v], Replications: len(x), Mean: unavailable()}
		for _, y := range x {
			r.Absent = r.Absent && math.IsNaN(y)
			if math.IsInf(y, 1) {
				l.Never++
			}
		}
		if l.Never == 0 {
			l.Mean = Mean(x)
		}
		r.Lanes = append(r.Lanes, l)
		if r.Decided && v != c.Best && alwaysEqual(x, values[c.Best]) {
			r.Ties = append(r.Ties, e.variants[v])
		}
	}
	return r
}

// alwaysEqual reports that two variants were the same in all replications that
// both had.
func alwaysEqual(a, b []float64) bool {
	n := min(len(a), len(b))
	return n > 0 && slices.Equal(a[:n], b[:n])
}
