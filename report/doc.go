// Package report turns a finished experiment into what people and programs
// read: a table, CSV files, JSON, pictures, and the output folder that holds
// them. Nothing here simulates and nothing here does statistics: every output
// is a function of an [experiment.Result], so a stored result can be rendered
// again, byte for byte.
//
//	Result --Files--> summary.csv summary.parquet runs.csv ... manifest.json
//	       --Table--> terminal
//	       --Markdown, JUnit, Annotations, JobSummary--> pull requests and CI
//	       --Plots--> calls.png completion.png arrivals.png ...
//	folder --Read---> Result
//
// The table and Markdown show the same sections below their rows: how variants
// compare, what flips where, what matters. They compute nothing either: package
// experiment compares.
//
// Each table is described once, by its columns and the rows that a point has;
// files of rows are made in one pass over the points, of which a long sweep has
// only a few in memory at a time.
//
// All numbers become text in one place, number.go; pictures are drawn by a
// [Figure] (lines over a common axis) or [Dots] (one row per variant), whose
// colours come from one palette. Outputs hold no times, hosts or paths.
package report
