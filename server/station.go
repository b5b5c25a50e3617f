package server

import (
	"math"
	"time"
)

// Station is a replica of a service at work: workers, queue, limits and faults. It holds
// only calls' numbers and counts; calls themselves, and events, are the
// caller's. Times given to it never go back, except to Reset.
type Station struct {
	// What every call needs.
	usable    int64 // workers that may be busy now
	inService int64
	parked    int64 // inside, while others work for them
	above     int64 // calls inside that it survives, or that may be inside
	guarded   bool  // an arrival must pass admit
	steady    bool  // a call is done when its demand is
	queue     queue

	// The state made by changes, as of the last one.
	next    time.Duration // the first one not applied
	down    cause         // why all calls are turned away
	failing []*fault      // active now
	factor  float64
	workers int64 // before faults
	// admitted is the share of the calls that is let in.
	admitted float64

	// The last crash, if there was one.
	outage  fault
	crashes int64

	rate    rateLimit
	bans    bans
	shed    shed
	limiter limiter
	full    reply // to a call that finds no place, or waited too long

	// What a run doesn't change.
	staffed  int64   // workers at the start
	opened   float64 // share of the calls let in at the start
	inFlight int64   // calls that may be inside
	slowdown time.Duration
	mean     time.Duration // service time
	faults   []fault
	pauses   []*fault
	crash    Crash
	spans    []Span
	until    time.Duration
}

// New makes the station of a valid spec, for runs that end at until; if it has
// several replicas, that of the first.
func New(spec Spec, until time.Duration) *Station { return NewReplica(spec, 0, until) }

// NewReplica makes the station of a replica, counted from 0.
func NewReplica(spec Spec, replica int64, until time.Duration) *Station {
	workers := spec.Workers
	if workers == Unlimited {
		workers = everyone
	}
	s := &Station{
		above:    everyone,
		inFlight: everyone,
		opened:   1,
		queue:    newQueue(spec.Queue),
		full:     newReply(spec.Queue.Full, 503),
		staffed:  workers,
		slowdown: spec.Slowdown,
		mean:     time.Duration(math.Round(spec.ServiceTime.MeanSeconds() * 1e9)),
		faults:   newFaults(spec, replica, workers, until),
		spans:    spec.Spans(until),
		until:    until,
	}
	for i := range s.faults {
		if f := &s.faults[i]; f.kind == pause {
			s.pauses = append(s.pauses, f)
		}
	}
	s.failing = make([]*fault, 0, len(s.faults))
	if spec.RateLimit != nil {
		s.rate = newRateLimit(*spec.RateLimit)
		if spec.RateLimit.Ban > 0 {
			s.bans = newBans(spec.RateLimit.Ban)
		}
	}
	if spec.Limiter != nil {
		s.limiter = newLimiter(*spec.Limiter)
	}
	if spec.Shed != nil {
		s.shed = newShed(*spec.Shed, spec.Queue.Limit)
	}
	if spec.Crash != nil {
		s.crash, s.above = *spec.Crash, spec.Crash.Above
	}
	if spec.InFlight > 0 {
		s.inFlight = spec.InFlight
		s.above = min(s.above, s.inFlight)
	}
	if spec.Admit != nil {
		s.opened = *spec.Admit
	}
	s.Reset()
	return s
}

// Reset makes the station as new, keeping its memory.
func (s *Station) Reset() {
	s.inService, s.parked, s.crashes = 0, 0, 0
	s.queue.clear()
	s.rate.reset()
	s.bans.reset()
	s.limiter.reset()
	s.admitted = s.opened
	s.staff(s.staffed)
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
	s.usable, s.down, s.factor = s.workers, cause{}, 1
	s.failing = s.failing[:0]
	for i := range s.faults {
		f := &s.faults[i]
		f.turn(now)
		s.usable = min(s.usable, f.usable(now))
		s.next = min(s.next, f.next(now))
		if !f.active(now) {
			continue
		}
		switch f.kind {
		case down:
			s.down.add(&f.reply, f.to)
		case failing:
			s.failing = append(s.failing, f)
		case slow:
			s.factor = float64(s.factor * f.factor)
		}
	}
	if s.crashes > 0 {
		s.recover(now)
	}
	s.guarded = s.admitted < 1 || s.down.reply != nil || len(s.failing) > 0 || s.rate.kind != noLimit || s.shed.active || s.limiter.active
	s.steady = s.slowdown == 0 && s.factor == 1 && (len(s.pauses) == 0 || s.pauseAfter(now).from == never)
}

// Leave frees the worker of a call in service, finished or not: took is how
// long it was inside, and dropped says that it failed. Calls that a crash
// killed are not in service any more.
func (s *Station) Leave(now, took time.Duration, dropped bool) {
	s.inService--
	if s.limiter.active || s.inService < 0 {
		s.left(now, took, dropped)
	}
}

func (s *Station) left(now, took time.Duration, dropped bool) {
	if s.inService < 0 {
		panic("server: a call leaves that is not in service")
	}
	s.limiter.release(now, took, dropped)
}

// Next takes the next call out of the queue, if a usable worker is free: into
// service, or dropped. Ask until there is none.
func (s *Station) Next(now time.Duration) (t Taken, ok bool) {
	switch {
	case s.inService >= s.usable || s.queue.n == 0:
		return Taken{}, false
	case s.queue.plain:
		s.inService++
		return Taken{Call: s.queue.pop()}, true
	default:
		return s.take(now), true
	}
}

func (s *Station) take(now time.Duration) Taken {
	call, late := s.queue.leave(now)
	if !late {
		s.inService++
		return Taken{Call: call}
	}
	v := &s.queue.visits[call]
	if s.limiter.active {
		s.limiter.drop(now)
	}
	asked, _ := s.ask(now, 0, v.client, v.key, &s.full)
	return Taken{Call: call, Dropped: true, Answer: s.full.answer, Asked: asked}
}

// Remove takes a call out of the queue before its turn; false if it does not
// wait. The first one makes the queue a little slower.
func (s *Station) Remove(call uint32) bool {
	ok := s.queue.remove(call)
	if ok && s.limiter.active {
		s.limiter.drop(0)
	}
	return ok
}

// InService is how many calls have a worker.
func (s *Station) InService() int64 { return s.inService }

// Waiting is how many calls are in the queue.
func (s *Station) Waiting() int64 { return s.queue.n }

// Inside is how many calls wait, are in service or are parked.
func (s *Station) Inside() int64 { return s.inService + s.queue.n + s.parked }

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
func (s *Station) Down() (Answer, bool) { return s.down.answer(), s.down.reply != nil }

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
