package server

import "time"

// clients gives every client that is remembered a meter. Clients whose meter is
// as good as new are forgotten now and then, so memory follows the
// clients that called lately, not all there ever were.
type clients struct {
	meters map[uint64]uint32
	used   uint32   // meters handed out
	free   []uint32 // of them, those given back
	few    int      // the least sweep
	sweep  int      // how many clients before the next look
}

// memory are meters: of what was admitted, or of bans.
type memory interface {
	// grow makes n meters, the new ones fresh.
	grow(n int)
	// fresh says whether a meter is as good as a new one from now on.
	fresh(i uint32, now time.Duration) bool
}

// fewClients are not worth looking at.
const fewClients = 1024

func newClients(few int) *clients {
	return &clients{meters: map[uint64]uint32{}, few: few, sweep: few}
}

// reset forgets everybody; the meters are reset too.
func (c *clients) reset() {
	clear(c.meters)
	c.used, c.free, c.sweep = 0, c.free[:0], c.few
}

// find is the client's meter in m.
func (c *clients) find(client uint64, m memory, now time.Duration) uint32 {
	if i, ok := c.meters[client]; ok {
		return i
	}
	if len(c.meters) >= c.sweep {
		// The order decides only which free meter is used next: they are all
		// the same.
		for old, i := range c.meters {
			if m.fresh(i, now) {
				delete(c.meters, old)
				c.free = append(c.free, i)
			}
		}
		c.sweep = max(c.few, 2*len(c.meters))
	}
	i := c.used
	if n := len(c.free); n > 0 {
		i = c.free[n-1]
		c.free = c.free[:n-1]
	} else {
		c.used++
		m.grow(int(c.used))
	}
	c.meters[client] = i
	return i
}
