package experiment

import (
	"math"
	"slices"

	"retrystorm/sim/random"
)

// Selection looks for the best of several variants, the one with the smallest
// or the largest mean, and drops those that cannot be it as soon as that is
// clear, so that replications go where they matter. It picks the best with
// probability 1 - alpha at least if it is better than all others by the zone of
// indifference, and else one that is not worse by more than that. The procedure
// is that of Kim and Nelson ("A fully sequential procedure for
// indifference-zone selection in simulation", 2001) with c = 1; it takes values
// for normal, and common random numbers make it faster. What the first stage
// shows to be far behind leaves at once, as Nelson, Swann, Goldsman and Song do
// ("Simple procedures for selecting the best simulated system when the number of
// alternatives is large", 2001): half of alpha goes into that screening, and half
// into the race that follows. Otherwise a variant that is far behind and noisy
// would stay for long.
//
//	for s.Need() > 0 {
//		run the s.Need() next replications of the variants s.Active()
//		s.Add(values) for each replication, in order
//	}
//
// One may run more replications at a time than it needs; what comes too late is
// not looked at, so that it makes no difference.
//
// A variant with an infinite value has an infinite mean, and is worse than any
// that has none: it leaves, and if that leaves one alone it has to end the first
// stage without. When all that are left have one, or the largest is wanted, means
// say nothing, and the race is over without a choice. A variant that has no value
// in a replication (NaN) cannot be ranked, and leaves.
type Selection struct {
	smallest bool
	zone     Precision
	first    int     // replications of the first stage
	t        float64 // quantile for the screening after the first stage
	h2       float64 // squared half-width of the triangle that sums of differences must leave

	in     []bool
	n      int // replications
	runs   int // of all variants
	sums   []float64
	stage  [][]float64 // values of the first stage, per variant
	spread [][]float64 // variances of the differences, after the first stage
	delta  float64     // the zone of indifference, then
	never  []bool      // had an infinite value
	void   bool        // means say nothing
}

// Choice is what a selection has come to.
type Choice struct {
	// Best is the best variant, or the best so far; -1: none can be chosen.
	Best int
	// Among are those that may still be the best; when it is one, it is decided.
	Among []int
	// Replications is how many those who stayed longest had, and Runs how many
	// all had together.
	Replications, Runs int
	// Infinite: means say nothing, because infinite values are in all that were
	// left.
	Infinite bool
}

// NewSelection starts a race of k variants. first is how many replications each
// has before any is dropped; 2 at least, about 20 is wise. The zone is a
// difference that does not matter, relative ones to the mean of the best in the
// first stage. Where that is nothing, noise goes on for ever: stop the race with
// a limit, as any other whose Choice will do.
func NewSelection(k, first int, alpha float64, zone Precision, smallest bool) *Selection {
	s := &Selection{
		smallest: smallest, zone: zone, first: max(first, 2),
		in: make([]bool, k), sums: make([]float64, k), stage: make([][]float64, k), never: make([]bool, k),
	}
	for i := range s.in {
		s.in[i] = true
	}
	s.h2 = 2 * slack(k, s.first, alpha/2) * float64(s.first-1)
	s.t = tQuantile(s.first-1, 1-alpha/2/float64(max(k-1, 1)))
	return s
}

// slack is Kim and Nelson's eta for c = 1.
func slack(k, first int, alpha float64) float64 {
	if k < 2 {
		return 0
	}
	return (random.Pow(2*alpha/float64(k-1), -2/float64(first-1)) - 1) / 2
}

// Active are the variants that are still in the race.
func (s *Selection) Active() []int {
	var out []int
	for i, in := range s.in {
		if in {
			out = append(out, i)
		}
	}
	return out
}

// Need is how many replications of each active variant have to be run before
// anything can be said; 0: the race is over.
func (s *Selection) Need() int {
	left := len(s.Active())
	switch {
	case s.void || left == 0, left == 1 && !slices.Contains(s.never, true):
		return 0
	case s.n < s.first:
		return s.first - s.n
	default:
		return min(left-1, 1)
	}
}

// Add takes the next replication: the values of all variants, of which only
// those of active ones are looked at.
func (s *Selection) Add(values []float64) {
	if s.Need() == 0 {
		return
	}
	s.n++
	for _, i := range s.Active() {
		s.runs++
		v := values[i]
		s.in[i] = !math.IsNaN(v)
		s.never[i] = s.never[i] || math.IsInf(v, 0)
		s.sums[i] += v
		if s.n <= s.first {
			s.stage[i] = append(s.stage[i], v)
		}
	}
	s.dropInfinite()
	if s.Need() == 0 || s.n < s.first {
		return
	}
	if s.n == s.first {
		s.endStage()
	}
	s.screen()
}

// dropInfinite drops the variants with an infinite mean, unless there are no
// others.
func (s *Selection) dropInfinite() {
	active := s.Active()
	infinite := 0
	for _, i := range active {
		if s.never[i] {
			infinite++
		}
	}
	if infinite > 0 && (!s.smallest || infinite == len(active)) {
		s.void = true
		return
	}
	for _, i := range active {
		s.in[i] = !s.never[i]
	}
}

// endStage takes from the first stage what all later ones are measured by.
func (s *Selection) endStage() {
	s.spread = make([][]float64, len(s.in))
	for _, i := range s.Active() {
		s.spread[i] = make([]float64, len(s.in))
		for _, j := range s.Active() {
			diff := make([]float64, s.first)
			for r := range diff {
				diff[r] = s.stage[i][r] - s.stage[j][r]
			}
			_, s.spread[i][j] = moments(diff)
		}
	}
	s.stage = nil
	s.delta = s.zone.Within
	if s.zone.Relative {
		s.delta = float64(s.zone.Within * math.Abs(s.sums[s.leader()]/float64(s.n)))
	}
	active := s.Active()
	for _, i := range active {
		s.in[i] = !slices.ContainsFunc(active, func(j int) bool {
			return j != i && s.lead(j, i) > max(0, float64(s.t*math.Sqrt(s.spread[i][j]/float64(s.n)))-s.delta)
		})
	}
}

// screen drops all that some other has left behind.
func (s *Selection) screen() {
	active := s.Active()
	for _, i := range active {
		s.in[i] = !slices.ContainsFunc(active, func(j int) bool { return s.beats(j, i) })
	}
}

// beats reports whether j is ahead of i by more than luck allows. In the end
// that is nothing, and of equals the first stays.
func (s *Selection) beats(j, i int) bool {
	ahead := s.lead(j, i)
	allowed := s.allowance(s.spread[i][j])
	return ahead > allowed || ahead == 0 && allowed == 0 && j < i
}

// lead is by how much the mean of j is better than that of i.
func (s *Selection) lead(j, i int) float64 {
	lead := (s.sums[j] - s.sums[i]) / float64(s.n)
	if s.smallest {
		return -lead
	}
	return lead
}

// allowance is how far behind a variant may be, given the variance of the
// difference: less with each replication.
func (s *Selection) allowance(variance float64) float64 {
	if variance == 0 {
		return 0
	}
	return max(0, float64(s.h2*variance)/(2*s.delta*float64(s.n))-float64(s.delta/2))
}

// leader is the best so far.
func (s *Selection) leader() int {
	best := -1
	for _, i := range s.Active() {
		if best < 0 || s.lead(i, best) > 0 {
			best = i
		}
	}
	return best
}

// Choice is what the race has come to, or would if it ended now.
func (s *Selection) Choice() Choice {
	c := Choice{Best: -1, Among: s.Active(), Replications: s.n, Runs: s.runs, Infinite: s.void}
	switch {
	case s.void:
		// Those who left were worse than others that are no better.
		c.Among = nil
		for i, v := range s.sums {
			if !math.IsNaN(v) {
				c.Among = append(c.Among, i)
			}
		}
	case s.n > 0 || len(c.Among) == 1:
		c.Best = s.leader()
	}
	return c
}
