package server

import (
	"time"

	"retrystorm/sim/random"
)

// Station is a service at work: workers, queue, limits and faults. It holds
// only calls' numbers and counts; calls themselves, and events, are the
// caller's. Times given to it never go back, except to Reset.
type Station struct {
	// What every call needs.
	usable    int64 // workers that may be busy now
	inService int64
	above     int64 // calls inside that it survives
	guarded   bool  // an arrival must pass admit
	steady    bool  // a call is done when its demand is
	queue     queue

	// The state made by changes, as of the last one.
	next    time.Duration // the first one not applied
	down    Answer        // what all calls get; OK when up
	failing []*fault      // active now
	factor  float64

	// The last crash, if there was one.
	outage  fault
	crashes int64

	limiter limiter

	// What a run doesn't change, except for the pauses left.
	workers  int64
	slowdown time.Duration
	faults   []fault
	pauses   []interval
	paused   []interval // of pauses, those not over
	crash    Crash
	spans    []Span
	until    time.Duration
}

// New makes the station of a valid spec, for runs that end at until.
func New(spec Spec, until time.Duration) *Station {
	workers := spec.Workers
	if workers == Unlimited {
		workers = everyone
	}
	s := &Station{
		above:    everyone,
		queue:    newQueue(spec.Queue),
		workers:  workers,
		slowdown: spec.Slowdown,
		faults:   newFaults(spec, workers, until),
		spans:    spec.Spans(until),
		until:    until,
	}
	s.pauses = pauses(s.faults, until)
	s.failing = make([]*fault, 0, len(s.faults))
	if spec.RateLimit != nil {
		s.limiter = newLimiter(*spec.RateLimit)
	}
	if spec.Crash != nil {
		s.crash, s.above = *spec.Crash, spec.Crash.Above
	}
	s.Reset()
	return s
}

// Reset makes the station as new, keeping its memory.
func (s *Station) Reset() {
	s.inService, s.crashes = 0, 0
	s.queue.clear()
	s.limiter.reset()
	s.paused = s.pauses
	s.refresh(-1) // before a change at 0
}

// NextChange is the first instant at which something changes that Change has
// not been told of. Ask again after every Change and every crash.
func (s *Station) NextChange() (at time.Duration, ok bool) { return s.next, s.next < s.until }

// Change brings the station's faults and ramps to now. Afterwards Next may
// have calls to start.
func (s *Station) Change(now time.Duration) { s.refresh(now) }

// refresh works out what the faults make of the station at now. It starts from
// nothing each time: there are few faults, and few changes next to calls.
func (s *Station) refresh(now time.Duration) {
	s.next = never
	s.usable, s.down, s.factor = s.workers, OK, 1
	s.failing = s.failing[:0]
	for i := range s.faults {
		f := &s.faults[i]
		s.usable = min(s.usable, f.usable(now))
		s.next = min(s.next, f.next(now))
		if !f.active(now) {
			continue
		}
		switch f.kind {
		case down:
			s.down = strictest(s.down, f.answer)
		case failing:
			s.failing = append(s.failing, f)
		case slow:
			s.factor = float64(s.factor * f.factor)
		}
	}
	if s.crashes > 0 {
		s.recover(now)
	}
	for len(s.paused) > 0 && s.paused[0].to <= now {
		s.paused = s.paused[1:]
	}
	s.guarded = s.down != OK || len(s.failing) > 0 || s.limiter.kind != noLimit
	s.steady = s.slowdown == 0 && s.factor == 1 && len(s.paused) == 0
}

// Arrive decides what happens to a call that reaches the station. Draws are
// named after the call's key, so they don't depend on what else happened.
func (s *Station) Arrive(now time.Duration, call uint32, client uint64, key random.Key) Decision {
	d := Decision{Fate: Starts}
	if s.guarded {
		if d = s.admit(now, client, key); d.Fate != Starts {
			return d
		}
	}
	free := s.inService < s.usable
	if !free && s.queue.len() >= s.queue.limit {
		return s.queue.full
	}
	if s.Inside() >= s.above {
		return s.die(now)
	}
	if free {
		s.inService++
		return d
	}
	s.queue.push(call)
	d.Fate = Waits
	return d
}

// admit sends the call on (Starts) or answers it.
func (s *Station) admit(now time.Duration, client uint64, key random.Key) Decision {
	if s.down != OK {
		return answered(s.down)
	}
	if s.limiter.kind != noLimit && !s.limiter.admit(now, client) {
		return answered(s.limiter.answer)
	}
	// Each fault draws, whatever the others did.
	atOnce, afterWork := OK, OK
	for _, f := range s.failing {
		switch {
		case f.share < 1 && random.Unit(key.Draw(random.Error, f.index)) >= f.share:
		case f.afterWork:
			afterWork = strictest(afterWork, f.answer)
		default:
			atOnce = strictest(atOnce, f.answer)
		}
	}
	if atOnce != OK {
		return answered(atOnce)
	}
	return Decision{Fate: Starts, ErrorAfter: afterWork != OK, Answer: afterWork}
}

// Leave frees the worker of a call in service. Calls that a crash killed are
// not in service any more.
func (s *Station) Leave() {
	if s.inService == 0 {
		panic("server: a call leaves that is not in service")
	}
	s.inService--
}

// Next takes the next waiting call into service, if a usable worker is free.
func (s *Station) Next() (call uint32, ok bool) {
	if s.inService >= s.usable || s.queue.len() == 0 {
		return 0, false
	}
	s.inService++
	return s.queue.pop(), true
}

// InService is how many calls have a worker.
func (s *Station) InService() int64 { return s.inService }

// Waiting is how many calls are in the queue.
func (s *Station) Waiting() int64 { return s.queue.len() }

// Inside is how many calls wait or are in service.
func (s *Station) Inside() int64 { return s.inService + s.queue.len() }

// Usable is how many workers may be busy now: fewer than the spec says during
// capacity faults and ramps, 0 while a crashed station restarts, Unlimited
// when there is no limit. A station that is down keeps its workers: they serve
// the calls inside.
func (s *Station) Usable() int64 {
	if s.usable == everyone {
		return Unlimited
	}
	return s.usable
}

// Down says whether all calls are turned away, by a fault or after a crash, and
// with which answer.
func (s *Station) Down() (Answer, bool) { return s.down, s.down != OK }

// FaultsEnd is the time from the start of the first fault to the end of the
// last, ramps included, cut off at the end of the run. Crashes are no faults.
func (s *Station) FaultsEnd() (start, end time.Duration, ok bool) {
	for _, f := range s.spans {
		if !ok {
			start, ok = f.From, true
		}
		start, end = min(start, f.From), max(end, f.To)
	}
	return start, end, ok
}
