package strategies

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// hedge is a state with its rules.
type hedge struct {
	HedgeRules
	HedgeState
}

func newHedge(spec Hedge) *hedge {
	h := &hedge{HedgeRules: spec.Compile()}
	h.Reset(&h.HedgeState)
	return h
}

func quantileHedge(q float64) Hedge { return Hedge{After: After{Quantile: q}, Max: 1, Budget: 1} }

func TestHedgeBudget(t *testing.T) {
	spec := Hedge{After: After{Delay: time.Second}, Max: 2, Budget: 0.05, OnFailure: "send"}
	h := newHedge(spec)
	if h.Max() != 2 || !h.OnFailureSend() {
		t.Error("max or on_failure lost")
	}
	hedges := 0
	for i := 1; i <= 1000; i++ {
		h.Started(&h.HedgeState)
		if got, want := h.Take(&h.HedgeState), i%20 == 0; got != want {
			t.Fatalf("request %d: hedge %t, want %t", i, got, want)
		}
	}
	for range 1000 {
		h.Started(&h.HedgeState)
	}
	for h.Take(&h.HedgeState) {
		hedges++
	}
	if hedges != 10 {
		t.Errorf("%d hedges saved up, want 10", hedges)
	}
	spec.Budget = 1
	h = newHedge(spec)
	for range 100 {
		if !h.Take(&h.HedgeState) {
			t.Fatal("100% is no limit")
		}
	}
	if d, ok := h.Delay(&h.HedgeState); d != time.Second || !ok {
		t.Errorf("delay %v %t, want 1s", d, ok)
	}
}

// TestBins: bins follow each other without a gap, and are narrow.
func TestBins(t *testing.T) {
	last := time.Duration(0)
	for bin := range bins {
		edge := upperEdge(bin)
		if binOf(edge) != bin {
			t.Fatalf("upper edge %v of bin %d is in bin %d", edge, bin, binOf(edge))
		}
		if bin > 0 {
			if binOf(last+1) != bin {
				t.Fatalf("%v is in bin %d, want %d", last+1, binOf(last+1), bin)
			}
			if edge-last > max(binUnit, (last+binUnit)/16) {
				t.Fatalf("bin from %v to %v is too wide", last, edge)
			}
		}
		last = edge
	}
	for _, took := range []time.Duration{last + 1, Longest} {
		if got := binOf(took); got != bins-1 {
			t.Errorf("%v is in bin %d, want the last, %d", took, got, bins-1)
		}
	}
}

// TestQuantileIsOfTheSample: up to 1000 answers it is the nearest rank, rounded
// up to the edge of its bin.
func TestQuantileIsOfTheSample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.SampledFrom([]float64{0.05, 0.5, 0.9, 0.95, 0.99, 0.999}).Draw(t, "q")
		h := newHedge(quantileHedge(q))
		var times []time.Duration
		longest := rapid.SampledFrom([]time.Duration{40 * time.Microsecond, time.Second, time.Hour}).Draw(t, "longest")
		for range rapid.IntRange(1, 200).Draw(t, "answers") {
			took := time.Duration(rapid.Int64Range(0, int64(longest)).Draw(t, "took"))
			h.Answered(&h.HedgeState, took)
			times = append(times, took)
		}
		got, ok := h.Delay(&h.HedgeState)
		if ok != (len(times) >= 20) {
			t.Fatalf("known %t after %d answers", ok, len(times))
		}
		if !ok {
			return
		}
		slices.Sort(times)
		rank := (int(millionths(q))*len(times) + million - 1) / million
		if want := upperEdge(binOf(times[rank-1])); got != want {
			t.Fatalf("p%v of %d is %v, want %v (%v)", 100*q, len(times), got, want, times[rank-1])
		}
	})
}

// TestQuantileForgets: old answers count half after 1000 new ones, and halving
// leaves the quantile where it is.
func TestQuantileForgets(t *testing.T) {
	h := newHedge(quantileHedge(0.95))
	answer := func(n int, from time.Duration) {
		for i := range n {
			h.Answered(&h.HedgeState, from+time.Duration(i%100)*time.Millisecond)
		}
	}
	delay := func() time.Duration {
		d, _ := h.Delay(&h.HedgeState)
		return d
	}
	answer(999, 0)
	before := delay()
	answer(1, 99*time.Millisecond)
	if after := delay(); after != before || h.times.total != 500 {
		t.Errorf("halving moved p95 from %v to %v, %d left", before, after, h.times.total)
	}
	answer(10_000, time.Second)
	if d := delay(); d < 1094*time.Millisecond || d > 1163*time.Millisecond {
		t.Errorf("p95 %v, want 1.094s and at most 1/16 more", d)
	}
	answer(5_000, 0) // what came before is 1/32 of 500 in 1500 by now
	if d := delay(); d < 94*time.Millisecond || d > 106*time.Millisecond {
		t.Errorf("p95 %v, want 94ms and at most 1/16 more", d)
	}
	total := int64(0)
	for _, n := range h.times.counts {
		total += int64(n)
	}
	if total != h.times.total || total > 2*forgetting {
		t.Errorf("%d answers in the bins, %d counted", total, h.times.total)
	}
}

func TestHedgeReset(t *testing.T) {
	h := newHedge(quantileHedge(0.5))
	for range 30 {
		h.Started(&h.HedgeState)
		h.Answered(&h.HedgeState, time.Hour)
	}
	if n := testing.AllocsPerRun(10, func() { h.Reset(&h.HedgeState) }); n != 0 {
		t.Errorf("Reset allocates %v times", n)
	}
	if _, ok := h.Delay(&h.HedgeState); ok {
		t.Error("a quantile is known after Reset")
	}
	for range 20 {
		h.Answered(&h.HedgeState, 10*time.Microsecond)
	}
	if d, _ := h.Delay(&h.HedgeState); d != 10*time.Microsecond {
		t.Errorf("p50 %v after Reset, want 10µs", d)
	}
}

func TestHedgeAllocatesNothing(t *testing.T) {
	h := newHedge(quantileHedge(0.95))
	i := 0
	if n := testing.AllocsPerRun(5000, func() {
		i++
		h.Started(&h.HedgeState)
		h.Delay(&h.HedgeState)
		h.Take(&h.HedgeState)
		h.Answered(&h.HedgeState, time.Duration(i*i%1000)*time.Millisecond)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkHedge(b *testing.B) {
	h := newHedge(quantileHedge(0.95))
	i := uint64(0)
	for b.Loop() {
		i = i*6364136223846793005 + 1442695040888963407
		h.Started(&h.HedgeState)
		h.Delay(&h.HedgeState)
		h.Take(&h.HedgeState)
		h.Answered(&h.HedgeState, time.Duration(i>>36)*time.Nanosecond)
	}
}
