package event

import "math/bits"

const firstWidth = 20

type tuner struct {
	width int
	count int
	seen  int
	wish  int
}

func (s *Set) tune() {
	t := &s.tuner
	k := t.count
	t.count = 0
	if k == 0 || k > 1 && t.width == 0 {
		return
	}
	t.seen += k
	t.wish += k * (2*t.width + 8 - bits.Len(uint(k*k)))
	if t.seen < 256+s.size {
		return
	}
	wish := t.wish / t.seen
	t.seen, t.wish = 0, 0
	d := ((wish-2*s.times.cut)%(2*digitBits) + 2*digitBits) % (2 * digitBits)
	if d >= 2 && d <= 2*digitBits-2 {
		s.recut((wish + 1) >> 1)
	}
}

func (s *Set) recut(width int) {
	old := s.times
	w := &s.times
	*w = wheel{base: uint64(s.now)}
	w.setCut(max(1, width))
	for old.busy != 0 {
		chain := old.take(old.first())
		for chain != 0 {
			evs := s.arena.newest(chain)
			for i := range evs {
				w.add(&s.arena, w.find(uint64(evs[i].At)), &evs[i])
			}
			chain = s.arena.drop(chain)
		}
	}
}
