package experiment

import "retrystorm/sim"

// Plan is what a run would do.
type Plan struct {
	Points int // of a bisection, how many are sought
	// Replications are those of all points together: as many as there are at
	// least, and at most. They differ where a rule or a bisection decides.
	Least, Most int64
	// Cost is how many calls all of Least make, by the estimate that shards are
	// cut by.
	Cost float64
	// Shards are what each of several shards would do.
	Shards []ShardPlan
}

// ShardPlan is the part of one shard.
type ShardPlan struct {
	Points int // whole ones
	Pieces int // of points that it shares with others
	Cost   float64
}

// Plan says what a run would do, in n shards.
func (e *Experiment) Plan(n int) Plan {
	p := Plan{Points: len(e.points)}
	each := int64(e.replications)
	first := each
	if e.rule != nil {
		first = int64(e.rule.next(0, e.replications))
	}
	if b := e.bisect; b != nil {
		// Both ends, then three searches, of which the last two share values.
		p.Points = b.cells
		p.Least, p.Most = 2*first*int64(b.cells), int64(b.cells)*each*(2+3*depth(b.Steps))
		for _, c := range e.costs { // both ends of each
			p.Cost += float64(float64(c) * float64(first))
		}
		return p
	}
	p.Least, p.Most = first*int64(len(e.points)), each*int64(len(e.points))
	for _, c := range e.costs {
		p.Cost += float64(float64(c) * float64(first))
	}
	for k := range n {
		var s ShardPlan
		for _, part := range (Shard{k + 1, n}).spans(e.costs, e.replications, e.rule != nil) {
			if part.to-part.from == e.replications {
				s.Points++
			} else {
				s.Pieces++
			}
			runs := float64(part.to-part.from) * (float64(first) / float64(each))
			s.Cost += float64(float64(e.costs[part.place]) * runs)
		}
		p.Shards = append(p.Shards, s)
	}
	return p
}

// depth is how often n can be halved.
func depth(n int) int64 {
	d := int64(0)
	for ; n > 1; n = (n + 1) / 2 {
		d++
	}
	return d
}

// Trial is one replication that was run to see what it takes.
type Trial struct {
	Cost  float64 // calls by the estimate
	Calls int64   // that all services saw
}

// Try runs the first replication of one point: of those in an order that mixes
// them, the i-th. It is not ok when there is no such point, and
// [ErrInterrupted] when it was stopped or had more events than most (0: there is
// no limit).
func (e *Experiment) Try(i int, most int64, stop <-chan struct{}) (t Trial, ok bool, err error) {
	if i >= len(e.points) {
		return t, false, nil
	}
	at := i * stride(len(e.points)) % len(e.points)
	m, err := e.model(&e.points[at])
	if err != nil {
		return t, false, err
	}
	rec, err := guarded(e.newRun(), m, e.seed, 0, sim.Options{Stop: stop, Most: most})
	if err != nil {
		return t, true, e.failed(&e.points[at], 0, err)
	}
	t.Cost = float64(e.costs[at])
	for i := range rec.Services {
		t.Calls += rec.Services[i].Calls
	}
	return t, true, nil
}
