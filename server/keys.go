package server

import (
	"cmp"
	"math"
	"time"

	"retrystorm/sim/random"
)

// Keys is an inbox at work: it says whether the work of a call is to be done, by
// the key that the call carries. All replicas of a service share it, and a crash
// loses nothing of it but what was in service.
//
//	Begin -> Do                 the work begins: then Commit when it is done,
//	                            or Rollback when it will not be
//	      -> Replay, Conflict   it is not done
//
// A key is kept on [t, t + keep) from its last Commit at t. With keep_newest it
// goes when so many others have been committed after it; keys in service don't
// count.
type Keys struct {
	unique, replay bool
	keep           time.Duration
	newest         int64
	known          Table[mark]
	writes         uint64        // so far
	kept           int64         // keys that are committed
	order          ring[written] // oldest first, where keys are not kept for ever
}

// mark is what is known of a key.
type mark struct {
	owner random.Key
	write uint64 // the last one; 0: the work is not done yet
}

// written is a write of a key; there may be later ones.
type written struct {
	key   random.Key
	write uint64
	at    time.Duration
}

// Verdict says what happens to a call that has got its worker.
type Verdict uint8

// The verdicts.
const (
	Do       Verdict = iota // its work begins
	Replay                  // it gets the stored answer
	Conflict                // it gets 409
)

// NewKeys makes the keys of a valid inbox that has any.
func NewKeys(spec Inbox) *Keys {
	k := &Keys{unique: spec.Kind == "unique", replay: spec.Replay, keep: cmp.Or(spec.Keep, math.MaxInt64), newest: spec.KeepNewest}
	if k.newest <= 0 {
		k.newest = math.MaxInt64
	}
	return k
}

// Reset forgets all keys, keeping the memory.
func (k *Keys) Reset() {
	k.known.Clear()
	k.order.clear()
	k.writes, k.kept = 0, 0
}

// Begin is asked when a call gets its worker. The owner is whose work it is;
// foreign says that the key was put there for somebody else.
func (k *Keys) Begin(now time.Duration, key, owner random.Key) (v Verdict, foreign bool) {
	k.drop(now)
	m := k.known.Get(key)
	switch {
	case m == nil:
		if k.unique {
			k.known.Put(key, mark{owner: owner})
		}
		return Do, false
	case m.write > 0 && k.replay:
		return Replay, m.owner != owner
	default:
		return Conflict, m.owner != owner
	}
}

// Commit writes the key of work that is done.
func (k *Keys) Commit(now time.Duration, key, owner random.Key) {
	if m := k.known.Get(key); m == nil || m.write == 0 {
		k.kept++
	}
	k.writes++
	k.known.Put(key, mark{owner, k.writes})
	if k.keep < math.MaxInt64 || k.newest < math.MaxInt64 {
		k.order.push(written{key, k.writes, now})
		k.drop(now)
	}
}

// Rollback frees the key of work that has begun and will not be done.
func (k *Keys) Rollback(key random.Key) {
	if m := k.known.Get(key); m != nil && m.write == 0 {
		k.known.Delete(key)
	}
}

// drop forgets keys that are too old or too many.
func (k *Keys) drop(now time.Duration) {
	for k.order.len() > 0 {
		w := k.order.front()
		m := k.known.Get(w.key)
		if last := m != nil && m.write == w.write; last {
			if now-w.at < k.keep && k.kept <= k.newest {
				return
			}
			k.known.Delete(w.key)
			k.kept--
		}
		k.order.pop()
	}
}
