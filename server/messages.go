package server

import (
	"iter"
	"time"
)

// Messages is a queue at work: the messages that are there, and the consumers
// that work on them. It knows messages by number; what is in them is the
// caller's. Times given to it never go back, except to Reset.
//
// A message is there from Store until a delivery of it has succeeded, it has
// been delivered as often as it may be and is due again (dead), it is too old
// (lost), or it is taken out. A consumer that fails says nothing: the message is
// delivered again when it becomes visible again, as if the consumer had died.
// What has been delivered is worked on even if the message is gone meanwhile.
type Messages struct {
	spec  Backlog
	limit int64 // consumers

	items  []message // after the heads of the three lists
	free   uint32    // the first of a list of numbers to be used again; 0: none
	ages   heap      // of all that are there, by when they are too old
	stored uint64    // so far

	consumers []consumer
	idle      []uint32
	ready     []uint32 // those that have more of a batch to work on
	taken     []taken  // what consumers have taken and not begun; 0 is none
	freeTaken uint32

	count, waiting, working int64
}

// The heads of the lists that a message can be in. All messages of a list wait
// equally long, so each list is in the order of when that is over.
const (
	visible      = iota // they can be taken: in the order in which they became visible
	hidden              // they have been taken, and may be due again
	delayed             // they have just come
	firstMessage        // the number of the first message
)

type message struct {
	next, prev uint32 // in its list; next alone links those that are free
	takes      uint32 // deliveries that have not ended
	works      uint32 // of them, those that have begun
	receives   uint32 // deliveries so far
	failures   uint32 // of them
	list       uint8
	here       bool
	pending    bool          // the last delivery has not ended
	serial     uint64        // among all messages ever stored
	stored     time.Duration // here
	since      time.Duration // stored first
	due        time.Duration // when it leaves its list, unless it is visible
	first      time.Duration // failure
	last       time.Duration
}

type consumer struct {
	message, receive uint32 // at work on
	first, last      uint32 // what it has taken beside that
}

type taken struct{ message, receive, next uint32 }

// Delivery is a message that a consumer begins to work on, for the Receive-th
// time, from 1.
type Delivery struct {
	Consumer, Message, Receive uint32
}

// Gone is what is known of a message that is no longer there.
type Gone struct {
	Message       uint32
	Receives      uint32
	Stored, Since time.Duration // here, and first of all
	First, Last   time.Duration // failure, if it was delivered
	Dead          bool          // it was delivered as often as allowed, and not in time
	Pending       bool          // the last delivery has not ended
}

// NewMessages makes the queue of a valid spec, with its consumers if somebody is
// there to work for.
func NewMessages(spec Backlog, consumed bool) *Messages {
	q := &Messages{spec: spec}
	if consumed {
		q.limit = spec.Consumers
	}
	q.Reset()
	return q
}

// Reset makes the queue as new, keeping its memory.
func (q *Messages) Reset() {
	q.items = append(q.items[:0], message{}, message{next: hidden, prev: hidden}, message{next: delayed, prev: delayed})
	q.free, q.stored = 0, 0
	q.ages.clear()
	q.consumers, q.idle, q.ready = q.consumers[:0], q.idle[:0], q.ready[:0]
	q.taken, q.freeTaken = append(q.taken[:0], taken{}), 0
	q.count, q.waiting, q.working = 0, 0, 0
}

// Len is how many messages are there.
func (q *Messages) Len() int64 { return q.count }

// Waiting is how many of them nobody works on.
func (q *Messages) Waiting() int64 { return q.waiting }

// Working is how many consumers are at work.
func (q *Messages) Working() int64 { return q.working }

// Rests reports whether no consumer is at work or has something to work on.
func (q *Messages) Rests() bool { return len(q.idle) == len(q.consumers) }

// Store puts a message into the queue and gives it a number. It was stored for
// the first time, perhaps elsewhere, at since.
func (q *Messages) Store(now, since time.Duration) uint32 {
	i := q.free
	if i != 0 {
		q.free = q.items[i].next
	} else {
		i = uint32(len(q.items))
		q.items = append(q.items, message{})
	}
	q.stored++
	q.items[i] = message{here: true, serial: q.stored, stored: now, since: since}
	q.count++
	q.waiting++
	if q.spec.Retention > 0 {
		q.ages.push(i, q.tooOld(since))
	}
	if q.spec.Delay > 0 {
		q.push(delayed, i, now+q.spec.Delay)
	} else {
		q.insert(visible, q.items[visible].prev, i)
	}
	return i
}

func (q *Messages) tooOld(since time.Duration) time.Duration {
	if q.spec.Retention > never-since {
		return never
	}
	return since + q.spec.Retention
}

// Next lets a consumer that is free begin with the next message, if there are
// both.
func (q *Messages) Next(now time.Duration) (Delivery, bool) {
	if n := len(q.ready); n > 0 {
		c := q.ready[n-1]
		q.ready = q.ready[:n-1]
		return q.begin(c), true
	}
	if int64(len(q.consumers)-len(q.idle)) == q.limit || !q.deliverable() {
		return Delivery{}, false
	}
	var c uint32
	if n := len(q.idle); n > 0 {
		c = q.idle[n-1]
		q.idle = q.idle[:n-1]
	} else {
		c = uint32(len(q.consumers))
		q.consumers = append(q.consumers, consumer{})
	}
	q.take(now, c)
	for n := int64(1); n < q.spec.Batch && q.deliverable(); n++ {
		q.take(now, c)
	}
	return q.begin(c), true
}

// deliverable reports whether a message can be taken. Where they are ordered,
// one that has been taken holds up all others.
func (q *Messages) deliverable() bool {
	return !q.empty(visible) && !(q.spec.Ordered && !q.empty(hidden))
}

// take gives a consumer the first visible message, and hides it.
func (q *Messages) take(now time.Duration, c uint32) {
	i := q.items[visible].next
	q.unlink(i)
	q.push(hidden, i, now+q.spec.Visibility)
	m := &q.items[i]
	m.takes++
	m.receives++
	m.pending = true
	t := q.freeTaken
	if t != 0 {
		q.freeTaken = q.taken[t].next
	} else {
		t = uint32(len(q.taken))
		q.taken = append(q.taken, taken{})
	}
	q.taken[t] = taken{message: i, receive: m.receives}
	if w := &q.consumers[c]; w.first == 0 {
		w.first, w.last = t, t
	} else {
		q.taken[w.last].next, w.last = t, t
	}
}

// begin lets a consumer begin with the first message it has taken.
func (q *Messages) begin(c uint32) Delivery {
	w := &q.consumers[c]
	t := w.first
	w.message, w.receive, w.first = q.taken[t].message, q.taken[t].receive, q.taken[t].next
	q.taken[t].next, q.freeTaken = q.freeTaken, t
	m := &q.items[w.message]
	if m.here && m.works == 0 {
		q.waiting--
	}
	m.works++
	q.working++
	return Delivery{Consumer: c, Message: w.message, Receive: w.receive}
}

// End ends the work of a consumer on its message. If it was a success, and the
// message is still there, it is done. Afterwards Next may have work for the
// consumer.
func (q *Messages) End(now time.Duration, c uint32, ok bool) (g Gone, done bool) {
	w := &q.consumers[c]
	m := &q.items[w.message]
	switch {
	case ok && m.here:
		g, done = q.gone(w.message), true
	case !ok:
		m.fail(now)
		m.pending = m.pending && w.receive != m.receives
	}
	q.working--
	if m.works--; m.works == 0 && m.here {
		q.waiting++
	}
	m.takes--
	q.release(w.message)
	if w.first != 0 {
		q.ready = append(q.ready, c)
	} else {
		q.idle = append(q.idle, c)
	}
	return g, done
}

// fail notes that a delivery has failed.
func (m *message) fail(at time.Duration) {
	if m.failures++; m.failures == 1 {
		m.first = at
	}
	m.last = at
}

// NextChange is the first instant at which a message becomes visible, or is too
// old, that Change has not been told of.
func (q *Messages) NextChange() (at time.Duration, ok bool) {
	_, at = q.nextChange()
	return at, at < never
}

// nextChange is also the list whose first message it is about; visible stands
// for the one that is too old. That one comes first, then the older one.
func (q *Messages) nextChange() (list uint8, at time.Duration) {
	at = never
	if len(q.ages.items) > 0 {
		list, at = visible, q.ages.items[0].at
	}
	for _, l := range [...]uint8{hidden, delayed} {
		if i := q.items[l].next; i != uint32(l) && q.items[i].due < at {
			list, at = l, q.items[i].due
		}
	}
	return list, at
}

// Change brings the queue to now, up to the next message that is no longer there
// for it; ask again until there is none. Afterwards Next may have a delivery.
func (q *Messages) Change(now time.Duration) (Gone, bool) {
	for {
		list, at := q.nextChange()
		if at > now || at == never {
			return Gone{}, false
		}
		if list == visible {
			return q.gone(q.ages.items[0].call), true
		}
		i := q.items[list].next
		m := &q.items[i]
		if m.pending {
			m.fail(at) // time is up
		}
		if list == hidden && q.spec.MaxReceives > 0 && int64(m.receives) >= q.spec.MaxReceives {
			g := q.gone(i)
			g.Dead = true
			return g, true
		}
		m.pending = false
		q.unlink(i)
		after := q.items[visible].prev
		if list == hidden && q.spec.Ordered {
			after = visible // before all that came later
		}
		q.insert(visible, after, i)
	}
}

// Visible gives the numbers of the messages that can be taken, in order, and
// their serial numbers.
func (q *Messages) Visible() iter.Seq2[uint32, uint64] {
	return func(yield func(uint32, uint64) bool) {
		for i := q.items[visible].next; i != visible; i = q.items[i].next {
			if !yield(i, q.items[i].serial) {
				return
			}
		}
	}
}

// Oldest is when the oldest of the messages that count was stored, here.
func (q *Messages) Oldest(counts func(message uint32) bool) (at time.Duration, ok bool) {
	for i := firstMessage; i < len(q.items); i++ {
		if m := &q.items[i]; m.here && (!ok || m.stored < at) && counts(uint32(i)) {
			at, ok = m.stored, true
		}
	}
	return at, ok
}

// Remove takes a message out, if it is still there and can be taken.
func (q *Messages) Remove(i uint32, serial uint64) (Gone, bool) {
	m := &q.items[i]
	if !m.here || m.serial != serial || m.list != visible {
		return Gone{}, false
	}
	return q.gone(i), true
}

// gone ends a message; its number is free when no delivery of it is left.
func (q *Messages) gone(i uint32) Gone {
	m := &q.items[i]
	q.unlink(i)
	if q.spec.Retention > 0 {
		q.ages.remove(i)
	}
	m.here = false
	q.count--
	if m.works == 0 {
		q.waiting--
	}
	g := Gone{
		Message: i, Receives: m.receives, Stored: m.stored, Since: m.since,
		First: m.first, Last: m.last, Pending: m.pending,
	}
	q.release(i)
	return g
}

func (q *Messages) release(i uint32) {
	if m := &q.items[i]; !m.here && m.takes == 0 {
		m.next, q.free = q.free, i
	}
}

func (q *Messages) empty(list uint32) bool { return q.items[list].next == list }

// push puts a message at the end of a list that it leaves at due.
func (q *Messages) push(list, i uint32, due time.Duration) {
	q.items[i].due = due
	q.insert(list, q.items[list].prev, i)
}

// insert puts a message into a list, behind another one or the head.
func (q *Messages) insert(list, after, i uint32) {
	next := q.items[after].next
	q.items[i].list, q.items[i].prev, q.items[i].next = uint8(list), after, next
	q.items[after].next, q.items[next].prev = i, i
}

func (q *Messages) unlink(i uint32) {
	m := &q.items[i]
	q.items[m.prev].next, q.items[m.next].prev = m.next, m.prev
}
