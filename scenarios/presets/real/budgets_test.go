package real

import (
	"math/rand/v2"
	"net/http"
	"testing"
	"testing/synctest"

	avast5 "github.com/avast/retry-go/v5"
	aws "github.com/aws/aws-sdk-go-v2/aws/retry"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"retrystorm/strategies"
)

// script is what becomes of one attempt after the other, over many requests. It
// has a fixed seed, and no library draws anything that could change it.
type script struct {
	random *rand.Rand
	odds   [3]float64 // of the first three of answers; the rest succeed
}

const (
	fails     = iota // a failure that is retried
	throttled        // one that costs less
	final            // one that is not retried
	succeeds
)

func newScript(fail, throttle, end float64) *script {
	return &script{rand.New(rand.NewPCG(1, 2)), [3]float64{fail, throttle, end}}
}

func (s *script) next() int {
	u := s.random.Float64()
	for i, p := range s.odds {
		if u -= p; u < 0 {
			return i
		}
	}
	return succeeds
}

// ourCalls plays requests against a budget of ours, and returns how many calls
// each of them makes.
func ourCalls(b strategies.Budget, attempts int64, s *script, requests int) []int {
	rules := b.Compile()
	var state strategies.BudgetState
	rules.Reset(&state)
	calls := make([]int, requests)
	for i := range calls {
		var last, retries int64
		rules.Started(&state, 0)
		ok, mayRetry := false, false
		for {
			rules.Sent(&state, 0, retries > 0)
			calls[i]++
			did := s.next()
			if ok = did == succeeds; ok {
				rules.Succeeded(&state, 0, retries > 0)
				break
			}
			outcome := strategies.Outcome(http.StatusServiceUnavailable)
			if did == throttled {
				outcome = http.StatusTooManyRequests
			}
			mayRetry = did != final
			rules.Failed(&state, 0, retries > 0, outcome, mayRetry)
			if !mayRetry || retries+1 >= attempts {
				break
			}
			cost, granted := rules.Take(&state, 0, outcome)
			if !granted {
				break
			}
			last = cost
			retries++
		}
		rules.Finished(&state, 0, ok, retries > 0, last, mayRetry)
	}
	return calls
}

// awsCalls plays them against the SDK's quota.
func awsCalls(t *testing.T, s *script, requests int, set func(*aws.StandardOptions)) []int {
	calls := make([]int, requests)
	synctest.Test(t, func(t *testing.T) {
		r := aws.NewStandard(set)
		for i := range calls {
			_ = awsCall(t.Context(), r, func() error {
				calls[i]++
				return []error{errServer, errThrottled, errDown, nil}[s.next()]
			})
		}
	})
	return calls
}

// oldCost is what a retry cost up to v1.47.
const oldCost = 5

// TestAWSQuota: the token bucket of the SDK and ours grant the same retries, in
// every request of a long mixed history.
func TestAWSQuota(t *testing.T) {
	for _, c := range []struct {
		name, version         string
		fail, throttle, final float64
		set                   func(*aws.StandardOptions)
	}{
		{"default", "1.48", 0.5, 0.1, 0.05, func(*aws.StandardOptions) {}},
		{"default, mostly down", "1.48", 0.9, 0.05, 0, func(*aws.StandardOptions) {}},
		{"as up to 1.47", "1.41", 0.6, 0, 0.05, func(o *aws.StandardOptions) {
			o.RetryCost, o.ThrottlingRetryCost = oldCost, oldCost
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := preset(t, "aws-sdk-go-v2", c.version)
			theirs := awsCalls(t, newScript(c.fail, c.throttle, c.final), 5000, c.set)
			ours := ourCalls(*p.Budget, p.MaxAttempts, newScript(c.fail, c.throttle, c.final), 5000)
			sameCalls(t, theirs, ours)
		})
	}
}

// TestAWSQuotaEmpty: clients that only fail retry 35 times, or 100 times at the
// old cost, and then never.
func TestAWSQuotaEmpty(t *testing.T) {
	for _, c := range []struct {
		version string
		want    int
		set     func(*aws.StandardOptions)
	}{
		{"1.48", 35, func(*aws.StandardOptions) {}},
		{"1.41", 100, func(o *aws.StandardOptions) { o.RetryCost = oldCost }},
	} {
		p := preset(t, "aws-sdk-go-v2", c.version)
		theirs := awsCalls(t, newScript(1, 0, 0), 200, c.set)
		ours := ourCalls(*p.Budget, p.MaxAttempts, newScript(1, 0, 0), 200)
		sameCalls(t, theirs, ours)
		if got := sum(theirs) - 200; got != c.want {
			t.Errorf("%s: the library made %d retries, want %d", c.version, got, c.want)
		}
	}
}

// TestAvastBucket: the same for the token bucket of avast/retry-go.
func TestAvastBucket(t *testing.T) {
	const requests = 5000
	p := preset(t, "avast-retry-go-v5-throttled", "", "attempts=4")
	for _, fail := range []float64{0.1, 0.3, 0.9} {
		theirs := make([]int, requests)
		synctest.Test(t, func(*testing.T) {
			s := newScript(fail, 0, 0.05)
			r := avast5.New(avast5.Attempts(4), avast5.WithFixedTokenBucketThrottle(avast5.FixedTokenBucketThrottleConfig{}))
			for i := range theirs {
				_ = r.Do(func() error {
					theirs[i]++
					return []error{errDown, errDown, avast5.Unrecoverable(errDown), nil}[s.next()]
				})
			}
		})
		sameCalls(t, theirs, ourCalls(*p.Budget, p.MaxAttempts, newScript(fail, 0, 0.05), requests))
	}
}

// TestGRPCThrottle: the same for the retry throttle of grpc-go.
func TestGRPCThrottle(t *testing.T) {
	const requests, attempts = 3000, 4
	for _, c := range []struct{ fail, final float64 }{{0.12, 0}, {0.3, 0.1}, {0.6, 0.05}} {
		theirs := make([]int, requests)
		synctest.Test(t, func(t *testing.T) {
			s := newScript(c.fail, 0, c.final)
			i := 0
			g := newGRPCService(t, retryConfig(attempts, ms, sec, 2, `, "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1}`),
				func(_ metadata.MD, stream grpc.ServerStream) error {
					theirs[i]++
					switch s.next() {
					case fails:
						return errUnavailable
					case final:
						return status.Error(codes.InvalidArgument, "no")
					default:
						return answerEmpty(stream)
					}
				})
			defer g.close()
			for ; i < requests; i++ {
				_ = g.call(t.Context())
			}
		})
		p := preset(t, "grpc-retry-throttling", "")
		sameCalls(t, theirs, ourCalls(*p.Budget, attempts, newScript(c.fail, 0, c.final), requests))
	}
}

func sameCalls(t *testing.T, theirs, ours []int) {
	t.Helper()
	for i := range theirs {
		if theirs[i] != ours[i] {
			t.Fatalf("request %d: the library makes %d calls, the simulator %d", i+1, theirs[i], ours[i])
		}
	}
	t.Logf("%d requests, %d calls on both sides", len(theirs), sum(theirs))
}

func sum(x []int) (total int) {
	for _, v := range x {
		total += v
	}
	return total
}
