package real

import (
	"math/rand/v2"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	avast4 "github.com/avast/retry-go/v4"
	avast5 "github.com/avast/retry-go/v5"
	aws "github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	cenkalti4 "github.com/cenkalti/backoff/v4"
	cenkalti5 "github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/googleapis/gax-go/v2"
	"github.com/hashicorp/go-retryablehttp"
	sethvargo "github.com/sethvargo/go-retry"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/client-go/util/workqueue"
)

const (
	ms  = time.Millisecond
	sec = time.Second
)

// cenkaltiV4 is the exponential policy of v4; it stops by itself after 15
// minutes of real time, which no test takes.
func cenkaltiV4(options ...cenkalti4.ExponentialBackOffOpts) library {
	return drawn(func() func(int) time.Duration {
		b := cenkalti4.NewExponentialBackOff(options...)
		return func(int) time.Duration { return b.NextBackOff() }
	})
}

func cenkaltiV5(set func(*cenkalti5.ExponentialBackOff)) library {
	return drawn(func() func(int) time.Duration {
		b := cenkalti5.NewExponentialBackOff()
		set(b)
		b.Reset()
		return func(int) time.Duration { return b.NextBackOff() }
	})
}

// avastV4 is asked through its timer, which fires at once and notes for how
// long it should have slept.
func avastV4(options ...avast4.Option) library {
	return func(_ *testing.T, n, k int) waits {
		w := make(waits, n)
		for i := range w {
			timer := &notingTimer{}
			_ = avast4.Do(func() error { return errDown },
				append(options, avast4.Attempts(uint(k)+1), avast4.WithTimer(timer))...)
			w[i] = timer.waits
		}
		return w
	}
}

func avastV5(options ...avast5.Option) library {
	return func(_ *testing.T, n, k int) waits {
		w := make(waits, n)
		for i := range w {
			timer := &notingTimer{}
			_ = avast5.New(append(options, avast5.Attempts(uint(k)+1), avast5.WithTimer(timer))...).
				Do(func() error { return errDown })
			w[i] = timer.waits
		}
		return w
	}
}

type notingTimer struct{ waits []time.Duration }

func (n *notingTimer) After(d time.Duration) <-chan time.Time {
	n.waits = append(n.waits, d)
	now := make(chan time.Time, 1)
	now <- time.Time{}
	return now
}

// awsStandard is the standard retryer; every wait is a function of the number
// of the attempt that failed.
func awsStandard(err error, set func(*aws.StandardOptions)) library {
	r := aws.NewStandard(set)
	return drawn(func() func(int) time.Duration {
		return func(k int) time.Duration { return must(r.RetryDelay(k, err)) }
	})
}

// awsLegacy is the formula up to v1.41, which later versions still ship.
func awsLegacy(cap time.Duration) library {
	b := aws.NewExponentialJitterBackoff(cap)
	return drawn(func() func(int) time.Duration {
		return func(k int) time.Duration { return must(b.BackoffDelay(k, errDown)) }
	})
}

func must(d time.Duration, err error) time.Duration {
	if err != nil {
		panic(err)
	}
	return d
}

// What the AWS SDK takes for a throttled call, and for a 503.
var (
	errThrottled = &smithy.GenericAPIError{Code: "ThrottlingException"}
	errServer    = &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: httpAnswer(http.StatusServiceUnavailable)}, Err: errDown}
)

func sethvargoBackoff(fresh func() sethvargo.Backoff) library {
	return drawn(func() func(int) time.Duration {
		b := fresh()
		return func(int) time.Duration {
			d, _ := b.Next()
			return d
		}
	})
}

// failsafeGo tells its listener how long it is going to wait.
func failsafeGo(set func(retrypolicy.Builder[any])) library {
	return slept(func(k int, attempt func() error) {
		b := retrypolicy.NewBuilder[any]()
		set(b)
		_ = failsafe.With(b.WithMaxRetries(k).Build()).Run(attempt)
	})
}

func gaxBackoff(b gax.Backoff) library {
	return drawn(func() func(int) time.Duration {
		fresh := b
		return func(int) time.Duration { return fresh.Pause() }
	})
}

func retryableDefault(lo, hi time.Duration) library {
	return drawn(func() func(int) time.Duration {
		return func(k int) time.Duration { return retryablehttp.DefaultBackoff(lo, hi, k-1, nil) }
	})
}

// retryableLinear seeds a generator with the nanosecond of the second each
// time, so the clock is where its randomness comes from: here a virtual one
// that jumps to a random nanosecond before every wait.
func retryableLinear(lo, hi time.Duration) library {
	return func(t *testing.T, n, k int) (w waits) {
		synctest.Test(t, func(t *testing.T) {
			w = drawn(func() func(int) time.Duration {
				return func(k int) time.Duration {
					time.Sleep(rand.N(sec))
					return retryablehttp.LinearJitterBackoff(lo, hi, k-1, nil)
				}
			})(t, n, k)
		})
		return w
	}
}

func waitBackoff(b wait.Backoff) library {
	return drawn(func() func(int) time.Duration {
		fresh := b
		return func(int) time.Duration { return fresh.Step() }
	})
}

func itemExponential(base, cap time.Duration) library {
	return drawn(func() func(int) time.Duration {
		l := workqueue.NewTypedItemExponentialFailureRateLimiter[string](base, cap)
		return func(int) time.Duration { return l.When("item") }
	})
}

// flowControl is one Backoff for all requests, because each seeds a generator of
// its own from the clock: many that are made at once would draw the same.
func flowControl(base, cap time.Duration, jitter float64) library {
	return func(_ *testing.T, n, k int) waits {
		b := flowcontrol.NewBackOffWithJitter(base, cap, jitter)
		b.HasExpiredFunc = func(_, _ time.Time, _ time.Duration) bool { return false }
		return drawn(func() func(int) time.Duration {
			b.Reset("item")
			return func(int) time.Duration {
				b.Next("item", time.Time{})
				return b.Get("item")
			}
		})(nil, n, k)
	}
}
