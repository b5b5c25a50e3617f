package experiment

import (
	"time"

	"retrystorm/sim"
)

// Result is a finished experiment: what reports are made of.
type Result struct {
	Scenario string // name
	Title    string
	Hash     string // of the scenario as run, overrides applied
	Seed     int64
	// Replications is how many each point has, or how many it has at most
	// where they go on until they are precise enough.
	Replications int64
	Target       string   // service whose load is reported first
	Axes         []string // sweep paths or labels, in order
	// Reference is the variant that the others are compared with.
	Reference string
	// Design is how the axes make points: grid, zip, latin, sobol, morris, or
	// bisect.
	Design string
	// Exchange is what one second of completion_p99 is worth in calls; 0: the
	// scenario does not say.
	Exchange float64
	// Epoch is when virtual time begins, in files with dates; in UTC.
	Epoch time.Time
	// AutoWarmup: the warm-ups of the points were found, not given.
	AutoWarmup bool
	// Metrics are in the order of Run.Values and Point.Estimates. Those of
	// parts that expectations ask for come last: total_calls[service=db].
	Metrics []Metric
	// GroupMetrics are those that Group.Estimates has.
	GroupMetrics []Metric
	// QueueMetrics are those that Point.Queues have.
	QueueMetrics []Metric
	// Points are all points, variants outermost. Of many points they are brief
	// (see [Point.Brief]) but for those of the last place of the sweep, and
	// Whole has the rest.
	Points []Point
	// Whole reads point i with all of its parts; nil when Points has them.
	Whole func(i int) (*Point, error)

	Expectations []Judgement
	// Sensitivity says which axis matters how much, after design: morris.
	Sensitivity []Effect
	// Crossings say where the expectation of a bisection flips.
	Crossings []Crossing
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
	// Quantile is which quantile of the successful requests' completion times
	// the metric is, in millionths; 0: none. Its estimate is the quantile of all
	// replications together.
	Quantile int64
	Help     string // formula and meaning, one line
}

// Point is one variant at one combination of sweep values.
type Point struct {
	Variant string
	Sweep   []string // text of each axis value, as written
	// Numbers are the axis values in base units (s, /s, share, plain); NaN for
	// what is not a number.
	Numbers []float64
	// Replications is how many runs there were.
	Replications int
	// Imprecise: the replications came to their maximum before the metric of
	// replications.until was as precise as asked for.
	Imprecise bool
	// Warmup is the warm-up that was found, where the scenario says auto; it is
	// the scenario's everywhere else.
	Warmup    time.Duration
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
	// Queues are the queues, with estimates in the order of Result.QueueMetrics.
	Queues []Group
	// Duplicates are the effects that services had had before, by cause, and
	// DeadReasons what came to dead-letter queues, by reason.
	Duplicates, DeadReasons []Tally
	// Dead are dead letters of the first replication, in the order in which they
	// died; DeadMore is how many more there were than are kept.
	Dead     []DeadLetter
	DeadMore int64
	// Attempts are the calls to the target in the first replication, where these
	// are few enough to be looked at one by one, at the last place of the sweep.
	Attempts []Attempt
	// Attribution says why calls were made and others not; hop by hop, where
	// replications split ending by ending, the causes before the reasons. What
	// never happened is left out.
	Attribution []Attribution
	// Shading is when the point's faults and its trigger were active, for plots.
	Shading []Span
	// Actions are what operators did, and when it was over as far as that is
	// planned.
	Actions []Span
	// Outcomes are the two ways in which the replications ended, when some
	// were locked in and others not: their common mean describes neither.
	Outcomes []Outcome

	kept []keptValues // by a brief point
}

// keptValues are the values of a metric, replication by replication.
type keptValues struct {
	metric int
	values []float64
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
	// Limited says whether the service has a limited number of workers, and
	// Workers how many when nothing is wrong.
	Limited bool
	Workers int64
}

// Quantile is one point of a distribution; Seconds may be +Inf. Lo and Hi are
// its 95 % interval by sectioning over the replications.
type Quantile struct{ Q, Seconds, Lo, Hi float64 }

// Hop is one arrow of the call path under one policy, means over replications.
type Hop struct {
	Edge
	Requests      float64 // calls that were wanted, each with all of its attempts
	Calls         float64 // attempts
	Amplification float64 // attempts per request started
	Timeouts      float64
	Refused       float64
	Reset         float64
	Status        float64
	Late          float64
	Withheld      float64 // attempts not made
	Skipped       float64 // calls that requests did without
	Busy, Wasted  float64 // service time in seconds, and what of it was for nobody
	WastedShare   float64 // of Busy; NaN where there is none
	// Blocked is the share of the time in which all workers of the service called
	// waited for others.
	Blocked float64
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

// Tally is how often something happened in one place, per replication.
type Tally struct {
	Outcome string // as in Attribution
	Place   string // service, or queue
	// What is the cause of a duplicate, or what the last attempt came to of what
	// a dead letter is about; Why is why that was the last.
	What, Why string
	Estimate  Estimate
}

// DeadLetter is a message in a dead-letter queue.
type DeadLetter struct {
	Queue, From     string // From is the queue or the caller it comes from
	Group           string
	Client, Request int64  // from 0
	To              string // the service that could not do it
	Reason, GaveUp  string // what the last attempt came to, and why it was the last
	Attempts        int64
	Started         time.Duration
	First, Last     time.Duration // failure
	Trace, Payload  uint64
}

// Span is an interval of virtual time with a name.
type Span struct {
	Name     string
	From, To time.Duration
}

// Ruling is what an expectation came to.
type Ruling string

// The rulings.
const (
	Pass    Ruling = "pass"      // the whole interval says so
	Fail    Ruling = "fail"      // the whole interval says the opposite
	Unclear Ruling = "undecided" // the interval reaches to the other side
	Skipped Ruling = "skipped"   // there is nothing to judge it by: no baseline was given
)

// Judgement is an expectation with its outcome. One point that fails decides;
// else one that is undecided does.
type Judgement struct {
	Text      string
	Line, Col int // in the scenario file; 0 when it came from the command line
	Ruling    Ruling
	Detail    string // names the first point that decides, with both values
	// Need is how many more replications of each point would decide what is
	// undecided, if the numbers are what they seem; 0: none would, or unknown.
	Need int
	// Cases are the points, in order.
	Cases []Case
}

// Case is an expectation at one point.
type Case struct {
	Point  string // as messages call it
	Ruling Ruling
	Detail string // both values with their intervals
	Need   int
}

// Contrast compares a point with the reference at the same place of the sweep,
// on one metric.
type Contrast struct {
	Comparison
	// RatioLo and RatioHi are the 95 % interval of Comparison.Ratio.
	RatioLo, RatioHi float64
	// Adjusted is P after Holm, over the variants at the place.
	Adjusted float64
	// Direction is -1 when the point is certainly less than the reference, +1
	// when it is certainly more, and 0 when nobody can tell (shown as ~).
	Direction int
}

// Effect is what an axis does to a metric: elementary effects after Morris,
// each the change of the metric over the whole range of the axis.
type Effect struct {
	Variant, Metric, Axis string
	// MuStar is the mean of their sizes, with its 95 % interval over the
	// trajectories; Mu the mean, and Sigma the deviation: large where the axis
	// interacts with others or does not act in a line.
	MuStar, Lo, Hi, Mu, Sigma float64
	// Trajectories is how many gave a finite effect.
	Trajectories int
}

// Crossing is where the expectation of a bisection flips, for a variant at one
// combination of the other axes.
type Crossing struct {
	Variant string
	Sweep   []string // the other axes
	Axis    string
	// Where is the expectation.
	Where string
	// Low and High are the rulings at the ends of the range. Where they do not
	// differ there is no crossing, and the rest is empty.
	Low, High Ruling
	// From and To enclose the crossing, as the means see it; they are
	// neighbours on the grid of within.
	From, To string
	// Lo and Hi enclose it at 95 %: the last value at which the one ruling is
	// certain, and the first at which the other is.
	Lo, Hi string
	// Evaluated is how many values were tried.
	Evaluated int
}

// Tradeoff says how a point stands among those at its place when both fewer
// calls and an earlier completion_p99 are wanted.
type Tradeoff struct {
	// Front: no other point is certainly better in one of the two and, as it
	// seems, no worse in the other.
	Front bool
	// By is a variant that is; empty on the front.
	By string
	// Calls and Completion are total_calls and completion_p99_s; Cost is what
	// both cost together in calls, where the scenario says what a second is
	// worth.
	Calls, Completion, Cost Estimate
}
