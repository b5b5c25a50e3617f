package strategies

import (
	"math"
	"slices"
	"testing"
	"time"
)

// paths are the first waits of many requests, in seconds: one slice per retry.
func paths(w *Waits, requests, retries int, seed draws) [][]float64 {
	waits := make([][]float64, retries)
	for range requests {
		var memory uint64
		for k := range waits {
			var wait time.Duration
			wait, memory = w.Next(int64(k)+1, memory, seed.next())
			waits[k] = append(waits[k], wait.Seconds())
		}
	}
	return waits
}

func correlation(a, b []float64) float64 {
	meanA, varianceA, _ := moments(a)
	meanB, varianceB, _ := moments(b)
	sum := 0.0
	for i := range a {
		sum += (a[i] - meanA) * (b[i] - meanB)
	}
	return sum / float64(len(a)) / math.Sqrt(varianceA*varianceB)
}

// What the libraries' own code gave in 200,000 runs: Pearson's r between the
// waits before retry 3 and 4. Two such samples agree within 0.016; this one is
// smaller, and heavy tails make r uncertain.
func TestWaitsOfOneRequestCorrelate(t *testing.T) {
	tests := []struct {
		library string
		backoff Backoff
		want    float64
	}{
		{"Polly.Contrib 1.1.1, DecorrelatedJitterBackoffV2(1s)", pollyV2(s), -0.4013},
		{"Polly.Contrib 1.1.1, AwsDecorrelatedJitterBackoff(100ms, 10s)", pollyAWS(), 0.7229},
		{"AWS blog, decorrelated", Backoff{Kind: "decorrelated-jitter", Base: 100 * ms, Cap: 10 * s}, 0.72},
		{"kafkajs 2.2.4", kafkajsWalk(), 0.8622},
		{"client-go v0.37.2, flowcontrol", flowcontrolWalk(), 0.9149},
		{"Finagle 4feb34c, decorrelatedJittered(5ms, 200ms)", finagleWalk(), 0.7985},
		{"Finagle 4feb34c, exponentialJittered(100ms, 10s)", finagleGrowing(), 0.7524},
		{"retry 0.13.1, sorted, x1.5", nodeRetry(), 0.10},
		{"full jitter", Backoff{Kind: "full-jitter", Base: s, Factor: 2}, 0},
	}
	for _, test := range tests {
		w := test.backoff.Compile()
		waits := paths(&w, 40_000, 4, 21)
		if got := correlation(waits[2], waits[3]); math.Abs(got-test.want) > 0.025 {
			t.Errorf("%s: r = %.3f, want %.4f", test.library, got, test.want)
		}
	}
}

// Means and standard deviations of the libraries' own code, in seconds, with
// 200,000 runs each.
func TestMomentsOfDependentWaits(t *testing.T) {
	type row struct{ k, mean, sd float64 }
	tests := []struct {
		library string
		backoff Backoff
		rows    []row
	}{
		{"Polly.Contrib 1.1.1, DecorrelatedJitterBackoffV2(1s)", pollyV2(s), []row{
			{1, 0.871040426, 0.31301}, {2, 1.158505, 0.522935}, {5, 8.238644, 3.676067}, {8, 65.957193, 29.381538},
		}},
		{"the same, fast first", axes(func(b *Backoff) { b.Base, b.Growth, b.First = s, "polly", new(time.Duration(0)) }), []row{
			{1, 0, 0}, {2, 2.028421, 0.419712}, {5, 8.259146, 3.679722},
		}},
		{"Polly.Contrib 1.1.1, AwsDecorrelatedJitterBackoff(100ms, 10s)", pollyAWS(), []row{
			{1, 0.199894, 0.05775}, {2, 0.349996, 0.175842}, {5, 1.385507, 1.532817}, {8, 2.494262, 2.506101},
		}},
		{"Finagle 4feb34c, decorrelatedJittered(5ms, 200ms)", finagleWalk(), []row{
			{1, 0.005, 0}, {2, 0.009993907, 0.002885437}, {5, 0.077258772, 0.04264456}, {8, 0.17661234, 0.029564589},
		}},
		{"Finagle 4feb34c, exponentialJittered(100ms, 10s)", finagleGrowing(), []row{
			{1, 0.1, 0}, {3, 0.199936886, 0.176133}, {5, 5.10754, 4.334685}, {8, 9.978686, 0.427942},
		}},
		{"kafkajs 2.2.4", kafkajsWalk(), []row{{1, 0.3006, 0.0347}, {2, 0.6022, 0.0986}, {5, 4.828, 1.261}}},
		{"client-go v0.37.2, flowcontrol", flowcontrolWalk(), []row{
			{1, 1.25, 0.1443}, {2, 2.813, 0.3722}, {5, 28.685, 2.227}, {8, 30, 0},
		}},
		{"retry 0.13.1, sorted, x1.5", nodeRetry(), []row{{1, 0.1487, 0.0276}, {2, 0.2244, 0.0397}, {5, 0.7569, 0.1339}, {8, 1, 0}}},
	}
	const n = 20_000
	for _, test := range tests {
		w := test.backoff.Compile()
		waits := paths(&w, n, 8, 22)
		for _, row := range test.rows {
			k := int(row.k)
			mean, variance := meanOf(waits[k-1]).value, varianceOf(waits[k-1])
			slack := 5*row.sd*math.Sqrt(1./200_000+1./n) + 6e-4*row.mean // some values have four digits
			if math.Abs(mean-row.mean) > slack {
				t.Errorf("%s: mean of wait %d is %.4f, want %.4f", test.library, k, mean, row.mean)
			}
			sd := math.Sqrt(variance.value)
			if math.Abs(sd-row.sd) > 5*variance.se/(2*max(sd, 1e-9))+2e-3*row.sd+1e-9 {
				t.Errorf("%s: sd of wait %d is %.4f, want %.4f", test.library, k, sd, row.sd)
			}
			if estimate := w.Mean(int64(k)).Seconds(); math.Abs(estimate-row.mean) > 5*row.sd*math.Sqrt(1./200_000+1./points)+6e-4*row.mean {
				t.Errorf("%s: mean of wait %d is %.4f, want %.4f", test.library, k, estimate, row.mean)
			}
		}
	}
}

// The medians of DecorrelatedJitterBackoffV2(1s), and of Finagle's
// exponentialJittered(100ms, 10s), in seconds.
func TestMedians(t *testing.T) {
	tests := []struct {
		backoff Backoff
		want    []float64
	}{
		{pollyV2(s), []float64{0.898, 1.139, 2.022, 4.014, 7.984}},
		{finagleGrowing(), []float64{0.100, 0.100, 0.149, 0.440, 3.688, 10}},
	}
	for _, test := range tests {
		w := test.backoff.Compile()
		waits := paths(&w, 40_000, len(test.want), 23)
		for i, want := range test.want {
			slices.Sort(waits[i])
			if got := waits[i][len(waits[i])/2]; math.Abs(got-want) > 0.03*want {
				t.Errorf("%s: median of wait %d is %.4f, want %.3f", test.backoff.Growth, i+1, got, want)
			}
		}
	}
}

// The function of polly against its definition.
func TestPollyFunction(t *testing.T) {
	for n := range uint64(900) {
		for _, part := range []uint64{0, 1, 1 << 20, 1 << 31, 1<<32 - 1} {
			fixed := n<<32 | part
			x := float64(fixed) / (1 << 32)
			want := math.Exp2(x) * math.Tanh(math.Sqrt(4*x))
			if got := pollyF(fixed); math.Abs(got-want) > 1e-13*want+1e-16 {
				t.Errorf("F(%v) = %v, want %v", x, got, want)
			}
		}
	}
}

// Sorted waits are the same numbers in another order, and one list per request.
func TestSortedWaits(t *testing.T) {
	w := nodeRetry().Compile()
	d := draws(24)
	for range 200 {
		var list []time.Duration
		var memory uint64
		for k := int64(1); k <= 8; k++ {
			var wait time.Duration
			wait, memory = w.Next(k, memory, d.next())
			list = append(list, wait)
		}
		if !slices.IsSorted(list) {
			t.Fatalf("not in order: %v", list)
		}
	}
	if a, _ := w.Next(3, w.Restart(2), middle); a < w.Min(1) || a > w.Max(1) {
		t.Errorf("a list that begins after retry 2 begins with %v", a)
	}
}

// Memory: what a request is told by the retry before.
func TestRestart(t *testing.T) {
	for _, b := range []Backoff{
		axes(func(b *Backoff) { b.Jitter, b.First = "full", new(7*ms) }),
		{Kind: "exponential", Base: s, Factor: 2},
		{Kind: "decorrelated-jitter", Base: s},
		kafkajsWalk(), flowcontrolWalk(), pollyV2(s), nodeRetry(),
		axes(func(b *Backoff) { b.Growth, b.First = "polly", new(time.Duration(0)) }),
		axes(func(b *Backoff) { b.Growth, b.First, b.Hi, b.FirstHi = "walk", new(s), 3, 3 }),
	} {
		w := b.Compile()
		var memory uint64
		for k := int64(1); k <= 4; k++ {
			_, memory = w.Next(k, memory, middle)
		}
		want := path(&w, 3, 12345<<40)
		memory = w.Restart(4)
		for i, want := range want {
			var got time.Duration
			got, memory = w.Next(5+int64(i), memory, 12345<<40)
			if got != want {
				t.Errorf("%+v: wait %d after the restart is %v, want %v", b, i+1, got, want)
			}
		}
	}
}

// decorrelated-jitter is short for a walk.
func TestDecorrelatedIsAWalk(t *testing.T) {
	for _, limit := range []time.Duration{0, 250 * ms, 10 * s} {
		short := Backoff{Kind: "decorrelated-jitter", Base: 100 * ms, Cap: limit}.Compile()
		long := axes(func(b *Backoff) {
			b.Growth, b.FirstHi, b.Lo, b.Hi, b.Cap, b.CapOn = "walk", 3, 1, 3, limit, "after"
		}).Compile()
		d := draws(25)
		var memory uint64
		for k := int64(1); k <= 500; k++ {
			u := d.next()
			want, _ := short.Next(k, memory, u)
			var got time.Duration
			if got, memory = long.Next(k, memory, u); got != want {
				t.Fatalf("cap %v: wait %d is %v, want %v", limit, k, got, want)
			}
		}
	}
}

// A walk that gets to 0 begins again.
func TestWalkIsNeverStuck(t *testing.T) {
	w := axes(func(b *Backoff) { b.Base, b.Growth, b.Lo, b.Hi, b.First = 10, "walk", 0, 0.1, new(time.Duration(5)) }).Compile()
	if got, want := path(&w, 6, lowest), []time.Duration{5, 10, 0, 10, 0, 10}; !slices.Equal(got, want) {
		t.Errorf("waits %v, want %v", got, want)
	}
}

// Far out the range of a walk is followed for a while. What still moves then
// may go anywhere.
func TestRangeOfFarWalks(t *testing.T) {
	slow := axes(func(b *Backoff) { b.Base, b.Growth, b.LoOf, b.Lo, b.Hi = s, "walk", "previous", 0.99, 1.01 }).Compile()
	if lo, hi := slow.Min(101), slow.Max(101); lo.Round(ms) != 366*ms || hi.Round(ms) != 2705*ms {
		t.Errorf("retry 101: %v to %v, want 0.99^100 s to 1.01^100 s", lo, hi)
	}
	if lo, hi := slow.Min(1<<31), slow.Max(1<<31); lo != 0 || hi != Longest {
		t.Errorf("far out: %v to %v", lo, hi)
	}
	capped := finagleWalk().Compile()
	if lo, hi := capped.Min(1<<31), capped.Max(1<<31); lo != 5*ms || hi != 200*ms {
		t.Errorf("capped: %v to %v", lo, hi)
	}
}
