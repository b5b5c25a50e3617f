package random

import "time"

// Unlimited is the value of a count that has no limit.
const Unlimited = -1

// Dist describes the distribution of a duration: a service time, a network
// delay, a think time. Draws are whole nanoseconds and never negative.
type Dist struct {
	// Kind is the shape of the distribution.
	Kind string `yaml:"kind" default:"constant"`
	// Mean is the mean (of the underlying normal, for normal and abs-normal).
	Mean time.Duration `yaml:"mean" default:"0s"`
	// From is the smallest value of uniform.
	From time.Duration `yaml:"from" default:"0s"`
	// To is the largest value of uniform.
	To time.Duration `yaml:"to" default:"0s"`
	// SD is the standard deviation of the underlying normal.
	SD time.Duration `yaml:"sd" default:"0s"`
	// CV is the coefficient of variation (standard deviation / mean) of lognormal.
	CV float64 `yaml:"cv" unit:"factor" default:"1"`
	// Shape is the tail index of pareto; above 1, so that the mean exists.
	Shape float64 `yaml:"shape" unit:"factor" default:"2.5"`
	// K is the number of exponential phases of erlang.
	K int64 `yaml:"k" unit:"count" default:"2"`
	// File is a CSV whose column seconds holds the values of an empirical distribution.
	File string `yaml:"file"`
	// Values are what File held, loaded with the scenario.
	Values []time.Duration `yaml:"-"`
}

// Kinds lists the kinds of Dist with their fields; the first field is the main
// value of the one-line form.
func (Dist) Kinds() [][]string {
	return [][]string{
		{"constant", "mean"},
		{"uniform", "from", "to"},
		{"exponential", "mean"},
		{"normal", "mean", "sd"},
		{"abs-normal", "mean", "sd"},
		{"lognormal", "mean", "cv"},
		{"pareto", "mean", "shape"},
		{"erlang", "mean", "k"},
		{"file", "file"},
	}
}

// Arrival describes when the requests of a group start.
type Arrival struct {
	// Kind is the arrival process.
	Kind string `yaml:"kind" default:"burst"`
	// At is when the first request may start.
	At time.Duration `yaml:"at" default:"0s"`
	// For is how long requests keep starting; none: to the end of the run.
	For time.Duration `yaml:"for" none:"true"`
	// Spread: each client of a burst starts at At + U(0, Spread).
	Spread time.Duration `yaml:"spread" default:"0s"`
	// Rate is the arrival rate of the whole group, in requests per second.
	Rate float64 `yaml:"rate" unit:"rate" default:"0/s"`
	// Per says whose rate it is: the whole group's (all) or each client's (client).
	Per string `yaml:"per" enum:"all,client" default:"all"`
	// Every is the period of each client's own clock.
	Every time.Duration `yaml:"every" default:"0s"`
	// Phase says whether the clients' clocks start together (aligned) or anywhere in the period (random).
	Phase string `yaml:"phase" enum:"random,aligned" default:"random"`
	// Jitter moves each tick of every by a uniform share of the period.
	Jitter float64 `yaml:"jitter" unit:"share" default:"0%"`
	// Think is the time between the end of a request and the start of the client's next one.
	Think Dist `yaml:"think"`
	// Points are the corners of a piecewise-linear rate.
	Points []Point `yaml:"points"`
	// File is a CSV whose column t_s holds the start times.
	File string `yaml:"file"`
	// Times are what File held, loaded with the scenario, ascending.
	Times []time.Duration `yaml:"-"`
}

// Kinds lists the kinds of Arrival with their fields.
func (Arrival) Kinds() [][]string {
	return [][]string{
		{"burst", "", "at", "spread"},
		{"poisson", "rate", "per", "at", "for"},
		{"constant", "rate", "per", "at", "for"},
		{"every", "every", "phase", "jitter", "at", "for"},
		{"closed", "", "think", "at", "for"},
		{"profile", "", "points", "per", "at", "for"},
		{"trace", "file", "at", "for"},
	}
}

// Point is one corner of a rate profile, written "20s 80/s".
type Point struct {
	// At is the time of the corner.
	At time.Duration `yaml:"at"`
	// Rate is the rate there, in requests per second.
	Rate float64 `yaml:"rate" unit:"rate"`
}

// Kinds gives Point its one-line form: two main values.
func (Point) Kinds() [][]string { return [][]string{{"", "at", "rate"}} }
