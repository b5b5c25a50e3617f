package real

import (
	"strings"
	"testing"
	"time"

	avast4 "github.com/avast/retry-go/v4"
	avast5 "github.com/avast/retry-go/v5"
	aws "github.com/aws/aws-sdk-go-v2/aws/retry"
	cenkalti4 "github.com/cenkalti/backoff/v4"
	cenkalti5 "github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/googleapis/gax-go/v2"
	sethvargo "github.com/sethvargo/go-retry"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"k8s.io/apimachinery/pkg/util/wait"

	"retrystorm/strategies"
)

// samples is how many requests each side makes, and depth how many waits each
// of them has. Some libraries are slow to ask, and make fewer.
const (
	samples = 20_000
	depth   = 8
)

// delays pairs a preset with the library that it describes.
var delays = []struct {
	preset, version string
	set             string // blank-separated settings of the preset
	n, k            int    // if not samples and depth
	library         library
	waits           func(*strategies.Rules) *strategies.Waits // if not the usual ones
}{
	{preset: "cenkalti-backoff-v4", library: cenkaltiV4()},
	{
		preset: "cenkalti-backoff-v4", set: "initial-interval=100ms multiplier=2 randomization-factor=0.1 max-interval=1s",
		library: cenkaltiV4(cenkalti4.WithInitialInterval(100*ms), cenkalti4.WithMultiplier(2),
			cenkalti4.WithRandomizationFactor(0.1), cenkalti4.WithMaxInterval(sec)),
	},
	{preset: "cenkalti-backoff-v5", library: cenkaltiV5(func(*cenkalti5.ExponentialBackOff) {})},
	{
		preset: "cenkalti-backoff-v5", set: "initial-interval=100ms multiplier=2 max-interval=5s",
		library: cenkaltiV5(func(b *cenkalti5.ExponentialBackOff) {
			b.InitialInterval, b.Multiplier, b.MaxInterval = 100*ms, 2, 5*sec
		}),
	},
	{preset: "aws-sdk-go-v2", library: awsStandard(errServer, func(*aws.StandardOptions) {})},
	{
		preset: "aws-sdk-go-v2", set: "base-delay=25ms max-backoff=1s",
		library: awsStandard(errServer, func(o *aws.StandardOptions) { o.BaseDelay, o.MaxBackoff = 25*ms, sec }),
	},
	{
		preset: "aws-sdk-go-v2", library: awsStandard(errThrottled, func(*aws.StandardOptions) {}),
		waits: func(r *strategies.Rules) *strategies.Waits { return r.WaitsAfter(429) },
	},
	{preset: "aws-sdk-go-v2", version: "1.41", library: awsLegacy(20 * sec)},
	{preset: "aws-sdk-go-v2-legacy", set: "max-backoff=5s", library: awsLegacy(5 * sec)},
	{preset: "hashicorp-go-retryablehttp", library: retryableDefault(sec, 30*sec)},
	{preset: "hashicorp-go-retryablehttp", set: "retry-wait-min=100ms retry-wait-max=1500ms", library: retryableDefault(100*ms, 1500*ms)},
	{preset: "hashicorp-go-retryablehttp-linear-jitter", n: 4000, library: retryableLinear(sec, 30*sec)},
	{
		preset: "hashicorp-go-retryablehttp-linear-jitter", set: "retry-wait-min=800ms retry-wait-max=1200ms", n: 4000,
		library: retryableLinear(800*ms, 1200*ms),
	},
	{preset: "failsafe-go", library: failsafeGo(func(b retrypolicy.Builder[any]) { b.WithBackoff(sec, 30*sec) })},
	{preset: "failsafe-go-default", library: failsafeGo(func(retrypolicy.Builder[any]) {})},
	{
		preset: "failsafe-go", set: "delay=100ms max-delay=2s delay-factor=1.5 jitter-factor=0.25",
		library: failsafeGo(func(b retrypolicy.Builder[any]) {
			b.WithBackoffFactor(100*ms, 2*sec, 1.5).WithJitterFactor(0.25)
		}),
	},
	{
		preset:  "failsafe-go-jitter",
		library: failsafeGo(func(b retrypolicy.Builder[any]) { b.WithBackoff(100*ms, 2*sec).WithJitter(50 * ms) }),
	},
	{preset: "avast-retry-go-v4", library: avastV4()},
	{
		preset: "avast-retry-go-v4", set: "delay=50ms max-jitter=20ms max-delay=1s",
		library: avastV4(avast4.Delay(50*ms), avast4.MaxJitter(20*ms), avast4.MaxDelay(sec)),
	},
	{
		preset: "avast-retry-go-v4-full-jitter", set: "max-delay=2s",
		library: avastV4(avast4.DelayType(avast4.FullJitterBackoffDelay), avast4.MaxDelay(2*sec)),
	},
	{preset: "avast-retry-go-v5", library: avastV5()},
	{
		preset: "avast-retry-go-v5", set: "delay=50ms max-jitter=20ms max-delay=1s",
		library: avastV5(avast5.Delay(50*ms), avast5.MaxJitter(20*ms), avast5.MaxDelay(sec)),
	},
	{preset: "avast-retry-go-v5-full-jitter", library: avastV5(avast5.DelayType(avast5.FullJitterBackoffDelay))},
	{preset: "sethvargo-go-retry", library: sethvargoBackoff(func() sethvargo.Backoff { return sethvargo.NewExponential(sec) })},
	{preset: "sethvargo-go-retry-fibonacci", library: sethvargoBackoff(func() sethvargo.Backoff { return sethvargo.NewFibonacci(sec) })},
	{
		preset: "sethvargo-go-retry-jitter-percent",
		library: sethvargoBackoff(func() sethvargo.Backoff {
			return sethvargo.WithCappedDuration(5*sec, sethvargo.WithJitterPercent(20, sethvargo.NewExponential(500*ms)))
		}),
	},
	{
		preset: "sethvargo-go-retry-jitter",
		library: sethvargoBackoff(func() sethvargo.Backoff {
			return sethvargo.WithJitter(250*ms, sethvargo.WithCappedDuration(5*sec, sethvargo.NewExponential(500*ms)))
		}),
	},
	{
		preset: "sethvargo-go-retry-full-jitter",
		library: sethvargoBackoff(func() sethvargo.Backoff {
			return sethvargo.WithFullJitter(sethvargo.WithCappedDuration(5*sec, sethvargo.NewExponential(500*ms)))
		}),
	},
	{preset: "gax-go", library: gaxBackoff(gax.Backoff{})},
	{
		preset: "gax-go", set: "initial=2s max=1s", // above max, and not capped
		library: gaxBackoff(gax.Backoff{Initial: 2 * sec, Max: sec}),
	},
	{
		preset: "gax-go", set: "initial=100ms multiplier=1.3 max=60s",
		library: gaxBackoff(gax.Backoff{Initial: 100 * ms, Multiplier: 1.3, Max: 60 * sec}),
	},
	{preset: "k8s-client-go", k: 4, library: waitBackoff(wait.Backoff{Duration: 10 * ms, Factor: 1, Jitter: 0.1, Steps: 5})},
	{preset: "k8s-client-go-default-backoff", k: 3, library: waitBackoff(wait.Backoff{Duration: 10 * ms, Factor: 5, Jitter: 0.1, Steps: 4})},
	{preset: "k8s-client-go-step", library: waitBackoff(wait.Backoff{Duration: 100 * ms, Factor: 2, Jitter: 0.5, Steps: 20, Cap: sec})},
	{preset: "k8s-client-go-workqueue", library: itemExponential(5*ms, 1000*sec)},
	{preset: "k8s-client-go-workqueue", set: "base-delay=1s max-delay=20s", library: itemExponential(sec, 20*sec)},
	{preset: "k8s-client-go-flowcontrol", library: flowControl(sec, 30*sec, 0.5)},
	{
		preset: "k8s-client-go-flowcontrol", set: "initial=100ms max=1000s max-jitter-factor=0.2",
		library: flowControl(100*ms, 1000*sec, 0.2),
	},
	{preset: "stripe-go", n: 5000, library: stripeGo()},
	{preset: "grpc-retry-policy", n: 2000, library: grpcRetry(100*ms, sec, 2)},
	{preset: "grpc-retry-policy", set: "initial-backoff=200ms backoff-multiplier=1.5 max-backoff=5s", n: 2000, library: grpcRetry(200*ms, 5*sec, 1.5)},
	{preset: "grpc-go-connection", n: 1000, library: grpcConnection()},
	{
		preset: "grpc-go-connection", set: "base-delay=100ms multiplier=2 jitter=0.5 max-delay=2s", n: 1000,
		library: grpcConnection(grpc.WithConnectParams(grpc.ConnectParams{
			Backoff: backoff.Config{BaseDelay: 100 * ms, Multiplier: 2, Jitter: 0.5, MaxDelay: 2 * sec},
		})),
	},
	{preset: "temporal-go-sdk-poll", n: 1000, library: temporalPoll},
	// Calls of the service wait twice as long as the policy that the SDK makes
	// for them says, up or down, because a second formula reads its numbers.
	{preset: "temporal-go-sdk-call", n: 2000, library: temporalCall},
}

// TestDelays compares whole sequences of waits, so that a wait that depends on
// the one before shows.
func TestDelays(t *testing.T) {
	for _, d := range delays {
		name := strings.Join(fields(d.preset+" "+d.version+" "+d.set), " ")
		t.Run(name, func(t *testing.T) {
			rules := preset(t, d.preset, d.version, fields(d.set)...).Compile()
			w := rules.Waits()
			if d.waits != nil {
				w = d.waits(&rules)
			}
			n, k := d.n, d.k
			if n == 0 {
				n = samples
			}
			if k == 0 {
				k = depth
			}
			theirs := d.library(t, n, k)
			within(t, w, theirs)
			for _, p := range compare(theirs, ourWaits(w, samples, k), k) {
				t.Error(p)
			}
		})
	}
}

func fields(settings string) []string { return strings.Fields(settings) }

// within checks that no wait of the library lies outside what ours can be.
func within(t *testing.T, w *strategies.Waits, theirs waits) {
	for i, request := range theirs {
		for j, d := range request {
			lo, hi := w.Min(int64(j)+1)-rounding, w.Max(int64(j)+1)+rounding
			if d < lo || d > hi {
				t.Errorf("request %d, retry %d: the library waits %v, the preset %v to %v", i+1, j+1, d, lo, hi)
				return
			}
		}
	}
}

// TestCompareFails: the comparison tells laws apart that differ as little as
// those of two versions of one library, or only in how waits hang together.
func TestCompareFails(t *testing.T) {
	sample := func(p strategies.Backoff) waits {
		w := p.Compile()
		return ourWaits(&w, 2000, 4)
	}
	a6 := strategies.Backoff{Kind: "proportional-jitter", Base: 100 * ms, Factor: 2, Lo: 0.8, Hi: 1.2, Values: strategies.Unlimited, Steps: strategies.Unlimited}
	full := a6
	full.Kind = "full-jitter"
	narrow := a6
	narrow.Lo, narrow.Hi = 0.83, 1.17
	for name, other := range map[string]strategies.Backoff{"full jitter": full, "narrower": narrow} {
		if len(compare(sample(a6), sample(other), 4)) == 0 {
			t.Errorf("%s passes for plus or minus 20 %%", name)
		}
	}
	theirs, ours := sample(a6), sample(a6)
	for i := range ours { // the same marginals, but the next wait is twice this one
		ours[i][3] = 2 * ours[i][2]
	}
	if compareCorrelations(theirs, ours) == "" {
		t.Error("dependent waits pass for independent ones")
	}
	shifted := sample(strategies.Backoff{Kind: "fixed", Base: 100*ms + time.Microsecond, Factor: 2, Values: strategies.Unlimited, Steps: strategies.Unlimited})
	fixed := sample(strategies.Backoff{Kind: "fixed", Base: 100 * ms, Factor: 2, Values: strategies.Unlimited, Steps: strategies.Unlimited})
	if len(compare(fixed, shifted, 4)) == 0 {
		t.Error("constants a microsecond apart pass for equal")
	}
}
