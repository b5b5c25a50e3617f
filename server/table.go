package server

import "retrystorm/sim/random"

// Table is a map from keys to small values. Keys are well mixed already, so
// they are their own hash; filling it again after Clear needs no memory, and the
// places of deleted keys are free at once.
type Table[V any] struct {
	cells []cell[V] // none, or a power of two of them, at most three quarters used
	n     int
}

type cell[V any] struct {
	key   random.Key
	used  bool
	value V
}

// Len is how many keys it has.
func (t *Table[V]) Len() int { return t.n }

// Clear forgets all keys.
func (t *Table[V]) Clear() {
	clear(t.cells)
	t.n = 0
}

// Get is the value of a key, valid until the next Put or Delete; nil if there is
// none.
func (t *Table[V]) Get(key random.Key) *V {
	if t.n == 0 {
		return nil
	}
	if c := &t.cells[t.find(key)]; c.used {
		return &c.value
	}
	return nil
}

// Put gives a key a value, and the same pointer as Get.
func (t *Table[V]) Put(key random.Key, value V) *V {
	if 4*(t.n+1) > 3*len(t.cells) {
		t.grow()
	}
	c := &t.cells[t.find(key)]
	if !c.used {
		t.n++
	}
	*c = cell[V]{key, true, value}
	return &c.value
}

// Delete forgets a key. Those that had to go on behind it move up.
func (t *Table[V]) Delete(key random.Key) {
	if t.n == 0 {
		return
	}
	gap := t.find(key)
	if !t.cells[gap].used {
		return
	}
	t.n--
	last := len(t.cells) - 1
	for i := (gap + 1) & last; t.cells[i].used; i = (i + 1) & last {
		if home := t.home(t.cells[i].key); (i-home)&last >= (i-gap)&last {
			t.cells[gap] = t.cells[i]
			gap = i
		}
	}
	t.cells[gap] = cell[V]{}
}

// home is the first place that is looked at for a key.
func (t *Table[V]) home(key random.Key) int { return int(uint64(key) & uint64(len(t.cells)-1)) }

// find is where the key is, or the free place where it would be.
func (t *Table[V]) find(key random.Key) int {
	i := t.home(key)
	for t.cells[i].used && t.cells[i].key != key {
		i = (i + 1) & (len(t.cells) - 1)
	}
	return i
}

func (t *Table[V]) grow() {
	old := t.cells
	t.cells = make([]cell[V], max(8, 2*len(old)))
	for i := range old {
		if c := &old[i]; c.used {
			t.cells[t.find(c.key)] = *c
		}
	}
}
