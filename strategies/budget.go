package strategies

import (
	"math"
	"time"
)

type budgetKind uint8

const (
	budgetRatio budgetKind = iota
	budgetWindow
	budgetConcurrent
	budgetTokens
	budgetThrottle
	budgetFailures
)

// BudgetRules are a Budget compiled: read only, shared by all its states.
type BudgetRules struct {
	kind   budgetKind
	ratio  int64 // millionths
	floor  int64 // retries at once (concurrent), in an inner window (window), or the reserve (ratio)
	size   int64 // of the bucket: tokens and throttle, thousandths
	before bool  // a retry is asked for before its wait

	// ratio and window
	slot       time.Duration // a tenth of the window
	innerSlot  time.Duration // a tenth of the window that the floor is counted in
	deposit    int64
	withdrawal int64
	depositOn  string
	perRequest int64 // millionths

	// tokens and throttle, thousandths
	retry, timeout, throttled int64
	success, request, reserve int64
}

// BudgetState is what callers who share a budget have used of it. Reset makes
// it ready.
type BudgetState struct {
	balance  int64 // tokens and throttle, thousandths
	active   int64 // concurrent: retries
	inFlight int64 // concurrent: attempts; waiting false: requests and retries
	started  int64 // failures: requests
	failed   int64 // failures: attempts
	windows  *budgetWindows
}

// budgetWindows are the counts of the last time.
type budgetWindows struct {
	balance  slots // ratio: deposits less withdrawals
	requests slots // window
	retries  slots // window
	recent   slots // window: retries, for the floor
}

// Compile makes the rules of a valid Budget. It panics when Validate would
// find something to say.
func (b Budget) Compile() BudgetRules {
	b.Validate(invalid)
	r := BudgetRules{ratio: millionths(b.Ratio), before: true}
	switch b.Kind {
	case "ratio":
		r.kind = budgetRatio
		b.compileRatio(&r)
	case "window":
		r.kind = budgetWindow
		b.compileWindow(&r)
	case "concurrent":
		r.kind = budgetConcurrent
		r.before = b.Waiting
		r.floor = defaultCount
		if b.Floor.Set {
			r.floor = b.Floor.Count
		}
	case "tokens":
		r.kind = budgetTokens
		r.size = thousandths(b.Tokens)
		r.retry, r.timeout, r.throttled = thousandths(b.Retry), thousandths(b.Timeout), thousandths(b.Throttled)
		r.success, r.request, r.reserve = thousandths(b.Success), thousandths(b.Request), thousandths(b.Reserve)
	case "throttle":
		r.kind = budgetThrottle
		r.size = thousandths(b.Tokens)
		r.success = wholeThousandths(b.PerSuccess)
	case "failures":
		r.kind = budgetFailures
	}
	return r
}

// Reset makes the state as new at time 0. It keeps the memory.
func (r *BudgetRules) Reset(s *BudgetState) {
	w := s.windows
	*s = BudgetState{balance: r.size}
	if r.kind == budgetRatio || r.kind == budgetWindow {
		if w == nil {
			w = new(budgetWindows)
		}
		*w = budgetWindows{}
		s.windows = w
	}
}

// AfterWait says when Take is asked: when the wait before the retry is over,
// or else before it.
func (r *BudgetRules) AfterWait() bool { return !r.before }

// Started: a request, with all its attempts on one hop, starts. It may have so
// many retries, if the budget grants them.
func (r *BudgetRules) Started(s *BudgetState, now time.Duration) (most int64) {
	most = math.MaxInt64
	switch r.kind {
	case budgetRatio:
		if r.depositOn == depositRequest {
			r.earn(s, now)
		}
		most = r.perStart(s, now)
	case budgetWindow:
		s.windows.requests.add(now/r.slot, 1)
	case budgetConcurrent:
		if !r.before {
			s.inFlight++
		}
	case budgetTokens:
		s.balance = min(s.balance+r.request, r.size)
	case budgetFailures:
		s.started++
	}
	return most
}

// Sent: an attempt is sent. Retry is true for those that Take has granted. To
// each Sent there comes one Failed, Succeeded or Canceled.
func (r *BudgetRules) Sent(s *BudgetState, _ time.Duration, _ bool) {
	if r.kind == budgetConcurrent && r.before {
		s.inFlight++
	}
}

// Failed: an attempt has failed. It comes before Take, and before any other
// rule is asked about a retry.
func (r *BudgetRules) Failed(s *BudgetState, _ time.Duration, retry bool, _ Outcome, retryable bool) {
	switch r.kind {
	case budgetConcurrent:
		r.ended(s, retry)
	case budgetThrottle:
		if retryable {
			s.balance = max(s.balance-thousand, 0)
		}
	case budgetFailures:
		s.failed++
	}
}

// Succeeded: an attempt has succeeded.
func (r *BudgetRules) Succeeded(s *BudgetState, _ time.Duration, retry bool) {
	if r.kind == budgetConcurrent {
		r.ended(s, retry)
	}
}

// Canceled: an attempt has ended without a result that counts, because another
// one has won.
func (r *BudgetRules) Canceled(s *BudgetState, _ time.Duration, retry bool) {
	if r.kind == budgetConcurrent {
		r.ended(s, retry)
	}
}

// Dropped: a retry that Take has granted will not be sent. Only what is counted
// while it lasts comes back.
func (r *BudgetRules) Dropped(s *BudgetState, _ time.Duration) {
	if r.kind == budgetConcurrent {
		s.active--
		if !r.before {
			s.inFlight--
		}
	}
}

// Take asks for a retry after outcome o, for a request that has not had all that
// it may. The cost is in the budget's own units; Finished wants the last one.
func (r *BudgetRules) Take(s *BudgetState, now time.Duration, o Outcome) (cost int64, ok bool) {
	switch r.kind {
	case budgetRatio:
		return r.takeRatio(s, now)
	case budgetWindow:
		return 0, r.takeWindow(s, now)
	case budgetConcurrent:
		return 0, r.takeConcurrent(s)
	case budgetTokens:
		return r.takeTokens(s, o)
	case budgetThrottle:
		return 0, 2*s.balance > r.size
	default:
		return 0, s.failed*million <= r.ratio*s.started
	}
}

// Finished: the request has ended; last is the cost of its last granted retry,
// if it was retried, and retryable says that it ended with an outcome that is
// tried again as a rule.
func (r *BudgetRules) Finished(s *BudgetState, now time.Duration, ok, retried bool, last int64, retryable bool) {
	switch r.kind {
	case budgetRatio:
		if r.depositOn == depositSuccess && ok || r.depositOn == depositFinal && !retryable {
			r.earn(s, now)
		}
	case budgetConcurrent:
		if !r.before {
			s.inFlight--
		}
	case budgetTokens:
		if ok && r.success > 0 {
			back := r.success
			if retried {
				back = last
			}
			s.balance = min(s.balance+back, r.size)
		}
	case budgetThrottle:
		if ok {
			s.balance = min(s.balance+r.success, r.size)
		}
	}
}
