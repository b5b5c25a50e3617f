// Package engines knows the engines that people run many jobs with: which
// variables say what part of the work a process has, and what files make each
// engine run a scenario in shards.
package engines
