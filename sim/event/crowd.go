package event

// crowd is a heap for the events of a window that can't be made narrow enough
// for them: they have the same key, or were pushed behind the start of the
// window within its instant. Each event has four children, since that takes
// fewer cache misses than two.
type crowd []Event

// move puts events, sorted from the latest to the next, into an empty crowd.
func (c *crowd) move(front []Event) {
	for i := range front {
		*c = append(*c, front[len(front)-1-i])
	}
}

func (c *crowd) push(e Event) {
	h := append(*c, e)
	i := len(h) - 1
	for i > 0 && e.Before(h[(i-1)/4]) {
		h[i] = h[(i-1)/4]
		i = (i - 1) / 4
	}
	h[i] = e
	*c = h
}

func (c *crowd) pop() Event {
	h := *c
	last := len(h) - 1
	first, e := h[0], h[last]
	h = h[:last]
	*c = h
	i := 0
	for 4*i+1 < last {
		child := 4*i + 1
		for j := child + 1; j < min(4*i+5, last); j++ {
			if h[j].Before(h[child]) {
				child = j
			}
		}
		if !h[child].Before(e) {
			break
		}
		h[i] = h[child]
		i = child
	}
	if last > 0 {
		h[i] = e
	}
	return first
}
