package real

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	aws "github.com/aws/aws-sdk-go-v2/aws/retry"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	cenkalti5 "github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/hashicorp/go-retryablehttp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// asks are the waits that a server asks for, one for each attempt; a negative
// one asks for nothing.
type asks []time.Duration

const nothing = -time.Second

// asked is a library whose server asks for these waits. run makes a request and
// calls attempt, which says what to answer; it ends with a success.
func (a asks) asked(run func(attempt func() (ask time.Duration, ok bool))) library {
	return func(t *testing.T, n, k int) waits {
		w := make(waits, n)
		synctest.Test(t, func(*testing.T) {
			for i := range w {
				w[i] = gaps(func(attempt func() error) {
					made := 0
					run(func() (time.Duration, bool) {
						_ = attempt()
						if made++; made > k {
							return 0, true
						}
						return a[made-1], false
					})
				})
			}
		})
		return w
	}
}

// ourAskedWaits are the waits of our policy.
func (a asks) ourAskedWaits(p strategies.Policy, o strategies.Outcome, n, k int) waits {
	rules := p.Compile()
	w := make(waits, n)
	for i := range w {
		key := random.Root(seed, uint64(i))
		f := strategies.Failure{Outcome: o}
		for j := range k {
			retry := uint64(j) + 1
			f.Attempt = int64(retry)
			f.Asked, f.Hinted = a[j], a[j] >= 0
			f.AskedDraw = key.Draw(random.RetryAfter, retry)
			d := rules.Next(&f, key.Draw(random.Backoff, retry))
			if d.Why != strategies.Retry {
				return w
			}
			w[i] = append(w[i], d.Wait)
			f.Memory = d.Memory
			f.Elapsed += d.Wait
		}
	}
	return w
}

// asking answers every request as attempt says.
func asking(attempt func() (time.Duration, bool), status int, header string, unit time.Duration) *http.Client {
	return &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
		switch ask, ok := attempt(); {
		case ok:
			return httpAnswer(http.StatusOK), nil
		case ask < 0:
			return httpAnswer(status), nil
		default:
			return httpAnswer(status, header+": "+strconv.FormatInt(int64(ask/unit), 10)), nil
		}
	})}
}

// TestRetryAfter: what the libraries make of a wait that the server asks for,
// and of the waits after that one.
func TestRetryAfter(t *testing.T) {
	retryable := func(status int) func(func() (time.Duration, bool)) {
		return func(attempt func() (time.Duration, bool)) {
			_ = retryableCall(asking(attempt, status, "Retry-After", sec),
				func(c *retryablehttp.Client) { c.RetryMax = unlimited })
		}
	}
	for _, c := range []struct {
		name, preset, set string
		outcome           strategies.Outcome
		asks              asks
		n                 int
		run               func(attempt func() (time.Duration, bool))
	}{
		{
			name: "go-retryablehttp 429", preset: "hashicorp-go-retryablehttp", set: "retry-max=unlimited",
			outcome: 429, asks: asks{3 * sec, nothing, time.Hour, 0, nothing}, n: 2, run: retryable(429),
		},
		{
			name: "go-retryablehttp 503", preset: "hashicorp-go-retryablehttp", set: "retry-max=unlimited",
			outcome: 503, asks: asks{nothing, 7 * sec, nothing}, n: 2, run: retryable(503),
		},
		{
			name: "go-retryablehttp 500", preset: "hashicorp-go-retryablehttp", set: "retry-max=unlimited",
			outcome: 500, asks: asks{7 * sec, 7 * sec, 7 * sec}, n: 2, run: retryable(500),
		},
		{
			// Below the wait, within the band, and above it.
			name: "aws-sdk-go-v2", preset: "aws-sdk-go-v2", set: "max-attempts=unlimited",
			outcome: 503, asks: asks{0, 3 * sec, 9 * sec, nothing, 9 * sec}, n: 4000,
			run: func(attempt func() (time.Duration, bool)) {
				_ = awsCall(context.Background(), aws.AddWithMaxAttempts(aws.NewStandard(), 0), func() error {
					ask, ok := attempt()
					if ok {
						return nil
					}
					answer := httpAnswer(503)
					if ask >= 0 {
						answer.Header.Set("X-Amz-Retry-After", strconv.FormatInt(ask.Milliseconds(), 10))
					}
					return &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: answer}, Err: errDown}
				})
			},
		},
		{
			name: "cenkalti v5", preset: "cenkalti-backoff-v5",
			outcome: 429, asks: asks{nothing, nothing, 7 * sec, nothing, nothing, nothing}, n: 4000,
			run: func(attempt func() (time.Duration, bool)) {
				_, _ = cenkalti5.Retry(context.Background(), func() (int, error) {
					switch ask, ok := attempt(); {
					case ok:
						return 0, nil
					case ask < 0:
						return 0, errDown
					default:
						return 0, cenkalti5.RetryAfter(int(ask / sec))
					}
				})
			},
		},
		{
			name: "failsafe-go http", preset: "failsafe-go-http", set: "max-attempts=unlimited",
			outcome: 429, asks: asks{nothing, 7 * sec, 9 * sec}, n: 4000,
			run: func(attempt func() (time.Duration, bool)) {
				policy := failsafehttp.NewRetryPolicyBuilder().WithBackoff(sec, 30*sec).WithJitterFactor(0.25).WithMaxRetries(-1).Build()
				c := asking(attempt, 429, "Retry-After", sec)
				c.Transport = failsafehttp.NewRoundTripper(c.Transport, policy)
				_, _ = c.Get("http://service/")
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := len(c.asks)
			theirs := c.asks.asked(c.run)(t, c.n, k)
			ours := c.asks.ourAskedWaits(preset(t, c.preset, "", fields(c.set)...), c.outcome, samples, k)
			for _, p := range compare(theirs, ours, k) {
				t.Error(p)
			}
		})
	}
}

// TestPushback: grpc-go waits exactly as it is told, and its backoff begins
// again after that.
func TestPushback(t *testing.T) {
	a := asks{nothing, nothing, 700 * ms, nothing, nothing, nothing}
	const n = 1000
	k := len(a)
	theirs := make(waits, n)
	synctest.Test(t, func(t *testing.T) {
		var attempt func() error
		made := 0
		s := newGRPCService(t, retryConfig(k+1, 100*ms, sec, 2, ""), func(_ metadata.MD, stream grpc.ServerStream) error {
			_ = attempt()
			if ask := a[min(made, k-1)]; ask >= 0 {
				stream.SetTrailer(metadata.Pairs("grpc-retry-pushback-ms", strconv.FormatInt(ask.Milliseconds(), 10)))
			}
			made++
			return errUnavailable
		}, grpc.WithMaxCallAttempts(k+1))
		defer s.close()
		for i := range theirs {
			theirs[i] = gaps(func(f func() error) {
				attempt, made = f, 0
				_ = s.call(t.Context())
			})
		}
	})
	ours := a.ourAskedWaits(preset(t, "grpc-retry-policy", "", "max-attempts=unlimited"), 503, samples, k)
	for _, p := range compare(theirs, ours, k) {
		t.Error(p)
	}
}

// TestFailsafeHoldsItsExponent: a wait that was asked for does not count as one
// of failsafe-go's own, so its backoff goes on where it was. This is the one
// known difference: the simulator counts the attempt.
func TestFailsafeHoldsItsExponent(t *testing.T) {
	a := asks{nothing, 7 * sec, nothing}
	theirs := a.asked(func(attempt func() (time.Duration, bool)) {
		c := asking(attempt, 429, "Retry-After", sec)
		c.Transport = failsafehttp.NewRoundTripper(c.Transport,
			failsafehttp.NewRetryPolicyBuilder().WithBackoff(sec, 30*sec).WithMaxRetries(-1).Build())
		_, _ = c.Get("http://service/")
	})(t, 1, len(a))
	if want := []time.Duration{sec, 7 * sec, 2 * sec}; !slices.Equal(theirs[0], want) {
		t.Errorf("waits %v, want %v", theirs[0], want)
	}
}
