package real

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	avast4 "github.com/avast/retry-go/v4"
	avast5 "github.com/avast/retry-go/v5"
	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	aws "github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go/middleware"
	cenkalti4 "github.com/cenkalti/backoff/v4"
	cenkalti5 "github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/hashicorp/go-retryablehttp"
	sethvargo "github.com/sethvargo/go-retry"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"k8s.io/apimachinery/pkg/util/wait"

	"retrystorm/strategies"
)

// awsCall makes a call through the SDK's retry middleware.
func awsCall(ctx context.Context, r awssdk.Retryer, attempt func() error) error {
	m := aws.NewAttemptMiddleware(r, func(in any) any { return in })
	_, _, err := m.HandleFinalize(ctx, middleware.FinalizeInput{}, middleware.FinalizeHandlerFunc(
		func(context.Context, middleware.FinalizeInput) (out middleware.FinalizeOutput, md middleware.Metadata, err error) {
			return out, md, attempt()
		}))
	return err
}

// grpcCall makes one call to a server that always fails.
func grpcCall(attempts int) func(attempt func() error) {
	return func(attempt func() error) {
		s := newGRPCService(nil, retryConfig(attempts, 100*ms, sec, 2, ""), func(metadata.MD, grpc.ServerStream) error {
			_ = attempt()
			return errUnavailable
		})
		defer s.close()
		_ = s.call(context.Background())
	}
}

// TestCalls counts the calls that a request makes when every one fails, with N
// as the users of each library write it, and in the preset.
func TestCalls(t *testing.T) {
	background := context.Background()
	for _, c := range []struct {
		name    string
		want    int
		preset  string
		set     string
		outcome strategies.Outcome
		run     func(attempt func() error)
	}{
		{"cenkalti v4 WithMaxRetries(3)", 4, "cenkalti-backoff-v4", "max-retries=3", 503, func(f func() error) {
			_ = cenkalti4.Retry(f, cenkalti4.WithMaxRetries(cenkalti4.NewExponentialBackOff(), 3))
		}},
		{"cenkalti v4 WithMaxRetries(0)", 1, "cenkalti-backoff-v4", "max-retries=0", 503, func(f func() error) {
			_ = cenkalti4.Retry(f, cenkalti4.WithMaxRetries(cenkalti4.NewExponentialBackOff(), 0))
		}},
		{"cenkalti v5 WithMaxTries(3)", 3, "cenkalti-backoff-v5", "max-tries=3", 503, func(f func() error) {
			_, _ = cenkalti5.Retry(background, func() (int, error) { return 0, f() }, cenkalti5.WithMaxTries(3))
		}},
		{"aws-sdk-go-v2", 3, "aws-sdk-go-v2", "", 503, func(f func() error) {
			_ = awsCall(background, aws.NewStandard(), func() error { _ = f(); return errServer })
		}},
		{"aws-sdk-go-v2 MaxAttempts 5", 5, "aws-sdk-go-v2", "max-attempts=5", 503, func(f func() error) {
			_ = awsCall(background, aws.AddWithMaxAttempts(aws.NewStandard(), 5), func() error { _ = f(); return errServer })
		}},
		{"go-retryablehttp", 5, "hashicorp-go-retryablehttp", "", 503, func(f func() error) {
			_ = retryableCall(failing(f, 503), nil)
		}},
		{"go-retryablehttp RetryMax 3", 4, "hashicorp-go-retryablehttp", "retry-max=3", 503, func(f func() error) {
			_ = retryableCall(failing(f, 503), func(c *retryablehttp.Client) { c.RetryMax = 3 })
		}},
		{"go-retryablehttp 501", 1, "hashicorp-go-retryablehttp", "", 501, func(f func() error) {
			_ = retryableCall(failing(f, 501), nil)
		}},
		{"failsafe-go", 3, "failsafe-go-default", "", 503, func(f func() error) {
			_ = failsafe.With(retrypolicy.NewWithDefaults[any]()).Run(f)
		}},
		{"failsafe-go WithMaxRetries(3)", 4, "failsafe-go-default", "max-retries=3", 503, func(f func() error) {
			_ = failsafe.With(retrypolicy.NewBuilder[any]().WithMaxRetries(3).Build()).Run(f)
		}},
		{"avast v4", 10, "avast-retry-go-v4", "", 503, func(f func() error) { _ = avast4.Do(f) }},
		{"avast v4 Attempts(3)", 3, "avast-retry-go-v4", "attempts=3", 503, func(f func() error) {
			_ = avast4.Do(f, avast4.Attempts(3))
		}},
		{"avast v5", 10, "avast-retry-go-v5", "", 503, func(f func() error) { _ = avast5.New().Do(f) }},
		{"avast v5 Attempts(3)", 3, "avast-retry-go-v5", "attempts=3", 503, func(f func() error) {
			_ = avast5.New(avast5.Attempts(3)).Do(f)
		}},
		{"sethvargo WithMaxRetries(3)", 4, "sethvargo-go-retry", "max-retries=3", 503, func(f func() error) {
			_ = sethvargo.Do(background, sethvargo.WithMaxRetries(3, sethvargo.NewExponential(sec)),
				func(context.Context) error { return sethvargo.RetryableError(f()) })
		}},
		{"stripe-go", 3, "stripe-go", "", strategies.Refused, func(f func() error) { stripeCall(refusing(f), 2) }},
		{"stripe-go MaxNetworkRetries 3", 4, "stripe-go", "max-network-retries=3", strategies.Refused, func(f func() error) {
			stripeCall(refusing(f), 3)
		}},
		{"wait.Backoff Steps 3", 3, "k8s-client-go", "steps=3", 409, func(f func() error) {
			_ = wait.ExponentialBackoff(wait.Backoff{Duration: sec, Factor: 2, Steps: 3},
				func() (bool, error) { _ = f(); return false, nil })
		}},
		{"wait.Backoff Steps 20 Cap 10x", 4, "k8s-client-go-wait-backoff", "", 409, func(f func() error) {
			_ = wait.ExponentialBackoff(wait.Backoff{Duration: 100 * ms, Factor: 2, Steps: 20, Cap: sec},
				func() (bool, error) { _ = f(); return false, nil })
		}},
		{"wait.Backoff Steps 1000 Cap 8x", 4, "k8s-client-go-wait-backoff", "cap=800ms steps=1000", 409, func(f func() error) {
			_ = wait.ExponentialBackoff(wait.Backoff{Duration: 100 * ms, Factor: 2, Steps: 1000, Cap: 800 * ms},
				func() (bool, error) { _ = f(); return false, nil })
		}},
		{"grpc-go maxAttempts 3", 3, "grpc-retry-policy", "max-attempts=3", 503, grpcCall(3)},
		{"grpc-go maxAttempts 9", 5, "grpc-retry-policy", "max-attempts=9", 503, grpcCall(9)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := len(timetable(t, c.run)); got != c.want {
				t.Errorf("the library makes %d calls, want %d", got, c.want)
			}
			p := preset(t, c.preset, "", fields(c.set)...)
			if got := len(ourTimetable(p, c.outcome, 0)); got != c.want {
				t.Errorf("the preset makes %d calls, want %d", got, c.want)
			}
		})
	}
}

// TestElapsed: cenkalti stops when the coming wait would pass the limit, and
// waits when it would just reach it.
func TestElapsed(t *testing.T) {
	for _, limit := range []time.Duration{1, 7*sec - 1, 7 * sec, 10 * sec, 5 * time.Minute} {
		v4 := timetable(t, func(f func() error) {
			b := cenkalti4.NewExponentialBackOff(cenkalti4.WithInitialInterval(sec), cenkalti4.WithMultiplier(2),
				cenkalti4.WithRandomizationFactor(0), cenkalti4.WithMaxElapsedTime(limit))
			_ = cenkalti4.Retry(f, b)
		})
		v5 := timetable(t, func(f func() error) {
			b := cenkalti5.NewExponentialBackOff()
			b.InitialInterval, b.Multiplier, b.RandomizationFactor = sec, 2, 0
			_, _ = cenkalti5.Retry(context.Background(), func() (int, error) { return 0, f() },
				cenkalti5.WithBackOff(b), cenkalti5.WithMaxElapsedTime(limit))
		})
		for name, theirs := range map[string][]time.Duration{"cenkalti-backoff-v4": v4, "cenkalti-backoff-v5": v5} {
			p := preset(t, name, "", "initial-interval=1s", "multiplier=2", "randomization-factor=0", "max-elapsed-time="+limit.String())
			if ours := ourTimetable(p, 503, 0); !slices.Equal(theirs, ours) {
				t.Errorf("%s, limit %v: the library calls at %v, the preset at %v", name, limit, theirs, ours)
			}
		}
	}
}

// TestElapsedByDefault: 15 minutes end in the same number of calls, and as late.
func TestElapsedByDefault(t *testing.T) {
	const requests = 4000
	p := preset(t, "cenkalti-backoff-v4", "")
	theirs, ours := make(waits, requests), make(waits, requests)
	row := func(at []time.Duration) []time.Duration {
		return []time.Duration{time.Duration(len(at)), at[len(at)-1]}
	}
	synctest.Test(t, func(*testing.T) {
		for i := range theirs {
			at := []time.Duration{0}
			for _, gap := range gaps(func(f func() error) { _ = cenkalti4.Retry(f, cenkalti4.NewExponentialBackOff()) }) {
				at = append(at, at[len(at)-1]+gap)
			}
			theirs[i] = row(at)
			ours[i] = row(ourTimetable(p, 503, uint64(i)))
		}
	})
	for _, problem := range compare(theirs, ours, 2) {
		t.Error("row 1 calls, row 2 last call: ", problem)
	}
}
