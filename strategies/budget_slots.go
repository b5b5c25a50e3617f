package strategies

import "time"

// slotCount is how many slots a sliding window has: its oldest tenth leaves at
// once. Slots begin at whole multiples of their width.
const slotCount = 10

// slots is a sliding window: the slot that is being filled and the nine before.
type slots struct {
	sum  int64
	last time.Duration // number of the slot that is being filled
	in   [slotCount]int64
}

// slotOf is the width of the slots of a window.
func slotOf(window time.Duration) time.Duration { return max((window+slotCount-1)/slotCount, 1) }

// of is the sum over the window that ends in a slot.
func (w *slots) of(slot time.Duration) int64 {
	switch gone := slot - w.last; {
	case gone >= slotCount:
		*w = slots{last: slot}
	default:
		for ; gone > 0; gone-- {
			w.last++
			old := &w.in[w.last%slotCount]
			w.sum -= *old
			*old = 0
		}
	}
	return w.sum
}

func (w *slots) add(slot time.Duration, n int64) {
	w.of(slot)
	w.sum += n
	w.in[slot%slotCount] += n
}
