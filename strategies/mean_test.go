package strategies

import (
	"math"
	"testing"
	"time"
)

// Cap after jitter on U(a, b) with a < M < b: the mean is
// (M^2 - a^2)/(2(b - a)) + M(b - M)/(b - a). The rest is as simple.
func TestMeans(t *testing.T) {
	tests := []struct {
		why     string
		backoff Backoff
		retry   int64
		want    time.Duration
		within  float64
	}{
		{"Kafka at its cap, continuous", axes(func(b *Backoff) {
			b.Cap, b.CapOn, b.Jitter, b.Lo, b.Hi = s, "both", "factor", 0.8, 1.2
		}), 5, 950 * ms, 1e-9},
		{"Kafka at its cap, whole ms", axes(func(b *Backoff) {
			b.Cap, b.CapOn, b.Jitter, b.Lo, b.Hi, b.Round = s, "both", "factor", 0.8, 1.2, "down"
		}), 5, 949750 * time.Microsecond, 1e-4},
		{"above its cap entirely", axes(func(b *Backoff) {
			b.Cap, b.CapOn, b.Jitter, b.Lo, b.Hi = s, "after", "factor", 0.8, 1.2
		}), 9, s, 0},
		{"a least wait: U(0, 2) with min 1 is 1.25", axes(func(b *Backoff) {
			b.Base, b.Jitter, b.Min = 2*s, "full", s
		}), 1, 1250 * ms, 1e-9},
		{"below its least wait entirely", axes(func(b *Backoff) { b.Jitter, b.Min = "full", s }), 1, s, 0},
		{"a jitter cut at 0: U(-1, 3) is 1.125", axes(func(b *Backoff) {
			b.Base, b.Jitter, b.Spread = s, "plus-minus", 2*s
		}), 1, 1125 * ms, 1e-9},
		{"Envoy: (I-1)/2", axes(func(b *Backoff) { b.Base, b.Jitter, b.Round = 25*ms, "full", "down" }), 1, 12 * ms, 2e-3},
		{"azcore: 1.05 d", axes(func(b *Backoff) {
			b.Base, b.Growth, b.FirstExponent, b.Jitter, b.Lo, b.Hi = 800*ms, "power-minus-one", 1, "factor", 0.8, 1.3
		}), 2, 2520 * ms, 1e-9},
		{"sethvargo: JitterPercent(20) is half a percent above d", axes(func(b *Backoff) {
			b.Base, b.Jitter, b.Lo, b.Hi, b.Values = 500*ms, "factor", 0.81, 1.2, 40
		}), 1, 502500 * time.Microsecond, 1e-4},
		{"aws-sdk-go at its cap", awsV1(), 9, 750 * ms, 1e-2},
		{"aws-sdk-go near its cap: 800 to 1600, of which 1/4 stays", awsV1(), 5, 787500 * time.Microsecond, 1e-2},
		{"nothing above it is drawn anew", awsV1(), 2, 150 * ms, 1e-4},
		{"an exact first wait", axes(func(b *Backoff) { b.Jitter, b.First, b.Round = "full", new(time.Duration(7)), "down" }), 1, 7, 0},
		{"a timer that fires early half the time", axes(func(b *Backoff) {
			b.Base, b.Jitter, b.Overflow = 1<<32*ms-2*ms, "full", "timer"
		}), 1, 1 << 29 * ms, 1e-3},
	}
	for _, test := range tests {
		w := test.backoff.Compile()
		got := w.Mean(test.retry)
		if math.Abs(float64(got-test.want)) > test.within*float64(test.want) {
			t.Errorf("%s: %v, want %v", test.why, got, test.want)
		}
	}
}
