package report

// View is what a page draws of a result: plain data, as JSON. Pages compute
// nothing from it but coordinates; every number and every sentence in it is made
// here, so that report.html, the local page and the one in the browser agree.
//
// Numbers have the digits of the files. In JSON infinity is the string "+Inf",
// and what is not available is null.
type View struct {
	FormatVersion int    `json:"format_version"`
	Name          string `json:"name"`
	Title         string `json:"title"`
	Command       string `json:"command"`  // the canonical one that makes the result
	Scenario      string `json:"scenario"` // as run, YAML
	Seed          int64  `json:"seed"`
	Replications  int64  `json:"replications"`
	// Partial: points or replications are still missing, and nothing is judged.
	Partial bool   `json:"partial"`
	Target  string `json:"target"` // the service whose load is meant

	Verdict      ViewVerdict       `json:"verdict"`
	Expectations []ViewExpectation `json:"expectations"`
	Notes        []string          `json:"notes"`
	// Dropped says what is left out for the size, and which file has it.
	Dropped []string `json:"dropped"`

	Variants []ViewVariant `json:"variants"`
	Axes     []ViewAxis    `json:"axes"`
	// Places are the combinations of sweep values, in order; one without names
	// where nothing is swept. Points and charts refer to them by index.
	Places []ViewPlace `json:"places"`
	// Severest is the place at which the pictures look when they look at one.
	Severest int          `json:"severest"`
	Metrics  []ViewMetric `json:"metrics"`
	Points   []ViewPoint  `json:"points"`

	// What follows is there for the places that fit; the severest always is.
	Timelines  []ViewTimeline   `json:"timelines"`
	Completion []ViewCompletion `json:"completion"`
	Paths      []ViewPath       `json:"paths"`
	Attempts   []ViewAttempts   `json:"attempts"`
	// Sections are the tables below the main one, as in report.md.
	Sections []ViewSection `json:"sections"`
}

// ViewVerdict is the answer to "what should I use?".
type ViewVerdict struct {
	// Headline is the answer in one sentence; Detail says by how much and how
	// sure, a sentence for each metric that counts.
	Headline string   `json:"headline"`
	Detail   []string `json:"detail"`
	// Best is the index of the variant to use, -1 where nobody can tell or there
	// is only one; Tied are those that cannot be told from it.
	Best int   `json:"best"`
	Tied []int `json:"tied"`
	// Ruling is the worst of the expectations: pass, fail, undecided or skipped;
	// empty where there are none. Tally is all of them in words.
	Ruling string       `json:"ruling"`
	Tally  string       `json:"tally"`
	Wins   []ViewWinner `json:"wins"`
}

// ViewWinner is who is best in one metric, at the severest place.
type ViewWinner struct {
	Metric   int    `json:"metric"`
	Variant  int    `json:"variant"` // -1: nobody can tell
	Tied     []int  `json:"tied"`
	Sentence string `json:"sentence"` // "fewest calls: full-jitter, 12,345, 2.1 times fewer than none"
}

// ViewExpectation is an expectation and what it came to.
type ViewExpectation struct {
	Text   string     `json:"text"`
	Ruling string     `json:"ruling"`
	Detail string     `json:"detail"`
	Need   int        `json:"need"`
	Cases  []ViewCase `json:"cases"`
}

// ViewCase is an expectation at one point.
type ViewCase struct {
	Point  string `json:"point"`
	Ruling string `json:"ruling"`
	Detail string `json:"detail"`
}

// ViewVariant is a variant and how it looks.
type ViewVariant struct {
	Name      string    `json:"name"`
	Color     string    `json:"color"`  // #rrggbb on white
	Dark      string    `json:"dark"`   // the same on black
	Dashes    []float64 `json:"dashes"` // empty: none
	Marker    string    `json:"marker"` // circle, square, triangle, diamond, triangle-down, cross
	Reference bool      `json:"reference"`
}

// ViewAxis is what is swept.
type ViewAxis struct {
	Path string `json:"path"`
	Unit string `json:"unit"`
	Log  bool   `json:"log"`
}

// ViewPlace is a combination of sweep values.
type ViewPlace struct {
	Values  []string     `json:"values"`  // as written, one for each axis
	Numbers []jsonNumber `json:"numbers"` // in base units; null for what is no number
}

// ViewMetric describes a column of the table.
type ViewMetric struct {
	Name     string `json:"name"`
	Column   string `json:"column"` // in summary.csv
	Title    string `json:"title"`  // for people
	Unit     string `json:"unit"`
	Help     string `json:"help"`
	Infinite bool   `json:"infinite"`
	Share    bool   `json:"share"`
	Key      bool   `json:"key"` // shown before anybody asks for all
	// Better is -1 when less is better, 1 when more is, 0 when neither.
	Better int `json:"better"`
}

// ViewPoint is a row of the table.
type ViewPoint struct {
	Variant      int        `json:"variant"`
	Place        int        `json:"place"`
	Replications int        `json:"replications"`
	Partial      bool       `json:"partial"` // more replications are to come
	Cells        []ViewCell `json:"cells"`   // in the order of Metrics
	// Endings say how the replications ended, when in two ways.
	Endings []string `json:"endings"`
}

// ViewCell is a metric at a point.
type ViewCell struct {
	Centre jsonNumber `json:"c"`
	Lo     jsonNumber `json:"lo"`
	Hi     jsonNumber `json:"hi"`
	Text   string     `json:"text"` // for people, with the interval
	// Against is -1 or 1 when the point is certainly less or more than the
	// reference there, 0 when nobody can tell (~); null for the reference itself.
	Against *int `json:"against"`
	// Ratio compares with the reference, for people; empty where there is none.
	Ratio string `json:"ratio"`
}

// ViewTimeline is a service over time, means over the replications. Row k begins
// at k*Step.
type ViewTimeline struct {
	Variant   int          `json:"variant"`
	Place     int          `json:"place"`
	Service   string       `json:"service"`
	Step      float64      `json:"step"` // seconds
	Arrivals  []jsonNumber `json:"arrivals"`
	Retries   []jsonNumber `json:"retries"`
	Goodput   []jsonNumber `json:"goodput"`
	Waiting   []jsonNumber `json:"waiting"`
	InService []jsonNumber `json:"in_service"`
	// Capacity is the usable workers; Rate is what they can serve a second. Empty
	// where there is no limit or no known rate.
	Capacity []jsonNumber `json:"capacity"`
	Rate     []jsonNumber `json:"rate"`
	Spans    []ViewSpan   `json:"spans"` // faults, spikes, actions
}

// ViewSpan is a time that is shaded; From and To are the same for a moment.
type ViewSpan struct {
	Name   string  `json:"name"`
	From   float64 `json:"from"`
	To     float64 `json:"to"`
	Action bool    `json:"action"` // what an operator did, not what happened
}

// ViewCompletion is the distribution of completion times over all requests; the
// unsuccessful never complete.
type ViewCompletion struct {
	Variant int          `json:"variant"`
	Place   int          `json:"place"`
	Q       []jsonNumber `json:"q"`
	Seconds []jsonNumber `json:"s"`
	Lo      []jsonNumber `json:"lo"`
	Hi      []jsonNumber `json:"hi"`
}

// ViewPath is how one request became many calls.
type ViewPath struct {
	Variant  int     `json:"variant"`
	Place    int     `json:"place"`
	Requests float64 `json:"requests"` // started
	// Ending is how the replications ended that this is about, "7 of 20 locked in";
	// empty when all ended alike. Else there is a path for each ending.
	Ending string    `json:"ending"`
	Hops   []ViewHop `json:"hops"`
}

// ViewHop is an arrow of the call graph.
type ViewHop struct {
	From       string     `json:"from"`
	To         string     `json:"to"`
	Policy     string     `json:"policy"`
	Queue      bool       `json:"queue"`  // From is a queue, which delivers
	Wanted     float64    `json:"wanted"` // calls without retries
	Calls      float64    `json:"calls"`
	PerRequest float64    `json:"per_request"`
	Times      jsonNumber `json:"times"` // calls for a call that was wanted
	Most       bool       `json:"most"`  // nothing multiplies more
	Text       string     `json:"text"`  // all of it for people
}

// ViewAttempts are the attempts of replication 1, of runs that are small.
type ViewAttempts struct {
	Variant int       `json:"variant"`
	Place   int       `json:"place"`
	T       []float64 `json:"t"`      // when they arrive, in seconds
	Client  []int64   `json:"client"` // from 0, over all groups
	// Kind is 0 first attempt, 1 retry; Outcome an index of Outcomes.
	Kind     []int    `json:"kind"`
	Outcome  []int    `json:"outcome"`
	Outcomes []string `json:"outcomes"` // ok, timeout, refused, 503, ...
	Clients  int64    `json:"clients"`  // how many there are
}

// ViewSection is a small table with a title.
type ViewSection struct {
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Left    []bool     `json:"left"` // how a column is aligned
	Rows    [][]string `json:"rows"`
	Lines   []string   `json:"lines"` // remarks below
}
