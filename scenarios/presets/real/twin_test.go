package real

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	avast4 "github.com/avast/retry-go/v4"
	avast5 "github.com/avast/retry-go/v5"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	aws "github.com/aws/aws-sdk-go-v2/aws/retry"
	cenkalti4 "github.com/cenkalti/backoff/v4"
	cenkalti5 "github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/budget"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/hashicorp/go-retryablehttp"
	sethvargo "github.com/sethvargo/go-retry"
	"gonum.org/v1/gonum/stat/distuv"

	"retrystorm/experiment"
	"retrystorm/scenarios"
)

// twin is a variant of testdata/twin.yaml, played by a real library.
type twin struct {
	variant string
	runs    int
	// client makes what a run begins with; what that returns makes a request.
	client func() func(*service) error

	// What is not as in the file without variants.
	network    time.Duration
	retryAfter string
	flaky      float64
	spread     time.Duration
	outcomes   []string
}

// each is a client that shares nothing between requests.
func each(request func(*service) error) func() func(*service) error {
	return func() func(*service) error { return request }
}

// Where every request succeeds in the end, and where some do not.
var (
	allSucceed  = []string{"total_calls", "peak_load", "completion_p50", "completion_p90", "completion_p99"}
	someSucceed = []string{"total_calls", "peak_load", "succeeded"}
)

var twins = []twin{
	{variant: "cenkalti-v4", runs: 100, client: each(func(s *service) error {
		return cenkalti4.Retry(s.call, cenkalti4.NewExponentialBackOff())
	})},
	{variant: "cenkalti-v5", runs: 100, client: each(func(s *service) error {
		b := cenkalti5.NewExponentialBackOff()
		b.InitialInterval, b.Multiplier, b.MaxInterval = 100*ms, 2, 5*sec
		_, err := cenkalti5.Retry(context.Background(), func() (int, error) { return 0, s.call() }, cenkalti5.WithBackOff(b))
		return err
	})},
	{variant: "sethvargo", runs: 100, client: each(func(s *service) error {
		b := sethvargo.WithCappedDuration(5*sec, sethvargo.WithJitterPercent(20, sethvargo.NewExponential(500*ms)))
		return sethvargo.Do(context.Background(), b, func(context.Context) error { return sethvargo.RetryableError(s.call()) })
	})},
	{variant: "avast-v4", runs: 100, client: each(func(s *service) error {
		return avast4.Do(s.call, avast4.Attempts(0), avast4.MaxDelay(5*sec))
	})},
	{variant: "avast-v5-full-jitter", runs: 100, client: each(func(s *service) error {
		return avast5.New(avast5.UntilSucceeded(), avast5.DelayType(avast5.FullJitterBackoffDelay), avast5.MaxDelay(10*sec)).Do(s.call)
	})},
	{variant: "failsafe-go", runs: 100, client: each(func(s *service) error {
		p := retrypolicy.NewBuilder[any]().WithBackoff(200*ms, 5*sec).WithJitterFactor(0.25).WithMaxRetries(-1).Build()
		return failsafe.With(p).Run(s.call)
	})},
	{variant: "aws-sdk-go-v2", runs: 100, client: each(func(s *service) error {
		r := aws.AddWithMaxAttempts(aws.NewStandard(func(o *aws.StandardOptions) { o.RateLimiter = ratelimit.None }), 0)
		return awsCall(context.Background(), r, func() error { return awsError(s.call()) })
	})},
	{
		variant: "aws-quota", runs: 100, flaky: 0.5, spread: 60 * sec, outcomes: someSucceed,
		client: func() func(*service) error {
			r := aws.NewStandard() // one quota for all requests
			return func(s *service) error {
				return awsCall(context.Background(), r, func() error { return awsError(s.call()) })
			}
		},
	},
	{
		variant: "failsafe-budget", runs: 100, flaky: 0.5, network: sec, spread: 60 * sec, outcomes: someSucceed,
		client: func() func(*service) error {
			p := retrypolicy.NewBuilder[any]().WithMaxAttempts(4).WithBackoff(sec, 8*sec).WithJitterFactor(0.25).
				WithBudget(budget.New()).Build() // for all requests
			return func(s *service) error { return failsafe.With(p).Run(s.call) }
		},
	},
	{
		variant: "failsafe-breaker", runs: 100, flaky: 0.1, spread: 60 * sec, outcomes: someSucceed,
		client: func() func(*service) error {
			retries := retrypolicy.NewBuilder[any]().WithMaxAttempts(4).WithBackoff(sec, 8*sec).WithJitterFactor(0.25).Build()
			// Inside the retries, for all requests. Without a threshold of successes,
			// three calls would go through half open, and the first success close it.
			breaker := circuitbreaker.NewBuilder[any]().WithFailureThreshold(3).WithSuccessThreshold(1).WithDelay(5 * sec).Build()
			return func(s *service) error { return failsafe.With(retries, breaker).Run(s.call) }
		},
	},
	{variant: "go-retryablehttp", runs: 2, client: each(retryableRequest)},
	{variant: "retry-after", runs: 2, retryAfter: "3", client: each(retryableRequest)},
}

func retryableRequest(s *service) error {
	return retryableCall(&http.Client{Transport: s}, func(c *retryablehttp.Client) { c.RetryMax = unlimited })
}

// unlimited is more retries than any request needs.
const unlimited = math.MaxInt32

// awsError is an outcome as the SDK's transport reports it.
func awsError(err error) error {
	switch err {
	case nil:
		return nil
	case errUnavailableHTTP:
		return errServer
	default:
		return &net.OpError{Op: "dial", Err: err}
	}
}

// confidence of the intervals that are shown, and chance that any comparison of
// the whole test fails although both sides have the same law. The libraries
// cannot be seeded, so that chance must be one that nobody meets.
const (
	confidence = 0.999
	chance     = 1e-6
)

// TestTwin plays one scenario with real libraries in virtual time, and with the
// simulator: calls, peak and completion times must agree.
func TestTwin(t *testing.T) {
	comparisons := 0
	for i := range twins {
		if twins[i].outcomes == nil {
			twins[i].outcomes = allSucceed
		}
		comparisons += len(twins[i].outcomes)
	}
	simulated := simulate(t)
	for _, w := range twins {
		t.Run(w.variant, func(t *testing.T) {
			library := map[string][]float64{}
			for range w.runs {
				s := &service{network: cmp.Or(w.network, network), retryAfter: w.retryAfter, flaky: w.flaky}
				for name, value := range play(t, s, w.spread, w.client()) {
					library[name] = append(library[name], value)
				}
			}
			for _, name := range w.outcomes {
				a, b := library[name], simulated[w.variant][name]
				t.Logf("%-15s library %s, simulator %s", name, interval(a), interval(b))
				if problem := welch(a, b, chance/float64(comparisons)); problem != "" {
					t.Errorf("%s: %s", name, problem)
				}
			}
		})
	}
	// A factor of 1.45 for 1.5 shows, so that agreement means something.
	t.Run("another policy", func(t *testing.T) {
		var calls []float64
		for range 100 {
			o := play(t, &service{network: network}, 0, func(s *service) error {
				return cenkalti4.Retry(s.call, cenkalti4.NewExponentialBackOff(cenkalti4.WithMultiplier(1.45)))
			})
			calls = append(calls, o["total_calls"])
		}
		if welch(calls, simulated["cenkalti-v4"]["total_calls"], chance/float64(comparisons)) == "" {
			t.Error("is not told apart")
		}
	})
}

// simulate runs all variants of the scenario.
func simulate(t *testing.T) map[string]map[string][]float64 {
	t.Helper()
	src, err := os.ReadFile("testdata/twin.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file, err := scenarios.Load("twin.yaml", src, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := experiment.New(file)
	if err != nil {
		t.Fatal(err)
	}
	result, err := e.Run(experiment.Options{Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string][]float64{}
	for _, p := range result.Points {
		values := map[string][]float64{}
		for i, m := range result.Metrics {
			for _, run := range p.Runs {
				values[m.Name] = append(values[m.Name], run.Values[i])
			}
		}
		out[p.Variant] = values
	}
	return out
}

// welch says how two means differ, when they do at this level, by Welch's t
// test. What never varies on either side must be equal.
func welch(a, b []float64, level float64) string {
	ma, va := meanAndError(a)
	mb, vb := meanAndError(b)
	if va == 0 && vb == 0 {
		if math.Abs(ma-mb) > 1e-9 { // of a second, or a call
			return fmt.Sprintf("library %v, simulator %v", interval(a), interval(b))
		}
		return ""
	}
	v := va + vb
	df := v * v / (va*va/float64(len(a)-1) + vb*vb/float64(len(b)-1))
	limit := distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(1-level/2) * math.Sqrt(v)
	if math.Abs(ma-mb) > limit {
		return fmt.Sprintf("library %v, simulator %v: %.4g apart, allowed are %.4g", interval(a), interval(b), math.Abs(ma-mb), limit)
	}
	return ""
}

// meanAndError is the mean and its squared standard error.
func meanAndError(x []float64) (mean, squared float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	if slices.Min(x) == slices.Max(x) {
		return x[0], 0
	}
	for _, v := range x {
		squared += (v - mean) * (v - mean)
	}
	n := float64(len(x))
	return mean, squared / (n - 1) / n
}

// interval is a mean with its interval, to read.
func interval(x []float64) string {
	mean, squared := meanAndError(x)
	if squared == 0 {
		return fmt.Sprintf("%.4f", mean)
	}
	half := distuv.StudentsT{Sigma: 1, Nu: float64(len(x) - 1)}.Quantile((1+confidence)/2) * math.Sqrt(squared)
	return fmt.Sprintf("%.2f ±%.2f", mean, half)
}
