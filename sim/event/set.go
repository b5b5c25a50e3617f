package event

import (
	"fmt"
	"math"
	"math/bits"
	"time"
)

// Set is a set of pending events. The zero value is empty, at time 0, and ready
// for use. A set must not be copied once it has been used.
type Set struct {
	arena arena
	crowd heap // events of the window when there are too many for front

	size  int
	ready bool
	now   time.Duration // time of the event popped last

	// The window reaches from now up to last and, if this is one instant, up to
	// keyLast. Its events are in front or in crowd, all others in the wheels.
	last    time.Duration
	keyLast uint64
	left    uint            // events in front
	front   [frontLen]Event // latest first, so that the next one is at the end
	words   [loadLen]uint64 // scratch of load

	times wheel // events at other times than the window, or those after a wide window
	keys  wheel // further events at the instant of the window, by key
	tuner tuner
}

const (
	frontLen = 64
	loadLen  = chunkLen // a slot of more events is dealt out to narrower slots
)

// Len returns the number of pending events.
func (s *Set) Len() int { return s.size }

// Push adds an event. It panics if the event is before the time of the event
// popped last.
func (s *Set) Push(e Event) {
	if e.At <= s.last {
		s.pushWindow(e)
		return
	}
	i := s.times.find(uint64(e.At)) % (levels * slots)
	next := s.times.slot[i]
	if next%chunkLen == 0 {
		s.pushChunk(e)
		return
	}
	*s.arena.at(next) = e
	s.times.slot[i] = next + 1
	s.size++
}

// pushChunk is Push for an event after the window that may need a new chunk.
func (s *Set) pushChunk(e Event) {
	if !s.ready {
		s.start()
	}
	s.times.add(&s.arena, s.times.find(uint64(e.At)), &e)
	s.size++
}

// pushWindow is Push for an event that isn't after the window.
func (s *Set) pushWindow(e Event) {
	i := s.left
	if e.At < s.now || e.Key > s.keyLast || i == frontLen || len(s.crowd) != 0 || !s.ready {
		s.pushRare(e)
		return
	}
	for i > 0 && s.front[(i-1)%frontLen].Before(e) {
		s.front[i%frontLen] = s.front[(i-1)%frontLen]
		i--
	}
	s.front[i%frontLen] = e
	s.left++
	s.size++
	s.tuner.count++
}

func (s *Set) pushRare(e Event) {
	if e.At < s.now {
		panic(fmt.Sprintf("event: push at %v, before the present %v", e.At, s.now))
	}
	if !s.ready {
		s.start()
		s.Push(e)
		return
	}
	if s.left == frontLen && e.Key <= s.keyLast && !s.narrow() {
		// Sorted from the first event on, it is a heap already.
		for ; s.left > 0; s.left-- {
			s.crowd = append(s.crowd, s.front[s.left-1])
		}
	}
	switch {
	case e.At > s.last:
		s.times.add(&s.arena, s.times.find(uint64(e.At)), &e)
	case e.Key > s.keyLast:
		s.keys.add(&s.arena, s.keys.find(e.Key), &e)
	case len(s.crowd) == 0:
		s.pushWindow(e)
		return
	default:
		s.tuner.count++
		s.crowd.push(e)
	}
	s.size++
}

// Pop removes and returns the first event, the smallest by time and key. It
// reports false if there is none.
func (s *Set) Pop() (e Event, ok bool) {
	if s.left == 0 {
		return s.popNext()
	}
	s.left--
	e = s.front[s.left%frontLen]
	s.now = e.At
	s.size--
	return e, true
}

// popNext is Pop when front is empty.
func (s *Set) popNext() (e Event, ok bool) {
	switch {
	case s.size == 0:
		return Event{}, false
	case len(s.crowd) != 0:
		e = s.crowd.pop()
		s.now = e.At
		s.size--
		return e, true
	}
	s.refill()
	return s.Pop()
}

// Reset empties the set and returns to time 0. It keeps the memory for the next
// run, which will go as if the set were new.
func (s *Set) Reset() {
	s.arena.reset()
	s.times.clear()
	s.keys.clear()
	s.crowd = s.crowd[:0]
	s.left = 0
	s.size = 0
	s.start()
}

// start makes an empty set ready for use. No event is in the window before the
// first Pop.
func (s *Set) start() {
	s.ready = true
	s.now = 0
	s.last = -1
	s.keyLast = math.MaxUint64
	s.times.base = 0
	s.times.setCut(firstWidth)
	s.tuner = tuner{}
}

// narrow makes the window end earlier, to have fewer events in it. It reports
// false if that isn't possible.
func (s *Set) narrow() bool {
	front := s.front[:s.left]
	latest := front[0]
	if latest.At != s.now {
		now := uint64(s.now)
		l := s.times.level[bits.Len64(uint64(latest.At)^now)]
		s.last = time.Duration(s.times.enter(l, now))
	} else {
		if s.keys.busy == 0 {
			s.keys.base = 0
			s.keys.setCut(1)
		}
		// Events with keys before base come from pushes behind the window's
		// start, which has to stay where it is.
		i := len(front) - 1
		for i >= 0 && front[i].Key < s.keys.base {
			i--
		}
		if i < 0 {
			return false
		}
		key := front[i].Key
		l := s.keys.level[bits.Len64(latest.Key^key)]
		s.last = s.now
		s.keyLast = s.keys.enter(l, key)
	}
	n := 0
	for n < len(front) && (front[n].At > s.last || front[n].Key > s.keyLast) {
		if e := &front[n]; e.At > s.last {
			s.times.add(&s.arena, s.times.find(uint64(e.At)), e)
		} else {
			s.keys.add(&s.arena, s.keys.find(e.Key), e)
		}
		n++
	}
	s.left = uint(copy(front, front[n:]))
	s.tuner.count -= n
	return n > 0
}

// refill moves the window to the next events. There must be some, and the
// window must be empty.
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
		l := uint8(i / slots)
		if s.arena.behind(chain) == 0 {
			s.load(chain, w.shift[l%levels], w == &s.keys)
			e := &s.front[0]
			if w == &s.keys {
				s.keyLast = w.enter(l, e.Key)
			} else {
				s.last = time.Duration(w.enter(l, uint64(e.At)))
				s.tuner.width = int(w.shift[l%levels])
				if s.left > 1 && e.At == s.front[s.left-1].At {
					s.tuner.width = 0
				}
			}
			s.tuner.count += int(s.left)
			return
		}
		if w == &s.keys && l == 0 {
			// The same key: no order among them, so a chunk will do.
			events := s.arena.newest(chain)
			s.left = uint(copy(s.front[:], events))
			s.tuner.count += int(s.left)
			w.mark(i)
			w.slot[i] = s.arena.drop(chain)
			s.keyLast = w.enter(0, s.front[0].Key)
			return
		}
		if w == &s.times {
			if down := s.spread(chain, l); down < l {
				s.deal(w, chain, down)
				continue
			}
			e := s.arena.at(chain - 1)
			s.last = e.At
			w.base = uint64(e.At)
			s.tuner.width = 0
			n, key := s.scanKeys(chain)
			s.keys.setCut(max(1, bits.Len64(key)-bits.Len(uint(n)/16)))
			s.dealKeys(&s.keys, chain, s.keys.level[bits.Len64(key)])
			continue
		}
		_, key := s.scanKeys(chain)
		s.dealKeys(w, chain, w.level[bits.Len64(key)])
	}
}

// spread returns the level at which the events of a chain differ, below l, l if they are all the same
func (s *Set) spread(chain uint32, l uint8) uint8 {
	w := &s.times
	first := s.arena.at(chain - 1).At
	var x uint64
	for chain != 0 {
		events := s.arena.newest(chain)
		for i := range events {
			x |= uint64(events[i].At ^ first)
		}
		if l > 0 && x>>w.shift[l-1] != 0 {
			return l - 1
		}
		chain = s.arena.behind(chain)
	}
	if x == 0 {
		return l
	}
	return w.level[bits.Len64(x)]
}

func (s *Set) scanKeys(chain uint32) (n int, x uint64) {
	first := s.arena.at(chain - 1).Key
	for chain != 0 {
		events := s.arena.newest(chain)
		for i := range events {
			x |= events[i].Key ^ first
		}
		n += len(events)
		chain = s.arena.behind(chain)
	}
	return n, x
}

func (s *Set) deal(w *wheel, chain uint32, l uint8) {
	for k := 0; chain != 0; k++ {
		if k%touchLen == 0 {
			s.arena.touch(chain)
		}
		events := s.arena.newest(chain)
		for i := range events {
			e := &events[i]
			w.add(&s.arena, w.index(l, uint64(e.At)), e)
		}
		chain = s.arena.drop(chain)
	}
}

func (s *Set) dealKeys(w *wheel, chain uint32, l uint8) {
	for k := 0; chain != 0; k++ {
		if k%touchLen == 0 {
			s.arena.touch(chain)
		}
		events := s.arena.newest(chain)
		for i := range events {
			e := &events[i]
			w.add(&s.arena, w.index(l, e.Key), e)
		}
		chain = s.arena.drop(chain)
	}
}

// load
func (s *Set) load(chain uint32, width uint8, byKey bool) {
	n := uint(chain-1)%chunkLen + 1
	c := s.arena.chunk(chain - 1)
	s.arena.drop(chain)
	s.left = n
	if n == 1 {
		s.front[0] = c[0]
		return
	}
	for {
		sh := (64 - uint(width)) % 64
		if byKey {
			keyWords(&s.words, c, n, sh)
		} else {
			timeWords(&s.words, c, n, sh)
		}
		sortWords(&s.words, n)
		tie := false
		prev := uint64(math.MaxUint64)
		i := n
		for _, w := range s.words[:n] {
			i--
			s.front[i%frontLen] = c[w%chunkLen]
			if (w ^ prev) < 64 {
				tie = true
			}
			prev = w
		}
		if !tie {
			return
		}
		if byKey || s.front[0].At != s.front[n-1].At {
			insertionSort(s.front[:n])
			return
		}
		byKey = true
		width = 64
	}
}

func timeWords(w *[loadLen]uint64, c *[chunkLen]Event, n, sh uint) {
	for i := range padded(n) {
		out := uint64(int64(n-1-i) >> 63)
		w[i] = uint64(c[i].At)<<(sh%64)&^63 | uint64(i) | out
	}
}

func padded(n uint) uint {
	if n <= 8 {
		return 8
	}
	if n <= 16 {
		return 16
	}
	return 32
}

func keyWords(w *[loadLen]uint64, c *[chunkLen]Event, n, sh uint) {
	for i := range padded(n) {
		out := uint64(int64(n-1-i) >> 63)
		w[i] = c[i].Key<<(sh%64)&^63 | uint64(i) | out
	}
}

func insertionSort(ev []Event) {
	for i := range ev {
		e := ev[i]
		for i > 0 && ev[i-1].Before(e) {
			ev[i] = ev[i-1]
			i--
		}
		ev[i] = e
	}
}
