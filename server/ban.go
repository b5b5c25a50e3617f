package server

import "time"

// bans remember who was asked to wait, and who came back before: such a client
// is banned. Coming back during the ban makes it no longer, and when it is over
// all is forgotten.
type bans struct {
	length  time.Duration // 0: there are none
	clients *clients
	records []record
}

// record is what is held against a client.
type record struct {
	back  time.Duration // when it may come back
	until time.Duration // the end of its ban
}

func newBans(length time.Duration) bans {
	return bans{length: length, clients: newClients(fewClients)}
}

func (b *bans) reset() {
	if b.length > 0 {
		b.clients.reset()
		clear(b.records)
	}
}

func (b *bans) grow(n int) {
	for len(b.records) < n {
		b.records = append(b.records, record{})
	}
}

func (b *bans) fresh(i uint32, now time.Duration) bool {
	r := &b.records[i]
	return max(r.back, r.until) <= now
}

// tell remembers that a client was asked to come back at that time.
func (b *bans) tell(now, back time.Duration, client uint64) {
	if back > now {
		b.records[b.clients.find(client, b, now)].back = back
	}
}

// rest is how much longer a client that comes now is banned.
func (b *bans) rest(now time.Duration, client uint64) (rest time.Duration, banned bool) {
	i, ok := b.clients.meters[client]
	if !ok {
		return 0, false
	}
	r := &b.records[i]
	if now < r.back {
		*r = record{until: plus(now, b.length)}
	}
	return r.until - now, now < r.until
}
