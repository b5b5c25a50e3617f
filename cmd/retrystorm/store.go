package main

import (
	"strings"

	"retrystorm/experiment"
	"retrystorm/report"
)

// records is where finished work lies, as bytes by key: a folder in the making,
// or finished shards.
type records interface {
	Load(key string) ([]byte, bool)
	Keys() []string
}

// store is such a place as an experiment sees it.
type store struct {
	records
	save func(key string, payload []byte) error // nil: it is only read
}

// Point reads a point. One that cannot be read counts as not there: it is run
// again.
func (s *store) Point(key string) (*experiment.Point, bool) {
	b, ok := s.Load(key)
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
	return s.save(key, b)
}

func (s *store) Pieces(prefix string) []*experiment.Piece {
	var out []*experiment.Piece
	for _, key := range s.Keys() {
		if !strings.HasPrefix(key, prefix) {
			continue
		}
		b, ok := s.Load(key)
		if !ok {
			continue
		}
		p := new(experiment.Piece)
		if p.UnmarshalBinary(b) == nil {
			out = append(out, p)
		}
	}
	return out
}

func (s *store) SavePiece(key string, p *experiment.Piece) error {
	b, err := p.MarshalBinary()
	if err != nil {
		return err
	}
	return s.save(key, b)
}
