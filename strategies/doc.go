// Package strategies says what a caller does after a call has failed: whether
// it tries again, and after which wait.
//
// There are three lifetimes and three types. A [Policy] is what a scenario
// file says. [Rules] are a policy compiled for the simulation, shared by all
// its callers and never changed. A [Failure] is what one request remembers; the
// caller keeps it and passes it in. So everything here is a pure function of
// its arguments: there is no clock, no event and no source of randomness. The
// uniform number that a jittered wait needs is an argument too.
//
// Retries are counted from 1: retry k follows the failure of attempt k. With
//
//	x = min(cap, base * factor^(k-1+first_exponent))
//
// and U(a, b) uniform on the whole nanoseconds from a to b, both included, the
// wait before retry k is:
//
//	kind                 wait before retry k                     source
//	none                 0
//	fixed                min(cap, base)
//	linear               min(cap, base * (k+first_exponent))
//	exponential          x                                       [1]
//	full-jitter          U(0, x)                                 [2]
//	equal-jitter         x/2 + U(0, x/2)                         [2]
//	decorrelated-jitter  min(cap, U(base, 3 * previous wait))    [2]
//	proportional-jitter  U(lo*x, hi*x)                           [3]
//	additive-jitter      x + U(0, spread)                        [4]
//	schedule             wait k of a list; the last for ever
//	custom               what its axes say
//
// [1] The doubling is Ethernet's (which draws at random, like full-jitter):
// Metcalfe and Boggs, "Ethernet: distributed packet switching for local computer
// networks", CACM 19(7), 1976. [2] Brooker, "Exponential backoff and jitter",
// AWS Architecture Blog, 2015; its simulator has first_exponent 1. [3] In many
// client libraries, with lo = 1-j and hi = 1+j. [4] Google Cloud's "truncated
// exponential backoff", with a spread of one second.
//
// The cap comes before the jitter: additive-jitter waits up to cap + spread,
// and proportional-jitter up to hi * cap. The memory of decorrelated-jitter
// starts at base and belongs to the request. No wait is longer than [Longest],
// and no retry number and no memory overflows.
//
// custom is how the formulas of retry libraries are written down, their
// surprises included; [Backoff] says what each axis means. They act in this
// order:
//
//	n       k-1-first_repeats, at least 0, + first_exponent
//	x       growth; base and n make it (round_steps: step by step)
//	cap     x is at most cap (cap_on before, both, state)
//	jitter  a draw from a range around x, widened by widen
//	cap     the wait is at most cap (cap_on after, both)
//	min     the wait is at least min
//	round   to a multiple of unit
//
// The growths walk and polly have no x. A walk draws from a range that the wait
// before gives; cap_on before caps the upper end of that range, cap_on after
// the draw. What walk, polly and sorted remember of one retry at the next makes
// the waits of a request depend on each other as they do in the libraries. An
// exact first wait passes all of this by.
//
// # What callers share
//
// Some callers share what stops their calls. Each mechanism is a spec, rules
// compiled from it, and a state for each client, process, or all:
//
//	mechanism                     asked            remembers
//	[Budget], [BudgetRules]       before a retry   tokens, or what is in flight
//	[Breaker], [BreakerRules]     before a call    the results of the last calls
//	[Limiter], [LimiterRules]     before a call    what is in flight, or the last times
//	[Hedge], [HedgeRules]         during a call    how long answers took, and a budget
//
// Time is an argument here too. Who asks what when is up to the caller of this
// package; that of package sim is written down there. Sources: the budgets are
// those of Finagle and Linkerd (ratio), the Gateway API (window), Envoy and
// failsafe-go (concurrent), the AWS SDKs (tokens), gRPC (throttle) and Marc
// Brooker's simulator (failures); the breaker is Resilience4j's; aws-adaptive is
// botocore's client rate limiter.
//
// # Numbers
//
// A wait never falls when its uniform number grows, so two strategies fed with
// the same numbers stay comparable draw by draw. There are three exceptions:
// at_cap half draws again, overflow timer fires early, and the first number of
// sorted waits decides all of them. Waits are the same on every architecture:
// integers, float products that no compiler may fuse, and the exponential
// function of sim/random.
package strategies
