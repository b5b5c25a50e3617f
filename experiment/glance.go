package experiment

// Glance is the same experiment with only the first replications of each point,
// for somebody who waits for the whole. What it says of a replication is what the
// whole says, and nothing stops it early.
func (e *Experiment) Glance(replications int) *Experiment {
	g := *e
	g.replications, g.rule = min(replications, e.replications), nil
	return &g
}

// Replications is how many each point has, at most.
func (e *Experiment) Replications() int { return e.replications }

// AutoWarmup reports whether pilots find the warm-ups.
func (e *Experiment) AutoWarmup() bool { return e.autoWarmup }
