package limit

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// holder is a state with its rules.
type holder struct {
	Rules
	State
}

func newHolder(spec Spec) *holder {
	h := &holder{Rules: spec.Compile()}
	h.Reset(&h.State)
	return h
}

func (h *holder) acquire() bool { return h.Acquire(&h.State) }

// use fills up to n, and ends one of them.
func (h *holder) use(n int64, took time.Duration, dropped bool) {
	for h.InFlight(&h.State) < n && h.acquire() {
	}
	h.Release(&h.State, 0, took, dropped)
}

var specs = []Spec{
	{Kind: "concurrency", Limit: 3},
	{Kind: "aimd", Limit: 10, Min: 2, Max: 12},
	{Kind: "gradient", Limit: 10, Min: 2, Max: 100},
}

func TestConcurrency(t *testing.T) {
	h := newHolder(specs[0])
	for i := range 5 {
		if got, want := h.acquire(), i < 3; got != want {
			t.Errorf("%d in flight: %t, want %t", i, got, want)
		}
	}
	h.Release(&h.State, 0, time.Hour, true)
	if h.Limit(&h.State) != 3 || !h.acquire() || h.acquire() {
		t.Error("a fixed limit moved")
	}
}

func TestAIMD(t *testing.T) {
	h := newHolder(specs[1])
	h.use(4, 0, false)
	if h.State.limit != 10 {
		t.Errorf("limit %v grew while less than half was used", h.State.limit)
	}
	h.use(5, 0, false)
	if h.State.limit != 10.1 {
		t.Errorf("limit %v, want 10.1", h.State.limit)
	}
	h.use(5, 0, true)
	if want := 10.1 * 0.9; h.State.limit != want {
		t.Errorf("limit %v, want %v", h.State.limit, want)
	}
	for range 100 {
		h.use(1, 0, true)
	}
	if h.State.limit != 2 {
		t.Errorf("limit %v, want min", h.State.limit)
	}
	for range 1000 {
		h.use(12, 0, false)
	}
	if h.State.limit != 12 {
		t.Errorf("limit %v, want max", h.State.limit)
	}
}

// TestGradientSteps follows the rule by hand.
func TestGradientSteps(t *testing.T) {
	const ms = time.Millisecond
	h := newHolder(specs[2])
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	h.use(10, 10*ms, false) // the average is the time: gradient 1
	near("first", h.State.limit, 0.8*10+0.2*(10+4))
	h.use(10, 22*ms, false) // average 16 ms: gradient 24/22, held to 1
	near("second", h.State.limit, 0.8*10.8+0.2*(10.8+4))
	before := h.State.limit
	h.use(10, 64*ms, false) // average 32 ms: gradient 48/64
	near("third", h.State.limit, 0.8*before+0.2*(0.75*before+4))
	before = h.State.limit
	h.use(10, 0, true) // dropped: 0.5, and the average stays
	near("dropped", h.State.limit, 0.8*before+0.2*(0.5*before+4))
	near("average", h.State.average, 32e6)
	before = h.State.limit
	h.use(10, 10*ms, false) // average 26.5 ms, more than twice 10: drifts
	near("drift", h.State.average, 0.95*26.5e6)
	h.use(1, 10*ms, false)
	if h.State.limit < before {
		t.Errorf("limit %v fell below %v", h.State.limit, before)
	}
	for range 5 {
		h.use(10, 20*ms, false)
	}
	before = h.State.average
	h.use(10, 50*ms, false) // the eleventh: an exponential average
	near("average", h.State.average, before*599/601+50e6*2/601)
}

// TestGradientSettles: when times are L/10 x 10 ms above 10 in flight, and were
// 10 ms for long before, the limit stops where gradient L + 4 = L.
func TestGradientSettles(t *testing.T) {
	h := newHolder(Spec{Kind: "gradient", Limit: 1, Min: 1, Max: 1000})
	for range 100_000 {
		n := h.Limit(&h.State)
		h.State.average, h.State.samples = 10e6, warmup
		h.use(n, time.Duration(max(n, 10))*time.Millisecond, false)
	}
	// 1.5 x 10/L x L + 4 = 19, in whole steps of the time.
	if got := h.Limit(&h.State); got < 18 || got > 20 {
		t.Errorf("limit %d, want 19", got)
	}
}

// TestLimitHolds: whatever ends how, nobody gets in above the limit, the limit
// keeps its bounds, and in the end nobody is inside.
func TestLimitHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := rapid.SampledFrom(specs).Draw(t, "spec")
		h := newHolder(spec)
		inside := int64(0)
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0, 1:
				room := inside < h.Limit(&h.State)
				if got := h.acquire(); got != room {
					t.Fatalf("%d of %d inside: %t", inside, h.Limit(&h.State), got)
				}
				if room {
					inside++
				}
			case 2:
				if inside > 0 {
					took := time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "took"))
					h.Release(&h.State, 0, took, rapid.Bool().Draw(t, "dropped"))
					inside--
				}
			default:
				if inside > 0 {
					h.Leave(&h.State)
					inside--
				}
			}
			if h.InFlight(&h.State) != inside {
				t.Fatalf("%d in flight, want %d", h.InFlight(&h.State), inside)
			}
			if l := h.Limit(&h.State); spec.Kind == "concurrency" && l != spec.Limit ||
				spec.Kind != "concurrency" && (l < spec.Min || l > spec.Max) {
				t.Fatalf("limit %d", l)
			}
		}
	})
}

func TestValidate(t *testing.T) {
	for _, good := range specs {
		good.Validate(func(field, problem string) { t.Errorf("%+v: %s %s", good, field, problem) })
	}
	for _, c := range []struct {
		bad  Spec
		want []string
	}{
		{Spec{}, []string{"kind"}},
		{Spec{Kind: "vegas", Limit: 1}, []string{"kind"}},
		{Spec{Kind: "concurrency"}, []string{"limit"}},
		{Spec{Kind: "concurrency", Limit: most + 1}, []string{"limit"}},
		{Spec{Kind: "aimd", Limit: 5, Min: 0, Max: 10}, []string{"min"}},
		{Spec{Kind: "aimd", Limit: 5, Min: 6, Max: 4}, []string{"max", "limit"}},
		{Spec{Kind: "gradient", Limit: 5, Min: 1, Max: most + 1}, []string{"max"}},
		{Spec{Kind: "gradient", Limit: 11, Min: 1, Max: 10}, []string{"limit"}},
	} {
		var got []string
		c.bad.Validate(func(field, _ string) { got = append(got, field) })
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: complains about %v, want %v", c.bad, got, c.want)
		}
	}
}

func TestCompilePanicsOnInvalid(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("compiled a limit of nothing")
		}
	}()
	Spec{Kind: "concurrency"}.Compile()
}

func TestAllocatesNothing(t *testing.T) {
	for _, spec := range specs {
		h := newHolder(spec)
		if n := testing.AllocsPerRun(1000, func() { h.use(5, time.Millisecond, false) }); n != 0 {
			t.Errorf("%s: %v allocations", spec.Kind, n)
		}
	}
}

func BenchmarkLimit(b *testing.B) {
	for _, spec := range specs {
		b.Run(spec.Kind, func(b *testing.B) {
			h := newHolder(spec)
			for b.Loop() {
				if h.acquire() {
					h.Release(&h.State, 0, time.Millisecond, false)
				}
			}
		})
	}
}
