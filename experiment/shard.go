package experiment

import (
	"math"
	"slices"
)

// Shard is part K, from 1, of N.
type Shard struct{ K, N int }

// span is a part of a place's replications.
type span struct {
	place    int // index
	from, to int
}

// spans are the parts of a shard. Points are put into an order that mixes them,
// as neighbours cost about the same and may all be worse than expected; then the
// whole is cut at equal shares of the estimated cost. So a shard has whole
// points and at most two pieces. Where a rule says how many replications there
// are, points are not cut.
func (s Shard) spans(costs []int64, replications int, whole bool) []span {
	total := 0.0
	for _, c := range costs {
		total += float64(c)
	}
	var out []span
	before := 0.0 // cost of the points before
	for _, i := range mixed(len(costs)) {
		c := float64(costs[i])
		// first is the first replication that begins at or after share k of all.
		first := func(k int) int {
			if k == s.N {
				return replications
			}
			ahead := float64(total*float64(k))/float64(s.N) - before
			return int(max(0, min(math.Ceil(float64(ahead*float64(replications))/c), float64(replications))))
		}
		from, to := first(s.K-1), first(s.K)
		if whole { // whoever has the beginning has it all
			to = replications
			if from > 0 || first(s.K) == 0 {
				to = from
			}
		}
		if from < to {
			out = append(out, span{i, from, to})
		}
		before += c
	}
	slices.SortFunc(out, func(a, b span) int { return a.place - b.place })
	return out
}

// mixed is 0..n-1 in an order in which neighbours are far apart: steps of the
// golden section.
func mixed(n int) []int {
	step := stride(n)
	out := make([]int, n)
	for i := range out {
		out[i] = i * step % n
	}
	return out
}

// stride is the step of mixed.
func stride(n int) int {
	step := n*618/1000 | 1
	for gcd(step, n) != 1 {
		step += 2
	}
	return step
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// shard runs a part of the work and leaves it in the store.
func (r *session) shard() error {
	e := r.e
	var works []*work
	for _, s := range r.opt.Shard.spans(e.costs, e.replications, e.rule != nil) {
		at := &e.points[s.place]
		if s.to-s.from == e.replications {
			if _, ok := r.opt.Store.Point(at.id); !ok {
				works = append(works, e.whole(at))
			}
			continue
		}
		if len(r.opt.Store.Pieces(pieceKey(at, s.from, s.to))) == 0 {
			n := s.to - s.from
			works = append(works, &work{place: at, from: s.from, limit: n, most: n})
		}
	}
	if err := e.warm(works, r.opt); err != nil {
		return err
	}
	return e.run(works, r.opt.Jobs, r.opt.Stop, r.opt.Progress, func(w *work) error {
		if w.from > 0 || w.rule == nil && w.limit < e.replications {
			return r.opt.Store.SavePiece(pieceKey(w.place, w.from, w.from+w.limit), &Piece{w.from, w.from + w.limit, w.done, w.pool})
		}
		p := e.finish(w.place, w.model, w.done, &w.pool)
		p.Imprecise = w.imprecise
		return r.opt.Store.SavePoint(w.place.id, &p)
	})
}
