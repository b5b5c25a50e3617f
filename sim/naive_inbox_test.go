package sim_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"retrystorm/server"
	"retrystorm/sim"
	"retrystorm/sim/random"

	"pgregory.net/rapid"
)

// Inboxes and effects in the naive model: everything is written into logs, and
// whoever wants to know something reads them from the start.

// birth is the start of a request.
type birth struct {
	group           int
	client, request uint32
	at              time.Duration
}

// work is what a service does for a call, once it has a worker.
type work struct {
	key, own  ticket
	cause     sim.Cause
	counted   bool
	began     int // when, in the order of what happens at the inbox
	ended     int // 0: not yet
	at        time.Duration
	there     bool // the work was done
	verdict   server.Verdict
	swallowed bool
}

// ticket is an idempotency key.
type ticket struct {
	group int
	who   uint32 // client
	n     int    // of its requests, or of those in a cycle
	hop   uint64
	path  string // of hops that lead there
}

// inbox is a service's; nil: nobody looks.
func (n *naive) inbox(s *site) *server.Inbox {
	v := n.m.Services[s.index]
	if !v.Effects && (v.Inbox.Kind == "" || v.Inbox.Kind == "none") {
		return nil
	}
	return &v.Inbox
}

// born lists the requests that are counted with one, the older ones first, up to
// that one.
func (n *naive) born(a *attempt) (list []birth) {
	c := a.by
	for _, b := range n.births {
		if b.group == c.group && (!n.counts(c.group) || b.client == c.client) {
			list = append(list, b)
			if b.client == c.client && b.request == c.request {
				break
			}
		}
	}
	return list
}

// path names the hops that lead to an attempt, without those of outer layers.
func (a *attempt) path() (names string) {
	for p := a.by.parent; p != nil; p = p.by.parent {
		if p.layer.inner == nil {
			names += fmt.Sprint(p.layer.name, " ")
		}
	}
	return names
}

// keys are the key that an attempt carries, and its own.
func (n *naive) keys(a *attempt, spec *server.Inbox) (carried, own ticket) {
	list := n.born(a)
	of := func(list []birth) ticket {
		b := list[len(list)-1]
		return ticket{b.group, b.client, int(b.request), a.layer.name, a.path()}
	}
	own = of(list)
	same := func(b birth) bool {
		k := n.groups[b.group].Child(uint64(b.client), uint64(b.request), 1)
		return random.Unit(k.Draw(random.InboxKey, 0)) < spec.SameKey
	}
	for len(list) > 1 && same(list[len(list)-1]) {
		list = list[:len(list)-1]
	}
	if spec.KeyCycle == 0 {
		return of(list), own
	}
	carried = ticket{group: a.by.group, n: -1, hop: a.layer.name, path: a.path()}
	if n.counts(a.by.group) {
		carried.who = a.by.client
	}
	today := list[len(list)-1].at / spec.KeyCycle
	for _, b := range list {
		if b.at/spec.KeyCycle == today {
			carried.n++
		}
	}
	return carried, own
}

// counts says whether clients number their own requests.
func (n *naive) counts(group int) bool {
	return slices.Contains([]string{"burst", "closed", "every"}, n.m.Groups[group].Arrival.Kind)
}

// kept is the last work under a key that the service still knows.
func (s *site) kept(now time.Duration, spec *server.Inbox, key ticket) *work {
	var done []*work
	for _, w := range s.works {
		if w.there {
			done = append(done, w)
		}
	}
	slices.SortFunc(done, func(a, b *work) int { return b.ended - a.ended }) // the newest first
	later := map[ticket]bool{}
	for _, w := range done {
		switch {
		case w.key != key:
			later[w.key] = true
		case spec.Keep > 0 && now >= w.at+spec.Keep:
			return nil
		case spec.KeepNewest != server.Unlimited && int64(len(later)) >= spec.KeepNewest:
			return nil
		default:
			return w
		}
	}
	return nil
}

// begins asks the inbox, and answers in its place.
func (n *naive) begins(s *site, a *attempt) bool {
	spec := n.inbox(s)
	if spec == nil || a.doing != nil || a.refused {
		return true
	}
	own := s
	s = n.sites[s.index] // whose replicas share it
	n.tick++
	w := &work{cause: a.lineage(), counted: a.by.counted, began: n.tick}
	w.key, w.own = n.keys(a, spec)
	a.promised = a.answer
	var other *work
	if spec.Kind == "unique" {
		for _, b := range s.works {
			if b.key == w.key && b.ended == 0 && b.verdict == server.Do {
				other, w.verdict = b, server.Conflict
			}
		}
	}
	if spec.Kind == "unique" || spec.Kind == "check-then-insert" {
		if k := s.kept(n.now, spec, w.key); k != nil {
			other, w.verdict = k, server.Conflict
			if spec.Replay {
				w.verdict = server.Replay
			}
		}
	}
	if other != nil && other.own != w.own {
		w.swallowed = !slices.ContainsFunc(s.works, func(b *work) bool { return b.own == w.own && b.there })
	}
	s.works = append(s.works, w)
	if w.verdict == server.Do {
		a.doing = w
		return true
	}
	if w.verdict == server.Conflict && a.answer == server.OK {
		a.answer = 409
	}
	if own.station != nil {
		own.station.Leave(n.now, n.now-a.arrived, a.answer != server.OK)
	}
	n.reply(own, a, a.answer)
	return false
}

// settle ends an attempt's work, if it has begun.
func (n *naive) settle(a *attempt, there bool) {
	if w := a.doing; w != nil {
		n.tick++
		w.ended, w.at, w.there = n.tick, n.now, there
		a.doing = nil
	}
}

// lineage is why an attempt was made: the nearest reason up the path.
func (a *attempt) lineage() sim.Cause {
	for a.cause == sim.First && a.by.parent != nil {
		a = a.by.parent
	}
	return a.cause
}

// effects counts what was done, once all is over. Of what was done for one
// request, the first attempt is the original, or else what was done first.
func (s *site) effects() (e sim.Effects) {
	done := map[ticket][]*work{}
	for _, w := range s.works {
		switch {
		case !w.counted || w.verdict == server.Do && !w.there:
		case w.there:
			e.Done++
			done[w.own] = append(done[w.own], w)
		case w.swallowed:
			e.Swallowed++
		case w.verdict == server.Replay:
			e.Replayed++
		default:
			e.Conflicts++
		}
	}
	for _, list := range done {
		slices.SortFunc(list, func(a, b *work) int { return a.ended - b.ended })
		original := max(0, slices.IndexFunc(list, func(w *work) bool { return w.cause == sim.First }))
		for i, w := range list {
			if i == original {
				e.Requests++
			} else {
				e.Duplicates[w.cause]++
			}
		}
	}
	return e
}

// leaks fails when an inbox has let through what it must not: where keys are kept
// for ever, those that are unique are worked on once, and others again only by
// calls that had begun before the first had ended.
func (s *site) leaks(t rapid.TB, spec server.Inbox) {
	if spec.Keep > 0 || spec.KeepNewest != server.Unlimited {
		return
	}
	for _, w := range s.works {
		for _, b := range s.works {
			if w == b || !w.there || !b.there || w.key != b.key {
				continue
			}
			if spec.Kind == "unique" {
				t.Fatalf("%s: key %v is worked on twice", s.name, w.key)
			}
			if spec.Kind == "check-then-insert" && w.ended < b.began {
				t.Fatalf("%s: key %v is worked on again after it was written", s.name, w.key)
			}
		}
	}
}

// drawInboxes gives services inboxes and counters.
func drawInboxes(t *rapid.T, m *sim.Model) {
	for i := range m.Services {
		v := &m.Services[i]
		v.Effects = rapid.Bool().Draw(t, "effects")
		v.Inbox.Kind = pick(t, "inbox", "none", "check-then-insert", "unique", "unique")
		v.Inbox.Replay = rapid.Bool().Draw(t, "replay")
		v.Inbox.Keep = pick(t, "keep", 0, 0, ms, 30*ms, 300*ms)
		v.Inbox.KeepNewest = pick[int64](t, "newest", server.Unlimited, server.Unlimited, 1, 5)
		v.Inbox.SameKey = pick(t, "same key", 0, 0, 0.3, 0.9, 1)
		v.Inbox.KeyCycle = pick(t, "key cycle", 0, 0, 100*ms, s)
	}
}

// TestNaiveInbox compares the engine with the naive model where services have
// inboxes: the effects, the duplicates by cause, what was replayed and refused,
// and all that follows for everybody. And it holds in all these histories what an
// inbox is there for.
func TestNaiveInbox(t *testing.T) {
	var used sim.Runner
	repeated, swallowed := int64(0), int64(0)
	rapid.Check(t, func(t *rapid.T) {
		var fresh sim.Runner
		m, seed := drawModel(t), rapid.Uint64Range(0, 3).Draw(t, "seed")
		drawInboxes(t, m)
		compare(t, m, seed, &fresh, &used)
		compare(t, m, seed+1, &used)
		n := newNaive(m, seed, 1)
		if n == nil {
			return
		}
		for i, s := range n.sites {
			s.leaks(t, m.Services[i].Inbox)
			e := s.rec.Effects
			repeated += e.Done - e.Requests
			swallowed += e.Swallowed
		}
	})
	if repeated == 0 || swallowed == 0 {
		t.Errorf("%d duplicates and %d calls swallowed in all histories: there is nothing to see", repeated, swallowed)
	}
}
