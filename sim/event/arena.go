package event

const (
	chunkLen = 32 // events in a chunk
	touchLen = 8
	pageLen  = 4096 // events in a page, 96 KiB
)

// arena keeps events in chains of chunks. It grows by a page at a time, so
// growing neither copies nor doubles anything. Freed chunks are handed out
// again, the most recent one first, because it is still in the cache.
//
// A chain is named by the index one past its newest event, 0 if it is empty.
// All its chunks but the newest are full, so a multiple of chunkLen says that
// the next event needs a new chunk.
type arena struct {
	pages   []*[pageLen]Event
	rest    []uint32 // by chunk: the chain behind it; of a free chunk: the next free one
	free    uint32   // the chunk freed last, 0 if there is none
	touched uint32
	used    uint32 // chunks 1..used have been handed out since the last reset
}

// at returns the place of the event with index i.
func (a *arena) at(i uint32) *Event {
	return &a.pages[i/pageLen][i%pageLen]
}

// chunk returns the chunk of the event with index i.
func (a *arena) chunk(i uint32) *[chunkLen]Event {
	page := a.pages[i/pageLen]
	i = i % pageLen &^ (chunkLen - 1)
	return (*[chunkLen]Event)(page[i : i+chunkLen])
}

// newest returns the events in the newest chunk of a chain.
func (a *arena) newest(chain uint32) []Event {
	return a.chunk(chain - 1)[:(chain-1)%chunkLen+1]
}

// behind returns a chain without its newest chunk.
func (a *arena) behind(chain uint32) uint32 {
	return a.rest[(chain-1)/chunkLen]
}

// extend adds a chunk to a chain and returns the index of its first event.
func (a *arena) extend(chain uint32) uint32 {
	c := a.free
	if c != 0 {
		a.free = a.rest[c]
	} else {
		a.used++
		c = a.used
		if int(c/(pageLen/chunkLen)) >= len(a.pages) {
			a.pages = append(a.pages, new([pageLen]Event))
			a.rest = append(a.rest, make([]uint32, pageLen/chunkLen)...)
		}
	}
	a.rest[c] = chain
	return c * chunkLen
}

// drop frees the newest chunk of a chain and returns the chain behind it. The
// events stay readable until the next extend.
func (a *arena) drop(chain uint32) uint32 {
	c := (chain - 1) / chunkLen
	rest := a.rest[c]
	a.rest[c] = a.free
	a.free = c
	return rest
}

// touch reads a little of the next chunks of a chain, all at once, so that they
// come into the cache together instead of one after the other.
func (a *arena) touch(chain uint32) {
	x := uint32(0)
	for range touchLen {
		if chain == 0 {
			break
		}
		c := a.chunk(chain - 1)
		x |= c[0].Gen | c[2].Gen | c[5].Gen | c[7].Gen | c[10].Gen | c[13].Gen
		x |= c[16].Gen | c[18].Gen | c[21].Gen | c[23].Gen | c[26].Gen | c[29].Gen
		chain = a.behind(chain)
	}
	a.touched = x
}

// reset frees all chunks.
func (a *arena) reset() {
	a.free, a.used = 0, 0
}
