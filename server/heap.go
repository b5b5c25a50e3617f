package server

import "time"

// heap gives out the call with the earliest deadline; of equals the one that
// came first.
type heap struct {
	items  []due
	places places
	pushed uint64
}

type due struct {
	at   time.Duration
	nth  uint64 // among all that were pushed
	call uint32
}

func (a *due) before(b *due) bool { return a.at < b.at || a.at == b.at && a.nth < b.nth }

func (h *heap) clear() {
	h.items, h.pushed = h.items[:0], 0
	clear(h.places)
}

func (h *heap) push(call uint32, at time.Duration) {
	h.places.enter(call, len(h.items))
	h.items = append(h.items, due{at, h.pushed, call})
	h.pushed++
	h.up(len(h.items) - 1)
}

func (h *heap) pop() uint32 {
	call := h.items[0].call
	h.remove(call)
	return call
}

func (h *heap) remove(call uint32) bool {
	i, ok := h.places.of(call)
	if !ok {
		return false
	}
	n := len(h.items) - 1
	last := h.items[n]
	h.items = h.items[:n]
	h.places[call] = 0
	if i < n {
		h.put(i, last)
		h.down(i)
		h.up(i)
	}
	return true
}

func (h *heap) put(i int, d due) {
	h.items[i] = d
	h.places.set(d.call, i)
}

// up moves an item towards the top until its parent is before it.
func (h *heap) up(i int) {
	d := h.items[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !d.before(&h.items[parent]) {
			break
		}
		h.put(i, h.items[parent])
		i = parent
	}
	h.put(i, d)
}

// down moves an item away from the top until both its children are after it.
func (h *heap) down(i int) {
	d := h.items[i]
	for {
		child := 2*i + 1
		if child >= len(h.items) {
			break
		}
		if right := child + 1; right < len(h.items) && h.items[right].before(&h.items[child]) {
			child = right
		}
		if !h.items[child].before(&d) {
			break
		}
		h.put(i, h.items[child])
		i = child
	}
	h.put(i, d)
}
