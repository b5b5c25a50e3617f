// Package findings reproduces published findings about retries: it runs the
// built-in scenarios that stand for them, holds every claim against the
// numbers, and writes tables, pictures and a verdict for each claim.
//
// A claim is judged on paired differences under common random numbers, at
// every point of the sweep, with the p-values of all points adjusted after
// Holm: confirmed (the claimed sign everywhere), refuted (the opposite
// everywhere), only when (both occur; crossings are found by bisection, as well
// as the noise allows), else undecided. A claim that names a number, or that two
// are equal, says how far off is still right: confirmed when the whole 95 %
// interval of what was measured lies within that, refuted when none of it does.
package findings
