package server

import "time"

// Never is the wait of an answer that asks not to be tried again.
const Never time.Duration = 1 << 61

// longest is the longest other wait that an answer asks for, 36 years.
const longest = Never / 2

// Hint is the wait that an answer asks for, as the caller understands it.
type Hint struct {
	Wait time.Duration // 0 or more; Never: do not try again
	Form Form
	Set  bool // it asks for one
}

// Form is how a wait is written.
type Form uint8

// The forms. All are rounded up.
const (
	FormSeconds Form = iota // whole seconds
	FormDate                // the whole second at which it is over
	FormMillis              // whole ms
)

// written is the wait that somebody reads whose clock is right.
func (f Form) written(now, wait time.Duration) time.Duration {
	switch f {
	case FormDate:
		return roundUp(now+wait, time.Second) - now
	case FormMillis:
		return roundUp(wait, time.Millisecond)
	default:
		return roundUp(wait, time.Second)
	}
}

func roundUp(d, unit time.Duration) time.Duration {
	if rest := d % unit; rest > 0 {
		d += unit - rest
	}
	return d
}
