package sim_test

import (
	"fmt"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
)

// A request belongs to a slice by when it starts, a call by when it reaches the
// service, an answer by when it is given, and a window if all of it lies there.
// The request of 1.5 s is refused and tries again at 2.5 s.
func TestRuleSlices(t *testing.T) {
	down := server.Fault{Kind: "down", At: 1400 * ms, For: 200 * ms, Answer: server.Reply{Answer: server.Refused}}
	m := model(at(500*ms, s, 1500*ms, 2500*ms), retry(2, 0, backoff("fixed", s, 0)), constant(0), with(working(2, 100*ms), down))
	m.Until = 3 * s
	for _, v := range [][2]time.Duration{{0, s}, {s, 2 * s}, {2 * s, 3 * s}, {950 * ms, 1050 * ms}, {2550 * ms, 3 * s}} {
		m.Slices = append(m.Slices, sim.Slice{From: v[0], To: v[1]})
	}
	rec := run(t, m, 1, 0)
	for i, want := range []string{
		"1 requests [100ms], calls 1 + 0, peaks 1 0, answers 1 0",
		"2 requests [100ms 1.1s], calls 2 + 0, peaks 1 0, answers 1 1",
		"1 requests [100ms], calls 1 + 1, peaks 2 1, answers 2 0",
		"1 requests [100ms], calls 1 + 0, peaks 0 0, answers 0 0",
		"0 requests [], calls 0 + 0, peaks 0 0, answers 2 0",
	} {
		v := &rec.Slices[i]
		c, x := v.Hops[0].Causes, v.Services[0]
		got := fmt.Sprintf("%d requests %v, calls %d + %d, peaks %d %d, answers %d %d", v.All.Requests, sorted(&v.All.Completion),
			c[sim.First], c[sim.AfterRefused], x.PeakCalls, x.PeakRetries, x.Succeeded, x.Failed)
		if got != want {
			t.Errorf("%v: %s\nwant %s", v.Slice, got, want)
		}
	}
	// The next model of the Runner has none.
	var r sim.Runner
	for _, slices := range [][]sim.Slice{m.Slices, nil} {
		next := *m
		next.Slices = slices
		rec, err := r.Run(&next, 1, 0, sim.Options{})
		if err != nil || len(rec.Slices) != len(slices) {
			t.Errorf("%d slices, want %d (%v)", len(rec.Slices), len(slices), err)
		}
	}
}
