package sim

import "retrystorm/sim/random"

// kind ranks the events of one instant; the table is in the package comment.
type kind uint64

const (
	kindChange  kind = iota // a fault or a ramp changes a station
	kindAct                 // somebody does something
	kindDone                // a station has finished a call's own work
	kindAnswer              // an answer reaches its caller
	kindTimeout             // an attempt times out
	kindVisible             // a message of a queue can be taken, or is too old
	kindStart               // a client starts a request
	kindSend                // an attempt that has to ask others first is sent
	kindHedge               // another copy of an attempt is sent
	kindCancel              // a station is told that a caller has left
	kindArrive              // a call (or a read) reaches a station
)

// The key of an event is content: kind, then client, then bits of the key of
// the call it is about. It decides between simultaneous events, so it must not
// depend on slots or on who was scheduled first.
const (
	kindShift   = 60
	clientShift = 32
	clientMask  = 1<<(kindShift-clientShift) - 1
)

func eventKey(k kind, client uint32, call random.Key) uint64 {
	return uint64(k)<<kindShift | uint64(client&clientMask)<<clientShift | uint64(call)>>32
}

func kindOf(key uint64) kind { return kind(key >> kindShift) }
