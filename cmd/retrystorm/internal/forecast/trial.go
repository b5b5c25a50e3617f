// Package forecast says what a run would take: it tries a few replications for a
// moment, and takes the rest to be like them.
package forecast

import (
	"time"

	"retrystorm/experiment"
)

// Trials are what replications of different points took.
type Trials struct {
	Runs   []experiment.Trial
	Took   time.Duration
	Memory uint64 // more than before
}

// Try runs replications for a moment. There are none when not even one was
// through by then.
func Try(e *experiment.Experiment, moment time.Duration) (Trials, error) {
	var t Trials
	stop := make(chan struct{})
	timer := time.AfterFunc(moment, func() { close(stop) })
	defer timer.Stop()
	before := MemoryUsed()
	start := time.Now()
	for i := 0; time.Since(start) < moment/2; i++ {
		trial, ok, err := e.Try(i, stop)
		if err != nil {
			return t, err
		}
		if !ok {
			break
		}
		t.Runs = append(t.Runs, trial)
		t.Took = time.Since(start)
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
