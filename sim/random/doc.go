// Package random makes every random number of a simulation: keys and draws,
// distributions of durations, and arrival processes.
//
// A draw is a pure function of what it is for. A [Key] names a thing by its
// content (seed, replication, group, client, request, then hop, attempt and
// copy), and [Key.Draw] gives the 64 bits of a [Purpose] and an index under
// that name. There is no stream to advance, so drawing more in one place never
// shifts another, and variants of a scenario meet the same requests with the
// same luck: common random numbers need no bookkeeping.
//
// One variate takes one draw. Distributions are sampled by inverting their
// distribution function, never by rejection, so a larger draw gives a larger
// time (abs-normal excepted, which folds the normal) and two variants that
// share a draw stay correlated even when their parameters differ.
//
// Results have the same bits on every architecture. Only + - * /, square
// roots and integers are used, all of which IEEE 754 fixes to the last bit;
// every product that is added to something is wrapped in float64(...), which
// forbids the compiler to fuse the two; and [Log], [Exp], [Pow] and
// [NormQuantile] replace those of package math, whose last bits differ between
// machines.
//
// Times are whole nanoseconds, never negative, and at most [Max].
package random
