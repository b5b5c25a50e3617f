package strategies

// What follows is for whoever keeps states and wants to be sure that all that
// was taken came back.

// Idle reports whether nothing counts as being in flight.
func (s *BudgetState) Idle() bool { return s.active == 0 && s.inFlight == 0 }

// Idle reports whether no permit of the present period is out.
func (s *BreakerState) Idle() bool { return s.position != HalfOpen || s.asked <= s.tally.calls }

// Idle reports whether nothing is in flight.
func (r *LimiterRules) Idle(s *LimiterState) bool { return r.flight.InFlight(&s.flight) == 0 }
