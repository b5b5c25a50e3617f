package server

import "math"

// queue holds the calls that wait for a worker.
type queue struct {
	lifo  bool
	limit int64
	full  Decision     // what a call gets that finds no place
	fifo  ring[uint32] // in use when not lifo
	stack []uint32     // in use when lifo
}

func newQueue(spec Queue) queue {
	q := queue{lifo: spec.Order == "lifo", limit: spec.Limit, full: answered(spec.Full)}
	if q.limit == Unlimited {
		q.limit = math.MaxInt64
	}
	return q
}

// len is right for both orders, as the list of the other one is empty.
func (q *queue) len() int64 { return int64(q.fifo.len() + len(q.stack)) }

func (q *queue) push(call uint32) {
	if q.lifo {
		q.stack = append(q.stack, call)
	} else {
		q.fifo.push(call)
	}
}

// pop takes the next call out of a queue that isn't empty.
func (q *queue) pop() uint32 {
	if !q.lifo {
		return q.fifo.pop()
	}
	last := len(q.stack) - 1
	call := q.stack[last]
	q.stack = q.stack[:last]
	return call
}

func (q *queue) clear() {
	q.fifo.clear()
	q.stack = q.stack[:0]
}
