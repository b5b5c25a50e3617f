package strategies

import (
	"math/bits"
	"time"
)

// HedgeRules are a Hedge compiled: read only, shared by all its states.
type HedgeRules struct {
	delay     time.Duration
	quantile  int64 // millionths; 0: delay holds
	max       int64
	earns     int64 // millionths of a hedge, per request
	unlimited bool
	atOnce    bool
}

// HedgeState is what callers who share a hedge have seen and saved. Reset makes
// it ready.
type HedgeState struct {
	saved int64 // millionths of a hedge
	times histogram
}

const (
	mostSaved  = 10 * million // hedges that can be saved up
	fewAnswers = 20           // below it a quantile is not known
	forgetting = 1000         // answers after which the old ones count half
)

// Compile makes the rules of a valid Hedge. It panics when Validate would find
// something to say.
func (h Hedge) Compile() HedgeRules {
	h.Validate(invalid)
	return HedgeRules{
		delay:     min(h.After.Delay, Longest),
		quantile:  millionths(h.After.Quantile),
		max:       h.Max,
		earns:     millionths(h.Budget),
		unlimited: h.Budget >= 1,
		atOnce:    h.OnFailure == "send",
	}
}

// Reset makes the state as new. It keeps the memory.
func (r *HedgeRules) Reset(s *HedgeState) {
	counts := s.times.counts
	*s = HedgeState{}
	if r.quantile > 0 {
		if counts == nil {
			counts = make([]uint16, bins)
		}
		clear(counts)
		s.times.counts = counts
	}
}

// Max is how many extra calls a request may have.
func (r *HedgeRules) Max() int64 { return r.max }

// OnFailureSend says that a failed call lets the next one go at once.
func (r *HedgeRules) OnFailureSend() bool { return r.atOnce }

// Started: a request starts, and earns its share of a hedge.
func (r *HedgeRules) Started(s *HedgeState) { s.saved = min(s.saved+r.earns, mostSaved) }

// Take asks for one hedge.
func (r *HedgeRules) Take(s *HedgeState) bool {
	if r.unlimited {
		return true
	}
	if s.saved < million {
		return false
	}
	s.saved -= million
	return true
}

// Delay is the time after which the next call is sent, if that is known.
func (r *HedgeRules) Delay(s *HedgeState) (time.Duration, bool) {
	if r.quantile == 0 {
		return r.delay, true
	}
	if s.times.total < fewAnswers {
		return 0, false
	}
	return upperEdge(s.times.at), true
}

// Answered: a good answer came after the time it took.
func (r *HedgeRules) Answered(s *HedgeState, took time.Duration) {
	if r.quantile > 0 {
		s.times.add(took, r.quantile)
	}
}

// A histogram counts times in bins: one for each microsecond up to 31, then 16
// for each doubling, so that an edge is at most 1/16 too high. It keeps the bin
// that the quantile is in.
type histogram struct {
	counts []uint16
	total  int64
	seen   int64 // answers since the old ones were made to count half
	below  int64 // how many are in the bins below at
	at     int
}

const (
	binUnit  = time.Microsecond
	binBits  = 4 // 2^4 bins per doubling
	mostUnit = 1<<36 - 1
	bins     = (36-binBits-1)<<binBits + 2<<binBits
)

func binOf(took time.Duration) int {
	units := min(uint64(max(took+binUnit-1, 0)/binUnit), mostUnit)
	shift := max(bits.Len64(units)-binBits-1, 0)
	return shift<<binBits + int(units>>shift)
}

// upperEdge is the longest time in a bin.
func upperEdge(bin int) time.Duration {
	shift := max(bin>>binBits-1, 0)
	first := bin - shift<<binBits
	return time.Duration((first+1)<<shift-1) * binUnit
}

func (h *histogram) add(took time.Duration, quantile int64) {
	bin := binOf(took)
	h.counts[bin]++
	h.total++
	if bin < h.at {
		h.below++
	}
	if h.seen++; h.seen == forgetting {
		h.halve()
	}
	h.find(quantile)
}

// halve makes all so far count half. It halves the sums from the first bin on,
// so that the quantiles stay where they are.
func (h *histogram) halve() {
	sum, kept := int64(0), int64(0)
	for i, n := range h.counts {
		sum += int64(n)
		h.counts[i] = uint16(sum/2 - kept)
		kept = sum / 2
	}
	h.total, h.seen, h.below, h.at = kept, 0, 0, 0
}

// find moves to the bin that holds the quantile: the first with at least that
// share of the answers up to it.
func (h *histogram) find(quantile int64) {
	rank := max((quantile*h.total+million-1)/million, 1)
	for h.below >= rank {
		h.at--
		h.below -= int64(h.counts[h.at])
	}
	for h.below+int64(h.counts[h.at]) < rank {
		h.below += int64(h.counts[h.at])
		h.at++
	}
}
