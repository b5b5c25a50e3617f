package sim

import (
	"iter"
	"time"

	"retrystorm/server"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// Model is one point of an experiment, ready to run: plain data, names
// resolved to indexes.
type Model struct {
	Until  time.Duration // virtual end; events at Until do not run
	Window time.Duration // width of the windows of peak load, aligned at 0
	Warmup time.Duration // requests started before count nowhere
	SLO    time.Duration // a success later than this is not goodput; 0: none
	// Trigger is what recovery is measured from besides faults and spikes.
	Trigger *Trigger
	Target  int // index of the service whose load is reported first
	Groups  []Group
	// Services are the services, and after them the queues.
	Services []Service
	// Actions are what operators do.
	Actions []Action
	// Slices are intervals with counters of their own; mostly there are none.
	Slices []Slice
}

// Policy is a policy and its name, if it has one. Steps that point to the same
// one share its state: budgets, breakers, limiters.
type Policy struct {
	Name string
	strategies.Policy
}

// Trigger is a disturbance that is neither a fault nor a spike of a profile.
type Trigger struct {
	// At is when it starts.
	At time.Duration `yaml:"at" default:"0s"`
	// For is how long it lasts.
	For time.Duration `yaml:"for" default:"0s"`
}

// Group is a population of clients.
type Group struct {
	Name  string
	Count int64 // clients
	// Processes is in how many processes they live, which is who shares state.
	Processes int64
	Requests  int64 // per client; Unlimited
	Arrival   random.Arrival
	// Cost multiplies the service times of its requests everywhere; 0 is 1.
	Cost float64
	// Classes are kinds of requests; mostly there are none. Each request is of
	// one of them, at random.
	Classes []Class
	Steps   []Step // whom a request calls, in order; it succeeds when all do
}

// Class is a kind of requests of a group.
type Class struct {
	Name  string
	Share float64 // of the group's requests; together they are 1
	Cost  float64 // multiplies the group's; 0 is 1
	Steps []Step  // instead of the group's
}

// Step is one hop of a path: a call, with retries, from a caller to a service;
// or several at once; or, of a service, its own work.
type Step struct {
	Name string
	To   int // index into Services
	// Policies are layers inside one caller, the outermost first; none: one
	// attempt.
	Policies []*Policy
	// Idempotent: doing it twice does no harm.
	Idempotent bool
	Network    random.Dist // one way, drawn per message
	// Skip is the share of requests that do without it.
	Skip float64
	// Optional: its failure is ignored.
	Optional bool
	// Work stands for the service's own work, in its place among the steps; then
	// nothing else is said. Without one the work comes first.
	Work bool
	// Parallel are steps that begin at once; Need of them must succeed, and then
	// the others are not waited for. Then there is no To.
	Parallel []Step
	Need     int
}

// Calls are the steps that call a service, those within parallel ones included.
func Calls(steps []Step) iter.Seq[*Step] {
	return func(yield func(*Step) bool) { eachCall(steps, yield) }
}

func eachCall(steps []Step, yield func(*Step) bool) bool {
	for i := range steps {
		s := &steps[i]
		switch {
		case s.Work:
		case len(s.Parallel) > 0:
			if !eachCall(s.Parallel, yield) {
				return false
			}
		default:
			if !yield(s) {
				return false
			}
		}
	}
	return true
}

// Service is a place in the call path: a service, or a queue.
type Service struct {
	Name string
	Spec server.Spec
	// Expired says what happens to work whose caller has left.
	Expired Expired
	// Async: the worker is free while the service waits for others.
	Async bool
	// Effects: it is counted how often the work of each request is done.
	Effects bool
	// Inbox is how it finds out that it has done a call's work before.
	Inbox server.Inbox
	// Steps are called after the service's own work, or around it.
	Steps []Step
	// Backlog is set for a queue, which has no work of its own; its only step, if
	// there is one, is what its consumers do with a message.
	Backlog *server.Backlog
}

// Expired says what happens to work whose caller has left.
type Expired struct {
	// Kind is what: it is done (serve); it is dropped when its turn comes (drop);
	// or it is refused, when it comes and when its turn comes, if by the deadline
	// that the call carries it cannot be done (refuse).
	Kind string `yaml:"kind" default:"serve"`
	// Time is how long a worker is busy refusing; 0: refusing costs nothing.
	Time time.Duration `yaml:"time" default:"0s"`
}

// Kinds lists the kinds of Expired with their fields.
func (Expired) Kinds() [][]string {
	return [][]string{{"serve", ""}, {"drop", ""}, {"refuse", "", "time"}}
}

// Action is what somebody does at a time.
type Action struct {
	Name string
	Kind ActionKind
	At   time.Duration
	// Place is the service, or queue, that it is about (redrive, set); Group the
	// group (resend, rerun), -1 for all.
	Place, Group int
	Pace         Pace // of redrive and resend
	// Only are the outcomes of the messages that are sent again, as in retry_on;
	// none: all.
	Only []string
	// Every is how many requests of a client make a restart point, which rerun
	// goes back to; 0: it begins again with the first.
	Every int64
	// Set is what is set to Value, linearly over a time.
	Set   Setting
	Value float64
	Over  time.Duration
}

// Pace is how fast something is done again.
type Pace struct {
	// Rate is how many a second; 0: all at once.
	Rate float64 `yaml:"rate" unit:"rate" none:"true"`
	// First is how many there are in the first batch; left out, all are one. The
	// next batch begins when the last one has ended.
	First int64 `yaml:"first" unit:"count" none:"true" least:"1"`
	// Grow multiplies the size of the batch as long as few fail; else it is
	// again that of the first.
	Grow float64 `yaml:"grow" unit:"factor" default:"2" least:"1"`
	// Failures is the share of a batch that may fail.
	Failures float64 `yaml:"failures" unit:"share" default:"5%"`
	// Pause is the wait before the next batch after one in which more failed.
	Pause time.Duration `yaml:"pause" default:"1m"`
}

// ActionKind is what somebody does.
type ActionKind uint8

// The kinds of Action.
const (
	// Redrive sends the messages of a queue to where they came from.
	Redrive ActionKind = iota
	// Resend makes the requests again that have failed so far.
	Resend
	// Rerun makes the clients of a group begin again.
	Rerun
	// Set changes a setting.
	Set
)

// Setting is what an action can set.
type Setting uint8

// The settings.
const (
	SetAdmit   Setting = iota // of a service: the share of calls that are let in
	SetWorkers                // of a service, of each replica
	SetRate                   // of a group's arrivals, as a factor
)
