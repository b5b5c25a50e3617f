package experiment

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Shards share everything out: every replication of every point is in exactly
// one, and their costs differ by no more than one replication of the dearest
// point.
func TestShardsShareOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		costs := rapid.SliceOfN(rapid.Int64Range(1, 1_000_000), 1, 60).Draw(t, "costs")
		replications := rapid.IntRange(1, 40).Draw(t, "replications")
		n := rapid.IntRange(1, 25).Draw(t, "n")
		whole := rapid.Bool().Draw(t, "whole")
		seen := make([][]int, len(costs))
		total, dearest := 0.0, 0.0
		for i, c := range costs {
			seen[i] = make([]int, replications)
			total += float64(c) * float64(replications)
			dearest = max(dearest, float64(c))
		}
		for k := 1; k <= n; k++ {
			spans := Shard{k, n}.spans(costs, replications, whole)
			mine, pieces := 0.0, 0
			for _, s := range spans {
				for r := s.from; r < s.to; r++ {
					seen[s.place][r]++
				}
				mine += float64(costs[s.place]) * float64(s.to-s.from)
				if s.to-s.from < replications {
					pieces++
				}
			}
			if whole && pieces > 0 || pieces > 2 {
				t.Fatalf("shard %d of %d has %d pieces", k, n, pieces)
			}
			if off := mine - total/float64(n); !whole && (off > dearest+1 || off < -dearest-1) {
				t.Fatalf("shard %d of %d costs %v, its share is %v and a replication %v at most", k, n, mine, total/float64(n), dearest)
			}
		}
		for i := range seen {
			if slices.ContainsFunc(seen[i], func(n int) bool { return n != 1 }) {
				t.Fatalf("replications of point %d: %v", i, seen[i])
			}
		}
	})
}

// Neighbours are far apart, and nothing is left out.
func TestMixed(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 10, 100, 1001} {
		order := mixed(n)
		sorted := slices.Sorted(slices.Values(order))
		for i, v := range sorted {
			if v != i {
				t.Fatalf("%d: %v", n, order)
			}
		}
		for i := 1; i < len(order) && n >= 100; i++ {
			if d := (order[i] - order[i-1] + n) % n; d < n/4 || d > 3*n/4 {
				t.Fatalf("%d: %d follows %d", n, order[i], order[i-1])
			}
		}
	}
}

// memory is a store in memory.
type memory struct {
	points map[string]*Point
	pieces map[string][]byte
	mu     chan struct{} // holds one when free
}

func newMemory() *memory {
	m := &memory{map[string]*Point{}, map[string][]byte{}, make(chan struct{}, 1)}
	m.mu <- struct{}{}
	return m
}

func (m *memory) locked(f func()) {
	<-m.mu
	defer func() { m.mu <- struct{}{} }()
	f()
}

func (m *memory) Point(key string) (p *Point, ok bool) {
	m.locked(func() { p, ok = m.points[key] })
	return p, ok
}

func (m *memory) SavePoint(key string, p *Point) error {
	m.locked(func() { m.points[key] = p })
	return nil
}

func (m *memory) Pieces(prefix string) (out []*Piece) {
	m.locked(func() {
		for k, b := range m.pieces {
			if len(k) >= len(prefix) && k[:len(prefix)] == prefix {
				p := new(Piece)
				if err := p.UnmarshalBinary(b); err != nil {
					panic(err)
				}
				out = append(out, p)
			}
		}
	})
	return out
}

func (m *memory) SavePiece(key string, p *Piece) error {
	b, err := p.MarshalBinary()
	m.locked(func() { m.pieces[key] = b })
	return err
}

// Shards put together are what one machine makes, however many there are.
func TestShardsMerge(t *testing.T) {
	one, err := mustNew(t, paused).Run(Options{Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 2, 3, 7, 30} {
		if testing.Short() && n != 3 {
			continue
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			all := newMemory()
			for k := 1; k <= n; k++ {
				r, err := mustNew(t, paused).Run(Options{Jobs: 2, Store: all, Shard: &Shard{k, n}})
				if err != nil || len(r.Points) > 0 || r.Expectations != nil {
					t.Fatalf("%v, %d points, judged %v", err, len(r.Points), r.Expectations)
				}
			}
			merged, err := mustNew(t, paused).Run(Options{Jobs: 2, Store: all, Sealed: true})
			if err != nil {
				t.Fatal(err)
			}
			compareWhole(t, one, merged)
		})
	}
}

// What a shard did not do is named.
func TestMissingShard(t *testing.T) {
	all := newMemory()
	if _, err := mustNew(t, paused).Run(Options{Store: all, Shard: &Shard{1, 2}}); err != nil {
		t.Fatal(err)
	}
	_, err := mustNew(t, paused).Run(Options{Store: all, Sealed: true})
	if missing := new(MissingError); !asMissing(err, missing) || missing.Point == "" {
		t.Errorf("%v", err)
	}
}
