package scenarios

import (
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// Scenario is a scenario file, decoded, merged and validated.
type Scenario struct {
	// Name appears in every output.
	Name string `yaml:"name" format:"name"`
	// Title is shown on reports.
	Title string `yaml:"title" optional:"true"`
	// Source says where the numbers come from.
	Source string `yaml:"source" optional:"true"`
	// Assumed lists the paths of values that no source gives.
	Assumed []string `yaml:"assumed"`
	// Seed is the one number all randomness derives from.
	Seed int64 `yaml:"seed" unit:"count" default:"1"`
	// Replications is how many independent runs each point gets.
	Replications int64 `yaml:"replications" unit:"count" min:"1" default:"20"`
	// Until is the virtual end of a run; endless arrivals run to here.
	Until time.Duration `yaml:"until" default:"10m"`
	// Window is the width of the windows of peak load, aligned at 0.
	Window time.Duration `yaml:"window" default:"100ms"`
	// Warmup: requests started before it count nowhere.
	Warmup time.Duration `yaml:"warmup" default:"0s"`
	// SLO: a success later than this is not goodput.
	SLO time.Duration `yaml:"slo" none:"true"`
	// Trigger is what recovery is measured from, when it is neither a fault
	// nor a spike of a profile.
	Trigger *sim.Trigger `yaml:"trigger" none:"true"`
	// Target is the service whose load is reported first; by default the only
	// one that calls nobody.
	Target string `yaml:"target" optional:"true"`
	// Clients are the group that makes the requests.
	Clients Group `yaml:"clients" required:"true"`
	// Services are the places in the call path.
	Services []Service `yaml:"services" required:"true"`
	// Policies are retry policies by name.
	Policies []Policy `yaml:"policies"`
	// Variants are named sets of overrides, compared with each other.
	Variants []Variant `yaml:"variants"`
	// Sweep lists, per axis, the values to try; all axes form a grid.
	Sweep []Axis `yaml:"sweep"`
	// Expect lists what must hold at every matching point.
	Expect []string `yaml:"expect"`
}

// Group is a population of clients.
type Group struct {
	// Count is how many clients there are.
	Count int64 `yaml:"count" unit:"count" min:"1" default:"1"`
	// Arrival says when their requests start.
	Arrival random.Arrival `yaml:"arrival"`
	// Requests is how many each client makes; by default 1 for burst and
	// unlimited for the others.
	Requests *int64 `yaml:"requests" unit:"count" unlimited:"true"`
	// Calls lists whom a request calls, in order.
	Calls Steps `yaml:"calls" required:"true"`
	// Policy is for the steps that name none.
	Policy *PolicyRef `yaml:"policy" optional:"true"`
	// Network is the delay of one message, one way, for the steps that name none.
	Network random.Dist `yaml:"network"`
}

// Service is a named place in the call path.
type Service struct {
	Name        string `yaml:",name"`
	server.Spec `yaml:",inline"`
	// Calls lists what it needs from other services, in order, after its own work.
	Calls Steps `yaml:"calls"`
	// Policy is for the steps that name none.
	Policy *PolicyRef `yaml:"policy" optional:"true"`
	// Network is the delay of one message, one way, for the steps that name none.
	Network random.Dist `yaml:"network"`
	// Blocking: the worker is held while the service waits for others.
	Blocking bool `yaml:"blocking" default:"true"`
	// Expired says what happens to work whose caller has left.
	Expired string `yaml:"expired" enum:"serve" default:"serve"`
}

// Steps is a service name, a step, or a list of them.
type Steps []Step

// Step is one hop: a call, with retries, to a service.
type Step struct {
	// To is the service that is called.
	To string `yaml:"to"`
	// Name is the step's address in paths; by default the service's name.
	Name string `yaml:"name" optional:"true"`
	// Policy is the caller's policy on this hop.
	Policy *PolicyRef `yaml:"policy" optional:"true"`
	// Network is the delay of one message on this hop, one way.
	Network *random.Dist `yaml:"network" optional:"true"`
}

// PolicyRef is the name of a policy, or a policy written in place.
type PolicyRef struct {
	Name   string
	Inline *Policy
}

// Policy is a named retry policy.
type Policy struct {
	Name string `yaml:",name"`
	// Extends starts from another policy: maps merge, scalars and lists replace.
	Extends           string `yaml:"extends" optional:"true"`
	strategies.Policy `yaml:",inline"`
}

// Variant is a named set of overrides.
type Variant struct {
	Name string
	Set  []Override
}

// Override replaces the value at a path.
type Override struct {
	Path  string
	Value Value
}

// Axis is one axis of a sweep: a path with its values, or a label whose values
// are sets of overrides that move together.
type Axis struct {
	Name   string
	Values []AxisValue
}

// AxisValue is one value of an axis: how it is shown, and what it overrides.
type AxisValue struct {
	Text string
	Set  []Override
}

// Value is a parsed YAML value with its position.
type Value struct{}
