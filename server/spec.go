package server

import (
	"time"

	"retrystorm/sim/limit"
	"retrystorm/sim/random"
)

// Unlimited is the value of a count that has no limit.
const Unlimited = random.Unlimited

// Spec describes a service: its workers, its queue, and how it fails and recovers.
type Spec struct {
	// Replicas is how many of it there are. Workers, queue and every limit are
	// those of one replica.
	Replicas int64 `yaml:"replicas" unit:"count" default:"1" min:"1"`
	// Balance says which replica a call goes to: any (random), each in turn
	// (round-robin), the one with the fewest calls inside (least), or the better of
	// two (two-choices).
	Balance string `yaml:"balance" enum:"random,round-robin,least,two-choices" default:"random"`
	// Admit is the share of calls that are let in; the others are refused, which
	// costs nothing. Left out: all.
	Admit *float64 `yaml:"admit" unit:"share" optional:"true"`
	// Workers is how many calls are in service at once.
	Workers int64 `yaml:"workers" unit:"count" unlimited:"true" default:"unlimited" least:"1"`
	// ServiceTime is the service's own work for one call.
	ServiceTime random.Dist `yaml:"service_time"`
	// Redraw says what has a service time of its own: every attempt, or every
	// request, so that a slow one stays slow when it is retried or hedged.
	Redraw string `yaml:"redraw" enum:"attempt,request" default:"attempt"`
	// Slowdown is added to a call's service time for every other call in
	// service when it starts.
	Slowdown time.Duration `yaml:"slowdown" default:"0s"`
	// Queue holds the calls that wait for a worker.
	Queue Queue `yaml:"queue"`
	// InFlight is how many calls may be inside a service that is not blocking:
	// waiting, in service, or waiting for others. One more is answered as if the
	// queue were full.
	InFlight int64 `yaml:"in_flight" unit:"count" unlimited:"true" default:"unlimited" min:"1"`
	// Limiter bounds the calls inside, waiting ones included.
	Limiter *Limiter `yaml:"limiter" none:"true"`
	// Shed turns some calls away while the queue is long.
	Shed *Shed `yaml:"shed" none:"true"`
	// RateLimit answers calls above a rate without serving them.
	RateLimit *RateLimit `yaml:"rate_limit" none:"true"`
	// Contention makes calls compete for rows.
	Contention *Contention `yaml:"contention" none:"true"`
	// Crash kills the service when too much work is inside.
	Crash *Crash `yaml:"crash" none:"true"`
	// Faults are what breaks, and when. However many there are at once, one worker
	// of a replica is left.
	Faults []Fault `yaml:"faults"`
}

// Queue describes the calls that wait for a worker.
type Queue struct {
	// Limit is how many may wait (calls in service not counted).
	Limit int64 `yaml:"limit" unit:"count" unlimited:"true" default:"unlimited"`
	// Order is who is served next: the oldest (fifo), the newest (lifo), anyone
	// (random), the oldest until the queue has not been empty for 100 ms and
	// then the newest (adaptive-lifo), the oldest with those that waited too
	// long answered instead (codel), the one whose caller leaves first
	// (deadline), or first tries before retries or the other way round.
	Order string `yaml:"order" enum:"fifo,lifo,random,adaptive-lifo,codel,deadline,first-tries,retries-first" default:"fifo"`
	// Full is the answer to a call that finds no place.
	Full Reply `yaml:"full" default:"503"`
	// MaxWait is how long a call may wait; later it is answered as if the queue
	// were full, when its turn comes.
	MaxWait time.Duration `yaml:"max_wait" none:"true"`
}

// Kinds gives Queue its one-line form: "400 full 503".
func (Queue) Kinds() [][]string { return [][]string{{"", "limit", "order", "full", "max_wait"}} }

// Reply is an answer, and how long the caller is asked to wait.
type Reply struct {
	// Answer is what the caller gets.
	Answer Answer `yaml:"answer"`
	// RetryAfter is the wait that the answer asks for: a time, next-token (of
	// the rate limit), recovery (until the fault or the restart is over), queue
	// (until the queue is served), or never (do not retry).
	RetryAfter Asked `yaml:"retry_after" none:"true"`
	// Spread adds U(0, spread) to it.
	Spread time.Duration `yaml:"spread" default:"0s"`
	// Form is how it is written: in whole seconds (rounded up), as a date in
	// whole seconds, or in whole ms.
	Form string `yaml:"form" enum:"seconds,date,ms" default:"seconds"`
	// Skew is how far the callers' clocks are ahead of the service's; it
	// shortens what a date asks for.
	Skew time.Duration `yaml:"skew" default:"0s"`
	// Behind makes skew how far the callers' clocks are behind.
	Behind bool `yaml:"behind" default:"false"`
}

// Kinds gives Reply its one-line form: "503 retry_after 30s".
func (Reply) Kinds() [][]string {
	return [][]string{{"", "answer", "retry_after", "spread", "form", "skew", "behind"}}
}

// Asked is a rule for the wait that an answer asks for.
type Asked struct {
	Kind  AskedKind
	Delay time.Duration // of AskedDelay
}

// AskedKind is the kind of an Asked.
type AskedKind uint8

// The kinds.
const (
	AskedNothing AskedKind = iota
	AskedDelay
	AskedToken
	AskedRecovery
	AskedQueue
	AskedNever
)

// Limiter describes a limit on the calls inside a service.
type Limiter struct {
	limit.Spec `yaml:",inline"`
	// Answer is what a call above the limit gets.
	Answer Reply `yaml:"answer" default:"503"`
}

// Kinds lists the limits with their fields.
func (Limiter) Kinds() [][]string {
	var rows [][]string
	for _, row := range (limit.Spec{}).Kinds() {
		rows = append(rows, append(row, "answer"))
	}
	return rows
}

// Shed describes a service that turns some calls away early.
type Shed struct {
	// Kind is which calls go first: retries, or first-tries.
	Kind string `yaml:"kind"`
	// Above is the share of the queue's limit that must be taken.
	Above float64 `yaml:"above" unit:"share" default:"80%"`
	// Answer is what they get.
	Answer Reply `yaml:"answer" default:"503"`
}

// Kinds lists the kinds of Shed with their fields.
func (Shed) Kinds() [][]string {
	return [][]string{{"retries", "", "above", "answer"}, {"first-tries", "", "above", "answer"}}
}

// RateLimit describes a server that admits a limited rate of calls.
type RateLimit struct {
	// Kind is how the rate is measured.
	Kind string `yaml:"kind"`
	// Rate is the refill rate of token-bucket, in calls per second.
	Rate float64 `yaml:"rate" unit:"rate" above:"0"`
	// Burst is the size of token-bucket; it starts full.
	Burst int64 `yaml:"burst" unit:"count" default:"1" least:"1"`
	// Limit is how many calls a window admits.
	Limit int64 `yaml:"limit" unit:"count" least:"1"`
	// Window is the width of the window: aligned at time 0 (fixed-window), or
	// the last Window before each call (sliding-window).
	Window time.Duration `yaml:"window" default:"1s" above:"0"`
	// Answer is what a call above the limit gets.
	Answer Reply `yaml:"answer" default:"429"`
	// Scope says who shares the limit: everybody (all) or nobody (client).
	Scope string `yaml:"scope" enum:"all,client" default:"all"`
	// Ban is how long a client is refused everything that comes back earlier
	// than an answer asked it to.
	Ban time.Duration `yaml:"ban" none:"true"`
}

// Kinds lists the kinds of RateLimit with their fields.
func (RateLimit) Kinds() [][]string {
	return [][]string{
		{"token-bucket", "rate", "burst", "answer", "scope", "ban"},
		{"fixed-window", "limit", "window", "answer", "scope", "ban"},
		{"sliding-window", "limit", "window", "answer", "scope", "ban"},
	}
}

// Contention describes rows that calls compete for. A lost race answers 409.
type Contention struct {
	// Kind is how the race is decided: optimistic reads a version and writes if
	// it is still current, write-only writes with the version its last answer
	// told, lock waits for the row.
	Kind string `yaml:"kind"`
	// Rows is how many rows there are; a request picks one at random.
	Rows int64 `yaml:"rows" unit:"count" default:"1" least:"1"`
}

// Kinds lists the kinds of Contention with their fields.
func (Contention) Kinds() [][]string {
	return [][]string{
		{"optimistic", "", "rows"},
		{"write-only", "", "rows"},
		{"lock", "", "rows"},
	}
}

// Crash describes a service that dies of overload: more than Above calls
// inside (waiting and in service) kill it and everything in it is lost.
type Crash struct {
	// Above is the largest number of calls inside that it survives.
	Above int64 `yaml:"above" unit:"count" least:"1"`
	// Restart is how long it is down, refusing calls.
	Restart time.Duration `yaml:"restart" default:"30s"`
	// Ramp is how long capacity climbs after the restart.
	Ramp time.Duration `yaml:"ramp" default:"0s"`
	// RampFrom is the share of the workers at the start of the ramp.
	RampFrom float64 `yaml:"ramp_from" unit:"share" default:"0%"`
}

// Kinds gives Crash its one-line form: "500 restart 30s".
func (Crash) Kinds() [][]string {
	return [][]string{{"", "above", "restart", "ramp", "ramp_from"}}
}

// Fault is something that breaks on [At, At+For); capacity then climbs back
// during Ramp, and the fault ends when the ramp does.
type Fault struct {
	// Name is the fault's name in the scenario.
	Name string `yaml:",name"`
	// Kind is what breaks.
	Kind string `yaml:"kind"`
	// At is when it starts.
	At time.Duration `yaml:"at" default:"0s"`
	// Replicas is how many of the replicas it is about, the first ones; left out:
	// all.
	Replicas *int64 `yaml:"replicas" unit:"count" optional:"true" min:"1"`
	// Every repeats it, from start to start.
	Every time.Duration `yaml:"every" none:"true"`
	// For is how long it lasts; none: to the end of the run.
	For time.Duration `yaml:"for" none:"true"`
	// Ramp is how long capacity takes to climb back, linearly.
	Ramp time.Duration `yaml:"ramp" default:"0s"`
	// RampFrom is the share of the workers at the start of the ramp.
	RampFrom float64 `yaml:"ramp_from" unit:"share" default:"0%"`
	// Answer is what calls get while the service is down (default refused) or
	// in error (default 500).
	Answer Reply `yaml:"answer" optional:"true"`
	// Mix gives the failing calls several answers, each with its share; together
	// 100%.
	Mix []MixPart `yaml:"mix" format:"answer"`
	// Share is the share of calls that fail (errors) or of the workers that
	// are left (capacity).
	Share float64 `yaml:"share" unit:"share" default:"100%"`
	// AfterWork makes errors come after the full service time.
	AfterWork bool `yaml:"after_work" default:"false"`
	// Stored makes all calls of a request get the same: an answer that is stored
	// and replayed to retries, so that they cannot succeed.
	Stored bool `yaml:"stored" default:"false"`
	// Factor multiplies the service time of calls that start in a slow fault.
	Factor float64 `yaml:"factor" unit:"factor" above:"0"`
}

// MixPart is one of the answers of a mix.
type MixPart struct {
	// Answer is what its calls get.
	Answer string `yaml:",name"`
	// Share is its share of the failing calls.
	Share float64 `yaml:"share" unit:"share"`
	// RetryAfter, Spread, Form, Skew and Behind are as in every answer.
	RetryAfter Asked         `yaml:"retry_after" none:"true"`
	Spread     time.Duration `yaml:"spread" default:"0s"`
	Form       string        `yaml:"form" enum:"seconds,date,ms" default:"seconds"`
	Skew       time.Duration `yaml:"skew" default:"0s"`
	Behind     bool          `yaml:"behind" default:"false"`
}

// Kinds gives MixPart its one-line form: "90%".
func (MixPart) Kinds() [][]string {
	return [][]string{{"", "share", "retry_after", "spread", "form", "skew", "behind"}}
}

// Kinds lists the kinds of Fault with their fields.
func (Fault) Kinds() [][]string {
	return [][]string{
		{"down", "", "answer", "at", "for", "ramp", "ramp_from", "every", "replicas"},
		{"errors", "", "share", "answer", "mix", "after_work", "stored", "at", "for", "ramp", "ramp_from", "every", "replicas"},
		{"slow", "", "factor", "at", "for", "ramp", "ramp_from", "every", "replicas"},
		{"pause", "", "at", "for", "ramp", "ramp_from", "every", "replicas"},
		{"capacity", "", "share", "at", "for", "ramp", "ramp_from", "every", "replicas"},
	}
}

// Shares reports whether calls of one request have draws in common.
func (spec Spec) Shares() bool {
	for _, f := range spec.Faults {
		if f.Stored {
			return true
		}
	}
	return spec.Redraw == "request"
}
