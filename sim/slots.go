package sim

import (
	"time"

	"retrystorm/server"
	"retrystorm/sim/random"
)

// none is the index of no slot.
const none = ^uint32(0)

// slot, two cache lines, holds a caller and, next to it in memory, the call that
// it has in flight: fetched together, because with many clients the time of a
// run is the time to fetch these. A call whose caller has left keeps its place,
// and the caller's next one goes elsewhere.
type slot struct {
	task task
	call call
}

func (r *Runner) task(i uint32) *task { return &r.slots.at(i).task }
func (r *Runner) call(i uint32) *call { return &r.slots.at(i).call }

// takeCall finds a place for a call of the task in the slot.
func (r *Runner) takeCall(slot uint32) uint32 {
	r.flying++
	if r.call(slot).state == free {
		return slot
	}
	return r.take()
}

// task is a caller at work: a client's request, or a service that calls others
// on behalf of a call. It walks through its steps, one hop after the other, and
// on each hop makes attempts until one succeeds or its policy gives up.
type task struct {
	key      random.Key    // what the keys of its calls derive from
	started  time.Duration // of the request, or of the work for the call
	memory   uint64        // what the policy remembers from one retry to the next
	deadline time.Duration // when the attempt in flight times out; 0: never
	timer    time.Duration // when the slot's pending timer event pops; 0: there is none
	client   uint32
	request  uint32 // of the client, from 0
	call     uint32 // slot of the attempt in flight, or of the first of its copies; none between requests
	parent   uint32 // slot of the call this is done for; none for a client's request
	attempt  uint32
	gen      uint32 // owners of the slot so far
	timerGen uint32 // timers of the slot so far
	hop      uint16
	origin   origin
	state    taskState
}

type taskState uint8

const (
	idle  taskState = iota // the slot is free
	alive                  // the attempt in flight needs no timer, or there is none
	armed                  // the attempt in flight has one
)

// call is one attempt over one hop, from the moment its caller decides to send
// it until its answer arrives or is lost.
type call struct {
	key     random.Key
	work    time.Duration // when it is sent; then its service time; then see tell
	task    uint32        // the caller's slot, of generation taskGen
	taskGen uint32
	client  uint32
	request uint32
	gen     uint32 // owners of the slot so far
	version uint32 // of the row, as the caller knows it
	hop     uint16
	attempt uint16 // saturates
	answer  server.Answer
	origin  origin
	state   callState
	cause   Cause
	copy    uint8 // 0 the attempt itself, then its hedges
	waited  bool  // its caller waited before it
	listed  bool  // in flight beside the call that the task knows
}

// origin is the group a request comes from, and whether it started after the
// warm-up, so that it counts.
type origin uint8

// maxGroups is how many groups an origin can tell apart.
const maxGroups = 1 << 7

func newOrigin(group int, counted bool) origin {
	if counted {
		return origin(group)<<1 | 1
	}
	return origin(group) << 1
}

func (o origin) group() int    { return int(o >> 1) }
func (o origin) counted() bool { return o&1 != 0 }

// tell lets the answer tell the version of the row, in the place of the service
// time, which is no longer needed. It is negative there, as no time is.
func (c *call) tell(version uint32) { c.work = -1 - time.Duration(version) }

// told is the version that the caller knows once it has the answer.
func (c *call) told() uint32 {
	if c.work < 0 {
		return uint32(-1 - c.work)
	}
	return c.version
}

type callState uint8

const (
	free      callState = iota
	reading             // an optimistic writer's read is on its way
	held                // not sent yet: its caller waits, or has to ask others
	sending             // on its way to the service
	waiting             // in the queue
	serving             // in service: the service's own work
	locking             // in service, waiting for a row's lock
	calling             // in service, while the service calls others
	forking             // not a call: several steps at once are at work
	refusing            // in service: a worker refuses it
	layered             // not a call but an attempt of an outer layer: the inner one is at work
	answering           // the answer is on its way back
	lost                // there will be no answer, but its caller still waits
)
