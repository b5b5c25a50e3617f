package server

import (
	"math"
	"testing"

	"retrystorm/sim/random"
)

func TestMix(t *testing.T) {
	parts := []MixPart{
		{Answer: "503", Share: 0.5, RetryAfter: Asked{Kind: AskedDelay, Delay: 5 * sec}},
		{Answer: "429", Share: 0.3, RetryAfter: Asked{Kind: AskedRecovery}, Form: "date"},
		{Answer: "silent", Share: 0.15},
		{Answer: "reset", Share: 0.05},
	}
	plain := Fault{Kind: "errors", Share: 0.4, For: 9 * sec}
	mixed := plain
	mixed.Mix = parts
	a, b := New(service(faulty(plain)), 10*sec), New(service(faulty(mixed)), 10*sec)
	goTo(a, 0)
	goTo(b, 0)
	const n = 200_000
	counts, failed := map[Decision]float64{}, 0.0
	for i := range uint64(n) {
		c := Call{Key: random.Root(11, i)}
		d := b.Arrive(0, c)
		if fails := d.Fate != Starts; fails {
			counts[d]++
			failed++
		}
		if (a.Arrive(0, c).Fate == Starts) != (d.Fate == Starts) {
			t.Fatalf("call %d: a mix changes who fails", i)
		}
	}
	sum := 0.0
	for d, share := range map[Decision]float64{
		{Answered, false, 503, Hint{5 * sec, FormSeconds, true}}: 0.5,
		{Answered, false, 429, Hint{9 * sec, FormDate, true}}:    0.3,
		{Lost, false, Silent, Hint{}}:                            0.15,
		{Answered, false, Reset, Hint{}}:                         0.05,
	} {
		want := failed * share
		sum += (counts[d] - want) * (counts[d] - want) / want
	}
	if len(counts) != 4 || sum > 16.3 { // chi-square, 3 degrees of freedom: 0.1 %
		t.Errorf("%v of %v failed, chi-square %.1f", counts, failed, sum)
	}
	if z := (failed - 0.4*n) / math.Sqrt(n*0.4*0.6); math.Abs(z) > 4 {
		t.Errorf("%v of %v failed, want 40%%", failed, n)
	}
}

// The parts of a mix are answers like others: the strictest of several faults.
func TestMixIsStrict(t *testing.T) {
	s := New(service(faulty(
		Fault{Kind: "errors", Share: 1, Answer: says(500)},
		Fault{Kind: "errors", Share: 1, Mix: []MixPart{{Answer: "refused", Share: 0.5}, {Answer: "400", Share: 0.5}}},
	)), sec)
	goTo(s, 0)
	got := map[Answer]bool{}
	for i := range uint64(100) {
		got[s.Arrive(0, Call{Key: random.Root(i)}).Answer] = true
	}
	if want := map[Answer]bool{500: true, Refused: true}; len(got) != 2 || !got[500] || !got[Refused] {
		t.Errorf("answers %v, want %v", got, want)
	}
}

// TestStoredErrors: all calls of a request get the same answer, and requests
// fail by their share.
func TestStoredErrors(t *testing.T) {
	s := New(service(faulty(Fault{Kind: "errors", Share: 0.3, Stored: true, Mix: []MixPart{{Answer: "500", Share: 0.5}, {Answer: "502", Share: 0.5}}})), sec)
	goTo(s, 0)
	const requests = 20_000
	failed := 0
	for i := range uint64(requests) {
		request := random.Root(3, i)
		first := s.Arrive(0, Call{Key: request.Child(0, 1, 0), Request: request})
		for attempt := range uint64(3) {
			if d := s.Arrive(0, Call{Key: request.Child(0, attempt+2, 0), Request: request}); d != first {
				t.Fatalf("request %d: %+v after %+v", i, d, first)
			}
		}
		if first.Fate == Answered {
			failed++
		}
	}
	// Five standard deviations of a binomial share.
	if share := float64(failed) / requests; share < 0.3-0.0163 || share > 0.3+0.0163 {
		t.Errorf("%.4f of the requests fail, want 0.3", share)
	}
	if service().Shares() {
		t.Error("a service without stored errors shares draws")
	}
}
