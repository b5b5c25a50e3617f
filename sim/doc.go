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
//	act      an operator does something
//	done     a service finishes its own work for a call: the worker is free,
//	         and the next waiting call starts
//	answer   an answer reaches its caller; an attempt of an outer layer is over,
//	         or one that was rejected
//	timeout  an attempt times out
//	visible  a message of a queue can be taken, or is too old
//	start    a client starts a request
//	send     an attempt is sent that had to wait and has to ask others
//	hedge    another copy of an attempt is sent
//	cancel   a service is told that a caller has left
//	arrive   a call reaches a service
//
// Among equals the client decides, then the random key of the call: content,
// never who was scheduled first. The clients of a burst start as one, after all
// others of that instant. So an answer beats the timeout of the same
// nanosecond, a departure makes room for an arrival, and a call at the end of a
// fault meets the recovered server. An event made during an instant may still
// run in it. Intervals are half-open; events at Until do not run.
//
// # What callers share
//
// Budgets, breakers, limiters and hedges have states that several callers
// share: those of a client, of a process or all, for one target or for all
// calls under the policy; a budget may also be one request's, on one step. A
// step asks in this order:
//
//	when it begins    the budget and the hedge hear of the request
//	attempt fails     the budget hears of it; then the policy decides, and the
//	                  budget grants the retry or not, unless it is one that is
//	                  asked when the wait is over
//	attempt is sent   that budget; the breaker; the limiter, which may make the
//	                  attempt wait in line; its timeout counts from then on
//	hedge is sent     its own budget; a breaker that stops attempts; the limiter,
//	                  in which it never stands in line
//	step ends         the budget hears of it, and a breaker around the request
//
// An attempt that a breaker around attempts or a limiter rejects fails at once,
// with the outcome rejected and in no time, and the policy decides what follows;
// a rejected attempt is not a call, but withheld, and if it was the last it counts
// only once. Where the budget, or a breaker around
// requests or retries, says no, that is the end: a retry that is not made leaves
// the outcome of the attempt before. Of an attempt whose caller leaves (another
// copy has won, an outer layer has timed out) nothing is learnt: it gives back
// what it holds.
//
// What a copy holds is given back before anything else is asked, and those who
// stand in line for it are sent at once. The first in line asks whenever a place
// is given back or somebody leaves the line, and when its wait is over if the
// limiter knows how long that is. Nobody is sent at its deadline or later; a
// request that is cut off before an attempt was sent ends with a timeout.
//
// The copies of an attempt, the first and its hedges, are one to the budget, and
// to the policy: the attempt has failed when its last copy in flight has, with
// that one's outcome, even if another hedge was to come. They have one timer,
// under the key of the first of them; when several time out at once they do so
// in the order in which they were made. A hedge that is refused is not asked for
// again, unless a copy fails and the policy sends the next one then. The quantile
// that hedges go by is of the first copies: how long one took, or had taken when
// another won. The times of winners alone would be short, and hedges too many.
//
// A step with several policies is a loop in a loop: each attempt of an outer
// layer is a whole run of the next one, under that one's rules. An outer layer
// that stops waiting ends the inner ones, from the inside out; calls on their
// way go on, unless the policy cancels them. A late answer, one whose copy was
// given up, teaches nobody anything, even where it completes the request. So
// with a crash: calls that others made for those it has lost are ended in the
// order of the keys of the lost ones.
//
// A cancelled call has kept its worker since it began; that time counts as
// service time, up to its work. A service with rows finishes what it has begun.
//
// # Call graphs
//
// A caller goes through its steps in order; a request, or a service's work for a
// call, has succeeded when all have. A step that a share of requests does without
// is left out by all calls of such a request. The failure of an optional step
// changes nothing.
//
// Steps at once begin in their order, in one instant. As soon as as many have
// succeeded as are needed, or so many have failed that this cannot be any more,
// the caller goes on, with the outcome of the one that decided; calls of the
// others go on for nobody, unless their policies cancel them.
//
// A service does its own work before its steps, or where it stands among them,
// with the worker that took the call: a worker that waits for others is blocked.
// A service that is not blocking takes a worker for its own work only; a call
// that comes back to it may wait past the limit of the queue.
// It is inside all the time.
// What fails before its own work keeps it from it.
//
// # Deadlines that travel
//
// A call over a hop that propagates carries the time when its caller gives it up:
// the earliest of the request's deadline, the attempt's timeout, and the deadline
// that the caller was given by the call that it works for. On hops that propagate a
// caller that was given one keeps to it as to its own: nothing is sent then or later,
// and what is under way is given up. On other hops it ignores it, and calls carry
// nothing. All layers of a caller know what it was given, and an inner one also how
// long the outer attempt has; each keeps to it, or tells the service, if it
// propagates itself.
//
// A service that refuses answers 504 to a call that would be done after the deadline
// it carries if it took the mean service time, times what the request costs, from now
// on: when it arrives, before all else unless the service is down, and when its turn
// comes. If refusing takes time it is done only then, by a worker, and is slowed and
// paused like other work. Refused calls change no row and take no lock. A queue in the
// order of deadlines goes by those that calls carry.
//
// # Classes
//
// The class of a request is drawn under its own key, so classes change neither when
// requests come nor who makes them, and a request that is made again is of the same
// class. The steps of classes are numbered after all others: what is drawn on those
// stays as it is. A cost multiplies the service times of all calls that are made for a
// request, rounded to whole nanoseconds; nothing else.
//
// # What is done twice
//
// Where it is counted, a service has done a call's work when it answers what was
// decided when the call came: OK, or the answer of a fault that fails it after
// its work, which only loses the answer. A call that something else ends (a
// crash, a cancellation, a lost race, what it needs from others) is not done,
// and gives its key back. The inbox is asked when a call has its worker, before
// it waits for a row, and hears of it when it is answered. A call that it does
// not let through takes no time; its answer may be lost by a fault all the same.
//
// Work is counted per request and path of hops, whatever keys the calls carry, and
// what is done again counts for what made the call: the retry, hedge or redelivery
// nearest to it up the path, even where it overtakes the attempt that it
// repeats; or, where another run of the request has done it, for what made the
// later run.
//
// Requests that share a key are those of a client, in the order in which it makes
// them; arrivals of an open process are numbered together. Whether a request has
// the key of the one before is drawn for the request, and is the same on all its
// hops. In a cycle of keys it counts when the request started for the first time,
// so clients that make one request each never meet.
//
// # Events that are not there
//
// Things whose outcome is fixed have no event. An attempt that needs to ask
// nobody has none for being sent: without a wait it is sent at once, after a wait
// when the timeouts of that instant are over and before calls arrive in it. An
// attempt that is sure to be answered in time has none for its timeout. And an answer that makes a client
// retry has none if nothing can happen to the client on the way. A traced run
// leaves out the last of these; its record is the same but for Events.
//
// Events are never cancelled: stale ones are told by the generation of the slot
// they are about, and a slot owns at most one pending timer.
//
// # Replicas
//
// The replicas of a service are stations; everything else is of the service as a
// whole: its calls, its meters and timeline, and what it calls others for. Which
// replica a call is at is known from when it arrives. A retry that avoids the one
// where the attempt before failed avoids the one where the last copy of it did; if
// that got to none, because it was never sent or had not arrived yet, it avoids
// nobody. A retry of an outer layer has its inner layers avoid the one where their
// last attempt failed, until a retry of their own avoids another. A first attempt avoids
// nobody, nor does a hedge of one.
//
// # Settings
//
// A setting that an action changes over a time begins with the value that it then
// has and takes even steps: of one worker, or at most a thousand. To
// and from no limit it is one step, at the end. The last one to set something
// wins. The rate of a group is set as a factor on what its arrivals would be, those
// of a profile at its own times; of the wait for the next one the part that is
// over stays over. Other arrivals have no rate that can be set.
//
// What is to be set later does not keep a run going in which nothing is left to
// do, but for a rate, as there may be arrivals again.
//
// # Random numbers
//
// Every call has a key made of seed, replication, group, client, request, and
// then hop and attempt at each level of the path. Each draw belongs to a key and
// a purpose. So attempt n of a request asks the same of the server in every
// variant, and drawing more in one place shifts nothing elsewhere. Layers around a
// step have names of their own, and their first attempts leave the draws of the
// calls as they are without the layer.
package sim
