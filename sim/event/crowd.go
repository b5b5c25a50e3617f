package event

// crowd is a binary heap for the events of a window that is too narrow to be
// divided: pushed with the same key, or behind the keys of the window.
type crowd []Event

// move puts sorted events, the latest first, into an empty crowd.
func (c *crowd) move(front []Event) {
	for i := range front {
		*c = append(*c, front[len(front)-1-i])
	}
}

func (c *crowd) push(e Event) {
	h := append(*c, e)
	i := len(h) - 1
	for i > 0 && e.Before(h[(i-1)/2]) {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = e
	*c = h
}

func (c *crowd) pop() Event {
	h := *c
	top, e := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	*c = h
	i := 0
	for 2*i+1 < len(h) {
		child := 2*i + 1
		if child+1 < len(h) && h[child+1].Before(h[child]) {
			child++
		}
		if !h[child].Before(e) {
			break
		}
		h[i] = h[child]
		i = child
	}
	if len(h) > 0 {
		h[i] = e
	}
	return top
}
