package server

import "time"

// die is the crash: everything inside is gone, and the station is down while
// it restarts.
func (s *Station) die(now time.Duration) Decision {
	s.crashes++
	s.inService = 0
	s.queue.clear()
	up := plus(now, s.crash.Restart)
	s.outage = fault{kind: down, from: now, to: up, ramp: newRamp(up, s.crash.Ramp, s.workers, s.crash.RampFrom)}
	s.refresh(now)
	return Decision{Fate: Crashes, Answer: Reset}
}

// recover adds the last crash to what the faults make of the station.
func (s *Station) recover(now time.Duration) {
	s.next = min(s.next, s.outage.next(now))
	if s.outage.active(now) {
		s.usable, s.down = 0, strictest(s.down, Refused)
	} else {
		s.usable = min(s.usable, s.outage.usable(now))
	}
}
