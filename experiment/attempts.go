package experiment

import (
	"slices"
	"time"

	"retrystorm/sim"
)

// Attempt is a call that reached the target.
type Attempt struct {
	// Client counts from 0 over all groups. Of a group with a single client it is
	// the request, so that those of an open stream can be told apart.
	Client  int64
	At      time.Duration // when it reached the target
	Retry   bool          // anything but a first attempt
	Outcome string        // what its caller saw: ok, timeout, refused, 503, ...
}

const (
	// mostShown is how many attempts there may be at a target to be kept: as
	// many as a picture can show one by one.
	mostShown = 2000
	// mostTraced is how many calls a run may have at all to be traced for them.
	mostTraced = 10 * mostShown
)

// What becomes of attempts besides answers.
const (
	timedOut   = "timeout"
	cancelled  = "cancelled"
	expired    = "expired"
	late       = "late" // its caller had left for another reason than a timeout
	unfinished = "unfinished"
)

// shown reports whether the attempts at a place are kept: those of the last
// place of the sweep, where pictures look that show only one.
func (e *Experiment) shown(at *place) bool {
	return e.bisect == nil && slices.Equal(at.sweep, e.points[len(e.points)-1].sweep)
}

// attemptsOf plays the first replication, whose record is rec, again if it is small,
// and takes down every call to the target. It comes to the same numbers, the long way.
func attemptsOf(run runFunc, m *sim.Model, seed uint64, rec *sim.Record, opt sim.Options) ([]Attempt, error) {
	all, there := int64(0), int64(0)
	for i := range rec.Hops {
		if h := &rec.Hops[i]; h.Inner {
			all += h.Calls
			if h.To == m.Services[m.Target].Name {
				there += h.Calls
			}
		}
	}
	if there == 0 || there > mostShown || all > mostTraced {
		return nil, nil
	}
	l := attemptList{target: m.Services[m.Target].Name, groups: make(map[string]int), calls: make(map[uint64]int)}
	for i := range m.Groups {
		l.groups[m.Groups[i].Name] = i
	}
	opt.Trace = l.note
	if _, err := guarded(run, m, seed, 0, opt); err != nil {
		return nil, err
	}
	return l.done(m), nil
}

// attemptList gathers attempts from a trace.
type attemptList struct {
	target string
	groups map[string]int // by name
	calls  map[uint64]int // index in list, by call
	list   []tracedAttempt
}

type tracedAttempt struct {
	Attempt
	group           int
	client, request int64
	arrived         bool
}

// note is told every event of the run.
func (l *attemptList) note(e sim.TraceEvent) {
	if e.Call == 0 || e.To != l.target {
		return
	}
	i, ok := l.calls[e.Call]
	if !ok {
		i = len(l.list)
		l.calls[e.Call] = i
		l.list = append(l.list, tracedAttempt{group: l.groups[e.Group], client: e.Client, request: e.Request})
	}
	a := &l.list[i]
	outcome := ""
	switch e.Kind {
	case sim.TraceArrived:
		a.arrived, a.At, a.Retry = true, e.At, e.Cause != sim.First
	case sim.TraceAnswer, sim.TraceLateAccepted:
		outcome = e.Answer.String()
	case sim.TraceTimedOut:
		outcome = timedOut
	case sim.TraceCancelled:
		outcome = cancelled
	case sim.TraceExpired:
		outcome = expired
	case sim.TraceLate:
		outcome = late
	}
	if a.Outcome == "" { // the first is what the caller saw
		a.Outcome = outcome
	}
}

// done are the attempts that reached the target, in the order in which they did.
func (l *attemptList) done(m *sim.Model) []Attempt {
	wide := make([]int64, len(m.Groups)) // how many clients, or requests of one
	for i := range m.Groups {
		wide[i] = m.Groups[i].Count
	}
	for i := range l.list {
		if a := &l.list[i]; m.Groups[a.group].Count == 1 {
			wide[a.group] = max(wide[a.group], a.request+1)
		}
	}
	first := make([]int64, len(wide))
	for i := 1; i < len(first); i++ {
		first[i] = first[i-1] + wide[i-1]
	}
	var out []Attempt
	for i := range l.list {
		a := &l.list[i]
		if !a.arrived {
			continue
		}
		a.Client = first[a.group] + a.client
		if m.Groups[a.group].Count == 1 {
			a.Client = first[a.group] + a.request
		}
		if a.Outcome == "" {
			a.Outcome = unfinished
		}
		out = append(out, a.Attempt)
	}
	if len(out) > mostShown { // the warm-up is traced, but not in the record
		return nil
	}
	slices.SortStableFunc(out, func(a, b Attempt) int { return int(a.At - b.At) })
	return out
}
