// Package sim runs one replication of a model: clients, the calls they make,
// the services that answer or fail, and what callers do about it.
//
// A [Model] is plain data. A [Runner] turns it and two numbers, seed and
// replication, into a [Record] of integers; the same three always give the same
// record, on every machine. Statistics are made elsewhere.
//
// # Order of simultaneous events
//
// Time is a whole number of nanoseconds. Events at one instant run in this
// order:
//
//	change   a fault, a ramp or a restart changes a station
//	done     a service finishes its own work for a call: the worker is free,
//	         and the next waiting call starts
//	answer   an answer reaches its caller
//	timeout  an attempt times out
//	start    a client starts a request
//	arrive   a call reaches a service
//
// Among equals the client decides, then the random key of the call: content,
// never who was scheduled first. So an answer beats the timeout of the same
// nanosecond, a departure makes room for an arrival, and a call at the end of a
// fault meets the recovered server. An event made during an instant may still
// run in it. Intervals are half-open; events at Until do not run.
//
// Things whose outcome is fixed have no event. An attempt has none for being
// sent: without a wait it is sent at once, after a wait when the timeouts of that
// instant are over and before calls arrive in it. An attempt that is sure to be
// answered in time has none for its timeout. And an answer that makes a client
// retry has none if nothing can happen to the client on the way. A traced run
// leaves out the last of these; its record is the same but for Events.
//
// Events are never cancelled: stale ones are told by the generation of the slot
// they are about, and a slot owns at most one pending timer.
//
// # Random numbers
//
// Every call has a key made of seed, replication, group, client, request, and
// then hop and attempt at each level of the path. Each draw belongs to a key and
// a purpose. So attempt n of a request asks the same of the server in every
// variant, and drawing more in one place shifts nothing elsewhere.
package sim
