package sim

import (
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
	Trigger  *Trigger
	Target   int // index of the service whose load is reported first
	Groups   []Group
	Services []Service
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
	Steps     []Step // whom a request calls, in order; it succeeds when all do
}

// Step is one hop of a path: a call, with retries, from a caller to a service.
type Step struct {
	Name string
	To   int // index into Services
	// Policies are layers inside one caller, the outermost first; none: one
	// attempt.
	Policies []*Policy
	// Idempotent: doing it twice does no harm.
	Idempotent bool
	Network    random.Dist // one way, drawn per message
}

// Service is a place in the call path.
type Service struct {
	Name string
	Spec server.Spec
	// Drop: a call whose caller has left is dropped when its turn comes.
	Drop bool
	// Steps are called after the service's own work, holding the worker.
	Steps []Step
}
