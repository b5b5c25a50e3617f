package lint

import (
	"cmp"

	"retrystorm/scenarios"
)

// Severity is how bad a finding is.
type Severity string

// The severities.
const (
	Problem Severity = "problem" // probably a mistake
	Note    Severity = "note"    // worth knowing
)

// The checks. Their names are stable: people filter by them.
const (
	Amplification = "amplification"  // calls multiply along the path
	Deadline      = "deadline"       // attempts that cannot fit the time there is
	Timeout       = "timeout"        // timeouts that do not fit each other, or the call
	NoTimeout     = "no-timeout"     // nothing ends the wait for an answer that never comes
	BudgetFloor   = "budget-floor"   // a floor that allows more than the ratio
	BudgetIdle    = "budget-idle"    // a budget that never says no
	BudgetBurst   = "budget-burst"   // what a full bucket allows at once
	Breaker       = "breaker"        // a breaker that cannot open
	BreakerScope  = "breaker-scope"  // a breaker that stops more than what failed
	Hedge         = "hedge"          // what hedges cost
	Jitter        = "jitter"         // callers that fail together retry together
	RetryAfter    = "retry-after"    // callers that are told the same time
	Load          = "load"           // more is asked for than can be served
	Idempotency   = "idempotency"    // what must not be done twice may be
	Defect        = "library-defect" // a library that is known to do something wrong
	NoEffect      = "no-effect"      // settings that do nothing
	General       = "scenario"       // other notes of validate
)

// Finding is something that the arithmetic found.
type Finding struct {
	Check    string
	Severity Severity
	Place    scenarios.Place
	Path     string // of the value it is about
	Message  string // with the numbers
	Because  string // what makes it matter here
	Fix      string // what would help; "" where the message says so
	// Where names the points that have it; "" if all do. The numbers of the
	// message are those of the first.
	Where string
}

// Row is a line of the table of the worst case.
type Row struct {
	Group    string // whose request it is about
	From, To string
	Step     string // its name, if that is not To
	Policy   string // "-" if the step has none
	Attempts Count  // of one run of the step
	Calls    Count  // of To, by all callers before it in one request
	Average  Count  // of Calls, as far as budgets bound it; the same if none does
	How      string // the product, or why there is a bound
	Where    string // as in Finding
	Assumed  bool   // nothing makes To fail: Attempts are those if something did
}

// Result is what is known of a scenario.
type Result struct {
	File     string // as messages call it
	Scenario string
	Points   int
	Calls    []Row
	Findings []Finding
}

// Problems counts the findings that are problems.
func (r *Result) Problems() int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Severity == Problem {
			n++
		}
	}
	return n
}

// order sorts findings as they stand in the file.
func order(a, b Finding) int {
	return cmp.Or(cmp.Compare(a.Place.File, b.Place.File), cmp.Compare(a.Place.Line, b.Place.Line),
		cmp.Compare(a.Place.Col, b.Place.Col), cmp.Compare(a.Check, b.Check))
}
