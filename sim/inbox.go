package sim

import (
	"slices"
	"time"

	"retrystorm/server"
	"retrystorm/sim/random"
)

// inbox is what is known of the work that a service has done: what really
// happened, and what the service itself knows by the keys that calls carry.
type inbox struct {
	done server.Table[effect] // by workKey
	keys *server.Keys         // nil: it keeps none
	// Keys that are less than a request's own, if they are.
	same  float64
	cycle time.Duration
	lists [][]numbers // by group, and by client where clients count their own requests
}

// effect is what is remembered of a request whose work has been done.
type effect struct {
	run   uint8 // of the request, the last one in which it was
	cause Cause // of the first call that did it in that run, unless another takes the blame
	again Cause // why that run was made
}

// numbers are of one who numbers requests: a group, or a client.
type numbers struct {
	cycle       int64    // the last one in which there was a request
	firsts      []uint32 // of each cycle that has any
	asked, head uint32   // whose key the request asked about last carries
}

// newInbox is nil if nobody counts what the service does.
func newInbox(m *Model, v *Service) *inbox {
	if !v.counts() {
		return nil
	}
	b := new(inbox)
	if !v.Inbox.On() {
		return b
	}
	b.keys, b.same, b.cycle = server.NewKeys(v.Inbox), v.Inbox.SameKey, v.Inbox.KeyCycle
	if b.same > 0 || b.cycle > 0 {
		for i := range m.Groups {
			g := &m.Groups[i]
			n := g.Count
			if p := g.Arrival.Process(g.Count); p.Open() {
				n = 1
			}
			b.lists = append(b.lists, make([]numbers, n))
		}
	}
	return b
}

// counts reports whether it is counted how often work is done.
func (v *Service) counts() bool { return v.Effects || v.Inbox.On() }

// reset makes the inbox as new, keeping its memory.
func (b *inbox) reset() {
	b.done.Clear()
	if b.keys != nil {
		b.keys.Reset()
	}
	for _, list := range b.lists {
		for i := range list {
			list[i] = numbers{firsts: list[i].firsts[:0]}
		}
	}
}

// begins asks the inbox when a call gets its worker, and reports whether it
// keeps it. If not, the call is answered: OK or 409, unless a fault makes it
// fail after its work, which is as true of an answer that was stored.
func (r *Runner) begins(i uint32, c *call, h *hop, p *place) bool {
	x, b := &r.extras.at(i).call, p.inbox
	if b.keys == nil || x.doing {
		x.doing = true
		return true
	}
	own := r.workKey(c, x.path)
	x.key = r.carried(b, c, x.path, own)
	verdict, foreign := b.keys.Begin(r.now, x.key, own)
	if verdict == server.Do {
		x.doing = true
		return true
	}
	if c.origin.counted() {
		e := &r.rec.Services[h.to].Effects
		switch {
		case foreign && b.done.Get(own) == nil:
			e.Swallowed++
		case verdict == server.Replay:
			e.Replayed++
		default:
			e.Conflicts++
		}
	}
	if verdict == server.Conflict && c.answer == server.OK {
		c.answer = conflict
	}
	r.stationOf(i, p).Leave(r.now, r.took(i, p), c.answer != server.OK)
	r.reply(i, c, h, p, c.answer)
	return false
}

// settle ends what begins began: the work is there, or the key is given back.
func (r *Runner) settle(i uint32, c *call, p *place, there bool) {
	x, b := &r.extras.at(i).call, p.inbox
	if !x.doing {
		return
	}
	x.doing = false
	if !there {
		if b.keys != nil {
			b.keys.Rollback(x.key)
		}
		return
	}
	own := r.workKey(c, x.path)
	if b.keys != nil {
		b.keys.Commit(r.now, x.key, own)
	}
	now := effect{x.run, x.cause, x.again}
	e, counted := &r.rec.Services[r.hops[c.hop].to].Effects, c.origin.counted()
	if counted {
		e.Done++
	}
	if before := b.done.Get(own); before == nil {
		b.done.Put(own, now)
		if counted {
			e.Requests++
		}
	} else if cause := before.repeat(now); counted {
		e.Duplicates[cause]++
	}
}

// repeat adds work that has been done before, and says what is to blame: in one
// run the retry, hedge or redelivery, even if the attempt that it repeats is done
// after it; else what made the later run.
func (e *effect) repeat(now effect) Cause {
	switch {
	case now.run > e.run, now.run == e.run && now.again != e.again: // another way to the same number
		*e = now
		return now.again
	case now.run < e.run:
		return e.again
	case now.cause == now.again: // a first attempt
		now, *e = *e, now
	}
	return now.cause
}

// carried is the key that a call carries: its own, or one that other requests
// carry too.
func (r *Runner) carried(b *inbox, c *call, path, own random.Key) random.Key {
	if b.lists == nil {
		return own
	}
	group := c.origin.group()
	g := &r.groups[group]
	who, n := g.numbered(c.client, c.request)
	list := &b.lists[group][who]
	if b.same > 0 {
		n = list.find(g, who, n, b.same)
	}
	if b.cycle == 0 {
		v := *c
		v.client, v.request = g.numbered(who, n)
		return r.workKey(&v, path)
	}
	i, first := slices.BinarySearch(list.firsts, n)
	if !first {
		i--
	}
	return g.key.Child(uint64(who), uint64(n-list.firsts[i]), 0).Child(uint64(r.hops[c.hop].name), uint64(path), 0)
}

// workKey names what a service is asked for by all calls of a request that come
// over one path, however often each hop of it was tried.
func (r *Runner) workKey(c *call, path random.Key) random.Key {
	return r.groups[c.origin.group()].rootKey(c.client, c.request).Child(uint64(r.hops[c.hop].name), uint64(path), 0)
}

// below is the path that leads on from a hop.
func (r *Runner) below(path random.Key, hop uint16) random.Key {
	return path.Child(uint64(r.hops[hop].name), 1, 0)
}

// numbered says who numbers a request, and its number there. Clients number
// their own; those of an open process, each with a client of its own, are
// numbered together. It is its own inverse.
func (g *group) numbered(client, request uint32) (who, n uint32) {
	if g.process.Open() {
		return request, client
	}
	return client, request
}

// find is the request whose key request n carries: its own, or that which the one
// before carries, if they share one. What was found last shortens the way.
func (l *numbers) find(g *group, who, n uint32, same float64) uint32 {
	if same >= 1 {
		return 0
	}
	asked := n
	for n > 0 {
		if l.head <= n && n <= l.asked {
			n = l.head
			break
		}
		client, request := g.numbered(who, n)
		k := g.rootKey(client, request)
		if random.Unit(k.Draw(random.InboxKey, 0)) >= same {
			break
		}
		n--
	}
	l.asked, l.head = asked, n
	return n
}

// numberRequest notes which requests are the first of a cycle.
func (r *Runner) numberRequest(group int, client, request uint32) {
	for _, b := range r.cycled {
		who, n := r.groups[group].numbered(client, request)
		l := &b.lists[group][who]
		if k := int64(r.now / b.cycle); k != l.cycle || len(l.firsts) == 0 {
			l.cycle, l.firsts = k, append(l.firsts, n)
		}
	}
}
