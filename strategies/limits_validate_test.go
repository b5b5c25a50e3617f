package strategies

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// problems are the fields that a Validate complains about.
func problems(validate func(bad func(field, problem string))) (fields []string) {
	validate(func(field, _ string) { fields = append(fields, field) })
	return fields
}

func checkProblems(t *testing.T, what any, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%+v: complains about %v, want %v", what, got, want)
	}
}

func TestBudgetValidate(t *testing.T) {
	for _, good := range []Budget{
		awsQuota, aws21, avast, adaptiveBucket, grpcThrottle, finagle, linkerd, gateway,
		envoyBudget, envoyRetries, failsafeBudget, breaker10pct,
	} {
		checkProblems(t, good, problems(good.Validate))
	}
	nan := math.NaN()
	for _, c := range []struct {
		bad  Budget
		want []string
	}{
		{Budget{}, []string{"kind"}},
		{Budget{Kind: "quota"}, []string{"kind"}},
		{Budget{Kind: "ratio"}, []string{"window", "per_request"}},
		{Budget{Kind: "ratio", Ratio: -1, Window: 1, PerRequest: 2, Deposit: "retry"}, []string{"ratio", "deposit", "per_request"}},
		{Budget{Kind: "ratio", Ratio: nan, Window: 1, PerRequest: nan}, []string{"ratio", "per_request"}},
		{Budget{Kind: "ratio", Window: 1, PerRequest: 1, Floor: Floor{Set: true, Count: 3}}, []string{"floor"}},
		{Budget{Kind: "window", Window: 1, Floor: Floor{Set: true, Count: 3}}, []string{"floor"}},
		{Budget{Kind: "window", Window: 1, Floor: Floor{Set: true, Rate: nan}}, []string{"floor", "floor"}},
		{Budget{Kind: "window", Window: 1, Floor: Floor{Set: true, Rate: 1e-300}}, []string{"floor"}},
		{Budget{Kind: "concurrent", Ratio: 2, Floor: Floor{Set: true, Rate: 10}}, []string{"ratio", "floor"}},
		{Budget{Kind: "concurrent", Floor: Floor{Set: true, Count: -1}}, []string{"floor"}},
		{Budget{Kind: "tokens"}, []string{"tokens"}},
		{Budget{Kind: "tokens", Tokens: 5, Retry: 6}, []string{"retry"}},
		{Budget{Kind: "tokens", Tokens: 5, Retry: 5, Reserve: 0.1}, []string{"retry"}},
		{
			Budget{Kind: "tokens", Tokens: 5, Retry: -1, Timeout: -1, Throttled: nan, Success: -1, Request: 1e10, Reserve: -1},
			[]string{"retry", "timeout", "throttled", "success", "request", "reserve"},
		},
		{Budget{Kind: "throttle", Tokens: 1001, PerSuccess: -1}, []string{"tokens", "per_success"}},
		{Budget{Kind: "failures", Ratio: nan, Scope: "host", Keyed: "replica"}, []string{"ratio", "scope", "keyed"}},
	} {
		checkProblems(t, c.bad, problems(c.bad.Validate), c.want...)
	}
}

func TestBreakerValidate(t *testing.T) {
	for _, good := range []Breaker{resilience4j, polly, failsafeBreaker, nginx} {
		checkProblems(t, good, problems(good.Validate))
	}
	for _, c := range []struct {
		bad  Breaker
		want []string
	}{
		{Breaker{}, []string{"kind"}},
		{Breaker{Kind: "count"}, []string{"size", "failures", "half_open", "slow_calls", "failure_on"}},
		{Breaker{Kind: "time", MinCalls: new(int64(0))}, []string{"window", "failures", "min_calls", "half_open", "slow_calls", "failure_on"}},
		{
			Breaker{Kind: "consecutive", Size: 2_000_000, Open: -1, HalfOpen: 1, FailureOn: []string{"6xx"}, Wraps: "calls", Scope: "request", Keyed: "x"},
			[]string{"size", "open", "failure_on", "wraps", "scope", "keyed"},
		},
		{
			Breaker{Kind: "time", Window: 1, Failures: math.NaN(), HalfOpen: 1, SlowCall: -1, SlowCalls: 1.1, FailureOn: []string{"any"}},
			[]string{"failures", "slow_call", "slow_calls"},
		},
	} {
		checkProblems(t, c.bad, problems(c.bad.Validate), c.want...)
	}
}

func TestHedgeValidate(t *testing.T) {
	good := Hedge{Max: 1, Budget: 1}
	checkProblems(t, good, problems(good.Validate))
	good = quantileHedge(0.999)
	checkProblems(t, good, problems(good.Validate))
	for _, c := range []struct {
		bad  Hedge
		want []string
	}{
		{Hedge{}, []string{"max", "budget"}},
		{Hedge{After: After{Delay: -1}, Max: 1, Budget: 1}, []string{"after"}},
		{Hedge{After: After{Quantile: 1}, Max: 1, Budget: 1}, []string{"after"}},
		{Hedge{After: After{Quantile: math.NaN()}, Max: 1, Budget: math.NaN()}, []string{"after", "budget"}},
		{Hedge{After: After{Quantile: 0.5, Delay: 1}, Max: 1, Budget: 1}, []string{"after"}},
		{Hedge{Max: 1, Budget: 1, OnFailure: "stop", Scope: "request", Keyed: "x"}, []string{"on_failure", "scope", "keyed"}},
	} {
		checkProblems(t, c.bad, problems(c.bad.Validate), c.want...)
	}
}

func TestLimiterValidate(t *testing.T) {
	for _, good := range limiters {
		checkProblems(t, good, problems(good.Validate))
	}
	for _, c := range []struct {
		bad  Limiter
		want []string
	}{
		{Limiter{}, []string{"kind"}},
		{Limiter{Kind: "concurrency", WhenFull: "drop"}, []string{"limit", "when_full"}},
		{Limiter{Kind: "rate"}, []string{"rate", "burst"}},
		{Limiter{Kind: "rate", Rate: math.Inf(1), Burst: 1}, []string{"rate"}},
		{Limiter{Kind: "rate", Rate: 1e-9, Burst: 2}, []string{"burst"}},
		{Limiter{Kind: "aimd", Limit: 10, Min: 20, Max: 5}, []string{"max", "limit"}},
		{Limiter{Kind: "gradient", Limit: 10}, []string{"min", "max", "limit"}},
		{Limiter{Kind: "aws-adaptive", Scope: "request", Keyed: "x"}, []string{"scope", "keyed"}},
	} {
		checkProblems(t, c.bad, problems(c.bad.Validate), c.want...)
	}
}

// TestValidLimitsRun: what Validate accepts compiles and runs, the extremes
// included, and never makes a negative wait or balance.
func TestValidLimitsRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		float := func(name string) float64 {
			if rapid.Bool().Draw(t, name+" is usual") {
				return rapid.Float64Range(0, 1).Draw(t, name)
			}
			return rapid.Float64().Draw(t, name)
		}
		whole := func(name string) int64 {
			if rapid.Bool().Draw(t, name+" is usual") {
				return rapid.Int64Range(1, 100).Draw(t, name)
			}
			return rapid.Int64().Draw(t, name)
		}
		kind := func(kinds [][]string) string { return rapid.SampledFrom(kinds).Draw(t, "kind")[0] }
		now := time.Duration(rapid.Int64Range(0, int64(Longest)).Draw(t, "now"))

		b := Budget{
			Kind: kind(Budget{}.Kinds()), Ratio: float("ratio"), Window: time.Duration(whole("window")),
			Rounded: rapid.Bool().Draw(t, "rounded"), PerRequest: float("per_request"), Tokens: float("tokens"),
			Retry: float("retry"), Success: float("success"), PerSuccess: float("per_success"),
		}
		if rapid.Bool().Draw(t, "floor") {
			b.Floor = Floor{Set: true, Rate: float("rate")}
		}
		if len(problems(b.Validate)) == 0 {
			s := newBudget(b)
			for range 20 {
				s.perRequest(now)
			}
			if s.BudgetState.balance < 0 || s.BudgetState.balance > s.size {
				t.Fatalf("balance %d of %d", s.BudgetState.balance, s.size)
			}
		}

		l := Limiter{
			Kind: kind(Limiter{}.Kinds()), Limit: whole("limit"), Min: whole("min"), Max: whole("max"),
			Rate: float("rate"), Burst: whole("burst"),
		}
		if len(problems(l.Validate)) == 0 {
			s := newLimiter(l)
			for range 20 {
				wait, ok := s.acquire(now)
				if wait < 0 || wait > Longest {
					t.Fatalf("%+v: wait %v", l, wait)
				}
				if ok {
					s.release(now, OK)
				}
			}
		}
	})
}
