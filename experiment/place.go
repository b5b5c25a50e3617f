package experiment

import (
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"retrystorm/scenarios"
	"retrystorm/sim"
)

// place is where a point lies. Its model is made when it is run: those of all
// points together would not fit into memory.
type place struct {
	variant string
	sweep   []string
	numbers []float64
	row     int // of the design; places of equal rows have equal sweeps
	id      string

	cell, step int // of a bisection; else step is the index
	times
}

// times are those that a model is made with.
type times struct {
	until, warmup, window time.Duration
}

// placeOf is the place of a point, numbered by kind and index.
func placeOf(p scenarios.Point, kind string, index int) place {
	return place{variant: p.Variant, sweep: p.Sweep, numbers: p.Numbers, row: p.Row, id: kind + strconv.Itoa(index)}
}

// key tells places apart.
func (p *place) key() string { return p.variant + "\x00" + p.spot() }

// spot tells the places of the sweep apart, whatever the variant.
func (p *place) spot() string { return strings.Join(p.sweep, "\x00") }

// shape is what expectations ask of a model: its names. Most points of a sweep
// share one.
type shape struct {
	target           string
	services, groups []string
	queues           []string
	classes          []string // as records call them
	callers          []caller
	features         features
}

func shapeOf(m *sim.Model) shape {
	s := shape{target: m.Services[m.Target].Name, callers: callers(m), features: featuresOf(m)}
	for i := range m.Services {
		s.services = append(s.services, m.Services[i].Name)
		if m.Services[i].Backlog != nil {
			s.queues = append(s.queues, m.Services[i].Name)
		}
	}
	for i := range m.Groups {
		s.groups = append(s.groups, m.Groups[i].Name)
		for k := range m.Groups[i].Classes {
			s.classes = append(s.classes, classOf(m.Groups[i].Name, m.Groups[i].Classes[k].Name))
		}
	}
	return s
}

func (s *shape) equal(o *shape) bool {
	return s.target == o.target && s.features == o.features && slices.Equal(s.services, o.services) && slices.Equal(s.queues, o.queues) &&
		slices.Equal(s.groups, o.groups) && slices.Equal(s.classes, o.classes) &&
		slices.EqualFunc(s.callers, o.callers, func(a, b caller) bool {
			return a.from == b.from && a.to == b.to && slices.Equal(a.policies, b.policies)
		})
}

// census looks at all models once: the different shapes in order, and what each
// place costs.
func (e *Experiment) census(f *scenarios.File, places []place) (shapes []shape, costs []int64, problems scenarios.Problems) {
	costs = make([]int64, len(places))
	errs := make([]error, len(places))
	clients := make([]int64, len(places))
	seen := make([]int, len(places)) // which of the shapes a worker found
	var workers sync.WaitGroup
	var next atomic.Int64
	per := make([][]shape, runtime.GOMAXPROCS(0))
	for w := range per {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(places); i = int(next.Add(1)) - 1 {
				m, err := e.plain(&places[i])
				if err != nil {
					errs[i] = err
					continue
				}
				if e.autoWarmup && calmBefore(m) == 0 {
					errs[i] = errors.New("warmup: auto looks at the time before the first fault and the last arrival, and there is none: write how long the warm-up is")
					continue
				}
				costs[i] = expense(m)
				places[i].times = times{m.Until, m.Warmup, m.Window}
				for k := range m.Groups {
					clients[i] += m.Groups[k].Count
				}
				s := shapeOf(m)
				k := slices.IndexFunc(per[w], func(o shape) bool { return s.equal(&o) })
				if k < 0 {
					k = len(per[w])
					per[w] = append(per[w], s)
				}
				seen[i] = w<<32 | k
			}
		})
	}
	workers.Wait()
	e.clients = slices.Max(append(clients, 0))
	known := map[int]bool{}
	for i := range places {
		if errs[i] != nil {
			p := &places[i]
			problems = append(problems, f.ProblemAt("", "", name(p.variant, e.axes, p.sweep)+": "+errs[i].Error()))
			continue
		}
		if known[seen[i]] {
			continue
		}
		known[seen[i]] = true
		s := per[seen[i]>>32][seen[i]&(1<<32-1)]
		if !slices.ContainsFunc(shapes, func(o shape) bool { return s.equal(&o) }) {
			shapes = append(shapes, s)
		}
	}
	return shapes, costs, problems
}
