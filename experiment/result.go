package experiment

import (
	"time"

	"retrystorm/sim"
)

// Result is a finished experiment: what reports are made of.
type Result struct {
	Scenario     string // name
	Title        string
	Hash         string // of the scenario as run, overrides applied
	Seed         int64
	Replications int64
	Target       string   // service whose load is reported first
	Axes         []string // sweep paths or labels, in order
	// Metrics are in the order of Run.Values and Point.Estimates. Those of
	// parts that expectations ask for come last: total_calls[service=db].
	Metrics []Metric
	// GroupMetrics are those that Group.Estimates has.
	GroupMetrics []Metric
	Points       []Point
	Expectations []Judgement
	// ScenarioYAML is the scenario as run, in map form.
	ScenarioYAML []byte
	// Command is the canonical command that makes this result.
	Command string
	// Notes are things the reader must be told (outcomes that split in two, ...).
	Notes []string
}

// Metric describes one column of numbers.
type Metric struct {
	Name   string // as in expectations, without unit: completion_p99
	Column string // with the unit suffix: completion_p99_s
	Unit   string // "s", "/s", "x" or "" for counts and shares
	// Infinite metrics are summarised by median and order statistics, because
	// "never" is one of their values.
	Infinite bool
	// Share metrics are 0 or 1 in each replication; their interval is Wilson's.
	Share bool
	Help  string // formula and meaning, one line
}

// Point is one variant at one combination of sweep values.
type Point struct {
	Variant   string
	Sweep     []string // text of each axis value, as written
	Runs      []Run
	Estimates []Estimate
	Timelines []Timeline
	// Completion is the pooled distribution over all requests started, the
	// unsuccessful as infinite.
	Completion []Quantile
	// ExactCompletion says whether quantiles are exact or from a histogram.
	ExactCompletion bool
	Hops            []Hop
	// Groups are the groups of clients, where there are several.
	Groups []Group
	// Attribution says why calls were made and others not; hop by hop, where
	// replications split ending by ending, the causes before the reasons. What
	// never happened is left out.
	Attribution []Attribution
	// Shading is when the point's faults and its trigger were active, for plots.
	Shading []Span
	// Outcomes are the two ways in which the replications ended, when some
	// were locked in and others not: their common mean describes neither.
	Outcomes []Outcome
}

// Outcome is a group of replications of a point that ended the same way.
type Outcome struct {
	Name         string // "locked in" or "recovered"
	Replications int
	Estimates    []Estimate // over these replications only
}

// Run is one replication of a point. A value is NaN when it is not available
// and +Inf when it is never reached.
type Run struct {
	Seed   uint64
	Values []float64
}

// Estimate is a metric over the replications of a point: mean and 95 %
// interval, or median, interval and share of infinite values, or share and
// interval. The interval is not available (NaN) when there are too few
// replications for one: 2 for a mean or a share, 6 for a median.
type Estimate struct {
	Centre, Lo, Hi float64 // NaN: not available
	InfShare       float64
	// N is how many replications had a value; the others do not count.
	N int
}

// Timeline is one service over time, summed over the replications.
type Timeline struct {
	Service string
	Row     time.Duration // width of a row
	Rows    []sim.Row
	// Replications is how many were summed.
	Replications int64
	// Limited says whether the service has a limited number of workers.
	Limited bool
}

// Quantile is one point of a distribution; Seconds may be +Inf.
type Quantile struct{ Q, Seconds float64 }

// Hop is one arrow of the call path under one policy, means over replications.
type Hop struct {
	Edge
	Calls         float64 // attempts
	Amplification float64 // attempts per request started
	Timeouts      float64
	Refused       float64
	Reset         float64
	Status        float64
	Late          float64
	Withheld      float64 // attempts not made
}

// Edge names a hop. Where a caller has several policies for a step, they are
// layers with a hop each.
type Edge struct {
	From, To string
	Policy   string // empty when it has no name
	Layer    int    // 0 is the outermost
	Inner    bool   // the calls of this layer reach the service
}

// Attribution is how many calls of a hop had one cause, or how many attempts
// were withheld there for one reason; per replication.
type Attribution struct {
	// Outcome is how the replications ended that this is about; empty for all,
	// when they did not split.
	Outcome string
	Edge
	Withheld bool   // else made
	What     string // the cause, or the reason
	Estimate Estimate
}

// Group is what became of the requests of a group of clients.
type Group struct {
	Name string
	// Outcome is as in Attribution.
	Outcome   string
	Estimates []Estimate // in the order of Result.GroupMetrics
}

// Span is an interval of virtual time with a name.
type Span struct {
	Name     string
	From, To time.Duration
}

// Judgement is an expectation with its outcome.
type Judgement struct {
	Text   string
	Line   int // in the scenario file
	Holds  bool
	Detail string // names the first point that breaks it, with both values
	// Undecided: at some point the 95 % interval reaches to the other side, so
	// that other seeds may judge differently.
	Undecided bool
}
