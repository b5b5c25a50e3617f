package server

// ring is a first-in, first-out list. It grows and never shrinks, so a steady
// state allocates nothing.
type ring[T any] struct {
	items      []T  // length 0 or a power of two
	head, tail uint // positions modulo len(items)
}

func (r *ring[T]) len() int { return int(r.tail - r.head) }

func (r *ring[T]) push(x T) {
	if r.len() == len(r.items) {
		r.grow()
	}
	r.items[r.tail&uint(len(r.items)-1)] = x
	r.tail++
}

// front is the oldest item of a ring that isn't empty.
func (r *ring[T]) front() T { return r.items[r.head&uint(len(r.items)-1)] }

func (r *ring[T]) pop() T {
	x := r.front()
	r.head++
	return x
}

func (r *ring[T]) clear() { r.head, r.tail = 0, 0 }

func (r *ring[T]) grow() {
	n := r.len()
	items := make([]T, max(8, 2*n))
	for i := range n {
		items[i] = r.pop()
	}
	r.items, r.head, r.tail = items, 0, uint(n)
}
