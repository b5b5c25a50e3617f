package event

// heap is a binary min-heap...
type heap []Event

func (h *heap) push(e Event) {
	s := append(*h, e)
	i := len(s) - 1
	for i > 0 {
		p := (i - 1) / 2
		if !e.Before(s[p]) {
			break
		}
		s[i] = s[p]
		i = p
	}
	s[i] = e
	*h = s
}

func (h *heap) pop() Event {
	s := *h
	top := s[0]
	n := len(s) - 1
	e := s[n]
	s = s[:n]
	*h = s
	i := 0
	for {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && s[c+1].Before(s[c]) {
			c++
		}
		if !s[c].Before(e) {
			break
		}
		s[i] = s[c]
		i = c
	}
	if n > 0 {
		s[i] = e
	}
	return top
}
