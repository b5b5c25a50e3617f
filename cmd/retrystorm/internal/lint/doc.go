// Package lint looks for mistakes in a scenario by arithmetic, without a
// simulation: it resolves every point, follows the call path, and compares
// numbers that somebody wrote in different places.
//
// A check sees one point at a time and reports findings. What it finds at
// several points, or at all of them, is merged afterwards.
//
// The arithmetic is that of the worst case (everything fails, as fast as it
// can) or of mean values; what a distribution does in between is the business
// of a simulation.
package lint
