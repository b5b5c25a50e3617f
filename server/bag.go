package server

import "retrystorm/sim/random"

// bag gives out its calls in random order: whenever one is taken, each of those
// in it is equally likely. Its slice is a random permutation that grows as in
// Fisher and Yates's shuffle, one draw for each call that comes in; taking the
// last one, or closing a gap with it, leaves a random permutation.
type bag struct {
	calls  []uint32
	places places
}

func (b *bag) clear() {
	b.calls = b.calls[:0]
	clear(b.places)
}

func (b *bag) push(call uint32, key random.Key) {
	n := len(b.calls)
	b.places.enter(call, n)
	b.calls = append(b.calls, call)
	i := int(random.Uniform(key.Draw(random.Order, 0), uint64(n)+1))
	b.put(n, b.calls[i])
	b.put(i, call)
}

func (b *bag) put(i int, call uint32) {
	b.calls[i] = call
	b.places.set(call, i)
}

func (b *bag) pop() uint32 {
	call := b.calls[len(b.calls)-1]
	b.remove(call)
	return call
}

func (b *bag) remove(call uint32) bool {
	i, ok := b.places.of(call)
	if !ok {
		return false
	}
	n := len(b.calls) - 1
	b.put(i, b.calls[n])
	b.calls = b.calls[:n]
	b.places[call] = 0
	return true
}
