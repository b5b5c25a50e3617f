package strategies

import (
	"math"
	"time"
)

// Rules are a Policy compiled: read only, shared by all callers that hold it.
type Rules struct {
	// Timeout is how long the caller waits for the answer to one attempt; 0: for ever.
	Timeout time.Duration
	// AcceptLate: an answer to an attempt already given up completes the
	// request if it is still alive.
	AcceptLate bool

	retryOn     OutcomeSet
	maxAttempts int64
	maxElapsed  time.Duration
	waits       Waits
}

// Compile makes the rules of a valid Policy. It panics when Validate would
// find something to say, except that the zero Policy makes one attempt.
func (p Policy) Compile() Rules {
	if p.MaxAttempts == 0 {
		p.MaxAttempts = 1
	}
	p.Validate(invalid)
	r := Rules{
		Timeout:     min(p.Timeout, Longest),
		AcceptLate:  p.LateAnswers == "accept",
		maxAttempts: p.MaxAttempts,
		maxElapsed:  p.MaxElapsed,
		waits:       p.Backoff.Compile(),
	}
	r.retryOn, _ = ParseOutcomes(p.RetryOn)
	if r.maxAttempts == Unlimited {
		r.maxAttempts = math.MaxInt64
	}
	if r.maxElapsed == 0 {
		r.maxElapsed = math.MaxInt64
	}
	return r
}

// Waits are the waits between the attempts.
func (r *Rules) Waits() *Waits { return &r.waits }

// Failure is what a request remembers when an attempt has failed.
type Failure struct {
	Outcome Outcome
	Attempt int64         // number of the attempt that failed, 1 for the first
	Elapsed time.Duration // since the request began
	Waited  time.Duration // the wait before this attempt; 0 before the first
}

// GiveUp says why there is no further attempt, or that there is one.
type GiveUp uint8

// What can follow a failure.
const (
	Retry             GiveUp = iota // no reason to give up
	NotRetryable                    // the outcome is not in retry_on
	AttemptsExhausted               // this was attempt number max_attempts
	TimeExhausted                   // the retry would start later than max_elapsed
)

func (g GiveUp) String() string {
	switch g {
	case Retry:
		return "retry"
	case NotRetryable:
		return "not-retryable"
	case AttemptsExhausted:
		return "attempts-exhausted"
	case TimeExhausted:
		return "time-exhausted"
	default:
		return "unknown"
	}
}

// Next decides after a failure: Retry after the wait, or give up for the first
// reason that holds, in the order of the constants. u is a uniform draw of 64
// bits.
func (r *Rules) Next(f Failure, u uint64) (time.Duration, GiveUp) {
	if !r.retryOn.Has(f.Outcome) {
		return 0, NotRetryable
	}
	if f.Attempt >= r.maxAttempts {
		return 0, AttemptsExhausted
	}
	wait := r.waits.Next(f.Attempt, f.Waited, u)
	if wait > r.maxElapsed-f.Elapsed {
		return 0, TimeExhausted
	}
	return wait, Retry
}
