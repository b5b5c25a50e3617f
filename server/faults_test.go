package server

import (
	"slices"
	"testing"
	"time"
)

// change is what a station looks like after one.
type change struct {
	at     time.Duration
	usable int64
	down   Answer
}

func changes(s *Station) (all []change) {
	for {
		at, ok := s.NextChange()
		if !ok {
			return all
		}
		s.Change(at)
		down, _ := s.Down()
		all = append(all, change{at, s.Usable(), down})
	}
}

func TestChanges(t *testing.T) {
	for _, test := range []struct {
		reason string
		spec   Spec
		want   []change
	}{
		{"no faults, no changes", service(workers(4)), nil},
		{
			"a fault at 0 is a change", service(workers(4), faulty(Fault{Kind: "down", For: 5})),
			[]change{{0, 4, Refused}, {5, 4, OK}},
		},
		{
			"a fault without end has none", service(workers(4), faulty(Fault{Kind: "down", At: 3})),
			[]change{{3, 4, Refused}},
		},
		{
			"nothing happens at the end of the run or later",
			service(faulty(Fault{Kind: "down", At: 90, For: 10}, Fault{Kind: "down", At: 100, For: 1})),
			[]change{{90, Unlimited, Refused}},
		},
		{
			"a ramp after a fault of any kind", service(workers(4), faulty(Fault{Kind: "slow", Factor: 2, At: 1, For: 2, Ramp: 4})),
			[]change{{1, 4, OK}, {3, 1, OK}, {5, 2, OK}, {6, 3, OK}, {7, 4, OK}},
		},
		{
			"capacity", service(workers(10), faulty(Fault{Kind: "capacity", Share: 0.35, At: 1, For: 2})),
			[]change{{1, 3, OK}, {3, 10, OK}},
		},
		{
			"one worker always stays", service(workers(10), faulty(Fault{Kind: "capacity", Share: 0, At: 1})),
			[]change{{1, 1, OK}},
		},
		{
			"no share of unlimited workers", service(faulty(Fault{Kind: "capacity", Share: 0.1, At: 1, For: 5, Ramp: 5})),
			[]change{{1, Unlimited, OK}, {6, Unlimited, OK}},
		},
		{
			"the smallest capacity of several", service(workers(10), faulty(
				Fault{Kind: "capacity", Share: 0.5, At: 1, For: 4}, Fault{Kind: "capacity", Share: 0.2, At: 2, For: 2})),
			[]change{{1, 5, OK}, {2, 2, OK}, {4, 5, OK}, {5, 10, OK}},
		},
		{
			"a ramp within a capacity fault", service(workers(4), faulty(
				Fault{Kind: "down", For: 1, Ramp: 4, RampFrom: 0.25}, Fault{Kind: "capacity", Share: 0.5, At: 2, For: 20})),
			[]change{{0, 4, Refused}, {1, 1, OK}, {2, 1, OK}, {3, 2, OK}, {4, 2, OK}, {5, 2, OK}, {22, 4, OK}},
		},
		{
			"two at one instant are one change", service(faulty(Fault{Kind: "down", For: 5}, Fault{Kind: "down", Answer: says(503), At: 5, For: 1})),
			[]change{{0, Unlimited, Refused}, {5, Unlimited, 503}, {6, Unlimited, OK}},
		},
		{
			"down by the strictest", service(faulty(
				Fault{Kind: "down", Answer: says(503), For: 9}, Fault{Kind: "down", Answer: says(Silent), At: 2, For: 2}, Fault{Kind: "down", At: 3, For: 3})),
			[]change{{0, Unlimited, 503}, {2, Unlimited, Silent}, {3, Unlimited, Silent}, {4, Unlimited, Refused}, {6, Unlimited, 503}, {9, Unlimited, OK}},
		},
	} {
		s := New(test.spec, 100)
		if got := changes(s); !slices.Equal(got, test.want) {
			t.Errorf("%s:\ngot  %v\nwant %v", test.reason, got, test.want)
		}
		s.Reset()
		if got := changes(s); !slices.Equal(got, test.want) {
			t.Errorf("%s, after Reset: %v", test.reason, got)
		}
	}
}

// Busy workers above the limit finish; waiting calls start when the limit is
// above the busy ones again.
func TestFewerWorkersThanCalls(t *testing.T) {
	s := New(service(workers(4), faulty(Fault{Kind: "capacity", Share: 0.5, At: 1, For: 9})), sec)
	fill(s, 0, 6)
	goTo(s, 1)
	if s.InService() != 4 {
		t.Fatalf("%d in service, want the 4 there were", s.InService())
	}
	for _, want := range []bool{false, false, true} { // 4 -> 3 -> 2 -> 1 busy of 2
		s.Leave(0, 0, false)
		if _, ok := s.Next(0); ok != want {
			t.Fatalf("with %d in service a call starts: %v", s.InService(), ok)
		}
	}
	goTo(s, 10)
	if _, ok := s.Next(0); !ok {
		t.Fatal("all workers are back, but the last call doesn't start")
	}
}

// A service that is down serves what is inside.
func TestDownServesTheQueue(t *testing.T) {
	s := New(service(workers(1), faulty(Fault{Kind: "down", At: 1})), sec)
	fill(s, 0, 2)
	goTo(s, 1)
	s.Leave(0, 0, false)
	if next, ok := s.Next(0); !ok || next.Call != 1 {
		t.Fatalf("Next is %v, %v", next, ok)
	}
}

func TestSpans(t *testing.T) {
	spec := service(faulty(
		Fault{Name: "late", Kind: "slow", At: 50, For: 100, Ramp: 10},
		Fault{Name: "early", Kind: "down", At: 10, For: 20, Ramp: 5},
		Fault{Name: "endless", Kind: "down", At: 60},
		Fault{Name: "beyond", Kind: "down", At: 100, For: 1},
	))
	want := []Span{{"late", 50, 100}, {"early", 10, 35}, {"endless", 60, 100}}
	if got := spec.Spans(100); !slices.Equal(got, want) {
		t.Errorf("spans %v, want %v", got, want)
	}
	if from, to, ok := New(spec, 100).FaultsEnd(); from != 10 || to != 100 || !ok {
		t.Errorf("faults from %d to %d, %v", from, to, ok)
	}
	if _, _, ok := New(service(), 100).FaultsEnd(); ok {
		t.Error("no faults, but they end")
	}
}

func TestCrash(t *testing.T) {
	const down, ramp = 30 * sec, 40 * sec
	s := New(service(workers(4), crashing(Crash{Above: 5, Restart: down, Ramp: ramp, RampFrom: 0.25})), time.Hour)
	if d := fill(s, sec, 6); d.Fate != Crashes || s.Inside() != 0 || s.crashes != 1 {
		t.Fatalf("%v, %d inside, %d crashes", d, s.Inside(), s.crashes)
	}
	if a, isDown := s.Down(); !isDown || a != Refused || s.Usable() != 0 {
		t.Fatalf("down %v with %v, %d usable", isDown, a, s.Usable())
	}
	if _, ok := s.Next(0); ok {
		t.Fatal("a dead call starts")
	}
	up := sec + down
	goTo(s, up)
	if at, ok := s.NextChange(); !ok || at != up+13_333_333_334 || s.Usable() != 1 {
		t.Fatalf("next change at %v with %d usable", at, s.Usable())
	}
	// The recovering server is knocked down again, in its ramp.
	if d := fill(s, up+sec, 6); d.Fate != Crashes || s.crashes != 2 {
		t.Fatalf("%v, %d crashes", d, s.crashes)
	}
	up += sec + down
	want := []change{{up, 1, OK}, {up + 13_333_333_334, 2, OK}, {up + 26_666_666_667, 3, OK}, {up + ramp, 4, OK}}
	if got := changes(s); !slices.Equal(got, want) {
		t.Fatalf("got  %v\nwant %v", got, want)
	}
}

// A crash and faults at once: down if either says so, the smaller capacity.
func TestCrashAmongFaults(t *testing.T) {
	s := New(service(workers(10), crashing(Crash{Above: 1, Restart: 10, Ramp: 10}), faulty(
		Fault{Kind: "down", Answer: says(503), At: 5, For: 10},
		Fault{Kind: "down", Answer: says(Silent), At: 6, For: 1},
		Fault{Kind: "capacity", Share: 0.2, At: 4, For: 14},
	)), 100)
	fill(s, 1, 2)
	want := []change{
		{4, 0, Refused},
		{5, 0, Refused},
		{6, 0, Silent},
		{7, 0, Refused}, // restarting to 11
		{11, 1, 503},
		{13, 2, 503}, // the crash's ramp
		{14, 2, 503},
		{15, 2, OK},
		{16, 2, OK},
		{17, 2, OK},
		{18, 7, OK},
		{19, 8, OK},
		{20, 9, OK},
		{21, 10, OK},
	}
	if got := changes(s); !slices.Equal(got, want) {
		t.Errorf("\ngot  %v\nwant %v", got, want)
	}
}

// A restart may take no time and have no ramp; then only the calls are gone.
func TestCrashWithoutRestart(t *testing.T) {
	s := New(service(crashing(Crash{Above: 1})), sec)
	fill(s, 0, 2)
	if _, isDown := s.Down(); isDown || s.Usable() != Unlimited {
		t.Error("still down")
	}
	if d := s.Arrive(0, Call{}); d.Fate != Starts {
		t.Errorf("a call after the crash %v", d.Fate)
	}
}

func TestHarmless(t *testing.T) {
	spec := service(faulty(
		Fault{Name: "never", Kind: "errors", Share: 0}, Fault{Name: "some", Kind: "errors", Share: 0.1}, Fault{Name: "gone", Kind: "capacity", Share: 0},
	))
	for name, want := range map[string]bool{"never": true, "some": false, "gone": false, "other": false} {
		if spec.Harmless(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
