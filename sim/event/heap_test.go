package event

// heap4 is the oracle: a plain 4-ary min-heap.
type heap4 struct {
	ev []Event
}

func (h *heap4) Len() int { return len(h.ev) }
func (h *heap4) Reset()   { h.ev = h.ev[:0] }

func (h *heap4) Push(e Event) {
	h.ev = append(h.ev, e)
	ev := h.ev
	i := len(ev) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !e.Before(ev[p]) {
			break
		}
		ev[i] = ev[p]
		i = p
	}
	ev[i] = e
}

func (h *heap4) Pop() (Event, bool) {
	ev := h.ev
	if len(ev) == 0 {
		return Event{}, false
	}
	top := ev[0]
	n := len(ev) - 1
	e := ev[n]
	ev = ev[:n]
	h.ev = ev
	if n == 0 {
		return top, true
	}
	i := 0
	for {
		c := 4*i + 1
		if c >= n {
			break
		}
		m := c
		for j := c + 1; j < min(c+4, n); j++ {
			if ev[j].Before(ev[m]) {
				m = j
			}
		}
		if !ev[m].Before(e) {
			break
		}
		ev[i] = ev[m]
		i = m
	}
	ev[i] = e
	return top, true
}
