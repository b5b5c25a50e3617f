package sim

import "errors"

// Options are how a run is watched and stopped.
type Options struct {
	// Stop ends the run early with ErrStopped when it is closed.
	Stop <-chan struct{}
	// Trace, if set, is told every event in order, as a line of text.
	Trace func(line TraceLine)
}

// ErrStopped is returned by a run that was stopped from outside.
var ErrStopped = errors.New("stopped")

// Runner runs replications, reusing its memory from one to the next. It is for
// one goroutine.
type Runner struct{}

// Run simulates one replication. The record is valid until the next Run.
func (r *Runner) Run(m *Model, seed, replication uint64, opt Options) (*Record, error) {
	return nil, errors.New("sim: not built yet")
}
