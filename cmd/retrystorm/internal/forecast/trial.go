// Package forecast says what a run would take: it tries a few replications for a
// moment, and takes the rest to be like them.
package forecast

import (
	"errors"
	"time"

	"retrystorm/experiment"
)

// Trials are what replications of different points took.
type Trials struct {
	Runs   []experiment.Trial
	Took   time.Duration
	Memory uint64 // more than before
	// Cut is how many had too many events, and CutTook how long they took until
	// then.
	Cut     int
	CutTook time.Duration
}

// Try runs replications for a moment, none with more events than most (0: there is
// no limit; where there is one thread only, no clock ends a replication). There
// are none when not even one was through.
func Try(e *experiment.Experiment, moment time.Duration, most int64) (Trials, error) {
	var t Trials
	stop := make(chan struct{})
	timer := time.AfterFunc(moment, func() { close(stop) })
	defer timer.Stop()
	before := MemoryUsed()
	start := time.Now()
	for i := 0; time.Since(start) < moment/2; i++ {
		began := time.Now()
		trial, ok, err := e.Try(i, most, stop)
		took := time.Since(began)
		switch {
		case errors.Is(err, experiment.ErrInterrupted) && most > 0:
			t.Cut++
			t.CutTook += took
			continue
		case errors.Is(err, experiment.ErrInterrupted), err == nil && !ok:
			return t, nil
		case err != nil:
			return t, err
		}
		t.Runs = append(t.Runs, trial)
		t.Took += took
		if now := MemoryUsed(); now > before {
			t.Memory = max(t.Memory, now-before)
		}
	}
	return t, nil
}

// PerCost is how many calls, and how many seconds, there are for each call of
// the estimate.
func (t *Trials) PerCost() (calls, seconds float64) {
	var cost, made float64
	for _, x := range t.Runs {
		cost += x.Cost
		made += float64(x.Calls)
	}
	return made / cost, t.Took.Seconds() / cost
}
