// Package scenarios is the scenario language: YAML in, typed and validated
// data out, and the scenarios that ship with the tool.
//
// A file is read in steps, each in its own source file:
//
//	parse    bytes -> a tree of nodes that know where they stand (a strict
//	         subset of YAML: no anchors, tags, null or duplicate keys)
//	shape    one-line forms become maps, unknown keys are found: from here on
//	         there is one way to write everything, and paths reach all of it
//	override path = value: --set, variants and sweep axes are the same thing
//	extends  policies take what they do not say from the policy they extend,
//	         or from the library they name: maps merge, everything else
//	         replaces; and so does what is written with its kind, as every
//	         one-line form is
//	decode   nodes -> Go values, scalar by scalar, defaults filled in
//	validate what no single value can tell: names, loops, settings that clash
//
// The Go types are the only description of the language. Their tags give names,
// units, defaults and one-line forms, their comments the help text; decoding,
// paths, the long form and the JSON Schema all walk them.
//
// # Graphs
//
// Callers are groups of clients, classes of their requests, services, and queues,
// whose consumers call a service. Services and queues are places: what steps
// call, in one namespace. A path names a step by its own name, however deep in
// parallel ones it is, so these names are all different within one caller.
//
// A circle of calls is refused. A circle through a queue is not, unless every
// message makes another one for ever. Where it is counted how often work is done
// is the same at all points; see counted.go.
//
// # Presets
//
// What a library does by itself is data, not code: a policy in this language
// for each version that changed it, in presets, one file for each library.
// readPresets says what such a file holds. Adding a library is adding a file.
//
// # Points
//
// A point is one variant at one row of the sweep, a combination of a value of
// each axis. Variants are outermost; all of them have the same rows, which the
// design makes: all combinations, the last axis fastest (grid), the first values
// of all axes, the second, ... (zip), or draws from the ranges (latin, sobol,
// morris). A draw is a pure function of the seed, the design and the name of the
// axis. Only the draws are kept; the values of a point are made when asked for.
//
// A bisection adds an axis with values that are not all run: its points are the
// ends of the range, and what lies between is made by its number.
package scenarios
