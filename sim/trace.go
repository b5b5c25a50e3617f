package sim

import (
	"fmt"
	"time"

	"retrystorm/server"
	"retrystorm/strategies"
)

// TraceKind is what happened.
type TraceKind uint8

// What can happen to a request, and to a station.
const (
	TraceStarted      TraceKind = iota // a client starts a request
	TraceArrived                       // a call reaches a service, which decides (Fate)
	TraceServing                       // a service starts its own work for a call
	TraceServed                        // a service has finished its own work for a call
	TraceAnswer                        // an answer reaches the caller that waits for it
	TraceLate                          // an answer reaches a caller that has left
	TraceLateAccepted                  // an answer to an attempt given up completes the request
	TraceTimedOut                      // a caller stops waiting for an attempt
	TraceRetry                         // a caller will try again after Wait
	TraceGaveUp                        // a caller will not try again
	TraceSucceeded                     // a request has succeeded
	TraceFailed                        // a request has failed
	TraceStation                       // a station's state has changed
	TraceWithheld                      // an attempt is not sent
	TraceCancelled                     // a service lets go of a call whose caller has left
	TraceExpired                       // a service does not serve a call because it is too late
	TraceStored                        // a queue stores a message
	TraceDelivered                     // a consumer begins to work on a message, for the Attempt-th time
	TraceDead                          // a message is dead, or a call that is given up is stored as one, after Attempt attempts
	TraceLost                          // a message is too old
	TraceRedriven                      // a dead message is sent again
)

// TraceEvent is one event in the life of a request or, with an empty Group, of
// a station.
type TraceEvent struct {
	At       time.Duration
	Kind     TraceKind
	Group    string
	Client   int64 // from 0
	Request  int64 // of the client, from 0
	From, To string
	Layer    string // the policy, where a caller has several in layers
	Attempt  int64
	Fate     server.Fate
	Answer   server.Answer
	Wait     time.Duration
	Why      strategies.GiveUp
	State    string // of a station
	Replica  uint32 // from 1, of a service that has several
	Call     uint64 // tells calls apart, of what is about one
	Cause    Cause  // why the call was made
}

// String is the event as one line of text.
func (e TraceEvent) String() string {
	at := fmt.Sprintf("t=%.9fs", e.At.Seconds())
	if e.Kind == TraceStation {
		return fmt.Sprintf("%s station %s%s: %s", at, e.To, e.replica(), e.State)
	}
	who := fmt.Sprintf("%s %s %d request %d", at, e.Group, e.Client+1, e.Request+1) // people count from 1
	layer := ""
	if e.Layer != "" {
		layer = " (" + e.Layer + ")"
	}
	hop := fmt.Sprintf("%s: %s > %s%s attempt %d", who, e.From, e.To, layer, e.Attempt)
	switch e.Kind {
	case TraceStarted:
		return who + ": started"
	case TraceArrived:
		return hop + " arrives" + e.replica() + ", " + e.fate()
	case TraceServing:
		return hop + " in service"
	case TraceServed:
		return hop + " served"
	case TraceAnswer:
		return hop + " answered " + e.Answer.String()
	case TraceLate:
		return hop + " answered " + e.Answer.String() + ", but nobody waits any more"
	case TraceLateAccepted:
		return hop + " answered " + e.Answer.String() + " late, and accepted"
	case TraceTimedOut:
		return hop + " timed out"
	case TraceRetry:
		return fmt.Sprintf("%s failed, next in %v", hop, e.Wait)
	case TraceGaveUp:
		return fmt.Sprintf("%s failed, gives up: %s", hop, e.Why)
	case TraceWithheld:
		return fmt.Sprintf("%s not sent: %s", hop, e.Why)
	case TraceCancelled:
		return hop + " cancelled"
	case TraceExpired:
		return hop + " is too late"
	case TraceStored:
		return hop + " stored"
	case TraceDelivered:
		return fmt.Sprintf("%s: %s > %s delivery %d", who, e.From, e.To, e.Attempt)
	case TraceDead:
		if e.To == "" {
			return fmt.Sprintf("%s: %s dead after attempt %d, and lost", who, e.From, e.Attempt)
		}
		return fmt.Sprintf("%s: %s > %s dead after attempt %d", who, e.From, e.To, e.Attempt)
	case TraceLost:
		return fmt.Sprintf("%s: %s too old, lost", who, e.From)
	case TraceRedriven:
		return fmt.Sprintf("%s: %s > %s redriven", who, e.From, e.To)
	case TraceSucceeded:
		return who + ": succeeded"
	default:
		return who + ": failed"
	}
}

func (e TraceEvent) replica() string {
	if e.Replica == 0 {
		return ""
	}
	return fmt.Sprintf(" at replica %d", e.Replica)
}

func (e TraceEvent) fate() string {
	if e.Fate == server.Answered {
		return "answered " + e.Answer.String()
	}
	return e.Fate.String()
}

func (r *Runner) traceTask(t *task, k TraceKind) {
	r.trace(r.taskEvent(t, k))
}

func (r *Runner) taskEvent(t *task, k TraceKind) TraceEvent {
	e := TraceEvent{At: r.now, Kind: k, Client: int64(t.client), Request: int64(t.request)}
	e.Group = r.model.Groups[t.origin.group()].Name
	if k != TraceStarted && k != TraceSucceeded && k != TraceFailed {
		h := r.hopNames[t.hop]
		e.From, e.To, e.Layer, e.Attempt = h.From, h.To, h.layer(), int64(t.attempt)
	}
	return e
}

// layer names the hop's policy if it is one of several layers.
func (h *HopRecord) layer() string {
	if h.Layer == 0 && h.Inner {
		return ""
	}
	return h.Policy
}

func (r *Runner) traceRetry(t *task, wait time.Duration) {
	e := r.taskEvent(t, TraceRetry)
	e.Wait = wait
	r.trace(e)
}

func (r *Runner) traceGaveUp(t *task, why strategies.GiveUp) {
	e := r.taskEvent(t, TraceGaveUp)
	e.Why = why
	r.trace(e)
}

func (r *Runner) traceWithheld(c *call, why strategies.GiveUp) {
	e := r.callEvent(c, TraceWithheld)
	e.Why = why
	r.trace(e)
}

func (r *Runner) callEvent(c *call, k TraceKind) TraceEvent {
	h := r.hopNames[c.hop]
	return TraceEvent{
		At: r.now, Kind: k, Group: r.model.Groups[c.origin.group()].Name,
		Client: int64(c.client), Request: int64(c.request),
		From: h.From, To: h.To, Layer: h.layer(), Attempt: int64(c.attempt), Answer: c.answer,
		Call: uint64(c.key), Cause: c.cause,
	}
}

func (r *Runner) traceCall(c *call, k TraceKind) { r.trace(r.callEvent(c, k)) }

func (r *Runner) traceArrival(i uint32, c *call, d server.Decision) {
	e := r.callEvent(c, TraceArrived)
	if r.places[r.hops[c.hop].to].stations != nil {
		e.Replica = r.extras.at(i).call.replica
	}
	e.Fate, e.Answer = d.Fate, d.Answer
	r.trace(e)
}

func (r *Runner) traceStation(service, replica int) {
	s := &r.places[service].replicas[replica]
	e := TraceEvent{At: r.now, Kind: TraceStation, To: r.model.Services[service].Name}
	if len(r.places[service].replicas) > 1 {
		e.Replica = uint32(replica) + 1
	}
	if a, down := s.Down(); down {
		e.State = "down, answers " + a.String()
	} else if n := s.Usable(); n == server.Unlimited {
		e.State = "up"
	} else {
		e.State = fmt.Sprintf("up, %d workers", n)
	}
	if share := s.Admit(); share < 1 {
		e.State += fmt.Sprintf(", lets in %.4g%%", share*100)
	}
	r.trace(e)
}
