package strategies

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Budgets of libraries, by their defaults.
var (
	awsQuota       = Budget{Kind: "tokens", Tokens: 500, Retry: 5, Timeout: 10, Throttled: 5, Success: 1}
	aws21          = Budget{Kind: "tokens", Tokens: 500, Retry: 14, Timeout: 14, Throttled: 5, Success: 1}
	avast          = Budget{Kind: "tokens", Tokens: 100, Retry: 5, Timeout: 5, Throttled: 5, Success: 1}
	adaptiveBucket = Budget{Kind: "tokens", Tokens: 5, Retry: 1, Timeout: 1, Throttled: 1, Request: 0.1, Reserve: 0.1}
	grpcThrottle   = Budget{Kind: "throttle", Tokens: 10, PerSuccess: 0.1}
	finagle        = Budget{Kind: "ratio", Ratio: 0.2, Window: 10 * time.Second, Deposit: "success", PerRequest: 1}
	linkerd        = Budget{Kind: "ratio", Ratio: 0.2, Window: 10 * time.Second, Deposit: "final", Rounded: true, PerRequest: 1}
	gateway        = Budget{Kind: "window", Ratio: 0.2, Window: 10 * time.Second}
	envoyBudget    = Budget{Kind: "concurrent", Ratio: 0.2, Waiting: true}
	envoyRetries   = Budget{Kind: "concurrent", Waiting: true, Floor: Floor{Set: true, Count: 3}}
	failsafeBudget = Budget{Kind: "concurrent", Ratio: 0.2}
	breaker10pct   = Budget{Kind: "failures", Ratio: 0.1}
)

// budget is a state with its rules.
type budget struct {
	BudgetRules
	BudgetState
}

func newBudget(spec Budget) *budget {
	b := &budget{BudgetRules: spec.Compile()}
	b.Reset(&b.BudgetState)
	return b
}

func (b *budget) take(now time.Duration, o Outcome) bool {
	_, ok := b.Take(&b.BudgetState, now, o)
	return ok
}

// drain takes retries until the budget refuses, and counts them, up to 10,000.
func (b *budget) drain(now time.Duration, o Outcome) (n int) {
	for n < 10_000 && b.take(now, o) {
		n++
	}
	return n
}

func (b *budget) start(now time.Duration) { b.Started(&b.BudgetState, now) }

func (b *budget) finish(now time.Duration, ok, retryable bool) {
	b.Finished(&b.BudgetState, now, ok, false, 0, retryable)
}

func (b *budget) fail(retry, retryable bool) {
	b.Failed(&b.BudgetState, 0, retry, 500, retryable)
}

func readRows(t *testing.T, file string) [][]string {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

// TestQuotaTrace plays what botocore's class did around an empty quota.
func TestQuotaTrace(t *testing.T) {
	spec := awsQuota
	spec.Throttled = 14 // the cost of generation 2.1, which the trace asks for too
	b := newBudget(spec)
	for range 97 {
		b.take(0, 500)
	}
	outcomes := map[string]Outcome{"5": 500, "10": Timeout, "14": 429}
	for _, row := range readRows(t, "testdata/aws_retry_quota_botocore.csv") {
		granted := true
		switch event, amount := row[1], row[2]; {
		case event == "acquire":
			granted = b.take(0, outcomes[amount])
		case amount == "1":
			b.finish(0, true, false)
		default:
			last, _ := strconv.ParseInt(amount, 10, 64)
			b.Finished(&b.BudgetState, 0, true, true, last*thousand, false)
		}
		got := fmt.Sprintf("%t %d", granted, b.BudgetState.balance/thousand)
		if want := fmt.Sprintf("%t %s", row[3] == "1", row[4]); got != want {
			t.Errorf("step %s: %s, want %s", row[0], got, want)
		}
	}
}

func TestTokens(t *testing.T) {
	for _, c := range []struct {
		name    string
		spec    Budget
		outcome Outcome
		want    int
	}{
		{"aws", awsQuota, 503, 100},
		{"aws, timeouts", awsQuota, Timeout, 50},
		{"aws, refusals are no timeouts", awsQuota, Refused, 100},
		{"aws 2.1", aws21, 500, 35},
		{"aws 2.1, throttled", aws21, 429, 100},
		{"avast", avast, 500, 20},
		{"adaptive bucket", adaptiveBucket, 500, 4},
	} {
		b := newBudget(c.spec)
		if got := b.drain(0, c.outcome); got != c.want {
			t.Errorf("%s: %d retries from a full bucket, want %d", c.name, got, c.want)
		}
	}
	b := newBudget(awsQuota)
	b.drain(0, 500)
	for i := range 5 {
		if b.take(0, 500) {
			t.Errorf("a retry after %d clean successes", i)
		}
		b.finish(0, true, false)
	}
	if !b.take(0, 500) {
		t.Error("no retry after 5 clean successes")
	}
	b.finish(0, false, true)
	if b.take(0, 500) {
		t.Error("a failure earned a retry")
	}
}

// TestAdaptiveBucket: with everything failing, a client makes 4 retries, one
// more when 0.1 makes it more than 1, and then one in ten requests. Nothing
// comes back when a retried request succeeds.
func TestAdaptiveBucket(t *testing.T) {
	for _, ok := range []bool{false, true} {
		b := newBudget(adaptiveBucket)
		retries := 0
		for range 100 {
			b.start(0)
			retries += b.drain(0, 500)
			b.Finished(&b.BudgetState, 0, ok, true, thousand, !ok)
		}
		if retries != 14 { // 100 (0.1 + 4/100)
			t.Errorf("ok %t: %d retries by 100 requests, want 14", ok, retries)
		}
	}
}

func TestThrottle(t *testing.T) {
	b := newBudget(grpcThrottle)
	for i := 1; i <= 12; i++ {
		b.fail(false, false) // not retryable: free
		b.fail(false, true)
		if got, want := b.take(0, 503), i < 5; got != want {
			t.Errorf("after %d failures: retry %t, want %t", i, got, want)
		}
	}
	for i := 1; i <= 51; i++ { // from 0: a failure is not a debt
		b.finish(0, true, false)
		if got, want := b.take(0, 503), i > 50; got != want {
			t.Errorf("after %d successes: retry %t, want %t", i, got, want)
		}
	}
	for range 1000 {
		b.finish(0, true, false)
	}
	if b.BudgetState.balance != b.size {
		t.Errorf("balance %d above the size %d", b.BudgetState.balance, b.size)
	}
	for ratio, want := range map[float64]int64{0.1: 100, 0.29: 290, 0.5678: 567, 0.0009: 0, 1: 1000} {
		if r := (Budget{Kind: "throttle", Tokens: 10, PerSuccess: ratio}).Compile(); r.success != want {
			t.Errorf("per_success %v: %d thousandths, want %d", ratio, r.success, want)
		}
	}
}

// TestThrottleTrips: retries stop for good where failures cost more than
// successes earn, above 1/11 of the calls for 0.1.
func TestThrottleTrips(t *testing.T) {
	for every, want := range map[int]bool{10: false, 12: true} {
		b := newBudget(grpcThrottle)
		for i := range 100_000 {
			if i%every == 0 {
				b.fail(false, true)
			} else {
				b.finish(0, true, false)
			}
		}
		if got := b.take(0, 503); got != want {
			t.Errorf("one failure in %d: retry %t, want %t", every, got, want)
		}
	}
}

// TestWindowedBucket: 10/s over 10 s is 100 retries at once.
func TestWindowedBucket(t *testing.T) {
	for name, spec := range map[string]Budget{"finagle": finagle, "linkerd": linkerd} {
		b := newBudget(spec)
		if got := b.drain(0, 500); got != 100 {
			t.Errorf("%s: %d retries at rest, want 100", name, got)
		}
		for i := 1; i <= 10; i++ {
			b.finish(time.Second, true, false)
			b.finish(time.Second, false, true) // earns nothing
			if got, want := b.take(time.Second, 500), i%5 == 0; got != want {
				t.Errorf("%s: retry after %d deposits: %t", name, i, got)
			}
		}
		if b.drain(10*time.Second-1, 500) != 0 {
			t.Errorf("%s: the reserve came back within the window", name)
		}
		if got := b.drain(10*time.Second, 500); got != 100 {
			t.Errorf("%s: %d retries after the window, want 100", name, got)
		}
	}
}

func TestDeposits(t *testing.T) {
	for deposit, want := range map[string][3]int{ // after 50 starts, successes, failures that are not retried
		"request": {10, 0, 0},
		"success": {0, 10, 0},
		"final":   {0, 10, 10},
	} {
		spec := finagle
		spec.Deposit, spec.Floor = deposit, Floor{Set: true}
		b := newBudget(spec)
		var got [3]int
		for i, event := range []func(){
			func() { b.start(0) },
			func() { b.finish(0, true, false) },
			func() { b.finish(0, false, false) },
		} {
			for range 50 {
				event()
				b.finish(0, false, true)
			}
			got[i] = b.drain(0, 500)
		}
		if got != want {
			t.Errorf("%s: %v retries, want %v", deposit, got, want)
		}
	}
}

// TestRatios: what 1000 deposits buy. Linkerd rounds through 1/ratio.
func TestRatios(t *testing.T) {
	for _, c := range []struct {
		ratio          float64
		exact, rounded int
	}{
		{0, 0, 0},
		{0.1, 100, 100},
		{0.2, 200, 200},
		{0.3, 300, 333}, // 1000/0.3 is 3333
		{0.6, 600, 1000},
		{1, 1000, 1000},
		{2, 2000, 2000},
	} {
		for rounded, want := range map[bool]int{false: c.exact, true: c.rounded} {
			spec := Budget{
				Kind: "ratio", Ratio: c.ratio, Window: 10 * time.Second, Rounded: rounded,
				PerRequest: 1, Floor: Floor{Set: true},
			}
			b := newBudget(spec)
			for range 1000 {
				b.start(0)
			}
			if got := b.drain(0, 500); got != want {
				t.Errorf("ratio %v, rounded %t: %d retries, want %d", c.ratio, rounded, got, want)
			}
		}
	}
}

// TestPerRequest: Finagle lets one request use a fifth of what there is when it
// starts.
func TestPerRequest(t *testing.T) {
	spec := finagle
	spec.PerRequest = 0.2
	b := newBudget(spec)
	if most := b.Started(&b.BudgetState, 0); most != 20 {
		t.Errorf("%d retries for the first request, want a fifth of 100", most)
	}
	for range 96 {
		b.take(0, 503)
	}
	if most := b.Started(&b.BudgetState, 0); most != 1 {
		t.Errorf("%d retries of the 4 that are left, want a fifth of them, rounded up", most)
	}
	b.drain(0, 503)
	if most := b.Started(&b.BudgetState, 0); most != 0 {
		t.Errorf("%d retries when nothing is left", most)
	}
	all := newBudget(finagle)
	if most := all.Started(&all.BudgetState, 0); most != math.MaxInt64 {
		t.Errorf("%d retries without a limit for each request", most)
	}
}

func TestGatewayBudget(t *testing.T) {
	b := newBudget(gateway)
	if got := b.drain(0, 500); got != 10 {
		t.Errorf("%d retries at rest, want 10", got)
	}
	if got := b.drain(time.Second-1, 500); got != 0 {
		t.Errorf("%d more retries within a second, want 0", got)
	}
	for range 100 {
		b.start(time.Second)
	}
	// 20 by the ratio less the 10 of before; the second's floor allows 10.
	if got := b.drain(time.Second, 500); got != 10 {
		t.Errorf("%d retries after 100 requests, want 10", got)
	}
	for range 100 {
		b.start(2 * time.Second)
	}
	if got := b.drain(2*time.Second, 500); got != 20 {
		t.Errorf("%d retries after 200 requests and 20 retries, want 20", got)
	}
	for rate, want := range map[float64][2]int{0: {0, 0}, 0.5: {1, 5}, 2.5: {2, 26}, 10: {10, 100}} {
		spec := gateway
		spec.Floor = Floor{Set: true, Rate: rate}
		b := newBudget(spec)
		got := [2]int{b.drain(0, 500), 0}
		for now := time.Duration(0); now < 10*time.Second; now += 10 * time.Millisecond {
			got[1] += b.drain(now, 500)
		}
		got[1] += got[0]
		if got != want {
			t.Errorf("floor %v/s: %v at once and in 10 s, want %v", rate, got, want)
		}
	}
}

// TestEnvoyBudget: what waits is active and not in flight.
func TestEnvoyBudget(t *testing.T) {
	for name, c := range map[string]struct {
		spec  Budget
		after map[int]int // retries at once, by the attempts in flight
	}{
		"budget":      {envoyBudget, map[int]int{0: 3, 10: 3, 18: 3, 20: 4, 98: 19, 100: 20}},
		"max_retries": {envoyRetries, map[int]int{0: 3, 100: 3}},
	} {
		for flying, want := range c.after {
			b := newBudget(c.spec)
			for range flying {
				b.Sent(&b.BudgetState, 0, false)
			}
			if got := b.drain(0, 500); got != want {
				t.Errorf("%s: %d retries with %d in flight, want %d", name, got, flying, want)
			}
			b.Sent(&b.BudgetState, 0, true)
			if b.take(0, 500) {
				t.Errorf("%s: a retry stopped counting when it was sent", name)
			}
			b.fail(true, true)
			if !b.take(0, 500) {
				t.Errorf("%s: a retry that failed still counts", name)
			}
			b.Dropped(&b.BudgetState, 0)
			if !b.take(0, 500) {
				t.Errorf("%s: a retry that was dropped still counts", name)
			}
		}
	}
}

// TestFailsafeBudget: executions are open requests, the waiting ones included,
// and retries on their way.
func TestFailsafeBudget(t *testing.T) {
	// The last one allowed meets retries/(requests + retries) <= 0.2.
	for requests, want := range map[int]int{1: 3, 12: 4, 16: 5, 20: 6, 100: 26} {
		b := newBudget(failsafeBudget)
		if !b.AfterWait() {
			t.Fatal("it is asked after the wait")
		}
		for range requests {
			b.start(0)
			b.Sent(&b.BudgetState, 0, false)
			b.fail(false, true)
		}
		if got := b.drain(0, 500); got != want {
			t.Errorf("%d retries with %d requests, want %d", got, requests, want)
		}
	}
}

// TestFailureShare: above a tenth of failures there are no retries; the failure
// that asks counts.
func TestFailureShare(t *testing.T) {
	b := newBudget(breaker10pct)
	b.start(0)
	b.fail(false, true)
	for i := 1; i < 20; i++ {
		if got, want := b.take(0, 500), i >= 10; got != want {
			t.Errorf("1 failure in %d requests: retry %t, want %t", i, got, want)
		}
		b.start(0)
	}
}

// call is an attempt of a random script.
type call struct{ retry, waits bool }

// TestBudgetProperties plays random scripts of requests against every budget.
func TestBudgetProperties(t *testing.T) {
	specs := []Budget{
		awsQuota, aws21, avast, adaptiveBucket, grpcThrottle, finagle, linkerd, gateway,
		envoyBudget, envoyRetries, failsafeBudget, breaker10pct,
	}
	rapid.Check(t, func(t *rapid.T) {
		b := newBudget(rapid.SampledFrom(specs).Draw(t, "spec"))
		now := time.Duration(0)
		var open []call // one attempt for each request
		end := func(i int, ok bool) {
			c := open[i]
			open = append(open[:i], open[i+1:]...)
			b.Finished(&b.BudgetState, now, ok, c.retry, b.BudgetRules.retry, !ok)
		}
		step := func() {
			now += time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "gap"))
			if len(open) == 0 || rapid.Bool().Draw(t, "new") {
				b.start(now)
				b.Sent(&b.BudgetState, now, false)
				open = append(open, call{})
				return
			}
			i := rapid.IntRange(0, len(open)-1).Draw(t, "which")
			c := &open[i]
			switch event := rapid.SampledFrom([]string{"ok", "fail", "cancel", "drop"}).Draw(t, "event"); {
			case c.waits && event == "drop":
				b.Dropped(&b.BudgetState, now)
				end(i, false)
			case c.waits:
				b.Sent(&b.BudgetState, now, true)
				c.waits = false
			case event == "ok":
				b.Succeeded(&b.BudgetState, now, c.retry)
				end(i, true)
			case event == "cancel":
				b.Canceled(&b.BudgetState, now, c.retry)
				end(i, true)
			default:
				o := rapid.SampledFrom([]Outcome{Timeout, Refused, 429, 503}).Draw(t, "outcome")
				b.Failed(&b.BudgetState, now, c.retry, o, true)
				if !b.take(now, o) {
					end(i, false)
					return
				}
				c.retry, c.waits = true, true
			}
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			step()
			s := &b.BudgetState
			if s.balance < 0 || s.balance > b.size {
				t.Fatalf("balance %d not within 0 and %d", s.balance, b.size)
			}
			if s.active < 0 || s.inFlight < 0 {
				t.Fatalf("active %d, in flight %d", s.active, s.inFlight)
			}
		}
		for len(open) > 0 {
			if c := open[0]; c.waits {
				b.Dropped(&b.BudgetState, now)
			} else {
				b.Canceled(&b.BudgetState, now, c.retry)
			}
			end(0, false)
		}
		if b.active != 0 || b.inFlight != 0 {
			t.Fatalf("at rest: active %d, in flight %d", b.active, b.inFlight)
		}
	})
}

// TestSlots compares a sliding window with a list of all events.
func TestSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w slots
		var now time.Duration
		var at []time.Duration
		var amounts []int64
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			now += time.Duration(rapid.IntRange(0, 12).Draw(t, "gap"))
			n := rapid.Int64Range(-5, 5).Draw(t, "n")
			w.add(now, n)
			at, amounts = append(at, now), append(amounts, n)
			now += time.Duration(rapid.IntRange(0, 12).Draw(t, "gap"))
			want := int64(0)
			for i, slot := range at {
				if slot > now-slotCount {
					want += amounts[i]
				}
			}
			if got := w.of(now); got != want {
				t.Fatalf("sum %d, want %d", got, want)
			}
		}
	})
}

func TestBudgetReset(t *testing.T) {
	for _, spec := range []Budget{awsQuota, finagle, gateway, envoyBudget, breaker10pct} {
		used, fresh := newBudget(spec), newBudget(spec)
		for range 10 {
			used.start(time.Hour)
			used.fail(false, true)
			used.take(time.Hour, 500)
		}
		if n := testing.AllocsPerRun(10, func() { used.Reset(&used.BudgetState) }); n != 0 {
			t.Errorf("%s: Reset allocates %v times", spec.Kind, n)
		}
		if a, b := used.drain(0, 500), fresh.drain(0, 500); a != b {
			t.Errorf("%s: %d retries after Reset, %d when new", spec.Kind, a, b)
		}
	}
}

// perRequest is all that a budget is asked for one request with one retry.
func (b *budget) perRequest(now time.Duration) {
	s := &b.BudgetState
	b.Started(s, now)
	b.Sent(s, now, false)
	b.Failed(s, now, false, 503, true)
	cost, ok := b.Take(s, now, 503)
	if ok {
		b.Sent(s, now, true)
		b.Succeeded(s, now, true)
	}
	b.Finished(s, now, ok, ok, cost, !ok)
}

func TestBudgetAllocatesNothing(t *testing.T) {
	for _, spec := range []Budget{awsQuota, grpcThrottle, finagle, gateway, envoyBudget, failsafeBudget, breaker10pct} {
		b := newBudget(spec)
		now := time.Duration(0)
		if n := testing.AllocsPerRun(1000, func() {
			now += time.Millisecond
			b.perRequest(now)
		}); n != 0 {
			t.Errorf("%s: %v allocations", spec.Kind, n)
		}
	}
}

func BenchmarkBudget(b *testing.B) {
	for _, spec := range []Budget{awsQuota, grpcThrottle, finagle, gateway, envoyBudget, breaker10pct} {
		b.Run(spec.Kind, func(b *testing.B) {
			budget := newBudget(spec)
			now := time.Duration(0)
			for b.Loop() {
				now += time.Millisecond
				budget.perRequest(now)
			}
		})
	}
}
