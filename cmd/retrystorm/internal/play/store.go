package play

import (
	"fmt"
	"strings"
	"sync"

	"retrystorm/cmd/retrystorm/internal/forecast"
	"retrystorm/experiment"
	"retrystorm/report"
)

// store keeps the points of a run in memory, as a folder keeps them on disk, and
// tells which have come.
type store struct {
	most int64 // bytes

	mu    sync.Mutex
	size  int64
	kept  map[string][]byte
	fresh []*experiment.Point // not taken yet
}

func newStore(most int64) *store { return &store{most: most, kept: map[string][]byte{}} }

func (s *store) Point(key string) (*experiment.Point, bool) {
	s.mu.Lock()
	b, ok := s.kept[key]
	s.mu.Unlock()
	if !ok {
		return nil, false
	}
	p, err := report.DecodePoint(b)
	return p, err == nil
}

func (s *store) SavePoint(key string, p *experiment.Point) error {
	b, err := report.EncodePoint(p)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size += int64(len(key) + len(b)); s.most > 0 && s.size > s.most {
		return fmt.Errorf("the result takes more than %s of memory; fewer points, a shorter run or wider windows take less, and retrystorm run -o DIR keeps it on disk", forecast.Size(uint64(s.most)))
	}
	s.kept[key] = b
	s.fresh = append(s.fresh, p)
	return nil
}

// take is what has come since it was called before.
func (s *store) take() []*experiment.Point {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := s.fresh
	s.fresh = nil
	return fresh
}

func (s *store) bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// A page has no shards, so there are no pieces of points.

func (s *store) Pieces(string) []*experiment.Piece { return nil }

func (s *store) SavePiece(key string, _ *experiment.Piece) error {
	return fmt.Errorf("%s: no piece belongs here", strings.TrimSpace(key))
}
