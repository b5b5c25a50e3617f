package server

// lists are two first-in, last-out or first-out lists of calls, a call being in
// one of them at most. Any call is taken out at once.
type lists struct{ links []link }

// link is a call's neighbours in a ring that the list's head closes. The zero
// link is in no list.
type link struct{ next, prev uint32 }

// The heads are links 1 and 2; the link of a call comes firstLink after its
// number. Link 0 is nobody's.
const (
	listA     = 1
	listB     = 2
	firstLink = 3
)

func (l *lists) clear() {
	if len(l.links) < firstLink {
		l.links = make([]link, firstLink)
	}
	clear(l.links)
	l.links[listA], l.links[listB] = link{listA, listA}, link{listB, listB}
}

// push puts a call at the end of a list.
func (l *lists) push(list, call uint32) {
	i := call + firstLink
	for uint64(len(l.links)) <= uint64(i) {
		l.links = append(l.links, link{})
	}
	if l.links[i].next != 0 {
		panic("server: a call waits that waits already")
	}
	last := l.links[list].prev
	l.links[i] = link{next: list, prev: last}
	l.links[last].next, l.links[list].prev = i, i
}

func (l *lists) empty(list uint32) bool { return l.links[list].next == list }

// first and last are calls of a list that isn't empty.
func (l *lists) first(list uint32) uint32 { return l.links[list].next - firstLink }
func (l *lists) last(list uint32) uint32  { return l.links[list].prev - firstLink }

// remove takes a call out of its list; false if it is in none.
func (l *lists) remove(call uint32) bool {
	i := uint64(call) + firstLink
	if i >= uint64(len(l.links)) || l.links[i].next == 0 {
		return false
	}
	k := l.links[i]
	l.links[k.prev].next, l.links[k.next].prev = k.next, k.prev
	l.links[i] = link{}
	return true
}
