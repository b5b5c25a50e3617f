package event

import (
	"fmt"
	"math"
	"time"
)

// Set is a set of pending events. The zero value is empty, at time 0, and ready
// for use. A set must not be copied after its first use.
type Set struct {
	arena arena // chunks of the wheels
	crowd crowd // events of the window, when front has no room for them

	size   int
	opened uint32 // windows so far
	ready  bool
	now    time.Duration // time of the event popped last

	// The window goes from now to last and, if that is a single instant, only
	// to keyLast within it. Its events are in front or in crowd, never in both,
	// and all events after it are in the wheels.
	last    time.Duration
	keyLast uint64
	left    uint             // events in front
	front   [frontLen]Event  // latest first, so that the next one to pop is the last
	words   [chunkLen]uint64 // scratch for sorting

	times wheel // events after last
	keys  wheel // events at last and after keyLast
	tuner tuner
}

// frontLen is how many events of the window are kept sorted. It leaves room for
// events that are pushed into the window after it was filled with a chunk.
const frontLen = 2 * chunkLen

// Len returns the number of pending events.
func (s *Set) Len() int { return s.size }

// Opened changes whenever a new window of events has been made ready to pop.
func (s *Set) Opened() uint32 { return s.opened }

// Window is the events that come next if nothing earlier is pushed, latest
// first: whoever has a use for knowing them ahead of time can fetch what they
// are about. It is valid until the next call.
func (s *Set) Window() []Event { return s.front[:s.left] }

// Push adds an event. It panics when the event is before the time of the last
// popped event.
func (s *Set) Push(e Event) {
	if e.At <= s.last {
		s.pushWindow(e)
		return
	}
	// The same as insert, but without a call as long as the chunk has room.
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

// pushChunk is Push for an event after the window.
func (s *Set) pushChunk(e Event) {
	if !s.ready {
		s.start()
	}
	s.times.insert(&s.arena, &e)
	s.size++
}

// pushWindow is Push for an event that isn't after the end of the window.
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

// pushRare is pushWindow with all that is rarely needed.
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
		s.crowd.move(s.front[:])
		s.left = 0
	}
	switch {
	case e.At > s.last:
		s.times.insert(&s.arena, &e)
	case e.Key > s.keyLast:
		s.keys.insert(&s.arena, &e)
	case len(s.crowd) == 0:
		s.pushWindow(e)
		return
	default:
		s.crowd.push(e)
		s.tuner.count++
	}
	s.size++
}

// Pop removes and returns the first of the pending events, by time and then by
// key. It reports false when there is none.
func (s *Set) Pop() (e Event, ok bool) {
	if s.left == 0 {
		return s.popRare()
	}
	s.left--
	s.size--
	e = s.front[s.left%frontLen]
	s.now = e.At
	return e, true
}

// popRare is Pop when front is empty.
func (s *Set) popRare() (e Event, ok bool) {
	if s.size == 0 {
		return Event{}, false
	}
	if len(s.crowd) != 0 {
		s.size--
		e = s.crowd.pop()
		s.now = e.At
		return e, true
	}
	s.refill()
	s.opened++
	return s.Pop()
}

// Reset makes the set empty and its time 0. Whatever it did before has no
// influence on what comes; only its memory is kept.
func (s *Set) Reset() {
	s.arena.reset()
	s.times.clear()
	s.keys.clear()
	s.crowd = s.crowd[:0]
	s.left = 0
	s.size = 0
	s.start()
}

// start prepares an empty set. Its window is before time 0.
func (s *Set) start() {
	s.ready = true
	s.now = 0
	s.last = -1
	s.keyLast = math.MaxUint64
	s.times.join()
	s.keys.byKey = true
	s.tuner = tuner{}
}
