package server

import (
	"math"
	"time"

	"retrystorm/sim/random"
)

type order uint8

const (
	fifo order = iota
	lifo
	shuffled
	adaptive
	codelled
	earliest
	firstTries
	retriesFirst
)

// orders are their names in a spec.
var orders = []string{"fifo", "lifo", "random", "adaptive-lifo", "codel", "deadline", "first-tries", "retries-first"}

// adaptAfter is how long the queue of adaptive-lifo is not empty before it
// turns around.
const adaptAfter = 100 * time.Millisecond

// queue holds the calls that wait for a worker.
type queue struct {
	order order
	// plain: a ring of numbers will do. That is so for fifo and lifo while
	// nothing but a call's turn takes it out.
	plain bool
	drops bool // a call whose turn comes too late does not get it
	n     int64
	limit int64
	ring  ring[uint32] // of a plain fifo
	stack []uint32     // of a plain lifo

	// Those of the other queues, by order.
	lists lists
	bag   bag
	heap  heap

	visits  []visit // by call; of queues that drop
	maxWait time.Duration
	codel   codel
	since   time.Duration // when it was empty last
}

// visit is what a queue remembers of a call that it may drop.
type visit struct {
	at     time.Duration
	client uint64
	key    random.Key
}

func newQueue(spec Queue) queue {
	q := queue{limit: spec.Limit, maxWait: never}
	if q.limit == Unlimited {
		q.limit = math.MaxInt64
	}
	for i, name := range orders {
		if name == spec.Order {
			q.order = order(i)
		}
	}
	if spec.MaxWait > 0 {
		q.maxWait = spec.MaxWait
	}
	q.drops = spec.MaxWait > 0 || q.order == codelled
	q.plain = q.order <= lifo && !q.drops
	return q
}

// push puts a call into a plain queue.
func (q *queue) push(call uint32) {
	q.n++
	if q.order == lifo {
		q.stack = append(q.stack, call)
	} else {
		q.ring.push(call)
	}
}

// pop takes the next call out of a plain queue that isn't empty.
func (q *queue) pop() uint32 {
	q.n--
	if q.order != lifo {
		return q.ring.pop()
	}
	last := len(q.stack) - 1
	call := q.stack[last]
	q.stack = q.stack[:last]
	return call
}

// enter puts a call into any other queue.
func (q *queue) enter(now time.Duration, c Call) {
	if q.n++; q.n == 1 {
		q.since = now
	}
	switch q.order {
	case shuffled:
		q.bag.push(c.ID, c.Key)
	case earliest:
		deadline := c.Deadline
		if deadline == 0 {
			deadline = never
		}
		q.heap.push(c.ID, deadline)
	case firstTries, retriesFirst:
		list := uint32(listA)
		if c.Retry == (q.order == firstTries) {
			list = listB
		}
		q.lists.push(list, c.ID)
	default:
		q.lists.push(listA, c.ID)
	}
	if q.drops {
		for uint64(len(q.visits)) <= uint64(c.ID) {
			q.visits = append(q.visits, visit{})
		}
		q.visits[c.ID] = visit{now, c.Client, c.Key}
	}
}

// leave takes the next call out of a queue that isn't empty and isn't plain.
// Late: it waited too long.
func (q *queue) leave(now time.Duration) (call uint32, late bool) {
	q.n--
	switch q.order {
	case shuffled:
		call = q.bag.pop()
	case earliest:
		call = q.heap.pop()
	default:
		call = q.next(now)
		q.lists.remove(call)
	}
	if !q.drops {
		return call, false
	}
	waited := now - q.visits[call].at
	return call, waited > q.maxWait || q.order == codelled && q.codel.drops(now, waited, q.n)
}

// next is the call of the lists whose turn it is.
func (q *queue) next(now time.Duration) uint32 {
	switch {
	case q.lists.empty(listA):
		return q.lists.first(listB)
	case q.order == lifo, q.order == adaptive && now-q.since >= adaptAfter:
		return q.lists.last(listA)
	default:
		return q.lists.first(listA)
	}
}

// remove takes a call out before its turn; false if it is not in the queue.
func (q *queue) remove(call uint32) (ok bool) {
	if q.plain {
		q.link()
	}
	switch q.order {
	case shuffled:
		ok = q.bag.remove(call)
	case earliest:
		ok = q.heap.remove(call)
	default:
		ok = q.lists.remove(call)
	}
	if !ok {
		return false
	}
	if q.n--; q.n == 0 {
		q.codel.idle()
	}
	return true
}

// link turns a plain queue into a list, for good: where one call is removed,
// more will be.
func (q *queue) link() {
	q.plain = false
	q.lists.clear()
	for q.ring.len() > 0 {
		q.lists.push(listA, q.ring.pop())
	}
	for _, call := range q.stack {
		q.lists.push(listA, call)
	}
	q.stack = nil
}

func (q *queue) clear() {
	q.n, q.since, q.codel = 0, 0, codel{}
	switch {
	case q.plain:
		q.ring.clear()
		q.stack = q.stack[:0]
	case q.order == shuffled:
		q.bag.clear()
	case q.order == earliest:
		q.heap.clear()
	default:
		q.lists.clear()
	}
}
