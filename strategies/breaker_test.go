package strategies

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Breakers of libraries, by their defaults.
var (
	resilience4j = Breaker{
		Kind: "count", Size: 100, Failures: 0.5, MinCalls: new(int64(100)), SlowCall: time.Minute, SlowCalls: 1,
		Open: time.Minute, HalfOpen: 10, FailureOn: []string{"any"},
	}
	polly = Breaker{
		Kind: "time", Window: 30 * time.Second, Failures: 0.1, MinCalls: new(int64(100)), SlowCalls: 1,
		Open: 5 * time.Second, HalfOpen: 1, FailureOn: []string{"any"},
	}
	failsafeBreaker = Breaker{Kind: "consecutive", Size: 1, Open: time.Minute, HalfOpen: 1, FailureOn: []string{"any"}}
	nginx           = Breaker{Kind: "consecutive", Size: 1, Open: 10 * time.Second, HalfOpen: 1, FailureOn: []string{"any"}}
)

// breaker is a state with its rules.
type breaker struct {
	BreakerRules
	BreakerState
}

func newBreaker(spec Breaker) *breaker {
	b := &breaker{BreakerRules: spec.Compile()}
	b.Reset(&b.BreakerState)
	return b
}

func (b *breaker) allow(now time.Duration) (uint32, bool) { return b.Allow(&b.BreakerState, now) }

func (b *breaker) record(now time.Duration, permit uint32, o Outcome) {
	b.Record(&b.BreakerState, now, permit, o, time.Millisecond)
}

func (b *breaker) at(now time.Duration) Position { return b.State(&b.BreakerState, now) }

// call is a call with a result at once, if it goes through.
func (b *breaker) call(now time.Duration, o Outcome) bool {
	permit, ok := b.allow(now)
	if ok {
		b.record(now, permit, o)
	}
	return ok
}

// play makes a call for each letter of the script, one every gap from start: s
// succeeds, f fails. It writes what each call met: the position in front of it,
// as c, o or h, in capitals if it did not go through.
func (b *breaker) play(start, gap time.Duration, script string) string {
	var met strings.Builder
	for i, letter := range script {
		now := start + time.Duration(i)*gap
		word := b.at(now).String()[:1]
		o := OK
		if letter == 'f' {
			o = 500
		}
		if !b.call(now, o) {
			word = strings.ToUpper(word)
		}
		met.WriteString(word)
	}
	return met.String()
}

func TestResilience4j(t *testing.T) {
	b := newBreaker(resilience4j)
	b.play(0, time.Second, strings.Repeat("f", 99))
	if b.at(99*time.Second) != Closed {
		t.Error("open before 100 calls are known")
	}
	b.play(99*time.Second, 0, "f")
	if b.at(99*time.Second) != Open {
		t.Error("not open after 100 failures")
	}
	if got := b.play(99*time.Second, time.Second, strings.Repeat("s", 60)); got != strings.Repeat("O", 60) {
		t.Errorf("while open: %s", got)
	}
	// Ten calls at half-open: five failures are half of them.
	if got := b.play(159*time.Second, 0, "sfsfsfsfsff"); got != "hhhhhhhhhhO" {
		t.Errorf("half of ten fail: %s", got)
	}
	if got := b.play(219*time.Second, 0, "ssffsfsfssf"); got != "hhhhhhhhhhc" {
		t.Errorf("four of ten fail: %s", got)
	}
	if len(b.ring) != 100 {
		t.Errorf("ring of %d", len(b.ring))
	}

	b = newBreaker(resilience4j)
	b.play(0, 0, strings.Repeat("s", 1000)+strings.Repeat("f", 49))
	if b.at(0) != Closed {
		t.Error("open with 49 failures in 100")
	}
	b.play(0, 0, "f")
	if b.at(0) != Open {
		t.Error("closed with 50 failures in 100")
	}
}

func TestSlowCalls(t *testing.T) {
	b := newBreaker(Breaker{
		Kind: "count", Size: 10, Failures: 1, SlowCall: time.Second, SlowCalls: 0.3,
		Open: time.Second, HalfOpen: 1, FailureOn: []string{"5xx"},
	})
	took := func(d time.Duration) {
		permit, _ := b.allow(0)
		b.Record(&b.BreakerState, 0, permit, OK, d)
	}
	for range 7 {
		took(time.Second) // not above
	}
	took(time.Second + 1)
	took(time.Second + 1)
	took(time.Second)
	if b.at(0) != Closed {
		t.Error("open with 2 slow calls in 10")
	}
	took(time.Second + 1)
	if b.at(0) != Open {
		t.Error("closed with 3 slow calls in 10")
	}
	permit, _ := b.allow(time.Second)
	b.Record(&b.BreakerState, time.Second, permit, OK, 2*time.Second)
	if b.at(time.Second) != Open {
		t.Error("a slow call closed it")
	}
}

// TestPolly: 10% of at least 100 calls in 30 s; one call at half-open decides.
func TestPolly(t *testing.T) {
	b := newBreaker(polly)
	b.play(0, 0, strings.Repeat("f", 99))
	if b.at(0) != Closed {
		t.Error("open with 99 calls")
	}
	b.play(0, 0, "s")
	if b.at(0) != Open {
		t.Error("closed with 100 calls and 99 failures")
	}
	if got := b.play(5*time.Second, 0, "fs"); got != "hO" {
		t.Errorf("a failure at half-open: %s", got)
	}
	if got := b.play(10*time.Second, 0, "sf"); got != "hc" {
		t.Errorf("a success at half-open: %s", got)
	}

	b = newBreaker(polly)
	b.play(0, 0, strings.Repeat("s", 500)+strings.Repeat("f", 49))
	b.play(27*time.Second, 0, strings.Repeat("s", 90)+strings.Repeat("f", 10))
	if b.at(27*time.Second) != Closed {
		t.Error("open with 59 failures in 649")
	}
	b.play(30*time.Second, 0, "f") // what was at 0 has left the window
	if b.at(30*time.Second) != Open {
		t.Error("closed with 11 failures in 101")
	}
}

func TestConsecutive(t *testing.T) {
	b := newBreaker(Breaker{Kind: "consecutive", Size: 3, Open: time.Second, HalfOpen: 2, FailureOn: []string{"any"}})
	if got := b.play(0, 0, "ffsffsfffs"); got != "cccccccccO" {
		t.Errorf("closed: %s", got)
	}
	if got := b.play(time.Second, 0, "sfs"); got != "hhO" {
		t.Errorf("a failure at half-open: %s", got)
	}
	if got := b.play(2*time.Second, 0, "ssffs"); got != "hhccc" {
		t.Errorf("half-open: %s", got)
	}
	for name, c := range map[string]struct {
		spec Breaker
		open time.Duration
	}{"failsafe-go": {failsafeBreaker, time.Minute}, "nginx": {nginx, 10 * time.Second}} {
		b := newBreaker(c.spec)
		if got := b.play(0, 0, "sfs"); got != "ccO" {
			t.Errorf("%s: %s", name, got)
		}
		if b.at(c.open-1) != Open || b.play(c.open, 0, "ss") != "hc" {
			t.Errorf("%s: not closed by a success after %v", name, c.open)
		}
	}
}

// TestOldPermits: what was let through in an earlier period says nothing.
func TestOldPermits(t *testing.T) {
	b := newBreaker(failsafeBreaker)
	first, _ := b.allow(0)
	second, _ := b.allow(0)
	b.record(0, first, Timeout)
	b.record(time.Minute, second, OK)
	if b.at(time.Minute-1) != Open {
		t.Error("an old success closed it")
	}
	probe, ok := b.allow(time.Minute)
	if !ok {
		t.Fatal("no probe")
	}
	b.record(time.Minute, second, 500)
	b.Cancel(&b.BreakerState, second)
	if _, ok := b.allow(time.Minute); ok || b.at(time.Minute) != HalfOpen {
		t.Error("an old result counted at half-open")
	}
	b.Cancel(&b.BreakerState, probe)
	probe, ok = b.allow(time.Minute)
	if !ok {
		t.Error("a canceled probe kept its place")
	}
	b.record(time.Minute, probe, OK)
	if b.at(time.Minute) != Closed {
		t.Error("a success did not close it")
	}
}

// TestObserve: calls that are not asked go through always; at half-open they
// take no place, but count.
func TestObserve(t *testing.T) {
	b := newBreaker(failsafeBreaker)
	b.record(0, b.Observe(&b.BreakerState, 0), 500)
	if b.at(0) != Open {
		t.Error("an observed failure did not count")
	}
	b.record(0, b.Observe(&b.BreakerState, 0), OK)
	if b.at(0) != Open {
		t.Error("a success closed it")
	}
	seen := b.Observe(&b.BreakerState, time.Minute)
	if _, ok := b.allow(time.Minute); !ok {
		t.Error("an observed call took the place of half-open")
	}
	b.Cancel(&b.BreakerState, b.Observe(&b.BreakerState, time.Minute))
	if _, ok := b.allow(time.Minute); ok {
		t.Error("an observed call freed a place")
	}
	b.record(time.Minute, seen, OK)
	if b.at(time.Minute) != Closed {
		t.Error("an observed success did not count at half-open")
	}
}

// naive is a breaker that remembers everything.
type naive struct {
	spec     Breaker
	position Position
	since    int // index of the first result of the period
	until    time.Duration
	asked    int64
	results  []naiveResult
}

type naiveResult struct {
	at           time.Duration
	failed, slow bool
}

func (n *naive) turn(to Position, now time.Duration) {
	n.position, n.since, n.asked, n.until = to, len(n.results), 0, now+n.spec.Open
}

func (n *naive) allow(now time.Duration) bool {
	if n.position == Open && now >= n.until {
		n.turn(HalfOpen, now)
	}
	if n.position == HalfOpen {
		n.asked++
		return n.asked <= n.spec.HalfOpen
	}
	return n.position == Closed
}

func (n *naive) record(now time.Duration, failed, slow bool) {
	n.results = append(n.results, naiveResult{now, failed, slow})
	known := n.results[n.since:]
	if n.position == HalfOpen {
		bad := n.bad(known, n.spec.HalfOpen)
		if n.spec.Kind == "consecutive" {
			bad = failed
		}
		if bad {
			n.turn(Open, now)
		} else if int64(len(known)) == n.spec.HalfOpen {
			n.turn(Closed, now)
		}
		return
	}
	bad := false
	switch n.spec.Kind {
	case "count":
		known = known[max(0, len(known)-int(n.spec.Size)):]
		bad = n.bad(known, min(*n.spec.MinCalls, n.spec.Size))
	case "time":
		slot := n.spec.Window / 10
		for known[0].at/slot+10 <= now/slot {
			known = known[1:]
		}
		bad = n.bad(known, *n.spec.MinCalls)
	case "consecutive":
		row := int64(0)
		for i := len(known) - 1; i >= 0 && known[i].failed; i-- {
			row++
		}
		bad = row >= n.spec.Size
	}
	if bad {
		n.turn(Open, now)
	}
}

func (n *naive) bad(known []naiveResult, enough int64) bool {
	var failed, slow float64
	for _, r := range known {
		if r.failed {
			failed++
		}
		if r.slow {
			slow++
		}
	}
	all := float64(len(known))
	return int64(len(known)) >= enough && (failed/all >= n.spec.Failures || slow/all >= n.spec.SlowCalls)
}

// TestBreakerIsNaive compares every kind with a breaker that keeps all results.
func TestBreakerIsNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := Breaker{
			Kind:      rapid.SampledFrom(Breaker{}.Kinds()).Draw(t, "kind")[0],
			Size:      rapid.Int64Range(1, 8).Draw(t, "size"),
			Window:    time.Second,
			Failures:  rapid.SampledFrom([]float64{0.25, 0.5, 0.75, 1}).Draw(t, "failures"),
			MinCalls:  new(rapid.Int64Range(1, 10).Draw(t, "min_calls")),
			SlowCall:  time.Second,
			SlowCalls: rapid.SampledFrom([]float64{0.5, 1}).Draw(t, "slow_calls"),
			Open:      time.Second,
			HalfOpen:  rapid.Int64Range(1, 5).Draw(t, "half_open"),
			FailureOn: []string{"5xx"},
		}
		b, n := newBreaker(spec), naive{spec: spec}
		now := time.Duration(0)
		for range rapid.IntRange(1, 100).Draw(t, "calls") {
			now += time.Duration(rapid.Int64Range(0, int64(300*time.Millisecond)).Draw(t, "gap"))
			permit, ok := b.allow(now)
			if want := n.allow(now); ok != want {
				t.Fatalf("allowed %t, want %t", ok, want)
			}
			if !ok {
				continue
			}
			o := rapid.SampledFrom([]Outcome{OK, OK, 404, 500}).Draw(t, "outcome")
			took := rapid.SampledFrom([]time.Duration{1, 2 * time.Second}).Draw(t, "took")
			b.Record(&b.BreakerState, now, permit, o, took)
			n.record(now, o == 500, took > time.Second && spec.Kind != "consecutive")
			if b.position != n.position {
				t.Fatalf("%v, want %v", b.position, n.position)
			}
		}
	})
}

// TestHalfOpenQuota: however calls and results are mixed, never more than
// half_open calls go through in one half-open period, canceled ones aside.
func TestHalfOpenQuota(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := Breaker{
			Kind: "count", Size: 2, Failures: 0.5, SlowCalls: 1, Open: time.Second,
			HalfOpen: rapid.Int64Range(1, 4).Draw(t, "half_open"), FailureOn: []string{"any"},
		}
		b := newBreaker(spec)
		var open []uint32
		var through int64
		period := b.period
		now := time.Duration(0)
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			now += time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "gap"))
			if len(open) == 0 || rapid.Bool().Draw(t, "ask") {
				permit, ok := b.allow(now)
				if b.period != period {
					period, through = b.period, 0
				}
				if ok {
					open = append(open, permit)
					through++
				}
			} else {
				i := rapid.IntRange(0, len(open)-1).Draw(t, "which")
				permit := open[i]
				open = append(open[:i], open[i+1:]...)
				switch rapid.IntRange(0, 2).Draw(t, "end") {
				case 0:
					if b.current(permit) {
						through--
					}
					b.Cancel(&b.BreakerState, permit)
				case 1:
					b.record(now, permit, OK)
				default:
					b.record(now, permit, 500)
				}
				if b.period != period {
					period, through = b.period, 0
				}
			}
			if b.position == HalfOpen && through > spec.HalfOpen {
				t.Fatalf("%d calls through half-open, at most %d", through, spec.HalfOpen)
			}
			if b.asked < 0 {
				t.Fatalf("%d places taken", b.asked)
			}
		}
	})
}

func TestBreakerReset(t *testing.T) {
	for _, spec := range []Breaker{resilience4j, polly, nginx} {
		b := newBreaker(spec)
		b.play(time.Hour, 0, strings.Repeat("f", 60))
		if n := testing.AllocsPerRun(10, func() { b.Reset(&b.BreakerState) }); n != 0 {
			t.Errorf("%s: Reset allocates %v times", spec.Kind, n)
		}
		fresh := newBreaker(spec)
		script := strings.Repeat("f", 200)
		if got, want := b.play(0, time.Second, script), fresh.play(0, time.Second, script); got != want {
			t.Errorf("%s: after Reset %s, when new %s", spec.Kind, got, want)
		}
	}
}

func TestBreakerAllocatesNothing(t *testing.T) {
	for _, spec := range []Breaker{resilience4j, polly, nginx} {
		b := newBreaker(spec)
		i := 0
		if n := testing.AllocsPerRun(1000, func() {
			i++
			b.call(time.Duration(i)*time.Second, Outcome(500*(i&1)))
		}); n != 0 {
			t.Errorf("%s: %v allocations", spec.Kind, n)
		}
	}
}

func TestPositionString(t *testing.T) {
	for p, want := range map[Position]string{Closed: "closed", Open: "open", HalfOpen: "half-open", 9: "unknown"} {
		if p.String() != want {
			t.Errorf("%q, want %q", p, want)
		}
	}
}

func BenchmarkBreaker(b *testing.B) {
	for _, spec := range []Breaker{resilience4j, polly, nginx} {
		b.Run(spec.Kind, func(b *testing.B) {
			breaker := newBreaker(spec)
			now := time.Duration(0)
			for b.Loop() {
				now += time.Millisecond
				breaker.call(now, OK)
			}
		})
	}
}
