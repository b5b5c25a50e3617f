package sim

import (
	"time"

	"retrystorm/strategies"
)

// Record is what one replication observed. It holds integers only; statistics
// are made of it in package experiment. Requests that started before the
// warm-up count nowhere except in the timeline and the bins, which show the
// run as it was.
type Record struct {
	Requests   int64 // started
	Succeeded  int64
	Good       int64 // succeeded within the SLO (all successes when there is none)
	Failed     int64 // gave up
	Unfinished int64 // alive when the run ended
	// FinishedAt is when the last request ended; meaningless while Unfinished > 0.
	FinishedAt time.Duration
	// Done99 is when 99 % of all requests had succeeded, if every group is a
	// burst, so that their number is known; Never otherwise, and if they did not.
	Done99 time.Duration
	// Completion holds the completion times of the requests that succeeded.
	Completion Times
	// Services, Groups and Hops are in the model's order. After the groups come
	// their classes, named group/class; their requests count in the group too.
	// Hops are first those of the groups, then those of the services, then those
	// of classes with steps of their own; each step's layers outermost first.
	Services []ServiceRecord
	Groups   []GroupRecord
	Hops     []HopRecord
	// Slices are in the model's order.
	Slices []SliceRecord `json:",omitempty"`
	// Queues are in the model's order, of the services that are queues.
	Queues []QueueRecord `json:",omitempty"`
	// Actions are in the model's order.
	Actions []ActionRecord `json:",omitempty"`
	// Dead are the messages that died, if asked for, in the order of their deaths.
	Dead []DeadLetter `json:",omitempty"`

	// EndedAt is the time of the last event; Until when the run was cut there
	// or another request would have started then or later.
	EndedAt time.Duration
	// HasTrigger says whether there was one; TriggerEnd is when the last ended.
	HasTrigger   bool
	TriggerStart time.Duration
	TriggerEnd   time.Duration
	// LastArrival is when the last request started.
	LastArrival time.Duration
	// Bins are seconds of the run, aligned at 0, up to the last event.
	Bins []Bin
	// Row is the width of a timeline row: a power of two times the window, so
	// that no service has more than 600.
	Row time.Duration
	// Events is how many events ran.
	Events int64
}

// Never is the time of what does not happen.
const Never = time.Duration(1<<63 - 1)

// Cause is why a call was made.
type Cause uint8

// The causes.
const (
	First        Cause = iota // the first attempt
	AfterTimeout              // a retry, by what happened to the attempt before
	AfterRefused
	AfterReset
	AfterStatus
	AfterRejected
	Hedged     // sent while another attempt is in flight
	Redelivery // by a queue
	Redriven   // from a dead-letter queue
	Resent     // by an operator, who sends a failed request again
	Repeated   // by a batch that runs again
	Causes     // how many there are
)

func (c Cause) String() string {
	switch c {
	case First:
		return "first"
	case AfterTimeout:
		return "timeout"
	case AfterRefused:
		return "refused"
	case AfterReset:
		return "reset"
	case AfterStatus:
		return "status"
	case AfterRejected:
		return "rejected"
	case Hedged:
		return "hedge"
	case Redelivery:
		return "redelivery"
	case Redriven:
		return "redrive"
	case Resent:
		return "resend"
	case Repeated:
		return "rerun"
	default:
		return "unknown"
	}
}

// Bin is one second of a run.
type Bin struct {
	Started    int64 // requests
	Succeeded  int64
	Unfinished int64 // at the end of the second
}

// ServiceRecord is what one service saw.
type ServiceRecord struct {
	Calls   int64 // reached it, whatever was answered
	Retries int64 // of them, attempts after the first, and hedges
	// Causes splits Calls.
	Causes [Causes]int64
	Reads  int64 // read round trips of optimistic writers; not calls
	// Answers given, by kind; what got no answer at all is Silent.
	Succeeded int64
	Refused   int64
	Reset     int64
	Silent    int64
	Status    int64 // 4xx and 5xx
	Inside    int64 // unanswered when the run ended
	Crashes   int64
	// The largest number of calls that arrived in one window; after: windows
	// that start at or after the end of the last trigger.
	PeakCalls, PeakRetries, PeakAfter int64
	// Busy is the service time given to the end; Wasted the part of it whose
	// caller had stopped waiting by then.
	Busy, Wasted Sum
	// Blocked is how long all usable workers at once were waiting for others.
	Blocked time.Duration
	// Expired is how many calls were dropped or refused because their caller had
	// left, or would leave before it could be answered.
	Expired  int64
	Effects  Effects
	Timeline []Row
}

// Effects is how often the work of requests was done, where that is counted.
type Effects struct {
	Done     int64 // side effects
	Requests int64 // that had at least one
	// Duplicates are the others, by what made the call that did it again.
	Duplicates [Causes]int64
	Replayed   int64 // calls that got the stored answer of their own request
	Conflicts  int64 // calls that got 409 instead
	// Swallowed are calls that were answered by the key of another request: their
	// own work was not done.
	Swallowed int64
}

// QueueRecord is what became of the messages of a queue. Sent is Done + Dead +
// Lost + Left + Redriven.
type QueueRecord struct {
	Name       string
	Sent       int64 // messages stored, those that were redriven into it included
	Deliveries int64
	Done       int64         // messages that were worked on
	Dead       int64         // after max_receives
	Lost       int64         // after retention
	Redriven   int64         // taken out by a redrive
	Left       int64         // there when the run ended
	Oldest     time.Duration // age of the oldest of those
	// Delay is how long the messages that were worked on had been there.
	Delay Times
	// Reasons are why the messages came, if it is a dead-letter queue, in the
	// order of outcomes.
	Reasons []Reason
}

// Reason is how many messages came to a dead-letter queue for one reason.
type Reason struct {
	Outcome strategies.Outcome // of the last attempt
	Why     strategies.GiveUp
	Count   int64
}

// DeadLetter is a message in a dead-letter queue.
type DeadLetter struct {
	Queue, From     string // the dead-letter queue; the queue or caller it comes from
	Group           string
	Client, Request int64  // from 0
	To              string // the service that could not do it
	Outcome         strategies.Outcome
	Why             strategies.GiveUp
	Attempts        int64
	Started         time.Duration // when the request started
	First, Last     time.Duration // failure
	Trace, Payload  uint64        // the request's key, and that of what it carries
}

// ActionRecord is what came of an action.
type ActionRecord struct {
	Name string
	// Requests, or messages, that were sent again.
	Sent, Succeeded, Failed, Unfinished int64
	// EndedAt is when the last one ended; Never while some are unfinished.
	EndedAt time.Duration
	// Outage is how long, in seconds after it began, fewer than 90 % of the new
	// requests were served.
	Outage int64
}

// Row is one row of a service's timeline. The areas are integrals over the
// row, in units of one call (or worker) for one nanosecond.
type Row struct {
	Arrivals  int64 // calls
	Retries   int64
	Causes    [Causes]int64 // splits Arrivals
	Succeeded int64         // good answers to callers that still waited
	Wasted    int64         // good answers to callers that had left
	Failed    int64         // other answers, and calls that got none
	InService Sum
	Waiting   Sum
	Capacity  Sum // usable workers; 0 when unlimited
}

// GroupRecord is what became of the requests of one group.
type GroupRecord struct {
	Name       string
	Requests   int64
	Succeeded  int64
	Good       int64
	Failed     int64
	Unfinished int64
	// Completion is kept where there are several groups or classes; else it is the
	// run's.
	Completion Times
}

// HopRecord is what happened on one hop, caller to service, under one policy.
// A step with several policies in one caller has a hop for each layer; only
// the calls of the innermost reach the service.
type HopRecord struct {
	From, To string // names; From is the group, the class or the calling service
	Policy   string // empty for a policy written in place, and for none
	Layer    int    // 0 for the only or the outermost one
	Inner    bool   // the calls of this layer reach the service
	Requests int64  // first attempts
	Calls    int64  // attempts sent
	// Causes splits Calls; Withheld counts the attempts that were not made, by
	// reason (Retry is not one).
	Causes    [Causes]int64
	Withheld  [strategies.GiveUps]int64
	Succeeded int64
	Timeouts  int64
	Refused   int64
	Reset     int64
	Status    int64
	Skipped   int64 // steps that requests did without
	// Busy is the service time that its calls were given; Wasted the part of it
	// whose caller had stopped waiting by then.
	Busy, Wasted Sum
	Late         int64 // answers that came after the caller had given up
	GaveUp       int64 // series of attempts that ended in failure
}
