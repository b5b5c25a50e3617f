package experiment

import (
	"math"
	"sort"
)

// band is where an expectation holds: between two edges, one of which may be
// missing, or outside of them.
type band struct {
	lo, hi       float64
	below, above bool // there is a lower edge, an upper one
	open         bool // the edges do not belong to it
	outside      bool
}

// newBand is where "value op limit +- slack" holds.
func newBand(op string, limit, slack float64) band {
	if math.IsInf(limit, 0) {
		slack = 0 // nothing is near to never but never
	}
	b := band{lo: limit - slack, hi: limit + slack, open: op == "<" || op == ">", outside: op == "!="}
	b.below = op != "<" && op != "<="
	b.above = op != ">" && op != ">="
	return b
}

// side is 0 between the edges, -1 below and +1 above.
func (b *band) side(v float64) int {
	switch {
	case b.below && (v < b.lo || b.open && v == b.lo):
		return -1
	case b.above && (v > b.hi || b.open && v == b.hi):
		return 1
	default:
		return 0
	}
}

// holds reports whether it holds for a value.
func (b *band) holds(v float64) bool { return (b.side(v) == 0) != b.outside }

// certain is the ruling when it is certain that the value is between the edges,
// or that it is not.
func (b *band) certain(between bool) Ruling {
	if between != b.outside {
		return Pass
	}
	return Fail
}

// distance is how far a value is from the nearest edge.
func (b *band) distance(v float64) float64 {
	d := math.Inf(1)
	if b.below {
		d = math.Abs(v - b.lo)
	}
	if b.above {
		d = min(d, math.Abs(v-b.hi))
	}
	return d
}

// evidence is what a ruling rests on: an interval for a value or a difference,
// if there is one, and what it was in each replication.
type evidence struct {
	Estimate
	values []float64
	// signs: without an interval, the signs of the values decide; they do as
	// well about how many more replications it takes.
	signs bool
	// share: the interval is Wilson's, which is not even on both sides.
	share bool
	// span: it is no interval at 95 %, but what all pairs agree on.
	span bool
	// rest is the part of the interval, half of it squared, that more
	// replications leave as it is.
	rest float64
}

// rule judges a band on the evidence, and says how many more replications would
// decide what is undecided; 0: none would, or nobody knows.
func (v *evidence) rule(b *band) (Ruling, int) {
	if r := v.ruling(b); r != Unclear {
		return r, 0
	}
	return Unclear, v.need(b)
}

func (v *evidence) ruling(b *band) Ruling {
	if !math.IsNaN(v.Lo) {
		lo, hi := b.side(v.Lo), b.side(v.Hi)
		if lo == hi {
			return b.certain(lo == 0)
		}
		return Unclear
	}
	values := available(v.values)
	holds := 0
	for _, x := range values {
		if b.holds(x) {
			holds++
		}
	}
	switch {
	case len(values) > 0 && holds == len(values):
		return Pass
	case holds == 0:
		return Fail
	case v.signs:
		return v.bySigns(b)
	default:
		return Unclear
	}
}

// bySigns asks on which side of the edges most of the values are.
func (v *evidence) bySigns(b *band) Ruling {
	between := true
	if b.below {
		s := certainSide(v.values, b.lo)
		if s < 0 {
			return b.certain(false)
		}
		between = between && s > 0
	}
	if b.above {
		s := certainSide(v.values, b.hi)
		if s > 0 {
			return b.certain(false)
		}
		between = between && s < 0
	}
	if between {
		return b.certain(true)
	}
	return Unclear
}

// certainSide is on which side of the edge values are, if that is certain by
// the sign test.
func certainSide(values []float64, edge float64) int {
	c := against(values, edge)
	if c.P <= 1-level {
		return c.direction()
	}
	return 0
}

// against counts the values on either side of an edge.
func against(values []float64, edge float64) Comparison {
	edges := make([]float64, len(values))
	for i := range edges {
		edges[i] = edge
	}
	return SignTest(values, edges)
}

// need is how many more replications would decide. Half of an interval shrinks
// as 1 / sqrt(n), and must become smaller than the distance of its centre to the
// nearest edge.
func (v *evidence) need(b *band) int {
	switch {
	case v.signs:
		return v.needBySigns(b)
	case v.share:
		return v.needByShare(b)
	}
	half, d := (v.Hi-v.Lo)/2, b.distance(v.Centre)
	square := float64(d*d) - v.rest
	if !(square > 0) {
		return 0
	}
	n := float64(v.N)
	return more(math.Floor(n*((float64(half*half)-v.rest)/square))+1, v.N)
}

// needByShare is how many more replications would decide if the share stayed as
// it is.
func (v *evidence) needByShare(b *band) int {
	decided := func(n int) bool {
		lo, hi := wilson(v.Centre, float64(n))
		return b.side(lo) == b.side(hi)
	}
	n := v.N + 1
	for step := 1; !decided(n); step *= 2 {
		if n += step; n > 1e9 {
			return 0
		}
	}
	return v.N + 1 + sort.Search(n-v.N-1, func(i int) bool { return decided(v.N + 1 + i) }) - v.N
}

// needBySigns is the largest number that an edge asks for, of those that must
// be told from the middle of the values.
func (v *evidence) needBySigns(b *band) int {
	var edges []float64
	switch b.side(v.Centre) {
	case -1:
		edges = []float64{b.lo}
	case 1:
		edges = []float64{b.hi}
	default:
		if b.below {
			edges = append(edges, b.lo)
		}
		if b.above {
			edges = append(edges, b.hi)
		}
	}
	most := 0
	for _, edge := range edges {
		c := against(v.values, edge)
		n := more(math.Ceil(c.need(normal)), c.Pairs)
		if n == 0 {
			return 0
		}
		most = max(most, n)
	}
	return most
}

// more is how many replications are missing from those that are needed; 0 where
// that is beyond reason.
func more(needed float64, have int) int {
	if math.IsNaN(needed) || needed > 1e9 {
		return 0
	}
	return max(int(needed)-have, 1)
}

// minus is a - b; what is never is as late as what is never.
func minus(a, b float64) float64 {
	if a == b {
		return 0
	}
	return a - b
}

// differences are a - b in the replications that both have.
func differences(a, b []float64) []float64 {
	out := make([]float64, min(len(a), len(b)))
	for r := range out {
		out[r] = minus(a[r], b[r])
	}
	return out
}

// paired is the evidence about the difference of two metrics whose replications
// have their random numbers in common: the mean of the differences, or their
// signs where the metrics are summarised by a median or a share.
func paired(a, b *side) evidence {
	d := differences(a.runs, b.runs)
	if a.plain && b.plain {
		return evidence{Estimate: Mean(d), values: d}
	}
	e := Median(d)
	e.Lo, e.Hi = math.NaN(), math.NaN()
	if e.N > 0 && math.IsNaN(e.Centre) {
		e.Centre = 0 // half of them are -Inf and half +Inf
	}
	return evidence{Estimate: e, values: d, signs: true}
}

// apart is the evidence about the difference of two metrics whose replications
// have nothing in common: by Welch's t interval, or by the intervals of both
// where they are summarised by a median or a share, from the end of the one to
// the beginning of the other. That is wider than it need be.
func apart(a, b *side) evidence {
	x, y := available(a.runs), available(b.runs)
	if a.plain && b.plain && len(x) > 1 && len(y) > 1 {
		return independent(x, y, a.term.baseline)
	}
	u, v, span := a.value, b.value, false
	if math.IsNaN(u.Lo) || math.IsNaN(v.Lo) { // all must agree, whichever is paired with whichever
		u.Lo, u.Hi = extremes(x)
		v.Lo, v.Hi = extremes(y)
		span = true
	}
	e := Estimate{Centre: minus(u.Centre, v.Centre), Lo: minus(u.Lo, v.Hi), Hi: minus(u.Hi, v.Lo), N: u.N}
	return evidence{Estimate: e, rest: math.Inf(1), span: span}
}

// independent is the difference of two means of samples that have nothing in
// common. More replications are made of one side only: of a, unless that is the
// fixed one.
func independent(a, b []float64, fixed bool) evidence {
	c := Unpaired(a, b)
	e := c.Difference
	_, va := moments(a)
	_, vb := moments(b)
	n, rest := len(a), vb/float64(len(b))
	if fixed {
		n, rest = len(b), va/float64(len(a))
	}
	e.N = n
	t := tQuantileAt(c.DF, 1-tail)
	return evidence{Estimate: e, rest: float64(float64(t*t) * rest)}
}

func extremes(values []float64) (lo, hi float64) {
	lo, hi = values[0], values[0]
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}
