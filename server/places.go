package server

// places knows where in a slice each call is: its index + 1, or 0.
type places []uint32

func (p *places) set(call uint32, index int) {
	for uint64(len(*p)) <= uint64(call) {
		*p = append(*p, 0)
	}
	(*p)[call] = uint32(index) + 1
}

// enter is set for a call that must not have a place yet.
func (p *places) enter(call uint32, index int) {
	if _, ok := p.of(call); ok {
		panic("server: a call waits that waits already")
	}
	p.set(call, index)
}

func (p *places) of(call uint32) (index int, ok bool) {
	if uint64(call) >= uint64(len(*p)) || (*p)[call] == 0 {
		return 0, false
	}
	return int((*p)[call]) - 1, true
}
