package experiment

import (
	"math"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
)

// calm is for how many seconds what is offered must be served, and how
// many seconds a baseline needs.
const calm = 10

// recovery is how long after the trigger the system serves again what is
// offered, in seconds. Not available without a trigger, with one that lasts to
// the end, and when too little of the run is left to tell or nothing was asked.
//
// While requests keep starting, it is the start of the first 10 seconds in a
// row in which together successes are at least 90 % of the requests started,
// and in each of which unfinished requests are at most 1.5 x their mean before
// the trigger + 10. (Second by second, 40 requests/s that take 2 s each would
// fail the 90 % in one second of three, by chance.) The second that the trigger
// ends in may be the first of them, so that what was not disturbed recovers in 0.
//
// When none start after the trigger, it is the time at which 99 % of the
// requests have succeeded.
//
// Not within the run is infinite, also where the run is too short to tell late
// from never: what is only known to be more than everything else must not count
// as missing, or the others would look quicker than they are.
func recovery(rec *sim.Record, m *sim.Model) float64 {
	if !rec.HasTrigger || rec.TriggerEnd >= m.Until {
		return math.NaN()
	}
	end := lastArrival(rec, m)
	if end <= rec.TriggerEnd {
		if rec.Done99 == sim.Never && startedIn(rec) == 0 {
			return math.NaN()
		}
		return since(rec.TriggerEnd, almostDone(rec))
	}
	first, last := int64(rec.TriggerEnd/time.Second), int64(end/time.Second)
	if last-first < calm {
		return math.NaN()
	}
	limit, limited := backlogLimit(rec, m)
	for i := first; i+calm <= last; i++ {
		if served(rec, i, limit, limited) {
			return since(rec.TriggerEnd, time.Duration(i)*time.Second)
		}
	}
	return math.Inf(1)
}

// lockedIn is 1 when the system never recovers, or has relapsed for good. A
// burst whose requests have all given up is not locked in: nothing goes on any
// more. Not available where recovery is not, and where arrivals end before a
// system that does recover can be sure to have done so.
func lockedIn(rec *sim.Record, m *sim.Model) float64 {
	r, end := recovery(rec, m), lastArrival(rec, m)
	if math.IsNaN(r) {
		return r
	}
	never := math.IsInf(r, 1)
	if end <= rec.TriggerEnd {
		return oneIf(never && rec.Unfinished > 0)
	}
	_, most, heals := m.SlowRecovery(rec.TriggerStart, rec.TriggerEnd)
	switch {
	case !never:
		return oneIf(!heals && relapsed(rec, end, r))
	case heals && since(rec.TriggerEnd, end) < most.Seconds()+calm:
		return math.NaN()
	default:
		return 1
	}
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// relapsed reports that a system that recovered within so many seconds is down
// again to the last arrival: every 10 seconds in a row since then less than
// 90 % of what was asked succeeded, for half a minute at least, and for longer
// than it took to recover.
func relapsed(rec *sim.Record, end time.Duration, recovery float64) bool {
	last := int64(end / time.Second)
	first := last - calm
	for first >= 0 && !served(rec, first, 0, false) {
		first--
	}
	down := last - (first + calm)
	return down >= 3*calm && float64(down) > recovery
}

// since is from a to b in seconds, at least 0.
func since(a, b time.Duration) float64 {
	if b == sim.Never {
		return math.Inf(1)
	}
	return inSeconds(max(b-a, 0))
}

// lastArrival is when requests stop starting. Clients that would go on for ever
// but hang in their last request count as going on.
func lastArrival(rec *sim.Record, m *sim.Model) time.Duration {
	last := rec.LastArrival
	for i := range m.Groups {
		g := &m.Groups[i]
		if g.Requests != server.Unlimited || g.Arrival.Kind != "closed" {
			continue
		}
		end := m.Until
		if g.Arrival.For > 0 {
			end = min(end, g.Arrival.At+g.Arrival.For)
		}
		last = max(last, end)
	}
	return last
}

// almostDone is when 99 % of the requests had succeeded: to the nanosecond if
// the record knows it, else the end of that second.
func almostDone(rec *sim.Record) time.Duration {
	if rec.Done99 != sim.Never {
		return rec.Done99
	}
	started, succeeded := startedIn(rec), int64(0)
	for i, b := range rec.Bins {
		succeeded += b.Succeeded
		if 100*succeeded >= 99*started {
			return time.Duration(i+1) * time.Second
		}
	}
	return sim.Never
}

// startedIn is how many requests started in all, those of the warm-up included.
func startedIn(rec *sim.Record) int64 {
	var n int64
	for _, b := range rec.Bins {
		n += b.Started
	}
	return n
}

// backlogLimit is how many unfinished requests are normal: 1.5 x the mean over
// the seconds between warm-up and trigger + 10.
func backlogLimit(rec *sim.Record, m *sim.Model) (limit float64, ok bool) {
	first, last := ceilDiv(int64(m.Warmup), int64(time.Second)), int64(rec.TriggerStart/time.Second)
	if last-first < calm {
		return 0, false
	}
	var sum int64
	for i := first; i < last; i++ {
		sum += binAt(rec, i).Unfinished
	}
	return float64(1.5*float64(sum)/float64(last-first)) + 10, true
}

// served reports that in the 10 seconds from first on what was offered was
// served. Not so if nothing started and nothing succeeded although there was
// something to do.
func served(rec *sim.Record, first int64, limit float64, limited bool) bool {
	var started, succeeded int64
	for i := first; i < first+calm; i++ {
		b := binAt(rec, i)
		if limited && float64(b.Unfinished) > limit {
			return false
		}
		started += b.Started
		succeeded += b.Succeeded
	}
	idle := started+succeeded == 0 && binAt(rec, first).Unfinished > 0
	return !idle && 10*succeeded >= 9*started
}

// binAt is second i; after the last event everything stays as it is.
func binAt(rec *sim.Record, i int64) sim.Bin {
	switch n := int64(len(rec.Bins)); {
	case i < n:
		return rec.Bins[i]
	case n > 0:
		return sim.Bin{Unfinished: rec.Bins[n-1].Unfinished}
	default:
		return sim.Bin{}
	}
}
