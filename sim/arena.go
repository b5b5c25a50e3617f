package sim

const (
	pageBits = 11
	pageSize = 1 << pageBits
	pageMask = pageSize - 1
)

// arena holds slots of one pointer-free type, addressed by 32-bit index. It
// grows page by page, so that slots never move and memory never doubles.
type arena[T any] struct {
	pages []*[pageSize]T
	free  []uint32
	used  uint32 // slots ever taken since the last reset
}

// at is the slot with the index.
func (a *arena[T]) at(i uint32) *T { return &a.pages[i>>pageBits][i&pageMask] }

// take gives a slot as its last owner left it; the slot used last comes first.
func (a *arena[T]) take() uint32 {
	if n := len(a.free); n > 0 {
		i := a.free[n-1]
		a.free = a.free[:n-1]
		return i
	}
	i := a.used
	if int(i>>pageBits) == len(a.pages) {
		a.pages = append(a.pages, new([pageSize]T))
	}
	a.used++
	return i
}

// give returns a slot.
func (a *arena[T]) give(i uint32) { a.free = append(a.free, i) }

// reset forgets all slots and zeroes those that were used.
func (a *arena[T]) reset() {
	for i := uint32(0); i < a.used; i += pageSize {
		p := a.pages[i>>pageBits]
		clear(p[:min(pageSize, a.used-i)])
	}
	a.free, a.used = a.free[:0], 0
}
