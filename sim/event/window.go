package event

import (
	"math"
	"math/bits"
	"time"
)

// refill moves the window to the next events. There must be some, and none in
// the window.
func (s *Set) refill() {
	s.tune()
	for {
		w := &s.keys
		if w.busy == 0 {
			w = &s.times
			s.keyLast = math.MaxUint64
		}
		i := w.first()
		chain := w.take(i)
		level := i / slots % levels
		if s.arena.behind(chain) == 0 {
			s.open(w, level, chain)
			return
		}
		if w.cut == 0 {
			s.times.split(s.firstWidth(chain))
			s.times.insertAll(&s.arena, chain)
			continue
		}
		if level > 0 {
			x := w.spread(&s.arena, chain, w.shift[level-1])
			if x != 0 {
				w.deal(&s.arena, chain, w.highest(x))
				continue
			}
		}
		if w == &s.times {
			s.enter(chain)
			continue
		}
		// Nothing but the key, so in no order. The rest waits at level 0, whose
		// slots need no look at their spread.
		rest := s.arena.behind(chain)
		i = w.index(0, s.arena.at(chain-1).Key)
		w.slot[i] = rest
		w.mark(i)
		s.open(w, 0, chain)
		return
	}
}

// open makes a slot the window. The slot must have been taken and its events be
// those in the newest chunk of a chain.
func (s *Set) open(w *wheel, level uint, chain uint32) {
	s.load(chain, w.shift[level], w.byKey)
	latest, next := &s.front[0], &s.front[s.left-1]
	if w.byKey {
		s.keyLast = w.enter(level, latest.Key)
		s.tuner.count += int(s.left)
		return
	}
	s.last = time.Duration(w.enter(level, uint64(latest.At)))
	s.tuner.count += int(s.left)
	s.tuner.width = int(w.shift[level])
	if s.left > 1 && latest.At == next.At {
		s.tuner.width = unsplit
	}
}

// enter makes the instant of a chain's events the window, with no event in it
// yet: they all go to the wheel of keys.
func (s *Set) enter(chain uint32) {
	s.last = s.arena.at(chain - 1).At
	s.times.enter(0, uint64(s.last))
	s.tuner.width = unsplit

	n := 0
	for c := chain; c != 0; c = s.arena.behind(c) {
		n += chunkLen
	}
	x := s.keys.spread(&s.arena, chain, 64)
	s.keys.split(max(0, bits.Len64(x)-bits.Len(uint(n/chunkLen))))
	s.keys.deal(&s.arena, chain, s.keys.highest(x))
}

// narrow moves the end of the window back, so that events leave the full front.
// It reports false when none does.
func (s *Set) narrow() bool {
	front := s.front[:s.left]
	latest := front[0]
	if latest.At != s.now {
		if s.times.cut == 0 {
			s.times.split(bits.Len64(uint64(front[frontLen/2].At - s.now)) - 1)
		}
		now := uint64(s.now)
		level := s.times.highest(uint64(latest.At) ^ now)
		s.last = time.Duration(s.times.enter(level, now))
		s.tuner.width = int(s.times.shift[level])
	} else {
		// All at one instant: the window begins at the first key that isn't
		// before base, which can't go back while there are events in the wheel.
		if s.keys.busy == 0 {
			s.keys.base = 0
			s.keys.split(0)
		}
		i := len(front) - 1
		for i > 0 && front[i].Key < s.keys.base {
			i--
		}
		if key := front[i].Key; key >= s.keys.base {
			s.last = s.now
			s.tuner.width = unsplit
			s.keyLast = s.keys.enter(s.keys.highest(latest.Key^key), key)
		}
	}
	n := 0
	for ; n < len(front); n++ {
		if front[n].At > s.last {
			s.times.insert(&s.arena, &front[n])
		} else if front[n].Key > s.keyLast {
			s.keys.insert(&s.arena, &front[n])
		} else {
			break
		}
	}
	s.left = uint(copy(front, front[n:]))
	s.tuner.count = int(s.left)
	return n > 0
}

// load moves the newest chunk of a chain to front and sorts it. The chunk is
// from a slot of the given log2 width.
//
// What is sorted are words of the low bits of the coordinate and the place in
// the chunk. Time and key don't fit into a word together, but simultaneous
// events are rare, or all are simultaneous.
func (s *Set) load(chain uint32, width uint8, byKey bool) {
	chunk := s.arena.chunk(chain)
	n := uint(chain-1)%chunkLen + 1
	s.arena.drop(chain)
	s.left = n
	if n == 1 {
		s.front[0] = chunk[0]
		return
	}
	tied := true
	if !byKey {
		timeWords(&s.words, chunk, n, width)
		tied = s.arrange(chunk, n)
		if tied {
			byKey = true
			width = 64
			for i := range n {
				if s.front[i%frontLen].At != s.front[0].At {
					byKey = false
				}
			}
		}
	}
	if byKey {
		keyWords(&s.words, chunk, n, width)
		tied = s.arrange(chunk, n)
	}
	if tied {
		insertionSort(s.front[:n])
	}
}

// timeWords makes words of the times of n events, and larger ones up to the
// next size of a sorting network.
func timeWords(words *[chunkLen]uint64, chunk *[chunkLen]Event, n uint, width uint8) {
	shift := (64 - width) % 64
	for i := range networkLen(n) {
		beyond := uint64(int64(n-1-i) >> 63)
		words[i] = uint64(chunk[i].At)<<shift&^(chunkLen-1) | uint64(i) | beyond
	}
}

// keyWords is timeWords for keys.
func keyWords(words *[chunkLen]uint64, chunk *[chunkLen]Event, n uint, width uint8) {
	shift := (64 - width) % 64
	for i := range networkLen(n) {
		beyond := uint64(int64(n-1-i) >> 63)
		words[i] = chunk[i].Key<<shift&^(chunkLen-1) | uint64(i) | beyond
	}
}

// arrange copies events to front in the order of their words. It reports
// whether any are tied.
func (s *Set) arrange(chunk *[chunkLen]Event, n uint) (tied bool) {
	sortWords(&s.words, n)
	i := n
	last := uint64(math.MaxUint64)
	for _, word := range s.words[:n] {
		i--
		s.front[i%frontLen] = chunk[word%chunkLen]
		if word^last < chunkLen {
			tied = true
		}
		last = word
	}
	return tied
}

func insertionSort(front []Event) {
	for i := range front {
		e := front[i]
		for i > 0 && front[i-1].Before(e) {
			front[i] = front[i-1]
			i--
		}
		front[i] = e
	}
}
