package event

import "math/bits"

const (
	// twiceGoal is twice log2 of the number of events that a slot should have,
	// 11. Half as many or twice as many cost little more.
	twiceGoal = 7

	// unsplit is the width of a window that no cut could make smaller, because
	// all its events are simultaneous.
	unsplit = -1
)

// tuner finds the slot width that suits the events.
type tuner struct {
	width int // of the window, log2
	count int // events that have been in the window
	seen  int // events of all windows since the last decision
	wish  int // twice log2 of the width they wish for, summed over these events
}

// twiceWish returns twice log2 of the width that would have been right where n
// events were found in a width of 1<<width.
func twiceWish(width, n int) int {
	return 2*width + twiceGoal + 1 - bits.Len(uint(n*n))
}

// tune learns from the window that came to its end. It changes the width of the
// slots when the events wish for half of it, or twice, or less, or more. Moving
// all events takes no longer than pushing them, and happens at most once for as
// many events as there are.
func (s *Set) tune() {
	t := &s.tuner
	n := t.count
	t.count = 0
	if n == 0 || t.width == unsplit {
		return
	}
	t.seen += n
	t.wish += n * twiceWish(t.width, n)
	if t.seen < 64+s.size {
		return
	}
	wish := t.wish / t.seen
	t.seen, t.wish = 0, 0
	// Only the cut matters: widths that differ by a whole digit have the same.
	const period = 2 * digitBits
	off := ((wish-2*s.times.cut)%period + period) % period
	if off >= 2 && off <= period-2 {
		s.recut(max(0, (wish+1)/2))
	}
}

// recut moves all events after the window to slots of other widths.
func (s *Set) recut(width int) {
	old := s.times
	s.times = wheel{base: uint64(s.now)}
	s.times.split(width)
	for old.busy != 0 {
		s.times.insertAll(&s.arena, old.take(old.first()))
	}
}

// firstWidth guesses the width for the events of a chain, when there has been no
// window to learn from.
func (s *Set) firstWidth(chain uint32) (width int) {
	n, sum := 0, 0
	for chain != 0 {
		events := s.arena.newest(chain)
		for i := range events {
			sum += bits.Len64(uint64(events[i].At - s.now))
		}
		n += len(events)
		chain = s.arena.behind(chain)
	}
	return max(0, twiceWish(sum/n, n)/2)
}
