package experiment

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"retrystorm/sim"
)

// Piece is what a shard has of a point that it shares with others: some of its
// replications, not summarised.
type Piece struct {
	From, To int // replications [From, To)
	done     []replication
	pool     pool
}

// A piece and a point in one form: what a pool holds, with names that gob sees.
type stored struct {
	From, To     int
	Runs         []Run
	Groups       [][]Run
	Hops         [][]sim.HopRecord
	Quantiles    [][]float64
	PoolRuns     int64
	PoolRequests int64
	Completion   sim.Times
	Members      []member
	Stores       []member
	Row          time.Duration
	Rows         [][]sim.Row
	PoolHops     []sim.HopRecord
	PoolWaits    []time.Duration
	PoolWatched  time.Duration
	Queues       [][]Run
	Duplicates   [][]counted
	Died         [][]counted
	Dead         []DeadLetter // of the first replication
	DeadMore     int64
	Attempts     []Attempt // likewise
}

// MarshalBinary writes a piece so that nothing is lost.
func (p *Piece) MarshalBinary() ([]byte, error) {
	s := stored{
		From: p.From, To: p.To,
		PoolRuns: p.pool.runs, PoolRequests: p.pool.requests, Completion: p.pool.completion, Members: p.pool.members, Stores: p.pool.stores,
		Row: p.pool.row, Rows: p.pool.rows, PoolHops: p.pool.hops, PoolWaits: p.pool.waits, PoolWatched: p.pool.watched,
	}
	for _, r := range p.done {
		s.Runs, s.Groups, s.Hops = append(s.Runs, r.run), append(s.Groups, r.groups), append(s.Hops, r.hops)
		s.Quantiles, s.Queues = append(s.Quantiles, r.quantiles), append(s.Queues, r.queues)
		s.Duplicates, s.Died = append(s.Duplicates, r.duplicates), append(s.Died, r.died)
	}
	if len(p.done) > 0 {
		s.Dead, s.DeadMore, s.Attempts = p.done[0].dead, p.done[0].more, p.done[0].attempts
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(s)
	return b.Bytes(), err
}

// UnmarshalBinary reads what MarshalBinary has written.
func (p *Piece) UnmarshalBinary(b []byte) error {
	var s stored
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&s); err != nil {
		return err
	}
	if n := s.To - s.From; n < 1 || len(s.Runs) != n || len(s.Groups) != n || len(s.Hops) != n || len(s.Quantiles) != n ||
		len(s.Queues) != n || len(s.Duplicates) != n || len(s.Died) != n {
		return errors.New("a piece with another number of replications than it says")
	}
	*p = Piece{From: s.From, To: s.To, pool: pool{
		runs: s.PoolRuns, requests: s.PoolRequests, completion: s.Completion, members: s.Members, stores: s.Stores,
		row: s.Row, rows: s.Rows, hops: s.PoolHops, waits: s.PoolWaits, watched: s.PoolWatched,
	}}
	for i := range s.Runs {
		p.done = append(p.done, replication{
			run: s.Runs[i], groups: s.Groups[i], queues: s.Queues[i], hops: s.Hops[i], quantiles: s.Quantiles[i],
			duplicates: s.Duplicates[i], died: s.Died[i],
		})
	}
	p.done[0].dead, p.done[0].more, p.done[0].attempts = s.Dead, s.DeadMore, s.Attempts
	return nil
}

// pieceKey is the key of a piece of a place.
func pieceKey(at *place, from, to int) string {
	return at.id + ":" + strconv.Itoa(from) + "-" + strconv.Itoa(to)
}

// combine makes a point of its pieces.
func (e *Experiment) combine(at *place, pieces []*Piece) (*Point, error) {
	slices.SortFunc(pieces, func(a, b *Piece) int { return a.From - b.From })
	var done []replication
	var all pool
	for _, p := range pieces {
		if p.From != len(done) {
			return nil, fmt.Errorf("%s: replications %d to %d are there twice or not at all", name(at.variant, e.axes, at.sweep), min(p.From, len(done))+1, max(p.From, len(done)))
		}
		done = append(done, p.done...)
		all.merge(&p.pool)
	}
	if len(done) != e.replications {
		return nil, fmt.Errorf("%s: %d of %d replications are there", name(at.variant, e.axes, at.sweep), len(done), e.replications)
	}
	m, err := e.model(at)
	if err != nil {
		return nil, err
	}
	p := e.finish(at, m, done, &all)
	return &p, nil
}
