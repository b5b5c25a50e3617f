package real

import (
	"testing"
	"time"

	"retrystorm/scenarios"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// seed is that of our side; the libraries have none.
const seed = 1

// preset is what the simulator has of a library.
func preset(t *testing.T, name, version string, sets ...string) strategies.Policy {
	t.Helper()
	p, err := scenarios.PresetPolicy(name, version, sets)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ourWaits draws as the simulator does: one draw for each retry of a request.
func ourWaits(w *strategies.Waits, n, k int) waits {
	out := make(waits, n)
	for i := range out {
		out[i] = make([]time.Duration, k)
		var memory uint64
		for j := range out[i] {
			retry := uint64(j) + 1
			u := random.Root(seed, uint64(i)).Draw(random.Backoff, retry)
			out[i][j], memory = w.Next(int64(retry), memory, u)
		}
	}
	return out
}

// ourTimetable is when our policy makes its attempts, the first at 0, when each
// of them fails at once with this outcome. Requests differ in their luck.
func ourTimetable(p strategies.Policy, failure strategies.Outcome, request uint64) []time.Duration {
	rules := p.Compile()
	f := strategies.Failure{Outcome: failure, Attempt: 1}
	at := []time.Duration{0}
	for {
		d := rules.Next(&f, random.Root(seed, request).Draw(random.Backoff, uint64(f.Attempt)))
		if d.Why != strategies.Retry {
			return at
		}
		f.Attempt++
		f.Elapsed += d.Wait
		f.Memory = d.Memory
		at = append(at, f.Elapsed)
	}
}
