package server

import (
	"time"

	"retrystorm/sim/random"
)

// Unlimited is the value of a count that has no limit.
const Unlimited = random.Unlimited

// Spec describes a service: its workers, its queue, and how it fails and recovers.
type Spec struct {
	// Workers is how many calls are in service at once.
	Workers int64 `yaml:"workers" unit:"count" unlimited:"true" default:"unlimited"`
	// ServiceTime is the service's own work for one call.
	ServiceTime random.Dist `yaml:"service_time"`
	// Slowdown is added to a call's service time for every other call in
	// service when it starts.
	Slowdown time.Duration `yaml:"slowdown" default:"0s"`
	// Queue holds the calls that wait for a worker.
	Queue Queue `yaml:"queue"`
	// RateLimit answers calls above a rate without serving them.
	RateLimit *RateLimit `yaml:"rate_limit" none:"true"`
	// Contention makes calls compete for rows.
	Contention *Contention `yaml:"contention" none:"true"`
	// Crash kills the service when too much work is inside.
	Crash *Crash `yaml:"crash" none:"true"`
	// Faults are what breaks, and when.
	Faults []Fault `yaml:"faults"`
}

// Queue describes the calls that wait for a worker.
type Queue struct {
	// Limit is how many may wait (calls in service not counted).
	Limit int64 `yaml:"limit" unit:"count" unlimited:"true" default:"unlimited"`
	// Order is who is served next: the oldest (fifo) or the newest (lifo).
	Order string `yaml:"order" enum:"fifo,lifo" default:"fifo"`
	// Full is the answer to a call that finds no place.
	Full Answer `yaml:"full" default:"503"`
}

// Kinds gives Queue its one-line form: "400 full 503".
func (Queue) Kinds() [][]string { return [][]string{{"", "limit", "order", "full"}} }

// RateLimit describes a server that admits a limited rate of calls.
type RateLimit struct {
	// Kind is how the rate is measured.
	Kind string `yaml:"kind"`
	// Rate is the refill rate of token-bucket, in calls per second.
	Rate float64 `yaml:"rate" unit:"rate"`
	// Burst is the size of token-bucket; it starts full.
	Burst int64 `yaml:"burst" unit:"count" default:"1"`
	// Limit is how many calls a window admits.
	Limit int64 `yaml:"limit" unit:"count"`
	// Window is the width of the window: aligned at time 0 (fixed-window), or
	// the last Window before each call (sliding-window).
	Window time.Duration `yaml:"window" default:"1s"`
	// Answer is what a call above the limit gets.
	Answer Answer `yaml:"answer" default:"429"`
	// Scope says who shares the limit: everybody (all) or nobody (client).
	Scope string `yaml:"scope" enum:"all,client" default:"all"`
}

// Kinds lists the kinds of RateLimit with their fields.
func (RateLimit) Kinds() [][]string {
	return [][]string{
		{"token-bucket", "rate", "burst", "answer", "scope"},
		{"fixed-window", "limit", "window", "answer", "scope"},
		{"sliding-window", "limit", "window", "answer", "scope"},
	}
}

// Contention describes rows that calls compete for. A lost race answers 409.
type Contention struct {
	// Kind is how the race is decided: optimistic reads a version and writes if
	// it is still current, write-only writes with the version its last answer
	// told, lock waits for the row.
	Kind string `yaml:"kind"`
	// Rows is how many rows there are; a request picks one at random.
	Rows int64 `yaml:"rows" unit:"count" default:"1"`
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
	Above int64 `yaml:"above" unit:"count"`
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
	// For is how long it lasts; none: to the end of the run.
	For time.Duration `yaml:"for" none:"true"`
	// Ramp is how long capacity takes to climb back, linearly.
	Ramp time.Duration `yaml:"ramp" default:"0s"`
	// RampFrom is the share of the workers at the start of the ramp.
	RampFrom float64 `yaml:"ramp_from" unit:"share" default:"0%"`
	// Answer is what calls get while the service is down (default refused) or
	// in error (default 500).
	Answer Answer `yaml:"answer" optional:"true"`
	// Share is the share of calls that fail (errors) or of the workers that
	// are left (capacity).
	Share float64 `yaml:"share" unit:"share" default:"100%"`
	// AfterWork makes errors come after the full service time.
	AfterWork bool `yaml:"after_work" default:"false"`
	// Factor multiplies the service time of calls that start in a slow fault.
	Factor float64 `yaml:"factor" unit:"factor"`
}

// Kinds lists the kinds of Fault with their fields.
func (Fault) Kinds() [][]string {
	return [][]string{
		{"down", "", "answer", "at", "for", "ramp", "ramp_from"},
		{"errors", "", "share", "answer", "after_work", "at", "for", "ramp", "ramp_from"},
		{"slow", "", "factor", "at", "for", "ramp", "ramp_from"},
		{"pause", "", "at", "for", "ramp", "ramp_from"},
		{"capacity", "", "share", "at", "for", "ramp", "ramp_from"},
	}
}
