package server

import (
	"math"
	"slices"
	"time"
)

// customer is a call in the dumb queue.
type customer struct {
	Call
	at time.Duration
}

// dumb is a queue that looks at everything whenever it is asked.
type dumb struct {
	order   string
	maxWait time.Duration
	calls   []customer // by arrival
	since   time.Duration
	codel   rfc
}

func (q *dumb) push(now time.Duration, c Call) {
	if len(q.calls) == 0 {
		q.since = now
	}
	q.calls = append(q.calls, customer{c, now})
}

// turn is the index of the call whose turn it is; random cannot be foretold.
func (q *dumb) turn(now time.Duration) int {
	rank := func(c customer) int64 { return 0 }
	switch q.order {
	case "lifo":
		return len(q.calls) - 1
	case "adaptive-lifo":
		if now-q.since >= 100*ms {
			return len(q.calls) - 1
		}
	case "deadline":
		rank = func(c customer) int64 {
			if c.Deadline == 0 {
				return math.MaxInt64
			}
			return int64(c.Deadline)
		}
	case "first-tries", "retries-first":
		rank = func(c customer) int64 {
			if c.Retry == (q.order == "first-tries") {
				return 1
			}
			return 0
		}
	}
	best := 0
	for i, c := range q.calls {
		if rank(c) < rank(q.calls[best]) {
			best = i
		}
	}
	return best
}

func (q *dumb) remove(call uint32) bool {
	n := len(q.calls)
	q.calls = slices.DeleteFunc(q.calls, func(c customer) bool { return c.ID == call })
	if len(q.calls) == 0 {
		q.codel.empty()
	}
	return len(q.calls) < n
}

// dequeue gives the calls that a free worker takes out: those dropped, and the
// one served, if any.
func (q *dumb) dequeue(now time.Duration) (out []Taken) {
	fetch := func() (c customer, ok bool) {
		for len(q.calls) > 0 {
			i := q.turn(now)
			c = q.calls[i]
			q.calls = slices.Delete(q.calls, i, i+1)
			if now <= c.at+q.maxWait {
				return c, true
			}
			out = append(out, Taken{Call: c.ID, Dropped: true, Answer: 503})
		}
		return c, false
	}
	c, ok := customer{}, false
	if q.order == "codel" {
		drop := func(c customer) { out = append(out, Taken{Call: c.ID, Dropped: true, Answer: 503}) }
		c, ok = q.codel.dequeue(now, func() (customer, int, bool) { c, ok := fetch(); return c, len(q.calls), ok }, drop)
	} else {
		c, ok = fetch()
	}
	if ok {
		out = append(out, Taken{Call: c.ID})
	}
	return out
}

// rfc is the dequeue of RFC 8289, section 5.6, in its own words: it drops in a
// loop until it has a packet to give.
type rfc struct {
	firstAbove, dropNext time.Duration
	count, lastCount     int
	dropping             bool
}

func (q *rfc) empty() { q.firstAbove, q.dropping = 0, false }

func (q *rfc) dequeue(now time.Duration, fetch func() (customer, int, bool), drop func(customer)) (customer, bool) {
	const target, interval = 5 * ms, 100 * ms
	law := func(t time.Duration, count int) time.Duration {
		return t + time.Duration(math.Floor(1e8/math.Sqrt(float64(count))))
	}
	get := func() (c customer, full, okToDrop bool) {
		c, behind, full := fetch()
		switch {
		case !full:
			q.firstAbove = 0
		case now-c.at < target || behind <= 1:
			q.firstAbove = 0
		case q.firstAbove == 0:
			q.firstAbove = now + interval
		default:
			okToDrop = now >= q.firstAbove
		}
		return c, full, okToDrop
	}
	c, full, okToDrop := get()
	switch {
	case q.dropping:
		if !okToDrop {
			q.dropping = false
		}
		for now >= q.dropNext && q.dropping {
			drop(c)
			q.count++
			if c, full, okToDrop = get(); !okToDrop {
				q.dropping = false
			} else {
				q.dropNext = law(q.dropNext, q.count)
			}
		}
	case okToDrop:
		drop(c)
		c, full, _ = get()
		q.dropping = true
		delta := q.count - q.lastCount
		q.count = 1
		if delta > 1 && now-q.dropNext < 16*interval {
			q.count = delta
		}
		q.dropNext = law(now, q.count)
		q.lastCount = q.count
	}
	return c, full
}
