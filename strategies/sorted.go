package strategies

import "slices"

// Sorted waits are drawn together: every retry draws the whole list again from
// a seed that the request remembers, and takes its own. The memory is the seed,
// above the number of the retry after which the list began, in 7 bits.
const (
	sortedDigits = 7
	sortedFirst  = 1<<sortedDigits - 1 // its mask
	seedDigits   = 54                  // so that it is below 2^61
)

// sorted is one wait of the list, and the memory.
func (c *curve) sorted(retry int64, memory, u uint64) (int64, uint64) {
	if memory>>sortedDigits == 0 {
		memory |= (u>>(64-seedDigits) | 1) << sortedDigits
	}
	seed := mixed(memory >> sortedDigits)
	var room [tabled]int64
	list := room[:c.size]
	for i := range list {
		list[i] = c.shape(c.span(int64(i)+1), mixed(seed+uint64(i)))
	}
	slices.Sort(list)
	own := retry - int64(memory&sortedFirst)
	return list[min(max(own, 1), c.size)-1], memory
}

func restartSorted(retry int64) uint64 { return uint64(min(max(retry, 0), sortedFirst)) }

// sortedEnds are the ranges of the waits of the list.
func (c *curve) sortedEnds() (table [tabled]span) {
	var lo, hi [tabled]int64
	for i := range c.size {
		s := c.ends(c.span(i + 1))
		lo[i], hi[i] = s.lo, s.hi
	}
	slices.Sort(lo[:c.size])
	slices.Sort(hi[:c.size])
	for i := range table {
		at := min(int64(i), c.size-1)
		table[i] = span{lo[at], hi[at]}
	}
	return table
}
