package sim

import (
	"time"

	"retrystorm/server"
	"retrystorm/sim/random"
)

// none is the index of no slot.
const none = ^uint32(0)

// task is a caller at work: a client's request, or a service that calls others
// on behalf of a call. It walks through its steps, one hop after the other, and
// on each hop makes attempts until one succeeds or its policy gives up.
type task struct {
	started  time.Duration // of the request, or of the work for the call
	began    time.Duration // when the first attempt on the present hop was sent
	prev     time.Duration // the wait before the present attempt
	deadline time.Duration // when the attempt in flight times out; 0: never
	timer    time.Duration // when the slot's pending timer event pops; 0: there is none
	client   uint32
	request  uint32 // of the client, from 0
	call     uint32 // slot of the attempt in flight; none between requests
	parent   uint32 // slot of the call this is done for; none for a client's request
	attempt  uint32
	gen      uint32 // owners of the slot so far
	timerGen uint32 // timers of the slot so far
	version  uint32 // of the row, as the last answer told it
	hop      uint16
	group    uint16
	counted  bool // started after the warm-up
	live     bool // the slot is in use
}

// call is one attempt over one hop, from the moment its caller decides to send
// it until its answer arrives or is lost.
type call struct {
	key     random.Key
	work    time.Duration // its service time; before it is in service: when it is sent
	task    uint32        // the caller's slot, of generation taskGen
	taskGen uint32
	client  uint32
	request uint32
	gen     uint32 // owners of the slot so far
	version uint32 // of the row, as the caller knows it
	hop     uint16
	attempt uint16 // saturates
	group   uint16
	answer  server.Answer
	state   callState
	counted bool
}

type callState uint8

const (
	free      callState = iota
	reading             // an optimistic writer's read is on its way
	sending             // on its way to the service
	waiting             // in the queue
	serving             // in service: the service's own work
	locking             // in service, waiting for a row's lock
	calling             // in service, while the service calls others
	answering           // the answer is on its way back
	lost                // there will be no answer, but its caller still waits
)
