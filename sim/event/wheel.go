package event

import "math/bits"

const (
	digitBits = 9
	slots     = 1 << digitBits // in a level
	levels    = 8              // enough for 64 bits: 1 + 7*9
)

// wheel keeps events roughly sorted by a coordinate, their time or their key.
// A level stands for a digit of the coordinate and has a slot for each value of
// the digit. An event belongs to the level of the highest digit in which it
// differs from base, which comes before all events of the wheel. Hence the
// slots of a level come after those of the levels below; and when the first
// slot in use is taken out, all levels below it are free for its events.
//
// The lowest digit has cut bits, all others have digitBits. Another cut makes
// other slot widths.
type wheel struct {
	byKey bool
	base  uint64
	cut   int           // 1 to digitBits; 0 while there is only one slot
	level [65]uint8     // by the number of bits of the difference from base
	shift [levels]uint8 // log2 of the width of a level's slots

	busy  uint8                  // levels in use, a bit for each
	words [levels]uint8          // words of used in use
	used  [levels][8]uint64      // slots in use
	slot  [levels * slots]uint32 // a chain for each slot of each level
}

// join makes a wheel with a single slot. The wheel must be empty.
func (w *wheel) join() {
	w.base = 0
	w.cut = 0
	w.level = [65]uint8{}
	w.shift[0] = 63
}

// split makes a level with slots 1<<width wide. The wheel must be empty.
func (w *wheel) split(width int) {
	w.cut = 1 + (width+digitBits-1)%digitBits
	for n := range w.level {
		w.level[n] = uint8(max(0, n-1-w.cut+digitBits) / digitBits)
	}
	w.shift[0] = 0
	for l := 1; l < levels; l++ {
		w.shift[l] = uint8(w.cut + (l-1)*digitBits)
	}
}

// highest returns the level of the highest digit in which x isn't 0.
func (w *wheel) highest(x uint64) uint {
	return uint(w.level[bits.Len64(x)])
}

// find returns the slot for coordinate c.
func (w *wheel) find(c uint64) uint {
	return w.index(w.highest(c^w.base), c)
}

// index returns the slot of a level for coordinate c.
func (w *wheel) index(level uint, c uint64) uint {
	return level<<digitBits | uint(c>>(w.shift[level%levels]%64))%slots
}

func (w *wheel) coordinate(e *Event) uint64 {
	if w.byKey {
		return e.Key
	}
	return uint64(e.At)
}

// insert adds an event to the wheel.
func (w *wheel) insert(a *arena, e *Event) {
	w.add(a, w.find(w.coordinate(e)), e)
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
	level, word := i/slots%levels, i%slots/64
	w.busy |= 1 << level
	w.words[level] |= 1 << word
	w.used[level][word] |= 1 << (i % 64)
}

// first returns the first slot in use. The wheel must not be empty.
func (w *wheel) first() uint {
	level := uint(bits.TrailingZeros8(w.busy)) % levels
	word := uint(bits.TrailingZeros8(w.words[level])) % 8
	return level<<digitBits | word<<6 | uint(bits.TrailingZeros64(w.used[level][word]))
}

// take empties slot i and returns its chain.
func (w *wheel) take(i uint) (chain uint32) {
	level, word := i/slots%levels, i%slots/64
	w.used[level][word] &^= 1 << (i % 64)
	if w.used[level][word] == 0 {
		w.words[level] &^= 1 << word
		if w.words[level] == 0 {
			w.busy &^= 1 << level
		}
	}
	i %= levels * slots
	chain = w.slot[i]
	w.slot[i] = 0
	return chain
}

// spread returns the bits in which the coordinates of a chain differ. It stops
// looking as soon as it finds one that isn't below enough.
func (w *wheel) spread(a *arena, chain uint32, enough uint8) (x uint64) {
	first := w.coordinate(a.at(chain - 1))
	for chain != 0 && x>>enough == 0 {
		events := a.newest(chain)
		for i := range events {
			x |= w.coordinate(&events[i]) ^ first
		}
		chain = a.behind(chain)
	}
	return x
}

// insertAll moves the events of a chain to the wheel.
func (w *wheel) insertAll(a *arena, chain uint32) {
	for chain != 0 {
		events := a.newest(chain)
		for i := range events {
			w.insert(a, &events[i])
		}
		chain = a.drop(chain)
	}
}

// deal moves the events of a chain to the slots of a level, above which their
// coordinates must agree.
func (w *wheel) deal(a *arena, chain uint32, level uint) {
	for chain != 0 {
		events := a.newest(chain)
		for i := range events {
			w.add(a, w.index(level, w.coordinate(&events[i])), &events[i])
		}
		chain = a.drop(chain)
	}
}

// enter moves base to the start of the slot of a level around coordinate c and
// returns the last coordinate of the slot.
func (w *wheel) enter(level uint, c uint64) (last uint64) {
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
