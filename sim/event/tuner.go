package event

import "math/bits"

const (
	goodBits = 4 //
	unsplit    = -1 // width of a window that no cut can split
)

// tuner finds out which slot width suits the events.
type tuner struct {
	width int // log2 width of the window
	count int // events that were in the window
	seen  int // events of all windows since the last decision
	wish  int // sum over these events of twice the log2 width they would like
}

// tune learns from the window that has come to its end, and now and then moves
// the cut of the wheel.
func (s *Set) tune() {
	t := &s.tuner
	n := t.count
	t.count = 0
	if n == 0 || t.width == unsplit {
		return
	}
	// Twice the logarithm, because rounding it to an integer would be coarse.
	t.seen += n
	t.wish += n * (2*t.width + 8 - bits.Len(uint(n*n)))
	if t.seen < 64+s.size {
		return
	}
	wish := t.wish / t.seen
	t.seen, t.wish = 0, 0
	off := ((wish-2*s.times.cut)%(2*digitBits) + 2*digitBits) % (2 * digitBits)
	if off >= 2 && off <= 2*digitBits-2 {
		s.recut(max(0, (wish+1)/2))
	}
}

// recut moves all events after the window to a wheel with another cut.
func (s *Set) recut(width int) {
	old := s.times
	s.times = wheel{base: uint64(s.now)}
	s.times.split(width)
	for old.busy != 0 {
		s.times.insertAll(&s.arena, old.take(old.first()))
	}
}

// firstWidth guesses from the events of a chain, the first there are.
func (s *Set) firstWidth(chain uint32) int {
	n, sum := 0, 0
	for chain != 0 {
		events := s.arena.newest(chain)
		for i := range events {
			sum += bits.Len64(uint64(events[i].At))
		}
		n += len(events)
		chain = s.arena.behind(chain)
	}
	return max(0, sum/n+goodBits-bits.Len(uint(n)))
}
