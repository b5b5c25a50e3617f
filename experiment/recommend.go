package experiment

import (
	"math"
	"slices"
)

// Recommendation says which of the variants at a place to use: first of all one
// that recovers, then one that leaves nothing undone and does nothing twice, and
// of these the one with the best trade between calls and waiting.
type Recommendation struct {
	// Best is the index of the point, -1 where none should be used; Tied are those
	// that cannot be told from it, or only by less than anybody cares about.
	Best int
	Tied []int
	// Reasons say of each point why it is out of the question.
	Reasons []Reason
	// By is what decided among the others, and Against compares them with the best
	// in it; the zero value for those out of the question.
	By      Basis
	Against []Contrast
}

// Reason is why a variant is not to be recommended.
type Reason int

// The reasons, in the order in which they count.
const (
	InQuestion  Reason = iota // there is none
	Unknown                   // there is no value to judge it by
	Stuck                     // it never recovers, or not in every replication where others do
	LosesMore                 // certainly more of its requests come to nothing
	RepeatsMore               // certainly more of its effects happen twice
)

// Basis is what a recommendation is made by.
type Basis int

// The bases.
const (
	ByOnly    Basis = iota // no other one is in question
	ByCost                 // what calls and waiting cost together
	ByProduct              // calls x completion_p99: the least where less of the one is worth more of the other, in percent
	ByCalls                // calls alone, where no variant reaches its 99 %
)

const (
	// mostLost is by how much the share of requests that come to nothing may be
	// more than that of another variant: completion_p99 has no eye for it either.
	mostLost = 0.01
	// mostRepeated is the same of what happens twice, which is worse.
	mostRepeated = 0.001
	// leastWorth is by how much what decides must be more for it to matter.
	leastWorth = 1.01
)

// Recommend says which of the points at a place to use.
func Recommend(r *Result, points []*Point) Recommendation {
	out := Recommendation{Best: -1, Reasons: make([]Reason, len(points)), Against: make([]Contrast, len(points))}
	calls, done := metricNamed(r, "total_calls"), metricNamed(r, "completion_p99")
	for i, p := range points {
		if calls < 0 || done < 0 || len(p.Runs) == 0 || math.IsNaN(p.Estimates[calls].Centre) {
			out.Reasons[i] = Unknown
		}
	}
	out.dropStuck(r, points)
	out.drop(LosesMore, mostLost, points, func(p *Point) []float64 { return lostShares(r, p) })
	out.drop(RepeatsMore, mostRepeated, points, func(p *Point) []float64 { return repeatedShares(r, p) })
	left := out.left()
	if len(left) < 2 {
		if len(left) == 1 {
			out.Best = left[0]
		}
		return out
	}
	w := out.score(r, points, left, calls, done)
	if w.Best < 0 {
		return out
	}
	out.Best = left[w.Best]
	for k, i := range left {
		out.Against[i] = w.Against[k]
	}
	for k, i := range left {
		if k != w.Best && (slices.Contains(w.Tied, k) || w.Against[k].Ratio < leastWorth) {
			out.Tied = append(out.Tied, i)
		}
	}
	return out
}

// left are the points that are in question.
func (out *Recommendation) left() []int {
	var left []int
	for i, reason := range out.Reasons {
		if reason == InQuestion {
			left = append(left, i)
		}
	}
	return left
}

// score compares those that are left: by cost or by the product, or, where that
// is infinite for all, by calls. Where nothing is infinite its mean is compared,
// which takes fewer replications than signs do.
func (out *Recommendation) score(r *Result, points []*Point, left []int, calls, done int) Winner {
	values := make([][]float64, len(left))
	out.By = ByProduct
	if r.Exchange > 0 {
		out.By = ByCost
	}
	all, any := true, false // finite
	for k, i := range left {
		values[k] = columnOf(points[i], calls)
		wait := columnOf(points[i], done)
		for n := range values[k] {
			if out.By == ByCost {
				values[k][n] += float64(r.Exchange * wait[n])
			} else {
				values[k][n] *= wait[n]
			}
		}
		all = all && finite(values[k])
		m := Median(values[k]).Centre
		any = any || !math.IsNaN(m) && !math.IsInf(m, 1)
	}
	if !any {
		out.By = ByCalls
		few := make([]*Point, len(left))
		for k, i := range left {
			few[k] = points[i]
		}
		return WinnerIn(r, few, calls, -1)
	}
	m := Metric{Infinite: !all}
	centres := make([]float64, len(left))
	for k := range values {
		centres[k] = estimate(&m, values[k]).Centre
	}
	return winner(m, values, centres, -1, false)
}

// dropStuck puts out of question what never recovers; where some do in every
// replication, all that do not; else what certainly does less often than another.
func (out *Recommendation) dropStuck(r *Result, points []*Point) {
	left := out.left()
	values, shares := make([][]float64, len(left)), make([]float64, len(left))
	least := 1.0
	for k, i := range left {
		values[k] = stuckRuns(r, points[i])
		shares[k] = Share(values[k]).Centre
		least = min(least, shares[k])
	}
	w := winner(Metric{Share: true}, values, shares, -1, false)
	for k, i := range left {
		certain := k != w.Best && !slices.Contains(w.Tied, k)
		if s := shares[k]; s == 1 || s > least && (least == 0 || certain) {
			out.Reasons[i] = Stuck
		}
	}
}

// drop puts out of question what is certainly more than another in something, and
// not only by a little.
func (out *Recommendation) drop(reason Reason, little float64, points []*Point, of func(*Point) []float64) {
	left := out.left()
	values, centres := make([][]float64, len(left)), make([]float64, len(left))
	split := false
	for k, i := range left {
		values[k] = of(points[i])
		centres[k] = Mean(values[k]).Centre
		split = split || len(points[i].Outcomes) > 0
	}
	w := winner(Metric{}, values, centres, -1, split)
	if w.Best < 0 {
		return
	}
	for k, i := range left {
		// Of one replication nothing is certain, but what it says counts.
		certain := len(values[k]) == 1 || !slices.Contains(w.Tied, k)
		if certain && centres[k]-centres[w.Best] > little {
			out.Reasons[i] = reason
		}
	}
}

// StuckShare is in which share of its replications a point does not recover; 0
// where there is nothing to recover from.
func StuckShare(r *Result, p *Point) float64 { return Share(stuckRuns(r, p)).Centre }

// stuckRuns is 1 for each replication that does not recover.
func stuckRuns(r *Result, p *Point) []float64 {
	locked, recovery := metricNamed(r, "locked_in"), metricNamed(r, "recovery")
	out := make([]float64, len(p.Runs))
	for i := range p.Runs {
		v := p.Runs[i].Values
		if locked >= 0 && v[locked] > 0 || recovery >= 0 && math.IsInf(v[recovery], 1) {
			out[i] = 1
		}
	}
	return out
}

// LostShare is the share of the requests of a point that come to nothing: they
// fail, or are unfinished when the run ends, or the key of another one answers
// them.
func LostShare(r *Result, p *Point) float64 { return Mean(lostShares(r, p)).Centre }

func lostShares(r *Result, p *Point) []float64 {
	good, swallowed := metricNamed(r, "succeeded"), metricNamed(r, "swallowed")
	return ofRequests(r, p, func(v []float64, all float64) float64 {
		switch {
		case good < 0:
			return math.NaN()
		case swallowed >= 0 && v[swallowed] > 0:
			return all - v[good] + v[swallowed]
		}
		return all - v[good]
	})
}

// RepeatedShare is how many effects happened again, for each request.
func RepeatedShare(r *Result, p *Point) float64 { return Mean(repeatedShares(r, p)).Centre }

func repeatedShares(r *Result, p *Point) []float64 {
	duplicates := metricNamed(r, "duplicates")
	return ofRequests(r, p, func(v []float64, _ float64) float64 {
		if duplicates < 0 {
			return math.NaN()
		}
		return v[duplicates]
	})
}

// ofRequests is a number as a share of the requests, replication by replication.
func ofRequests(r *Result, p *Point, of func(values []float64, all float64) float64) []float64 {
	requests := metricNamed(r, "requests")
	out := make([]float64, len(p.Runs))
	for i := range p.Runs {
		out[i] = math.NaN()
		if v := p.Runs[i].Values; requests >= 0 && v[requests] > 0 {
			out[i] = of(v, v[requests]) / v[requests]
		}
	}
	return out
}
