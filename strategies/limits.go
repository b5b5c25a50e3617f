package strategies

import "time"

// Budget describes a limit on retries that callers share.
type Budget struct {
	// Kind is the rule.
	Kind string `yaml:"kind"`
	// Ratio is the share of retries: of the requests (ratio, window), of the
	// attempts in flight (concurrent), or how many calls may have failed for
	// each request started (failures).
	Ratio float64 `yaml:"ratio" unit:"share" default:"20%"`
	// Floor is what is always allowed: a rate (ratio, window: 10/s), or a
	// number of retries at once (concurrent: 3). Of ratio it is not metered:
	// 10/s over 10s is 100, at once if need be.
	Floor Floor `yaml:"floor" optional:"true"`
	// Window is how long ago counts.
	Window time.Duration `yaml:"window" default:"10s" above:"0"`
	// Deposit says what earns retries: every request when it starts, when it
	// succeeds, or when it ends with an outcome that is not retried (final).
	Deposit string `yaml:"deposit" enum:"request,success,final" default:"request"`
	// Rounded makes one retry cost a whole number of requests: 1/ratio, rounded
	// down. A ratio above 100% is not rounded.
	Rounded bool `yaml:"rounded" default:"false"`
	// PerRequest is the largest part of the balance that one request may use.
	PerRequest float64 `yaml:"per_request" unit:"share" default:"100%" above:"0"`
	// Waiting: a retry counts from when it starts to wait, and is asked for
	// then; what waits is not in flight. Else it is asked for when the wait is
	// over, and refused above both the floor and the ratio, the ratio then being
	// of all requests that have not ended, waiting or not, and retries on their
	// way.
	Waiting bool `yaml:"waiting" default:"true"`
	// Tokens is the size of the bucket; it starts full.
	Tokens float64 `yaml:"tokens" unit:"factor" default:"500" above:"0"`
	// Retry is what a retry costs.
	Retry float64 `yaml:"retry" unit:"factor" default:"5"`
	// Timeout is what a retry after a timeout costs.
	Timeout float64 `yaml:"timeout" unit:"factor" default:"10"`
	// Throttled is what a retry after a 429 costs.
	Throttled float64 `yaml:"throttled" unit:"factor" default:"5"`
	// Success is what a request that succeeds at the first attempt earns; one
	// that succeeds later earns what its last retry cost. With 0 neither earns
	// anything.
	Success float64 `yaml:"success" unit:"factor" default:"1"`
	// Request is what every request earns when it starts.
	Request float64 `yaml:"request" unit:"factor" default:"0"`
	// Reserve must be left after a retry is paid.
	Reserve float64 `yaml:"reserve" unit:"factor" default:"0"`
	// PerSuccess is what throttle earns by a request that succeeds, in whole
	// thousandths; a failed attempt that is retried as a rule costs 1.
	PerSuccess float64 `yaml:"per_success" unit:"factor" default:"0.1"`
	// Scope says who shares the state.
	Scope string `yaml:"scope" enum:"request,client,process,all" default:"process"`
	// Keyed says what gets a state of its own: each target, or one for all
	// calls under the policy.
	Keyed string `yaml:"keyed" enum:"target,policy" default:"target"`
}

// Kinds lists the budgets with their fields.
func (Budget) Kinds() [][]string {
	return [][]string{
		{"ratio", "ratio", "floor", "window", "deposit", "rounded", "per_request", "scope", "keyed"},
		{"window", "ratio", "floor", "window", "scope", "keyed"},
		{"concurrent", "ratio", "floor", "waiting", "scope", "keyed"},
		{"tokens", "tokens", "retry", "timeout", "throttled", "success", "request", "reserve", "scope", "keyed"},
		{"throttle", "tokens", "per_success", "scope", "keyed"},
		{"failures", "ratio", "scope", "keyed"},
	}
}

// Breaker describes a circuit breaker: too many failures open it, and while it
// is open nothing goes through.
type Breaker struct {
	// Kind is what it looks at: the last calls (count), the calls of the last
	// time (time), or failures in a row (consecutive).
	Kind string `yaml:"kind"`
	// Size is how many calls, or failures in a row.
	Size int64 `yaml:"size" unit:"count" min:"1"`
	// Window is how long ago counts.
	Window time.Duration `yaml:"window" above:"0"`
	// Failures is the share of failures that opens it when it is reached.
	Failures float64 `yaml:"failures" unit:"share" default:"50%" above:"0"`
	// MinCalls is how many calls must be known before it may open: at most size,
	// and that by default (count), or 10 (time).
	MinCalls *int64 `yaml:"min_calls" unit:"count" min:"1"`
	// Open is how long it stays open.
	Open time.Duration `yaml:"open" default:"60s"`
	// HalfOpen is how many calls may then try; their share of failures decides
	// (count, time), or the first failure opens it again (consecutive).
	HalfOpen int64 `yaml:"half_open" unit:"count" min:"1" default:"10"`
	// SlowCall: a call that takes longer counts as slow.
	SlowCall time.Duration `yaml:"slow_call" none:"true"`
	// SlowCalls is the share of slow calls that opens it when it is reached.
	SlowCalls float64 `yaml:"slow_calls" unit:"share" default:"100%" above:"0"`
	// FailureOn lists the outcomes that are failures.
	FailureOn []string `yaml:"failure_on" default:"[any]" format:"outcome" least:"1"`
	// Wraps says what it stops: each attempt (inside the retries: a rejected
	// attempt may be retried), the whole request (outside), or only retries.
	Wraps string `yaml:"wraps" enum:"attempts,request,retries" default:"attempts"`
	// Scope says who shares the state.
	Scope string `yaml:"scope" enum:"client,process,all" default:"process"`
	// Keyed says what gets a state of its own: each target, or one for all
	// calls under the policy.
	Keyed string `yaml:"keyed" enum:"target,policy" default:"target"`
}

// Kinds lists the breakers with their fields.
func (Breaker) Kinds() [][]string {
	return [][]string{
		{"count", "size", "failures", "min_calls", "open", "half_open", "slow_call", "slow_calls", "failure_on", "wraps", "scope", "keyed"},
		{"time", "window", "failures", "min_calls", "open", "half_open", "slow_call", "slow_calls", "failure_on", "wraps", "scope", "keyed"},
		{"consecutive", "size", "open", "half_open", "failure_on", "wraps", "scope", "keyed"},
	}
}

// Hedge describes extra calls sent while the first is in flight. The first
// good answer wins.
type Hedge struct {
	// After is how long to wait for an answer before the next call is sent: a
	// time, or a quantile of the good answers of late, such as p95. There is no
	// hedge before 20 answers.
	After After `yaml:"after"`
	// Max is how many extra calls there are.
	Max int64 `yaml:"max" unit:"count" min:"1" default:"1"`
	// Budget is the share of requests that may be hedged. Up to 10 hedges are
	// saved up; there is none at the start.
	Budget float64 `yaml:"budget" unit:"share" default:"100%" above:"0"`
	// OnFailure says what a failed call does while others may be sent: the next
	// goes at once (send), or in its time (wait).
	OnFailure string `yaml:"on_failure" enum:"send,wait" default:"wait"`
	// Scope says who shares the quantile and the budget.
	Scope string `yaml:"scope" enum:"client,process,all" default:"process"`
	// Keyed says what gets a state of its own: each target, or one for all
	// calls under the policy.
	Keyed string `yaml:"keyed" enum:"target,policy" default:"target"`
}

// Kinds gives Hedge its one-line form: "50ms max 2".
func (Hedge) Kinds() [][]string {
	return [][]string{{"", "after", "max", "budget", "on_failure", "scope", "keyed"}}
}

// Limiter describes what holds attempts back before they are sent.
type Limiter struct {
	// Kind is what is limited: what is in flight, by a fixed limit (concurrency)
	// or one that adapts (aimd, gradient: see sim/limit), or what is sent per
	// second (rate; aws-adaptive: by what is answered 429, as the AWS SDKs do).
	Kind string `yaml:"kind"`
	// Limit is how many attempts are in flight at once: always (concurrency),
	// or to begin with.
	Limit int64 `yaml:"limit" unit:"count" min:"1" default:"20"`
	// Min and Max bound a limit that adapts.
	Min int64 `yaml:"min" unit:"count" min:"1" default:"1"`
	Max int64 `yaml:"max" unit:"count" min:"1" default:"1000"`
	// Rate is how many attempts are sent per second.
	Rate float64 `yaml:"rate" unit:"rate"`
	// Burst is how many may go at once.
	Burst int64 `yaml:"burst" unit:"count" min:"1" default:"1"`
	// WhenFull says what an attempt does that may not go now: wait in line, or
	// fail as rejected.
	WhenFull string `yaml:"when_full" enum:"wait,fail" default:"wait"`
	// Scope says who shares the state.
	Scope string `yaml:"scope" enum:"client,process,all" default:"process"`
	// Keyed says what gets a state of its own: each target, or one for all
	// calls under the policy.
	Keyed string `yaml:"keyed" enum:"target,policy" default:"target"`
}

// Kinds lists the limiters with their fields.
func (Limiter) Kinds() [][]string {
	return [][]string{
		{"concurrency", "limit", "when_full", "scope", "keyed"},
		{"rate", "rate", "burst", "when_full", "scope", "keyed"},
		{"aimd", "", "limit", "min", "max", "when_full", "scope", "keyed"},
		{"gradient", "", "limit", "min", "max", "when_full", "scope", "keyed"},
		{"aws-adaptive", "", "when_full", "scope", "keyed"},
	}
}

// Floor is a rate, for budgets over time, or a count, for those of what is in
// flight. The zero value is the default of the kind: 10/s, or 3.
type Floor struct {
	Set   bool
	Rate  float64 // per second
	Count int64
}

// After is a delay, or a quantile of the times that answers took.
type After struct {
	Delay    time.Duration
	Quantile float64 // 0: Delay holds
}
