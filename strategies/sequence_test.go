package strategies

import (
	"testing"
	"time"
)

const (
	s      = time.Second
	minute = time.Minute
)

// axes is the kind custom with some axes changed.
func axes(change func(b *Backoff)) Backoff {
	b := defaults("custom")
	change(&b)
	return b
}

// path is the waits of one request, with the same uniform number every time.
func path(w *Waits, n int, u uint64) (waits []time.Duration) {
	var memory uint64
	for k := range int64(n) {
		var wait time.Duration
		wait, memory = w.Next(k+1, memory, u)
		waits = append(waits, wait)
	}
	return waits
}

// Waits that are not random, as the libraries have them.
func TestSequences(t *testing.T) {
	tests := []struct {
		library string
		backoff Backoff
		unit    time.Duration
		want    []time.Duration // in units
	}{
		{"Resilience4j: 500 ms x1.5, whole ms at every step", axes(func(b *Backoff) {
			b.Base, b.Factor, b.RoundSteps, b.CapOn = 500*ms, 1.5, true, "after"
		}), ms, []time.Duration{500, 750, 1125, 1687, 2530, 3795, 5692, 8538}},
		{"the same without the steps", axes(func(b *Backoff) {
			b.Base, b.Factor, b.Round = 500*ms, 1.5, "down"
		}), ms, []time.Duration{500, 750, 1125, 1687, 2531, 3796, 5695, 8542}},
		{"sethvargo: Fibonacci(1s)", axes(func(b *Backoff) {
			b.Base, b.Growth = s, "fibonacci"
		}), s, []time.Duration{1, 2, 3, 5, 8, 13, 21, 34}},
		{"azcore without jitter: 2^k - 1", axes(func(b *Backoff) {
			b.Base, b.Growth, b.FirstExponent, b.CapOn, b.Cap = 800*ms, "power-minus-one", 1, "after", minute
		}), 100 * ms, []time.Duration{8, 24, 56, 120, 248, 504, 600, 600}},
		{"retry-axios: ((2^k - 1)/2) * 100 ms", axes(func(b *Backoff) {
			b.Base, b.Growth, b.FirstExponent = 50*ms, "power-minus-one", 1
		}), 50 * ms, []time.Duration{1, 3, 7, 15}},
		{"urllib3: nothing, then f 2^n, at most 120 s", axes(func(b *Backoff) {
			b.Base, b.First, b.CapOn, b.Cap = 100*ms, new(time.Duration(0)), "after", 120*s
		}), 100 * ms, []time.Duration{0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1200}},
		{"tenacity: wait_incrementing(start=1, increment=2, max=10)", axes(func(b *Backoff) {
			b.Base, b.Growth, b.Offset, b.Cap = 2*s, "polynomial", s, 10*s
		}), s, []time.Duration{1, 3, 5, 7, 9, 10, 10}},
		{"tenacity: wait_exponential(multiplier=0.5, min=1, max=10)", axes(func(b *Backoff) {
			b.Base, b.Min, b.Cap = 500*ms, s, 10*s
		}), s, []time.Duration{1, 1, 2, 4, 8, 10, 10}},
		{"stripe-go without jitter: 0.5 + 0.5 n^2", axes(func(b *Backoff) {
			b.Base, b.Growth, b.Offset, b.Degree, b.Cap = 500*ms, "polynomial", 500*ms, 2, 5*s
		}), 500 * ms, []time.Duration{1, 2, 5, 10, 10}},
		{"stripe-node without jitter: the exponent is max(0, k-2)", axes(func(b *Backoff) {
			b.Base, b.FirstRepeats, b.Cap = 500*ms, 1, 5*s
		}), 500 * ms, []time.Duration{1, 1, 2, 4, 8, 10, 10}},
		{"Sidekiq without jitter: n^4 + 15", axes(func(b *Backoff) {
			b.Base, b.Growth, b.Offset, b.Degree = s, "polynomial", 15*s, 4
		}), s, []time.Duration{15, 16, 31, 96, 271, 640, 1311, 2416}},
		{"octokit: k^2", axes(func(b *Backoff) {
			b.Base, b.Growth, b.Degree, b.FirstExponent = s, "polynomial", 2, 1
		}), s, []time.Duration{1, 4, 9, 16}},
		{"retrying: 2^k", axes(func(b *Backoff) {
			b.Base, b.FirstExponent, b.Cap = s, 1, 10*s
		}), s, []time.Duration{2, 4, 8, 10, 10}},
		{"Envoy, without jitter: I doubles", axes(func(b *Backoff) {
			b.Base, b.Cap, b.CapOn = 25*ms, 250*ms, "state"
		}), ms, []time.Duration{25, 50, 100, 200, 250, 250}},
		{"Envoy before 2020: (2^k - 1) 25, and it stays above the cap", axes(func(b *Backoff) {
			b.Base, b.Growth, b.FirstExponent, b.Cap, b.CapOn, b.AtCap = 25*ms, "power-minus-one", 1, 250*ms, "after", "stay"
		}), ms, []time.Duration{25, 75, 175, 250, 250}},
		{"gax-go: the first is not capped", axes(func(b *Backoff) {
			b.Base, b.Cap, b.CapOn = 2*s, s, "state"
		}), s, []time.Duration{2, 1, 1, 1}},
		{"node-retry: a timer above 2^31-1 ms fires after 1 ms, at retry 23", axes(func(b *Backoff) {
			b.Base, b.Overflow = s, "timer"
		}), ms, []time.Duration{
			1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 1_024_000,
			2_048_000, 4_096_000, 8_192_000, 16_384_000, 32_768_000, 65_536_000, 131_072_000, 262_144_000,
			524_288_000, 1_048_576_000, 2_097_152_000, 1, 1, 1,
		}},
		{"schedule: the last wait holds", Backoff{Kind: "schedule", Waits: []time.Duration{15 * s, minute, 5 * minute}}, s, []time.Duration{15, 60, 300, 300, 300}},
		{"constant", axes(func(b *Backoff) { b.Growth = "constant" }), ms, []time.Duration{100, 100, 100}},
		{"rounded up", axes(func(b *Backoff) { b.Base, b.Factor, b.Round = s, 1.1, "up" }), ms, []time.Duration{1000, 1100, 1210, 1331, 1465, 1611}},
		{"rounded to the nearest, half up", axes(func(b *Backoff) { b.Base, b.Factor, b.Round = s+500*time.Microsecond, 1, "nearest" }), ms, []time.Duration{1001}},
	}
	for _, test := range tests {
		w := test.backoff.Compile()
		for _, u := range []uint64{lowest, middle, top} {
			for i, got := range path(&w, len(test.want), u) {
				k := int64(i) + 1
				if want := test.want[i] * test.unit; got != want || w.Min(k) != want || w.Max(k) != want || w.Mean(k) != want {
					t.Errorf("%s: wait %d is %v (%v to %v, mean %v), want %v", test.library, k, got, w.Min(k), w.Max(k), w.Mean(k), want)
				}
			}
		}
	}
}

// What is random has exact ends, and they are reached.
func TestSupports(t *testing.T) {
	const ns = time.Nanosecond
	tests := []struct {
		library  string
		backoff  Backoff
		retry    int64
		min, max time.Duration
	}{
		{"Envoy: {0, ..., 24} ms", axes(func(b *Backoff) { b.Base, b.Cap, b.Jitter, b.Round = 25*ms, 250*ms, "full", "down" }), 1, 0, 24 * ms},
		{"Envoy: {0, ..., 249} ms", axes(func(b *Backoff) { b.Base, b.Cap, b.Jitter, b.Round = 25*ms, 250*ms, "full", "down" }), 9, 0, 249 * ms},
		{"Celery: {0, ..., 4} s", axes(func(b *Backoff) { b.Base, b.Jitter, b.Widen, b.Round, b.Unit = s, "full", s, "down", s }), 3, 0, 4 * s},
		{"Sidekiq: 31 s and {0, ..., 29} s", sidekiq(), 3, 31 * s, 60 * s},
		{"Sidekiq, a comb: 31 s and 3 * {0, ..., 9} s", comb(), 3, 31 * s, 58 * s},
		{"cenkalti: 375 ms to 1125 ms, and 1 ns", axes(func(b *Backoff) {
			b.Base, b.Factor, b.Cap, b.Jitter, b.Lo, b.Hi, b.Widen = 500*ms, 1.5, minute, "factor", 0.5, 1.5, ns
		}), 2, 375 * ms, 1125*ms + 1},
		{"cenkalti: half more than the maximum", axes(func(b *Backoff) {
			b.Base, b.Factor, b.Cap, b.Jitter, b.Lo, b.Hi, b.Widen = 500*ms, 1.5, minute, "factor", 0.5, 1.5, ns
		}), 99, 30 * s, 90*s + 1},
		{"Resilience4j, random: 250 to 750", axes(func(b *Backoff) {
			b.Base, b.Factor, b.RoundSteps, b.Jitter, b.Lo, b.Hi, b.Widen, b.Min, b.Round = 500*ms, 1.5, true, "factor", 0.5, 1.5, ms, ms, "down"
		}), 1, 250 * ms, 750 * ms},
		{"Kafka at its cap", axes(func(b *Backoff) {
			b.Cap, b.CapOn, b.Jitter, b.Lo, b.Hi, b.Round = 1000*ms, "both", "factor", 0.8, 1.2, "down"
		}), 5, 800 * ms, 1000 * ms},
		{"azcore: 0.8 to 1.3", axes(func(b *Backoff) {
			b.Base, b.Growth, b.FirstExponent, b.CapOn, b.Cap = 800*ms, "power-minus-one", 1, "after", minute
			b.Jitter, b.Lo, b.Hi = "factor", 0.8, 1.3
		}), 2, 1920 * ms, 3120 * ms},
		{"jpillora: no jitter at first", jpillora(), 1, 100 * ms, 100 * ms},
		{"jpillora: base to x", jpillora(), 2, 100 * ms, 200 * ms},
		{"jpillora: capped", jpillora(), 20, 100 * ms, 10 * s},
		{"tenacity: the lower end is min", axes(func(b *Backoff) {
			b.Base, b.Cap, b.Jitter, b.From = 500*ms, 10*s, "above", s
		}), 5, s, 8 * s},
		{"grpc-go connections: exactly 1 s", grpcConnection(), 1, s, s},
		{"grpc-go connections: 1.6 s, a fifth less or more", grpcConnection(), 2, 1280 * ms, 1920 * ms},
		{"grpc-go connections: 144 s", grpcConnection(), 99, 96 * s, 144 * s},
		{"sethvargo: JitterPercent(20) is -19 % to +20 %", axes(func(b *Backoff) {
			b.Base, b.Jitter, b.Lo, b.Hi, b.Values = 500*ms, "factor", 0.81, 1.2, 40
		}), 1, 405 * ms, 600 * ms},
		{"sethvargo: Jitter over Capped", axes(func(b *Backoff) {
			b.Base, b.Cap, b.Jitter, b.Spread = 500*ms, 5*s, "plus-minus", 250*ms
		}), 9, 4750 * ms, 5250 * ms},
		{"a jitter wider than the wait ends at 0", axes(func(b *Backoff) { b.Jitter, b.Spread = "plus-minus", s }), 1, 0, 1100 * ms},
		{"LinearJitterBackoff: k (800 to 1200)", axes(func(b *Backoff) {
			b.Base, b.Growth, b.FirstExponent, b.Jitter, b.Lo, b.Hi = 800*ms, "polynomial", 1, "factor", 1, 1.5
		}), 3, 2400 * ms, 3600 * ms},
		{"aws-sdk-go-v2: 2^k", legacyAWS(), 4, 0, 16 * s},
		{"aws-sdk-go-v2: no jitter from retry 5 on", legacyAWS(), 5, 20 * s, 20 * s},
		{"aws-sdk-go: 2^n (b + U(0, b))", awsV1(), 4, 400 * ms, 800 * ms},
		{"aws-sdk-go: above the cap, drawn anew", awsV1(), 5, 500 * ms, s},
		{"aws-sdk-go: always above the cap", awsV1(), 9, 500 * ms, s},
		{"AWS blog: capped result", axes(func(b *Backoff) {
			b.Growth, b.Cap, b.CapOn, b.FirstHi, b.Hi, b.Lo = "walk", 10*s, "after", 3, 3, 1
		}), 3, 100 * ms, 2700 * ms},
		{"Polly.Contrib: capped range", pollyAWS(), 9, 100 * ms, 10 * s},
		{"Finagle: exactly base at first", finagleWalk(), 1, 5 * ms, 5 * ms},
		{"Finagle: never back to base", finagleWalk(), 4, 5 * ms, 135 * ms},
		{"Finagle: capped range", finagleWalk(), 99, 5 * ms, 200 * ms},
		{"kafkajs", kafkajsWalk(), 2, 386 * ms, 864 * ms},
		{"flowcontrol: D (2 to 2.5)", flowcontrolWalk(), 2, 2 * s, 3750 * ms},
		{"flowcontrol: capped", flowcontrolWalk(), 99, 30 * s, 30 * s},
		{"Polly: 2 tanh(2) / 1.4 at most", pollyV2(s), 1, 0, 1377182200 * ns},
		{"Polly, fast first: at least that", axes(func(b *Backoff) {
			b.Base, b.Growth, b.First, b.Round, b.Unit = s, "polly", new(time.Duration(0)), "down", 100*ns
		}), 2, 1377182200 * ns, 2837249500 * ns},
		{"Linkerd: upward, at most the cap", linkerdWaits(), 4, 200 * ms, 250 * ms},
		{"Linkerd: no jitter left", linkerdWaits(), 5, 250 * ms, 250 * ms},
	}
	for _, test := range tests {
		w := test.backoff.Compile()
		near := func(a, b time.Duration) bool { return (a - b).Abs() <= 200*ns }
		if lo, hi := w.Min(test.retry), w.Max(test.retry); !near(lo, test.min) || !near(hi, test.max) {
			t.Errorf("%s: retry %d waits %v to %v, want %v to %v", test.library, test.retry, lo, hi, test.min, test.max)
		}
	}
}

func sidekiq() Backoff {
	return axes(func(b *Backoff) {
		b.Base, b.Growth, b.Offset, b.Degree = s, "polynomial", 15*s, 4
		b.Jitter, b.Spread, b.SpreadGrows, b.Round, b.Unit = "add", 10*s, true, "down", s
	})
}

func comb() Backoff {
	return axes(func(b *Backoff) {
		b.Base, b.Growth, b.Offset, b.Degree = s, "polynomial", 15*s, 4
		b.Jitter, b.Spread, b.SpreadGrows, b.Values = "add", 9*s, true, 10
	})
}

func jpillora() Backoff {
	return axes(func(b *Backoff) { b.Jitter, b.From, b.Cap, b.CapOn = "above", 100*ms, 10*s, "after" })
}

func grpcConnection() Backoff {
	return axes(func(b *Backoff) {
		b.Base, b.Factor, b.Cap, b.Jitter, b.Lo, b.Hi, b.First = s, 1.6, 120*s, "factor", 0.8, 1.2, new(s)
	})
}

func legacyAWS() Backoff {
	return axes(func(b *Backoff) {
		b.Base, b.FirstExponent, b.Cap, b.Jitter, b.AtCap = s, 1, 20*s, "full", "stop-jitter"
	})
}

func awsV1() Backoff {
	return axes(func(b *Backoff) {
		b.Base, b.Cap, b.CapOn, b.Jitter, b.Lo, b.Hi, b.AtCap = 50*ms, s, "after", "factor", 1, 2, "half"
	})
}

func pollyAWS() Backoff {
	return axes(func(b *Backoff) {
		b.Growth, b.Cap, b.FirstHi, b.Lo, b.Hi = "walk", 10*s, 3, 1, 3
	})
}

func finagleWalk() Backoff {
	return axes(func(b *Backoff) {
		b.Base, b.Growth, b.Cap, b.LoOf, b.Lo, b.Hi = 5*ms, "walk", 200*ms, "previous", 1, 3
	})
}

// finagleGrowing is Finagle's exponentialJittered.
func finagleGrowing() Backoff {
	return axes(func(b *Backoff) {
		b.Growth, b.Cap, b.Lo, b.Hi, b.HiGrows, b.AtCap = "walk", 10*s, 0, 1, true, "stop-jitter"
	})
}

func kafkajsWalk() Backoff {
	return axes(func(b *Backoff) {
		b.Base, b.Growth, b.Cap, b.CapOn, b.LoOf = 300*ms, "walk", 30*s, "after", "previous"
		b.FirstLo, b.FirstHi, b.Lo, b.Hi, b.Round = 0.8, 1.2, 1.6, 2.4, "up"
	})
}

func flowcontrolWalk() Backoff {
	return axes(func(b *Backoff) {
		b.Base, b.Growth, b.Cap, b.CapOn, b.LoOf = s, "walk", 30*s, "after", "previous"
		b.FirstHi, b.Lo, b.Hi = 1.5, 2, 2.5
	})
}

func pollyV2(base time.Duration) Backoff {
	return axes(func(b *Backoff) { b.Base, b.Growth, b.Round, b.Unit = base, "polly", "down", 100 })
}

func linkerdWaits() Backoff {
	return axes(func(b *Backoff) {
		b.Base, b.Cap, b.CapOn, b.Jitter, b.Lo, b.Hi = 25*ms, 250*ms, "both", "factor", 1, 2
	})
}

// nodeRetry sorts its list.
func nodeRetry() Backoff {
	return axes(func(b *Backoff) {
		b.Factor, b.Cap, b.CapOn, b.Jitter, b.Lo, b.Hi = 1.5, s, "after", "factor", 1, 2
		b.Round, b.Steps, b.Sorted = "nearest", 8, true
	})
}

func TestSteps(t *testing.T) {
	const endless = 1<<63 - 1
	tests := []struct {
		why     string
		backoff Backoff
		want    int64
	}{
		{"no end", axes(func(*Backoff) {}), endless},
		{"the zero value has none either", Backoff{Kind: "custom", Factor: 2}, endless},
		{"steps", axes(func(b *Backoff) { b.Steps = 7 }), 7},
		{"a list", Backoff{Kind: "schedule", Waits: []time.Duration{s}, Steps: 3}, 3},
		{"other kinds do not look at it", Backoff{Kind: "fixed", Base: s, Steps: 3}, endless},
		{"k8s: 1000 steps of d, 2d, 4d, ... up to 8d are 4 calls", axes(func(b *Backoff) {
			b.Cap, b.AtCap, b.Steps = 800*ms, "end", 999
		}), 3},
		{"k8s: 9d ends it there too", axes(func(b *Backoff) { b.Cap, b.AtCap = 900*ms, "end" }), 3},
		{"k8s: steps come first", axes(func(b *Backoff) { b.Cap, b.AtCap, b.Steps = s, "end", 2 }), 2},
		{"k8s: the second is above it", axes(func(b *Backoff) { b.Cap, b.AtCap = 150*ms, "end" }), 0},
		{"k8s: no cap, no end", axes(func(b *Backoff) { b.Growth, b.AtCap = "constant", "end" }), endless},
	}
	for _, test := range tests {
		w := test.backoff.Compile()
		if got := w.Steps(); got != test.want {
			t.Errorf("%s: %d steps, want %d", test.why, got, test.want)
		}
	}
}
