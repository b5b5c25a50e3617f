package event

import "math/bits"

const (
	digitBits = 9
	slots     = 1 << digitBits // in a level
	levels    = 8              // enough for any 64 bits: 1 + 7*9
)

// wheel holds events roughly sorted by a coordinate, their time or their key.
// Each level is for one digit of the coordinate and has a slot for each value
// of that digit. An event is at the level of the highest digit in which it
// differs from base, which no event in the wheel precedes. So the slots of a
// level all come after those of the levels below, and when the first slot of
// the wheel is taken out, the levels below it are empty.
//
// The lowest digit has cut bits, the others digitBits. Moving the cut changes
// the width of all slots.
type wheel struct {
	base  uint64
	level [65]uint8     // by the length in bits of the difference from base
	shift [levels]uint8 // the slots of a level are 1<<shift wide
	cut   int           // 1..digitBits

	busy  uint8                  // levels in use, one bit each
	words [levels]uint8          // words of used that aren't 0
	used  [levels][8]uint64      // slots in use
	slot  [levels * slots]uint32 // chains in the arena
}

// setCut lays out an empty wheel so that one of its levels has slots 1<<width
// wide.
func (w *wheel) setCut(width int) {
	w.cut = 1 + (width+digitBits-1)%digitBits
	for n := range w.level {
		w.level[n] = uint8(max(0, n-1-w.cut+digitBits) / digitBits)
	}
	for l := 1; l < levels; l++ {
		w.shift[l] = uint8(w.cut + (l-1)*digitBits)
	}
}

// find returns the slot for a coordinate.
func (w *wheel) find(c uint64) uint {
	return w.index(w.level[bits.Len64(c^w.base)], c)
}

// index returns the slot for a coordinate at a given level.
func (w *wheel) index(level uint8, c uint64) uint {
	return uint(level)<<digitBits | uint(c>>(w.shift[level%levels]%64))%slots
}

// add puts an event into slot i.
func (w *wheel) add(a *arena, i uint, e *Event) {
	chain := &w.slot[i%(levels*slots)]
	next := *chain
	if next%chunkLen == 0 {
		if next == 0 {
			w.mark(i)
		}
		next = a.extend(next)
	}
	*a.at(next) = *e
	*chain = next + 1
}

// mark notes that slot i is in use.
func (w *wheel) mark(i uint) {
	l, word := i/slots%levels, i%slots/64
	w.busy |= 1 << l
	w.words[l] |= 1 << word
	w.used[l][word] |= 1 << (i % 64)
}

// first returns the first slot in use.
func (w *wheel) first() uint {
	l := uint(bits.TrailingZeros8(w.busy)) % levels
	word := uint(bits.TrailingZeros8(w.words[l])) % 8
	return l<<digitBits | word<<6 | uint(bits.TrailingZeros64(w.used[l][word]))
}

// take empties slot i and returns its chain.
func (w *wheel) take(i uint) (chain uint32) {
	l, word := i/slots%levels, i%slots/64
	w.used[l][word] &^= 1 << (i % 64)
	if w.used[l][word] == 0 {
		w.words[l] &^= 1 << word
		if w.words[l] == 0 {
			w.busy &^= 1 << l
		}
	}
	i %= levels * slots
	chain = w.slot[i]
	w.slot[i] = 0
	return chain
}

// enter moves base to the start of the slot of a level around coordinate c and
// returns the end of this slot, inclusive.
func (w *wheel) enter(level uint8, c uint64) (last uint64) {
	mask := uint64(1)<<w.shift[level] - 1
	w.base = c &^ mask
	return c | mask
}

// clear empties all slots.
func (w *wheel) clear() {
	for w.busy != 0 {
		w.take(w.first())
	}
}
