package server

// Fate is what becomes of a call that reaches a station.
type Fate uint8

// The fates.
const (
	Answered Fate = iota // at once, with Decision.Answer
	Lost                 // nothing will ever come back
	Waits                // in the queue, until Next takes it
	Starts               // a worker begins with it now
	Crashes              // it kills the station: it and all calls inside end with Reset
)

func (f Fate) String() string {
	switch f {
	case Answered:
		return "answered"
	case Lost:
		return "lost"
	case Waits:
		return "waits"
	case Starts:
		return "starts"
	case Crashes:
		return "crashes"
	default:
		return "unknown"
	}
}

// Decision is what a station does with a call that arrives. The station
// forgets ErrorAfter and what goes with it: whoever keeps the call keeps that.
type Decision struct {
	Fate Fate
	// ErrorAfter says that the call, which waits or starts, will get the full
	// service and then fail with Answer (Silent: nothing comes back).
	ErrorAfter bool
	// Answer is what the caller gets; OK unless the call fails.
	Answer Answer
	// Asked is the wait that the answer asks for.
	Asked Hint
}

// answered is the decision not to serve a call.
func answered(a Answer, asked Hint) Decision {
	if a == Silent {
		return Decision{Fate: Lost, Answer: Silent}
	}
	return Decision{Fate: Answered, Answer: a, Asked: asked}
}

// strictness ranks answers: of two that apply the larger one wins.
func (a Answer) strictness() int {
	switch a {
	case OK:
		return 0
	case Refused:
		return 2
	case Silent:
		return 3
	default: // a status or a reset
		return 1
	}
}
