// Package server is the far end of a call: services with limited capacity that
// queue, answer errors, fail and recover.
//
// A [Station] is a pure state machine. A call arrives, time is told, a decision
// comes out; there is no clock in it, no events and no random numbers of its
// own. Calls are known by number only.
//
//	Arrive -> Answered, Lost            not served
//	       -> Starts                    Finish says when it is done; then Leave,
//	                                    and Next until nobody starts
//	       -> Waits                     until Next takes it; then as above
//	       -> Crashes                   everything inside is dead
//	NextChange, Change                  faults and ramps; then Next as above
//
// A service that holds its worker while it calls others simply calls Leave
// later.
//
// # Order of decisions at arrival
//
//  1. Down, by a fault or after a crash: answered so. Several faults: the
//     strictest answer wins, silence over refusal over a status or a reset.
//  2. Rate limit.
//  3. Errors. Each errors fault draws on its own. Those without after_work
//     answer now and win over those with it, which let the call through to
//     fail after its full service. Among equals the strictest answer wins.
//  4. A free usable worker or a place in the queue; else the answer of a full
//     queue.
//  5. Crash: a call that would get in and makes it too many inside.
//
// # Faults
//
// A fault is active on [at, at+for), then its ramp runs; the fault ends when
// the ramp does. A call at the very end of a fault meets the recovered server.
//
//   - down turns arrivals away. Calls inside are served on.
//   - errors is decided at arrival.
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
//
// A crash loses all calls inside, refuses calls while it restarts, and ramps.
// It combines with faults: down if either says so, the smaller capacity.
package server
