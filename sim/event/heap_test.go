package event

// heap4 is the oracle and the baseline of the benchmarks: a plain 4-ary heap of
// the same events.
type heap4 struct{ events []Event }

func (h *heap4) Len() int { return len(h.events) }

func (h *heap4) Reset() { h.events = h.events[:0] }

func (h *heap4) Push(e Event) {
	h.events = append(h.events, e)
	events := h.events
	i := len(events) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.Before(events[parent]) {
			break
		}
		events[i] = events[parent]
		i = parent
	}
	events[i] = e
}

func (h *heap4) Pop() (Event, bool) {
	n := len(h.events) - 1
	if n < 0 {
		return Event{}, false
	}
	top, e := h.events[0], h.events[n]
	h.events = h.events[:n]
	if n == 0 {
		return top, true
	}
	events := h.events
	i := 0
	for {
		child := 4*i + 1
		if child >= n {
			break
		}
		least := child
		for c := child + 1; c < min(child+4, n); c++ {
			if events[c].Before(events[least]) {
				least = c
			}
		}
		if !events[least].Before(e) {
			break
		}
		events[i] = events[least]
		i = least
	}
	events[i] = e
	return top, true
}
