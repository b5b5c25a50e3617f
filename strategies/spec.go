package strategies

import "time"

// Unlimited is the value of a count that has no limit.
const Unlimited = -1

// Policy describes what a caller does about a call that fails.
type Policy struct {
	// Timeout is how long the caller waits for the answer to one attempt, from
	// send to reply, network and waiting included; none: for ever.
	Timeout time.Duration `yaml:"timeout" none:"true"`
	// MaxAttempts counts the first try: 4 means 1 try + 3 retries.
	MaxAttempts int64 `yaml:"max_attempts" unit:"count" unlimited:"true" default:"1" least:"1"`
	// MaxElapsed forbids a retry that would start later than this after the
	// request began.
	MaxElapsed time.Duration `yaml:"max_elapsed" none:"true"`
	// ElapsedCheck says which time max_elapsed looks at: the time gone when the
	// attempt has failed (before-wait: the coming wait may overshoot), or when
	// the retry would start (after-wait).
	ElapsedCheck string `yaml:"elapsed_check" enum:"before-wait,after-wait" default:"after-wait"`
	// Deadline is when the whole request has failed, from its start: attempts
	// are cut off there and no retry starts then or later.
	Deadline time.Duration `yaml:"deadline" none:"true"`
	// RetryOn lists the outcomes worth another attempt: timeout, refused,
	// reset, rejected (by the caller's own breaker or limiter), a status such
	// as 409, a class such as 5xx, transient or any.
	RetryOn []string `yaml:"retry_on" default:"[transient]" format:"outcome" least:"1"`
	// IdempotentOnly: calls that are not idempotent are retried only when they
	// surely did nothing (refused, rejected).
	IdempotentOnly bool `yaml:"idempotent_only" default:"false"`
	// SlowerThan: only attempts that took longer are retried.
	SlowerThan time.Duration `yaml:"slower_than" none:"true"`
	// FasterThan: only attempts that took less are retried.
	FasterThan time.Duration `yaml:"faster_than" none:"true"`
	// Backoff is the wait before each retry.
	Backoff Backoff `yaml:"backoff"`
	// BackoffOn gives some outcomes a wait of their own, such as 429. The first
	// entry that names the outcome holds. Here none, or {}, takes away those that
	// the policy starts with.
	BackoffOn []BackoffOn `yaml:"backoff_on" format:"outcome" none:"true"`
	// RetryAfter says what becomes of a wait that the server asks for.
	RetryAfter RetryAfter `yaml:"retry_after"`
	// Budget limits retries.
	Budget *Budget `yaml:"budget" none:"true"`
	// Breaker stops calls after failures, for a while.
	Breaker *Breaker `yaml:"breaker" none:"true"`
	// Hedge sends extra calls while the first is still in flight.
	Hedge *Hedge `yaml:"hedge" none:"true"`
	// Limiter holds attempts back before they are sent.
	Limiter *Limiter `yaml:"limiter" none:"true"`
	// LateAnswers says whether an answer to an attempt already given up is
	// dropped (ignore) or completes the request if it is still alive (accept).
	LateAnswers string `yaml:"late_answers" enum:"ignore,accept" default:"ignore"`
	// Cancel says what giving up on a call does to it: nothing (never), it
	// leaves the queue (queued), or it also frees its worker (running). The
	// message takes as long as the call itself did.
	Cancel string `yaml:"cancel" enum:"never,queued,running" default:"never"`
	// Propagate lets calls carry the deadline of what they are made for: the
	// earliest of the request's, of the attempt's timeout, and of the one that the
	// caller was given itself. A caller that was given one gives up then, and does
	// not retry past it.
	Propagate bool `yaml:"propagate" default:"false"`
	// AvoidFailed makes a retry ask another replica than the one that failed.
	AvoidFailed bool `yaml:"avoid_failed" default:"false"`
	// DeadLetter is the queue that calls go to when they are given up.
	DeadLetter string `yaml:"dead_letter" format:"name" none:"true"`
}

// Backoff describes the wait before retry k = 1, 2, ...:
// x = min(cap, base * factor^(k-1+first_exponent)), then jitter by kind.
//
// The kind custom is made of axes, in this order: what x grows like (growth),
// the cap on x (cap_on), the shape of the jitter, the cap on the wait, the
// least wait (min), rounding. All other kinds are short for some of them.
type Backoff struct {
	// Kind is the strategy; none means retry at once.
	Kind string `yaml:"kind" default:"none"`
	// Base is the first wait before jitter.
	Base time.Duration `yaml:"base" default:"100ms"`
	// Cap is the largest wait before jitter (custom: see cap_on).
	Cap time.Duration `yaml:"cap" none:"true"`
	// Factor is how much the wait grows from one retry to the next; at least 1.
	Factor float64 `yaml:"factor" unit:"factor" default:"2" least:"1"`
	// FirstExponent is the exponent of the first retry; the public AWS simulator uses 1.
	FirstExponent int64 `yaml:"first_exponent" unit:"count" default:"0"`
	// FirstRepeats is how many more retries have the exponent of the first.
	FirstRepeats int64 `yaml:"first_repeats" unit:"count" default:"0"`
	// Lo is the lower end of proportional-jitter: U(lo*x, hi*x).
	Lo float64 `yaml:"lo" unit:"factor" default:"0.5"`
	// Hi is the upper end of proportional-jitter.
	Hi float64 `yaml:"hi" unit:"factor" default:"1"`
	// Spread is the width of additive-jitter: x + U(0, spread).
	Spread time.Duration `yaml:"spread" default:"100ms"`
	// Waits are the waits of schedule, in order, at most 64; the last one holds for ever.
	Waits []time.Duration `yaml:"waits" least:"1"`

	// Growth is what x grows like: constant (base), power (base*factor^n, n =
	// k-1+first_exponent), power-minus-one (base*(factor^n - 1)), polynomial
	// (offset + base*n^degree), fibonacci (base * 1, 2, 3, 5, ...), walk (from
	// the wait before: U(lo*base or lo*previous, hi*previous)), or polly
	// (differences of 2^t tanh(sqrt(4t)) at t = k-1+U, times base/1.4).
	Growth string `yaml:"growth" enum:"constant,power,power-minus-one,polynomial,fibonacci,walk,polly" default:"power"`
	// Degree is the exponent of polynomial.
	Degree int64 `yaml:"degree" unit:"count" default:"1" least:"1"`
	// Offset is the constant term of polynomial.
	Offset time.Duration `yaml:"offset" default:"0s"`
	// LoOf is what lo multiplies in a walk.
	LoOf string `yaml:"lo_of" enum:"base,previous" default:"base"`
	// FirstLo and FirstHi are the range of a walk's first wait, times base.
	FirstLo float64 `yaml:"first_lo" unit:"factor" default:"1"`
	FirstHi float64 `yaml:"first_hi" unit:"factor" default:"1"`
	// HiGrows multiplies a walk's hi by factor^k, k the number of the retry before.
	HiGrows bool `yaml:"hi_grows" default:"false"`
	// First is the wait before the first retry, exactly; left out: no exception.
	// The second is as if the first had had its own; a walk begins after it.
	First *time.Duration `yaml:"first" optional:"true"`
	// Jitter is the shape of the random part, with d the wait so far: none;
	// full U(0, d); equal U(d/2, d); factor U(lo*d, hi*d); add d + U(0, spread);
	// plus-minus d + U(-spread, spread); above U(from, d).
	Jitter string `yaml:"jitter" enum:"none,full,equal,factor,add,plus-minus,above" default:"none"`
	// From is the lower end of the jitter above.
	From time.Duration `yaml:"from" default:"0s"`
	// SpreadGrows multiplies spread by k.
	SpreadGrows bool `yaml:"spread_grows" default:"false"`
	// Values is how many values the jitter takes, equally far apart, both ends
	// included; unlimited: all.
	Values int64 `yaml:"values" unit:"count" unlimited:"true" default:"unlimited" least:"2"`
	// Widen is added to the upper end of the range that the jitter draws from.
	Widen time.Duration `yaml:"widen" default:"0s"`
	// CapOn is where the cap acts: on x (before the jitter), on the wait
	// (after), on both, or on x from the second retry on (state: the first is
	// not capped, and jitter may pass the cap).
	CapOn string `yaml:"cap_on" enum:"before,after,both,state" default:"before"`
	// AtCap is what happens at the cap besides: nothing (continue); stop-jitter:
	// when x (a walk: the upper end) is above it the wait is exactly cap; half:
	// when the jittered wait is above it, it is drawn anew from U(cap/2, cap);
	// stay: x stays at its first value that is not below the cap; end: there is
	// no retry k when the x of retry k+1 is above it.
	AtCap string `yaml:"at_cap" enum:"continue,stop-jitter,half,stay,end" default:"continue"`
	// Min is the least wait.
	Min time.Duration `yaml:"min" default:"0s"`
	// Round is how waits become multiples of unit. A draw rounded down never was
	// the upper end of its range, one rounded up never the lower end.
	Round string `yaml:"round" enum:"none,down,nearest,up" default:"none"`
	// Unit is what waits are rounded to.
	Unit time.Duration `yaml:"unit" default:"1ms" above:"0"`
	// RoundSteps rounds x of power down to unit at every step, so that errors add up.
	RoundSteps bool `yaml:"round_steps" default:"false"`
	// Overflow is what becomes of waits too long for the library's own number:
	// saturate; at-once (x, before any cap, wraps above 2^63-1 ns: no wait at
	// all); timer (a wait above 2^31-1 ms fires after 1 ms).
	Overflow string `yaml:"overflow" enum:"saturate,at-once,timer" default:"saturate"`
	// Steps is how many waits there are; there is no retry after the last.
	Steps int64 `yaml:"steps" unit:"count" unlimited:"true" default:"unlimited" least:"1"`
	// Sorted puts the waits of one request, all steps of them (at most 64), in
	// ascending order.
	Sorted bool `yaml:"sorted" default:"false"`
}

// Kinds lists the strategies with their fields; the first field is the main
// value of the one-line form.
func (Backoff) Kinds() [][]string {
	return [][]string{
		{"none", ""},
		{"fixed", "base", "cap"},
		{"linear", "base", "cap", "first_exponent"},
		{"exponential", "base", "cap", "factor", "first_exponent"},
		{"full-jitter", "base", "cap", "factor", "first_exponent"},
		{"equal-jitter", "base", "cap", "factor", "first_exponent"},
		{"decorrelated-jitter", "base", "cap"},
		{"proportional-jitter", "base", "cap", "factor", "first_exponent", "lo", "hi"},
		{"additive-jitter", "base", "cap", "factor", "first_exponent", "spread"},
		{"schedule", "", "waits", "steps"},
		{
			"custom", "base", "cap", "factor", "first_exponent", "first_repeats", "lo", "hi", "spread",
			"growth", "degree", "offset", "lo_of", "first_lo", "first_hi", "hi_grows", "first",
			"jitter", "from", "spread_grows", "values", "widen", "cap_on", "at_cap", "min",
			"round", "unit", "round_steps", "overflow", "steps", "sorted",
		},
	}
}

// BackoffOn is the wait after one outcome.
type BackoffOn struct {
	// Outcome is a word of retry_on.
	Outcome string `yaml:",name"`
	Backoff `yaml:",inline"`
}

// RetryAfter describes what a caller makes of the wait that a server asks for.
type RetryAfter struct {
	// Kind is the rule, with t the caller's own wait: ignore; floor (at least
	// what is asked); replace; add (t plus it); band (it, held within [t, t +
	// width]); required (as replace, and no retry when nothing is asked).
	Kind string `yaml:"kind" default:"ignore"`
	// Answers lists the outcomes on which it is read.
	Answers []string `yaml:"answers" default:"[429, 503]" format:"outcome" least:"1"`
	// Forms lists the forms that are understood: seconds, date, ms.
	Forms []string `yaml:"forms" default:"[seconds, date]" enum:"seconds,date,ms" least:"1"`
	// Cap is the longest wait that is accepted as asked.
	Cap time.Duration `yaml:"cap" none:"true"`
	// TooLong says what to do above the cap: wait for the cap (cut), no retry
	// (give-up), or as if nothing had been asked (ignore).
	TooLong string `yaml:"too_long" enum:"cut,give-up,ignore" default:"cut"`
	// Width is the width of the band.
	Width time.Duration `yaml:"width" default:"5s"`
	// Jitter adds U(0, jitter) of what is asked to it.
	Jitter float64 `yaml:"jitter" unit:"share" default:"0%"`
	// Centred makes the jitter U(-jitter, jitter).
	Centred bool `yaml:"centred" default:"false"`
	// Restart makes the backoff begin again after a wait that was asked for.
	Restart bool `yaml:"restart" default:"false"`
}

// Kinds lists the rules with their fields.
func (RetryAfter) Kinds() [][]string {
	return [][]string{
		{"ignore", ""},
		{"floor", "", "cap", "too_long", "jitter", "centred", "restart", "answers", "forms"},
		{"replace", "", "cap", "too_long", "jitter", "centred", "restart", "answers", "forms"},
		{"add", "", "cap", "too_long", "jitter", "centred", "restart", "answers", "forms"},
		{"band", "width", "cap", "too_long", "jitter", "centred", "restart", "answers", "forms"},
		{"required", "", "cap", "too_long", "jitter", "centred", "restart", "answers", "forms"},
	}
}
