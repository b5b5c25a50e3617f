package real

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// errDown is what a call that always fails answers.
var errDown = errors.New("down")

// library draws whole sequences of waits from a real library: n requests with
// k waits each.
type library func(t *testing.T, n, k int) waits

// drawn is a library that can be asked for its waits: fresh is what one request
// begins with, and what that returns is called for retry 1, 2, ...
func drawn(fresh func() func(retry int) time.Duration) library {
	return func(_ *testing.T, n, k int) waits {
		w := make(waits, n)
		for i := range w {
			next := fresh()
			w[i] = make([]time.Duration, k)
			for j := range w[i] {
				w[i][j] = next(j + 1)
			}
		}
		return w
	}
}

// slept is a library that can only be watched while it sleeps. run makes a
// request whose every attempt fails; it is told so by attempt, and it must stop
// after more than k retries. All of it happens in virtual time, where computing
// takes no time, so the time between two attempts is the wait.
func slept(run func(k int, attempt func() error)) library {
	return func(t *testing.T, n, k int) waits {
		w := make(waits, n)
		synctest.Test(t, func(*testing.T) {
			for i := range w {
				w[i] = gaps(func(attempt func() error) { run(k, attempt) })
			}
		})
		for i := range w {
			if len(w[i]) < k {
				t.Fatalf("%d waits, want %d", len(w[i]), k)
			}
		}
		return w
	}
}

// gaps are the times between the attempts that run makes; for use inside a
// bubble.
func gaps(run func(attempt func() error)) []time.Duration {
	var out []time.Duration
	var last time.Time
	run(func() error {
		now := time.Now()
		if !last.IsZero() {
			out = append(out, now.Sub(last))
		}
		last = now
		return errDown
	})
	return out
}

// timetable is when the attempts of a request are made, the first at 0, in
// virtual time.
func timetable(t *testing.T, run func(attempt func() error)) []time.Duration {
	t.Helper()
	at := []time.Duration{0}
	synctest.Test(t, func(*testing.T) {
		for _, gap := range gaps(run) {
			at = append(at, at[len(at)-1]+gap)
		}
	})
	return at
}
