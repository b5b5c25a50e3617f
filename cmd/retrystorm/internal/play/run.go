package play

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"retrystorm/cmd/retrystorm/internal/forecast"
	"retrystorm/experiment"
	"retrystorm/report"
)

// Run runs an edit until it is over or stop is closed, and tells how far it is. The
// last event is done, cancelled or failed; only after done is there a result.
//
// A first pass with few replications soon gives something to look at. It takes
// nothing from the whole, which is as the command line makes it.
func (p *Player) Run(stop <-chan struct{}, e Edit, tell func(Event)) *Result {
	r, err := prepare(e)
	if err != nil {
		tell(Event{Kind: "failed", Message: First(asProblems(e, err))})
		return nil
	}
	plan := r.experiment.Plan(1)
	if refused := p.tooLarge(r.experiment, &plan); refused != "" {
		tell(Event{Kind: "failed", Message: refused})
		return nil
	}
	jobs, err := forecast.Fitting(max(p.limits.Jobs, 1), r.experiment.Clients(), p.limits.Memory)
	if err != nil {
		tell(Event{Kind: "failed", Message: err.Error()})
		return nil
	}
	w := &watched{ready: r, tell: tell, store: newStore(p.limits.Kept)}
	result, err := w.run(experiment.Options{Jobs: jobs, Stop: stop})
	switch {
	case errors.Is(err, experiment.ErrInterrupted):
		tell(Event{Kind: "cancelled", Done: w.done, Total: w.total})
		return nil
	case err != nil:
		tell(Event{Kind: "failed", Done: w.done, Total: w.total, Message: err.Error()})
		return nil
	}
	view, err := report.NewView(result)
	if err != nil {
		tell(Event{Kind: "failed", Done: w.done, Total: w.total, Message: err.Error()})
		return nil
	}
	out := newResult(result, w.store.bytes())
	tell(Event{Kind: "done", Done: w.total, Total: w.total, View: view, Files: out.Names()})
	return out
}

// First is one problem for somebody who asked for a run, and how many more there
// are.
func First(ps []Problem) string {
	s := ps[0].Message
	if ps[0].Path != "" {
		s = ps[0].Path + ": " + s
	}
	switch {
	case ps[0].Set >= 0:
		s = fmt.Sprintf("setting %d: %s", ps[0].Set+1, s)
	case ps[0].Line > 0:
		s = fmt.Sprintf("line %d: %s", ps[0].Line, s)
	}
	if len(ps) > 1 {
		s += fmt.Sprintf(" (and %d more problems)", len(ps)-1)
	}
	return s
}

// watched is a run that somebody looks at.
type watched struct {
	*ready
	tell  func(Event)
	store *store

	earlier, later int // replications of the passes before and after this one
	done, total    int
	told           time.Time

	points  []experiment.Point // of the first pass, and those that are finished
	at      map[string]int     // where a point is among them
	looked  time.Time          // when the last view was told
	looking time.Duration      // how long it took to make
}

// Nobody reads faster.
const (
	progressEvery = 100 * time.Millisecond
	viewEvery     = 400 * time.Millisecond
)

func (w *watched) run(opt experiment.Options) (*experiment.Result, error) {
	opt.Light, opt.Progress = true, w.progress
	if few := fewOf(w.experiment); few > 0 {
		w.later = int(w.experiment.Plan(1).Least)
		glance, err := w.experiment.Glance(few).Run(opt)
		if err != nil {
			return nil, err
		}
		w.begin(glance.Points)
		w.earlier, w.later = w.done, 0
		w.view()
	}
	opt.Store = w.store
	r, err := w.experiment.Run(opt)
	if err == nil {
		r.Command = w.command
	}
	return r, err
}

// fewOf is how many replications the first pass has; 0 where it would say little
// or take long.
func fewOf(x *experiment.Experiment) int {
	if n := x.Replications(); n >= 8 && !x.Bisects() && !x.AutoWarmup() {
		return max(2, n/20)
	}
	return 0
}

// progress is told how many replications of a pass are done.
func (w *watched) progress(done, total int) {
	w.done, w.total = w.earlier+done, w.earlier+total+w.later
	now := time.Now()
	if now.Sub(w.told) < progressEvery {
		return
	}
	w.told = now
	w.tell(Event{Kind: "progress", Done: w.done, Total: w.total})
	// Views of many points take a while to make: a tenth of the time is theirs.
	if now.Sub(w.looked) >= max(viewEvery, 10*w.looking) && w.update() {
		w.view()
	}
}

// begin takes the points of the first pass.
func (w *watched) begin(points []experiment.Point) {
	w.points, w.at = points, make(map[string]int, len(points))
	for i := range points {
		w.at[keyOf(&points[i])] = i
	}
}

func keyOf(p *experiment.Point) string {
	return p.Variant + "\x00" + strings.Join(p.Sweep, "\x00")
}

// update puts the points that have been finished in the place of what the first
// pass knew of them, and reports whether there are any. As in the result, only
// those of the last place of the sweep are whole.
func (w *watched) update() bool {
	fresh := w.store.take()
	if w.points == nil {
		return false
	}
	last := w.points[len(w.points)-1].Sweep
	for _, p := range fresh {
		i, ok := w.at[keyOf(p)]
		if !ok {
			continue
		}
		w.points[i] = *p
		if b := &w.points[i]; !slices.Equal(p.Sweep, last) {
			b.Runs, b.Timelines, b.Completion, b.Hops, b.Dead = nil, nil, nil, nil, nil
		}
	}
	return len(fresh) > 0
}

// view tells what the run has come to so far.
func (w *watched) view() {
	w.looked = time.Now()
	r := w.experiment.Result(slices.Clone(w.points))
	r.Command = w.command
	w.tell(Event{Kind: "view", Done: w.done, Total: w.total, View: report.PartialView(r)})
	w.looking = time.Since(w.looked)
}
