package strategies

import "time"

// decorrelated is the range of min(cap, U(base, 3*previous)) at retry k, over
// all paths.
func (c *curve) decorrelated(k int64) span {
	return span{c.base, min(grow(c.base, 3, k), c.cap)}
}

// decorrelate is the walk in short. Every wait lies between base and cap; the
// memory is brought there, which starts it at base.
func (c *curve) decorrelate(memory, u uint64) int64 {
	before := int64(min(max(memory, uint64(c.base)), uint64(c.cap)))
	return min(uniform(c.base, 3*before, u), c.cap)
}

// decorrelatedMean is the mean of min(cap, U(base, 3*previous)) at retry k.
// While even the longest path stays below the cap the recursion m = (base +
// 3m)/2 gives base * (2*1.5^k - 1). After that the law itself is iterated.
func (c *curve) decorrelatedMean(k int64) time.Duration {
	if c.base == 0 || c.base == c.cap {
		return time.Duration(c.base)
	}
	if grow(c.base, 3, k) < c.cap || c.cap == int64(Longest) {
		return time.Duration(nearest(float64(c.base) * (float64(2*raise(1.5, k)) - 1)))
	}
	l := newLaw(float64(c.base), float64(c.cap))
	mean := l.mean()
	for range k - 1 {
		l.step()
		before := mean
		if mean = l.mean(); mean-before < 1e-13*mean { // it rises to its limit
			break
		}
	}
	return time.Duration(nearest(mean))
}

// law is the distribution of one decorrelated wait: a density on [base, cap)
// and an atom at cap. With g(y) = density(y) / (3y - base) the next one is
//
//	density(s) = integral of g from max(base, s/3) to cap + atom / (3 cap - base)
//	atom       = integral of g(y) (3y - cap) from cap/3 to cap + atom 2 cap / (3 cap - base)
//
// The density is smooth except where s is base times a power of 3. The grid
// breaks there and at cap over powers of 3, so that s/3 is always a node: node
// i of a piece, divided by 3, is node i of the piece before the one before.
// Integrals take the cubic through four nodes. With 1024 intervals a piece the
// relative error of the mean stays below 1e-9; the tests hold it to that.
type law struct {
	base, cap float64
	pieces    []piece
	atom      float64
}

const intervals = 1024

// nodes are the values of a function on the grid of one piece.
type nodes [intervals + 1]float64

type piece struct {
	from, width   float64
	density, tail nodes // tail is the integral of g from the node to cap, atom included
}

// newLaw is the law of the first wait: U(base, 3*base), cut at limit.
func newLaw(base, limit float64) *law {
	top := base // the last break below limit
	for 3*top <= limit {
		top *= 3
	}
	l := &law{base: base, cap: limit}
	for from := base; ; from *= 3 {
		middle := float64(limit / top * from) // limit over a power of 3
		l.pieces = append(l.pieces, piece{from: from, width: middle - from})
		if from == top {
			break
		}
		l.pieces = append(l.pieces, piece{from: middle, width: float64(3*from) - middle})
	}
	for p := range min(2, len(l.pieces)) {
		l.pieces[p].density.fill(1 / (2 * base))
	}
	l.atom = max(0, float64(3*base)-limit) / (2 * base)
	return l
}

// step makes the law of the next wait out of the law of this one.
func (l *law) step() {
	beyond := l.atom / (float64(3*l.cap) - l.base)
	atom := float64(2 * l.cap * beyond)
	for p := len(l.pieces) - 1; p >= 0; p-- {
		piece := &l.pieces[p]
		g := piece.g(l.base)
		if p >= len(l.pieces)-2 { // from cap/3 to cap
			atom += piece.integral(func(i int) float64 { return float64(g[i] * (float64(3*piece.at(i)) - l.cap)) })
		}
		beyond = piece.setTail(&g, beyond)
	}
	l.atom = atom
	for p := range l.pieces {
		if p < 2 {
			l.pieces[p].density.fill(beyond)
		} else {
			l.pieces[p].density = l.pieces[p-2].tail
		}
	}
	l.normalise()
}

// normalise keeps the errors of many steps from adding up in the total.
func (l *law) normalise() {
	total := l.atom
	for p := range l.pieces {
		piece := &l.pieces[p]
		total += piece.integral(func(i int) float64 { return piece.density[i] })
	}
	l.atom /= total
	for p := range l.pieces {
		for i := range l.pieces[p].density {
			l.pieces[p].density[i] /= total
		}
	}
}

func (l *law) mean() float64 {
	mean := float64(l.cap * l.atom)
	for p := range l.pieces {
		piece := &l.pieces[p]
		mean += piece.integral(func(i int) float64 { return float64(piece.at(i) * piece.density[i]) })
	}
	return mean
}

// at is the place of a node.
func (p *piece) at(i int) float64 {
	return p.from + float64(float64(p.width*float64(i))/intervals)
}

func (p *piece) g(base float64) (g nodes) {
	for i := range g {
		g[i] = p.density[i] / (float64(3*p.at(i)) - base)
	}
	return g
}

// setTail integrates g from right to left, on top of what lies beyond the
// piece, and returns the whole.
func (p *piece) setTail(g *nodes, beyond float64) float64 {
	p.tail[intervals] = beyond
	for i := intervals - 1; i >= 0; i-- {
		beyond += float64(p.width / intervals * g.cubic(i))
		p.tail[i] = beyond
	}
	return beyond
}

// integral is the integral over the piece of the function with value f(i) at node i.
func (p *piece) integral(f func(i int) float64) float64 {
	var values nodes
	for i := range values {
		values[i] = f(i)
	}
	sum := 0.0
	for i := range intervals {
		sum += values.cubic(i)
	}
	return float64(p.width / intervals * sum)
}

func (n *nodes) fill(value float64) {
	for i := range n {
		n[i] = value
	}
}

// cubic is the integral from node i to node i+1, in units of their distance, of
// the cubic through the two and their neighbours (at an end: the four nearest).
func (n *nodes) cubic(i int) float64 {
	const last = intervals
	switch i {
	case 0:
		return (float64(9*n[0]) + float64(19*n[1]) - float64(5*n[2]) + n[3]) / 24
	case last - 1:
		return (float64(9*n[last]) + float64(19*n[last-1]) - float64(5*n[last-2]) + n[last-3]) / 24
	default:
		return (float64(13*(n[i]+n[i+1])) - n[i-1] - n[i+2]) / 24
	}
}
