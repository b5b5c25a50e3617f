package server

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// plainQueue is a Messages that looks at everything each time.
type plainQueue struct {
	spec     Backlog
	messages []*plainMessage // all there ever were, in the order of storing
	work     map[uint32]*plainConsumer
	shown    int // messages that became visible so far
	taken    int
	removed  int
	done     int
	dead     int
	lost     int
}

type plainMessage struct {
	number          uint32 // the other one's
	stored, since   time.Duration
	visibleAt       time.Duration // unless shown
	shown           int           // order in which it became visible; 0: it is not
	gone, dead      bool
	ended           bool // the last delivery has, or its time was up
	receives, works int
	nth             int // among all that were ever taken
	failures        []time.Duration
}

type plainConsumer struct {
	begun bool // with the first
	taken []plainTaken
}

type plainTaken struct {
	m       *plainMessage
	receive int
}

// resting is how many consumers have taken what they have not begun with.
func (q *plainQueue) resting() (n int) {
	for _, c := range q.work {
		if !c.begun {
			n++
		}
	}
	return n
}

func (q *plainQueue) show(m *plainMessage) {
	q.shown++
	m.shown = q.shown
}

func (q *plainQueue) store(now, since time.Duration, number uint32) {
	m := &plainMessage{number: number, stored: now, since: since, visibleAt: now + q.spec.Delay}
	if q.spec.Delay == 0 {
		q.show(m)
	}
	q.messages = append(q.messages, m)
}

func (q *plainQueue) next() *plainMessage {
	var first *plainMessage
	for _, m := range q.messages {
		if m.gone {
			continue
		}
		if q.spec.Ordered {
			if m.shown == 0 {
				return nil
			}
			return m
		}
		if m.shown > 0 && (first == nil || m.shown < first.shown) {
			first = m
		}
	}
	return first
}

func (q *plainQueue) take(now time.Duration) *plainConsumer {
	c := &plainConsumer{}
	for len(c.taken) < int(q.spec.Batch) {
		m := q.next()
		if m == nil {
			break
		}
		m.shown, m.visibleAt = 0, now+q.spec.Visibility
		q.taken++
		m.nth = q.taken
		m.receives++
		m.ended = false
		c.taken = append(c.taken, plainTaken{m, m.receives})
	}
	return c
}

// dueAt is when something happens to a message by itself, and what.
func (q *plainQueue) dueAt(m *plainMessage) (at time.Duration, rank int) {
	at = never
	if q.spec.Retention > 0 {
		at = m.since + q.spec.Retention
	}
	if m.shown == 0 && m.visibleAt < at {
		if m.receives > 0 {
			return m.visibleAt, 1
		}
		return m.visibleAt, 2
	}
	return at, 0
}

// change brings the queue to now and gives the messages that are gone for it.
func (q *plainQueue) change(now time.Duration) (gone []*plainMessage) {
	for {
		var first *plainMessage
		at, rank := now+1, 0
		for _, m := range q.messages {
			if m.gone {
				continue
			}
			due, r := q.dueAt(m)
			if due < at || due == at && first != nil && (r < rank || r == 1 && rank == 1 && m.nth < first.nth) {
				first, at, rank = m, due, r
			}
		}
		if first == nil {
			return gone
		}
		last := rank == 1 && q.spec.MaxReceives > 0 && first.receives >= int(q.spec.MaxReceives)
		if rank == 1 && !first.ended {
			first.failures = append(first.failures, at)
		}
		switch {
		case rank == 0:
			q.lost++
		case last:
			first.dead = true
			q.dead++
		default:
			first.ended = true
			q.show(first)
			continue
		}
		first.gone = true
		gone = append(gone, first)
	}
}

func (q *plainQueue) end(now time.Duration, id uint32, ok bool) (done bool) {
	c := q.work[id]
	t := c.taken[0]
	c.taken, c.begun = c.taken[1:], false
	if len(c.taken) == 0 {
		delete(q.work, id)
	}
	t.m.works--
	if ok {
		done = !t.m.gone
		t.m.gone = true
	} else {
		t.m.failures = append(t.m.failures, now)
		t.m.ended = t.m.ended || t.receive == t.m.receives
	}
	if done {
		q.done++
	}
	return done
}

// TestMessagesAgainstPlain holds random histories against a queue that looks at
// every message each time, and holds that no message is ever lost from sight.
func TestMessagesAgainstPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := Backlog{
			Consumers:   rapid.Int64Range(1, 4).Draw(t, "consumers"),
			Batch:       rapid.Int64Range(1, 3).Draw(t, "batch"),
			Visibility:  time.Duration(rapid.IntRange(1, 8).Draw(t, "visibility")),
			MaxReceives: rapid.SampledFrom([]int64{Unlimited, 1, 2, 3}).Draw(t, "receives"),
			Ordered:     rapid.Bool().Draw(t, "ordered"),
			Delay:       time.Duration(rapid.SampledFrom([]int{0, 0, 1, 5}).Draw(t, "delay")),
			Retention:   time.Duration(rapid.SampledFrom([]int{3, 20, 60}).Draw(t, "retention")),
		}
		q := NewMessages(spec, true)
		plain := &plainQueue{spec: spec, work: map[uint32]*plainConsumer{}}
		now := time.Duration(0)
		same := func(g Gone, m *plainMessage) {
			want := Gone{Message: m.number, Receives: uint32(m.receives), Stored: m.stored, Since: m.since, Dead: m.dead, Pending: m.receives > 0 && !m.ended}
			if n := len(m.failures); n > 0 {
				want.First, want.Last = m.failures[0], m.failures[n-1]
			}
			if g != want {
				t.Fatalf("at %d %+v is gone, want %+v", now, g, want)
			}
		}
		change := func() {
			for _, m := range plain.change(now) {
				g, ok := q.Change(now)
				if !ok {
					t.Fatalf("at %d message %d is still there", now, m.number)
				}
				same(g, m)
			}
			if g, ok := q.Change(now); ok {
				t.Fatalf("at %d %+v is gone", now, g)
			}
		}
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"store", "store", "next", "next", "end", "wait", "wait", "remove"}).Draw(t, "what") {
			case "store":
				since := now - time.Duration(rapid.IntRange(0, 2).Draw(t, "older"))
				plain.store(now, since, q.Store(now, since))
			case "next":
				d, ok := q.Next(now)
				c := plain.work[d.Consumer]
				switch more := plain.resting(); {
				case more > 0:
					if !ok || c == nil || c.begun {
						t.Fatalf("at %d a consumer has taken more, but %+v %v", now, d, ok)
					}
				case len(plain.work) < int(spec.Consumers) && plain.next() != nil:
					if !ok || c != nil {
						t.Fatalf("at %d a consumer is free, but %+v %v", now, d, ok)
					}
					c = plain.take(now)
					plain.work[d.Consumer] = c
				case ok:
					t.Fatalf("at %d delivery %+v", now, d)
				default:
					continue
				}
				c.begun = true
				w := c.taken[0]
				w.m.works++
				if w.m.number != d.Message || w.receive != int(d.Receive) {
					t.Fatalf("at %d delivers %d for the %d. time, not %d for the %d.", now, d.Message, d.Receive, w.m.number, w.receive)
				}
			case "end":
				var busy []uint32
				for id, c := range plain.work {
					if c.begun {
						busy = append(busy, id)
					}
				}
				if len(busy) == 0 {
					continue
				}
				slices.Sort(busy)
				id := rapid.SampledFrom(busy).Draw(t, "who")
				ok := rapid.Bool().Draw(t, "success")
				m := plain.work[id].taken[0].m
				g, done := q.End(now, id, ok)
				if want := plain.end(now, id, ok); done != want {
					t.Fatalf("at %d done: %v, want %v", now, done, want)
				}
				if done {
					same(g, m)
				}
			case "wait":
				at, ok := q.NextChange()
				now += time.Duration(rapid.IntRange(1, 4).Draw(t, "time"))
				if ok {
					now = min(now, at) // as the simulator does
				}
				change()
			case "remove":
				for i, serial := range q.Visible() {
					g, ok := q.Remove(i, serial)
					if !ok || g.Message != i {
						t.Fatal("a visible message cannot be taken out")
					}
					for _, m := range plain.messages {
						if !m.gone && m.number == i {
							m.gone = true
						}
					}
					plain.removed++
					break
				}
			}
			left, waiting, working := 0, 0, 0
			for _, m := range plain.messages {
				if !m.gone {
					left++
					if m.works == 0 {
						waiting++
					}
				}
				working += m.works
			}
			if q.Len() != int64(left) || q.Waiting() != int64(waiting) || q.Working() != int64(working) {
				t.Fatalf("at %d: %d there, %d waiting, %d at work; want %d, %d, %d", now, q.Len(), q.Waiting(), q.Working(), left, waiting, working)
			}
			if len(plain.messages) != plain.done+plain.dead+plain.lost+plain.removed+left {
				t.Fatal("a message has vanished")
			}
		}
	})
}
