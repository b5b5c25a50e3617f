package server

import "time"

// SetAdmit lets in that share of the calls from now on.
func (s *Station) SetAdmit(now time.Duration, share float64) {
	s.admitted = share
	s.refresh(now)
}

// Admit is the share of the calls that is let in.
func (s *Station) Admit() float64 { return s.admitted }

// SetWorkers makes it that many workers from now on, of which faults and ramps
// leave their shares. Busy ones above them finish what they do. Afterwards Next
// may have calls to start.
func (s *Station) SetWorkers(now time.Duration, workers int64) {
	if workers == Unlimited {
		workers = everyone
	}
	s.staff(workers)
	s.refresh(now)
}

// Workers is how many there are, whatever faults leave of them; Unlimited when
// there is no limit.
func (s *Station) Workers() int64 {
	if s.workers == everyone {
		return Unlimited
	}
	return s.workers
}

func (s *Station) staff(workers int64) {
	s.workers = workers
	for i := range s.faults {
		s.faults[i].staff(workers)
	}
	s.outage.staff(workers)
}
