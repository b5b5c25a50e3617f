package experiment

import (
	"slices"

	"retrystorm/sim"
)

// features are what models have that most do without, which says what metrics
// there are beside those of all.
type features struct {
	graph       bool // more than calls in a row, by services that wait for them
	effects     bool // the effects of some service are counted
	queues      bool
	deadLetters bool // a queue that is given what others give up
	refusals    bool // of work that cannot be done in time
	// What somebody does again.
	redrives, resends, reruns bool
}

func featuresOf(m *sim.Model) features {
	var f features
	for i := range m.Groups {
		g := &m.Groups[i]
		f.look(g.Steps)
		f.graph = f.graph || len(g.Classes) > 0
		for k := range g.Classes {
			f.look(g.Classes[k].Steps)
		}
	}
	for i := range m.Services {
		s := &m.Services[i]
		f.look(s.Steps)
		f.graph = f.graph || s.Async || s.Spec.Replicas > 1
		f.effects = f.effects || s.Effects
		f.refusals = f.refusals || s.Expired.Kind == "refuse"
		if s.Backlog != nil {
			f.queues = true
			f.deadLetters = f.deadLetters || s.Backlog.DeadLetter != ""
		}
	}
	for i := range m.Actions {
		switch m.Actions[i].Kind {
		case sim.Redrive:
			f.redrives = true
		case sim.Resend:
			f.resends = true
		case sim.Rerun:
			f.reruns = true
		}
	}
	return f
}

// look adds what some steps have.
func (f *features) look(steps []sim.Step) {
	for i := range steps {
		s := &steps[i]
		f.graph = f.graph || s.Work || s.Optional || s.Skip > 0 || len(s.Parallel) > 0
		f.look(s.Parallel)
		for _, p := range s.Policies {
			f.graph = f.graph || p.Propagate || p.AvoidFailed
			f.deadLetters = f.deadLetters || p.DeadLetter != ""
		}
	}
}

// features are those of all points together.
func (e *Experiment) features() features {
	has := func(is func(*features) bool) bool {
		return slices.ContainsFunc(e.shapes, func(s shape) bool { return is(&s.features) })
	}
	return features{
		graph:       has(func(f *features) bool { return f.graph }),
		effects:     has(func(f *features) bool { return f.effects }),
		queues:      has(func(f *features) bool { return f.queues }),
		deadLetters: has(func(f *features) bool { return f.deadLetters }),
		refusals:    has(func(f *features) bool { return f.refusals }),
		redrives:    has(func(f *features) bool { return f.redrives }),
		resends:     has(func(f *features) bool { return f.resends }),
		reruns:      has(func(f *features) bool { return f.reruns }),
	}
}
