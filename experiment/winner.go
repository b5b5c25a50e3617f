package experiment

import (
	"math"
	"slices"
)

// Winner is which of the points at a place is best in something.
type Winner struct {
	// Best is the index of the best, -1 where none has a value. Others may be as
	// good: Tied are those that cannot be told from it.
	Best int
	Tied []int
	// Against compares each point with the best, adjusted for the choice; the
	// zero value for the best itself.
	Against []Contrast
}

// Sole reports whether the best is certainly better than each of the others.
func (w *Winner) Sole() bool { return w.Best >= 0 && len(w.Tied) == 0 && len(w.Against) > 1 }

// WinnerIn finds the best point in a metric: the least with better -1, the most
// with 1.
func WinnerIn(r *Result, points []*Point, metric, better int) Winner {
	values, centres := make([][]float64, len(points)), make([]float64, len(points))
	split := false
	for i, p := range points {
		values[i], centres[i] = columnOf(p, metric), p.Estimates[metric].Centre
		split = split || len(p.Outcomes) > 0
	}
	return winner(r.Metrics[metric], values, centres, better, split)
}

// winner compares the one with the best centre with all others, pair by pair of
// replications. Which one that is depends on luck too: of several that do not
// differ, it is the one with the most luck, and against the one with the least it
// looks better than it is. So each comparison counts as one of all that there
// could have been, between any two of them (Holm).
func winner(m Metric, values [][]float64, centres []float64, better int, split bool) Winner {
	w := Winner{Best: -1, Against: make([]Contrast, len(values))}
	for i, c := range centres {
		if !math.IsNaN(c) && (w.Best < 0 || float64(better)*c > float64(better)*centres[w.Best]) {
			w.Best = i
		}
	}
	if w.Best < 0 {
		return w
	}
	pairs := len(values) * (len(values) - 1) / 2
	p := make([]float64, 0, pairs)
	for i := range values {
		if i != w.Best {
			w.Against[i] = contrast(m, values[i], values[w.Best], split)
			p = append(p, w.Against[i].P)
		}
	}
	for len(p) < pairs {
		p = append(p, 1) // those that nobody looked at
	}
	adjusted := Holm(p)
	for i := range values {
		if i == w.Best {
			continue
		}
		c := &w.Against[i]
		c.decide(adjusted[0])
		adjusted = adjusted[1:]
		if c.Direction != -better { // nor when it seems to be better after all
			w.Tied = append(w.Tied, i)
		}
	}
	return w
}

// Recommendation says which of the variants at a place to use: first of all one
// that recovers, then one that does not do less, and of these the one with the
// best trade between calls and waiting.
type Recommendation struct {
	// Best is the index of the point, -1 where nobody can tell or none should be
	// used; Tied are those that cannot be told from it.
	Best int
	Tied []int
	// Reason is why each point is out of the question.
	Reason []Reason
	// By is what decided among the others.
	By Basis
}

// Reason is why a variant is not to be recommended.
type Reason int

// The reasons.
const (
	InQuestion   Reason = iota // it is in question
	NeverRecover               // it does not recover, or not in every replication where others do
	DoesLess                   // more of its requests come to nothing
	Unknown                    // there is no value to judge it by
)

// Basis is what a recommendation is made by.
type Basis int

// The bases.
const (
	ByNothing Basis = iota
	ByCost          // what calls and waiting cost together
	ByProduct       // calls x completion_p99: by how much the one shrinks when the other grows
	ByCalls         // calls alone, where no variant reaches its 99 %
	ByOnly          // the only one in question
)

// mostLost is by how much the share of requests that come to nothing may be more
// than that of another variant without mattering: completion_p99 has no eye for
// it either.
const mostLost = 0.01

// Recommend says which of the points at a place to use.
func Recommend(r *Result, points []*Point) Recommendation {
	out := Recommendation{Best: -1, Reason: make([]Reason, len(points))}
	calls, done := metricNamed(r, "total_calls"), metricNamed(r, "completion_p99")
	if calls < 0 || done < 0 || len(points) == 0 {
		return out
	}
	for i, p := range points {
		if len(p.Runs) == 0 || math.IsNaN(p.Estimates[calls].Centre) {
			out.Reason[i] = Unknown
		}
	}
	out.dropStuck(r, points)
	out.dropLosing(r, points)
	var left []int
	for i, reason := range out.Reason {
		if reason == InQuestion {
			left = append(left, i)
		}
	}
	switch len(left) {
	case 0:
		return out
	case 1:
		out.Best, out.By = left[0], ByOnly
		return out
	}
	w := out.score(r, points, left, calls, done)
	if w.Best < 0 {
		return out
	}
	out.Best = left[w.Best]
	for _, k := range w.Tied {
		out.Tied = append(out.Tied, left[k])
	}
	return out
}

// score compares those that are left: by cost or by the product, or, where that
// is infinite for all, by calls.
func (out *Recommendation) score(r *Result, points []*Point, left []int, calls, done int) Winner {
	m := Metric{Infinite: true}
	values, centres := make([][]float64, len(left)), make([]float64, len(left))
	finite := false
	out.By = ByProduct
	if r.Exchange > 0 {
		out.By = ByCost
	}
	for k, i := range left {
		values[k] = columnOf(points[i], calls)
		for n, s := range columnOf(points[i], done) {
			if out.By == ByCost {
				values[k][n] += float64(r.Exchange * s)
			} else {
				values[k][n] *= s
			}
		}
		centres[k] = Median(values[k]).Centre
		finite = finite || !math.IsNaN(centres[k]) && !math.IsInf(centres[k], 1)
	}
	if finite {
		return winner(m, values, centres, -1, false)
	}
	out.By = ByCalls
	few := make([]*Point, len(left))
	for k, i := range left {
		few[k] = points[i]
	}
	return WinnerIn(r, few, calls, -1)
}

// dropStuck puts out of question what never recovers; where some do in every
// replication, all that do not; else what certainly does less often than another.
func (out *Recommendation) dropStuck(r *Result, points []*Point) {
	least := 1.0
	var left []int
	var values [][]float64
	var shares []float64
	for i, p := range points {
		if out.Reason[i] == InQuestion {
			stuck := stuckRuns(r, p)
			s := Share(stuck).Centre
			left, values, shares = append(left, i), append(values, stuck), append(shares, s)
			least = min(least, s)
		}
	}
	w := winner(Metric{Share: true}, values, shares, -1, false)
	for k, i := range left {
		certain := k != w.Best && !slices.Contains(w.Tied, k)
		if s := shares[k]; s == 1 || s > least && (least == 0 || certain) {
			out.Reason[i] = NeverRecover
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

// dropLosing puts out of question what certainly loses more requests than
// another, and not only a few.
func (out *Recommendation) dropLosing(r *Result, points []*Point) {
	var left []int
	var values [][]float64
	var centres []float64
	split := false
	for i, p := range points {
		if out.Reason[i] == InQuestion {
			lost := lostShares(r, p)
			split = split || len(p.Outcomes) > 0
			left, values, centres = append(left, i), append(values, lost), append(centres, Mean(lost).Centre)
		}
	}
	w := winner(Metric{}, values, centres, -1, split)
	if w.Best < 0 {
		return
	}
	for k, i := range left {
		more := centres[k] - centres[w.Best]
		if alone := len(values[k]) == 1; more > mostLost && (alone || !slices.Contains(w.Tied, k)) {
			out.Reason[i] = DoesLess
		}
	}
}

// LostShare is the share of the requests of a point that do not succeed: they
// fail, or are unfinished when the run ends.
func LostShare(r *Result, p *Point) float64 { return Mean(lostShares(r, p)).Centre }

// lostShares are, replication by replication, the shares of the requests that do not
// succeed.
func lostShares(r *Result, p *Point) []float64 {
	all, good := metricNamed(r, "requests"), metricNamed(r, "succeeded")
	out := make([]float64, len(p.Runs))
	for i := range p.Runs {
		out[i] = math.NaN()
		if v := p.Runs[i].Values; all >= 0 && good >= 0 && v[all] > 0 {
			out[i] = 1 - v[good]/v[all]
		}
	}
	return out
}

func metricNamed(r *Result, name string) int {
	return slices.IndexFunc(r.Metrics, func(m Metric) bool { return m.Name == name })
}
