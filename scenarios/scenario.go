package scenarios

import (
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"
	"retrystorm/strategies"
)

// Scenario is what one point runs: decoded, merged and validated.
//
// Fields tagged whole belong to the experiment; variants and axes leave them alone.
type Scenario struct {
	// Name appears in every output.
	Name string `yaml:"name" format:"name" whole:"true"`
	// Title is shown on reports.
	Title string `yaml:"title" optional:"true" whole:"true"`
	// Source says where the numbers come from.
	Source string `yaml:"source" optional:"true" whole:"true"`
	// Assumed lists the paths of values that no source gives.
	Assumed []string `yaml:"assumed" whole:"true"`
	// Seed is the one number all randomness derives from.
	Seed int64 `yaml:"seed" unit:"count" default:"1" whole:"true"`
	// Replications is how many independent runs each point gets: a number, or
	// until a metric is precise enough.
	Replications Replications `yaml:"replications" default:"20" whole:"true"`
	// Until is the virtual end of a run; endless arrivals run to here.
	Until time.Duration `yaml:"until" default:"10m" above:"0"`
	// Window is the width of the windows of peak load, aligned at 0; left out, it is
	// 1s or 1m in runs of more than 10^6 windows.
	Window time.Duration `yaml:"window" default:"100ms" above:"0"`
	// Warmup: requests started before it count nowhere; auto: it is found from
	// what the run does.
	Warmup Warmup `yaml:"warmup" default:"0s"`
	// SLO: a success later than this is not goodput.
	SLO time.Duration `yaml:"slo" none:"true"`
	// Trigger is what recovery is measured from, when it is neither a fault
	// nor a spike of a profile.
	Trigger *sim.Trigger `yaml:"trigger" none:"true"`
	// Exchange is what one second of completion_p99 is worth in calls, as in 500/s.
	Exchange float64 `yaml:"exchange" unit:"rate" none:"true" whole:"true"`
	// Target is the service whose load is reported first; by default the only
	// one that calls nobody.
	Target string `yaml:"target" optional:"true" whole:"true"`
	// Clients are the group that makes the requests.
	Clients *Group `yaml:"clients" optional:"true"`
	// Groups are further groups; then clients may be left out.
	Groups []NamedGroup `yaml:"groups"`
	// Services are the places in the call path.
	Services []Service `yaml:"services" required:"true"`
	// Queues hold messages between those who send and the services that work on
	// them. They and the services have different names.
	Queues []Queue `yaml:"queues"`
	// Policies are retry policies by name.
	Policies []Policy `yaml:"policies"`
	// Actions are what operators do, and when.
	Actions []Action `yaml:"actions"`
	// Epoch is the date and time at which a run begins, where times are written as
	// such: in dead_letters.jsonl.
	Epoch string `yaml:"epoch" default:"2026-01-01T00:00:00Z" whole:"true"`
	// Counted are the services at which it is counted how often the work of each
	// request is done, the same at all points; see counted.go.
	Counted []string `yaml:"-"`
}

// Document is a scenario file: a scenario and what to compare.
type Document struct {
	Scenario `yaml:",inline"`
	// Variants are named sets of overrides (path: value), compared with each other; {} keeps the file as it is.
	Variants variantList `yaml:"variants" whole:"true"`
	// CompareTo is the variant that the others are compared with; by default the first.
	CompareTo string `yaml:"compare_to" format:"name" optional:"true" whole:"true"`
	// Sweep lists, per path, the values to try: a list, or a range such as 10..200 step 10, 10..10000 log 7 or 10%..90% linear 9; or, per label, named sets of overrides.
	Sweep axisList `yaml:"sweep" whole:"true"`
	// Design says how the axes of the sweep make points; by default a grid.
	Design Design `yaml:"design" whole:"true"`
	// Bisect looks for the value of one axis at which an expectation flips.
	Bisect *Bisection `yaml:"bisect" none:"true" whole:"true"`
	// Expect lists what must hold at every matching point, such as "completion_p99[full-jitter] < 60s".
	Expect []string `yaml:"expect" whole:"true"`
}

// Replications is how many independent runs each point gets.
type Replications struct {
	// Count is how many, whatever they come to.
	Count int64 `yaml:"count" unit:"count" min:"1" default:"20"`
	// Until ends them as soon as a metric is precise enough; then there is no count.
	Until *Precision `yaml:"until" optional:"true"`
	// Max is when they end if it never is.
	Max int64 `yaml:"max" unit:"count" least:"10" default:"500"`
}

// Kinds gives Replications its one-line form.
func (Replications) Kinds() [][]string { return [][]string{{"", "count", "until", "max"}} }

// Most is how many replications a point has at most.
func (r *Replications) Most() int64 {
	if r.Until != nil {
		return r.Max
	}
	return r.Count
}

// Precision is how well a metric is to be known.
type Precision struct {
	// Metric is the metric, as expectations call it.
	Metric string `yaml:"metric"`
	// Within is how far from the mean the ends of its 95 % interval may be: a
	// share of the mean, or a quantity in the metric's unit.
	Within string `yaml:"within"`
}

// Warmup is a time before which requests count nowhere.
type Warmup struct {
	Until time.Duration
	Auto  bool // it is found from what the run does; Until is 0
}

// Design is how the axes of a sweep make points. A range without a number of
// values is for latin, sobol and morris, which take values from all of it.
type Design struct {
	// Kind is grid (every combination), zip (the axes walk together), latin (a
	// Latin hypercube: each axis has one value in each of as many equal parts as
	// there are rows), sobol (a shifted Sobol sequence: rows spread evenly over
	// all axes at once), or morris (steps along one axis after the other, which
	// tell the axes that matter).
	Kind string `yaml:"kind" default:"grid"`
	// Rows is how many combinations there are; those that are equal after
	// rounding are run once.
	Rows int64 `yaml:"rows" unit:"count" min:"1"`
	// Trajectories is how often every axis makes a step.
	Trajectories int64 `yaml:"trajectories" unit:"count" min:"2"`
}

// Kinds lists the designs with their fields.
func (Design) Kinds() [][]string {
	return [][]string{
		{"grid", ""},
		{"zip", ""},
		{"latin", "rows"},
		{"sobol", "rows"},
		{"morris", "trajectories"},
	}
}

// Bisection is what to look for along an axis, in each variant at each
// combination of the sweep.
type Bisection struct {
	// Axis is the path that is set, as in sweep.
	Axis string `yaml:"axis"`
	// In is the range to look in, as in 1s..5s.
	In string `yaml:"in"`
	// Where is the expectation that flips somewhere in it.
	Where string `yaml:"where"`
	// Within is the distance of the values that are tried; by default 1 for counts.
	Within string `yaml:"within" optional:"true"`
}

// Both are read from the nodes, not decoded.
type (
	variantList struct{}
	axisList    struct{}
)

// NamedGroup is a group of groups.
type NamedGroup struct {
	Name  string `yaml:",name"`
	Group `yaml:",inline"`
}

// Group is a population of clients.
type Group struct {
	// Count is how many clients there are.
	Count int64 `yaml:"count" unit:"count" min:"1" default:"1"`
	// Processes is in how many processes they live; by default each in its own.
	Processes *int64 `yaml:"processes" unit:"count" min:"1"`
	// Idempotent: doing a request's calls twice does no harm.
	Idempotent bool `yaml:"idempotent" default:"true"`
	// Arrival says when their requests start.
	Arrival random.Arrival `yaml:"arrival"`
	// Requests is how many each client makes; by default 1 for burst and
	// unlimited for the others.
	Requests *int64 `yaml:"requests" unit:"count" unlimited:"true" min:"1"`
	// Cost multiplies the service times of its requests, everywhere.
	Cost float64 `yaml:"cost" unit:"factor" default:"1" above:"0"`
	// Classes are kinds of requests, by name; each request is of one of them. Their
	// shares add up to 100%.
	Classes []Class `yaml:"classes"`
	// Calls lists whom a request calls, in order; it may be left out if every class
	// has its own.
	Calls Steps `yaml:"calls" required:"true"`
	// Policy is for the steps that name none: the name of a policy, a policy
	// written in place, or a list of up to 32 names, the outermost first.
	Policy *PolicyRef `yaml:"policy" optional:"true"`
	// Network is the delay of one message, one way, for the steps that name none.
	Network random.Dist `yaml:"network"`
}

// Class is a kind of requests of a group.
type Class struct {
	Name string `yaml:",name"`
	// Share is how many of the group's requests are of it.
	Share float64 `yaml:"share" unit:"share"`
	// Cost multiplies the service times of its requests, besides the group's.
	Cost float64 `yaml:"cost" unit:"factor" default:"1" above:"0"`
	// Policy is for the steps that name none, instead of the group's.
	Policy *PolicyRef `yaml:"policy" optional:"true"`
	// Calls lists whom its requests call, instead of the group's.
	Calls Steps `yaml:"calls"`
}

// Kinds gives Class its one-line form: "10% cost 20".
func (Class) Kinds() [][]string { return [][]string{{"", "share", "cost", "policy", "calls"}} }

// Service is a named place in the call path.
type Service struct {
	Name        string `yaml:",name"`
	server.Spec `yaml:",inline"`
	// Calls lists what it needs from others, in order, after its own work or, with
	// the word work among them, around it.
	Calls Steps `yaml:"calls"`
	// Policy is for the steps that name none: the name of a policy, a policy
	// written in place, or a list of up to 32 names, the outermost first.
	Policy *PolicyRef `yaml:"policy" optional:"true"`
	// Network is the delay of one message, one way, for the steps that name none.
	Network random.Dist `yaml:"network"`
	// Blocking: the worker is held while the service waits for others.
	Blocking bool `yaml:"blocking" default:"true"`
	// Expired says what happens to work whose caller has left.
	Expired sim.Expired `yaml:"expired"`
	// Inbox is how it finds out that it has done a call's work before. Where a file
	// names one, none included, it is counted how often that happens.
	Inbox server.Inbox `yaml:"inbox"`
}

// PolicyRef is the name of a policy, a policy written in place, or a list of
// names: layers inside one caller, the outermost first, at most 32.
type PolicyRef struct {
	Name   string
	Inline *Policy
	Layers []string
}

// Policy is a named retry policy.
type Policy struct {
	Name string `yaml:",name"`
	// Extends starts from another policy: maps merge, scalars and lists replace.
	// A map with a kind, as every one-line form is, replaces too: what is
	// written as exponential 8s has nothing of the other policy's backoff, while
	// {cap: 8s} changes its cap.
	Extends string `yaml:"extends" format:"name" optional:"true"`
	// Library starts from a policy that ships with the tool, as extends does: a
	// kind written here replaces the library's own, with all of its fields.
	Library string `yaml:"library" format:"name" optional:"true"`
	// Version is the library's version; by default the newest that is known.
	Version           string `yaml:"version" optional:"true"`
	strategies.Policy `yaml:",inline"`
}

// Start is the date and time at which a run begins, in UTC.
func (s *Scenario) Start() time.Time {
	at, _ := parseDate(s.Epoch) // of a valid scenario it is one
	return at
}

// parseDate reads a date and time, strictly by RFC 3339.
func parseDate(s string) (time.Time, error) {
	var at time.Time
	err := at.UnmarshalText([]byte(s))
	return at.UTC(), err
}
