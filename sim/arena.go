package sim

const (
	pageBits = 11
	pageSize = 1 << pageBits
	pageMask = pageSize - 1
)

// arena holds slots, addressed by 32-bit index. It grows page by page, so that
// slots never move and memory never doubles. Slots that are free are linked
// through their calls.
type arena struct {
	pages []*[pageSize]slot
	free  uint32 // the slot given back last; none
	used  uint32 // slots ever taken since the last reset
}

// at is the slot with the index.
func (a *arena) at(i uint32) *slot { return &a.pages[i>>pageBits][i&pageMask] }

// take gives a slot as its last owner left it; the slot used last comes first.
func (a *arena) take() uint32 {
	if i := a.free; i != none {
		a.free = a.at(i).call.task
		return i
	}
	i := a.used
	if int(i>>pageBits) == len(a.pages) {
		a.pages = append(a.pages, new([pageSize]slot))
	}
	a.used++
	return i
}

// give returns a slot.
func (a *arena) give(i uint32) {
	a.at(i).call.task = a.free
	a.free = i
}

// reset forgets all slots and zeroes those that were used.
func (a *arena) reset() {
	for i := uint32(0); i < a.used; i += pageSize {
		p := a.pages[i>>pageBits]
		clear(p[:min(pageSize, a.used-i)])
	}
	a.free, a.used = none, 0
}
