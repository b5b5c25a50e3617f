// Package findings reproduces published findings about retries: it runs the
// built-in scenarios that stand for them, holds every claim against the
// numbers, and writes tables, pictures and a verdict for each claim.
//
// A claim is judged on paired differences under common random numbers, at
// every point of the sweep, with the p-values of all points adjusted after
// Holm: confirmed (the claimed sign everywhere), refuted (the opposite
// everywhere), only when (both occur), else undecided. A claim that names a
// number is confirmed when the number lies in the 95 % interval of what was
// measured, or is what was measured where nothing is random.
package findings
