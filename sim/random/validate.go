package random

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// maxPhases is the largest k of erlang: a thousand phases are as good as a
// constant, and the tables stay quick to make.
const maxPhases = 1000

// maxRate is the largest rate per second: one request per nanosecond.
const maxRate = 1e9

// report tells about one bad field.
type report func(field, problem string)

// Validate calls bad with each field that Kind uses and cannot: its YAML name,
// and what is allowed. Whether the values of a file have been loaded is not
// checked.
func (d Dist) Validate(bad func(field, problem string)) {
	check := report(bad)
	switch d.Kind {
	case "", "constant", "exponential":
		check.time("mean", d.Mean)
	case "uniform":
		check.time("from", d.From)
		check.time("to", d.To)
		if d.To < d.From {
			bad("to", fmt.Sprintf("must not be below from (%v)", d.From))
		}
	case "normal", "abs-normal":
		check.time("mean", d.Mean)
		check.time("sd", d.SD)
	case "lognormal":
		check.time("mean", d.Mean)
		check.within("cv", d.CV, 0, 1000)
	case "pareto":
		check.time("mean", d.Mean)
		if !(d.Shape > 1 && d.Shape <= math.MaxFloat64) {
			bad("shape", "must be above 1, so that the mean exists")
		}
	case "erlang":
		check.time("mean", d.Mean)
		if d.K < 1 || d.K > maxPhases {
			bad("k", fmt.Sprintf("must be a count from 1 to %d", maxPhases))
		}
	case "file":
		if d.File == "" && len(d.Values) == 0 {
			bad("file", "must name a CSV file with a column seconds")
		}
	default:
		check.kind(d.Kinds())
	}
}

// Validate is like [Dist.Validate]; fields of think are named think.mean and
// so on.
func (a Arrival) Validate(bad func(field, problem string)) {
	check := report(bad)
	check.time("at", a.At)
	switch a.Kind {
	case "", "burst":
		check.time("spread", a.Spread)
		return // a burst has no for
	case "poisson", "constant":
		check.per(a.Per)
		if !(a.Rate > 0 && a.Rate <= maxRate) {
			bad("rate", "must be above 0/s and at most 1e9/s")
		}
	case "every":
		if a.Every <= 0 || a.Every > Max {
			bad("every", "must be above 0s")
		}
		if a.Phase != "" && a.Phase != "random" && a.Phase != "aligned" {
			bad("phase", "must be random or aligned")
		}
		if !(a.Jitter >= 0 && a.Jitter <= 1) {
			bad("jitter", "must be from 0% to 100%")
		}
	case "closed":
		a.Think.Validate(func(field, problem string) { bad("think."+field, problem) })
	case "profile":
		check.per(a.Per)
		check.points(a.Points)
	case "trace":
		if a.File == "" && len(a.Times) == 0 {
			bad("file", "must name a CSV file with a column t_s")
		}
	default:
		check.kind(a.Kinds())
		return
	}
	if a.For > Max {
		check.time("for", a.For)
	}
}

func (bad report) time(field string, d time.Duration) {
	if d < 0 || d > Max {
		bad(field, fmt.Sprintf("must be from 0s to %dd", Max/(24*time.Hour)))
	}
}

func (bad report) within(field string, x, lo, hi float64) {
	if !(x >= lo && x <= hi) {
		bad(field, fmt.Sprintf("must be from %v to %v", lo, hi))
	}
}

func (bad report) per(per string) {
	if per != "" && per != "all" && per != "client" {
		bad("per", "must be all (the rate of the whole group) or client (of each client)")
	}
}

func (bad report) kind(kinds [][]string) {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k[0]
	}
	bad("kind", "must be one of "+strings.Join(names, ", "))
}

func (bad report) points(points []Point) {
	if len(points) == 0 {
		bad("points", "must have at least one point, such as 0s 40/s")
		return
	}
	some := false
	for i, p := range points {
		name := fmt.Sprintf("point %d (%v)", i+1, p.At)
		switch {
		case p.At < 0 || p.At > Max:
			bad("points", fmt.Sprintf("%s must be from 0s to %dd", name, Max/(24*time.Hour)))
		case i > 0 && p.At < points[i-1].At:
			bad("points", fmt.Sprintf("%s must not be before the point in front of it (%v)", name, points[i-1].At))
		case i > 1 && p.At == points[i-2].At:
			bad("points", name+" is the third at the same time; a step takes two")
		}
		if !(p.Rate >= 0 && p.Rate <= maxRate) {
			bad("points", name+" must have a rate from 0/s to 1e9/s")
		}
		some = some || p.Rate > 0
	}
	if !some {
		bad("points", "must have a rate above 0/s somewhere")
	}
}
