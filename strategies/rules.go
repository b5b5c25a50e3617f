package strategies

import (
	"math"
	"slices"
	"time"
)

// Rules are a Policy compiled: read only, shared by all callers that hold it.
type Rules struct {
	// Timeout is how long the caller waits for the answer to one attempt; 0: for ever.
	Timeout time.Duration
	// Deadline is when the whole request has failed, from its start; 0: never.
	Deadline time.Duration
	// AcceptLate: an answer to an attempt already given up completes the
	// request if it is still alive.
	AcceptLate bool
	// CancelQueued and CancelRunning: giving up on a call takes it out of the
	// queue, and out of service.
	CancelQueued, CancelRunning bool
	// Propagate: calls carry a deadline, and the one that the caller was given holds.
	Propagate bool

	basic       bool // nothing but attempts, a time and waits that are draws
	retryOn     OutcomeSet
	maxAttempts int64
	maxElapsed  time.Duration
	overshoots  bool          // max_elapsed looks at the time before the wait
	slower      time.Duration // negative: not asked
	faster      time.Duration
	waits       Waits
	others      []otherWaits
	owned       bool // some waits depend on each other: memories are kept apart
	asked       asked
}

// otherWaits are the waits after some outcomes.
type otherWaits struct {
	on    OutcomeSet
	waits Waits
	owner uint64 // tells what they remember from what others do
}

// Compile makes the rules of a valid Policy. It panics when Validate would
// find something to say, except that the zero Policy makes one attempt.
func (p Policy) Compile() Rules {
	if p.MaxAttempts == 0 {
		p.MaxAttempts = 1
	}
	p.Backoff = p.Backoff.filled()
	p.BackoffOn = slices.Clone(p.BackoffOn)
	for i := range p.BackoffOn {
		p.BackoffOn[i].Backoff = p.BackoffOn[i].filled()
	}
	p.Validate(invalid)
	r := Rules{
		Timeout:       min(p.Timeout, Longest),
		Deadline:      min(p.Deadline, Longest),
		AcceptLate:    p.LateAnswers == "accept",
		CancelQueued:  p.Cancel == "queued" || p.Cancel == "running",
		CancelRunning: p.Cancel == "running",
		Propagate:     p.Propagate,
		maxAttempts:   p.MaxAttempts,
		maxElapsed:    p.MaxElapsed,
		overshoots:    p.ElapsedCheck == "before-wait",
		slower:        p.SlowerThan,
		faster:        p.FasterThan,
		waits:         p.Backoff.Compile(),
		asked:         p.RetryAfter.compile(),
	}
	r.retryOn, _ = ParseOutcomes(p.RetryOn)
	r.compileOthers(p.BackoffOn)
	if r.maxAttempts == Unlimited {
		r.maxAttempts = math.MaxInt64
	}
	if r.maxElapsed == 0 {
		r.maxElapsed = math.MaxInt64
	}
	if r.Deadline == 0 {
		r.Deadline = math.MaxInt64
	}
	if r.faster == 0 {
		r.faster = math.MaxInt64
	}
	if r.slower == 0 {
		r.slower = -1
	}
	if r.waits.steps < math.MaxInt64 {
		r.maxAttempts = min(r.maxAttempts, r.waits.steps+1)
	}
	r.basic = r.waits.plain && len(r.others) == 0 && r.asked.kind == askedIgnored && !r.overshoots && !r.Timed()
	return r
}

// A memory is below 2^62. Where waits depend on each other, the two bits above
// say whose it is: a walk does not go on from another's wait.
const (
	ownerShift = 62
	owners     = 1 << (64 - ownerShift)
)

func (r *Rules) compileOthers(list []BackoffOn) {
	for i, o := range list {
		set, _ := ParseOutcomes([]string{o.Outcome})
		r.others = append(r.others, otherWaits{set, o.Backoff.Compile(), uint64(i+1) % owners})
		r.owned = r.owned || r.others[i].waits.curve.memory != independent
	}
	r.owned = len(list) > 0 && (r.owned || r.waits.curve.memory != independent)
}

// NotIdempotent are the rules for calls that must not be done twice, if the
// policy cares: only what surely did nothing is retried.
func (r Rules) NotIdempotent(p Policy) Rules {
	if p.IdempotentOnly {
		var harmless OutcomeSet
		harmless.add(Refused, Refused)
		harmless.add(Rejected, Rejected)
		for i := range r.retryOn {
			r.retryOn[i] &= harmless[i]
		}
	}
	return r
}

// Waits are the waits between the attempts, where no outcome has its own.
func (r *Rules) Waits() *Waits { return &r.waits }

// WaitsAfter are the waits after an outcome.
func (r *Rules) WaitsAfter(o Outcome) *Waits {
	w, _ := r.after(o)
	return w
}

func (r *Rules) after(o Outcome) (*Waits, uint64) {
	for i := range r.others {
		if r.others[i].on.Has(o) {
			return &r.others[i].waits, r.others[i].owner
		}
	}
	return &r.waits, 0
}

// Retryable reports whether an outcome is one of those that are tried again.
func (r *Rules) Retryable(o Outcome) bool { return r.retryOn.Has(o) }

// Timed reports whether the rules ask how long an attempt took.
func (r *Rules) Timed() bool { return r.slower >= 0 || r.faster < math.MaxInt64 }

// Failure is what a request remembers when an attempt has failed.
type Failure struct {
	Outcome Outcome
	Attempt int64         // number of the attempt that failed, 1 for the first
	Elapsed time.Duration // since the request began
	Took    time.Duration // the attempt; asked for only if Timed
	Memory  uint64        // of the decision before; 0 after the first attempt
	// Asked is the wait that the answer asks for, if Hinted.
	Asked  time.Duration
	Hinted bool
	// AskedDraw is a uniform draw of 64 bits, for the jitter of what is asked.
	AskedDraw uint64
}

// Decision is what follows a failure.
type Decision struct {
	Wait   time.Duration // before the next attempt
	Memory uint64        // for the next Failure
	Why    GiveUp
}

// GiveUp says why there is no further attempt, or that there is one.
type GiveUp uint8

// What can follow a failure. Up to RetryAfterTooLong the rules decide; the
// rest is decided by what callers share.
const (
	Retry             GiveUp = iota // no reason to give up
	NotRetryable                    // the outcome is not in retry_on
	AttemptsExhausted               // this was the last attempt
	TimeExhausted                   // the retry would start later than max_elapsed
	DeadlineExceeded                // the retry would start at the deadline or later
	RetryAfterTooLong               // the server asks for a longer wait than is accepted
	BudgetEmpty                     // the budget refuses the retry
	BreakerOpen                     // the breaker refuses the attempt
	LimiterFull                     // the limiter refuses the attempt
	HedgesSpent                     // the hedges' own budget refuses one
	GiveUps                         // how many there are
)

func (g GiveUp) String() string {
	switch g {
	case Retry:
		return "retry"
	case NotRetryable:
		return "not-retryable"
	case AttemptsExhausted:
		return "attempts"
	case TimeExhausted:
		return "elapsed"
	case DeadlineExceeded:
		return "deadline"
	case RetryAfterTooLong:
		return "retry-after"
	case BudgetEmpty:
		return "budget"
	case BreakerOpen:
		return "breaker"
	case LimiterFull:
		return "limiter"
	case HedgesSpent:
		return "hedge-budget"
	default:
		return "unknown"
	}
}

// Next decides after a failure: Retry after the wait, or give up for the first
// reason that holds: the outcome, the number of attempts, what the server asks
// for, the time, the deadline. u is a uniform draw of 64 bits.
func (r *Rules) Next(f *Failure, u uint64) Decision {
	if r.basic {
		return r.nextBasic(f, u)
	}
	if !r.retryOn.Has(f.Outcome) || f.Took <= r.slower || f.Took >= r.faster {
		return Decision{Why: NotRetryable}
	}
	w, owner := &r.waits, uint64(0)
	if len(r.others) > 0 {
		w, owner = r.after(f.Outcome)
	}
	if f.Attempt >= r.maxAttempts || f.Attempt > w.steps {
		return Decision{Why: AttemptsExhausted}
	}
	memory := f.Memory
	if r.owned {
		if memory>>ownerShift != owner {
			memory = 0
		}
		memory &= 1<<ownerShift - 1
	}
	wait, memory := w.Next(f.Attempt, memory, u)
	if r.asked.kind != askedIgnored {
		var found hint
		if wait, found = r.asked.apply(wait, f); found == hintRefuses {
			return Decision{Why: RetryAfterTooLong}
		}
		if r.asked.restart && found == hintTaken {
			memory = w.Restart(f.Attempt)
		}
	}
	if r.owned {
		memory |= owner << ownerShift
	}
	late := wait > r.maxElapsed-f.Elapsed
	if r.overshoots {
		late = f.Elapsed >= r.maxElapsed
	}
	switch {
	case late:
		return Decision{Why: TimeExhausted}
	case wait >= r.Deadline-f.Elapsed:
		return Decision{Why: DeadlineExceeded}
	}
	return Decision{wait, memory, Retry}
}

// nextBasic is Next for rules with nothing but attempts, a time and waits that
// are draws: most of them, and the hot path.
func (r *Rules) nextBasic(f *Failure, u uint64) Decision {
	if !r.retryOn.Has(f.Outcome) {
		return Decision{Why: NotRetryable}
	}
	if f.Attempt >= r.maxAttempts {
		return Decision{Why: AttemptsExhausted}
	}
	s := r.waits.span(f.Attempt - int64(f.Memory))
	wait := time.Duration(uniform(s.lo, s.hi, u))
	switch {
	case wait > r.maxElapsed-f.Elapsed:
		return Decision{Why: TimeExhausted}
	case wait >= r.Deadline-f.Elapsed:
		return Decision{Why: DeadlineExceeded}
	}
	return Decision{wait, f.Memory, Retry}
}
