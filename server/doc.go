// Package server is the far end of a call: services with limited capacity that
// queue, answer errors, fail and recover.
//
// A [Station] is a pure state machine. A call arrives, time is told, a decision
// comes out; there is no clock in it, no events and no random numbers of its
// own. Calls are known by number only.
//
//	Arrive -> Answered, Lost            not served
//	       -> Starts                    Finish says when it is done; then Leave,
//	                                    and Next until there is none
//	       -> Waits                     until Next takes it: as above, or dropped
//	                                    with an answer; or Remove
//	       -> Crashes                   everything inside is dead
//	NextChange, Change                  faults and ramps; then Next as above
//	SetAdmit, SetWorkers                settings; then NextChange and Next as above
//
// A service that holds its worker while it calls others simply calls Leave
// later; one whose work is cancelled, earlier. One that does not hold it parks
// the call: Park, then Next; and at last LeaveParked, or Resume if it needs a
// worker again, which starts the call or lets it wait past the queue's limit.
//
// # Replicas
//
// A service with several replicas has a station for each, with workers, a queue
// and limits of its own, and faults of which some may be only those of the first
// few. A [Balancer] says which one a call goes to when it arrives, by draws under
// the call's key:
//
//   - random: any.
//   - round-robin: each in turn, the first one first.
//   - least: one of those with the fewest calls inside.
//   - two-choices: of two different ones that with fewer inside, of equals the
//     one drawn first.
//
// It knows nothing of faults. A call that must avoid a replica goes to one of the
// others, as if there were only them; with round-robin that one's turn is over.
//
// # Order of decisions at arrival
//
//  1. Down, by a fault or after a crash: answered so. Several faults: the
//     strictest answer wins, silence over refusal over a status or a reset.
//  2. Admission: a share of the calls is let in, the others are refused.
//  3. Ban: a banned client gets the answer of the rate limit, and takes nothing
//     from it.
//  4. Rate limit.
//  5. Errors. Each errors fault draws on its own, and then again for one of the
//     answers of its mix. Those without after_work answer now and win over
//     those with it, which let the call through to fail after its full service.
//     Among equals the strictest answer wins, then the first.
//  6. Shed: a retry, or a first try, while too many calls wait.
//  7. Limiter: a call that would be one too many inside.
//  8. A free usable worker or a place in the queue, and not so many inside as
//     in_flight says, parked ones included; else the answer of a full queue.
//  9. Crash: a call that would get in and makes it too many inside.
//
// # Queue
//
// When a worker is free, the queue's order says whose turn it is.
//
//   - fifo, lifo: the oldest, the newest.
//   - random: each of those that wait is equally likely.
//   - adaptive-lifo: the oldest; once the queue has not been empty for 100 ms,
//     the newest, until it is empty.
//   - codel: the oldest, but some that waited too long are dropped instead, by
//     the law of RFC 8289 with a target of 5 ms and an interval of 100 ms. A
//     queue of one call at most is never too long.
//   - deadline: whose caller stops waiting first; those without a deadline
//     last; of equals the oldest.
//   - first-tries, retries-first: all of one kind before all of the other, the
//     oldest of each first. Nobody is displaced: a full queue turns away the
//     call that comes, of whichever kind.
//
// A call whose turn comes more than max_wait after its arrival is dropped, in
// every order, before codel looks at it. Dropped calls get the answer of a full
// queue and take no worker.
//
// # Limiter
//
// A call is counted from its arrival until it leaves. The limit learns from
// how long calls in service were inside, and takes for too much load what
// fails, what is dropped or removed from the queue, and what finds the queue
// full. A crash makes the limit as new.
//
// # Inbox
//
// [Keys] are no part of a station: all replicas share them, they outlive
// crashes, and who gets no worker asks for nothing.
//
//   - check-then-insert: a key is looked up when the work begins and written when
//     it is done. Calls that are in service at once don't see each other.
//   - unique: the key is there from when the work begins, for nobody else to work
//     on; it is freed if the work comes to nothing.
//
// A key that is written again counts as new. While its work is in service, its
// age and place do not count.
//
// # Answers that ask to wait
//
// An answer with a status may ask for a wait: a fixed one; until the rate limit
// would let the next call of this caller in (next-token); until the end of the
// fault that answers, its ramp not included, or, when no fault answers, of the
// last one that is active, a restart being one, and none at all if none is
// (recovery; a fault without an end ends with the run); waiting calls x mean
// service time / workers, at least one mean service time (queue); or for ever
// (never). Spread adds U(0, spread), drawn for the call. The form rounds up: to
// whole seconds, ms, or a date in whole seconds, of which the caller subtracts
// its own clock. An answer after the work asks for what was right at arrival.
//
// A rate limit with a ban remembers what its answers asked for, by its own
// clock. A client that comes back before that is banned, whatever the scope of
// the limit: all its calls get that answer, which asks for the rest of the ban.
// Coming back during the ban does not prolong it, and then all is forgotten.
//
// # Faults
//
// A fault is active on [at, at+for), then its ramp runs; the fault ends when
// the ramp does. A call at the very end of a fault meets the recovered server.
//
//   - down turns arrivals away. Calls inside are served on.
//   - errors is decided at arrival: for each call, or, if stored, for the request, so
//     that all calls of it over a hop get the same answer.
//   - slow multiplies the demand of calls that start in it, queued before or
//     not, for all of their service; slowdown is added after that. Several
//     multiply.
//   - pause takes calls in, but nothing is worked on: the remaining work of
//     calls in service is shifted, and a call that starts in it begins at its
//     end. Work that is done just when a pause starts is done at its end.
//   - capacity leaves a share of the workers, of several the smallest; at
//     least one worker.
//   - A ramp, after a fault of any kind or a crash, brings the usable workers
//     from a share to all, linearly, one at a time or in 1000 steps. With
//     unlimited workers there is nothing to ramp or to take a share of.
//   - Busy workers above the usable ones finish what they do.
//   - A fault that repeats is over, its ramp included, before it starts again.
//   - Where the number of workers is set, faults and ramps leave their shares of
//     the new one.
//
// A crash loses all calls inside, refuses calls while it restarts, and ramps.
// It combines with faults: down if either says so, the smaller capacity.
package server
