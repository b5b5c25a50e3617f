package event

import (
	"math"
	"math/bits"
	"time"
)

// refill moves the window to the next events. There must be some, and the
// window must have none.
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
			w.split(s.firstWidth(chain))
			w.base = uint64(s.now)
			w.insertAll(&s.arena, chain)
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
		// The same time and key, so any chunk may be next. The others wait in a
		// slot of level 0, where nobody will compare their keys again.
		i = w.index(0, s.arena.at(chain-1).Key)
		w.slot[i] = s.arena.behind(chain)
		w.mark(i)
		s.open(w, 0, chain)
		return
	}
}

// open makes the window of a slot at some level, with the events in the newest
// chunk of the chain that was taken from it.
func (s *Set) open(w *wheel, level uint, chain uint32) {
	s.load(chain, w.shift[level], w.byKey)
	s.tuner.count += int(s.left)
	latest, next := &s.front[0], &s.front[s.left-1]
	if w.byKey {
		s.keyLast = w.enter(level, latest.Key)
		return
	}
	s.last = time.Duration(w.enter(level, uint64(latest.At)))
	s.tuner.width = int(w.shift[level])
	if s.left > 1 && latest.At == next.At {
		s.tuner.width = unsplit
	}
}

// enter makes the instant of a chain's events the window and moves them all to
// the wheel of keys.
func (s *Set) enter(chain uint32) {
	s.last = s.arena.at(chain - 1).At
	s.times.enter(0, uint64(s.last))
	s.tuner.width = unsplit

	chunks := 0
	for c := chain; c != 0; c = s.arena.behind(c) {
		chunks++
	}
	x := s.keys.spread(&s.arena, chain, 64)
	s.keys.split(max(0, bits.Len64(x)-bits.Len(uint(chunks))))
	s.keys.deal(&s.arena, chain, s.keys.highest(x))
}

// narrow lets the window end earlier, so that events leave the full front. It
// reports false if none could.
func (s *Set) narrow() bool {
	front := s.front[:s.left]
	latest := front[0]
	if latest.At > s.now {
		if s.times.cut == 0 {
			s.times.split(max(0, bits.Len64(uint64(front[frontLen/2].At-s.now))-1))
		}
		now := uint64(s.now)
		level := s.times.highest(uint64(latest.At) ^ now)
		s.last = time.Duration(s.times.enter(level, now))
		s.tuner.width = int(s.times.shift[level])
	} else {
		// All at this instant. The base of the wheel of keys can't go back as
		// long as there are events in it, so events before it don't count.
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
			s.keyLast = s.keys.enter(s.keys.highest(latest.Key^key), key)
			s.tuner.width = unsplit
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

// load moves the newest chunk of a chain to the empty front and sorts it. Its
// events come from a slot of the given width.
//
// What is sorted are words: the coordinate within the slot, and below it the
// place in the chunk. Time and key don't fit into a word together, but events
// in a slot are seldom simultaneous, and if so, most often they all are.
func (s *Set) load(chain uint32, width uint8, byKey bool) {
	chunk := s.arena.chunk(chain)
	n := uint(chain-1)%chunkLen + 1
	s.arena.drop(chain)
	s.left = n
	if n == 1 {
		s.front[0] = chunk[0]
		return
	}
	if !byKey {
		s.timeWords(chunk, n, width)
		if !s.arrange(chunk, n) {
			return
		}
		byKey = true
		width = 64
		for i := range n {
			byKey = byKey && s.front[i%frontLen].At == s.front[0].At
		}
	}
	if byKey {
		s.keyWords(chunk, n, width)
		if !s.arrange(chunk, n) {
			return
		}
	}
	insertionSort(s.front[:n])
}

// timeWords makes the words to sort n events by time. Words that only fill the
// sorting network are larger.
func (s *Set) timeWords(chunk *[chunkLen]Event, n uint, width uint8) {
	shift := (64 - width) % 64
	for i := range networkLen(n) {
		beyond := uint64(int64(n-1-i) >> 63) // all bits if i >= n
		s.words[i] = uint64(chunk[i].At)<<shift&^(chunkLen-1) | uint64(i) | beyond
	}
}

// keyWords makes the words to sort n events by key.
func (s *Set) keyWords(chunk *[chunkLen]Event, n uint, width uint8) {
	shift := (64 - width) % 64
	for i := range networkLen(n) {
		beyond := uint64(int64(n-1-i) >> 63)
		s.words[i] = chunk[i].Key<<shift&^(chunkLen-1) | uint64(i) | beyond
	}
}

// arrange sorts the words and copies the events to front accordingly. It
// reports whether words were equal but for the place.
func (s *Set) arrange(chunk *[chunkLen]Event, n uint) (tied bool) {
	sortWords(&s.words, n)
	before := uint64(math.MaxUint64)
	i := n
	for _, word := range s.words[:n] {
		i--
		s.front[i%frontLen] = chunk[word%chunkLen]
		if word^before < chunkLen {
			tied = true
		}
		before = word
	}
	return tied
}

// insertionSort sorts events from the latest to the next.
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
