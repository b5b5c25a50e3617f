package site

import "sync"

// gate lets a few through at a time, and some more wait.
type gate struct {
	free chan struct{}

	mu      sync.Mutex
	waiting int
	most    int
}

func newGate(at, waiting int) *gate {
	g := &gate{free: make(chan struct{}, at), most: waiting}
	for range at {
		g.free <- struct{}{}
	}
	return g
}

// queue takes a place in the line; it is not ok when the line is full. Whoever has
// one calls enter, or gives it back with leaveLine.
func (g *gate) queue() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting >= g.most+len(g.free) {
		return false
	}
	g.waiting++
	return true
}

func (g *gate) leaveLine() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting--
}

// enter waits for its turn, and gives the place in the line back. It is not ok when
// one of two channels is closed before.
func (g *gate) enter(stop, gone <-chan struct{}) bool {
	defer g.leaveLine()
	select {
	case <-g.free:
		return true
	case <-stop:
	case <-gone:
	}
	return false
}

func (g *gate) leave() { g.free <- struct{}{} }
