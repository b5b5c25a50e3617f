package server

// Rows are what calls compete for. Versions are for optimistic and write-only
// contention, Lock and Unlock for lock.
type Rows struct {
	versions []uint32
	locks    []lock
	waiters  []waiter // of all rows; 0 stands for none
	free     uint32   // the first of a list of unused waiters
}

// lock is one row's: who waits for it, oldest first.
type lock struct {
	held        bool
	first, last uint32
}

type waiter struct{ call, next uint32 }

// NewRows makes the rows of a valid spec.
func NewRows(spec Contention) *Rows {
	r := &Rows{waiters: make([]waiter, 1)}
	if spec.Kind == "lock" {
		r.locks = make([]lock, spec.Rows)
	} else {
		r.versions = make([]uint32, spec.Rows)
	}
	return r
}

// Reset makes the rows as new, keeping their memory.
func (r *Rows) Reset() {
	clear(r.versions)
	r.Release()
}

// Release is what a crash does: it drops all locks and all who wait for them.
// Versions stay. Data is durable, and counting from 0 again would let a write
// through whose read was before the crash.
func (r *Rows) Release() {
	clear(r.locks)
	r.waiters, r.free = r.waiters[:1], 0
}

// Version is what a reader of the row sees, and a loser is told.
func (r *Rows) Version(row uint64) uint32 { return r.versions[row] }

// Write changes the row, and so its version, if the writer knows the version.
func (r *Rows) Write(row uint64, version uint32) bool {
	if r.versions[row] != version {
		return false
	}
	r.versions[row]++
	return true
}

// Lock gives the row to the call, or lets the call wait its turn.
func (r *Rows) Lock(row uint64, call uint32) bool {
	l := &r.locks[row]
	if !l.held {
		l.held = true
		return true
	}
	i := r.free
	if i != 0 {
		r.free = r.waiters[i].next
	} else {
		i = uint32(len(r.waiters))
		r.waiters = append(r.waiters, waiter{})
	}
	r.waiters[i] = waiter{call: call}
	if l.first == 0 {
		l.first = i
	} else {
		r.waiters[l.last].next = i
	}
	l.last = i
	return false
}

// Unlock takes the row from its holder and gives it to the call that has
// waited longest, if any.
func (r *Rows) Unlock(row uint64) (next uint32, ok bool) {
	l := &r.locks[row]
	i := l.first
	if i == 0 {
		l.held = false
		return 0, false
	}
	w := r.waiters[i]
	l.first = w.next
	r.waiters[i].next, r.free = r.free, i
	return w.call, true
}
