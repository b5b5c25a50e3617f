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
	MaxAttempts int64 `yaml:"max_attempts" unit:"count" unlimited:"true" default:"1"`
	// MaxElapsed forbids a retry that would start later than this after the
	// request began.
	MaxElapsed time.Duration `yaml:"max_elapsed" none:"true"`
	// RetryOn lists the outcomes worth another attempt: timeout, refused,
	// reset, a status such as 409, a class such as 5xx, transient or any.
	RetryOn []string `yaml:"retry_on" default:"[transient]"`
	// Backoff is the wait before each retry.
	Backoff Backoff `yaml:"backoff"`
	// LateAnswers says whether an answer to an attempt already given up is
	// dropped (ignore) or completes the request if it is still alive (accept).
	LateAnswers string `yaml:"late_answers" enum:"ignore,accept" default:"ignore"`
}

// Backoff describes the wait before retry k = 1, 2, ...:
// x = min(cap, base * factor^(k-1+first_exponent)), then jitter by kind.
type Backoff struct {
	// Kind is the strategy; none means retry at once.
	Kind string `yaml:"kind" default:"none"`
	// Base is the first wait before jitter.
	Base time.Duration `yaml:"base" default:"100ms"`
	// Cap is the largest wait before jitter.
	Cap time.Duration `yaml:"cap" none:"true"`
	// Factor is how much the wait grows from one retry to the next; at least 1.
	Factor float64 `yaml:"factor" unit:"factor" default:"2"`
	// FirstExponent is the exponent of the first retry; the public AWS simulator uses 1.
	FirstExponent int64 `yaml:"first_exponent" unit:"count" default:"0"`
	// Lo is the lower end of proportional-jitter: U(lo*x, hi*x).
	Lo float64 `yaml:"lo" unit:"factor" default:"0.5"`
	// Hi is the upper end of proportional-jitter.
	Hi float64 `yaml:"hi" unit:"factor" default:"1"`
	// Spread is the width of additive-jitter: x + U(0, spread).
	Spread time.Duration `yaml:"spread" default:"100ms"`
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
	}
}
