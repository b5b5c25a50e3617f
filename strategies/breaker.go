package strategies

import "time"

type breakerKind uint8

const (
	breakerCount breakerKind = iota
	breakerTime
	breakerConsecutive
)

// Position is what a breaker does with calls.
type Position uint8

// The positions: all calls go through, none, or a few that decide.
const (
	Closed Position = iota
	Open
	HalfOpen
)

func (p Position) String() string {
	switch p {
	case Closed:
		return "closed"
	case Open:
		return "open"
	case HalfOpen:
		return "half-open"
	default:
		return "unknown"
	}
}

// BreakerRules are a Breaker compiled: read only, shared by all its states.
//
// While closed it adds up the results: of the last size calls, of a window of
// time in 10 slots, or failures in a row. Too many open it; nothing goes
// through for the time open, then it is half open: half_open calls go through
// and no more. When that many results are known, their shares of failures and
// of slow calls close it or open it again. A consecutive breaker opens again at
// the first failure. Every change of position starts with nothing known.
//
// Some libraries, by their defaults:
//
//	Resilience4j 2.4  count 100 failures 50% slow_call 60s slow_calls 100% open 60s half_open 10
//	Polly 8           time 30s failures 10% min_calls 100 open 5s half_open 1
//	failsafe-go 0.9   consecutive 1 open 60s half_open 1
//	nginx peers       consecutive 1 open 10s half_open 1
type BreakerRules struct {
	kind      breakerKind
	size      int64 // of the window; failures in a row
	slot      time.Duration
	minCalls  int64
	failures  int64 // millionths that open it
	slowCall  time.Duration
	slowCalls int64 // millionths that open it
	open      time.Duration
	halfOpen  int64
	failureOn OutcomeSet
}

// BreakerState is what a breaker has seen. Reset makes it ready.
type BreakerState struct {
	position Position
	period   uint32 // how often the position has changed
	until    time.Duration
	asked    int64 // permits for calls that half-open lets through
	tally    tally
	ring     []mark // count: the last calls
	next     int
	windows  *[3]slots // time: what a tally holds
}

// tally sums up calls: those of a count window, or of half-open. For
// consecutive, failed is how many in a row.
type tally struct{ calls, failed, slow int64 }

// mark is what is known of one call.
type mark uint8

const (
	markFailed mark = 1 << iota
	markSlow
)

// Compile makes the rules of a valid Breaker. It panics when Validate would
// find something to say.
func (b Breaker) Compile() BreakerRules {
	b.Validate(invalid)
	r := BreakerRules{
		size:      b.Size,
		minCalls:  b.Size,
		failures:  millionths(b.Failures),
		slowCall:  b.SlowCall,
		slowCalls: millionths(b.SlowCalls),
		open:      min(b.Open, Longest),
		halfOpen:  b.HalfOpen,
	}
	r.failureOn, _ = ParseOutcomes(b.FailureOn)
	switch b.Kind {
	case "count":
		r.kind = breakerCount
		if b.MinCalls != nil {
			r.minCalls = min(*b.MinCalls, b.Size)
		}
	case "time":
		r.kind = breakerTime
		r.slot = slotOf(b.Window)
		r.minCalls = defaultMinCalls
		if b.MinCalls != nil {
			r.minCalls = *b.MinCalls
		}
	case "consecutive":
		r.kind = breakerConsecutive
	}
	return r
}

// defaultMinCalls is min_calls of a time window.
const defaultMinCalls = 10

// Reset makes the state as new at time 0. It keeps the memory.
func (r *BreakerRules) Reset(s *BreakerState) {
	old := *s
	*s = BreakerState{}
	switch r.kind {
	case breakerCount:
		if s.ring = old.ring; int64(cap(s.ring)) < r.size {
			s.ring = make([]mark, r.size)
		}
		s.ring = s.ring[:r.size]
	case breakerTime:
		if s.windows = old.windows; s.windows == nil {
			s.windows = new([3]slots)
		}
	}
	s.forget()
}

// State is the position at a time.
func (r *BreakerRules) State(s *BreakerState, now time.Duration) Position {
	if s.position == Open && now >= s.until {
		return HalfOpen
	}
	return s.position
}

// A permit is the period that it belongs to and, in the lowest bit, whether it
// was asked for: only those take a place of half-open.
func (s *BreakerState) permit(asked uint32) uint32 { return s.period<<1 | asked }

func (s *BreakerState) current(permit uint32) bool { return permit>>1 == s.period&(1<<31-1) }

// Allow asks for a call. The permit goes to Record when its result is known, or
// else to Cancel.
func (r *BreakerRules) Allow(s *BreakerState, now time.Duration) (permit uint32, ok bool) {
	r.settle(s, now)
	switch s.position {
	case Open:
		return 0, false
	case HalfOpen:
		if s.asked >= r.halfOpen {
			return 0, false
		}
		s.asked++
	}
	return s.permit(1), true
}

// Observe gives a permit to a call that is not asked: it is never stopped, and
// its result counts like any other.
func (r *BreakerRules) Observe(s *BreakerState, now time.Duration) uint32 {
	r.settle(s, now)
	return s.permit(0)
}

// Cancel takes back a permit for a call that has no result.
func (r *BreakerRules) Cancel(s *BreakerState, permit uint32) {
	if s.position == HalfOpen && s.current(permit) && permit&1 != 0 {
		s.asked--
	}
}

// Record tells how a call with a permit has ended. Results of calls from before
// the position changed say nothing about the present and are ignored.
func (r *BreakerRules) Record(s *BreakerState, now time.Duration, permit uint32, o Outcome, took time.Duration) {
	if !s.current(permit) {
		return
	}
	var m mark
	if r.failureOn.Has(o) {
		m |= markFailed
	}
	if r.slowCall > 0 && took > r.slowCall {
		m |= markSlow
	}
	switch s.position {
	case Closed:
		if r.trips(s, now, m) {
			r.turn(s, Open)
			s.until = now + r.open
		}
	case HalfOpen:
		r.decide(s, now, m)
	}
}

// settle opens the breaker half when its time has come.
func (r *BreakerRules) settle(s *BreakerState, now time.Duration) {
	if s.position == Open && now >= s.until {
		r.turn(s, HalfOpen)
	}
}

// turn changes the position; a new period starts with nothing known.
func (r *BreakerRules) turn(s *BreakerState, to Position) {
	s.position = to
	s.period++
	s.forget()
}

func (s *BreakerState) forget() {
	s.asked, s.tally, s.next = 0, tally{}, 0
	if s.windows != nil {
		*s.windows = [3]slots{}
	}
}

// trips adds a call to what is known while closed, and says whether that opens.
func (r *BreakerRules) trips(s *BreakerState, now time.Duration, m mark) bool {
	switch r.kind {
	case breakerConsecutive:
		s.tally.failed++
		if m&markFailed == 0 {
			s.tally.failed = 0
		}
		return s.tally.failed >= r.size
	case breakerTime:
		return r.exceeded(r.inTime(s, now, m), r.minCalls)
	default:
		if s.tally.calls == r.size {
			s.tally.add(s.ring[s.next], -1)
		}
		s.tally.add(m, 1)
		s.ring[s.next] = m
		if s.next++; int64(s.next) == r.size {
			s.next = 0
		}
		return r.exceeded(s.tally, r.minCalls)
	}
}

// inTime adds a call to the window of time and sums it up.
func (r *BreakerRules) inTime(s *BreakerState, now time.Duration, m mark) tally {
	var one tally
	one.add(m, 1)
	w, slot := s.windows, now/r.slot
	w[0].add(slot, one.calls)
	w[1].add(slot, one.failed)
	w[2].add(slot, one.slow)
	return tally{w[0].sum, w[1].sum, w[2].sum}
}

// decide adds a call to what half-open knows, and ends half-open when that is
// enough.
func (r *BreakerRules) decide(s *BreakerState, now time.Duration, m mark) {
	s.tally.add(m, 1)
	bad := r.exceeded(s.tally, r.halfOpen)
	if r.kind == breakerConsecutive {
		bad = s.tally.failed > 0
	}
	switch {
	case bad:
		r.turn(s, Open)
		s.until = now + r.open
	case s.tally.calls >= r.halfOpen:
		r.turn(s, Closed)
	}
}

func (t *tally) add(m mark, n int64) {
	t.calls += n
	if m&markFailed != 0 {
		t.failed += n
	}
	if m&markSlow != 0 {
		t.slow += n
	}
}

// exceeded says whether enough calls are known and too many of them are bad: a
// share that is just reached is too many.
func (r *BreakerRules) exceeded(t tally, enough int64) bool {
	return t.calls >= enough && (t.failed*million >= r.failures*t.calls ||
		r.slowCall > 0 && t.slow*million >= r.slowCalls*t.calls)
}
