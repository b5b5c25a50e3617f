package event

const (
	chunkLen = 32   // events in a chunk
	pageLen  = 4096 // events in a page, 96 KiB
)

// arena keeps events in chains of chunks. It grows by one page at a time, so
// growing neither copies nor doubles anything. Freed chunks are handed out
// again, the most recent first, because it is still in the cache.
//
// A chain is named by the index after its newest event, 0 if it is empty. Only
// its newest chunk can have room, so when the index is a multiple of chunkLen
// the next event needs a new chunk.
type arena struct {
	pages []*[pageLen]Event
	rest  []uint32 // by chunk: the chain behind it; of a free chunk: the next free one
	free  uint32   // the chunk freed last, 0 if there is none
	used  uint32   // chunks 1 to used have been handed out since the last reset
}

// at returns the place of the event with index i.
func (a *arena) at(i uint32) *Event {
	return &a.pages[i/pageLen][i%pageLen]
}

// chunk returns the newest chunk of a chain.
func (a *arena) chunk(chain uint32) *[chunkLen]Event {
	page := a.pages[(chain-1)/pageLen]
	i := (chain - 1) % pageLen &^ (chunkLen - 1)
	return (*[chunkLen]Event)(page[i : i+chunkLen])
}

// newest returns the events in the newest chunk of a chain.
func (a *arena) newest(chain uint32) []Event {
	return a.chunk(chain)[:(chain-1)%chunkLen+1]
}

// behind returns the chain behind the newest chunk.
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
		if int(c*chunkLen/pageLen) >= len(a.pages) {
			a.pages = append(a.pages, new([pageLen]Event))
			a.rest = append(a.rest, make([]uint32, pageLen/chunkLen)...)
		}
	}
	a.rest[c] = chain
	return c * chunkLen
}

// drop frees the newest chunk of a chain and returns the chain behind it. The
// events in the chunk stay as they are until the next extend.
func (a *arena) drop(chain uint32) uint32 {
	c := (chain - 1) / chunkLen
	rest := a.rest[c]
	a.rest[c] = a.free
	a.free = c
	return rest
}

// reset frees all chunks.
func (a *arena) reset() {
	a.free, a.used = 0, 0
}
