package server

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestFinish(t *testing.T) {
	pause := func(at, length time.Duration) Fault { return Fault{Kind: "pause", At: at, For: length} }
	slow := func(factor float64, at, length time.Duration) Fault {
		return Fault{Kind: "slow", Factor: factor, At: at, For: length}
	}
	for _, test := range []struct {
		reason     string
		faults     []Fault
		now        time.Duration
		demand     time.Duration
		work, done time.Duration
	}{
		{"no faults", nil, 5, 10, 10, 15},
		{"no work", nil, 5, 0, 0, 5},
		{"done before the pause", []Fault{pause(20, 5)}, 5, 14, 14, 19},
		{"done just when the pause starts: faults come first", []Fault{pause(20, 5)}, 5, 15, 15, 25},
		{"the rest of the work is shifted", []Fault{pause(20, 5)}, 5, 16, 16, 26},
		{"a call that starts in a pause begins at its end", []Fault{pause(20, 5)}, 22, 10, 10, 35},
		{"no work in a pause is done at its end", []Fault{pause(20, 5)}, 20, 0, 0, 25},
		{"a call that starts at the end of a pause", []Fault{pause(20, 5)}, 25, 10, 10, 35},
		{"two pauses", []Fault{pause(20, 5), pause(30, 5)}, 15, 10, 10, 35},
		{"in any order", []Fault{pause(30, 5), pause(20, 5)}, 15, 11, 11, 36},
		{"overlapping pauses merge", []Fault{pause(20, 10), pause(25, 10)}, 15, 10, 10, 40},
		{"one pause within another", []Fault{pause(20, 20), pause(25, 5)}, 15, 10, 10, 45},
		{"touching pauses merge", []Fault{pause(20, 5), pause(25, 5)}, 15, 5, 5, 30},
		{"a pause without end holds up to the end of the run", []Fault{pause(20, 0)}, 15, 5, 5, 1000},
		{"slow", []Fault{slow(4, 0, 10)}, 5, 10, 40, 45},
		{"not slow at the end of the fault", []Fault{slow(4, 0, 10)}, 10, 10, 10, 20},
		{"several multiply", []Fault{slow(4, 0, 10), slow(0.5, 0, 10)}, 0, 10, 20, 20},
		{"rounded, not cut: 2.3 x 100 is 230", []Fault{slow(2.3, 0, 10)}, 0, 100, 230, 230},
		{"slow work is paused too", []Fault{slow(2, 0, 10), pause(5, 10)}, 0, 10, 20, 30},
		{"slower than time itself", []Fault{slow(1e9, 0, 10)}, 5, never - 1, never, never},
	} {
		s := New(service(faulty(test.faults...)), 1000)
		goTo(s, test.now)
		fill(s, test.now, 1)
		if work, done := s.Finish(test.now, test.demand); work != test.work || done != test.done {
			t.Errorf("%s: work %d, done at %d; want %d, %d", test.reason, work, done, test.work, test.done)
		}
	}
}

// The public congestion-collapse model takes 1.0 s + 0.01 s x (calls in
// service, this one included): here 1.01 s and 10 ms for each other call.
func TestSlowdown(t *testing.T) {
	s := New(Spec{Workers: Unlimited, Slowdown: 10 * ms}, time.Hour)
	for n := 1; n <= 50; n++ {
		fill(s, 0, 1)
		want := sec + time.Duration(n)*10*ms
		if work, done := s.Finish(0, 1010*ms); work != want || done != want {
			t.Fatalf("call %d: %v of work, done at %v; want %v", n, work, done, want)
		}
	}
	s = New(Spec{Workers: Unlimited, Slowdown: never}, time.Hour)
	fill(s, 0, 5)
	if work, done := s.Finish(sec, sec); work != never || done != never {
		t.Errorf("the largest slowdown overflows: %d, %d", work, done)
	}
}

// The slow factor belongs to the service's own work; slowdown comes on top.
func TestSlowdownInSlowFault(t *testing.T) {
	s := New(Spec{Workers: Unlimited, Slowdown: 10, Faults: []Fault{{Kind: "slow", Factor: 3}}}, time.Hour)
	goTo(s, 0)
	fill(s, 0, 3)
	if work, _ := s.Finish(0, 100); work != 320 {
		t.Errorf("work %d, want 3 x 100 + 2 x 10", work)
	}
}

// Finish against a clock that ticks: the first instant, outside of pauses, at
// which all the work is done.
func TestFinishAgainstTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var faults []Fault
		for range rapid.IntRange(0, 5).Draw(t, "pauses") {
			faults = append(faults, Fault{
				Kind: "pause",
				At:   time.Duration(rapid.IntRange(0, 60).Draw(t, "at")),
				For:  time.Duration(rapid.IntRange(1, 20).Draw(t, "for")),
			})
		}
		paused := func(now time.Duration) bool {
			for _, f := range faults {
				if f.At <= now && now < f.At+f.For {
					return true
				}
			}
			return false
		}
		s := New(service(faulty(faults...)), 1000)
		// Times never go back within a run, but several calls share one.
		now := time.Duration(0)
		for range 5 {
			now += time.Duration(rapid.IntRange(0, 20).Draw(t, "wait"))
			demand := time.Duration(rapid.IntRange(0, 30).Draw(t, "demand"))
			goTo(s, now)
			want, left := now, demand
			for left > 0 || paused(want) {
				if !paused(want) {
					left--
				}
				want++
			}
			if work, done := s.Finish(now, demand); work != demand || done != want {
				t.Fatalf("at %d with demand %d: work %d, done at %d, want %d", now, demand, work, done, want)
			}
		}
	})
}
