package server

import "time"

// die is the crash: everything inside is gone, and the station is down while
// it restarts.
func (s *Station) die(now time.Duration) Decision {
	s.crashes++
	s.inService, s.parked = 0, 0
	s.queue.clear()
	s.limiter.reset()
	up := plus(now, s.crash.Restart)
	s.outage = fault{kind: down, reply: reply{answer: Refused}, from: now, to: up, ramp: newRamp(up, s.crash.Ramp, s.workers, s.crash.RampFrom)}
	s.refresh(now)
	return Decision{Fate: Crashes, Answer: Reset}
}

// recover adds the last crash to what the faults make of the station.
func (s *Station) recover(now time.Duration) {
	s.next = min(s.next, s.outage.next(now))
	if s.outage.active(now) {
		s.usable = 0
		s.down.add(&s.outage.reply, s.outage.to)
	} else {
		s.usable = min(s.usable, s.outage.usable(now))
	}
}
