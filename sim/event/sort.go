package event

// sortWords sorts the first n words. Those beyond must be at least as large.
//
// Sorting networks have no branch that depends on the data, because min and max
// become conditional moves; a mispredicted branch costs as much as a dozen of
// them. Larger networks are made of two sorted halves: compared crosswise, they
// leave the smaller half below the larger one, both bitonic.
func sortWords(w *[chunkLen]uint64, n uint) {
	lo, hi := (*[16]uint64)(w[:16]), (*[16]uint64)(w[16:])
	switch {
	case n <= 8:
		sort8((*[8]uint64)(w[:8]))
	case n <= 16:
		sort16(lo)
	default:
		sort16(lo)
		sort16(hi)
		for i := range lo {
			lo[i], hi[15-i] = order(lo[i], hi[15-i])
		}
		clean16(lo)
		clean16(hi)
	}
}

// networkLen returns how many words the network for n words sorts.
func networkLen(n uint) uint {
	switch {
	case n <= 8:
		return 8
	case n <= 16:
		return 16
	}
	return chunkLen
}

func order(a, b uint64) (lo, hi uint64) { return min(a, b), max(a, b) }

func sort16(w *[16]uint64) {
	lo, hi := (*[8]uint64)(w[:8]), (*[8]uint64)(w[8:])
	sort8(lo)
	sort8(hi)
	for i := range lo {
		lo[i], hi[7-i] = order(lo[i], hi[7-i])
	}
	clean8(lo)
	clean8(hi)
}

// clean16 sorts a bitonic sequence.
func clean16(w *[16]uint64) {
	lo, hi := (*[8]uint64)(w[:8]), (*[8]uint64)(w[8:])
	for i := range lo {
		lo[i], hi[i] = order(lo[i], hi[i])
	}
	clean8(lo)
	clean8(hi)
}

func sort8(w *[8]uint64) {
	a, b, c, d, e, f, g, h := w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]

	a, c = order(a, c)
	b, d = order(b, d)
	e, g = order(e, g)
	f, h = order(f, h)

	a, e = order(a, e)
	b, f = order(b, f)
	c, g = order(c, g)
	d, h = order(d, h)

	a, b = order(a, b)
	c, d = order(c, d)
	e, f = order(e, f)
	g, h = order(g, h)

	c, e = order(c, e)
	d, f = order(d, f)

	b, e = order(b, e)
	d, g = order(d, g)

	b, c = order(b, c)
	d, e = order(d, e)
	f, g = order(f, g)

	w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7] = a, b, c, d, e, f, g, h
}

// clean8 sorts a bitonic sequence.
func clean8(w *[8]uint64) {
	a, b, c, d, e, f, g, h := w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]

	a, e = order(a, e)
	b, f = order(b, f)
	c, g = order(c, g)
	d, h = order(d, h)

	a, c = order(a, c)
	b, d = order(b, d)
	e, g = order(e, g)
	f, h = order(f, h)

	a, b = order(a, b)
	c, d = order(c, d)
	e, f = order(e, f)
	g, h = order(g, h)

	w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7] = a, b, c, d, e, f, g, h
}
