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
// and no retry number and no previous wait overflows.
//
// A wait never falls when its uniform number grows, so two strategies fed with
// the same numbers stay comparable draw by draw. Waits are the same on every
// architecture: integers, and float products that no compiler may fuse.
package strategies
